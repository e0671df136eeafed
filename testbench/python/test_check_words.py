# SPDX-License-Identifier: Apache-2.0
"""Check words over the route: made, taken apart and put together again by whoever forwards, in every model."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulation import SCENARIOS, files, points, refused, simulate

ROUTE = "packet.check=route"
#: Worms of every kind and forwarding interfaces, routers, coding units, lists of interfaces.
CASES = {
    "first_light": (),
    "schemes": (),
    "mesh_interfaces": ("measurement.warmup=500", "measurement.window=2000"),
    "coding_interfaces": (),
    "multirail": ("measurement.window=20000",),
}
VALIANT = (
    "network.topology={kind: dragonfly, hosts: 2, routers: 4, links: 2, routing: valiant}",
    "workload=[{name: interfaces, kind: multicast, scheme: ni, degree: 15, message: 1024 B}]",
)


def results(out: Path) -> dict[str, bytes]:
    return {name: text for name, text in files(out).items() if name != "scenario.yaml"}


@pytest.mark.parametrize("name", CASES)
def test_what_check_words_cover_changes_no_result(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS / f"{name}.yaml"
    simulate(scenario, tmp_path / "payload", *CASES[name])
    simulate(scenario, tmp_path / "route", *CASES[name], ROUTE)
    assert results(tmp_path / "payload") == results(tmp_path / "route")
    assert all(point.passed for point in points(tmp_path / "route"))


def test_headers_beside_their_flits(tmp_path: Path) -> None:
    free = (*CASES["mesh_interfaces"], "packet.header=free")
    simulate(SCENARIOS / "mesh_interfaces.yaml", tmp_path / "payload", *free)
    simulate(SCENARIOS / "mesh_interfaces.yaml", tmp_path / "route", *free, ROUTE)
    assert results(tmp_path / "payload") == results(tmp_path / "route")


@pytest.mark.parametrize("fidelity", ["tlm", "rtl"])
def test_coding_units_of_every_model_make_them(fidelity: str, tmp_path: Path) -> None:
    scenario = SCENARIOS / "coding_interfaces.yaml"
    simulate(scenario, tmp_path / "core", ROUTE)
    simulate(scenario, tmp_path / "other", ROUTE, f"network.fidelity={fidelity}")
    assert files(tmp_path / "core") == files(tmp_path / "other")


@pytest.mark.parametrize("check", ["payload", "route"])
def test_forwarding_where_each_interface_draws_a_path(check: str, tmp_path: Path) -> None:
    """The class of virtual channels, which check words cover, changes with the path."""
    simulate(SCENARIOS / "dragonfly.yaml", tmp_path / "out", *VALIANT, f"packet.check={check}")
    (point,) = points(tmp_path / "out")
    assert point.passed
    assert point.check.delivered == point.check.expected > 100


def test_sites_have_none() -> None:
    assert "'packet.check' has no meaning" in refused(SCENARIOS / "multilane.yaml", ROUTE)
