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
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import STUDIES, Study, load_study, study_file
from polycast_cli.studies.pages import summary
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
    "coding_time": ["1,276", "1,276"],
    "combining_time": ["1,832", "1,832"],
    "faster_than_combining": ["1,276 against 1,832", "1,276 against 1,832"],
    "faster_than_tree": ["53 % less"],
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
    assert found["summary"] == "Counted as published it holds, delivered it does not hold."
    analysed = found["models"]["routers"]["parts"][0]
    assert (analysed["published"], analysed["as_published"]) == ("many", 248)
    assert analysed["mean"] > 280
    page = (folder / "verdicts.html").read_text()
    assert '<th scope="col">as published</th><th scope="col">delivered</th>' in page
    assert "random" not in page
