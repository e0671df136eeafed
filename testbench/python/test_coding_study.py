# SPDX-License-Identifier: Apache-2.0
"""Studies of analyses and allgathers: answers with many numbers, published numbers beside delivered ones."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import yaml
from fixture_studies import study_of
from polycast_cli.common import Status, UserError
from polycast_cli.reports.curves import BOTTOM, TOP, Knot, Line, curves, log_scale, short
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.claims import Claim, Expectation, judge, load_claims
from polycast_cli.studies.data import Data, Point
from polycast_cli.studies.described import described
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import STUDIES, Study, load_study, study_file
from polycast_cli.studies.pages import claim_json, summary
from polycast_cli.studies.plan import Place, Step, chains_of
from polycast_cli.studies.reproduce import Order
from polycast_cli.studies.statistics import estimate
from simulation import SIMULATOR

CODING = """\
name: coding
title: A small study of coding
source: its test
replicas: none
efforts:
  quick: {replicas: 1, loaded: 1, messages: 1, warmup: 0, window: 1}
  full: {replicas: 1, loaded: 1, messages: 1, warmup: 0, window: 1}
scenario:
  name: coding
  host.model: ideal
  network.topology.kind: mesh
  network.topology.radix: 4
  network.topology.dimensions: 2
models: {routers: {label: routers}}
recounts: {delivered: published, coded: coded_published}
schemes:
  delivered: {label: delivered, reads: delivered, colour: 3}
  published: {label: published, reads: as_published}
  floor: {label: floor, reads: floor}
  coded: {label: coding, workload: {algorithm: coded}}
  coded_published: {label: "coding, as published", workload: {algorithm: coded, accounting: as_published}}
  tree: {label: tree, workload: {algorithm: tree, group: null, base: null}}
figures:
  - &hops
    name: hops
    title: Hops
    kind: analysis
    unit: hops
    log: true
    x: {key: group, label: group, log: true, quick: [2, 4], full: [2, 4, 8]}
    series: [delivered, published, floor]
    models: [routers]
    panels: [{value: 4, label: 4-ary, workload: {k: 4, base: tree, torus: false}}]
  - <<: *hops
    name: share
    per: base
  - name: counted
    title: Hops in the simulation
    kind: allgather
    unit: hops
    reads: flit_hops
    x: {key: group, label: group, log: true, quick: [2, 4], full: [2, 4]}
    series: [coded, coded_published, tree]
    models: [routers]
    panels: [{value: 4, label: 4-ary, workload: {base: tree}}]
"""

CLAIMS = """\
claims:
  - id: hops
    claim: Coding takes as many hops.
    source: test
    parts:
      - {says: analysed, published: "many", value: {figure: hops, series: [delivered], x: 4}, expect: {below: 280}}
      - {says: simulated, value: {figure: counted, series: [coded], x: 4}, expect: {below: 280}}
      - {says: floor, value: {figure: hops, series: [floor], x: 4}, expect: {equals: 240}}
    extras:
      - {says: many, value: {figure: hops, series: [delivered], x: 4}, expect: {above: 280}}
      - {says: best group, value: {figure: hops, series: [delivered], panel: 4-ary}, reduce: argmin}
