# SPDX-License-Identifier: Apache-2.0
"""Studies: data files, plans of runs, verdicts, and a small study from beginning to end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from fixture_studies import TINY, study_of, write_points
from polycast_cli.common import UserError
from polycast_cli.studies.claims import Claim, judge, load_claims
from polycast_cli.studies.computed import decode_cells, header_bits, table_rows
from polycast_cli.studies.data import Data, Point
from polycast_cli.studies.described import described
from polycast_cli.studies.measure import Result, Sample, read_result
from polycast_cli.studies.model import STUDIES, Study, expanded, load_study, study_file
from polycast_cli.studies.pages import summary
from polycast_cli.studies.plan import Place, Unit, chains_of, nested
from polycast_cli.studies.statistics import estimate
from simulation import SIMULATOR

NAMES = [path.stem for path in STUDIES.glob("*.yaml") if "figures:" in path.read_text()]


@pytest.fixture
def tiny(tmp_path: Path) -> Study:
    return study_of(tmp_path)


# Data files


@pytest.mark.parametrize("name", NAMES)
def test_the_studies_are_valid(name: str) -> None:
    study = load_study(study_file(name))
    for figure in study.figures:
        for depth in ("quick", "full"):
            assert not figure.simulated or chains_of(study, figure, depth)
    if study.claims:
        claims = load_claims(STUDIES / study.claims, study)
        assert len({claim.id for claim in claims}) == len(claims)
        for part in (part for claim in claims for part in (*claim.parts, *claim.extras)):
            titles = [study.figure(leaf.figure).title for leaf in part.value.leaves()]
            assert all(title in described(part, study) for title in titles)


@pytest.mark.parametrize("name", NAMES)
def test_scenarios_of_the_studies_are_accepted(name: str, tmp_path: Path) -> None:
    """A run of every scheme under every model passes `check`: keys and values are those of the simulator."""
    study = load_study(study_file(name))
    chains = [(f.kind, chain) for f in study.figures for chain in chains_of(study, f, "quick")]
    runs = [(kind, chain[0].place, chain[0].units[0]) for kind, chain in chains]
    texts = {(kind, place.model, place.series): unit.scenario for kind, place, unit in runs if not unit.analysis}
    for number, text in enumerate(texts.values()):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text.replace("instances: 10", "instances: 1"))
        done = subprocess.run([SIMULATOR, "check", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + text


def test_every_published_conclusion_is_asked() -> None:
    claims = yaml.safe_load((STUDIES / "multidestination_claims.yaml").read_text())["claims"]
    text = " ".join(claim["claim"] for claim in claims).lower()
    for word in (
        "always best", "hardly grows", "overtakes path worms as r grows", "system size", "more switches",
        "larger switches", "beyond messages of 512", "number of packets", "below 0.18", "saturates last",
        "worst for r <= 1", "comparable to the tree", "1,024 flits", "does not change the order",
        "strict spanning tree", "more than half of all worms", "cells", "node numbers",
    ):  # fmt: skip
        assert word in text, word


def test_claims_ask_for_all_that_the_sentence_says() -> None:
    study = load_study(study_file("multidestination"))
    claims = {claim.id: claim for claim in load_claims(STUDIES / study.claims, study)}
    # "At any degree" is the least and the largest of all degrees.
    tree = [part for part in claims["known_values"].parts if part.value.series == ["tree"]]
    assert {(part.reduce, part.value.x) for part in tree} == {("min", None), ("max", None)}
    # "Always" is under all models of time, too, that figures were run with.
    for name, figures in (("tree_best", {"message", "packet"}), ("load_tree", {"load_message"})):
        per_packet = [part for part in claims[name].parts if part.models == ["packet"]]
        assert {leaf.figure for part in per_packet for leaf in part.value.leaves()} == figures
    # What is said of tree, SSR and path headers is asked of all three.
    for name in ("header_lengths", "decode_cost"):
        leaves = [leaf for part in claims[name].parts for leaf in part.value.leaves()]
        assert {series for leaf in leaves for series in leaf.series} >= {"tree", "ssr", "path"}, name
    # Both sentences about R under load are judged by the same quantity.
    for name in ("load_ni_small_ratio", "load_ni_large_ratio"):
        quantities = {leaf.quantity for part in claims[name].parts for leaf in part.value.leaves()}
        assert quantities == {"saturation"}, name
    # R > 1 is every such R.
    ratios = {panel.label for panel in study.figure("load_ratio").panels if panel.value > 1}
    assert {panel for part in claims["load_ni_large_ratio"].parts for panel in part.panels} == ratios
    # "Before" is no tie.
    assert all(part.expect and (part.expect.below or 1) < 1 for part in claims["spanning_tree"].parts)
    # Half of a sentence is no other way to ask it.
    assert not any(part.expect for part in claims["load_long_messages"].extras)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("series: [tree, ni]", "series: [tree, nii]", "no 'nii'; did you mean 'ni'?"),
        ("models: [paper, slow]", "models: [papers]", "did you mean 'paper'?"),
        ("across: 3", "akross: 3", "Extra inputs"),
        ("kind: single", "kind: double", "'difference' or 'fit'"),
        ("name: load", "name: ratio", "two figures have the same name"),
        ("replicas: 2", "replicas: 0", "efforts.quick.replicas"),
        ("name: tiny", "name: [", "tiny.yaml"),
    ],
)
def test_bad_studies_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TINY
    with pytest.raises(UserError, match=r"tiny\.yaml") as error:
        study_of(tmp_path, TINY.replace(old, new, 1))
    assert said in str(error.value)


def test_unknown_names_get_a_proposal(tiny: Study) -> None:
    with pytest.raises(UserError, match="did you mean 'ratio'"):
        tiny.chosen(["ratoi"])
    with pytest.raises(UserError, match="did you mean 'multidestination'"):
        study_file("multidestinations")


# Plans


def test_settings_become_sections() -> None:
    assert nested({"a.b": 1, "a.c": {"d": 2}, "e": 3}) == {"a": {"b": 1, "c": {"d": 2}}, "e": 3}


def test_every_point_is_a_run(tiny: Study) -> None:
    chains = chains_of(tiny, tiny.figure("ratio"), "quick")
    assert len(chains) == 2 * 2 * 2 * 2
    assert all(len(chain) == 1 for chain in chains)
    load = chains_of(tiny, tiny.figure("load"), "quick")
    assert [step.place.x for step in load[0]] == [0.02, 0.9, 2]
    scenario = yaml.safe_load(load[0][1].units[0].scenario)
    assert scenario["workload"][0]["rate"] == pytest.approx(0.3)
    assert scenario["measurement"] == {"warmup": 2000, "window": 8000, "drain_limit": 8000}


def test_special_keys_win(tiny: Study) -> None:
    chains = chains_of(tiny, tiny.figure("ratio"), "quick")
    texts = {chain[0].place: yaml.safe_load(chain[0].units[0].scenario) for chain in chains}
    slow = texts[Place("ratio", "slow", "R = 5", "ni", 7)]
    assert slow["host"] == {"overlapped": True, "send_overhead": 4000, "ni_send": 200, "ni_receive": 200}
    assert slow["workload"] == [{"name": "ni", "kind": "multicast", "scheme": "ni", "degree": 7, "messages": 1}]


def test_the_key_of_a_run_depends_on_its_scenario() -> None:
    unit = Unit("a: 1\n", (1,), 0, 3, 1.0)
    assert unit.key == Unit("a: 1\n", (1,), 5, 4, 2.0).key
    assert unit.key != Unit("a: 2\n", (1,), 0, 3, 1.0).key
    assert unit.key != Unit("a: 1\n", (1, 2), 0, 3, 1.0).key


def test_a_longer_run_is_longer_everywhere() -> None:
    unit = Unit("measurement: {warmup: 100, window: 300, drain_limit: 300}\nseed: 1\n", (1,), 100, 3, 1.0)
    longer = unit.stretched(2)
    assert (longer.discarded, longer.weight) == (200, 2.0)
    assert yaml.safe_load(longer.scenario) == {
        "measurement": {"warmup": 200, "window": 600, "drain_limit": 600},
        "seed": 1,
    }


# Statistics and measures


def test_student_intervals() -> None:
    found = estimate([1.0, 2.0, 3.0, 4.0])
    assert (found.mean, found.count) == (2.5, 4)
    assert found.half == pytest.approx(3.182446 * 1.290994 / 2, rel=1e-5)
    assert estimate([7.0]).half is None


def loaded_result(folder: Path, *points: dict[str, object]) -> Result:
    unit = Unit("", tuple(range(1, len(points) + 1)), 1000, 3, 1.0)
    good = {
        "throughput": {"offered": 0.2, "accepted": 0.2},
        "load": {"kept_up": True, "created": 50, "completed": 50, "warmup_detected": 0},
    }
    return read_result(write_points(folder, *(good | point for point in points)), unit)


def test_saturated_is_what_does_not_keep_up(tmp_path: Path) -> None:
    behind = {"load": {"kept_up": False, "created": 50, "completed": 30, "warmup_detected": None}}
    limit = {"passed": False, "outcome": "limit", "diagnosis": "not all was delivered"}
    result = loaded_result(tmp_path / "r", {}, behind, limit)
    assert [sample.saturated for sample in result.samples] == [False, True, True]
    assert [sample.problem for sample in result.samples] == ["", "", ""]
    assert result.samples[1].accepted == pytest.approx(0.12)
    assert result.flagged == ""


def test_wrong_deliveries_are_problems(tmp_path: Path) -> None:
    wrong = {
        "passed": False,
        "outcome": "limit",
        "check": {"expected": 9, "delivered": 6, "corrupted": 2, "duplicated": 1},
    }
    result = loaded_result(tmp_path / "r", wrong)
    assert result.samples[0].problem == "2 corrupted, 1 duplicated"
    assert Point(Place("f", "m", "p", "s", 1), result.samples).values("latency") == {}


def test_a_late_end_of_the_warmup_is_flagged(tmp_path: Path) -> None:
    def at(cycle: float | None) -> dict[str, object]:
        return {"load": {"kept_up": True, "created": 50, "completed": 50, "warmup_detected": cycle}}

    assert "warm-up ends at cycle 2,000" in loaded_result(tmp_path / "a", at(2000), at(5000), at(0)).flagged
    assert loaded_result(tmp_path / "b", at(10), at(5000), at(0)).flagged == ""
    assert "cannot be told" in loaded_result(tmp_path / "c", at(None), at(None), at(0)).flagged


# Verdicts


def made(values: dict[tuple[str, str, str, float], list[float]], accepted: bool = False) -> Data:
    """Data of figure `ratio` (or `load`): (model, panel, series, x) to a value for each network."""
    data = Data()
    for (model, panel, series, x), found in values.items():
        samples = [
            Sample(replica=i + 1, outcome="complete", latency=value, messages=1, accepted=value if accepted else None)
            for i, value in enumerate(found)
        ]
        if accepted:
            samples[-1].saturated = samples[0].saturated = x > 0.5
        data.add(Point(Place("load" if accepted else "ratio", model, panel, series, x), samples))
    return data


def claim_of(**part: object) -> Claim:
    return Claim.model_validate({"id": "c", "claim": "It is so.", "source": "test", "parts": [{"says": "it", **part}]})


def quotient(**place: object) -> dict[str, object]:
    return {
        "of": {"figure": "ratio", "series": ["tree"], **place},
        "over": {"figure": "ratio", "series": ["ni"], **place},
    }


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        ([50, 51, 49], "holds"),
        ([150, 151, 149], "fails"),
        ([80, 130, 100], "undecided"),
        ([99.9, 100, 100.1], "undecided"),
        ([80, 110, 90], "undecided"),
        ([100, 100, 100], "fails"),
    ],
)
def test_a_bound_decides_by_the_interval(tiny: Study, trees: list[float], expected: str) -> None:
    data = made({("paper", "R = 1", "tree", 3): trees, ("paper", "R = 1", "ni", 3): [100, 100, 100]})
    claim = claim_of(value=quotient(panel="R = 1", x=3), expect={"below": 1})
    assert judge(claim, tiny, data, "quick").verdict == expected


def test_what_models_disagree_on_depends(tiny: Study) -> None:
    values = {}
    for model, tree in (("paper", 50), ("slow", 150)):
        values[model, "R = 1", "tree", 3] = [tree, tree + 1.0]
        values[model, "R = 1", "ni", 3] = [100, 100]
    claim = claim_of(value=quotient(panel="R = 1", x=3), expect={"below": 1})
    judgement = judge(claim, tiny, made(values), "quick")
    assert judgement.verdict == "depends"
    assert (judgement.status("paper"), judgement.status("slow")) == ("holds", "fails")


def test_cases_that_differ_depend(tiny: Study) -> None:
    values = {}
    for panel, tree in (("R = 1", 50), ("R = 5", 150)):
        values["paper", panel, "tree", 3] = [tree, tree + 1.0]
        values["paper", panel, "ni", 3] = [100, 100]
    parts = [
        {"says": f"at {panel}", "value": quotient(panel=panel, x=3), "expect": {"below": 1}}
        for panel in ("R = 1", "R = 5")
    ]
    text = {"id": "c", "claim": "It is so.", "source": "test", "parts": parts}
    assert judge(Claim.model_validate(text), tiny, made(values), "quick").verdict == "fails"
    judgement = judge(Claim.model_validate(text | {"cases": True}), tiny, made(values), "quick")
    assert judgement.verdict == "depends"
    assert summary(judgement, tiny) == "Holds: at R = 1; does not hold: at R = 5."


def test_a_case_that_is_open_leaves_the_claim_open(tiny: Study) -> None:
    """What fails in one case fails or depends, whatever the open one turns out to be."""
    values: dict[tuple[str, str, str, float], list[float]] = {}
    for panel, trees in (("R = 1", [80.0, 130]), ("R = 5", [150.0, 151])):
        values["paper", panel, "tree", 3] = trees
        values["paper", panel, "ni", 3] = [100, 100]
    parts = [
        {"says": f"at {panel}", "value": quotient(panel=panel, x=3), "expect": {"below": 1}}
        for panel in ("R = 1", "R = 5")
    ]
    text = {"id": "c", "claim": "It is so.", "source": "test", "parts": parts}
    assert judge(Claim.model_validate(text), tiny, made(values), "quick").verdict == "fails"
    judgement = judge(Claim.model_validate(text | {"cases": True}), tiny, made(values), "quick")
    assert judgement.verdict == "undecided"
    assert summary(judgement, tiny) == "Not decided: at R = 1; does not hold: at R = 5."


def test_a_part_may_be_asked_under_other_models(tiny: Study) -> None:
    """Such as where only some figures of a claim were run with a model."""
    values = {}
    for model, tree in (("paper", 50), ("slow", 150)):
        values[model, "R = 1", "tree", 3] = [tree, tree + 1.0]
        values[model, "R = 1", "ni", 3] = [100, 100]
    part = {"says": "it", "value": quotient(panel="R = 1", x=3), "expect": {"below": 1}}
    text = {"id": "c", "claim": "It is so.", "source": "test", "models": ["paper"], "parts": [part]}
    assert judge(Claim.model_validate(text), tiny, made(values), "quick").answers.keys() == {"paper"}
    text["parts"] = [part, part | {"says": "slowly", "models": ["slow"]}]
    judgement = judge(Claim.model_validate(text), tiny, made(values), "quick")
    said = {model: [answer.part.says for answer in answers] for model, answers in judgement.answers.items()}
    assert said == {"paper": ["it"], "slow": ["slowly"]}
    assert (judgement.status("paper"), judgement.status("slow"), judgement.verdict) == ("holds", "fails", "depends")


def test_open_places_run_over_all_and_name_the_worst(tiny: Study) -> None:
    values = {}
    for panel, x, tree in (("R = 1", 3, 50), ("R = 1", 7, 60), ("R = 5", 3, 120), ("R = 5", 7, 70)):
        values["paper", panel, "tree", x] = [tree, tree]
        values["paper", panel, "ni", x] = [100, 100]
    claim = claim_of(value=quotient(), reduce="max", expect={"below": 1})
    judgement = judge(claim, tiny, made(values), "quick")
    answer = judgement.answers["paper"][0]
    assert judgement.verdict == "fails"
    assert answer.estimate is not None
    assert (answer.estimate.mean, answer.where) == (1.2, "R = 5; destinations: 3")
    assert (
        judge(
            claim_of(value=quotient(), panels=["R = 1"], reduce="max", expect={"below": 1}), tiny, made(values), "quick"
        ).verdict
        == "holds"
    )


def test_what_was_not_run_is_not_said_to_be_measured(tiny: Study) -> None:
    """The quick version has no 5."""
    values = {("paper", "R = 1", name, x): [50.0, 51] for name in ("tree", "ni") for x in (3, 7)}
    claim = claim_of(value=quotient(panel="R = 1"), points=[5, 7], reduce="max", expect={"below": 2})
    answer = judge(claim, tiny, made(values), "quick").answers["paper"][0]
    assert answer.status == "holds"
    assert described(answer.part, tiny).endswith("; R = 1; destinations: 7")


def test_missing_points_decide_nothing(tiny: Study) -> None:
    data = made({("paper", "R = 1", "tree", 3): [1, 2]})
    assert (
        judge(claim_of(value=quotient(panel="R = 1", x=3), expect={"below": 1}), tiny, data, "quick").verdict
        == "not run"
    )


def test_schemes_that_change_places_are_counted(tiny: Study) -> None:
    def values(second: float) -> Data:
        found = {}
        for panel, tree in (("R = 1", 50), ("R = 5", second)):
            for x in (3, 7):
                found["paper", panel, "tree", x] = [tree, tree]
                found["paper", panel, "ni", x] = [100, 100]
        return made(found)

    part = {"value": {"figure": "ratio", "series": ["tree", "ni"]}, "reduce": "swaps", "tolerance": 0.03}
    claim = claim_of(**part, expect={"below": 0.5})
    assert judge(claim, tiny, values(60), "quick").verdict == "holds"
    assert judge(claim, tiny, values(102), "quick").verdict == "holds"
    assert judge(claim, tiny, values(130), "quick").verdict == "fails"


def test_saturation_is_the_largest_throughput_of_a_curve_that_ends_saturated(tiny: Study) -> None:
    claim = claim_of(
        value={"figure": "load", "series": ["tree"], "panel": "3-way", "quantity": "saturation"}, expect={"above": 0.3}
    )
    curve = {("paper", "3-way", "tree", x): [y, y + 0.01] for x, y in ((0.02, 0.02), (0.4, 0.39), (0.9, 0.35))}
    judgement = judge(claim, tiny, made(curve, accepted=True), "quick")
    answer = judgement.answers["paper"][0].estimate
    assert answer is not None
    assert answer.mean == pytest.approx(0.395)
    del curve["paper", "3-way", "tree", 0.9]
    assert judge(claim, tiny, made(curve, accepted=True), "quick").verdict == "not run"


def test_claims_about_what_does_not_exist_are_refused(tiny: Study, tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    for place, said in (
        ({"series": ["trea"]}, "tree"),
        ({"panel": "R = 2"}, "R = 5"),
        ({"quantity": "latancy"}, "latency"),
    ):
        value = {"figure": "ratio", "series": ["tree"]} | place
        claim = {
            "id": "c",
            "claim": "x",
            "source": "x",
            "parts": [{"says": "x", "value": value, "expect": {"below": 1}}],
        }
        path.write_text(yaml.safe_dump({"claims": [claim]}))
        with pytest.raises(UserError, match=said):
            load_claims(path, tiny)


def test_an_entry_stands_for_each_combination() -> None:
    """Of lists and of mappings; a value stays what it is, and is text within text."""
    given = yaml.safe_load("""
      list:
        - {each: {a: [1, 2], "b, c": [[3, [4]], [5, null]]}, x: $a, y: "$a of ${b}", z: {deep: [$c]}}
        - {x: 9, y: "costs $5"}
      map:
        $a: {a: 0}
        ${name}_form: {each: {"name, colour": [[chain, 6], [tree, 1]]}, label: "$name, closed", colour: $colour}
    """)
    assert expanded(given) == {
        "list": [
            {"x": 1, "y": "1 of 3", "z": {"deep": [[4]]}},
            {"x": 1, "y": "1 of 5", "z": {"deep": [None]}},
            {"x": 2, "y": "2 of 3", "z": {"deep": [[4]]}},
            {"x": 2, "y": "2 of 5", "z": {"deep": [None]}},
            {"x": 9, "y": "costs $5"},
        ],
        "map": {
            "$a": {"a": 0},
            "chain_form": {"label": "chain, closed", "colour": 6},
            "tree_form": {"label": "tree, closed", "colour": 1},
        },
    }


def test_what_is_common_stands_once(tmp_path: Path) -> None:
    """Keys of both operands of a quotient, groups of claims, reasons of verdicts, keys of all figures."""
    study = study_of(tmp_path)
    path = tmp_path / "claims.yaml"
    path.write_text("""
      claims:
        - id: a
          claim: x
          source: x
          parts: [{says: x, published: 4, value: {figure: ratio, x: 3, of: [ni], over: {series: [tree], pick: max}}, expect: {below: 1}}]
        - {id: b, claim: x, source: x, group: Words, reasons: {"holds, fails": why}, parts: &parts [{says: x, value: {figure: ratio, series: [ni]}, expect: {below: 1}}]}
        - {id: c, claim: x, source: x, parts: *parts}
    """)  # noqa: E501
    claims = load_claims(path, study)
    value = claims[0].parts[0].value
    assert value.of is not None and value.over is not None
    assert (value.of.figure, value.of.x, value.of.series) == ("ratio", 3, ["ni"])
    assert (value.over.figure, value.over.x, value.over.series, value.over.pick) == ("ratio", 3, ["tree"], "max")
    assert claims[0].parts[0].published == "4"
    assert [claim.group for claim in claims] == ["Published conclusions", "Words", "Words"]
    assert claims[1].reasons == {"holds": "why", "fails": "why"}
    data = yaml.safe_load(TINY)
    data["defaults"] = {"unit": "steps", "note": "of all"}
    data["figures"][0]["note"] = "own"
    figures = Study.model_validate(data).figures
    assert [figure.note for figure in figures] == ["own", *["of all"] * (len(figures) - 1)]
    assert figures[-1].unit == data["figures"][-1].get("unit", "steps")


# Computed figures


def test_lengths_of_headers() -> None:
    assert header_bits("tree", 32, 8) == 33
    assert header_bits("ssr", 32, 8) == 3 + 8
    assert header_bits("path", 1024, 8) == 8 * (8 + 8)
    assert header_bits("path_nodes", 1024, 8) == 8 * (11 + 8)


def test_cells_come_from_the_page_of_the_switch() -> None:
    page = (
        "<!-- begin decode size: by us -->\n| header | ports | hosts | stops | capture | decode | rewriting |\n"
        "|---|---|---|---|---|---|---|\n| tree | 8 | 1,024 | - | 1,000 | 200 | 30 |\n| path | 8 | - | 8 | 5 | 6 | 7 |\n"
        "<!-- end decode size -->\n"
    )
    rows = table_rows(page)
    assert decode_cells("tree", 1024, 8, rows) == 1230
    assert decode_cells("path", 256, 8, rows) == 18
    assert decode_cells("tree", 32, 8, rows) is None
    assert table_rows("nothing") == []
