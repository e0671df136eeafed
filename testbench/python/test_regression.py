# SPDX-License-Identifier: Apache-2.0
"""Test plans: how they are read, run, resumed and reported; failures that are made smaller and repeated."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from fixture_browser import Browser, browser
from fixture_regression import PLAN, write_build, write_plan
from junitparser import Error, Failure, JUnitXml, Skipped
from polycast_cli.common import ROOT, UserError
from polycast_cli.main import app
from polycast_cli.regression import regress
from polycast_cli.regression.cases import PATHS, Case, cases_of, expand, list_ctests
from polycast_cli.regression.execute import Result, Verdict, read_soak_output
from polycast_cli.regression.minimise import bisect, kind_of, reduce_number
from polycast_cli.regression.plan import Test as PlannedTest
from polycast_cli.regression.plan import load_plan

__all__ = ["browser"]

BUILD = Path(os.environ.get("POLYCAST_BUILD", ROOT / "build" / "release"))


def call(*arguments: object, timeout: float = 400) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "polycast_cli", "regress", *(str(argument) for argument in arguments)]
    env = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "TERM": "dumb", "COLUMNS": "200"}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=timeout)


@dataclass
class Done:
    out: Path
    build: Path
    process: subprocess.CompletedProcess[str]
    results: dict[str, Any]

    def case(self, name: str) -> dict[str, Any]:
        return next(case for case in self.results["cases"] if name in case["name"])

    def state(self, name: str) -> str:
        return next(item["state"] for item in self.results["requirements"] if item["id"] == name)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The plan with every way to end, run once."""
    folder = tmp_path_factory.mktemp("regression")
    build, plan = write_build(folder / "build"), write_plan(folder / "plan")
    process = call(plan, "--build", build, "--out", folder / "out", "-j", 2, "--seed", 5, "--minimise", 1)
    assert process.returncode == 1, process.stderr
    return Done(folder / "out", build, process, json.loads((folder / "out" / "results.json").read_text()))


def test_every_way_to_end_has_its_verdict(done: Done) -> None:
    verdicts = {case["name"]: case["verdict"] for case in done.results["cases"]}
    assert verdicts == {
        "good_one": "passed",
        "good_two/value": "passed",
        "scenario small.yaml measurement.window=20 cycle seed=0": "passed",
        "scenario small.yaml measurement.window=20 cycle seed=5": "passed",
        "bad": "failed",
        "broken": "failed",
        "sometimes": "flaky",
        "slow": "timeout",
        "scenario small.yaml network.topology.hosts=6 seed=3": "failed",
        "scenario small.yaml network.topology.hosts=12 seed=3": "failed",
        "scenario small.yaml seed=404": "refused",
        "lockstep core-rtl 10x2000 seed=8": "failed",
        "cocotb.chip": "failed",
        "absent": "skipped",
        "known": "failed",
    }
    assert "unit.cpp:3: Failure" in done.case("bad")["message"]
    assert "a.yaml:1:1: refused" in done.case("seed=404")["message"]
    assert done.case("broken")["message"] == "SEGFAULT"
    assert done.case("cocotb.chip")["replay"] == "SEED=7 chip"
    assert (done.out / done.case("cocotb.chip")["wave"]).name == "chip-7.fst"


def test_files_of_a_plan_are_values_of_keys_that_there_are() -> None:
    keys = (ROOT / "tlm" / "scenario" / "keys.md").read_text()
    assert [path for path in PATHS if f"| `{path}` |" not in keys] == []


def test_requirements_are_judged_failed_ones_first(done: Done) -> None:
    states = {item["id"]: item["state"] for item in done.results["requirements"]}
    assert list(states)[:2] == ["all.bad", "all.skipped"]
    assert states == {
        "all.bad": "failed", "all.skipped": "not checked", "all.waived": "waived", "none": "waived",
        "all.good": "passed", "all.shared": "passed",
    }  # fmt: skip
    assert done.case("good_one")["requirements"] == ["all.good", "all.shared"]
    assert "the supplier mends it" in done.case("known")["waiver"]
    assert "waiver of '^good_one$' is not needed" in done.process.stdout


