# SPDX-License-Identifier: Apache-2.0
"""Check words over the route: made, taken apart and put together again by whoever forwards, in every model."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize(("check", "misdelivered"), [("payload", 1), ("route", 0)])
def test_a_packet_that_goes_astray_is_found_by_the_route(check: str, misdelivered: int, tmp_path: Path) -> None:
    """A bit of the first head's destination flips: the message is for another host, as far as that one can tell."""
    first, transfer, wire = 1, 128 * 3 // 4, 1  # cycles: created, read from host memory, on the pins
    settings = (
        "workload=[{name: one, kind: multicast, scheme: unicasts, source: host0, degree: 15, message: 128 B}]",
        "host.send_overhead=0",
        "host.ni_send=0",
        f"faults.events=[{{at: {first + transfer + wire}, link: host0, what: flip, bits: [{8 * 10}]}}]",
        "faults.verdict=reported",
        f"packet.check={check}",
    )
    simulate(SCENARIOS / "mesh_interfaces.yaml", tmp_path / "out", *settings, status=misdelivered)
    (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    assert point["passed"] == (misdelivered == 0)
    assert point["check"]["messages"]["misdelivered"] == misdelivered


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
