# SPDX-License-Identifier: Apache-2.0
"""Fat trees of routers: described and drawn, the same whatever their routers are, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from polycast_cli.network import Network
from polycast_cli.reports.drawing import Graph, layout, network_svg
from simulation import SCENARIOS, files, points, said, simulate

SCENARIO = SCENARIOS / "fat_tree.yaml"


def test_is_described_and_drawn_in_rows() -> None:
    text = said("topology", SCENARIO)
    assert "4-ary-3-tree, 32 routers; by level from the hosts: 8 8 16" in text
    assert "64 between routers; 16 between two halves of the hosts" in text
    assert "mean 2.84 links; longest 4" in text
    data = json.loads(said("topology", SCENARIO, "--json"))
    assert (data["kind"], data["arity"], data["levels"]) == ("fat_tree", 4, 3)
    graph = Graph.of(Network.model_validate(data))
    places = layout(graph)
    assert len(set(places.values())) == 64, "no two nodes at one place"
    heights = {name: y for name, (_, y) in places.items()}
    assert len({heights[name] for name in graph.hosts}) == 1
    assert heights["host0"] > heights["router7"] > heights["router8"] > heights["router16"] == heights["router31"]
    assert network_svg(graph).count("<rect") == 32
    assert said("topology", SCENARIO, "--dot").count(" -- ") == 64 + 32


SMALL = (
    "network.topology.nodes=18",
    "network.topology.arity=3",
    "workload=[{name: load, kind: unicast, message: 4 KiB, rate: 0.3}, {name: pairs, kind: unicast, pattern: "
    "each_to_each, message: 700 B}]",
    "measurement.warmup=2000",
    "measurement.window=20000",
)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("tlm", ("network.fidelity=tlm",)),
        ("rtl", ("network.fidelity=rtl",)),
        ("mixed", ("network.fidelity=tlm", "network.chips={router0: rtl, router7: core, router12: rtl}")),
    ],
)
@pytest.mark.parametrize("select", ["least_loaded", "random"])
def test_fidelity_does_not_change_results(tmp_path: Path, name: str, settings: tuple[str, ...], select: str) -> None:
    simulate(SCENARIO, tmp_path / "core", *SMALL, f"router.select={select}")
    core = files(tmp_path / "core")
    simulate(SCENARIO, tmp_path / name, *SMALL, f"router.select={select}", *settings)
    other = files(tmp_path / name)
    assert core.keys() == other.keys()
    assert [path for path in core if core[path] != other[path]] == []
    load, pairs = points(tmp_path / "core")
    assert load.passed and pairs.passed
    assert load.check.delivered > 100
    assert pairs.check.delivered == 18 * 17 * 3


def test_packets_take_the_least_loaded_way_up_unless_told_otherwise(tmp_path: Path) -> None:
    scenario = tmp_path / "tree.yaml"
    scenario.write_text(SCENARIO.read_text().replace(", select: least_loaded", ""))
    own = [*SMALL, "workload=[{name: pairs, kind: unicast, pattern: each_to_each, message: 700 B}]"]
    cycles = {}
    for select in ("default", "auto", "least_loaded", "lowest"):
        more = [] if select == "default" else [f"router.select={select}"]
        simulate(scenario, tmp_path / select, *own, *more)
        (point,) = points(tmp_path / select)
        cycles[select] = point.cycles
    assert cycles["default"] == cycles["auto"] == cycles["least_loaded"] < cycles["lowest"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["network.topology.arity=17"], "'network.topology.arity' must be 2..16, not 17"),
        (["network.topology.levels=2"], "-s network.topology.levels=2: a 4-ary tree of 2 levels has room for 16 nodes"),
        (
            ["network.topology.arity=16", "router.vcs=4"],
            "routers of 32 ports with 4 virtual channels each have more than 64",
        ),
        (["network.topology.radix=4"], "'network.topology.radix' has no meaning with 'kind: fat_tree'"),
        (["router.routing=table"], "'router.routing' has no meaning with 'network.topology.kind: fat_tree'"),
        (["router.dateline=false"], "'router.dateline' has no meaning with 'network.topology.kind: fat_tree'"),
        (["host.model=ideal"], "'host.model: ideal' belongs to meshes and tori"),
        (["workload.load.kind=allgather"], "'kind: allgather' belongs to meshes and tori"),
        (["router.switching=cut_through"], "'router.buffer' of 128 flits does not take a packet of up to 160 flits"),
        (["network.chips={router32: rtl}"], "there is no switch 'router32' in the network"),
    ],
)
def test_refusals(settings: list[str], message: str) -> None:
    options = [part for setting in settings for part in ("-s", setting)]
    error = said("check", SCENARIO, *options, status=2)
    assert message in error
    assert error.count("\n") == 1


def test_a_wrong_key_has_a_place_and_a_proposal(tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    file.write_text("network:\n  topology: {kind: fat_tree, levls: 3}\nworkload: [{name: a, kind: unicast}]\n")
    assert said("check", file, status=2).endswith(
        "tree.yaml:2:30: unknown key 'levls' in 'network.topology'; did you mean 'levels'?\n"
    )
    file.write_text(
        "network:\n  topology: {kind: fat_tree, nodes: 65, levels: 3}\nworkload: [{name: a, kind: unicast}]\n"
    )
    assert "tree.yaml:2:49: a 4-ary tree of 3 levels has room for 64 nodes, not for 65; take 4 levels" in said(
        "check", file, status=2
    )
