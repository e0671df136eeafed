# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign: chunks of faults as jobs, then tables, a page, and runs that went wrong once more with waves."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from polycast_cli.campaigns.page import Bad, write_campaign_page
from polycast_cli.campaigns.plan import Expectation as Wanted
from polycast_cli.campaigns.plan import Part, Plan, Variant, files_of, load_plan, replay_options, replay_settings
from polycast_cli.campaigns.table import OUTCOMES, Fault, Residual, Row
from polycast_cli.common import Status, UserError, again, fresh_folder, out, say, set_options, shown, write_whole
from polycast_cli.jobs.model import Job, JobStatus, digest, identity
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work

#: Faults of a job: a second or a few. Fault i is the same in any chunk.
CHUNK = 200
#: Bad runs of a class and variant that are run again with waves and packet log, and made smaller.
SHOWN = 3
RESULT = Path("faults.json")


@dataclass
class Campaign:
    """A plan and how it is run."""

    program: Path
    file: Path
    folder: Path
    plan: Plan
    scheduler: str | None = None
    workers: int | None = None
    minimise: float = 1.0  # minutes for each bad run that is shown; 0: not at all

    @property
    def scenario(self) -> Path:
        return self.file.parent / self.plan.scenario

    def jobs(self) -> Iterator[tuple[tuple[str, str], Job]]:
        """Each with its variant and class."""
        contents = [digest(each) for each in files_of(self.scenario)]
        raw = ["--raw"] if self.plan.sample == "raw" else []
        for name, variant in self.plan.variants.items():
            for kind in self.plan.classes:
                for first in range(0, self.plan.faults, CHUNK):
                    count = min(CHUNK, self.plan.faults - first)
                    words = ["--class", kind, "--seed", str(self.plan.seed), "--first", str(first)]
                    words += ["--count", str(count), *raw]
                    options = [*set_options(variant.settings), *words]
                    key = identity(digest(self.program), *contents, *options)
                    scenario = str(self.scenario.resolve())  # the job has a folder of its own
                    command = (str(self.program), "campaign", scenario, *options, "--out", str(RESULT))
                    folder = self.folder / "runs" / name / kind / f"{first:06}"
                    job = Job(key, f"{name} {kind} {first}", command, folder, weight=count, outputs=(RESULT,))
                    yield (name, kind), job

    def define(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"format": 1, "file": str(self.file)} | self.plan.model_dump(mode="json"), indent=1)
        write_whole(self.folder / "campaign.json", text + "\n")

    def run(self) -> tuple[list[Row], dict[tuple[str, str], list[Fault]], list[dict[str, Any]]]:
        """\\raises UserError where a run fails without faults, or the scenario is refused"""
        placed = list(self.jobs())
        jobs = [job for _, job in placed]
        with Store(self.folder / "jobs.sqlite") as store:
            work = Work(jobs, store, again=True)
            done = len(jobs) - len(work.left)
            total = len(self.plan.variants) * len(self.plan.classes) * self.plan.faults
            say(f"{total:,} faults in {len(jobs):,} jobs" + (f", {done:,} of them done before" if done else ""))
            self.check_variants()
            outcomes = work.run("injecting", self.scheduler, self.workers)
        broken = [outcome for outcome in outcomes if outcome.status != JobStatus.PASSED]
        if broken:
            said = broken[0].tail.strip().rpartition("\n")[2].removeprefix("error: ")
            raise UserError(f"{len(broken)} of {len(jobs)} jobs failed; the first, {broken[0].name}: {said}")
        return self.gather(placed)

    def check_variants(self) -> None:
        """Each runs once without a fault, so that a bad one is told before the others take hours."""
        for name, variant in self.plan.variants.items():
            command = [self.program, "campaign", self.scenario, *set_options(variant.settings)]
            command += ["--class", self.plan.classes[0], "--count", "0"]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode != Status.OK:
                said = done.stderr.strip().rpartition("\n")[2].removeprefix("error: ")
                raise UserError(f"variant {name}: {said}")

    def gather(
        self, jobs: Sequence[tuple[tuple[str, str], Job]]
    ) -> tuple[list[Row], dict[tuple[str, str], list[Fault]], list[dict[str, Any]]]:
        faults: dict[tuple[str, str], list[Fault]] = {}
        about: dict[tuple[str, str], dict[str, Any]] = {}
        known = {each.name for each in fields(Fault)}
        for place, job in jobs:
            said = json.loads((job.folder / RESULT).read_text())
            cycles = {run["id"]: run["cycles"] for run in said["runs"]}
            about[place] = said
            for each in said["faults"]:
                slowdown = each["cycles"] / cycles[each["run"]] if cycles[each["run"]] else 1.0
                values = {key: value for key, value in each.items() if key in known}
                faults.setdefault(place, []).append(Fault(**values, slowdown=slowdown))
        rows = [
            Row.of(*place, faults.get(place, []), said["population"], said["why_none"]) for place, said in about.items()
        ]
        golden = [{"variant": name, **run} for (name, kind), said in about.items() if kind == self.plan.classes[0]
                  for run in said["runs"]]  # fmt: skip
        return rows, faults, golden

    def replay(self, variant: Variant, fault: Fault) -> str:
        return again("run", shown(self.scenario), *replay_options(variant, fault.events))

    def look_at(self, faults: dict[tuple[str, str], list[Fault]]) -> tuple[list[Bad], list[str]]:
        """Bad runs: the first ones of a class and variant with waves and packet log, made smaller; and which of them
        could not be repeated."""
        bad = []
        jobs: list[Job] = []
        for (name, kind), all_of in faults.items():
            variant = self.plan.variants[name]
            wrong = [fault for fault in all_of if fault.bad]
            for fault in wrong[:SHOWN]:
                folder = self.folder / "bad" / f"{name}-{kind}-{fault.number}"
                bad.append(Bad(name, kind, fault, self.replay(variant, fault), folder))
                options = replay_options(variant, fault.events)
                words = ["run", str(self.scenario.resolve()), *options, "--packets", "--waves", "--out", "results"]
                key = identity(digest(self.program), *(digest(each) for each in files_of(self.scenario)), *words)
                jobs.append(
                    Job(key, f"{name} {kind} {fault.number}", (str(self.program), *words, "--progress", "none"),
                        folder, expected=(0, 1), outputs=(Path("results") / "results.json",))
                )  # fmt: skip
        if not jobs:
            return bad, []
        with Store(self.folder / "bad.sqlite") as store:
            outcomes = Work(jobs, store, again=True).run("recording", self.scheduler, self.workers)
            lost = [f"{one.name}: its replay {said.status}" for one, said in zip(bad, outcomes, strict=True)
                    if not said.passed]  # fmt: skip
            if self.minimise:
                self.shrink(bad, store)
        return bad, lost

    def shrink(self, bad: Sequence[Bad], store: Store) -> None:
        """As `regress` makes failing scenarios smaller."""
        jobs = []
        for one in bad:
            variant = self.plan.variants[one.variant]
            settings = replay_settings(variant, one.fault.events)
            order = {
                "kind": "scenario", "seconds": 60 * self.minimise, "timeout": 60.0, "program": str(self.program),
                "scenario": str(self.scenario.resolve()), "settings": settings, "seed": None,
                "results": str((one.folder / "results").resolve()),
            }  # fmt: skip
            file = one.folder.with_name(one.folder.name + ".order.json")
            write_whole(file, json.dumps(order, indent=1) + "\n")
            command = (sys.executable, "-m", "polycast_cli.regression.minimise", str(file.resolve()))
            folder = one.folder.with_name(one.folder.name + "-smaller")
            key = identity(digest(self.program), json.dumps(order))
            package = str(Path(__file__).resolve().parents[2])
            jobs.append(Job(key, f"smaller {one.folder.name}", command, folder, env={"PYTHONPATH": package},
                            expected=(0, 1), timeout=60 * self.minimise + 120))  # fmt: skip
        Work(jobs, store, again=True).run("making smaller", self.scheduler, self.workers, tells_failures=False)
        for one, job in zip(bad, jobs, strict=True):
            found = job.folder / "minimal.json"
            if found.is_file():
                one.smaller = json.loads(found.read_text())


