# SPDX-License-Identifier: Apache-2.0
"""Scenarios of pipelined broadcasts: in steps and in cycles, on core and RTL, and the report's film of the wave."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.reports.broadcasts import Grid, packed
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder
from polycast_cli.running import print_summary
from simulation import SCENARIOS, points, refused, sim, simulate

CYCLES = SCENARIOS / "bypass_torus.yaml"


def films(page: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/json" class="wave">(.*?)</script>', page, re.DOTALL)
    return [json.loads(text) for text in found]


def frames(film: dict[str, Any]) -> list[bytes]:
    """As the page's script unpacks them."""
    data = bytearray(zlib.decompress(base64.b64decode(film["frames"])))
    cells = film["side"] ** film["dimensions"]
    for index in range(cells, len(data)):
        data[index] = (data[index] + data[index - cells]) & 255
    return [bytes(data[at : at + cells]) for at in range(0, len(data), cells)]


def test_steps_of_the_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "steps"
    simulate(SCENARIOS / "bypass_torus_steps.yaml", out)
    found = points(out)
    assert [point.broadcast.rounds[0].units for point in found if point.broadcast] == [22, 36, 22, 26]
    assert all(point.passed for point in found)
    assert not (out / "topology").exists()
    page = write_report(out).read_text()
    assert "Steps to finish" in page
    assert "Latency distribution" not in page
    assert "http" not in re.sub(r"http://www.w3.org/\S+", "", page)
    shown = films(page)
    assert len(shown) == 4
    wave = json.loads((out / "broadcast" / "ibt-64x64-8-24-global.json").read_text())
    assert shown[3]["times"] == list(range(27))
    assert [frame.hex() for frame in frames(shown[3])] == wave["cells"]
    assert wave["holders"][-1][32] == 4096
    # The text alternative has every step.
    assert page.count('<th scope="row">') >= 27
    print_summary(Folder(out).results())
    assert "steps to finish" in capsys.readouterr().out


def test_large_networks_are_shown_in_blocks(tmp_path: Path) -> None:
    out = tmp_path / "cube"
    settings = ("network.topology.kind=torus", "network.topology.radix=30", "network.topology.dimensions=3")
    simulate(SCENARIOS / "bypass_torus_steps.yaml", out, *settings)
    assert points(out)[3].topology.switches == 27000
    film = films(write_report(out).read_text())[3]
    assert (film["block"], film["side"]) == (2, 15)
    assert all(len(frame) == 15**3 for frame in frames(film))
    assert (film["width"], film["height"]) == (4 * 16 - 1, 4 * 16 - 1)


def test_grids() -> None:
    assert (Grid(64, 1).width, Grid(64, 1).height) == (64, 1)
    assert (Grid(300, 1).width, Grid(300, 1).height) == (128, 3)
    assert (Grid(8, 2).width, Grid(8, 2).height) == (8, 8)
    assert (Grid(4, 4).width, Grid(4, 4).height) == (19, 19)


def test_frames_are_packed_as_differences() -> None:
    film = {"frames": packed([b"\x00\x05", b"\xff\x05", b"\x01\x06"]), "side": 2, "dimensions": 1}
    assert frames(film) == [b"\x00\x05", b"\xff\x05", b"\x01\x06"]
    assert packed([]) == base64.b64encode(zlib.compress(b"", 9)).decode()


def test_cycles(tmp_path: Path) -> None:
    out = tmp_path / "cycles"
    simulate(CYCLES, out)
    found = points(out)
    assert all(point.passed for point in found)
    assert [point.workload.name for point in found] == ["line", "global", "rounds"]
    assert [len(point.broadcast.rounds) for point in found if point.broadcast] == [1, 1, 4]
    simulate(CYCLES, tmp_path / "none", "router.broadcast.neighbours=none")
    for seen, blind in zip(found, points(tmp_path / "none"), strict=True):
        assert seen.broadcast and blind.broadcast
        assert seen.broadcast.duplicates < blind.broadcast.duplicates
    page = write_report(out).read_text()
    assert "Cycles to finish" in page
    assert len(films(page)) == 3


def test_every_fidelity_gives_the_same(tmp_path: Path) -> None:
    # A small unit: its model is built by the first test that needs it.
    small = ("network.topology.radix=8", "router.broadcast.slots=4", "workload.*.broadcast.packets=4")
    small += ("trace.chips=[router0]", "trace.format=vcd")
    core = tmp_path / "core"
    simulate(CYCLES, core, *small)
    names = [path.relative_to(core) for path in core.rglob("*") if path.suffix in (".json", ".csv", ".vcd")]
    assert len([name for name in names if name.suffix == ".vcd"]) == 3
    several = ", ".join(f"router{node}: {'rtl' if node % 2 else 'tlm'}" for node in (0, 1, 9, 20, 21, 63))
    models = {
        "rtl": ["network.fidelity=rtl"],
        "tlm": ["network.fidelity=tlm"],
        "some_rtl": ["network.chips={router3: rtl}"],
        "some_of_each": [f"network.chips={{{several}}}"],
        "tlm_but_some": ["network.fidelity=tlm", "network.chips={router0: rtl, router5: core}"],
    }
    for label, chosen in models.items():
        simulate(CYCLES, tmp_path / label, *small, *chosen)
        for name in names:
            if name.name != "run.json":
                assert (tmp_path / label / name).read_bytes() == (core / name).read_bytes(), (label, name)


def test_background_unicasts_in_systemc(tmp_path: Path) -> None:
    busy = ("network.topology.radix=8", "workload.*.broadcast.packets=6", "workload.*.broadcast.unicasts=0.05")
    busy += ("router.broadcast.neighbours=none",)
    simulate(CYCLES, tmp_path / "core", *busy)
    core = points(tmp_path / "core")
    simulate(CYCLES, tmp_path / "modules", *busy, "network.fidelity=tlm")
    assert core[1].broadcast and core[1].broadcast.duplicates > 0
    assert points(tmp_path / "modules") == core


def test_other_commands_point_to_the_analysis() -> None:
    scenario = SCENARIOS / "bypass_torus_steps.yaml"
    done = sim("topology", scenario, status=None)
    assert done.returncode == 2
    assert "take 'polycast-sim analyse ibt --n 64 --d 2 --bypass 8,24'" in done.stderr
    done = sim("check", scenario, status=None)
    assert done.returncode == 0
    assert "good: 1 network of 4096 routers and 4096 hosts, 4 workloads" in done.stdout


def test_refusals_are_one_line() -> None:
    assert "is not symmetric" in refused(CYCLES, "network.topology.bypass=[5]")
    assert "bypass links take no part" in refused(CYCLES, "workload.global.broadcast.algorithm=trees")
    assert "does not fit the 32 slots" in refused(CYCLES, "workload.global.broadcast.packets=40")
    assert "13 B or more" in refused(CYCLES, "router.flit=8")
    assert "could have another fidelity" in refused(CYCLES, "router.broadcast.timing=step", "network.fidelity=tlm")
    assert "no router knows at once" in refused(CYCLES, "router.broadcast.neighbours=ideal")
    assert "did you mean 'broadcast'" in refused(CYCLES, "workload.global.kind=brodcast")
