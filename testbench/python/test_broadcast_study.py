# SPDX-License-Identifier: Apache-2.0
"""Studies of pipelined broadcasts: legal sizes, answers, gains, fits, tables of published numbers."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
import yaml
from fixture_studies import study_of
from polycast_cli.common import Status, UserError
from polycast_cli.reports.curves import BOTTOM, Knot, Line
from polycast_cli.reports.curves import curves as drawn
from polycast_cli.results_of_kinds import Broadcast, BroadcastRound
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.broadcast import analysed, nearest_radix, network_of
from polycast_cli.studies.claims import Claim, judge, load_claims
from polycast_cli.studies.data import Data, Point, read
from polycast_cli.studies.derived import Form, add_derived, fit_of, fitted
from polycast_cli.studies.measure import Sample, broadcasted
from polycast_cli.studies.model import STUDIES, Study, TableColumn, load_study, study_file
from polycast_cli.studies.pages import summary
from polycast_cli.studies.plan import Place, Step, chains_of
from polycast_cli.studies.reproduce import Order
from polycast_cli.studies.tables import compared
from simulation import SIMULATOR

SMALL = """\
name: small
title: A small study of broadcasts
source: its test
replicas: none
analysis: ibt
efforts:
  quick: {replicas: 1, loaded: 1, messages: 1, warmup: 0, window: 1}
  full: {replicas: 1, loaded: 1, messages: 1, warmup: 0, window: 1}
scenario: {}
models: {steps: {label: steps}}
schemes:
  net: {label: iBT}
  torus: {label: torus, workload: {bypass: null, d: 3, root: 3, multiple: 1}}
  pattern: {label: pattern 1, reads: line_1}
  busy: {label: in use, reads: busy_global}
  gain: {label: gain, of: {series: net}, over: {series: torus}}
  measured: {label: simulated}
  fitted: {label: fit}
  printed: {label: printed}
figures:
  - name: scale
    title: Scale
    kind: analysis
    unit: steps
    x: &nodes {key: nodes, label: nodes, log: true, quick: [64, 256, 1024, 4096], full: [64]}
    series: [net, torus]
    models: [steps]
    workload: {d: 2, bypass: 4, multiple: 4}
    panels:
      - {value: 0, label: diameter, reads: diameter, unit: links, series: [net, torus]}
      - {value: 1, label: global, reads: global, series: [net]}
  - name: fit
    title: Fits
    kind: fit
    base: scale
    unit: links
    x: *nodes
    series: [measured, fitted, printed]
    models: [steps]
    panels: [{value: 0, label: diameter, fit: {of: {series: net}, a: 0.5, c: 0.4, upto: 1024}}]
  - name: gains
    title: Gains
    kind: gain
    base: scale
    unit: "%"
    x: *nodes
    series: [gain]
    models: [steps]
    panels: [{value: 0, label: diameter}]
  - name: lengths
    title: Lengths
    kind: analysis
    unit: steps
    drawn: false
    x: {key: bypass, label: b1, quick: [4, 8], full: [4]}
    series: [pattern]
    models: [steps]
    workload: {n: 16, d: 2}
    panels: [{value: 4, label: "<4,b1>", workload: {bypass: "4,{x}", packets: 8}}]
  - name: busy
    title: Links in use
    kind: analysis
    unit: share
    x: {key: step, label: step, index: true, quick: "1..40", full: "1..2"}
    series: [busy]
    models: [steps]
    workload: {d: 2, n: 16, bypass: 4, history: true}
    panels: [{value: 0, label: 16^2}]
tables:
  - name: printed_numbers
    title: Printed numbers
    figure: scale
    rows_are: quantity
    columns: [{label: diameter, series: [net], x: 256}, {label: nothing, series: [torus], x: 256, digits: 1}]
    rows: [{panel: diameter, published: [7, null]}]
"""

CLAIMS = """\
claims:
  - id: diameter
    claim: The diameter is 6.
    source: test
    parts:
      - says: links
        published: "6"
        value: {figure: scale, series: [net], panel: diameter, x: 256}
        expect: {equals: 6}