def table_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = ["variant", "class", "faults", "population"]
    for outcome in OUTCOMES:
        head += [outcome, f"{outcome}_low", f"{outcome}_high"]
    head += ["same", "noticed", "noticed_median", "noticed_99", "noticed_max", "recovered", "recovery_median"]
    head += ["recovery_99", "recovery_max", "slowdown_median", "slowdown_99", "slowdown_max", "why_none"]
    writer.writerow(head)
    for row in rows:
        values: list[Any] = [row.variant, row.kind, row.faults, row.population]
        for outcome in OUTCOMES:
            values += [row.counts[outcome], *(f"{each:.6g}" for each in row.interval(outcome))]
        values.append(row.same)
        for times in (row.noticed, row.recovery):
            values += [times.count, times.median, times.most_of, times.longest] if times else [0, "", "", ""]
        slow = row.slowdown
        values += [f"{slow.median:.4f}", f"{slow.most_of:.4f}", f"{slow.longest:.4f}"] if slow else ["", "", ""]
        writer.writerow([*values, row.why_none or ""])
    return text.getvalue()


def faults_csv(faults: dict[tuple[str, str], list[Fault]]) -> str:
    text = io.StringIO()
    names = [each.name for each in fields(Fault)]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["variant", "class", *names])
    for place, all_of in faults.items():
        for fault in all_of:
            writer.writerow([*place, *(asdict(fault)[name] for name in names)])
    return text.getvalue()


