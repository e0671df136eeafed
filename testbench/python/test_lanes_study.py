# SPDX-License-Identifier: Apache-2.0
"""The study of broadcasts over lanes: closed forms beside simulated times."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import pytest
import yaml
from fixture_studies import study_of
from polycast_cli.common import Status
from polycast_cli.provenance import Provenance
from polycast_cli.reports.curves import Knot, Line, binary, curves, standalone
from polycast_cli.results_of_kinds import Lanes
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.claims import Claim, judge, load_claims
from polycast_cli.studies.data import Data, Point
from polycast_cli.studies.described import described
from polycast_cli.studies.lanes import analysed, costs, made, run_weight
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import STUDIES, Study, load_study, study_file
from polycast_cli.studies.plan import Place, chains_of
from polycast_cli.studies.reproduce import Order
from simulation import SIMULATOR

SMALL = """\
name: multilane
title: A small study of lanes
source: its test
replicas: none
analysis: multilane
efforts:
  quick: {replicas: 1, loaded: 1, messages: 1, warmup: 0, window: 1}
  full: {replicas: 1, loaded: 1, messages: 1, warmup: 0, window: 1}
scenario: {name: lanes}
models: {lanes: {label: lanes}}
schemes:
  binary: {label: binary tree, reads: piecewise_binary, colour: 2}
  binary_form: {label: "binary tree, closed form", reads: closed_form_binary, colour: 2, dashed: true}
  chain_printed: {label: "chain, as printed", reads: printed_form_chain}
  times: {label: binary tree over its form, of: {series: binary}, over: {series: binary_form}}
  later: {label: binary tree less its form, of: {series: binary}, over: {series: binary_form}}
figures:
  - name: forms
    title: Closed forms
    kind: analysis
    unit: s
    log: true
    x: {key: bytes, label: message, log: true, binary: true, quick: [65536, 1048576, 32000000], full: [65536]}
    series: [binary, binary_form, chain_printed]
    models: [lanes]
    panels:
      - {value: 1, label: one site, workload: {nodes: 32}}
      - {value: 2, label: two sites, workload: {nodes: 32, sites: 2}}
  - name: times
    title: Times the form
    kind: ratio
    base: forms
    unit: times
    x: {key: bytes, label: message, log: true, binary: true, quick: [65536, 1048576, 32000000], full: [65536]}
    series: [times]
    models: [lanes]
    panels: [{value: 1, label: one site}]
  - name: later
    title: Later than the form
    kind: difference
    base: forms
    unit: ms
    x: {key: bytes, label: message, log: true, binary: true, quick: [65536, 32000000], full: [65536]}
    series: [later]
    models: [lanes]
    panels: [{value: 1, label: one site}]
