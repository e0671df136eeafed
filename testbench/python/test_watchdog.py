# SPDX-License-Identifier: Apache-2.0
"""Interfaces whose processor stands still: restarted by a watchdog, told of, the same in every fidelity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from simulation import SCENARIOS, files, points, refused, simulate

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