"""


@pytest.fixture
def small(tmp_path: Path) -> Study:
    return study_of(tmp_path, SMALL)


# Sizes


@pytest.mark.parametrize(
    ("nodes", "dimensions", "multiple", "least", "radix"),
    [
        (4096, 2, 4, 3, 64),
        (2048, 2, 4, 3, 44),
        (8192, 2, 4, 3, 92),
        (1_000_000, 3, 1, 3, 100),
        (1_000_000, 3, 3, 8, 99),
        (65536, 4, 4, 10, 16),
        (32768, 4, 4, 10, None),
        (2048, 3, 6, 14, None),
    ],
)
def test_the_nearest_legal_size(nodes: float, dimensions: int, multiple: int, least: int, radix: int | None) -> None:
    assert nearest_radix(nodes, dimensions, multiple, least) == radix


def test_a_network_is_legal_without_being_told_how() -> None:
    assert network_of({"d": 3, "bypass": "6,12", "nodes": 65536}) == ({"d": 3, "bypass": "6,12", "n": 42}, 42.0**3)
    assert network_of({"nodes": 1000, "d": 2, "root": 3}) == ({"d": 2, "n": 10}, 1000.0)
    assert network_of({"n": 64, "bypass": 8}) == ({"n": 64, "bypass": 8}, 4096.0)
    assert network_of({"d": 4, "bypass": "8,16", "nodes": 65536}) is None


# Plans


def test_points_stand_where_their_networks_are(small: Study) -> None:
    steps = [chain[0] for chain in chains_of(small, small.figure("scale"), "quick")]
    torus = {step.place.x: step for step in steps if step.place.series == "torus"}
    assert [step.at for step in torus.values()] == [64, 216, 1000, 4096]
    options = yaml.safe_load(torus[4096].units[0].scenario)
    assert options == {"analyse": {"d": 3, "n": 16}}
    assert {step.place.series for step in steps if step.place.panel == "global"} == {"net"}
    of_both = {step.units for step in steps if step.place.series == "net" and step.place.x == 256}
    assert len(of_both) == 1, "panels share an answer"


def test_sizes_without_a_legal_network_have_no_point(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL.replace("bypass: 4, multiple: 4}", "bypass: 16, multiple: 16}", 1))
    found = [chain[0].place.x for chain in chains_of(study, study.figure("scale"), "quick")]
    assert 64 in found, "of the torus"
    net = [chain[0].place for chain in chains_of(study, study.figure("scale"), "quick")]
    assert {place.x for place in net if place.series == "net"} == {1024, 4096}


def test_a_place_may_be_a_part_of_a_key(small: Study) -> None:
    steps = [chain[0] for chain in chains_of(small, small.figure("lengths"), "quick")]
    asked = [yaml.safe_load(step.units[0].scenario)["analyse"]["bypass"] for step in steps]
    assert asked == ["4,4", "4,8"]


def test_places_of_a_list_share_an_answer(small: Study) -> None:
    steps = [chain[0] for chain in chains_of(small, small.figure("busy"), "quick")]
    assert [step.reads for step in steps[:2]] == ["busy_global_1", "busy_global_2"]
    assert len(steps) == 40
    assert len({step.units for step in steps}) == 1


def test_figures_bring_those_that_they_are_made_of(small: Study) -> None:
    assert [figure.name for figure in small.chosen(["gains"])] == ["scale", "gains"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("reads: diameter,", "reads: diametre,", "did you mean 'diameter'?"),
        ("over: {series: torus}", "over: {series: tori}", "source: no 'tori'"),
        ("base: scale\n    unit: links", "base: scales\n    unit: links", "did you mean 'scale'?"),
        ("series: [torus], x: 256, digits", "series: [toruss], x: 256, digits", "did you mean 'torus'?"),
        ("published: [7, null]", "published: [7]", "1 of 2 numbers"),
        ("analysis: ibt", "analysis: network-coding", "figure scale: reads"),
    ],
)
def test_bad_studies_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(UserError) as error:
        study_of(tmp_path, SMALL.replace(old, new, 1))
    assert said in str(error.value)


# Answers


def test_numbers_of_an_answer() -> None:
    history = {"links": 20, "steps": [{"step": 1, "busy_links": 5}, {"step": 2, "busy_links": 20}]}
    answer = {
        "nodes": 9,
        "diameter": 2,
        "line_patterns": [0, 1],
        "line_steps": [9, 7],
        "best_line_steps": 7,
        "global_steps": 8,
        "runs": {"line": {"floor": 6}, "global": {"floor": 5, "pipelined_steps": 8, "history": history}},
    }
    assert analysed(answer) == {
        "nodes": 9,
        "diameter": 2,
        "line_0": 9,
        "line_1": 7,
        "best_line": 7,
        "global": 8,
        "floor_line": 6,
        "floor_global": 5,
        "pipelined_global": 8,
        "busy_global_1": 0.25,
        "busy_global_2": 1,
    }


def test_numbers_of_a_broadcast_in_the_hardware() -> None:
    rounds = [{"source": 0, "begin": 67, "units": 58, "hosts": 94}, {"source": 1, "begin": 99, "units": 1, "hosts": 2}]
    timeline = {"times": [], "utilisation": [], "held": [], "complete": []}
    made = {"timing": "cycle", "nodes": 4, "verified_bytes": 1, "rounds": rounds, "timeline": timeline}
    found = Broadcast.model_validate(made | {"sends": 300, "duplicates": 75, "stale": 0, "links": 12})
    values = broadcasted(found)
    assert values == {"time": 58, "hosts": 94, "sends": 300, "duplicates": 75, "stale": 0}
    found.rounds[0] = BroadcastRound(source=0)
    assert "time" not in broadcasted(found), "it was not done"
    place = Place("hardware", "steps", "global", "maps", 16)
    sample = Sample(replica=1, outcome="complete", latency=None, messages=0, values=values)
    assert read(sample, Step(place, (), "time", divisor=8)).value == 7.25
    assert read(sample, Step(place, (), "duplicates", "sends")).value == 0.25


# Gains and fits


@pytest.mark.parametrize("form", [Form(0.0625, 0.5, 21.0), Form(2.15, 0.17, 12.51), Form(0.63, 0.37), Form(3.0, 0.15)])
def test_a_fit_finds_the_form_that_made_the_values(form: Form) -> None:
    nodes = [1936.0, 4096.0, 8464.0, 16384.0, 65536.0]
    found = fitted(nodes, [form.at(size) for size in nodes], form.e is not None)
    assert found is not None
    assert (found.a, found.c) == (pytest.approx(form.a, rel=1e-3), pytest.approx(form.c, rel=1e-3))
    assert (found.e is None) == (form.e is None)
    assert found.at(1e6) == pytest.approx(form.at(1e6), rel=1e-3)


def test_a_fit_needs_as_many_points_as_it_has_numbers() -> None:
    assert fitted([16.0, 64.0], [4.0, 8.0], True) is None
    assert fitted([16.0, 64.0], [4.0, 8.0], False) is not None
    assert fitted([16.0], [4.0], False) is None


def test_forms_are_read_as_printed() -> None:
    assert Form(1.75, 0.2, 16.22).text() == "1.75 N^0.2 + 16.22"
    assert Form(50.6, 0.01, -32.4).text() == "50.6 N^0.01 - 32.4"
    assert Form(0.63, 0.37).text() == "0.63 N^0.37"


def curves(study: Study, panel: str, values: dict[str, dict[float, float]]) -> Data:
    data = Data()
    for series, points in values.items():
        for x, value in points.items():
            sample = Sample(replica=1, outcome="", latency=None, messages=0, value=value)
            data.add(Point(Place("scale", "steps", panel, series, x), [sample], at=x))
    add_derived(study, "quick", data)
    return data


def test_a_gain_is_how_far_one_curve_is_below_another(small: Study) -> None:
    data = curves(small, "diameter", {"net": {64: 3, 256: 6, 4096: 30}, "torus": {64: 6, 256: 8, 1024: 9}})
    found = {point.place.x: point.values("value")[1] for point in data.curve("gains", "steps", "diameter", "gain")}
    assert found == {64: 50, 256: 25}, "where both curves have a point"


def test_fits_end_where_they_are_told_and_are_drawn_on(small: Study) -> None:
    data = curves(small, "diameter", {"net": {64: 8, 256: 16, 1024: 32, 4096: 100}})
    panel = small.figure("fit").panels[0]
    assert panel.fit is not None
    found = fit_of(panel.fit, small.figure("fit"), panel, "steps", data)
    assert found.form is not None
    assert (found.form.a, found.form.c) == (pytest.approx(1), pytest.approx(0.5))
    assert found.deviation(found.form) == pytest.approx(0, abs=1e-6)
    assert found.deviation(found.printed) == pytest.approx(0.5 * 1024**0.4 / 32 - 1)
    beyond = {name: data.curve("fit", "steps", "diameter", name)[-1] for name in ("measured", "fitted", "printed")}
    assert {name: round(point.values("value")[1], 1) for name, point in beyond.items()} == {
        "measured": 100,
        "fitted": 64,
        "printed": 13.9,
    }


def test_losses_are_drawn_below_zero() -> None:
    page = drawn([Line("a", 0, [Knot(1, -40.0), Knot(2, 60.0)])], "x", "y", "t")
    heights = [float(found) for found in re.findall(r'cy="([\d.]+)"', page)]
    assert max(heights) < BOTTOM
    assert ">-25<" in page


# Tables and verdicts


@pytest.mark.parametrize(
    ("value", "published", "digits", "said", "beside", "differs"),
    [
        (21.95259, None, None, "21.95", "", False),
        (29.0, 28.0, 0, "29", "printed 28, +1", True),
        (8.0962, 8.096, 3, "8.096", "printed 8.096, same", False),
        (6.6338, 6.633, 3, "6.634", "printed 6.633, +0.001", True),
        (12.0, None, 0, "12", "", False),
        (None, 23.0, 0, "–", "printed 23", False),
    ],
)
def test_a_number_stands_beside_the_printed_one(
    value: float | None, published: float | None, digits: int | None, said: str, beside: str, differs: bool
) -> None:
    cell = compared(value, published, TableColumn(label="", series=[], x=0, digits=digits))
    assert (cell.said, cell.beside, cell.differs) == (said, beside, differs)


def test_of_many_cases_the_fewer_are_named(small: Study) -> None:
    value = {"figure": "scale", "series": ["net"], "panel": "diameter"}
    parts = [
        {"says": f"{x}, below {bound}", "value": value | {"x": x}, "expect": {"below": bound}}
        for x in (64, 256)
        for bound in (4, 100, 200)
    ]
    claim = Claim.model_validate({"id": "c", "claim": "It is so.", "source": "test", "parts": parts, "cases": True})
    data = curves(small, "diameter", {"net": {64: 3, 256: 6}})
    said = summary(judge(claim, small, data, "quick"), small)
    assert said == "Holds in 5 of 6 cases. Does not hold in 1 of 6 cases: 256, below 4."


# What was published

TABLE_1 = {
    "<6>": [14, 8.096, 23, 23, 28, 28],
    "<14>": [12, 7.482, 24, 23, 27, 27],
    "<4,16>": [10, 6.568, 23, 32, 27, 27],
    "<8,24>": [10, 6.633, 22, 22, 25, 26],
}

TABLE_2 = {
    ("fit_8", "line"): (0.0625, 0.5, 21),
    ("fit_8", "diameter"): (0.63, 0.37, None),
    ("fit_8", "mean distance"): (0.45, 0.34, None),
    ("fit_8_32", "line"): (2.15, 0.17, 12.51),
    ("fit_8_32", "diameter"): (3.02, 0.15, None),
    ("fit_8_32", "mean distance"): (1.92, 0.15, None),
    ("fit_8_32", "rectangular"): (1.75, 0.2, 16.22),
    ("fit_8_32", "global"): (1.75, 0.2, 16.22),
    ("fit_6", "line"): (2.79, 0.16, None),
    ("fit_6", "diameter"): (0.46, 0.30, None),
    ("fit_6", "mean distance"): (0.30, 0.29, None),
    ("fit_6", "rectangular"): (0.54, 0.27, 14.97),
    ("fit_6", "global"): (0.54, 0.28, 14.71),
    ("fit_d4", "line"): (4.01, 0.1, None),
    ("fit_d4", "diameter"): (3.04, 0.14, None),
    ("fit_d4", "mean distance"): (1.77, 0.13, None),
    ("fit_d4", "rectangular"): (1.09, 0.16, 14.15),
}


def test_the_printed_numbers_are_those_of_the_publication() -> None:
    study = load_study(study_file("ibt"))
    assert {row.panel: row.published for row in study.tables[1].rows} == TABLE_1
    fits = {(figure.name, panel.label): panel.fit for figure in study.figures for panel in figure.panels}
    assert {key: (fit.a, fit.c, fit.e) for key, fit in fits.items() if fit} == TABLE_2


def test_every_published_conclusion_is_asked() -> None:
    study = load_study(study_file("ibt"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    headline = [
        f"{how}_{algorithm}" for how in ("simulated", "fitted", "printed") for algorithm in ("trees", "colours")
    ]
    bounds = dict.fromkeys(headline, 75) | {
        "alpha_rectangular": 60,
        "beta_rectangular": 70,
        "alpha_global": 80,
        "beta_global": 60,
        "beta_distances": 40,
    }
    assert {name: {part.expect.above for part in claims[name].parts} for name in bounds} == {
        name: {bound} for name, bound in bounds.items()
    }
    assert {"patterns", "b24"} <= claims.keys()
    quantities = ["diameter", "mean distance", "rectangular", "global"]
    assert all([part.value.panel for part in claims[name].parts] == quantities for name in headline)
    for name, column, places in (("table1_line", 2, (0, 1)), ("table1_rectangular", 4, (0, 1))):
        asked = {(part.value.panel, part.value.x): part.expect.equals for part in claims[name].parts}
        assert asked == {(panel, x): row[column + x] for panel, row in TABLE_1.items() for x in places}


# From beginning to end


def test_a_small_study_of_broadcasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducing, "ready", lambda preset: SIMULATOR)
    monkeypatch.setattr(reproducing, "STUDIES", tmp_path)
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    study = study_of(tmp_path, SMALL + "claims: claims.yaml\n")
    folder = tmp_path / "out"
    assert reproducing.reproduce(Order(study, "quick", folder, study.chosen([]), 2, "the command")) == Status.OK
    rows = {}
    for figure in ("scale", "gains", "lengths", "busy", "fit"):
        with (folder / "tables" / f"{figure}.csv").open() as stream:
            for row in csv.DictReader(stream):
                rows[figure, row["panel"], row["series"], row["x"]] = row
    assert float(rows["scale", "diameter", "net", "256"]["mean"]) == 6
    torus = rows["scale", "diameter", "torus", "256"]
    assert (torus["drawn_at"], float(torus["mean"])) == ("216", 9)
    assert float(rows["gains", "diameter", "gain", "256"]["mean"]) == pytest.approx(100 / 3)
    steps = int(float(rows["scale", "global", "net", "256"]["mean"]))
    assert ("busy", "16^2", "busy", str(steps)) in rows, "the history has a place for each step"
    assert ("busy", "16^2", "busy", str(steps + 1)) not in rows
    assert all(0 < float(row["mean"]) <= 1 for key, row in rows.items() if key[0] == "busy")
    assert float(rows["fit", "diameter", "printed", "1024"]["mean"]) == pytest.approx(0.5 * 1024**0.4)
    with (folder / "tables" / "printed_numbers.csv").open() as stream:
        first = next(csv.DictReader(stream))
    assert first == {"quantity": "diameter", "number": "diameter", "published": "7", "model": "6", "difference": "-1"}
    with (folder / "tables" / "fits.csv").open() as stream:
        fit = next(csv.DictReader(stream))
    assert (fit["printed_a"], fit["printed_c"], fit["nodes"]) == ("0.5", "0.4", "4096")
    found = json.loads((folder / "verdicts.json").read_text())["claims"][0]
    assert (found["verdict"], found["models"]["steps"]["parts"][0]["published"]) == ("holds", "6")
    page = (folder / "report.html").read_text()
    assert "printed 7, -1" in page
    assert '<tr><th scope="col">quantity</th><th scope="col">diameter</th>' in page
    assert 'id="lengths"' not in page, "not drawn"
    assert not (folder / "plots" / "lengths-steps-4-b1.svg").exists()
    verdicts = (folder / "verdicts.html").read_text()
    assert '<th scope="col">published</th><th scope="col">model</th>' in verdicts
    assert "networks</th>" not in verdicts
