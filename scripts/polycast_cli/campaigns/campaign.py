# SPDX-License-Identifier: Apache-2.0
"""Runs the runs of a sweep and gathers what they give."""

from __future__ import annotations

import json
import shlex
import shutil
import webbrowser
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from polycast_cli.campaigns.page import Failed, write_campaign_page
from polycast_cli.campaigns.plan import Plan, Run
from polycast_cli.campaigns.table import table_of, write_parquet, write_sqlite
from polycast_cli.common import RESULTS, Status, UserError, out, say, shown
from polycast_cli.jobs.cluster import open_cluster
from polycast_cli.jobs.model import Job, JobStatus, Outcome, identity
from polycast_cli.jobs.progress import shown_progress
from polycast_cli.jobs.run import missing, run_jobs
from polycast_cli.jobs.store import Store

#: Failures that are listed on the terminal; the page has all.
MOST_LISTED = 10


@dataclass
class Campaign:
    """A sweep and how it is run. `sets`: its `-s` options; `extra`: others of the simulator."""

    program: Path
    scenario: Path
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

    def results(self, run: Run) -> Path:
        return self.folder / "runs" / run.name

    def job(self, run: Run) -> Job:
        sets = [part for value in run.overrides for part in ("-s", value)]
        target = self.results(run).resolve()
        command = [str(self.program), "run", str(self.scenario), *sets, *self.extra]
        command += ["--out", str(target), "--progress", "none", "--jobs", "1"]
        key = identity(digest(self.program), run.scenario, *self.extra, *(digest(Path(file)) for file in run.files))
        folder = self.folder / "logs" / run.name
        return Job(key, run.name, tuple(command), folder, cwd=Path.cwd(), outputs=(target / "results.json",))

    def repeats(self, run: Run) -> str:
        """The command that runs this one alone."""
        sets = [part for value in run.overrides for part in ("-s", value)]
        return shlex.join(["scripts/polycast", "run", str(self.scenario), *sets, *self.extra])

    def define(self) -> None:
        """What the folder is about."""
        (self.folder / "runs").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.scenario, self.folder / "scenario.yaml")
        text = json.dumps({"format": 1, "scenario": str(self.scenario)} | self.plan.model_dump(), indent=1)
        temporary = self.folder / ".campaign.json"
        temporary.write_text(text + "\n")
        temporary.replace(self.folder / "campaign.json")

    def run(self) -> list[Outcome]:
        with Store(self.folder / "jobs.sqlite") as store:
            left = missing(self.jobs, store, self.again)
            done = len(self.jobs) - len(left)
            say(f"{len(self.jobs)} runs of {shown(self.scenario)}" + (f", {done} of them done before" if done else ""))
            if not left:
                return run_jobs(self.jobs, store, None, lambda job, outcome, known: None)
            if not done:
                say(
                    f"results go to {shown(self.folder)}; interrupted, the same with --out {shown(self.folder)} goes on"
                )
            with open_cluster(self.scheduler, self.workers) as cluster:
                if self.scheduler is not None:
                    cluster.check_shared(self.folder)
                with shown_progress("simulating", self.jobs, cluster) as told:
                    return run_jobs(self.jobs, store, cluster, told, self.again)


@cache
def digest(path: Path) -> str:
    """Of a file, or of all that is in a folder; of the simulator, with the firmware that it loads."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return identity(*(part for file in files for part in (str(file.relative_to(path)), file)))
    firmware = sorted((path.parent.parent / "firmware").glob("*.elf")) if path.name == "polycast-sim" else []
    return identity(path, *firmware)


def folder_for(scenario: Path, given: Path | None) -> Path:
    """\\raises UserError for a folder with something else in it"""
    if given is None:
        from polycast_cli.running import fresh_folder

        RESULTS.mkdir(exist_ok=True)
        return fresh_folder(scenario)
    if given.exists() and not given.is_dir():
        raise UserError(f"--out {given}: not a folder")
    if given.is_dir() and any(given.iterdir()) and not (given / "campaign.json").is_file():
        raise UserError(
            f"--out {given}: has something else in it; a sweep wants a new folder, or one of a sweep to go on"
        )
    return given


def run_campaign(campaign: Campaign, open_report: bool) -> int:
    """Returns the exit status."""
    campaign.define()
    try:
        outcomes = campaign.run()
    except KeyboardInterrupt:
        say(f"interrupted; the same command with --out {shown(campaign.folder)} goes on")
        return Status.INTERRUPTED
    return conclude(campaign, outcomes, open_report)


def conclude(campaign: Campaign, outcomes: Sequence[Outcome], open_report: bool) -> int:
    """Table, page, summary."""
    plan = campaign.plan
    pairs = list(zip(plan.runs, outcomes, strict=True))
    written = (JobStatus.PASSED, JobStatus.FAILED)
    folders = {run.name: campaign.results(run) for run, outcome in pairs if outcome.status in written}
    table = table_of(plan.keys, plan.runs, folders)
    write_parquet(campaign.folder / "results.parquet", table)
    statuses = [(run, str(outcome.status)) for run, outcome in pairs]
    write_sqlite(campaign.folder / "results.sqlite", table, plan.keys, statuses)
    failed = [
        Failed(run.name, str(outcome.status), outcome.exit_code, outcome.tail, campaign.repeats(run))
        for run, outcome in pairs
        if not outcome.passed
    ]
    name = campaign.scenario.stem
    report = write_campaign_page(campaign.folder / "report.html", name, plan, table, failed, command(campaign))
    counts = Counter(str(outcome.status) for outcome in outcomes)
    colour = "red" if failed else "green"
    out.print(f"[{colour}]{', '.join(f'{count:,} {status}' for status, count in counts.items())}[/]")
    for one in failed[:MOST_LISTED]:
        out.print(f"{one.status}: {one.command}", markup=False)
    if len(failed) > MOST_LISTED:
        out.print(f"and {len(failed) - MOST_LISTED} more, in the report", markup=False)
    if failed:
        say("the same command with --again runs those that did not pass once more")
    out.print(f"table:  {shown(campaign.folder / 'results.parquet')}, results.sqlite", markup=False)
    out.print(f"report: {shown(report)}", markup=False)
    if open_report:
        webbrowser.open(report.resolve().as_uri())
    return Status.FAILED if failed else Status.OK


def command(campaign: Campaign) -> str:
    """What runs what is missing in the folder."""
    words = ["scripts/polycast", "run", str(campaign.scenario), *campaign.sets, *campaign.extra]
    return shlex.join([*words, "--out", shown(campaign.folder)])
