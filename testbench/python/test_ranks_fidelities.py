# SPDX-License-Identifier: Apache-2.0
"""Several processes simulate one network of any fidelity: SystemC modules by a kernel in each, RTL of the user's own
beside the core, and what is not cut run by run. Nothing changes to the last byte."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from random import Random

import pytest
from polycast_cli.ranks import launcher
from simulation import SCENARIOS, files, points, simulate
from test_ranks import LOADED, LONG, Kind, command, compare, on_ranks, ranks_of
from test_threads import RECORDED, kind, partition

__all__ = ["kind"]

OWN: Kind = (SCENARIOS / "own_rtl.yaml", ())


def costs(out: Path) -> dict[str, dict[str, float]]:
    """What each run of several ranks cost them; a run that one made alone is not there."""
    found: dict[str, dict[str, float]] = json.loads((out / "run.json").read_text())["ranks"]["points"]
    return found


def test_each_rank_has_a_kernel_for_its_modules(kind: Kind, tmp_path: Path) -> None:
    compare(kind, tmp_path, *RECORDED, "network.fidelity=tlm", ranks=(2,))
    assert len(costs(tmp_path / "2")) == len(points(tmp_path / "2"))
    assert all(cost["bytes"] > 0 for cost in costs(tmp_path / "2").values())


@pytest.mark.parametrize("scenario", ["load.yaml", "mesh_interfaces.yaml"])
def test_three_kernels(scenario: str, tmp_path: Path) -> None:
    compare((SCENARIOS / scenario, LOADED), tmp_path, "network.fidelity=tlm", ranks=(3,))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_modules_beside_threads_in_any_partition(tmp_path: Path, seed: int) -> None:
    """Some switches are modules, each with its hosts; the others are stepped by the threads of their ranks."""
    scenario = SCENARIOS / "load.yaml"
    random = Random(seed)
    fidelities = {f"switch{number}": random.choice(["core", "tlm"]) for number in range(8)}
    chips = ", ".join(f"{name}: {fidelity}" for name, fidelity in fidelities.items())
    settings = (
        *LOADED,
        *RECORDED,
        f"network.chips={{{chips}}}",
        "network.link.delay=3",
    )
    status = simulate(scenario, tmp_path / "one", *settings, status=None).returncode
    expected = files(tmp_path / "one")
    partition(scenario, tmp_path / "one", tmp_path / "parts.txt", 4, seed)
    more = ("network.threads=2", f"network.partition={tmp_path / 'parts.txt'}")
    on_ranks(2, scenario, tmp_path / "parts", *settings, *more, status=status)
    found = files(tmp_path / "parts")
    assert [name for name in expected if found[name] != expected[name]] == [], f"seed {seed}: {chips}"


def test_modules_of_link_layers(tmp_path: Path) -> None:
    """Cables that are modules are not cut; those of other fidelities are."""
    link = (
        "network.link={layer: retry, delay: 5}",
        "faults.links=[{link: all, rate: 1e-5}]",
    )
    for name, fidelity in (
        ("all", "network.fidelity=tlm"),
        ("some", "network.chips={switch1: tlm, switch4: tlm}"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        compare((SCENARIOS / "load.yaml", (*LOADED, *link, fidelity)), folder, ranks=(2,))


def test_several_networks_of_modules_fail_and_are_recorded(tmp_path: Path) -> None:
    """A process makes one network of modules: each run, and what is recorded of a failure, has processes of its own.
    The order of changes in a cycle, which a VCD file shows, is the kernel's in one process."""
    late = (
        "workload.multicast.rate=0.5",
        "measurement.saturated=drain",
        "measurement.drain_limit=100",
    )
    more = ("network.fidelity=tlm", "network.topology.instances=2")
    compare((SCENARIOS / "load.yaml", (*LOADED, *late)), tmp_path, *more, ranks=(2,))
    assert len(list((tmp_path / "2" / "waves").glob("*-failure.fst"))) == 2


def test_the_first_difference_of_own_rtl_ends_all_ranks(tmp_path: Path) -> None:
    """Wherever the chip is; waves show it beside its core. The failed run is recorded once more."""
    scenario, settings = OWN
    vcd = ("trace.format=vcd", "trace.packets=true")
    one = simulate(scenario, tmp_path / "one", *settings, *vcd, status=1)
    expected = files(tmp_path / "one")
    assert [point.suspect for point in points(tmp_path / "one")] == ["switch1"]
    assert any(name.endswith("-failure.vcd") for name in expected)
    for ranks, threads, seed in ((1, 2, 1), (2, 1, 2), (3, 1, 3), (2, 2, 4)):
        out = tmp_path / f"{ranks}x{threads}"
        parts = tmp_path / f"{ranks}x{threads}.txt"
        partition(scenario, tmp_path / "one", parts, ranks * threads, seed)
        more = (*vcd, f"network.threads={threads}", f"network.partition={parts}")
        if ranks == 1:
            done = simulate(scenario, out, *settings, *more, status=1)
        else:
            done = on_ranks(ranks, scenario, out, *settings, *more, status=1)
            assert costs(out) != {}
        found = files(out)
        assert [name for name in expected if found[name] != expected[name]] == [], (ranks, threads, seed)
        assert difference(done.stderr) == difference(one.stderr)


def difference(said: str) -> list[str]:
    lines = [line for line in said.splitlines() if "own RTL" in line]
    assert lines, said
    return lines


def test_own_rtl_that_is_right_is_compared_on_all_ranks(tmp_path: Path) -> None:
    rtl = f"network.own_rtl={SCENARIOS.parents[1] / 'rtl' / 'switch'}"
    compare(
        (OWN[0], (rtl, "network.fidelity=own", "measurement.window=3000")),
        tmp_path,
        *RECORDED,
    )
    assert costs(tmp_path / "2") != {}


def test_payloads_are_told_by_their_first_word(tmp_path: Path) -> None:
    """The first rank checks all bytes, packets and messages, and gets a few of each."""
    large = ("workload.multicast.message=4096 B", "workload.multicast.rate=0.02")
    compare((SCENARIOS / "load.yaml", (*LOADED, *large)), tmp_path, ranks=(2,))
    (point,) = json.loads((tmp_path / "2" / "results.json").read_text())["points"]
    (cost,) = costs(tmp_path / "2").values()
    delivered = point["check"]["messages"]["delivered"]
    assert delivered > 0
    assert 0 < cost["told_bytes"] < delivered * 4096


@pytest.mark.parametrize("scenario", ["coding.yaml", "bypass_torus_steps.yaml"])
def test_runs_that_are_not_cut_are_dealt_to_ranks(scenario: str, tmp_path: Path) -> None:
    compare((SCENARIOS / scenario, ()), tmp_path)
    assert costs(tmp_path / "2") == {}


@pytest.mark.parametrize("how", ["killed", "interrupted"])
def test_processes_of_modules_end_with_their_ranks(tmp_path: Path, how: str) -> None:
    run = command(SCENARIOS / "load.yaml", tmp_path / "out", *LONG, "network.fidelity=tlm")
    started = subprocess.Popen(
        [*launcher(2, None), *run],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ranks = ranks_of(started.pid)
    children = [
        int(child) for rank in ranks for child in Path(f"/proc/{rank}/task/{rank}/children").read_text().split()
    ]
    assert len(children) == 2
    if how == "killed":
        subprocess.run(["kill", "-9", str(children[1])], check=True)
    else:
        started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode != 0
    assert not any(Path(f"/proc/{process}/exe").exists() for process in (*ranks, *children))
    assert not (tmp_path / "out").exists(), said
