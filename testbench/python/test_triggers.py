# SPDX-License-Identifier: Apache-2.0
"""Waves around an event: recorded in the right cycles, the same at every fidelity, and told when it never comes."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path

import pytest
import pywellen
from polycast_cli.provenance import Trigger
from simulation import SCENARIOS, run_of, simulate

SCENARIO = SCENARIOS / "load.yaml"
#: A moment of a busy network: thousands of packets.
SHORT = (
    "measurement.warmup=0 cycle", "measurement.window=10000 cycle", "workload.multicast.rate=0.1",
    "host.send_overhead=100 cycle", "host.receive_overhead=100 cycle",
    "host.ni_send=20 cycle", "host.ni_receive=20 cycle", "measurement.saturated=drain",
)  # fmt: skip


def run(
    out: Path, *options: str, settings: tuple[str, ...] = SHORT, status: int = 0
) -> subprocess.CompletedProcess[str]:
    return simulate(SCENARIO, out, *settings, options=options, status=status)


def wave_of(out: Path) -> Path:
    return next((out / "waves").glob("*.fst"))


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    """Where every packet of the run was."""
    out = tmp_path_factory.mktemp("logged") / "x"
    run(out, "--packets")
    log = next((out / "packets").glob("*.sqlite"))
    (cost,) = run_of(out).traces
    assert cost.bytes == log.stat().st_size
    database = sqlite3.connect(log)
    assert cost.passages == database.execute("select count(*) from passages").fetchone()[0]
    assert cost.seconds > 0
    return database


def test_around_the_delivery_of_a_packet_at_every_fidelity(logged: sqlite3.Connection, tmp_path: Path) -> None:
    """Numbers are those of packet logs; `before` and `after` count from the tail's cycle at the host."""
    packet, arrived, host = logged.execute(
        "select packet, min(tail + delay), host.name from passages join cables using (chip, port)"
        " join chips host on host.chip = cables.to_chip where host.kind = 'host'"
        " group by packet order by packet desc limit 1 offset 99"
    ).fetchone()
    around = ("-s", "trace.trigger.before=30 cycle", "-s", "trace.trigger.after=10 cycle")
    files = {}
    for fidelity in ("core", "tlm", "rtl"):
        out = tmp_path / fidelity
        done = run(out, "--trigger", f"delivered:{packet}", *around, settings=(*SHORT, f"network.fidelity={fidelity}"))
        (cost,) = run_of(out).traces
        assert cost.trigger == Trigger(event=f"packet {packet} is delivered", cycle=arrived)
        assert (cost.start, cost.to) == (arrived - 30, arrived + 10)
        assert cost.bytes == wave_of(out).stat().st_size
        assert f"waves/{wave_of(out).name}: " in done.stdout
        files[fidelity] = (wave_of(out).read_bytes(), wave_of(out).with_suffix(".gtkw").read_text())
    assert files["core"] == files["tlm"] == files["rtl"]
    assert f" {arrived}\n" in files["core"][1], "the marker is at the event"
    signals = {var.full_name: var.signal for var in pywellen.Waveform(str(wave_of(tmp_path / "core"))).all_vars()}
    tail = signals[f"irregular-1.{host}.port0.in.tail"]
    assert (tail.value_at(arrived - 1), tail.value_at(arrived), tail.value_at(arrived + 1)) == (0, 1, 0)


def test_a_packet_by_its_source_at_one_chip(logged: sqlite3.Connection, tmp_path: Path) -> None:
    source, sequence, name, head = logged.execute(
        "select source, sequence, name, head from passages join chips using (chip) join packets using (packet)"
        " where kind = 'switch' order by packet desc limit 1 offset 50"
    ).fetchone()
    run(tmp_path / "x", "--trigger", f"passes:{source}#{sequence}@{name}", f"--waves={name}")
    (cost,) = run_of(tmp_path / "x").traces
    header = logged.execute("select header from packets where source = ? and sequence = ?", (source, sequence))
    assert cost.trigger.cycle >= head + header.fetchone()[0] - 1
    first = logged.execute(
        "select min(head) from passages join chips using (chip) join packets using (packet)"
        " where source = ? and sequence = ? and name = ?",
        (source, sequence, name),
    ).fetchone()[0]
    assert first <= cost.trigger.cycle <= first + 40
    assert {var.full_name.split(".")[1] for var in pywellen.Waveform(str(wave_of(tmp_path / "x"))).all_vars()} == {name}


@pytest.mark.parametrize("trigger", ["dropped", "error", "injected:999999", "full:90000", "latency:999999"])
def test_a_trigger_that_never_fires_is_told(tmp_path: Path, trigger: str) -> None:
    done = run(tmp_path / "x", "--trigger", trigger)
    assert "no waves: the trigger never fired" in done.stderr
    assert not (tmp_path / "x" / "waves").exists()
    (cost,) = run_of(tmp_path / "x").traces
    assert cost.trigger.cycle is None
    assert not cost.file


def test_results_are_the_same_with_and_without(tmp_path: Path) -> None:
    for name, arguments in (("without", ()), ("with", ("--trigger", "latency:300"))):
        run(tmp_path / name, *arguments)
    for file in ("results.json", "tables/links.csv"):
        names = [tmp_path / name / file for name in ("without", "with")]
        assert names[0].read_bytes() == names[1].read_bytes()


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("lost:1", "trace.trigger.event"),
        (
            "dropped:seven",
            "'trace.trigger.packet' cannot be 'seven'; a number as in packet logs, such as 4711, or HOST#",
        ),
        ("dropped@host3", "there is no switch 'host3' in the network"),
        ("delivered@switch1", "there is no host 'switch1' in the network"),
        ("passes:1@swich1", "there is no switch or host 'swich1' in the network; did you mean 'switch1'?"),
        ("latency:x", "trace.trigger.cycles"),
    ],
)
def test_what_is_no_trigger(tmp_path: Path, trigger: str, message: str) -> None:
    done = run(tmp_path / "x", "--trigger", trigger, status=2)
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "x").exists()