def test_junit_is_what_ci_reads(done: Done) -> None:
    document = JUnitXml.fromfile(str(done.out / "junit.xml"))
    assert (document.tests, document.failures, document.errors, document.skipped) == (15, 8, 1, 2)
    cases = {case.name: case for suite in document for case in suite}
    assert isinstance(cases["sometimes"].result[0], Failure)
    assert cases["sometimes"].result[0].type == "flaky"
    assert isinstance(cases["scenario small.yaml seed=404"].result[0], Error)
    assert isinstance(cases["known"].result[0], Skipped)
    assert "waived: the supplier mends it" in cases["known"].result[0].message
    smallest = cases["scenario small.yaml network.topology.hosts=6 seed=3"]
    assert "again: scripts/polycast run" in smallest.result[0].text
    attached = re.fullmatch(r"\[\[ATTACHMENT\|(.*)\]\]", smallest.system_out.strip())
    assert attached is not None
    assert Path(attached[1]).is_file()
    text = (done.out / "junit.xml").read_text()
    assert text.index("<failure") < text.index("<system-out>")  # the order that the schema of JUnit asks for


def test_failures_are_made_smaller_once_for_those_that_are_alike(done: Done) -> None:
    minimal = done.case("hosts=6 seed=3")["minimal"]
    assert done.case("hosts=12 seed=3")["minimal"] is None
    settings = dict(re.findall(r"(?:-s '?)([\w.]+)=([^'\s]+)", minimal["replay"]))
    assert settings["network.topology.hosts"] == "5"  # with fewer it fails at another pin
    assert settings["measurement.window"] == "40"
    assert settings["seed"] == "3"
    assert settings["workload.big.message"] == "3"  # with less it fails later
    assert '"other"' not in minimal["replay"]
    assert "workloads: 2 to 1" in minimal["steps"]
    line = done.case("lockstep")["minimal"]["replay"]
    assert "ports=3 vcs=1 seed=8 cycles=17" in line
    assert done.case("lockstep")["minimal"]["wave"].endswith("/both.fst")  # the one with a save file
    assert done.case("bad")["minimal"] is None


@pytest.mark.parametrize(
    "rtl", ["", " --own-rtl mine", " --own-rtl '/tmp/my chips/rtl'"], ids=["ours", "plain", "quoted"]
)
def test_the_line_of_a_difference_is_read_wherever_the_rtl_is(rtl: str, tmp_path: Path) -> None:
    result = Result(Case("lockstep", "lockstep", PlannedTest(lockstep="core-rtl")), Verdict.FAILED, 0, tmp_path)
    read_soak_output(result, f'replay: soak --pair core-rtl{rtl} --replay "ports=3 seed=8"\n')
    assert result.soak == ("core-rtl", "ports=3 seed=8")


def test_the_command_of_a_smallest_failure_repeats_it(done: Done, tmp_path: Path) -> None:
    for name, program in (("hosts=6 seed=3", "polycast-sim"), ("lockstep", "polycast-soak")):
        minimal = done.case(name)["minimal"]
        assert (done.out / minimal["wave"]).is_file()
        words = shlex.split(minimal["replay"])
        assert words[0] == "scripts/polycast"
        rest = words[1:] if program == "polycast-sim" else words[2:]
        where = ["--out" if program == "polycast-sim" else "--waves", str(tmp_path / program)]
        again = subprocess.run(
            [done.build / "bin" / program, *rest, *where], capture_output=True, text=True, check=False, cwd=ROOT
        )
        assert again.returncode == 1
        assert minimal["message"].split(": ", 1)[1] in again.stdout + again.stderr


def test_the_page_begins_with_what_failed(done: Done) -> None:
    page = (done.out / "report.html").read_text()
    assert page.index("What failed") < page.index(">Requirements<") < page.index("Every case")
    assert page.index("hosts=6 seed=3</h3>") < page.index("<h3>bad</h3>")  # with its smallest case
    for text in ("flaky", "unit.cpp:3: Failure", "waived: the supplier mends it", "not checked", "is not needed"):
        assert text in page
    for link in re.findall(r'href="((?:cases|minimise)/[^"]+)"', page):
        assert (done.out / link).exists(), link


