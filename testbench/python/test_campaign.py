# SPDX-License-Identifier: Apache-2.0
"""Campaigns: what is drawn, what is counted, and that each run can be repeated."""

from __future__ import annotations

import csv
import html
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.campaigns.campaign import SHOWN, Campaign, missed, unmet
from polycast_cli.campaigns.plan import CLASSES, FAULTS, Part, Plan, load_plan
from polycast_cli.campaigns.table import FLIPS, OUTCOMES, Fault, Residual, Row, interval
from polycast_cli.common import ROOT, UserError
from simulation import SIMULATOR, overrides, said, simulate

CAMPAIGNS = ROOT / "testbench" / "campaigns"
FOUR = CAMPAIGNS / "four_switches.yaml"
NETWORK = CAMPAIGNS / "four_switches_network.yaml"
RETRY = ("network.link.layer=retry",)
NONE = ("network.link.layer=none",)
WATCHED = ("packet.check=route", "workload[*].reliable=true", "ni.watchdog=20000", "ni.restart=1000")
RELIABLE = (*NONE, *WATCHED)


def campaign(
    kind: str, count: int, *settings: str, first: int = 0, seed: int = 1, network: Path = NETWORK
) -> dict[str, Any]:
    words = ("--class", kind, "--first", str(first), "--count", str(count), "--seed", str(seed))
    done: dict[str, Any] = json.loads(said("campaign", network, *overrides(*settings), *words))
    return done


def outcomes(done: dict[str, Any]) -> Counter[str]:
    return Counter(fault["outcome"] for fault in done["faults"])


def test_classes_are_those_of_the_simulator() -> None:
    text = said("campaign", "--help")
    assert [name for name in CLASSES if name not in text] == []


@pytest.mark.parametrize("kind", ["bit1", "burst64", "stuck", "upset_ring", "hang"])
def test_a_fault_depends_on_its_number_alone(kind: str) -> None:
    whole = campaign(kind, 9, *RETRY)
    parts = [campaign(kind, 4, *RETRY), campaign(kind, 5, *RETRY, first=4)]
    assert whole["faults"] == parts[0]["faults"] + parts[1]["faults"]
    assert len({fault["events"] for fault in whole["faults"]}) == 9
    assert campaign(kind, 9, *RETRY, seed=2)["faults"] != whole["faults"]


@pytest.mark.parametrize("settings", [RETRY, NONE], ids=["retry", "none"])
@pytest.mark.parametrize("kind", ["lost_flit", "lost_credit", "double_credit", "lost_set"])
def test_what_is_drawn_is_there_to_be_struck(kind: str, settings: tuple[str, ...], tmp_path: Path) -> None:
    # Flits follow one another: a log that is a cycle late misses those behind a tail only, one of twenty.
    done = campaign(kind, 60 if kind == "lost_flit" else 6, *settings)
    if kind == "lost_set" and settings == NONE:
        assert done["why_none"] == "there is no link layer"
        assert done["faults"] == []
        return
    for fault in done["faults"]:
        out = tmp_path / str(fault["number"])
        more = (*settings, f"faults.events={fault['events']}", "faults.verdict=reported")
        simulate(NETWORK, out, *more, status=None)
        rows = csv.DictReader((out / "tables" / "faults.csv").open())
        assert [row["effect"] for row in rows if row["point"] == fault["run"]] in (["lost"], ["doubled"]), fault


@pytest.mark.parametrize("settings", [RETRY, NONE, RELIABLE], ids=["retry", "none", "reliable"])
def test_the_command_of_a_fault_gives_its_outcome(settings: tuple[str, ...], tmp_path: Path) -> None:
    for fault in campaign("bit1", 12, *settings)["faults"]:
        out = tmp_path / str(fault["number"])
        more = (*settings, f"faults.events={fault['events']}", "faults.verdict=reported")
        simulate(NETWORK, out, *more, status=None)
        found = json.loads((out / "results.json").read_text())["points"]
        point = next(point for point in found if point["id"] == fault["run"])
        assert point["passed"] == (fault["outcome"] not in ("silent", "hung", "broken")), fault
        assert point["cycles"] == fault["cycles"]


def test_retry_cures_what_hits_single_symbols() -> None:
    for kind in ("bit1", "bit2", "lost_flit", "lost_credit", "lost_set", "dead_short"):
        done = campaign(kind, 40, *RETRY)
        assert set(outcomes(done)) <= {"by_link", "masked"}, (kind, outcomes(done))


