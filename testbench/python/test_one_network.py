# SPDX-License-Identifier: Apache-2.0
"""Rails, lanes and broadcasts run like all else: one word picks the fidelity, and all can be recorded and asked."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from simulation import files, points, run_of, sim, simulate

Cli = Callable[..., subprocess.CompletedProcess[str]]

RAILS = """\
name: rails
seed: 4
network: {topology: {kind: fat_tree, arity: 2, nodes: 4}}
rails: {count: 2}
router: {flit: 2 B, vcs: 2, buffer: 16 flit, switching: wormhole, select: least_loaded}
packet: {payload: 64 B, header: free}
host: {bus: 2 B/cycle, processes: 2, ni_send: 10 cycle, ni_receive: 10 cycle}
workload:
  - {name: some, kind: rails, policy: basic, message: 300 B, messages: 3, lengths: fixed}
  - {name: load, kind: rails, policy: dynamic, striping: true, message: 200 B, rate: 0.2}
measurement: {warmup: 1000 cycle, window: 5000 cycle}
"""

LANES = """\
name: lanes
seed: 4
network: {topology: {kind: sites, sites: [4]}, fidelity: core}
lanes: {interfaces: 2, bandwidth: 1 Gbit/s, latency: 400 ns}
packet: {payload: 256 B}
workload:
  - {name: chain, kind: lanes, message: 2000 B, lanes: {algorithm: pipelined_chain, piece: 512 B}}
  - {name: trees, kind: lanes, message: 2000 B, lanes: {algorithm: multi_lane, piece: 512 B}}
"""

BROADCASTS = """\
name: broadcasts
seed: 4
network: {topology: {kind: bypass_torus, radix: 8, dimensions: 2, bypass: [4]}}
router: {flit: 16 B, broadcast: {slots: 4}}
host: {model: ideal}
workload:
  - {name: all, kind: broadcast, broadcast: {packets: 4, unicasts: 0.02}}