def test_everybody_can_read_the_page(browser: Browser, done: Done) -> None:
    browser.open(done.out / "report.html")
    browser.script("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    with browser.screen(width=390):
        assert browser.script("return document.documentElement.scrollWidth") <= 390
    assert browser.violations() == []
    with browser.screen(colours="dark"):
        assert browser.violations(["color-contrast"]) == []
    assert browser.complaints() == []


def test_what_is_known_is_not_run_again_and_a_complete_run_is_replaced(tmp_path: Path) -> None:
    build = write_build(tmp_path / "build")
    plan = write_plan(tmp_path / "plan", PLAN.split("  - id: all.bad")[0])
    count = tmp_path / "count"
    script = f'add_test(good_three "/bin/sh" "-c" "echo x >> {count}; sleep 0.1")\n'
    slow = 'add_test(good_slow "/bin/sh" "-c" "sleep 15")\n'
    tests = build / "CTestTestfile.cmake"
    common = tests.read_text()
    tests.write_text(common + script + slow)
    # The slow test is a batch of its own by its cost.
    costs = build / "Testing" / "Temporary" / "CTestCostData.txt"
    costs.parent.mkdir(parents=True)
    costs.write_text("good_slow 1 60\n")
    command = [sys.executable, "-m", "polycast_cli", "regress", plan, "--build", build, "--out", tmp_path / "out"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    env["POLYCAST_COMMAND"] = shlex.join(command[:3])
    with subprocess.Popen([str(part) for part in [*command, "-j", "2"]], env=env, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 200
        while not list((tmp_path / "out" / "cases").glob("[!.]*/junit.xml")):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        time.sleep(1)  # the store is a moment behind the folder
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130, said
    printed = re.search(r"interrupted; continue with: (.*)$", said, re.MULTILINE)
    assert printed and printed[1].count("--out") == 1
    assert not (tmp_path / "out" / "junit.xml").exists()
    before = json.loads((tmp_path / "out" / "run.json").read_text())
    refused = call(plan, "--build", build, "--out", tmp_path / "out", "--seed", before["seed"] + 1)
    assert refused.returncode == 2
    assert "give --out another folder" in refused.stderr
    shell = ["/bin/sh", "-c", f"{printed[1]} --minimise 0"]
    again = subprocess.run(shell, env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "continued" in again.stderr
    assert json.loads((tmp_path / "out" / "results.json").read_text())["seed"] == before["seed"]
    assert count.read_text() == "x\n"
    assert call(plan, "--build", build, "--out", tmp_path / "out", "--tag", "quick").returncode == 0
    assert count.read_text() == "x\nx\n"
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.txt").write_text("mine")
    foreign = call(plan, "--build", build, "--out", tmp_path / "foreign")
    assert foreign.returncode == 2
    assert "holds something else" in foreign.stderr
    assert (tmp_path / "foreign" / "thesis.txt").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("requirements:", "requirments:", ":3:1: unknown key 'requirments'; did you mean 'requirements'?"),
        ("says: Nothing checks it.", "sais: x", "unknown key 'sais' in 'requirements[5]'; did you mean 'says'?"),
        ("{ctest: '^known$'}", "{ctset: '^known$'}", "unknown key 'ctset' in 'requirements[4].tests[0]'; did"),
        ("{ctest: '^known$'}", "{ctest: '^knwon$'}", ":28:21: no ctest test matches '^knwon$'; did you mean 'known'?"),
        ("{ctest: '^known$'}", "{ctest: '(known'}", "'(known' is no regular expression"),
        ("{ctest: '^known$'}", "{ctest: '^known$', seeds: 3}", "'seeds' has no meaning with 'ctest'"),
        ("{ctest: '^known$'}", "{ctest: a, pytest: b}", "this is ctest and pytest"),
        ("{ctest: '^known$'}", "{formal: arbiter}", "no formal test matches 'arbiter'; there are no formal tests"),
        ("{ctest: '^known$'}", "{scenario: smal.yaml}", "there is no 'smal.yaml' beside the plan"),
        ("tests: [{ctest: '^known$'}]", "tests: []", "nothing checks 'all.waived': add 'tests', or a waiver"),
        ("id: all.shared", "id: all.good", "there is a requirement 'all.good' already"),
        ("requirement: none", "requirement: nome", "there is no requirement 'nome'; did you mean 'none'?"),
        ("requirement: none", "requirement: all.good", "nothing checks 'none'"),
        ("case: '^good_one$'", "case: '^nothing$'", "no case matches '^nothing$'; remove the waiver"),
        ("seeds: [404]", "seeds: lots", "'requirements[1].tests[4].seeds' should be a valid integer"),
        ("seeds: [404]", "set: {seed: 3}", "'seed' is not for 'set' or 'grid'"),
        ("reason: it failed once, ", "", "'reason' is missing in 'waivers[1]'"),
        ("name: fake", "name: fake\nname: other", ":3:1: 'name' is given twice"),
        ("name: fake", "name: [", "plan.yaml:"),
    ],
)  # fmt: skip
def test_mistakes_in_a_plan_are_said_with_place_and_way_out(tmp_path: Path, old: str, new: str, message: str) -> None:
    from polycast_cli.regression.verdicts import check_waivers

    assert old in PLAN
    path = write_plan(tmp_path, PLAN.replace(old, new, 1))
    with pytest.raises(UserError) as error:
        plan, source = load_plan(path)
        cases = expand(plan, source, list_ctests(write_build(tmp_path / "build")), 1, None)
        check_waivers(plan, source, cases)
    assert message in str(error.value)
    assert re.match(r"\S*plan\.yaml:\d+:\d+: ", str(error.value))


def test_names_on_the_command_line_are_checked(tmp_path: Path) -> None:
    build, plan = write_build(tmp_path / "build"), write_plan(tmp_path / "plan")
    for options, message in (
        (["--only", "all.god"], "there is no such requirement; did you mean 'all.good'?"),
        (["--tag", "quik"], "no test has it; did you mean 'quick'?"),
        (["--scheduler", "nonsense"], "expected tcp://HOST:PORT"),
        (["--build", tmp_path], "there is no CTestTestfile.cmake; build it first"),
    ):
        process = call(plan, "--build", build, "--out", tmp_path / "out", *options)
        assert process.returncode == 2, process.stderr
        assert message in process.stderr
    listed = call(plan, "--build", build, "--list", "--tag", "quick", "--seeds", 4)
    assert listed.returncode == 0
    assert len(re.findall(r"window=20 cycle seed=\d+", listed.stdout)) == 4
    assert "all.bad" not in listed.stdout


@pytest.mark.parametrize(
    ("test", "listed", "run"),
    [
        ("scenario: a.yaml", [], [("build", ("polycast-sim",), False)]),
        ("campaign: a.yaml", [], [("build", ("polycast-sim",), False)]),
        ("lockstep: core-rtl", [], [("ensure", "test"), ("build", ("polycast-soak",), True)]),
        ("pytest: test_a.py", [], [("ensure", "test"), ("build", (), True)]),
        ("ctest: hw", [("ensure", "test"), ("configure", True)], [("ensure", "test"), ("build", (), True)]),
    ],
    ids=["scenario", "campaign", "lockstep", "pytest", "ctest"],
)
def test_a_plan_gets_what_it_uses(
    test: str, listed: list[Any], run: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"name: small\nrequirements:\n  - {{id: one, says: One., tests: [{{{test}}}]}}\n")
    (tmp_path / "a.yaml").write_text("")
    (tmp_path / "test_a.py").write_text("")
    done: list[Any] = []
    monkeypatch.setattr(regress, "ensure", lambda group: done.append(("ensure", group)))
    monkeypatch.setattr(regress, "configure", lambda _, tests: done.append(("configure", tests)))
    monkeypatch.setattr(
        regress, "build", lambda _, targets=(), tests=False: done.append(("build", tuple(targets), tests))
    )
    regress.make(regress.Order(plan), only_list=True)
    assert done == listed
    done.clear()
    regress.make(regress.Order(plan))
    assert done == run


def test_seeds_are_0_and_the_runs_own(tmp_path: Path) -> None:
    plan, source = load_plan(write_plan(tmp_path))
    test = plan.requirements[0].tests[1]
    seeds = [case.seed for case in cases_of(test, source, (), [], 70, 4)]
    assert seeds == [0, 70, 71, 72]


def test_numbers_are_reduced_in_few_tries() -> None:
    tried: list[int] = []

    def fails(value: int) -> bool:
        tried.append(value)
        return value >= 37

    assert reduce_number(100000, 1, fails) == 37
    assert len(tried) < 20
    assert reduce_number(7, 7, fails) == 7
    assert bisect(lambda value: value >= 5, 1, 5) == 5


def test_the_same_failure_in_another_size_is_the_same_kind() -> None:
    first = kind_of("irregular-1/load: switch1 in cycle 6210: flit_data of port 0: core 04, own RTL 02")
    assert first == kind_of("irregular-2/load: switch3 in cycle 10: flit_data of port 7: core 1f, own RTL ff")
    assert first != kind_of("irregular-1/load: switch1 in cycle 6210: flit_valid of port 0: core 1, own RTL 0")
    assert kind_of("3 missing, 4 corrupted") == kind_of("17 missing, 1 corrupted") != kind_of("3 missing")


def test_the_broken_arbiter_is_found_made_smaller_and_repeated(tmp_path: Path) -> None:
    """Real programs, the real fault."""
    text = (ROOT / "testbench/own_rtl/regression.yaml").read_text()
    scenario = ROOT / "testbench/scenarios/own_rtl.yaml"
    plan = tmp_path / "plan.yaml"
    plan.write_text(text.replace("../scenarios/own_rtl.yaml", str(scenario)))
    options = ["--only", "arbiter.pins", "--seeds", 1, "--minimise", 0.5]
    process = call(plan, "--build", BUILD, "--out", tmp_path / "out", *options, timeout=1200)
    assert process.returncode == 1, process.stderr
    results = json.loads((tmp_path / "out/results.json").read_text())
    assert results["requirements"][0]["state"] == "failed"
    failed = [case for case in results["cases"] if case["verdict"] == "failed"]
    smallest = [case for case in failed if case["minimal"]]
    assert smallest
    minimal = smallest[0]["minimal"]
    cycle = re.compile(r"in cycle (\d+)")
    assert int(cycle.search(minimal["message"])[1]) <= min(int(cycle.search(case["message"])[1]) for case in failed)
    assert minimal["steps"]
    assert (tmp_path / "out" / minimal["wave"]).stat().st_size > 0
    words = shlex.split(minimal["replay"])
    assert words[:2] == ["scripts/polycast", "run"]
    again = subprocess.run(
        [BUILD / "bin/polycast-sim", *words[1:], "--out", tmp_path / "again", "--progress", "none"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert again.returncode == 1
    assert minimal["message"].split("load: ", 1)[1] in again.stderr


CAMPAIGN = f"""
name: bits
scenario: {ROOT / "testbench" / "campaigns" / "four_switches_network.yaml"}
classes: [bit1, lost_flit]
variants:
  cured: {{set: {{network.link.layer: retry}}, expect: safe}}
  bare: {{expect: safe}}
  blind: {{set: {{network.link.layer: retry}}, expect: seen}}
  whatever: {{expect: nothing}}
"""
CAMPAIGN_PLAN = """
name: faults
requirements:
  - {id: faults, says: They are cured., tests: [{campaign: bits.yaml, faults: 6, classes: [lost_flit]}]}
"""


def test_campaigns_are_cases_by_variant(tmp_path: Path) -> None:
    plan = write_plan(tmp_path / "plan", CAMPAIGN_PLAN)
    (tmp_path / "plan" / "bits.yaml").write_text(CAMPAIGN)
    process = call(plan, "--build", BUILD, "--out", tmp_path / "out", "--minimise", 0.02, "--seed", 5)
    assert process.returncode == 1, process.stderr
    found = Done(tmp_path / "out", BUILD, process, json.loads((tmp_path / "out" / "results.json").read_text()))
    stem = "campaign bits.yaml {} 6 faults of lost_flit seed={}"
    assert {case["name"]: case["verdict"] for case in found.results["cases"]} == {
        stem.format("cured", 0): "passed",
        stem.format("bare", 0): "failed",
        stem.format("blind", 0): "failed",
    }
    blind = found.case("blind")
    assert "a campaign that sees none there is blind" in blind["message"]
    options = "--faults 6 --seed 0 --variant blind --class lost_flit"
    assert blind["replay"] == f"scripts/polycast campaign {tmp_path / 'plan' / 'bits.yaml'} {options}"
    assert blind["minimal"] is None
    bare = found.case("bare 6 faults of lost_flit seed=0")
    assert re.match(r"bare: \d+ faults passed silently, hung", bare["message"])
    assert (tmp_path / "out" / bare["wave"]).is_file()
    again = shlex.split(bare["replay"])
    assert again[:2] == ["scripts/polycast", "run"]
    command = [BUILD / "bin/polycast-sim", *again[1:], "--out", tmp_path / "again", "--progress", "none"]
    assert subprocess.run(command, cwd=ROOT, check=False, timeout=100, capture_output=True).returncode == 1
    assert "scripts/polycast run" in bare["minimal"]["replay"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bits.yaml", "bit.yaml", "there is no 'bit.yaml' beside the plan"),
        ("[lost_flit]", "[lost_flt]", "lost_flt: bits has no such class; did you mean 'lost_flit'?"),
        ("faults: 6", "grid: {a: [1]}", "'grid' has no meaning with 'campaign'; it belongs to scenario"),
        ("expect: safe", "expect: nothing", "no variant of bits has 'expect: safe' or 'expect: seen'"),
        ("classes: [bit1", "classes: [bit", "bits.yaml:4:11: there is no class of faults 'bit'"),
    ],
)
def test_mistakes_in_tests_of_campaigns_are_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write_plan(tmp_path, CAMPAIGN_PLAN.replace(old, new))
    text = CAMPAIGN.replace("expect: seen", "expect: nothing") if "expect" in old else CAMPAIGN
    (tmp_path / "bits.yaml").write_text(text if old == "bits.yaml" else text.replace(old, new))
    with pytest.raises(UserError) as error:
        plan, source = load_plan(path)
        expand(plan, source, [], 1, None)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["regression.yaml", "own_rtl/regression.yaml"])
def test_plans_of_the_project_fit_its_tests(name: str) -> None:
    plan, source = load_plan(ROOT / "testbench" / name)
    assert expand(plan, source, list_ctests(BUILD), 1, None)


def test_the_projects_plan_names_every_page_of_the_chips() -> None:
    plan, _ = load_plan(ROOT / "testbench" / "regression.yaml")
    pages = {requirement.page for requirement in plan.requirements}
    contracts = {str(page.relative_to(ROOT)) for page in (ROOT / "hw/chips").glob("*/*.md")}
    assert contracts
    assert contracts <= pages
    assert all((ROOT / page).is_file() for page in pages)


def commands_in(content: object) -> list[str]:
    """Command lines of ours in a document, at any depth."""
    if isinstance(content, str):
        return [line for line in content.splitlines() if line.startswith("scripts/polycast")]
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else []
    return [line for part in parts for line in commands_in(part)]


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_workflows_of_ci_call_commands_that_exist(name: str) -> None:
    content = yaml.safe_load((ROOT / "scripts" / "ci" / name).read_text())
    lines = commands_in(content)
    assert {tuple(shlex.split(line)[1:3]) for line in lines} == {
        ("test",),
        ("test", "--all"),
        ("test", "--tier"),
        ("regress", "--out"),
    }
    group = typer.main.get_command(app)
    for line in lines:
        command, *arguments = shlex.split(line)[1:]
        context = group.commands[command].make_context(command, arguments)  # type: ignore[attr-defined]
        assert command == "test" or str(context.params["out_dir"]) == "results/regress"
    assert "results/regress/junit.xml" in (ROOT / "scripts" / "ci" / name).read_text()


def test_the_schema_of_plans_is_printed() -> None:
    process = call("--schema")
    assert process.returncode == 0
    assert "requirements" in json.loads(process.stdout)["properties"]
