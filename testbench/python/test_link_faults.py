# SPDX-License-Identifier: Apache-2.0
"""Faults on wires between link ends: cured by retry, the same for every fidelity and any number of threads."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.common import UserError
from polycast_cli.reports.link_layer import link_pictures
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder
from simulation import SCENARIOS, files, points, refused, simulate
from test_link_layer import LAYER, NAMES, SHORT

RATE = "faults.links=[{rate: 1e-5}]"
MESH = SCENARIOS / "mesh_interfaces.yaml"
LIGHT = SCENARIOS / "first_light.yaml"


def raw(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "results.json").read_text())["points"]
    return found


def faults(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "tables" / "faults.csv").open()))


@pytest.mark.parametrize("name", NAMES)
def test_scenarios_deliver_everything_over_bad_wires(name: str, tmp_path: Path) -> None:
    simulate(SCENARIOS / f"{name}.yaml", tmp_path / "out", *SHORT.get(name, ()), LAYER, RATE)
    assert all(point.passed for point in points(tmp_path / "out"))
    assert sum(point["injected"]["kinds"]["flip"] for point in raw(tmp_path / "out")) > 0
    assert sum(point["link_layer"]["llr_rx_bad"] for point in raw(tmp_path / "out")) > 0


def test_without_retry_something_is_lost(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "out", "network.link.layer=check", RATE, status=1)
    assert any(not point.passed for point in points(tmp_path / "out"))


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.threads=3"])
def test_faults_are_the_same(setting: str, tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "core", LAYER, RATE)
    simulate(MESH, tmp_path / "other", LAYER, RATE, setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_a_seed_decides_alone(tmp_path: Path) -> None:
    simulate(LIGHT, tmp_path / "one", LAYER, RATE)
    simulate(LIGHT, tmp_path / "other", LAYER, RATE, "faults.seed=2", "workload.tree.message=64 B")
    simulate(LIGHT, tmp_path / "same", LAYER, RATE, "faults.seed=1", "workload.tree.message=64 B")
    first, other, same = (faults(tmp_path / name) for name in ("one", "other", "same"))
    assert first[:5] != other[:5]
    assert first[:5] == same[:5], "whatever the traffic"


def test_events_are_recorded_where_they_were(tmp_path: Path) -> None:
    events = (
        "faults.events=["
        "{at: 500, link: all, what: frame, number: 0, loss: vanish, times: 2},"
        "{at: 200, link: 'switch0:3', what: flip, bits: [5, 16]},"
        "{at: 300, link: 'switch0:3', what: dead, until: 700 cycle, retrain: 50 cycle}]"
    )
    simulate(LIGHT, tmp_path / "out", LAYER, events, "network.topology.instances=1")
    rows = [row for row in faults(tmp_path / "out") if row["point"] == "irregular-1/tree"]
    flips = [row for row in rows if row["what"] == "flip"]
    assert [(row["cycle"], row["link"], row["detail"]) for row in flips] == [
        ("200", "switch0:3", "5"),
        ("200", "switch0:3", "16"),
    ]
    dead = [row for row in rows if row["what"] == "dead"]
    assert [(row["cycle"], row["effect"]) for row in dead] == [
        ("300", "began"),
        ("300", "began"),
        ("750", "ended"),
        ("750", "ended"),
    ]
    assert any(row["what"] == "frame" for row in rows)
    assert all(point.passed for point in points(tmp_path / "out"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("network.link.layer=none", RATE), ["faults are on wires between link ends", "network.link.layer: retry"]),
        ((LAYER, "faults.links=[{rate: 0.2}]"), ["faults.links[0].rate", "0..0.1"]),
        ((LAYER, "faults.links=[{link: 'switch1:33', rate: 0.01}]"), ["no link leads away", "did you mean"]),
        ((LAYER, "faults.links=[{rate: 0.01, from: 5, to: 5}]"), ["faults end before they begin"]),
        ((LAYER, "faults.events=[{at: 1, link: all, what: flip, bits: [17]}]"), ["no wire 17", "take 0..16"]),
        ((LAYER, "faults.events=[{at: 9, link: all, what: dead, until: 9}]"), ["ends before it begins", "until"]),
        ((LAYER, "faults.events=[{at: 9, link: all, what: dead}]"), ["until"]),
        ((LAYER, "faults.events=[{at: 9, link: all, what: deadd}]"), ["did you mean 'dead'"]),
        ((LAYER, "faults.events=[{at: 9, link: all, what: lose, bits: [1]}]"), ["bits", "no meaning"]),
    ],
)
def test_faults_that_cannot_be_are_refused(settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(LIGHT, *settings)
    for word in words:
        assert word in said, said


def test_resolved_scenarios_say_the_same_again(tmp_path: Path) -> None:
    event = "faults.events=[{at: 20, link: 'switch0:3', what: set, type: ack, count: all}]"
    simulate(LIGHT, tmp_path / "one", LAYER, RATE, event, "network.topology.instances=1")
    simulate(tmp_path / "one" / "scenario.yaml", tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_report_draws_what_the_table_says(tmp_path: Path) -> None:
    out = tmp_path / "out"
    bad = "faults.links=[{rate: 1e-5}, {link: 'router5:0', rate: 2e-4}]"
    dead = "faults.events=[{at: 5000, link: 'router2:2', what: dead, until: 9000}]"
    simulate(MESH, out, LAYER, bad, dead, "network.link.replay_count=1", "network.link.reinit=false", status=1)
    folder = Folder(out)
    pictures, count = link_pictures(folder, folder.results().points, 3)
    assert len(pictures) == 3
    assert count == len(folder.results().points)
    first = pictures[0]
    rows = {(row["point"], row["end"]): row for row in folder.rows("link_layer")}
    assert len(first.directions) == 80
    for one in first.directions:
        sender, receiver = rows[first.point.id, one.source], rows[first.point.id, one.target]
        assert (one.frames, one.bad) == (int(sender["llr_tx_ok"]), int(receiver["llr_rx_bad"]))
        assert one.down == (sender["tx_state"] != "advance")
    worst = max(first.directions, key=lambda one: one.share)
    assert worst.source == "router5:0"
    assert f"{worst.bad:,} of {worst.frames + worst.resent:,} frames arrived bad" in str(first.svg)
    down = [one.source for one in first.directions if one.down]
    assert set(down) >= {"router2:2"}
    assert f"down at the end of the run: {', '.join(down[:5])}" in first.caption
    assert "<h2>Link layer</h2>" in write_report(out).read_text()

    table = out / "tables" / "link_layer.csv"
    lines = table.read_text().splitlines()
    for damaged in (lines[:2], [lines[0].replace("llr_rx_bad", "x"), *lines[1:]], [lines[0], *(["a,b"] * 4)]):
        table.write_text("\n".join(damaged) + "\n")
        with pytest.raises(UserError):
            link_pictures(folder, [first.point, *folder.results().points], 3)


def test_without_a_link_layer_the_report_says_nothing_of_one(tmp_path: Path) -> None:
    simulate(LIGHT, tmp_path / "out")
    assert "Link layer" not in write_report(tmp_path / "out").read_text()