def unmet(plan: Plan, rows: Sequence[Row]) -> list[str]:
    """Expectations of variants that do not hold, in words."""
    said = []
    for name, variant in plan.variants.items():
        own = [row for row in rows if row.variant == name]
        unsafe = sum(row.unsafe for row in own if row.kind not in variant.exempt)
        if variant.expect == Wanted.SAFE and unsafe:
            said.append(f"{name}: {unsafe:,} faults passed silently, hung a run or broke a model; there must be none")
        if variant.expect == Wanted.SEEN and not unsafe:
            said.append(f"{name}: no fault passed silently or hung a run; a campaign that sees none there is blind")
    return said


def results_of(
    campaign: Campaign, residuals: Sequence[Residual], bad: Sequence[Bad], wrong: Sequence[str]
) -> dict[str, Any]:
    """For programs: whether the variants are as expected, and the bad runs that are shown."""
    plan = campaign.plan
    return {
        "format": 1,
        "campaign": plan.name,
        "seed": plan.seed,
        "faults": plan.faults,
        "passed": not wrong,
        "unmet": list(wrong),
        "residual": [
            {
                "variant": one.variant,
                "flips": one.faults,
                "undetected": one.undetected,
                "interval": list(one.interval()),
            }
            for one in residuals
        ],
        "bad": [
            {
                "variant": one.variant,
                "class": one.kind,
                "number": one.fault.number,
                "allowed": plan.variants[one.variant].allows(one.kind),
                "outcome": one.fault.outcome,
                "message": f"{one.name}: {one.fault.outcome}: {one.fault.diagnosis or one.fault.run}",
                "scenario": str(campaign.scenario.resolve()),
                "settings": replay_settings(plan.variants[one.variant], one.fault.events),
                "results": str((one.folder / "results").relative_to(campaign.folder)),
            }
            for one in bad
        ],
    }


def residuals_of(plan: Plan, faults: dict[tuple[str, str], list[Fault]]) -> list[Residual]:
    return [
        Residual.of(name, {kind: all_of for (variant, kind), all_of in faults.items() if variant == name})
        for name in plan.variants
    ]


def missed(plan: Plan, residuals: Sequence[Residual]) -> list[str]:
    """Variants that must be safe, and miss more errors than check words do by their length."""
    return [
        f"{one.variant}: {one.undetected:,} of {one.faults:,} flips of wires passed undetected; check words miss fewer"
        for one in residuals
        if plan.variants[one.variant].expect == Wanted.SAFE and one.contradicts
    ]


def folder_for(plan: Plan, given: Path | None) -> Path:
    """\\raises UserError where the folder holds something else"""
    if given is None:
        return fresh_folder(plan.name)
    if given.exists() and (not given.is_dir() or (any(given.iterdir()) and not (given / "campaign.json").is_file())):
        raise UserError(f"--out {given}: holds something else; a campaign needs a new folder, or its own to continue")
    return given


def run_campaign(
    file: Path,
    program: Path,
    given: Path | None,
    part: Part,
    jobs: int | None,
    scheduler: str | None,
    minimise: float,
    open_report: bool,
) -> int:
    """Returns the exit status."""
    plan = part.of(load_plan(file))
    folder = folder_for(plan, given)
    campaign = Campaign(program, file, folder, plan, scheduler, jobs, minimise)
    campaign.define()
    command = again("campaign", shown(file), *part.words, "--out", shown(folder))
    try:
        rows, found, golden = campaign.run()
        bad, lost = campaign.look_at(found)
    except KeyboardInterrupt:
        say(f"interrupted; the same command with --out {shown(folder)} continues")
        return Status.INTERRUPTED
    residuals = residuals_of(plan, found)
    wrong = [*unmet(plan, rows), *missed(plan, residuals), *lost]
    write_whole(folder / "table.csv", table_csv(rows))
    write_whole(folder / "faults.csv", faults_csv(found))
    write_whole(folder / "results.json", json.dumps(results_of(campaign, residuals, bad, wrong), indent=1) + "\n")
    report = write_campaign_page(folder / "report.html", plan, rows, residuals, golden, bad, wrong, command)
    for row in rows:
        counts = ", ".join(f"{count:,} {name}" for name, count in row.counts.items() if count)
        out.print(f"  {row.variant:<14} {row.kind:<14} {counts or row.why_none}")
    for one in wrong:
        out.print(one, style="red")
    for one in bad:
        if not plan.variants[one.variant].allows(one.kind):
            out.print(f"{one.fault.outcome}: {one.command}")
    out.print(f"table:  {shown(folder / 'table.csv')}, faults.csv")
    out.print(f"report: {shown(report)}")
    if open_report:
        webbrowser.open(report.resolve().as_uri())
    return Status.FAILED if wrong else Status.OK
