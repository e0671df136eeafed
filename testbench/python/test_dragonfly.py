# SPDX-License-Identifier: Apache-2.0
"""Dragonflies: described, drawn, the same whatever their routers are, refused where wrong; adding one is local."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from polycast_cli.network import Network
from polycast_cli.reports.drawing import Graph, layout, network_svg
from simulation import SCENARIOS, files, points, said, simulate

SCENARIO = SCENARIOS / "dragonfly.yaml"
ROOT = Path(__file__).resolve().parents[2]


def test_is_described_and_drawn() -> None:
    text = said("topology", SCENARIO)
    assert "9 groups of 4 routers" in text
    assert "72, 2 at every router" in text
    assert "54 in groups, 36 between them; 0 open ports" in text
    assert "longest 3" in text
    data = json.loads(said("topology", SCENARIO, "--json"))
    assert (data["kind"], data["groups"], data["routing"]) == ("dragonfly", 9, "minimal")
    graph = Graph.of(Network.model_validate(data))
    assert len(set(layout(graph).values())) == 36 + 72, "no two nodes at one place"
    assert network_svg(graph).count("<rect") == 36
    assert said("topology", SCENARIO, "--dot").count(" -- ") == 54 + 36 + 72


SMALL = (
    "network.topology.hosts=1",
    "network.topology.routers=2",
    "network.topology.links=1",
    "workload=[{name: load, kind: unicast, message: 300 B, rate: 0.3}, {name: pairs, kind: unicast, pattern: "
    "each_to_each, message: 300 B}]",
    "measurement.warmup=500",
    "measurement.window=5000",
)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("tlm", ("network.fidelity=tlm",)),
        ("rtl", ("network.fidelity=rtl",)),
        ("mixed", ("network.fidelity=tlm", "network.chips={router0: rtl, router3: core}")),
    ],
)
@pytest.mark.parametrize("routing", ["minimal", "valiant"])
def test_fidelity_does_not_change_results(tmp_path: Path, name: str, settings: tuple[str, ...], routing: str) -> None:
    common = (*SMALL, f"network.topology.routing={routing}")
    simulate(SCENARIO, tmp_path / "core", *common)
    core = files(tmp_path / "core")
    simulate(SCENARIO, tmp_path / name, *common, *settings)
    other = files(tmp_path / name)
    assert core.keys() == other.keys()
    assert [path for path in core if core[path] != other[path]] == []
    load, pairs = points(tmp_path / "core")
    assert load.passed and pairs.passed
    assert load.check.delivered > 20
    assert pairs.check.delivered == 6 * 5 * 3


def test_a_resolved_scenario_gives_the_same(tmp_path: Path) -> None:
    simulate(SCENARIO, tmp_path / "first", *SMALL, "network.topology.routing=valiant")
    simulate(tmp_path / "first" / "scenario.yaml", tmp_path / "again")
    assert files(tmp_path / "first") == files(tmp_path / "again")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["network.topology.links=9"], "'network.topology.links' must be 1..8, not 9"),
        (
            ["network.topology.groups=10"],
            "-s network.topology.groups=10: 4 routers with 2 global links each join 2..9 groups, not 10; take 9",
        ),
        (["network.topology.routers=30"], "have 33 ports, and there are at most 32"),
        (["network.topology.radix=4"], "'network.topology.radix' has no meaning with 'kind: dragonfly'"),
        (["router.vcs=1"], "can wait for each other in a circle"),
        (["router.vcs=1"], "; take 2, or 'auto'"),
        (["network.topology.routing=valiant", "router.vcs=2"], "; take 3, or 'auto'"),
        (["router.vc_policy=any"], "; take 'keep'"),
        (
            ["network.topology.routing=valiant", "router.vc_classes=1"],
            "packets have 2 classes, and 'router.vc_classes' is 1; take 2, or 'auto'",
        ),
        (["host.model=ideal"], "'host.model: ideal' belongs to meshes and tori"),
        (["network.topology.routing=shortest"], "'network.topology.routing'"),
    ],
)
def test_refusals(settings: list[str], message: str) -> None:
    options = [part for setting in settings for part in ("-s", setting)]
    error = said("check", SCENARIO, *options, status=2)
    assert message in error
    assert error.count("\n") == 1


def test_a_wrong_key_has_a_place(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "network:\n  topology: {kind: dragonfly, hosts: 2,\n             groups: 12}\n"
        "workload: [{name: a, kind: unicast}]\n"
    )
    assert f"{wrong}:3:22: 4 routers with 2 global links each join 2..9 groups, not 12; take 9" in said(
        "check", wrong, status=2
    )


def test_a_key_of_two_kinds_is_two_keys() -> None:
    assert "'network.topology.hosts' must be 1..32, not 64" in said(
        "check", SCENARIO, "-s", "network.topology.hosts=64", status=2
    )
    said(
        "check", SCENARIOS / "first_light.yaml", "-s", "network.topology.hosts=40", "-s", "network.topology.instances=1"
    )


#: Of tests, generated, news, or the guide that takes it for its example.
BESIDE = ("testbench/", "tlm/scenario/keys.md", "CHANGELOG.md", "hw/topology/adding.md")


def test_a_kind_touches_two_files_that_are_not_its_own(sources: Sequence[Path]) -> None:
    others = [
        str(path)
        for path in sources
        if "dragonfly" not in str(path)
        and not str(path).startswith(BESIDE)
        and b"dragonfl" in (ROOT / path).read_bytes().lower()
    ]
    assert others == ["hw/topology/topology.md", "tlm/topologies/kinds.cpp"]
