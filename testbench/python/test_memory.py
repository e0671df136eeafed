# SPDX-License-Identifier: Apache-2.0
"""Memory that is estimated before a run: against what runs take, and what does not fit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from polycast_cli.sweeps.sweep import Checked

from testbench.python.simulation import SCENARIOS, SIMULATOR

#: A run takes between half and twice what was estimated.
FACTOR = 2

IRREGULAR = "{kind: irregular, switches: 64, hosts: 256, placement: even, instances: 1}"
LOAD = "[{name: load, kind: unicast, message: 128 B, rate: 0.002}]"
SILENT = "[{name: load, kind: unicast, rate: 0.001}]"


def simulator(*arguments: str | Path, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """`limit`: bytes of its address space."""
    wrapped = [] if limit is None else ["prlimit", f"--as={limit}"]
    return subprocess.run([*wrapped, SIMULATOR, *arguments], capture_output=True, text=True, check=False)


def settings(*values: str) -> list[str]:
    return [word for value in values for word in ("-s", value)]


@pytest.mark.parametrize(
    ("scenario", "values"),
    [
        ("first_light.yaml", []),
        ("load.yaml", [f"network.topology={IRREGULAR}", f"workload={LOAD}"]),
        ("load.yaml", [f"network.topology={IRREGULAR}", f"workload={LOAD}", "packet.header=free"]),
        ("load.yaml", [f"network.topology={IRREGULAR}", f"workload={LOAD}", "switch.buffer=8192 flit"]),
        ("load.yaml", [f"network.topology={IRREGULAR}", f"workload={LOAD}", "ni.processor=iss"]),
        ("fat_tree.yaml", ["network.topology.nodes=256"]),
        ("mesh.yaml", ["network.topology.radix=64", f"workload={LOAD.replace('message: 128 B, ', '')}"]),
        ("mesh.yaml", ["network.topology.radix=128", f"workload={SILENT}", "measurement.links=false"]),
        ("mesh.yaml", ["network.topology.radix=128", f"workload={SILENT}"]),
        ("bypass_torus_steps.yaml", ["network.topology.radix=512"]),
        ("mesh_interfaces.yaml", ["network.topology.radix=16"]),
    ],
)
def test_a_run_takes_about_what_was_estimated(tmp_path: Path, scenario: str, values: list[str]) -> None:
    short = settings(*values, "measurement.warmup=1000 cycle", "measurement.window=5000 cycle")
    checked = simulator("check", "--json", SCENARIOS / scenario, *short)
    assert checked.returncode == 0, checked.stderr
    ended = simulator("run", SCENARIOS / scenario, *short, "--jobs", "1", "--out", tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    peak = json.loads((tmp_path / "out" / "run.json").read_text())["memory_peak_bytes"]
    estimated = json.loads(checked.stdout)["memory_bytes"]
    assert peak / FACTOR < estimated < peak * FACTOR


def test_a_program_pays_for_its_pairs_of_ranks(tmp_path: Path) -> None:
    """Each rank exchanges messages with 100 others: a third of the run is what they know of each other."""
    lines = ["num_ranks 1024"]
    for rank in range(1024):
        sends = [f"s{i}: send 64b to {(rank + i + 1) % 1024}" for i in range(100)]
        receives = [f"r{i}: recv 64b from {(rank - i - 1) % 1024}" for i in range(100)]
        lines += [f"rank {rank} {{", *sends, *receives, "}"]
    (tmp_path / "pairs.goal").write_text("\n".join(lines) + "\n")
    scenario = tmp_path / "pairs.yaml"
    scenario.write_text(
        "network: {topology: {kind: fat_tree, arity: 16, nodes: 1024}}\nrouter: {vcs: 2}\n"
        "workload: [{name: pairs, kind: program, path: pairs.goal}]\n"
    )
    estimated = json.loads(simulator("check", "--json", scenario).stdout)["memory_bytes"]
    ended = simulator("run", scenario, "--jobs", "1", "--out", tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    peak = json.loads((tmp_path / "out" / "run.json").read_text())["memory_peak_bytes"]
    assert 0.75 * peak < estimated < 1.5 * peak


def test_check_says_how_much_memory_a_run_takes() -> None:
    said = simulator("check", SCENARIOS / "load.yaml").stdout
    assert "MB of memory, and for each run at once" in said


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    topology = "network.topology={kind: irregular, switches: 1024, hosts: 4096, placement: even, instances: 1}"
    large = settings(topology, f"workload={LOAD}")
    for command in (["check"], ["run", "--out", str(tmp_path / "out")]):
        refused = simulator(*command, SCENARIOS / "load.yaml", *large, limit=250_000_000)
        assert refused.returncode == 2
        assert "a run needs about" in refused.stderr
        assert "of memory are left" in refused.stderr
        assert "take fewer hosts or switches" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_tables_that_do_not_fit_are_not_made() -> None:
    large = settings("network.topology={kind: irregular, switches: 8192, hosts: 16384, placement: even, instances: 1}")
    refused = simulator("check", SCENARIOS / "load.yaml", *large, limit=200_000_000)
    assert refused.returncode == 2
    assert "the tables of 8192 switches for 16384 hosts take about" in refused.stderr


def test_fewer_runs_go_at_once_where_there_is_no_memory_for_all(tmp_path: Path) -> None:
    four = settings(
        "network.topology={kind: irregular, switches: 128, hosts: 512, placement: even, instances: 4}",
        f"workload={LOAD}",
        "measurement.warmup=1000 cycle",
        "measurement.window=5000 cycle",
    )
    run = simulator("run", SCENARIOS / "load.yaml", *four, "--jobs", "4", "--out", tmp_path / "out", limit=400_000_000)
    assert run.returncode == 0, run.stderr
    assert "of 4 runs at once: each needs about" in run.stderr


def test_runs_of_a_sweep_are_limited_by_memory(capsys: pytest.CaptureFixture[str]) -> None:
    assert Checked(memory=1_000_000_000, memory_left=3_500_000_000).at_once(8) == 3
    assert "3 of 8 runs at once: the largest needs about 1.00 GB, and 3.50 GB are left" in capsys.readouterr().err
    assert Checked(memory=1_000_000_000, memory_left=10).at_once(8) == 1
    assert Checked(memory=1_000_000_000, memory_left=90_000_000_000).at_once(8) == 8
    assert Checked().at_once(8) == 8
