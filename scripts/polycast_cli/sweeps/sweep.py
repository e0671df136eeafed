# SPDX-License-Identifier: Apache-2.0
"""Runs a sweep and gathers its results."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import webbrowser
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from polycast_cli.common import Status, UserError, again, fresh_folder, out, say, set_options, shown, write_whole
from polycast_cli.jobs.model import Job, JobStatus, Outcome, digest, identity
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work
from polycast_cli.simulator import Scenario
from polycast_cli.sweeps.page import Failed, write_sweep_page
from polycast_cli.sweeps.plan import Plan, Run
from polycast_cli.sweeps.table import table_of, write_parquet, write_sqlite

#: Failures that are listed on the terminal; the page has all.
MOST_LISTED = 10


@dataclass
class Sweep:
    """A sweep and how it is run. `sets`: its `-s` options; `extra`: others of the simulator."""

    program: Path
    scenario: Scenario
    sets: Sequence[str]
    plan: Plan
    folder: Path
    extra: Sequence[str] = ()
    scheduler: str | None = None
    workers: int | None = None
    again: bool = False
    jobs: list[Job] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.jobs = [self.job(run) for run in self.plan.runs]

    def launch_by(self, words: Sequence[str]) -> None:
        """Each run is started by `words`: several ranks of it. Its results are the same."""
        self.jobs = [replace(job, command=(*words, *job.command)) for job in self.jobs]

    def results(self, run: Run) -> Path:
        return self.folder / "runs" / run.name

    def job(self, run: Run) -> Job:
        target = self.results(run).resolve()
        command = [str(self.program), "run", *self.scenario.arguments, *set_options(run.overrides), *self.extra]
        command += ["--out", str(target), "--progress", "none", "--jobs", "1"]
        key = identity(digest(self.program), run.scenario, *self.extra, *(digest(Path(file)) for file in run.files))
        folder = self.folder / "logs" / run.name
        return Job(key, run.name, tuple(command), folder, cwd=Path.cwd(), outputs=(target / "results.json",))

    def repeats(self, run: Run) -> str:
        """The command that runs this one alone."""
        return again(*self.scenario.command, *set_options(run.overrides), *self.extra)

    def define(self) -> None:
        """What the folder is about."""
        (self.folder / "runs").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.scenario.path, self.folder / "scenario.yaml")
        text = json.dumps({"format": 1, "scenario": str(self.scenario)} | self.plan.model_dump(), indent=1)
        write_whole(self.folder / "sweep.json", text + "\n")

    def run(self) -> list[Outcome]:
        with Store(self.folder / "jobs.sqlite") as store:
            work = Work(self.jobs, store, again=self.again)
            done = len(self.jobs) - len(work.left)
            say(f"{len(self.jobs)} runs of {self.scenario}" + (f", {done} of them done before" if done else ""))
            for axis in self.plan.axes():
                say(f"  {axis}")
            if not done:
                folder = shown(self.folder)
                say(f"results go to {folder}; after an interruption the same command with --out {folder} continues")
            left = {job.name for job in work.left}
            runs = [run for run in self.plan.runs if run.name in left]
            found = check(self.program, self.scenario, self.sets, runs) if runs else Checked()
            if found.refused:
                say_refused(found.refused, len(self.jobs))
            workers = self.workers
            if self.scheduler is None:
                workers = found.at_once(min(workers or len(os.sched_getaffinity(0)), max(len(runs), 1)))
            return work.run("simulating", self.scheduler, workers)


@dataclass(frozen=True)
class Checked:
    """What the simulator says of runs before they begin: those that it will refuse, by name, each with its reason;
    bytes of memory of the largest and of the machine."""

    refused: Mapping[str, str] = field(default_factory=dict)
    memory: int = 0
    memory_left: int = 0

    def at_once(self, wanted: int) -> int:
        """Runs at once that fit into memory, at most `wanted` and at least one."""
        fit = max(1, self.memory_left // self.memory) if self.memory else wanted
        if fit < wanted:
            needs = f"{self.memory / 1e9:.2f} GB, and {self.memory_left / 1e9:.2f} GB are left"
            say(f"{fit} of {wanted} runs at once: the largest needs about {needs}")
        return min(fit, wanted)


def list_runs(program: Path, scenario: Scenario, sets: Sequence[str], plan: Plan) -> int:
    """Prints what would run, and checks every run of it. Returns the exit status."""
    out.print(f"{len(plan.runs)} runs of {scenario}")
    for line in (*plan.axes(), *(each.name for each in plan.runs)):
        out.print(f"  {line}")
    if refused := check(program, scenario, sets, plan.runs).refused:
        say_refused(refused, len(plan.runs))
        return Status.BAD_INPUT
    out.print(f"good: {len(plan.runs)} runs")
    return Status.OK


def check(program: Path, scenario: Scenario, sets: Sequence[str], runs: Sequence[Run]) -> Checked:
    def checked(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        command = [program, "check", "--json", *scenario.arguments, *arguments]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)

    every = checked(sets)  # all of them in one go
    if every.returncode == Status.OK:
        said = json.loads(every.stdout)
        return Checked(memory=said["memory_bytes"], memory_left=said["memory_left_bytes"])
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        each = pool.map(lambda run: checked(set_options(run.overrides)), runs)
        failed = [(run, done) for run, done in zip(runs, each, strict=True) if done.returncode != Status.OK]
        return Checked({run.name: one.stderr.strip() or f"exit status {one.returncode}" for run, one in failed})


def say_refused(refused: Mapping[str, str], of: int) -> None:
    say(f"{len(refused)} of {of} runs {'is' if len(refused) == 1 else 'are'} refused:")
    for name, reason in list(refused.items())[:MOST_LISTED]:
        say(f"  {name}: {reason.rpartition(chr(10))[2].removeprefix('error: ')}")
    if len(refused) > MOST_LISTED:
        say(f"  and {len(refused) - MOST_LISTED} more; --dry-run checks without running")


def folder_for(scenario: Path, given: Path | None) -> Path:
    """\\raises UserError where the folder holds something else"""
    if given is None:
        return fresh_folder(scenario.stem)
    if given.exists() and not given.is_dir():
        raise UserError(f"--out {given}: not a folder")
    if given.is_dir() and any(given.iterdir()) and not (given / "sweep.json").is_file():
        raise UserError(
            f"--out {given}: holds something else; a sweep needs a new folder, or that of a sweep to continue"
        )
    return given


def run_sweep(sweep: Sweep, open_report: bool) -> int:
    """Returns the exit status."""
    sweep.define()
    try:
        outcomes = sweep.run()
    except KeyboardInterrupt:
        say(f"interrupted; the same command with --out {shown(sweep.folder)} continues")
        return Status.INTERRUPTED
    return conclude(sweep, outcomes, open_report)


@dataclass(frozen=True)
class Gathered:
    """What is left of a sweep when its runs have ended."""

    failed: list[Failed]
    report: Path


def gathered(sweep: Sweep, outcomes: Sequence[Outcome]) -> Gathered:
    """Writes table and page."""
    plan = sweep.plan
    pairs = list(zip(plan.runs, outcomes, strict=True))
    written = (JobStatus.PASSED, JobStatus.FAILED)
    folders = {run.name: sweep.results(run) for run, outcome in pairs if outcome.status in written}
    table = table_of(plan.keys, plan.runs, folders)
    write_parquet(sweep.folder / "results.parquet", table)
    statuses = [(run, str(outcome.status)) for run, outcome in pairs]
    write_sqlite(sweep.folder / "results.sqlite", table, plan.keys, statuses)
    failed = [
        Failed(run.name, str(outcome.status), outcome.exit_code, outcome.tail, sweep.repeats(run))
        for run, outcome in pairs
        if not outcome.passed
    ]
    name = sweep.scenario.path.stem
    return Gathered(failed, write_sweep_page(sweep.folder / "report.html", name, plan, table, failed, command(sweep)))


def conclude(sweep: Sweep, outcomes: Sequence[Outcome], open_report: bool) -> int:
    """Table, page, summary."""
    made = gathered(sweep, outcomes)
    failed = made.failed
    counts = Counter(str(outcome.status) for outcome in outcomes)
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    out.print(said, style="red" if failed else "green")
    for one in failed[:MOST_LISTED]:
        out.print(f"{one.status}: {one.command}")
        if reason := one.tail.strip().rpartition("\n")[2]:
            out.print(f"  {reason.removeprefix('error: ')}")
    if len(failed) > MOST_LISTED:
        out.print(f"and {len(failed) - MOST_LISTED} more, in the report")
    if failed:
        say("to repeat the failed runs, add --again to the same command")
    out.print(f"table:  {shown(sweep.folder / 'results.parquet')}, results.sqlite")
    out.print(f"report: {shown(made.report)}")
    if open_report:
        webbrowser.open(made.report.resolve().as_uri())
    return Status.FAILED if failed else Status.OK


def command(sweep: Sweep) -> str:
    """What runs what is missing in the folder."""
    return again(*sweep.scenario.command, *sweep.sets, *sweep.extra, "--out", shown(sweep.folder))