def test_routers_in_dimension_order_have_no_routes() -> None:
    mesh = CAMPAIGNS / "mesh_network.yaml"
    assert campaign("upset_routes", 1, network=mesh)["why_none"] == "no chip has such a memory"
    found = outcomes(campaign("upset_routes", 40, "router.routing=table", network=mesh))
    assert found["silent"] + found["hung"] > 0
    assert found["broken"] == 0


@pytest.mark.parametrize("settings", [RETRY, NONE], ids=["retry", "none"])
def test_flits_that_are_upset_are_in_the_buffer_of_a_router(settings: tuple[str, ...]) -> None:
    # A flit is freed when it has been read: all flips but those of bytes that nobody checks are found.
    found = outcomes(campaign("upset_buffer", 60, *settings, network=CAMPAIGNS / "mesh_network.yaml"))
    assert found["reported"] + found["silent"] > 40, found
    assert found["hung"] == found["broken"] == 0


@pytest.mark.parametrize("settings", [RETRY, NONE], ids=["retry", "none"])
def test_flits_that_are_upset_are_in_the_buffer(settings: tuple[str, ...]) -> None:
    # A flit stays until its chunk is freed, but is read earlier: about half of the flips come too late. Of places drawn
    # without looking one in a hundred would hold a flit.
    found = outcomes(campaign("upset_buffer", 60, *settings))
    assert found["reported"] + found["silent"] > 15, found
    assert found["hung"] == found["broken"] == 0


@pytest.mark.parametrize("kind", ["bit2", "lost_flit", "upset_buffer"])
def test_interfaces_repair_what_no_link_does(kind: str) -> None:
    done = campaign(kind, 40, *RELIABLE)
    found = outcomes(done)
    assert set(found) <= {"end_to_end", "reported", "masked"}, found
    assert found["end_to_end"] > 10
    assert any(fault["recovery"] is not None for fault in done["faults"])


def test_a_source_that_cannot_know_is_told() -> None:
    # The receivers of a host whose links are dead for ever lack its messages, or it lacks their receipts.
    found = outcomes(campaign("dead_ever", 40, *RETRY, *WATCHED))
    assert set(found) <= {"reported", "end_to_end", "masked"}, found
    assert found["reported"] > 10


def test_without_a_layer_faults_pass_silently_or_hang() -> None:
    found = outcomes(campaign("bit1", 100, *NONE)) + outcomes(campaign("dead_long", 40, *NONE))
    assert found["silent"] > 0
    assert found["hung"] > 0


def test_faults_are_noticed_after_they_happen() -> None:
    for fault in campaign("bit1", 40, *RETRY)["faults"]:
        if fault["outcome"] == "by_link":
            assert 0 <= fault["noticed"] < 100, fault  # a frame of eight flits, then its check
        if fault["recovery"] is not None:
            assert fault["recovery"] > 0
            assert not fault["same"]


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = ("campaign", NETWORK, "--class", "bit1", "--count", "0", "--out", pipe)
    with subprocess.Popen([SIMULATOR, *words]) as running:
        assert json.loads(pipe.read_text())["faults"] == []
        assert running.wait(60) == 0
    assert pipe.is_fifo()


@pytest.mark.parametrize("setting", ["links=[{rate: 1e-6}]", "events=[{what: hang, host: host1, at: 1, until: 9}]"])
def test_a_scenario_with_faults_is_refused(setting: str) -> None:
    text = said("campaign", NETWORK, "-s", f"faults.{setting}", "--class", "bit1", status=2)
    assert "a campaign makes faults itself" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--class", "bit7"], "there is no class of faults 'bit7'"),
        (["-s", "network.fidelity=tlm", "--class", "bit1"], "a campaign makes many networks in one process"),
        (["-s", "network.chips={switch1: tlm}", "--class", "bit1"], "a campaign makes many networks in one process"),
        (["-s", "workload.1.messages=2", "--class", "bit1"], "each of several single multicasts has a network"),
    ],
)
def test_what_a_campaign_cannot_do_is_refused(words: list[str], message: str) -> None:
    assert message in said("campaign", NETWORK, *words, status=2)


