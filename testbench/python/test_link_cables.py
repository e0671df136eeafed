# SPDX-License-Identifier: Apache-2.0
"""network.link.cables: cables that differ from the others."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from simulation import SCENARIOS, files, points, refused, said, simulate
from test_link_layer import LAYER

#: Four switches of four ports, eight hosts.
SCENARIO = SCENARIOS / "own_rtl.yaml"
MESH = SCENARIOS / "mesh_interfaces.yaml"
PLAIN = ("network.own_rtl=none", "network.chips={}", "measurement.window=3000")
SHORT = ("measurement.warmup=500", "measurement.window=2000")
MIXED = (
    "network.link.cables={'router0:0': {layer: check, frame: 4}, 'router4:0': {layer: retry, window: 2}, "
    "'router9:0': {layer: none}, 'router6:4': {layer: none}}"
)


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "tables" / "link_layer.csv").open()))


def layers(out: Path) -> list[dict[str, int]]:
    return [point["link_layer"]["layers"] for point in json.loads((out / "results.json").read_text())["points"]]


@pytest.mark.parametrize("layer", ["none", "check", "retry"])
def test_mixed_cables_deliver_the_same(layer: str, tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "bare", *SHORT)
    simulate(MESH, tmp_path / "mixed", *SHORT, f"network.link.layer={layer}", MIXED)
    bare, mixed = points(tmp_path / "bare"), points(tmp_path / "mixed")
    assert len(bare) == len(mixed) > 0
    assert all(point.passed for point in mixed)
    assert [point.check.expected for point in bare][:4] == [point.check.expected for point in mixed][:4]
    own = {"router0:0": "check", "router4:0": "retry"}
    assert all(row["layer"] == own.get(row["cable"], layer) for row in rows(tmp_path / "mixed"))
    # 24 between routers, 16 to hosts.
    count = {"check": 1, "retry": 1}
    if layer != "none":
        count[layer] += 36
    assert layers(tmp_path / "mixed") == [count] * len(mixed)
    assert {row["cable"] for row in rows(tmp_path / "mixed")}.isdisjoint({"router9:0", "router6:4"})


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3"])
def test_mixed_cables_are_the_same_everywhere(setting: str, tmp_path: Path) -> None:
    faults = "faults.links=[{link: 'router4:0', rate: 1e-4}, {link: 'router9:0', rate: 1e-6}]"
    simulate(MESH, tmp_path / "core", *SHORT, LAYER, MIXED, faults, status=None)
    simulate(MESH, tmp_path / "other", *SHORT, LAYER, MIXED, faults, setting, status=None)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_what_a_cable_does_not_say_is_as_for_all(tmp_path: Path) -> None:
    common = (*PLAIN, "network.link.layer=retry", "network.link.replay_count=3", "network.link.frame=16")
    simulate(SCENARIO, tmp_path / "all", *common)
    names = sorted({row["cable"] for row in rows(tmp_path / "all")})
    for name, change in (("bare", "{}"), ("same", "{layer: retry, frame: 16, replay_count: 3}")):
        every = ", ".join(f"'{cable}': {change}" for cable in names)
        simulate(SCENARIO, tmp_path / name, *common, f"network.link.cables={{{every}}}")
        assert files(tmp_path / "all") == files(tmp_path / name)
    # And a layer of their own has the defaults of one for all.
    simulate(SCENARIO, tmp_path / "usual", *PLAIN, LAYER)
    every = ", ".join(f"'{cable}': {{layer: retry}}" for cable in names)
    simulate(SCENARIO, tmp_path / "own", *PLAIN, f"network.link.cables={{{every}}}")
    assert files(tmp_path / "usual") == files(tmp_path / "own")


def test_resolved_scenarios_say_the_same_again(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "one", *SHORT, MIXED)
    simulate(tmp_path / "one" / "scenario.yaml", tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_overrides_and_sweeps_reach_one_cable(tmp_path: Path) -> None:
    simulate(SCENARIO, tmp_path / "one", *PLAIN, "network.link.cables.switch0:0.layer=retry")
    assert {(row["cable"], row["layer"]) for row in rows(tmp_path / "one")} == {("switch0:0", "retry")}
    settings = [
        part
        for setting in (*PLAIN, "network.link.cables.switch0:0.layer=[none, check, retry]")
        for part in ("-s", setting)
    ]
    assert said("sweep", SCENARIO, *settings).count("switch0:0") >= 3


@pytest.mark.parametrize(
    ("cables", "place", "words"),
    [
        ("{'switch1:33': {layer: retry}}", "3:", ["no cable with the lower end 'switch1:33'", "did you mean"]),
        ("{'host3': {layer: retry}}", "3:", ["no cable with the lower end 'host3'", "that cable is 'switch"]),
        ("{'switch0:0': {layer: rety}}", "3:40", ["did you mean 'retry'"]),
        ("{'switch0:0': {framee: 4}}", "3:33", ["unknown key 'framee'", "did you mean 'frame'"]),
        ("{'switch0:0': {frame: 4}}", "3:40", ["no meaning with 'layer: none'", "check or retry"]),
        ("{'switch0:0': {layer: check, window: 4}}", "3:55", ["no meaning with 'layer: check'"]),
        ("{'switch0:0': {layer: retry, replay_timer: 9}}", "3:61", ["without any fault", "take at least"]),
        ("{'switch0:0': {delay: 4}}", "3:33", ["unknown key 'delay'", "network.link.delay"]),
        ("[switch0]", "3:18", ["must be a section of names, not a list"]),
    ],
)
def test_what_cannot_be_is_refused(cables: str, place: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "network:\n  topology: {switches: 4, ports: 4, hosts: 8, instances: 1}\n"
        f"  link: {{cables: {cables}}}\nworkload:\n  - {{name: load, kind: unicast}}\n"
    )
    text = refused(path)
    assert f"{path}:{place}" in text
    for word in words:
        assert word in text, text


@pytest.mark.parametrize(
    ("name", "cable", "words"),
    [
        ("mesh", "router0:0", ["with 'host.model: ideal' cables have no link layer", "leave out"]),
        ("bypass_torus", "router0:0", ["broadcast units send without credits", "leave out"]),
        ("multirail", "rail0.router0:0", ["'network.fidelity: event'", "network.fidelity: core"]),
    ],
)
def test_where_there_are_no_cables_none_has_a_layer(name: str, cable: str, words: list[str]) -> None:
    text = refused(SCENARIOS / f"{name}.yaml", f"network.link.cables={{'{cable}': {{layer: retry}}}}")
    for word in words:
        assert word in text, text


def test_a_single_layered_cable_needs_its_place_in_the_buffer() -> None:
    text = refused(
        SCENARIOS / "first_light.yaml",
        "switch.buffer=176 flit",
        "network.topology.instances=1",
        "network.link.cables={'switch0:3': {layer: retry}}",
    )
    assert "of which the link layer keeps a chunk free" in text
