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


#: One network, in which switch0:3 is a cable.
ONE = "network.topology.instances=1"
REPORTED = "faults.verdict=reported"
FOR_EVER = "faults.events=[{at: 1500, link: 'switch0:3', what: dead}]"


def upset(where: str, index: int = 0, bit: int = 0) -> str:
    return f"faults.events=[{{at: 1500, what: upset, {where}, index: {index}, bit: {bit}}}]"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ((LAYER, "faults.links=[{rate: 0.2}]"), ["faults.links[0].rate", "0..0.1"]),
        ((LAYER, "faults.links=[{link: 'switch1:33', rate: 0.01}]"), ["no link leads away", "did you mean"]),
        ((LAYER, "faults.links=[{rate: 0.01, from: 5, to: 5}]"), ["faults end before they begin"]),
        ((LAYER, "faults.events=[{at: 1, link: all, what: flip, bits: [17]}]"), ["no wire 17", "take 0..16"]),
        ((LAYER, "faults.events=[{at: 9, link: all, what: dead, until: 9}]"), ["ends before it begins", "until"]),
        ((LAYER, "faults.events=[{at: 9, link: all, what: dead}]"), ["dead for ever", "faults.verdict: reported"]),
        (
            (LAYER, FOR_EVER, REPORTED, "network.link.flush_action=block"),
            ["with 'flush_action: block'", "holds its chips for ever", "take 'flush_action: discard'"],
        ),
        (
            (LAYER, FOR_EVER, REPORTED, "network.link.signal_timeout=never"),
            ["with 'signal_timeout: never'", "take 'signal_timeout: auto'"],
        ),
        (
            (LAYER, FOR_EVER, REPORTED, "network.link.cables={'switch0:3': {flush_action: block}}", ONE),
            ["with 'flush_action: block'", "holds its chips"],
        ),
        ((LAYER, "faults.events=[{at: 9, link: all, what: stuck, wire: 3}]"), ["until"]),
        ((LAYER, upset("chip: 'switch0:33', memory: ring")), ["there is no link end at 'switch0:33'", "did you mean"]),
        ((LAYER, upset("chip: all, memory: ring")), ["there is no link end at 'all'"]),
        ((LAYER, upset("chip: 'switch0:3', memory: rings")), ["did you mean 'ring'"]),
        ((LAYER, upset("chip: 'switch0:3', memory: counters", 4)), ["there are 4 counters", "take 0..3"]),
        ((LAYER, upset("chip: 'switch0:3', memory: counters", 3, 20)), ["a counter has 20 bits", "take 0..19"]),
        ((LAYER, upset("chip: 'switch0:3', memory: ring", 99999)), ["the ring has", "99999", "take 0.."]),
        ((LAYER, upset("chip: 'switch0:3', memory: ring", 0, 15)), ["a flit there has 15 bits", "take 0..14"]),
        (
            (LAYER, "protect.rings=secded", upset("chip: 'switch0:3', memory: ring", 0, 22)),
            ["a flit there has 22 bits", "take 0..21"],
        ),
        (
            (LAYER, "protect.counters=parity", upset("chip: 'switch0:3', memory: counters", 3, 23)),
            ["a counter has 23 bits", "take 0..22"],
        ),
        ((LAYER, upset("link: 'switch0:3', memory: ring")), ["no meaning with 'what: upset'"]),
        (
            (
                LAYER,
                "faults.events=[{at: 9, chip: 'switch0:3', what: upset, memory: ring, index: 0, bit: 1}, "
                "{at: 9, chip: 'switch0:3', what: upset, memory: ring, index: 1, bit: 1}]",
            ),
            ["two bits of one link end flip in cycle 9", "another cycle"],
        ),
        (
            (LAYER, "network.link.sequence_bits=4", "faults.events=[{at: 9, link: all, what: frame, number: 16}]"),
            ["there is no frame 16", "take 0..15"],
        ),
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


def test_a_link_that_waits_for_its_register_is_stuck_and_named(tmp_path: Path) -> None:
    dead = "faults.events=[{at: 1500, link: 'router2:2', what: dead, until: 100000}]"
    down = ("network.link.replay_count=1", "network.link.reinit=false", "network.link.flush_action=block")
    short = ("measurement.warmup=500", "measurement.window=3000")
    simulate(MESH, tmp_path / "out", LAYER, dead, *down, *short, status=1)
    stuck = [point for point in raw(tmp_path / "out") if point["outcome"] == "stuck"]
    assert stuck
    for point in stuck:
        assert "the link from router2:2 is down (" in point["diagnosis"]
        assert "until its register 'leave_flush' is written" in point["diagnosis"]
    # And by itself it comes back.
    simulate(MESH, tmp_path / "again", LAYER, dead, "network.link.replay_count=1", *short, status=None)
    assert all("leave_flush" not in point.get("diagnosis", "") for point in raw(tmp_path / "again"))