def run(file: Path, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "polycast_cli", "campaign", str(file), "--out", str(out), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_a_campaign_from_file_to_report_and_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    part = ("--faults", "8", "--variant", "none", "--variant", "retry_reliable", "--minimise", "0")
    first = run(FOUR, out, *part)
    assert first.returncode in (0, 1), first.stderr
    rows = list(csv.DictReader((out / "table.csv").open()))
    assert len(rows) == 2 * len(CLASSES)
    for row in rows:
        counted = sum(int(row[outcome]) for outcome in OUTCOMES)
        assert counted == int(row["faults"]) == (0 if row["why_none"] else 8)
    faults = list(csv.DictReader((out / "faults.csv").open()))
    again = run(FOUR, out, *part)
    assert f"{2 * len(CLASSES)} of them done before" in again.stderr + again.stdout
    assert faults == list(csv.DictReader((out / "faults.csv").open()))
    bad = [fault for fault in faults if fault["outcome"] in ("silent", "hung")]
    assert bad
    said = json.loads((out / "results.json").read_text())
    unseen = Counter(
        fault["variant"]
        for fault in faults
        if fault["class"] in FLIPS and fault["outcome"] == "silent" and not fault["noticed"]
    )
    assert {one["variant"]: one["undetected"] for one in said["residual"]} == {
        variant: unseen[variant] for variant in ("none", "retry_reliable")
    }
    assert unseen["retry_reliable"] == 0
    assert said["passed"] == (not said["unmet"]) == (first.returncode == 0)
    assert {(one["variant"], one["class"], str(one["number"])) for one in said["bad"]} <= {
        (one["variant"], one["class"], one["number"]) for one in bad
    }
    page = html.unescape((out / "report.html").read_text())
    assert all(f"faults.events={one['events']}".replace("'", "'\"'\"'") in page for one in bad[:SHOWN])
    kept = sorted((out / "bad").glob("none-*-*/results/packets/*.sqlite"))
    assert kept
    by_class = Counter((fault["variant"], fault["class"]) for fault in bad)
    assert len(list((out / "bad").glob("*/results"))) == sum(min(SHOWN, count) for count in by_class.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\nscenario: nothing.yaml\nvariants: {x: {}}\n", ":2:11: there is no file nothing.yaml"),
        (
            "name: a\nscenario: N\nclasses: [bit1, bit3]\nvariants: {x: {}}\n",
            ":3:17: there is no class of faults 'bit3'",
        ),
        ("name: a\nscenario: N\nvarients: {x: {}}\n", ":3:1: unknown key 'varients'; did you mean 'variants'?"),
        ("name: a\nscenario: N\nvariants: {x: {set: {faults.seed: 1}}}\n", "'faults.seed' is set by the campaign"),
        ("name: a\nscenario: N\nvariants: {x: {expect: save}}\n", ":3:24: 'variants.x.expect' should be"),
        (
            "name: a\nscenario: N\nvariants: {x: {exempt: [hang]}}\n",
            ":3:25: 'exempt' has a meaning with 'expect: safe'",
        ),
        (
            "name: a\nscenario: N\nvariants: {x: {expect: safe, exempt: [hung]}}\n",
            ":3:39: there is no class of faults 'hung'; did you mean 'hang'?",
        ),
    ],
)
def test_a_bad_file_is_refused_where_it_is_bad(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(text.replace("scenario: N", f"scenario: {NETWORK}"))
    with pytest.raises(UserError) as refused:
        load_plan(tmp_path / "bad.yaml")
    assert message in str(refused.value)


def test_intervals_are_exact() -> None:
    # None of 9,604: 1 - 0.05^(1/9604). One of ten: the beta quantiles of Clopper and Pearson's paper.
    assert interval(0, 9604)[1] == pytest.approx(3.12e-4, rel=1e-3)
    assert interval(1, 10) == pytest.approx((0.00253, 0.44502), rel=1e-3)
    assert interval(10, 10)[1] == 1.0


def test_the_residual_share_is_that_of_silent_flips_which_nobody_noticed() -> None:
    def fault(outcome: str, noticed: int | None) -> Fault:
        return Fault(0, "r", "p", 1, "[]", outcome, False, noticed, None, 10, 1.0, "")

    flips = [fault("silent", None), fault("silent", 3), fault("masked", None), fault("by_link", 5)]
    found = Residual.of("v", {"bit6": flips, "burst64": flips, "lost_flit": flips})
    assert (found.faults, found.undetected) == (8, 2)
    assert found.interval() == pytest.approx(interval(2, 8))
    assert found.contradicts
    assert not Residual("v", 10**6, 16).contradicts  # 2^-16 of a million are 15
    assert Residual("v", 10**6, 30).contradicts
    plan = Plan.model_validate({"name": "a", "scenario": "b", "variants": {"v": {"expect": "safe"}, "w": {}}})
    assert len(missed(plan, [found, Residual("w", 8, 8)])) == 1


def test_expectations_of_variants_can_fail() -> None:
    plan = Plan.model_validate(
        {"name": "a", "scenario": "b", "variants": {"all": {"expect": "safe"}, "bare": {"expect": "seen"}}}
    )
    none = {outcome: 0 for outcome in OUTCOMES}
    row = Row("all", "bit1", 10, none | {"silent": 1, "masked": 9}, 9, None, None, None, 100)
    blind = Row("bare", "bit1", 10, none | {"masked": 10}, 10, None, None, None, 100)
    assert [text.partition(":")[0] for text in unmet(plan, [row, blind])] == ["all", "bare"]
    plan.variants["all"] = plan.variants["all"].model_copy(update={"exempt": ["bit1"]})
    assert [text.partition(":")[0] for text in unmet(plan, [row, blind])] == ["bare"]


VARIANTS = ("none", "check", "retry", "none_reliable", "check_reliable", "retry_reliable")


@pytest.mark.parametrize("name", ["four_switches", "mesh", "two_interfaces"])
def test_reference_campaigns_are_safe_where_they_say_so(name: str, tmp_path: Path) -> None:
    file = CAMPAIGNS / f"{name}.yaml"
    safe = ("tables", "protected") if name == "mesh" else ("protected",)
    assert [*load_plan(file).variants] == [*VARIANTS, *safe]
    chosen = [word for variant in safe for word in ("--variant", variant)]
    done = run(file, tmp_path / "out", "--faults", "6", *chosen, "--minimise", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {(row["variant"], row["class"]): row for row in csv.DictReader((tmp_path / "out" / "table.csv").open())}
    assert {row["why_none"] for row in rows.values()} == {""}
    assert all(int(rows[variant, "dead_ever"]["reported"]) > 0 for variant in safe)
    assert int(rows["protected", "upset_buffer"]["by_link"]) > 0, "a code corrects flits"


def test_all_faults_of_two_variants_of_four_switches(tmp_path: Path) -> None:
    variants = ("--variant", "none", "--variant", "retry_reliable")
    done = run(FOUR, tmp_path / "out", *variants, "--minimise", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader((tmp_path / "out" / "table.csv").open()))
    assert {row["faults"] for row in rows if not row["why_none"]} == {str(FAULTS)}
    said = json.loads((tmp_path / "out" / "results.json").read_text())
    shares = {one["variant"]: one["undetected"] for one in said["residual"]}
    assert shares["none"] > 0 == shares["retry_reliable"]


def test_a_bad_run_that_cannot_be_repeated_is_told(tmp_path: Path) -> None:
    bent = tmp_path / "bin" / "polycast-sim"
    bent.parent.mkdir()
    bent.write_text(f'#!/bin/sh\ncase "$1" in run) kill -SEGV $$;; esac\nexec {SIMULATOR} "$@"\n')
    bent.chmod(0o755)
    words = ("--variant", "none", "--class", "dead_long", "--faults", "20", "--minimise", "0")
    done = run(FOUR, tmp_path / "out", *words, "--build", str(tmp_path))
    assert done.returncode == 1
    assert "none, dead_long number" in done.stdout
    assert "its replay crashed" in done.stdout


def test_a_part_of_a_campaign_is_what_the_words_for_it_say() -> None:
    plan = load_plan(FOUR)
    part = Part(5, 9, ("hang", "bit1"), ("retry",))
    chosen = part.of(plan)
    assert (chosen.faults, chosen.seed, chosen.classes, [*chosen.variants]) == (5, 9, ["bit1", "hang"], ["retry"])
    assert " ".join(part.words) == "--faults 5 --seed 9 --variant retry --class hang --class bit1"
    assert Part().of(plan) == plan
    for wrong, message in (
        (Part(variants=("retri",)), "--variant retri: four_switches has no such variant; did you mean 'retry'?"),
        (Part(classes=("bit7",)), "--class bit7: four_switches has no such class"),
    ):
        with pytest.raises(UserError, match=message.replace("?", r"\?")):
            wrong.of(plan)


def test_a_build_tree_without_simulator_is_refused(tmp_path: Path) -> None:
    done = run(FOUR, tmp_path / "out", "--build", str(tmp_path))
    assert done.returncode == 2
    assert "there is no bin/polycast-sim; build it first" in done.stderr


def test_jobs_of_more_faults_go_on_with_those_before(tmp_path: Path) -> None:
    plan = load_plan(FOUR)
    few = Campaign(SIMULATOR, FOUR, tmp_path, plan.model_copy(update={"faults": 400}))
    many = Campaign(SIMULATOR, FOUR, tmp_path, plan.model_copy(update={"faults": 1000}))
    assert {job.key for _, job in few.jobs()} < {job.key for _, job in many.jobs()}
