# SPDX-License-Identifier: Apache-2.0
"""Studies of rails: numbers of allocations, runs with random messages, what was published."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from math import comb
from pathlib import Path

import pytest
import yaml
from fixture_studies import study_of, write_points
from polycast_cli.common import Status, UserError
from polycast_cli.jobs.work import Work
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.claims import load_claims
from polycast_cli.studies.data import Data, Point
from polycast_cli.studies.derived import add_derived
from polycast_cli.studies.measure import TOO_SHORT, Sample, read_result
from polycast_cli.studies.model import STUDIES, Study, load_study, study_file
from polycast_cli.studies.plan import Place, Step, chains_of
from polycast_cli.studies.rails import analysed, ceilings, shares
from polycast_cli.studies.reproduce import Order
from simulation import SIMULATOR

SMALL = """\
name: small
title: A small study of rails
source: its test
replicas: runs
analysis: rails
claims: claims.yaml
efforts:
  quick: {replicas: 2, loaded: 2, messages: 1, warmup: 0, window: 60000}
  full: {replicas: 3, loaded: 3, messages: 1, warmup: 0, window: 200000}
scenario:
  network.topology.kind: fat_tree
  network.topology.arity: 4
  network.topology.nodes: 6
  rails.count: 4
  router.flit: 2 B
  router.vcs: 2
  router.buffer: 128 flit
  router.switching: wormhole
  router.select: least_loaded
  packet.payload: 320 B
  packet.header: free
  host.processes: 2
  host.bus: 2 B/cycle
  host.send_overhead: 0
  host.receive_overhead: 0
  host.ni_send: 50
  host.ni_receive: 50
  ni.arbitration: round_robin
  measurement.warmup: detect
  measurement.drain_limit: 0
  trace.activity: false
models: {events: {label: events, set: {network.fidelity: event}}}
schemes:
  static: {label: static, workload: {policy: static}}
  dynamic: {label: dynamic, workload: {policy: dynamic}}
  dynamic_flits: {label: flits, workload: {policy: dynamic}, set: {network.fidelity: core}}
  difference: {label: difference, of: {series: dynamic}, over: {series: dynamic_flits}}
  needed: {label: needed, reads: algorithm_2}
figures:
  - name: accepted
    title: Accepted
    kind: traffic
    reads: accepted
    x: &loads {key: rate, label: offered, quick: [0.1, 0.7], full: [0.1]}
    series: [static, dynamic, dynamic_flits]
    models: [events]
    workload: &messages {kind: rails, message: 2048}
    panels: [{value: 0, label: all}]
  - name: latency
    title: Latency
    kind: traffic
    reads: latency
    x: *loads
    series: [static, dynamic]
    models: [events]
    workload: *messages
    panels: [{value: 0, label: all}, {value: 1, label: short, set: {measurement.window: 30000}}]
  - name: difference
    title: Difference
    kind: gain
    base: accepted
    unit: "%"
    x: *loads
    series: [difference]
    models: [events]
    panels: [{value: 0, label: all}]
  - name: memory
    title: Memory
    kind: traffic
    reads: accepted
    x: {key: ni.send_memory, label: packets, quick: [8], full: [8]}
    series: [dynamic]
    models: [events]
    set: {ni.send_memory: "{x}", ni.receive_memory: "{x}"}
    workload: {kind: rails, message: 2048, rate: 0.7}
    panels: [{value: 0, label: all}]
  - name: needed
    title: Needed rails
    kind: analysis
    x: {key: nodes, label: nodes, quick: [6, 7], full: [6]}
    series: [needed]
    models: [events]
    panels: [{value: 0, label: all}]
"""

CLAIMS = """\
claims:
  - id: needed
    claim: Six nodes need four rails.
    source: test
    parts:
      - says: rails
        published: "4"
        value: {figure: needed, series: [needed], panel: all, x: 6}
        expect: {equals: 4}
