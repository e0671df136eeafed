# SPDX-License-Identifier: Apache-2.0
"""Faults on wires without a link layer: the control group."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, points, refused, simulate

MESH = SCENARIOS / "mesh_interfaces.yaml"
LIGHT = SCENARIOS / "first_light.yaml"
SHORT = {
    "load": ("measurement.warmup=500", "measurement.window=3000"),
    "mesh_interfaces": ("measurement.warmup=500", "measurement.window=2000"),
    "fat_tree": ("measurement.warmup=500", "measurement.window=2000"),
    "dragonfly": ("measurement.warmup=500", "measurement.window=2000"),
}
#: Switches, worms, routers, coding units, free headers, several interfaces of a host.
NAMES = ["first_light", "mesh_interfaces", "coding_interfaces", "load"]
OWN = (SCENARIOS / "own_rtl.yaml", ("network.own_rtl=none", "network.chips={}", "measurement.window=3000"))


def faults(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "tables" / "faults.csv").open()))


def bare(out: Path) -> dict[str, Any]:
    """All that results hold beside what happened to wires."""
    kept: dict[str, Any] = dict(files(out))
    kept.pop("tables/faults.csv", None)
    results = json.loads(kept.pop("results.json"))
    for point in results["points"]:
        point.pop("injected", None)
    return kept | {"results": results}


@pytest.mark.parametrize("fault", ["links=[{rate: 0}]", "events=[{at: 800000000, link: all, what: lose}]"])
@pytest.mark.parametrize("name", NAMES)
def test_wires_that_nothing_hits_change_nothing(name: str, fault: str, tmp_path: Path) -> None:
    short = SHORT.get(name, ())
    simulate(SCENARIOS / f"{name}.yaml", tmp_path / "none", *short)
    simulate(SCENARIOS / f"{name}.yaml", tmp_path / "spoilt", *short, f"faults.{fault}")
    assert bare(tmp_path / "none") == bare(tmp_path / "spoilt")


@pytest.mark.parametrize("setting", ["network.link.delay=1", "network.link.delay=7"])
@pytest.mark.parametrize("more", ["network.fidelity=tlm", "network.threads=3"])
def test_neither_do_they_with_other_delays_models_and_threads(setting: str, more: str, tmp_path: Path) -> None:
    short = (*SHORT["mesh_interfaces"], setting)
    simulate(MESH, tmp_path / "none", *short)
    simulate(MESH, tmp_path / "spoilt", *short, more, "faults.links=[{link: 'router5:0', rate: 0}]")
    assert bare(tmp_path / "none") == bare(tmp_path / "spoilt")


def test_without_a_layer_single_flips_are_seen(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "out", "faults.links=[{rate: 1e-6}]", status=1)
    assert not all(point.passed for point in points(tmp_path / "out"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", ["1e-6", "3e-5", "1e-3"])
def test_whatever_hits_them_the_run_ends(seed: int, rate: str, tmp_path: Path) -> None:
    short = (
        "watchdog.patience=20000 cycle",
        f"faults.seed={seed}",
        f"faults.links=[{{rate: {rate}, burst: {1 + 3 * seed}}}]",
    )
    simulate(MESH, tmp_path / "mesh", *SHORT["mesh_interfaces"], *short, status=None)
    simulate(OWN[0], tmp_path / "switches", *OWN[1], *short, status=None)
    simulate(LIGHT, tmp_path / "worms", "network.topology.instances=2", *short, status=None)
    for name in ("mesh", "switches", "worms"):
        assert points(tmp_path / name)


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3"])
def test_faults_are_the_same(setting: str, tmp_path: Path) -> None:
    flips = "faults.links=[{rate: 2e-6}]"
    simulate(MESH, tmp_path / "core", *SHORT["mesh_interfaces"], flips, status=None)
    simulate(MESH, tmp_path / "other", *SHORT["mesh_interfaces"], flips, setting, status=None)
    assert faults(tmp_path / "core")
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_chips_in_rtl_see_the_same(tmp_path: Path) -> None:
    flips = "faults.links=[{rate: 3e-6}]"
    simulate(OWN[0], tmp_path / "core", *OWN[1], flips, status=None)
    simulate(OWN[0], tmp_path / "rtl", *OWN[1], flips, "network.fidelity=rtl", status=None)
    assert faults(tmp_path / "core")
    assert files(tmp_path / "core") == files(tmp_path / "rtl")


def test_events_are_recorded_where_they_were(tmp_path: Path) -> None:
    events = (
        "faults.events=["
        "{at: 200, link: 'switch0:3', what: flip, bits: [5, 14]},"
        "{at: 300, link: 'switch0:3', what: dead, until: 700 cycle, retrain: 50 cycle},"
        "{at: 1500, link: 'switch0:3', what: lose_credit},"
        "{at: 1600, link: 'switch0:3', what: double_credit},"
        "{at: 250, link: all, what: stuck, wire: 0, value: 0, until: 260}]"
    )
    simulate(LIGHT, tmp_path / "out", events, "network.topology.instances=1", status=None)
    rows = [row for row in faults(tmp_path / "out") if row["point"] == "irregular-1/tree"]
    flips = [(row["cycle"], row["link"], row["detail"]) for row in rows if row["what"] == "flip"]
    assert flips == [("200", "switch0:3", "5"), ("200", "switch0:3", "14")]
    dead = [(row["cycle"], row["effect"]) for row in rows if row["what"] == "dead"]
    assert dead == [("300", "began"), ("300", "began"), ("750", "ended"), ("750", "ended")]
    assert not (tmp_path / "out" / "tables" / "link_layer.csv").exists()


@pytest.mark.parametrize(
    ("scenario", "settings", "words"),
    [
        (LIGHT, "faults.events=[{at: 1, link: all, what: flip, bits: [20]}]", ["no wire 20", "take 0..19"]),
        (LIGHT, "faults.events=[{at: 1, link: all, what: frame, number: 3}]", ["no frames", "network.link.layer"]),
        (
            LIGHT,
            "faults.events=[{at: 1, link: 'switch0:3', what: set, type: ack}]",
            ["no frames", "network.link.layer"],
        ),
        (LIGHT, "faults.links=[{rate: 0.01, link: 'switch0:33'}]", ["no link leads away", "did you mean"]),
        (LIGHT, "faults.links=[{rate: 0.2}]", ["faults.links[0].rate", "0..0.1"]),
        (LIGHT, "faults.events=[{at: 9, link: all, what: dead}]", ["dead for ever", "faults.verdict: reported"]),
        (
            LIGHT,
            "faults.events=[{at: 9, chip: 'switch0:3', what: upset, memory: ring, index: 0, bit: 0}]",
            ["no link layer, and nothing is stored", "network.link.layer: retry"],
        ),
        (SCENARIOS / "mesh.yaml", "faults.links=[{rate: 0.01}]", ["host.model: ideal", "leave out 'faults'"]),
        (SCENARIOS / "bypass_torus.yaml", "faults.links=[{rate: 0.01}]", ["broadcast units", "leave out 'faults'"]),
        (SCENARIOS / "multirail.yaml", "faults.links=[{rate: 0.01}]", ["event", "leave out 'faults'"]),
        (SCENARIOS / "multilane.yaml", "faults.links=[{rate: 0.01}]", ["no meaning", "leave it out"]),
    ],
)
def test_faults_that_cannot_be_are_refused(scenario: Path, settings: str, words: list[str]) -> None:
    text = refused(scenario, settings)
    for word in words:
        assert word in text, text


def test_packets_are_logged_where_wires_name_channels_that_do_not_exist(tmp_path: Path) -> None:
    network = ROOT / "testbench" / "campaigns" / "mesh_network.yaml"
    top = "{what: stuck, link: all, at: 500 cycle, until: 1500 cycle, wire: 69, value: 1}"
    more = (f"faults.events=[{top}]", "faults.verdict=reported", "trace.packets=true")
    simulate(network, tmp_path / "out", *more, status=1)
    assert list((tmp_path / "out" / "packets").glob("*.sqlite"))