"""

#: Scenario, a chip that forwards, several with fidelities of their own, a packet that is delivered.
KINDS = {
    "rails": (RAILS, "rail1.router2", "{rail0.router0: tlm, rail1.router2: tlm, rail1.router3: core}"),
    "lanes": (LANES, "lane1", "{lane0: tlm}"),
    "broadcasts": (BROADCASTS, "router9", "{router1: tlm, router9: tlm, router63: tlm}"),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, str]:
    text, chip, several = KINDS[request.param]
    path = tmp_path / f"{request.param}.yaml"
    path.write_text(text)
    return path, chip, several


def rows_of(log: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(log)) as database:
        return [row for table in ("packets", "passages") for row in database.execute(f"select * from {table}")]


def changes_of(wave: bytes) -> list[list[bytes]]:
    """What changes at each time: the order within one is that in which chips were stepped."""
    return [sorted(part.splitlines()) for part in wave.split(b"\n#")]


def test_every_fidelity_gives_the_same_files(kind: tuple[Path, str, str], tmp_path: Path) -> None:
    scenario, chip, several = kind
    seen = (f"trace.chips=[{chip}, host1]", "trace.format=vcd", "trace.packets=true")
    core = tmp_path / "core"
    simulate(scenario, core)
    simulate(scenario, tmp_path / "core-seen", *seen)
    assert all(point.passed for point in points(core))
    plain, traced = files(core), files(tmp_path / "core-seen")
    assert {name: traced[name] for name in plain} == plain, "looking at it changes nothing"
    assert len([name for name in traced if name.endswith(".vcd")]) == len(points(core))
    for name, setting in {
        "tlm": "network.fidelity=tlm",
        "mix": f"network.chips={several}",
    }.items():
        simulate(scenario, tmp_path / name, *seen, setting)
        found = files(tmp_path / name)
        assert set(found) == set(traced)
        for path, content in traced.items():
            if path.endswith(".sqlite"):
                assert rows_of(tmp_path / name / path) == rows_of(tmp_path / "core-seen" / path), (name, path)
            elif path.endswith(".vcd"):
                assert changes_of(found[path]) == changes_of(content), (name, path)
            else:
                assert found[path] == content, (name, path)
    assert run_of(tmp_path / "tlm").fidelity.network == "tlm"


def test_rtl_gives_the_same_files(kind: tuple[Path, str, str], tmp_path: Path) -> None:
    scenario, _, several = kind
    simulate(scenario, tmp_path / "core")
    for name, settings in {
        "rtl": ["network.fidelity=rtl"],
        "mix": ["network.fidelity=rtl", f"network.chips={several}"],
    }.items():
        simulate(scenario, tmp_path / name, *settings)
        assert files(tmp_path / name) == files(tmp_path / "core"), name


def test_a_trigger_records_around_an_event(kind: tuple[Path, str, str], tmp_path: Path) -> None:
    scenario, chip, _ = kind
    simulate(scenario, tmp_path / "out", f"trace.trigger={{event: passes, chip: {chip}, before: 20 cycle}}")
    traces = run_of(tmp_path / "out").traces
    assert traces
    assert all(trace.trigger is not None and (trace.trigger.cycle or 0) > 0 for trace in traces)


def test_why_a_packet_was_late(kind: tuple[Path, str, str], cli: Cli, tmp_path: Path) -> None:
    scenario, _, _ = kind
    out = tmp_path / "out"
    simulate(scenario, out, "trace.packets=true")
    log = points(out)[0].workload.name
    slowest = cli("why", out, "--log", log, "--slowest", "1")
    assert slowest.returncode == 0, slowest.stderr
    number = slowest.stdout.splitlines()[2].split()[0]
    one = cli("why", out, "--log", log, "-p", number)
    assert one.returncode == 0, one.stderr


#: Of these no run delivers all in time.
CUT = ("measurement.drain_limit=1 cycle", "measurement.saturated=drain")


@pytest.mark.parametrize("fidelity", ["core", "tlm"])
def test_a_failure_leaves_waves_and_its_replay(fidelity: str, tmp_path: Path) -> None:
    scenario = tmp_path / "rails.yaml"
    scenario.write_text(RAILS)
    out = tmp_path / "out"
    simulate(scenario, out, *CUT, f"network.fidelity={fidelity}", status=1)
    failed = [point for point in points(out) if not point.passed]
    assert failed
    assert all(point.wave and (out / point.wave).stat().st_size > 0 for point in failed)
    replay = run_of(out).replay[failed[0].id]
    sim(*replay, "--progress", "none", "--out", tmp_path / "again", status=1)
    same = points(tmp_path / "again")
    assert [point.passed for point in same] == [point.passed for point in points(out)]


def test_the_printed_command_repeats_a_failure_from_a_fresh_shell(tmp_path: Path) -> None:
    scenario = tmp_path / "it's.yaml"
    scenario.write_text(RAILS)
    done = simulate(scenario, tmp_path / "out", *CUT, status=1)
    for repetition in range(2):
        lines = [line for line in done.stderr.splitlines() if ": again: " in line]
        assert lines, done.stderr
        command = lines[0].partition(": again: ")[2]
        settings = re.findall(r"-s '?([\w.]+)=", command)
        assert sorted(settings) == sorted(set(settings)), command
        shell = ["env", "-i", f"PATH={os.environ['PATH']}", f"HOME={tmp_path}", "/bin/sh", "-c"]
        done = subprocess.run(
            [*shell, f"{command} --out again{repetition} --progress none"],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr


def test_events_are_logged_and_have_no_waves(tmp_path: Path) -> None:
    scenario = tmp_path / "rails.yaml"
    scenario.write_text(RAILS)
    simulate(scenario, tmp_path / "out", "network.fidelity=event", "trace.packets=true")
    assert all(point.passed for point in points(tmp_path / "out"))
    for log in (tmp_path / "out" / "packets").iterdir():
        assert rows_of(log)
    refused = sim("check", scenario, "-s", "network.fidelity=event", "-s", "trace.chips=all", status=2)
    assert "packets as events are on no pins that waves could show" in refused.stderr
