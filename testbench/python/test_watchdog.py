# SPDX-License-Identifier: Apache-2.0
"""Interfaces whose processor stands still: restarted by a watchdog, told of, the same in every fidelity."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
import pywellen
from polycast_cli.packets.log import PacketLog
from polycast_cli.packets.why import journey
from polycast_cli.reports.report import write_report
from simulation import SCENARIOS, files, points, refused, run_of, simulate

MESH = SCENARIOS / "mesh_interfaces.yaml"
#: Only host 0 sends.
MESSAGES = (
    "workload=[{name: messages, kind: multicast, scheme: unicasts, source: host0, degree: 15, message: 300 B}]",
)
HANG = "faults.events=[{what: hang, host: host0, at: 1}]"
WATCHDOG = "ni.watchdog=20000"


def only(out: Path) -> dict[str, Any]:
    (point,) = json.loads((out / "results.json").read_text())["points"]
    found: dict[str, Any] = point
    return found


#: Processors that boot have 200,000 cycles for it before the first message.
@pytest.mark.parametrize(("processor", "at"), [("native", 1), ("iss", 200_500)])
def test_a_restart_is_told_of(processor: str, at: int, tmp_path: Path) -> None:
    settings = (*MESSAGES, HANG.replace("at: 1", f"at: {at}"), WATCHDOG, f"ni.processor={processor}")
    simulate(MESH, tmp_path / "exact", *settings, status=1)
    assert not only(tmp_path / "exact")["passed"]
    simulate(MESH, tmp_path / "told", *settings, "faults.verdict=reported")
    point = only(tmp_path / "told")
    assert point["passed"]
    assert point["interfaces"]["restarts"] == 1
    messages = point["check"]["messages"]
    assert messages["missing"] == messages["told"] > 0
    assert messages["delivered"] + messages["told"] == messages["expected"]


def test_a_watchdog_that_does_not_expire_changes_nothing(tmp_path: Path) -> None:
    settings = ("measurement.warmup=500", "measurement.window=3000")
    simulate(MESH, tmp_path / "without", *settings)
    simulate(MESH, tmp_path / "with", *settings, "ni.watchdog=1000000")
    without, watched = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("without", "with"))
    for point in watched["points"]:
        assert point["interfaces"].pop("restarts") == 0
    assert without == watched


def test_a_short_hang_is_a_delay(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "out", *MESSAGES, "faults.events=[{what: hang, host: host0, at: 1, until: 5000}]")
    (point,) = points(tmp_path / "out")
    assert point.passed
    assert point.latency is not None and point.latency.max > 5000


STILL = "faults.events=[{what: hang, host: host0, at: 400, until: 5000}]"


def test_a_hang_is_in_results_and_tables(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "out", *MESSAGES, STILL)
    hang = {"cycle": 400, "link": "host0", "what": "hang", "effect": "began", "detail": 5000}
    assert only(tmp_path / "out")["injected"] == {"count": 1, "kinds": {"hang": 1}, "first": [hang]}
    (row,) = csv.DictReader((tmp_path / "out" / "tables" / "faults.csv").open())
    assert row == {"point": "mesh-4x4/messages"} | {key: str(value) for key, value in hang.items()}
    simulate(MESH, tmp_path / "late", *MESSAGES, STILL.replace("at: 400, until: 5000", "at: 900000, until: 900001"))
    assert only(tmp_path / "late")["injected"] == {"count": 0, "kinds": {}, "first": []}
    simulate(MESH, tmp_path / "ever", *MESSAGES, HANG, WATCHDOG, "faults.verdict=reported")
    assert only(tmp_path / "ever")["injected"]["first"][0]["detail"] == 0


def test_a_hang_is_in_waves_and_ends_with_the_restart(tmp_path: Path) -> None:
    settings = (*MESSAGES, HANG.replace("at: 1", "at: 400"), WATCHDOG, "ni.restart=100", "faults.verdict=reported")
    simulate(MESH, tmp_path / "out", *settings, "trace.chips=[host0]", "trace.packets=true")
    wave = pywellen.Waveform(str(next((tmp_path / "out" / "waves").glob("*.fst"))))
    (signal,) = [var.signal for var in wave.all_vars() if var.full_name == "mesh-4x4.host0.ni0.processor"]
    hung = 3
    assert [signal.value_at(cycle) == hung for cycle in (399, 400, 20000)] == [False, True, True]
    (log,) = (tmp_path / "out" / "packets").glob("*.sqlite")
    (hang,) = PacketLog(log).hangs
    assert hang.first == 400
    assert [signal.value_at(cycle) == hung for cycle in (hang.last, hang.last + 1)] == [True, False]
    assert hang.last > 20_000, "the watchdog has to expire first"


def test_a_hang_starts_a_wave(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "out", *MESSAGES, STILL, "trace.chips=[host0]", "trace.trigger.event=fault")
    (cost,) = run_of(tmp_path / "out").traces
    assert cost.trigger is not None
    assert (cost.trigger.event, cost.trigger.cycle) == ("a fault", 400)


def test_why_names_a_hang(tmp_path: Path) -> None:
    # Interfaces forward; the one of a host on the way stands still with the packet inside.
    load = "workload=[{name: relay, kind: multicast, scheme: ni, source: host0, degree: 15, message: 64 B}]"
    simulate(MESH, tmp_path / "free", load, "trace.packets=true")
    free = PacketLog(next((tmp_path / "free" / "packets").glob("*.sqlite")))
    relay, came = next(
        (cable.to_chip, passage.tail + cable.delay)
        for passage in free.passages(0)
        if (cable := free.cables[passage.chip, passage.port]) and free.chips[cable.to_chip].kind == "host"
        and any(other.chip == cable.to_chip for other in free.passages(0))
    )  # fmt: skip
    host = free.chips[relay].name
    still = f"faults.events=[{{what: hang, host: {host}, at: {came}, until: {came + 3000}}}]"
    simulate(MESH, tmp_path / "out", load, still, "trace.packets=true")
    log = PacketLog(next((tmp_path / "out" / "packets").glob("*.sqlite")))
    told = f"stood still from cycle {came} to {came + 2999}"
    last = journey(log, log.packet(0))
    assert [part.where for part in last.parts if part.what.endswith(f"processor, which {told}")] == [host]
    assert journey(log, log.packet(0), host).notes == [f"it came in cycle {came}; the processor of {host} {told}"]


def test_the_report_lists_a_hang(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "out", *MESSAGES, STILL)
    page = write_report(tmp_path / "out").read_text()
    assert "The first faults" in page
    assert re.search(r'<td>400</td><td class="left">host0</td><td class="left">hang</td>', page)


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3"])
def test_a_hang_is_the_same_everywhere(setting: str, tmp_path: Path) -> None:
    common = (*MESSAGES, HANG, WATCHDOG, "faults.verdict=reported")
    simulate(MESH, tmp_path / "core", *common)
    simulate(MESH, tmp_path / "other", *common, setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_bad_hangs_are_refused() -> None:
    assert "there is no host 'host99' in mesh-4x4" in refused(
        MESH, "faults.events=[{what: hang, host: host99, at: 1, until: 5}]"
    )
    assert "take 'ni.watchdog: 100000'" in refused(MESH, HANG)
    assert "a fault ends before it begins" in refused(
        MESH, "faults.events=[{what: hang, host: host0, at: 10, until: 5}]"
    )
    assert "a 'hang' is one of an interface's processor" in refused(
        SCENARIOS / "mesh.yaml", "faults.events=[{what: hang, host: host0, at: 10, until: 50}]"
    )