"""


@pytest.fixture
def small(tmp_path: Path) -> Study:
    return study_of(tmp_path, SMALL)


def steps(study: Study, figure: str) -> list[Step]:
    return [step for chain in chains_of(study, study.figure(figure), "quick") for step in chain]


def scenario(step: Step, run: int = 0) -> dict:
    return yaml.safe_load(step.units[run].scenario)


# Allocation


def usable(matrix: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    nodes = range(len(matrix[0]))
    return [
        [[rail for rail, row in enumerate(matrix) if row[x] and not row[y] and x != y] for y in nodes] for x in nodes
    ]


def test_shares_of_a_nodes_rails() -> None:
    matrix = [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    sent, received = shares(usable(matrix), 4)
    # Node 0 reaches node 1 by rail 0, node 2 by rails 0 and 1.
    assert sent[0] == [0.75, 0.25, 0, 0]
    # Node 1 gets that of node 0 by rail 0 and that of node 2 by rail 3.
    assert received[1] == [0.5, 0, 0, 0.5]
    assert all(sum(node) == pytest.approx(1) for node in (*sent, *received))


def test_ceilings_of_static_allocation() -> None:
    matrix = [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    found = ceilings({"matrix": matrix, "rails": 4, "usable_rails": usable(matrix)})
    assert found == {"ceiling": 0.5, "equal_shares": 1 / (4 * 0.75)}
    # Who transmits on three of four rails has one to receive on.
    matrix = [[1, 1], [1, 1], [1, 0], [0, 1]]
    assert ceilings({"matrix": matrix, "rails": 4, "usable_rails": usable(matrix)})["ceiling"] == 0.25


def test_numbers_of_an_allocation() -> None:
    matrix = [[1, 0], [0, 1]]
    answer = {
        "nodes": 2,
        "rails": 2,
        "matrix": matrix,
        "usable_rails": usable(matrix),
        "rails_of_a_pair": {"least": 1, "mean": 1.0, "most": 1},
        "required_rails": {"algorithm_1": 2, "algorithm_2": 2},
    }
    assert analysed(answer) == {
        "nodes": 2,
        "rails": 2,
        "algorithm_1": 2,
        "algorithm_2": 2,
        "least_usable": 1,
        "mean_usable": 1,
        "most_usable": 1,
        "rail_0": 0b10,
        "rail_1": 0b01,
        "ceiling": 0.5,
        "equal_shares": 0.5,
    }


# Runs


def test_every_run_has_random_numbers_of_its_own(small: Study) -> None:
    first = steps(small, "accepted")[0]
    assert [scenario(first, run)["seed"] for run in range(2)] == [1, 2]
    assert [unit.replicas for unit in first.units] == [(1,), (2,)]
    assert scenario(first)["measurement"] == {"warmup": "detect", "window": 60000, "drain_limit": 0}


def test_every_point_is_run_behind_saturation_too(small: Study) -> None:
    assert all(len(chain) == 1 for chain in chains_of(small, small.figure("accepted"), "quick"))


def test_bandwidth_and_latency_are_of_the_same_runs(small: Study) -> None:
    accepted = {step.place.x: step for step in steps(small, "accepted") if step.place.series == "dynamic"}
    latency = {step.place.x: step for step in steps(small, "latency") if step.place.series == "dynamic"}
    assert accepted[0.7].units != latency[0.7].units, "of the panel with a window of its own"
    latency = {
        step.place.x: step
        for step in steps(small, "latency")
        if step.place.series == "dynamic" and step.place.panel == "all"
    }
    assert accepted[0.7].units == latency[0.7].units
    assert (accepted[0.7].reads, latency[0.7].reads) == ("accepted", "latency")


def test_a_panel_may_have_a_window_of_its_own(small: Study) -> None:
    windows = {step.place.panel: scenario(step)["measurement"]["window"] for step in steps(small, "latency")}
    assert windows == {"all": 60000, "short": 30000}


def test_one_place_may_be_several_keys(small: Study) -> None:
    assert scenario(steps(small, "memory")[0])["ni"] == {
        "arbitration": "round_robin",
        "send_memory": 8,
        "receive_memory": 8,
    }


def test_flits_take_longer_than_events(small: Study) -> None:
    weights = {step.place.series: step.units[0].weight for step in steps(small, "accepted")}
    assert weights["dynamic_flits"] > 4 * weights["dynamic"]


def test_a_longer_run_still_detects_its_warmup(small: Study) -> None:
    longer = yaml.safe_load(steps(small, "accepted")[0].units[0].stretched(2).scenario)["measurement"]
    assert longer == {"warmup": "detect", "window": 120000, "drain_limit": 0}


def point(steady: bool = True, **changes: object) -> dict:
    rails = {
        "count": 2,
        "processes": 1,
        "stripes": 0,
        "urgent": 0,
        "offered": 0.7,
        "accepted": 0.35,
        "saturated": True,
        "warmup": {"cut": 4000, "detected": True, "steady": steady},
        "messages": {"created": 20, "delivered": 10, "open": 10},
        "refused": 25,
    }
    return {"latency": {"mean": 5000.0, "count": 9}, "rails": rails, "interfaces": None} | changes


def result_of(tmp_path: Path, small: Study, found: dict) -> object:
    return read_result(write_points(tmp_path / "results", found), steps(small, "accepted")[0].units[0])


def test_numbers_of_a_run(tmp_path: Path, small: Study) -> None:
    result = result_of(tmp_path, small, point())
    sample = result.samples[0]
    assert sample.values == {"offered": 0.7, "accepted": 0.35, "latency": 5000, "refusals": 2.5}
    assert sample.saturated
    assert (result.warmup, result.flagged) == (4000, "")


def test_a_run_whose_warmup_has_no_end_is_flagged(tmp_path: Path, small: Study) -> None:
    assert result_of(tmp_path, small, point(steady=False)).flagged == TOO_SHORT


def test_a_run_without_a_message_has_no_latency(tmp_path: Path, small: Study) -> None:
    found = point(latency={"mean": None, "count": 0})
    found["rails"]["messages"] = {"created": 1, "delivered": 0, "open": 1}
    assert result_of(tmp_path, small, found).samples[0].values == {"offered": 0.7, "accepted": 0.35}


def test_a_difference_is_taken_run_by_run(small: Study) -> None:
    data = Data()
    for series, values in {"dynamic": (0.18, 0.4), "dynamic_flits": (0.2, 0.4)}.items():
        samples = [
            Sample(replica=run, outcome="", latency=None, messages=0, value=value)
            for run, value in enumerate(values, 1)
        ]
        data.add(Point(Place("accepted", "events", "all", series, 0.7), samples))
    add_derived(small, "quick", data)
    found = data.curve("difference", "events", "all", "difference")[0]
    assert found.values("value") == {1: pytest.approx(10), 2: pytest.approx(0)}
    estimate = found.estimate("value")
    assert estimate is not None
    assert estimate.half is not None


def test_only_what_grows_is_hollow_behind_saturation(small: Study) -> None:
    assert {figure.name: figure.grows for figure in small.figures} == {
        "accepted": False,
        "latency": True,
        "difference": False,
        "memory": False,
        "needed": False,
    }


def test_unknown_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'accepted'"):
        study_of(tmp_path, SMALL.replace("reads: accepted", "reads: acepted", 1))


# What was published


def test_every_published_number_is_asked() -> None:
    study = load_study(study_file("multirail"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    needed = {part.value.x: part.expect.equals for part in claims["sperner"].parts}
    for rails in (2, 4, 6, 7, 8, 10):
        most = comb(rails, rails // 2)
        assert (needed[most], needed[most + 1]) == (rails, rails + 1)
    rows = ["10101010", "11001100", "11110000", "01010101", "00110011", "00001111"]
    parts = claims["algorithm_1"].parts
    assert [part.published for part in parts] == rows
    assert [part.expect.equals for part in parts] == [int(row, 2) for row in rows]
    assert [part.says for part in parts] == [f"rail {n}: {row} is {int(row, 2)}" for n, row in enumerate(rows)]
    ceiling = claims["static_ceiling"].parts[0].expect
    assert ceiling.above is not None
    assert ceiling.below is not None
    assert ceiling.above < 3 / 7 < ceiling.below
    assert {part.expect.below for part in claims["half_duplex"].parts} == {0.5}
    assert {"order", "latency", "striping", "seven_rails"} <= claims.keys()


def test_claims_ask_for_all_that_the_sentence_says() -> None:
    study = load_study(study_file("multirail"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    # What is said of loads below or after saturation is asked there: static allocation with four processes accepts 2/7.
    for name in ("order", "latency", "striping", "fastest"):
        claim = claims[name]
        loads = {load for part in claim.parts for load in part.points}
        assert loads, name
        assert all((load < 2 / 7) == ("below saturation" in claim.claim) for load in loads), name
        for part in claim.extras:
            loads = {leaf.x for leaf in part.value.leaves()}
            assert all(load < 2 / 7 for load in loads) or "below saturation" not in part.says, part.says
    # What an estimate gives is not published.
    assert {part.published for part in claims["static_ceiling"].parts} == {""}
    assert [part.says.split(",")[0] for part in claims["seven_rails"].parts] == ["algorithm 2", "algorithm 1"]
    # P is every number of processes of the quick version.
    counts = {part.value.x for part in claims["static_closed"].parts}
    assert counts == set(study.figure("processes").x.quick)
    # The order that is published for flits is asked flit by flit, too.
    for name in ("order", "latency"):
        leaves = [leaf for part in claims[name].extras for leaf in part.value.leaves()]
        assert any(series.endswith("_flits") for leaf in leaves for series in leaf.series), name


def test_the_system_is_that_of_the_publication() -> None:
    study = load_study(study_file("multirail"))
    wanted = {
        "network.topology.nodes": 32,
        "network.topology.arity": 4,
        "rails.count": 7,
        "host.processes": 4,
        "router.vcs": 2,
        "router.buffer": "128 flit",
        "router.flit": "2 B",
        "router.route_delay": 6,
        "host.bus": "2 B/cycle",
        "ni.arbitration": "round_robin",
        "packet.payload": "320 B",
        "measurement.warmup": "detect",
    }
    assert {key: study.scenario[key] for key in wanted} == wanted
    policies = [study.schemes[name].workload["policy"] for name in study.figure("accepted").series]
    assert policies == ["static", "basic", "local_dynamic", "dynamic"]


# From beginning to end


def test_a_small_study_of_rails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducing, "ready", lambda preset: SIMULATOR)
    monkeypatch.setattr(reproducing, "STUDIES", tmp_path)
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    study = study_of(tmp_path, SMALL)
    folder = tmp_path / "out"
    order = Order(study, "quick", folder, study.chosen([]), 2, "the command")
    assert reproducing.reproduce(order) == Status.OK
    rows = {}
    for figure in ("accepted", "latency", "difference", "needed"):
        with (folder / "tables" / f"{figure}.csv").open() as stream:
            for row in csv.DictReader(stream):
                rows[figure, row["panel"], row["series"], float(row["x"])] = row
    for series in ("static", "dynamic", "dynamic_flits"):
        low, high = (rows["accepted", "all", series, x] for x in (0.1, 0.7))
        assert float(low["mean"]) == pytest.approx(0.1, rel=0.25)
        assert float(low["mean"]) < float(high["mean"]) < 0.5
        assert (low["networks"], low["saturated"], high["saturated"]) == ("2", "0", "1")
        assert float(low["ci95"]) > 0
        assert 0 <= float(low["warmup"]) < 60000
    # Flits of a packet, six cycles of routing at each router, firmware at both ends.
    assert float(rows["latency", "all", "static", 0.1]["mean"]) > 1024 + 2 * 50
    assert abs(float(rows["difference", "all", "difference", 0.1]["mean"])) < 10
    assert [float(rows["needed", "all", "needed", nodes]["mean"]) for nodes in (6, 7)] == [4, 5]
    found = json.loads((folder / "verdicts.json").read_text())["claims"][0]
    assert (found["verdict"], found["models"]["events"]["parts"][0]["published"]) == ("holds", "4")
    verdicts = (folder / "verdicts.html").read_text()
    assert '<th scope="col">published</th>' in verdicts
    assert '<th scope="col">runs</th>' in verdicts
    assert "Source: test" in verdicts
    assert "2 runs or more with random messages of their own" in (folder / "report.html").read_text()
    runs = len(list((folder / "runs").iterdir()))
    again = Order(study, "quick", folder, study.chosen([]), 2, "the command")
    monkeypatch.setattr(Work, "run_on", lambda *_: pytest.fail("was there already"))
    assert reproducing.reproduce(again) == Status.OK
    assert len(list((folder / "runs").iterdir())) == runs
