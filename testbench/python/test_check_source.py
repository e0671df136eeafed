# SPDX-License-Identifier: Apache-2.0
"""Source at the door (hw/chips/source_door.md): where everybody is who he says he is, no cycle is lost by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulation import SCENARIOS, refused, simulate
from test_link_faults import raw

DOORS = "host.check_source=true"

#: Unicasts and worms of every kind, copies by firmware, coding units, programs, rails, link ends, VL switches, one
#: Verilated model of each chip with a table.
NETWORKS: list[tuple[str, list[str]]] = [
    ("schemes.yaml", ["network.topology.instances=1"]),
    ("mesh_interfaces.yaml", []),
    ("coding_interfaces.yaml", []),
    ("forwarding.yaml", ["network.topology.instances=1"]),
    ("reliable.yaml", []),
    ("program.yaml", []),
    ("fabric.yaml", []),
    ("multirail.yaml", ["network.fidelity=core", "network.topology.nodes=8", "rails.count=5", "workload.*.rate=0.1"]),
    ("first_light.yaml", ["network.topology.instances=1", "network.fidelity=rtl"]),
    ("mesh_interfaces.yaml", ["network.fidelity=rtl"]),
    ("first_light.yaml", ["network.topology.instances=1", "network.fidelity=tlm"]),
]


@pytest.mark.parametrize(("scenario", "settings"), NETWORKS, ids=lambda value: str(value)[:40])
def test_nothing_changes_where_nobody_forges(scenario: str, settings: list[str], tmp_path: Path) -> None:
    simulate(SCENARIOS / scenario, tmp_path / "open", *settings)
    simulate(SCENARIOS / scenario, tmp_path / "shut", *settings, DOORS)
    assert raw(tmp_path / "shut") == raw(tmp_path / "open")


@pytest.mark.parametrize(
    ("scenario", "what"),
    [
        ("bypass_torus.yaml", "it belongs to model: interface"),
        ("mesh.yaml", "it belongs to model: interface"),
        ("multirail.yaml", "switches of 'fidelity: event' have no tables of sources"),
        ("multilane.yaml", "sites have no tables of sources"),
    ],
)
def test_chips_without_a_table_are_refused(scenario: str, what: str) -> None:
    assert what in refused(SCENARIOS / scenario, DOORS)