def test_what_a_host_is_told_of_is_no_failure(tmp_path: Path) -> None:
    check, short = "network.link.layer=check", ("measurement.warmup=500", "measurement.window=2000")
    flips = "faults.links=[{rate: 2e-6}]"
    simulate(MESH, tmp_path / "exact", check, flips, *short, status=1)
    simulate(MESH, tmp_path / "told", check, flips, *short, REPORTED, status=None)
    exact, told = raw(tmp_path / "exact"), raw(tmp_path / "told")
    assert any(not point["passed"] for point in exact)
    seen = 0
    for point in told:
        messages = point["check"]["messages"]
        assert messages["told"] <= messages["missing"]
        if messages["missing"] == messages["told"] > 0:
            assert point["passed"], point["id"]
            assert point["outcome"] == "complete"
            seen += 1
        if messages["missing"] > messages["told"]:
            assert not point["passed"], point["id"]
    assert seen > 0
    # The same, if it is reported by another model.
    simulate(MESH, tmp_path / "tlm", check, flips, *short, REPORTED, "network.fidelity=tlm", status=None)
    simulate(MESH, tmp_path / "three", check, flips, *short, REPORTED, "network.threads=3", status=None)
    assert files(tmp_path / "told") == files(tmp_path / "tlm") == files(tmp_path / "three")


def test_without_faults_the_verdict_is_as_ever(tmp_path: Path) -> None:
    simulate(LIGHT, tmp_path / "one", LAYER, "faults.links=[{rate: 0}]", ONE)
    simulate(LIGHT, tmp_path / "two", LAYER, "faults.links=[{rate: 0}]", ONE, REPORTED)
    first, second = raw(tmp_path / "one"), raw(tmp_path / "two")
    for point in second:
        assert point["check"]["messages"].pop("told") == 0
    assert first == second


def test_a_dead_link_never_hangs(tmp_path: Path) -> None:
    dead = "faults.events=[{at: 1500, link: 'router2:2', what: dead}]"
    short = ("measurement.warmup=500", "measurement.window=2000", "network.link.replay_count=1")
    for layer in ("check", "retry"):
        simulate(MESH, tmp_path / layer, f"network.link.layer={layer}", dead, *short, REPORTED, status=None)
        assert {point["outcome"] for point in raw(tmp_path / layer)} <= {"complete", "stuck"}


def test_verdicts_of_other_kinds_are_refused() -> None:
    said = refused(SCENARIOS / "coding_interfaces.yaml", LAYER, REPORTED, "faults.links=[{rate: 1e-6}]")
    assert "faults.verdict" in said
    assert "take 'exact'" in said


def many_upsets() -> str:
    bits = [(1200 + 7 * at, at % 4, at % 20) for at in range(60)]
    counters = [
        f"{{at: {at}, chip: 'router5:{at % 4}', what: upset, memory: counters, index: {index}, bit: {bit}}}"
        for at, index, bit in bits
    ]
    ring = [
        f"{{at: {at + 3}, chip: 'router6:{at % 4}', what: upset, memory: ring, index: {index}, bit: {bit % 14}}}"
        for at, index, bit in bits
    ]
    return f"faults.events=[{', '.join(counters + ring)}]"


BRIEF = ("measurement.warmup=500", "measurement.window=2000")


@pytest.mark.parametrize("code", ["parity", "secded"])
@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2"])
def test_codes_are_the_same(setting: str, code: str, tmp_path: Path) -> None:
    codes = f"protect={{rings: {code}, counters: {code}}}"
    simulate(MESH, tmp_path / "core", LAYER, many_upsets(), codes, *BRIEF, status=None)
    simulate(MESH, tmp_path / "other", LAYER, many_upsets(), codes, *BRIEF, setting, status=None)
    assert files(tmp_path / "core") == files(tmp_path / "other")
    found = "corrected" if code == "secded" else "soft_errors"
    assert sum(point["link_layer"][found] for point in raw(tmp_path / "core")) > 0


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2"])
def test_upsets_are_the_same(setting: str, tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "core", LAYER, many_upsets(), *BRIEF, status=None)
    simulate(MESH, tmp_path / "other", LAYER, many_upsets(), *BRIEF, setting, status=None)
    assert files(tmp_path / "core") == files(tmp_path / "other")
    kinds = {row["effect"] for row in faults(tmp_path / "core") if row["what"] == "upset"}
    assert kinds == {"flipped", "nothing"}
    assert sum(point["link_layer"]["credit_error"] for point in raw(tmp_path / "core")) > 0
    assert all(point["link_layer"]["down"] == [] for point in raw(tmp_path / "core"))