"""


@pytest.fixture
def coding(tmp_path: Path) -> Study:
    return study_of(tmp_path, CODING)


# Plans


def test_series_that_differ_in_what_they_read_share_an_answer(coding: Study) -> None:
    steps = [chain[0] for chain in chains_of(coding, coding.figure("hops"), "quick")]
    at_two = [step for step in steps if step.place.x == 2]
    assert len({step.units for step in at_two}) == 1
    assert [step.reads for step in at_two] == ["delivered", "as_published", "floor"]
    assert all(step.units[0].analysis for step in steps)
    assert yaml.safe_load(steps[0].units[0].scenario) == {
        "analyse": {"k": 4, "base": "tree", "torus": False, "group": 2}
    }


def test_null_takes_a_key_away(coding: Study) -> None:
    steps = [chain[0] for chain in chains_of(coding, coding.figure("counted"), "quick")]
    tree = [step for step in steps if step.place.series == "tree"]
    assert tree[0].units == tree[1].units
    workload = yaml.safe_load(tree[0].units[0].scenario)["workload"]
    assert workload == [{"name": "allgather", "kind": "allgather", "algorithm": "tree"}]


def test_an_axis_may_be_a_key_of_the_scenario(tmp_path: Path) -> None:
    study = study_of(
        tmp_path, CODING.replace("key: group, label: group, log: true, quick: [2, 4], full: [2, 4]}",
                                 "key: network.topology.radix, label: k, quick: [4, 8], full: [4]}")
    )  # fmt: skip
    steps = [chain[0] for chain in chains_of(study, study.figure("counted"), "quick")]
    found = [yaml.safe_load(step.units[0].scenario)["network"]["topology"] for step in steps[:2]]
    assert [topology["radix"] for topology in found] == [4, 8]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("reads: delivered", "reads: deliverd", "did you mean 'delivered'?"),
        ("reads: flit_hops", "reads: hops_E", "figure counted: reads"),
        ("per: base", "per: bass", "did you mean 'base'?"),
        ("{delivered: published,", "{delivered: publish,", "recounts"),
    ],
)
def test_bad_studies_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in CODING
    with pytest.raises(UserError) as error:
        study_of(tmp_path, CODING.replace(old, new, 1))
    assert said in str(error.value)


# Verdicts


def test_a_number_to_be_met() -> None:
    wanted = Expectation(equals=2703360)
    assert wanted.text() == "2,703,360"
    assert wanted.status(estimate([2703360.0])) == "holds"
    assert wanted.status(estimate([2703361.0])) == "fails"


def values(study: Study, found: dict[tuple[str, str], float]) -> Data:
    data = Data()
    for (figure, series), value in found.items():
        place = Place(figure, "routers", "4-ary", series, 4)
        data.add(Point(place, [Sample(replica=1, outcome="analysed", latency=None, messages=0, value=value)]))
    return data


def test_delivered_decides_and_the_recount_is_told(coding: Study) -> None:
    part = {"says": "share", "published": "0.5", "expect": {"below": 0.6}}
    part["value"] = {"of": {"figure": "hops", "series": ["delivered"], "x": 4}} | {
        "over": {"figure": "hops", "series": ["floor"], "x": 4}
    }
    claim = Claim.model_validate({"id": "c", "claim": "It is so.", "source": "test", "parts": [part]})
    data = values(coding, {("hops", "delivered"): 90, ("hops", "published"): 50, ("hops", "floor"): 100})
    judgement = judge(claim, coding, data, "quick")
    assert judgement.verdict == "fails"
    assert judgement.recounted == "holds"
    assert summary(judgement, coding) == "Counted as published it holds, delivered it does not hold."
    part["value"] = {"figure": "hops", "series": ["floor"], "x": 4}
    plain = Claim.model_validate({"id": "c", "claim": "It is so.", "source": "test", "parts": [part]})
    assert judge(plain, coding, data, "quick").recounted is None


def two_groups(study: Study, found: dict[str, tuple[float, float]]) -> Data:
    """Hops by series, of groups of 2 and of 4."""
    data = Data()
    for series, pair in found.items():
        for x, value in zip((2, 4), pair, strict=True):
            place = Place("hops", "routers", "4-ary", series, x)
            data.add(Point(place, [Sample(replica=1, outcome="", latency=None, messages=0, value=value)]))
    return data


def claim_with(**fields: object) -> Claim:
    return Claim.model_validate({"id": "c", "claim": "It is so.", "source": "test"} | fields)


def hops_of(series: str, x: int, **fields: object) -> dict[str, object]:
    value = {"figure": "hops", "series": [series], "panel": "4-ary", "x": x}
    return {"says": f"{series} at {x}", "value": value, "expect": {"below": 100}} | fields


def test_extras_are_shown_and_do_not_judge(coding: Study) -> None:
    data = two_groups(coding, {"delivered": (90, 110), "published": (50, 60), "floor": (40, 40)})
    extras = [hops_of("delivered", 4), hops_of("floor", 2), hops_of("floor", 4, expect=None)]
    judgement = judge(claim_with(parts=[hops_of("delivered", 2)], extras=extras), coding, data, "quick")
    assert judgement.verdict == "holds"
    assert judgement.alternatives == ["delivered at 4"]
    assert summary(judgement, coding).endswith("Asked in other ways it does not hold: delivered at 4.")
    said = claim_json(judgement, coding)
    assert said["alternatives"] == ["delivered at 4"]
    shown = said["models"]["routers"]["extras"]
    assert [part["verdict"] for part in shown] == ["does not hold", "holds", ""]
    assert (shown[0]["mean"], shown[2]["mean"], shown[2]["expected"]) == (110, 40, {})
    failed = judge(claim_with(parts=[hops_of("delivered", 4)], extras=extras), coding, data, "quick")
    assert (failed.verdict, failed.alternatives) == ("fails", ["floor at 2"])
    with pytest.raises(ValueError, match="'floor at 2' expects nothing"):
        claim_with(parts=[hops_of("floor", 2, expect=None)])


def test_parts_of_one_case_have_to_hold_together(coding: Study) -> None:
    data = two_groups(coding, {"delivered": (90, 110), "published": (50, 60), "floor": (400, 40)})
    parts = [hops_of(series, x, case=f"groups of {x}") for x in (2, 4) for series in ("delivered", "floor")]
    judgement = judge(claim_with(parts=parts, cases=True), coding, data, "quick")
    assert judgement.verdict == "fails"
    assert judgement.recounted == "depends"
    assert summary(judgement, coding) == (
        "Counted as published it depends, delivered it does not hold. "
        "As published: Does not hold: groups of 2; holds: groups of 4."
    )
    each = [part | {"case": ""} for part in parts]
    assert judge(claim_with(parts=each, cases=True), coding, data, "quick").verdict == "depends"
    with pytest.raises(ValueError, match="two cases are called 'floor at 2'"):
        claim_with(parts=[hops_of("floor", 2)] * 2, cases=True)


@pytest.mark.parametrize(("reduce", "best"), [("argmin", 4), ("argmax", 2)])
def test_a_number_may_be_the_place_of_the_least_or_largest(coding: Study, reduce: str, best: int) -> None:
    data = two_groups(coding, {"floor": (90, 50)})
    part = {"says": "group", "value": {"figure": "hops", "series": ["floor"]}, "reduce": reduce}
    for wanted, verdict in ((best, "holds"), (6 - best, "fails")):
        claim = claim_with(parts=[part | {"expect": {"equals": wanted}}])
        assert judge(claim, coding, data, "quick").verdict == verdict


def test_parts_say_what_they_measure(coding: Study) -> None:
    def said(**part: object) -> str:
        return described(claim_with(parts=[{"says": "", "expect": {"below": 1}} | part]).parts[0], coding)

    two = {"figure": "hops", "panel": "4-ary", "of": ["delivered"], "over": ["floor"]}
    assert said(value=two | {"x": 2}) == "delivered over floor; Hops, hops; 4-ary; group: 2"
    assert said(value=two, reduce="max", points=[2, 4]) == (
        "largest of delivered over floor; Hops, hops; 4-ary; group: each of 2, 4"
    )
    places = {"figure": "hops", "panel": "4-ary", "series": ["delivered"], "of": {"x": 2}, "over": {"x": 4}}
    assert said(value=places) == (
        "delivered (Hops, hops; 4-ary; group: 2) over delivered (Hops, hops; 4-ary; group: 4)"
    )
    best = {"figure": "hops", "series": ["delivered", "floor"]}
    assert said(value=best, reduce="argmin") == (
        "where it is least: least of delivered | floor; Hops, hops; each panel; group: each"
    )


def units_of(claim: Claim, study: Study) -> set[str]:
    return {study.figure(leaf.figure).unit for part in claim.parts for leaf in part.value.leaves()}


def test_claims_ask_for_the_metric_of_the_sentence() -> None:
    """What is said of time is judged in cycles, what is said of hops in hops."""
    study = load_study(study_file("network-coding"))
    claims = coding_claims()
    for name in ("small_networks", "best_group_cycles", "coding_time", "combining_time", "large_time"):
        assert units_of(claims[name], study) == {"cycles"}, name
    for name in ("recursion", "worst_group", "placement", "large_tree", "large_all_at_once"):
        assert units_of(claims[name], study) == {"hops"}, name


@pytest.mark.parametrize(
    "name",
    ["small_networks", "recursion", "worst_group", "placement", "coding_time", "combining_time", "times_together"],
)
def test_claims_that_name_no_base_ask_for_both(name: str) -> None:
    panels = {leaf.panel for part in coding_claims()[name].parts for leaf in part.value.leaves()}
    assert {"all-at-once" in panel for panel in panels} == {True, False}
    assert all("tree" in panel or "all-at-once" in panel for panel in panels)


def test_both_placements_are_asked_for_the_most_that_coding_saves() -> None:
    value = coding_claims()["large_all_at_once"].parts[0].value
    assert value.over is not None
    assert (value.over.series, value.over.pick) == (["best", "best_centre"], "min")


def test_a_claim_whose_recount_is_not_drawn_is_refused(tmp_path: Path) -> None:
    study = study_of(tmp_path, CODING.replace("[delivered, published, floor]", "[delivered, floor]"))
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS)
    with pytest.raises(UserError, match="recount: no 'published'"):
        load_claims(path, study)


#: What the publication says in numbers, by claim. Everything else is of closed forms, of the recount, or in words.
PUBLISHED = {
    "tree_hops": ["2.7 million"],
    "coding_hops_32": ["0.67 million", "75 % less"],
    "large_tree": ["94 % fewer"],
    "large_all_at_once": ["32 times fewer"],
    "geometry": ["1", "2", "4", "6", "10", "14", "22", "28", "26", "22", "18", "10", "2", "1"],
    "best_group_16": ["32"],
    "best_group_4": ["4", "4"],
    "best_group_cycles": ["32"] * 4,
    "coding_time": ["1,276"] * 4,
    "combining_time": ["1,832"] * 4,
    "times_together": ["1,276", "1,832"] * 4,
    "faster_than_combining": ["1,276 against 1,832"] * 4,
    "faster_than_tree": ["53 % less"] * 2,
    "large_time": ["70 % less", "70 % less"],
    "large_time_all_at_once": ["three times less", "three times less"],
}


def coding_claims() -> dict[str, Claim]:
    study = load_study(study_file("network-coding"))
    return {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}


def test_every_published_number_is_asked() -> None:
    asked = {
        name: [part.published for part in claim.parts if part.published] for name, claim in coding_claims().items()
    }
    assert {name: numbers for name, numbers in asked.items() if numbers} == PUBLISHED


def test_what_is_published_in_words_is_asked() -> None:
    said = {"below_floor": "N(N - 1)", "small_networks": "little gain up to 8-ary", "recursion": "marginal"}
    said |= {"sources": "number of sources", "worst_group": "M = 2 is the worst", "xor_latency": "hardly matter"}
    claims = coding_claims()
    assert {name for name, words in said.items() if words in claims[name].claim} == set(said)


@pytest.mark.parametrize(
    ("claim", "part", "number"),
    [
        ("coding_hops_32", 0, 670_000),
        ("coding_hops_32", 1, 0.25),
        ("large_tree", 0, 0.06),
        ("large_all_at_once", 0, 32),
        ("coding_time", 0, 1276),
        ("combining_time", 0, 1832),
        ("faster_than_tree", 2, 0.47),
        ("large_time", 0, 0.30),
        ("large_time_all_at_once", 0, 3),
    ],
)
def test_published_numbers_are_met_within_a_tenth(claim: str, part: int, number: float) -> None:
    expect = coding_claims()[claim].parts[part].expect
    assert (expect.below, expect.above) != (None, None)
    assert expect.below in (None, pytest.approx(1.1 * number, rel=1e-3))
    assert expect.above in (None, pytest.approx(0.9 * number, rel=1e-3))


# Values and charts


def test_a_share_is_a_quotient_of_one_answer(coding: Study) -> None:
    from polycast_cli.studies.data import read

    place = Place("share", "routers", "4-ary", "delivered", 4)
    sample = Sample(replica=1, outcome="", latency=None, messages=0, values={"delivered": 30.0, "base": 40.0})
    assert read(sample, Step(place, (), "delivered", "base")).value == 0.75
    assert read(sample, Step(place, (), "delivered")).value == 30
    assert read(sample, Step(place, ())).value is None


def test_short_numbers() -> None:
    assert [short(value) for value in (0.5, 200, 2000, 5e7, 1e12)] == ["0.5", "200", "2 k", "50 M", "1 T"]


def test_a_logarithmic_axis_has_all_values_between_its_ends() -> None:
    lines = [Line("a", 0, [Knot(1, 320.0), Knot(2, 17_246_978_048.0)])]
    place, ticks, _ = log_scale(lines)
    assert ticks == [10.0**power for power in range(3, 11)]
    heights = [place(value) for value in (320.0, 1e6, 17_246_978_048.0)]
    assert BOTTOM > heights[0] > heights[1] > heights[2] > TOP
    assert place(0.0) == pytest.approx(BOTTOM)
    assert ">10 G<" in curves(lines, "x", "y", "t", True, True)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(240, 432, [250, 300, 400]), (70, 700, [100, 200, 500]), (90, 11000, [100, 1000, 10000]), (5, 5, [5])],
)
def test_a_logarithmic_axis_has_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert log_scale([Line("a", 0, [Knot(1, low), Knot(2, high)])])[1] == ticks


def test_what_is_zero_has_no_logarithm() -> None:
    assert ">0<" in curves([Line("a", 0, [Knot(1, 0.0), Knot(2, 5.0)])], "x", "y", "t", True, True)


# From beginning to end


def test_a_small_study_of_coding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducing, "ready", lambda preset: SIMULATOR)
    monkeypatch.setattr(reproducing, "STUDIES", tmp_path)
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    study = study_of(tmp_path, CODING + "claims: claims.yaml\n")
    folder = tmp_path / "out"
    assert reproducing.reproduce(Order(study, "quick", folder, study.chosen([]), 2, "the command")) == Status.OK
    hops = {}
    for figure in ("hops", "counted", "share"):
        with (folder / "tables" / f"{figure}.csv").open() as stream:
            hops |= {(figure, row["series"], row["x"]): float(row["mean"]) for row in csv.DictReader(stream)}
    assert hops["hops", "floor", "2"] == 240
    assert hops["counted", "tree", "2"] == 320
    for group in ("2", "4"):
        assert hops["counted", "coded", group] == hops["hops", "delivered", group] > 240
        assert hops["counted", "coded_published", group] == hops["hops", "published", group]
        assert hops["share", "floor", group] == 0.75
    assert hops["hops", "published", "4"] == 248
    found = json.loads((folder / "verdicts.json").read_text())["claims"][0]
    assert found["verdict"] == "does not hold"
    assert found["summary"] == (
        "Counted as published it holds, delivered it does not hold. Asked in other ways it holds: many."
    )
    assert [part["mean"] for part in found["models"]["routers"]["extras"]][1] == 4
    analysed = found["models"]["routers"]["parts"][0]
    assert analysed["measured"] == "mean of delivered; Hops, hops; each panel; group: 4"
    assert (analysed["published"], analysed["as_published"]) == ("many", 248)
    assert analysed["mean"] > 280
    page = (folder / "verdicts.html").read_text()
    assert '<th scope="col">as published</th><th scope="col">delivered</th>' in page
    assert "random" not in page
    assert '<span class="measured">mean of delivered; Hops, hops; each panel; group: 4</span>' in page
    assert "shown, not judged" in page
