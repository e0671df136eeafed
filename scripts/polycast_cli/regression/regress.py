# SPDX-License-Identifier: Apache-2.0
"""`regress`: a test plan is run, in parallel, and can be interrupted at any time."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.text import Text

from polycast_cli.build import build, configure, folder
from polycast_cli.common import ROOT, Status, UserError, ensure, fresh_folder, out, say, shown, write_whole
from polycast_cli.jobs.model import Job, Outcome, identity
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work
from polycast_cli.located import Source
from polycast_cli.regression.cases import (
    PYTHON,
    SOURCES,
    Case,
    CTest,
    chosen,
    expand,
    list_ctests,
    stamp,
    tags_of,
    today,
)
from polycast_cli.regression.coverage import DATA, clear, merge
from polycast_cli.regression.execute import (
    Minimal,
    Result,
    Setting,
    Verdict,
    bad_runs,
    from_root,
    jobs_of,
    read_results,
)
from polycast_cli.regression.minimise import kind_of
from polycast_cli.regression.outputs import Regression, run_of, write_all
from polycast_cli.regression.plan import Plan, load_plan
from polycast_cli.regression.verdicts import State, check_only, check_waivers, judge, waive
from polycast_cli.terminal import table

PLAN = ROOT / "testbench" / "regression.yaml"
PROGRAM = "polycast regress"
#: What is in a results folder.
WRITTEN = (
    "cases", "minimise", "coverage", "coverage-data", "jobs.sqlite", "junit.xml", "results.json", "report.html",
    "run.json",
)  # fmt: skip
REPEATED = (Verdict.FAILED, Verdict.CRASHED)


@dataclass
class Order:
    """What was asked for on the command line."""

    plan: Path
    out: Path | None = None
    tags: Sequence[str] = ()
    only: Sequence[str] = ()
    seeds: int | None = None
    seed: int | None = None
    jobs: int | None = None
    scheduler: str | None = None
    build: Path | None = None  # a build tree that is used as it is
    preset: str = "release"
    minimise: float = 2.0  # minutes for each failure; 0: not at all
    coverage: bool = False
    command: str = ""


@dataclass
class Found:
    """A plan with all its cases, and those that are to run."""

    plan: Plan
    source: Source
    ctests: list[CTest]
    cases: list[Case]
    asked: list[Case] = field(default_factory=list)


def find(order: Order, seed: int) -> Found:
    """\\raises UserError where the plan is wrong"""
    plan, source = load_plan(order.plan)
    check_only(plan, order.only, order.tags, tags_of(plan))
    tree = build_tree(order, plan)
    asks = any(test.kind in ("ctest", "formal", "cocotb") for item in plan.requirements for test in item.tests)
    ctests = list_ctests(tree) if asks else []
    cases = expand(plan, source, ctests, seed, order.seeds)
    check_waivers(plan, source, cases)
    asked = chosen(plan, cases, order.tags, order.only)
    if not asked:
        raise UserError(f"no case has {' or '.join(f'--tag {tag}' for tag in order.tags)} and is of --only")
    return Found(plan, source, ctests, cases, asked)


#: What a kind of test needs in a build tree.
NEEDED = {
    "scenario": "bin/polycast-sim", "campaign": "bin/polycast-sim", "lockstep": "bin/polycast-soak",
    "pytest": "bin/polycast-sim",
}  # fmt: skip


def build_tree(order: Order, plan: Plan) -> Path:
    """\raises UserError where a tree that was given does not have what the plan needs"""
    if order.build is None:
        return folder(order.preset)
    kinds = {test.kind for item in plan.requirements for test in item.tests}
    for name in sorted({NEEDED.get(kind, "CTestTestfile.cmake") for kind in kinds}):
        if not (order.build / name).is_file():
            raise UserError(f"--build {shown(order.build)}: there is no {name}; build it first")
    return order.build.resolve()


#: Kinds of tests that the build tree lists, and those that need all of it built.
OF_THE_TREE = {"ctest", "formal", "cocotb"}
WHOLE = OF_THE_TREE | {"pytest"}


def make(order: Order, only_list: bool = False) -> None:
    """Installs, configures and builds what the plan needs, and to list its cases no more than that takes."""
    if order.build is not None:
        return
    plan, _ = load_plan(order.plan)
    kinds = {test.kind for item in plan.requirements for test in item.tests}
    if kinds - {"scenario", "campaign"} and (not only_list or kinds & OF_THE_TREE):
        ensure("test")
    if only_list:
        if kinds & OF_THE_TREE:
            configure(order.preset, tests=True)
    elif kinds & WHOLE:
        build(order.preset, tests=True)
    else:
        programs = {NEEDED[kind].removeprefix("bin/") for kind in kinds}
        build(order.preset, targets=sorted(programs), tests="lockstep" in kinds)


def list_cases(order: Order) -> None:
    make(order, only_list=True)
    found = find(order, order.seed if order.seed is not None else 1)
    rows = table("requirement", "case", left=("requirement", "case"))
    asked = {case.name for case in found.asked}
    for requirement in found.plan.requirements:
        for case in found.cases:
            if requirement.id in case.requirements and case.name in asked:
                rows.add_row(requirement.id, case.name)
    out.print(rows)
    tags = " ".join(tags_of(found.plan)) or "none"
    say(f"{len(found.asked)} cases of {len(found.plan.requirements)} requirements; tags: {tags}")


class Begun(BaseModel):
    """What run.json of a regression says while it runs, and afterwards."""

    program: str
    complete: bool
    seed: int
    command: str


def results_folder(order: Order) -> tuple[Path, Begun | None]:
    """The folder, and the run in it that was interrupted. \\raises UserError where it holds something else"""
    if order.out is None:
        return fresh_folder(f"regress-{load_plan(order.plan)[0].name}"), None
    target = order.out
    if not target.exists() or not any(target.iterdir()):
        return target, None
    try:
        before = Begun.model_validate_json((target / "run.json").read_bytes())
    except (OSError, ValueError):
        before = None
    if before is None or before.program != PROGRAM:
        raise UserError(f"{shown(target)}: holds something else; give --out another folder")
    if not before.complete:
        return target, before
    for name in WRITTEN:
        path = target / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return target, None


def regress(order: Order) -> int:
    """\\returns the exit status"""
    begin, begun = time.monotonic(), time.strftime("%Y-%m-%d %H:%M:%S")
    load_plan(order.plan)  # what is wrong with it is said before anything is built
    target, before = results_folder(order)
    seed = order.seed
    if seed is None:
        seed = before.seed if before else 1 + secrets.randbelow(2**31 - 1)
    if before and before.seed != seed:
        raise UserError(f"--seed {seed}: the run in {shown(target)} has seed {before.seed}; give --out another folder")
    make(order)
    found = find(order, seed)
    target.mkdir(parents=True, exist_ok=True)
    target = target.resolve()
    start = Begun(program=PROGRAM, complete=False, seed=seed, command=order.command)
    write_whole(target / "run.json", start.model_dump_json() + "\n")
    say(f"{len(found.asked)} cases of {found.plan.name}, seed {seed}{', continued' if before else ''}: {shown(target)}")
    tree = build_tree(order, found.plan)
    extra = {order.plan.resolve(), *(case.path for case in found.asked if case.path)}
    extra |= {file for case in found.asked for file in case.beside}
    extra |= {Path(str(value)) for case in found.asked for value in case.settings.values() if Path(str(value)).is_dir()}
    sources = [*(ROOT / name for name in SOURCES), tree / "bin", *sorted(extra)]
    python = stamp([ROOT / name for name in PYTHON])
    setting = Setting(tree, target, identity(stamp(sources)), identity(python))
    data = target / "coverage-data"
    if order.coverage:
        setting.env[DATA] = str(data)
        if not before:
            clear(tree, data)
    try:
        with Store(target / "jobs.sqlite") as store:
            results = run_cases(found, setting, store, order)
            minimise(results, setting, store, order)
    except KeyboardInterrupt:
        rest = "" if order.out else f" --out {shlex.quote(shown(target))}"
        say(f"interrupted; continue with: {order.command or 'the same command'}{rest}")
        return Status.INTERRUPTED
    notes = waive(found.plan, results, today())
    words = [*(f"--tag {tag}" for tag in order.tags), *(f"--only {name}" for name in order.only)]
    regression = Regression(
        found.plan, from_root(order.plan.resolve()), target, seed, order.command,
        judge(found.plan, results, today()), results, notes, time.monotonic() - begin, begun, " ".join(words),
    )  # fmt: skip
    if order.coverage:
        say("merging what was covered")
        merged = merge(tree, data.glob("*.dat"), target / "coverage")
        regression.coverage, regression.coverage_page = merged.rows(), "coverage/index.html"
        regression.seconds = time.monotonic() - begin
    page = write_all(regression)
    write_whole(target / "run.json", json.dumps(run_of(regression), indent=1, ensure_ascii=False) + "\n")
    summary(regression, page)
    return Status.OK if regression.passed else Status.FAILED


def run_cases(found: Found, setting: Setting, store: Store, order: Order) -> list[Result]:
    """Every case; what failed runs once more: what passes then is flaky, which is a failure, too."""
    pairs = jobs_of(found.asked, setting)
    by_key = {job.key: cases for job, cases in pairs}

    def told(job: Job, outcome: Outcome, known: bool) -> None:
        if outcome.passed:  # a job that failed was told of
            for result in read_results(job, outcome, by_key[job.key], setting):
                if result.verdict not in (Verdict.PASSED, Verdict.SKIPPED):
                    say(f"{result.case.name}: {result.verdict}")

    work = Work([job for job, _ in pairs], store, told)
    outcomes = work.run(f"{len(found.asked):,} cases in {len(pairs):,} jobs", order.scheduler, order.jobs)
    results = [
        result
        for (job, cases), outcome in zip(pairs, outcomes, strict=True)
        for result in read_results(job, outcome, cases, setting)
    ]
    repeat([result for result in results if result.verdict in REPEATED], setting, store, order)
    order_of = {case.name: number for number, case in enumerate(found.asked)}
    return sorted(results, key=lambda result: order_of[result.case.name])


def repeat(failed: Sequence[Result], setting: Setting, store: Store, order: Order) -> None:
    if not failed:
        return
    pairs = jobs_of([result.case for result in failed], setting, attempt="again")
    outcomes = Work([job for job, _ in pairs], store).run("once more", order.scheduler, order.jobs)
    again = {
        result.case.name: result
        for (job, cases), outcome in zip(pairs, outcomes, strict=True)
        for result in read_results(job, outcome, cases, setting)
    }
    for result in failed:
        if again[result.case.name].verdict is Verdict.PASSED:
            result.verdict = Verdict.FLAKY
            result.message = f"failed, and passed when it ran again with the same seed\n{result.message}"


def minimise(results: Sequence[Result], setting: Setting, store: Store, order: Order) -> None:
    """Looks for a smaller case of every failure that can have one, once for those that are alike."""
    if not order.minimise:
        return
    jobs: dict[str, tuple[Job, Result]] = {}
    for result in distinct(results):
        what = order_of(result, setting, order)
        if what is None:
            continue
        text = json.dumps(what, sort_keys=True)
        key = identity(setting.stamp, result.case.name, str(order.minimise))  # the same wherever the results are
        file = setting.out / "minimise" / f"{key[:12]}.json"
        file.parent.mkdir(exist_ok=True)
        write_whole(file, text)
        command = (sys.executable, "-m", "polycast_cli.regression.minimise", str(file))
        env = setting.env | {"PYTHONPATH": str(ROOT / "scripts")}
        place = setting.out / "minimise" / key[:12]
        # The case's own time comes on top: the last run that began in time may last as long.
        limit = 60 * order.minimise + 2 * result.case.test.timeout
        outputs = (Path("minimal.json"),)
        name = f"minimising {result.case.name}"
        jobs[key] = (Job(key, name, command, place, timeout=limit, env=env, outputs=outputs), result)
    if not jobs:
        return
    work = Work([job for job, _ in jobs.values()], store)
    for outcome in work.run("minimising", order.scheduler, order.jobs):
        job, result = jobs[outcome.key]
        if outcome.passed:
            result.minimal = Minimal(**json.loads((job.folder / "minimal.json").read_text()))
            if result.minimal.wave:
                result.minimal.wave = os.path.relpath(job.folder / result.minimal.wave, setting.out)


def distinct(results: Sequence[Result]) -> list[Result]:
    """The failures without those that are alike: for each test the one that shows after the fewest cycles."""
    first: dict[tuple[int, str], tuple[int, Result]] = {}
    for result in results:
        if result.verdict is Verdict.FAILED:
            found = re.search(r"in cycle (\d+)", result.message)
            cycle = int(found[1]) if found else 0
            key = (id(result.case.test), kind_of(result.message))
            if key not in first or cycle < first[key][0]:
                first[key] = (cycle, result)
    return [result for _, result in first.values()]


def order_of(result: Result, setting: Setting, order: Order) -> dict[str, Any] | None:
    """What minimise.py is told; None where it can do nothing."""
    common = {"seconds": 60 * order.minimise, "timeout": max(60.0, 4 * result.seconds)}
    if result.soak is not None:
        pair, line = result.soak
        program = str(setting.program("polycast-soak"))
        rtl = str(result.case.path) if result.case.path else ""
        return common | {"kind": "lockstep", "program": program, "pair": pair, "line": line, "rtl": rtl}
    if result.case.kind == "scenario" and (result.folder / "results" / "results.json").is_file():
        return common | {
            "kind": "scenario",
            "program": str(setting.program("polycast-sim")),
            "scenario": str(result.case.path),
            "settings": result.case.settings,
            "seed": result.case.seed,
            "results": str(result.folder / "results"),
        }
    if result.case.kind == "campaign":
        folder = result.folder / "results"
        for one in bad_runs(folder)[:1]:
            return common | {
                "kind": "scenario",
                "program": str(setting.program("polycast-sim")),
                "scenario": one["scenario"],
                "settings": one["settings"],
                "seed": None,
                "results": str(folder / one["results"]),
            }
    return None


def summary(regression: Regression, page: Path) -> None:
    # What repeats a failure is the same for everybody: relative to the checkout.
    here = "" if Path.cwd() == ROOT else f"cd {shlex.quote(os.path.relpath(ROOT))} && "
    for result in regression.failures:
        first = result.message.splitlines()[0] if result.message else ""
        out.print(Text(result.verdict, "red"), f"{result.case.name}: {first}")
        out.print(f"  again: {here}{result.minimal.replay if result.minimal else result.replay}")
        if wave := regression.wave_of(result):
            out.print(f"  wave:  {shown(regression.out / wave)}")
    for one in regression.judged:
        if one.state is State.UNCHECKED:
            out.print(f"not checked: {one.requirement.id}: {one.waiver or 'all its cases were skipped'}")
    for note in regression.notes:
        out.print(f"waivers: {note}")
    states = Counter(str(one.state) for one in regression.judged)
    cases = ", ".join(f"{count:,} {word}" for word, count in sorted(regression.counts().items()))
    what = ", ".join(f"{count} {word}" for word, count in sorted(states.items()))
    word = ("passed", "green") if regression.passed else ("failed", "red")
    out.print(Text.assemble(word, f": cases: {cases}; requirements: {what}; {regression.seconds:.0f} s"))
    out.print(f"report: {shown(page)}")
    out.print(f"junit:  {shown(regression.out / 'junit.xml')}")