"""


@pytest.fixture
def small(tmp_path: Path) -> Study:
    return study_of(tmp_path, SMALL)


# Charts


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1, "1 B"),
        (1000, "1 kB"),
        (1024, "1 KiB"),
        (65536, "64 KiB"),
        (1 << 20, "1 MiB"),
        (3 << 29, "1,536 MiB"),
        (1 << 31, "2 GiB"),
        (32_000_000, "32 MB"),
        (100_000, "100 kB"),
    ],
)
def test_bytes_are_said_in_their_unit(value: float, said: str) -> None:
    assert binary(value) == said


def test_formulas_are_dashed_and_have_no_points() -> None:
    knots = [Knot(1024, 1.0), Knot(65536, 2.0)]
    lines = [Line("simulated", 0, knots), Line("closed form", 0, knots, dashed=True)]
    page = curves(lines, "message", "s", "t", True, False, binary)
    assert page.count('class="line dashed s0"') == 1
    assert page.count("<circle") == 2, "of the simulated curve"
    assert ">64 KiB<" in page
    alone = standalone(page, lines)
    assert alone.count(">simulated<") == 1
    assert ">closed form<" not in alone
    # Colours of series fill, too: what is not to be filled is said by a stronger rule.
    assert "path.line { fill: none" in alone
    assert ".knot.hollow { fill" in alone


# Answers


def test_numbers_of_an_answer() -> None:
    answer = {
        "seconds": {"chain": 4.0, "multi_lane": 0.1376},
        "printed_seconds": {"chain": None, "multi_lane": None},
        "derived_seconds": {"chain": None, "multi_lane": 0.15},
        "model_seconds": {"chain": 4.1, "multi_lane": 0.14},
        "depth": {"chain": 31, "multi_lane": 5},
    }
    assert analysed(answer) == pytest.approx(
        {
            "closed_form_chain": 4000.0,
            "closed_form_multi_lane": 137.6,
            "derived_form_multi_lane": 150.0,
            "piecewise_chain": 4100.0,
            "piecewise_multi_lane": 140.0,
        }
    ), "in ms"


def test_numbers_of_a_broadcast() -> None:
    seconds = {"closed_form": 0.1, "printed_form": None, "piecewise": 0.12, "model": 0.13}
    found = {"seconds": 0.131, "nodes": {"mean": 0.1, "min": 0.05, "max": 0.131, "last": "host9"}} | seconds
    lanes = {"sites": [32]}
    values = made(Lanes.model_validate(lanes | {"broadcast": found | {"packet_hops": 7}}))
    assert values == pytest.approx(
        {"time": 131, "mean": 100, "first": 50, "closed_form": 100, "piecewise": 120, "model": 130}
    )
    values = made(Lanes.model_validate(lanes | {"broadcast": found | {"seconds": None, "nodes": None}}))
    assert "time" not in values, "it did not end"


def test_numbers_of_streams() -> None:
    streams = {"bandwidth": 5e6, "share": 0.04, "formula": 5e6, "formula_share": 0.0401}
    lanes = Lanes.model_validate({"sites": [16, 16], "streams": streams})
    assert made(lanes) == pytest.approx({"share": 4, "formula_share": 4.01})


def test_processor_seconds_are_read_beside() -> None:
    cost = {"cpu_seconds": 3.5, "cpu_seconds_per_gigabyte": None, "delivered_bytes": 7}
    run = Provenance.model_validate({"points": {"sites-32/lanes": cost}})
    assert costs(run, "sites-32/lanes") == {"cpu_seconds": 3.5}
    assert costs(Provenance(), "sites-32/lanes") == {}


def test_longer_broadcasts_to_more_nodes_weigh_more() -> None:
    settings = {"network.topology.sites": [16, 16]}
    weights = [run_weight(settings, {"message": f"{size} B"}) for size in (1024, 1 << 20, 1 << 27)]
    assert weights == sorted(weights)
    assert weights[2] > 4 * run_weight({"network.topology.sites": [4]}, {"message": f"{1 << 27} B"})
    assert run_weight(settings, {"streams": 3}) > 0


def test_series_share_an_answer(small: Study) -> None:
    steps = [chain[0] for chain in chains_of(small, small.figure("forms"), "quick")]
    at = [step for step in steps if step.place.x == 65536 and step.place.panel == "two sites"]
    assert len({step.units for step in at}) == 1
    assert yaml.safe_load(at[0].units[0].scenario) == {"analyse": {"nodes": 32, "sites": 2, "bytes": 65536}}


# What was published


def test_every_published_conclusion_is_asked() -> None:
    study = load_study(study_file("multilane"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    published = {name: [part.published for part in claim.parts] for name, claim in claims.items()}
    assert published["binary_one"] == ["about 2"] * 2
    assert published["binomial_one"] == ["about 4"] * 2
    assert published["chain_behind"] == ["about 50"] * 4
    assert published["behind_chain"] == ["below 1"] * 2 + ["above 1"] * 2 + ["below 1"] * 2 + ["above 1"] * 2
    assert published["binary_two"] == ["about 3"] * 4
    assert published["binomial_two"] == ["about 4"] * 4
    known = [part.expect for part in claims["known"].parts]
    assert [bool(e.above < ms < e.below) for e, ms in zip(known, [137.6, 265.6] * 2, strict=True)] == [True] * 4
    assert set(published["known"]) == {""}, "they are of an independent estimate"
    assert published["one_stream"] == ["4"] * 2
    assert set(published["many_streams"]) == {"> 90"}
    assert {"chain_tends", "small_one", "small_two"} <= claims.keys()


def test_claims_ask_for_all_that_the_sentence_says() -> None:
    study = load_study(study_file("multilane"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    # What tends to something comes nearer with size.
    assert any(part.value.of and part.value.of.x > part.value.over.x for part in claims["chain_tends"].parts)
    # "Small" is the same on one site and on two.
    small = [{part.value.of.x for part in claims[name].parts} for name in ("small_one", "small_two")]
    assert small == [{1024, 65536}] * 2
    # "Within" has two sides.
    for name in ("forms_hold", "events_fit", "chain_behind"):
        sides: dict[str, set[str]] = {}
        for part in claims[name].parts:
            sides.setdefault(part.case, set()).add(part.reduce)
        assert set(map(frozenset, sides.values())) == {frozenset({"min", "max"})}, name
    # Of events the sentence says up to 64 KiB, for each way to broadcast; longer messages are another matter.
    events = claims["events_fit"].parts
    assert all(part.points and min(part.points) >= 1024 and max(part.points) <= 65536 for part in events)
    assert len({part.case for part in events}) == 10
    assert set(claims["events_fit"].reasons) >= {"fails", "depends"}


def test_large_messages_are_in_both_depths() -> None:
    figure = load_study(study_file("multilane")).figure("time")
    for depth in ("quick", "full"):
        for panel in figure.panels[:2]:
            assert {1024, 1 << 20, 1 << 27} <= set(figure.points_of(panel, depth))  # type: ignore[arg-type]
    assert [panel.set["network.topology.sites"] for panel in figure.panels] == [[32], [16, 16], [32]]


# From beginning to end


def test_a_small_study_of_closed_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducing, "ready", lambda preset: SIMULATOR)
    study = study_of(tmp_path, SMALL)
    folder = tmp_path / "out"
    assert reproducing.reproduce(Order(study, "quick", folder, study.chosen([]), 2, "the command")) == Status.OK
    rows = {}
    for figure in ("forms", "times", "later"):
        with (folder / "tables" / f"{figure}.csv").open() as stream:
            for row in csv.DictReader(stream):
                rows[figure, row["panel"], row["series"], row["x"]] = float(row["mean"] or "nan")
    assert rows["forms", "one site", "binary_form", "32000000"] == pytest.approx(265.6), "ms"
    assert rows["forms", "one site", "chain_printed", "32000000"] == pytest.approx(4027.52)
    assert math.isnan(rows["forms", "two sites", "chain_printed", "32000000"]), "nothing is printed"
    model = rows["forms", "one site", "binary", "32000000"]
    assert model > 265.6
    assert rows["times", "one site", "times", "32000000"] == pytest.approx(model / 265.6)
    assert rows["later", "one site", "later", "32000000"] == pytest.approx(model - 265.6)
    assert ("later", "one site", "later", "1048576") not in rows, "no point there"
    page = (folder / "report.html").read_text()
    assert 'class="line dashed s2"' in page
    legend = re.findall(r'<ul class="legend">(.*?)</ul>', page, re.DOTALL)[0]
    assert "binary tree" in legend
    assert "binary tree, closed form" not in legend
    assert '<th scope="col">32 MB</th>' in page


def test_parts_say_lengths_in_binary_units() -> None:
    study = load_study(study_file("multilane"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    said = described(claims["binary_one"].parts[0], study)
    assert said.endswith("; 32 nodes on one site; message: 128 MiB")


def test_the_place_that_decides_is_said_in_binary_units(small: Study) -> None:
    data = Data()
    for x, value in ((65536, 1.0), (1 << 20, 3.0), (32_000_000, 2.0)):
        samples = [Sample(replica=1, outcome="", latency=None, messages=0, value=value)]
        data.add(Point(Place("forms", "lanes", "one site", "binary", x), samples))
    part = {"figure": "forms", "series": ["binary"], "panel": "one site"}
    parts = [{"says": "most", "value": part, "reduce": "max", "expect": {"below": 4}}]
    claim = Claim.model_validate({"id": "c", "claim": "It is so.", "source": "test", "parts": parts})
    assert judge(claim, small, data, "quick").answers["lanes"][0].where == "one site; message: 1 MiB"
