# SPDX-License-Identifier: Apache-2.0
"""`reproduce`: runs a study into a folder, as far as it is not there already, and writes what it found."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.text import Text

from polycast_cli.common import Status, UserError, err, out, say, shown, write_whole
from polycast_cli.jobs.progress import Total
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work
from polycast_cli.simulator import ready
from polycast_cli.studies.claims import WORDS, Judgement, judge, load_claims
from polycast_cli.studies.computed import add_computed
from polycast_cli.studies.data import Data, collect
from polycast_cli.studies.derived import add_derived
from polycast_cli.studies.model import STUDIES
from polycast_cli.studies.order import Order
from polycast_cli.studies.pages import write_figures, write_report, write_verdicts
from polycast_cli.studies.plan import Unit, chains_of
from polycast_cli.studies.runs import Runs
from polycast_cli.studies.tables import write_tables
from polycast_cli.terminal import table

#: Measured share of the planned weight that load curves need, which end at saturation.
LOAD_SHARE = 0.35


def identity(order: Order) -> dict[str, object]:
    """Tells a study's folder from those of other studies."""
    topology = str(order.study.scenario.get("network.topology.path", ""))
    return {"format": 1, "study": order.study.name, "depth": order.depth, "topology": topology}


def check_folder(order: Order) -> None:
    """\\raises UserError where the folder holds something else"""
    folder, mark = order.folder, order.folder / "study.json"
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{shown(folder)}: not a folder")
    if not mark.is_file():
        if folder.is_dir() and any(folder.iterdir()):
            raise UserError(f"{shown(folder)}: holds something other than a study; give another folder with -o")
        return
    try:
        found = json.loads(mark.read_text())
    except ValueError:
        raise UserError(f"{shown(mark)}: not JSON") from None
    if not isinstance(found, dict):
        raise UserError(f"{shown(mark)}: not the description of a study")
    if found != identity(order):
        said = " ".join(str(found.get(key, "?")) for key in ("study", "depth", "topology")).strip()
        raise UserError(f"{shown(folder)}: belongs to another study ({said}); give another folder with -o")


def seconds_of(units: Iterable[Unit], loaded: float) -> float:
    """Seconds on one core, roughly. `loaded`: the share of the weight of load curves that they need."""
    return sum(unit.weight * (loaded if unit.loaded else 1.0) for unit in units)


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def announce(order: Order, left: set[Unit]) -> None:
    if not left:
        say("all results exist already")
        return
    cores = order.jobs or len(os.sched_getaffinity(0))
    if order.scheduler is None:
        cores = min(cores, len(os.sched_getaffinity(0)))
    say(f"up to {len(left):,} runs, about {duration(seconds_of(left, LOAD_SHARE) / cores)} on {cores} cores")
    if order.depth == "quick" and order.study.efforts.keys() >= {"full"}:
        full = {unit for chain in order.chains_at("full") for step in chain for unit in step.units}
        say(f"--full would take about {duration(seconds_of(full, LOAD_SHARE) / cores)}")


def simulate(order: Order, runs: Runs) -> None:
    """Runs what is missing, and reads results of figures of earlier calls."""
    work = Work(runs.begin(order.chains), runs.store, again=True, further=runs.further)
    left = runs.left()
    announce(order, left)
    runs.total = Total(len(left), sum(unit.weight for unit in left))
    work.run("simulating", order.scheduler, order.jobs, runs.total, tells_failures=False)
    chains = (chain for figure in order.study.figures for chain in chains_of(order.study, figure, order.depth))
    Work(runs.begin(chains), runs.store, again=True, further=runs.further)


def version_of(program: Path) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().removeprefix("polycast-sim ") or "unknown"


def print_verdicts(judgements: Sequence[Judgement]) -> None:
    rows = table("conclusion", "verdict", left=("conclusion", "verdict"))
    colours = {"holds": "green", "fails": "red", "depends": "yellow"}
    for judgement in judgements:
        if judgement.verdict != "not run":
            word = Text(WORDS[judgement.verdict], colours.get(judgement.verdict, "dim"))
            rows.add_row(judgement.claim.claim, word)
    out.print(rows)
    counts = Counter(WORDS[judgement.verdict] for judgement in judgements)
    out.print(", ".join(f"{word}: {counts[word]}" for word in WORDS.values() if counts[word]))


def judgements_of(order: Order, data: Data) -> list[Judgement]:
    if not order.study.claims:
        return []
    claims = load_claims(STUDIES / order.study.claims, order.study)
    return [judge(claim, order.study, data, order.depth) for claim in claims]


def problems_of(data: Data, refused: Sequence[str]) -> list[str]:
    found = list(refused)
    for point in data.points():
        place = point.place
        wrong = [text for text in point.problems if not point.saturated]
        found += [f"{place.figure}, {place.panel}, {place.series} at {place.x:g}: {text}" for text in wrong]
    return found


def write_all(order: Order, runs: Runs) -> tuple[list[Judgement], list[str]]:
    """Everything that is made of results; figures of earlier calls are in it, too.

    \\raises UserError where every run was refused
    """
    refused = list(runs.refused)
    data = collect(order.study, order.study.figures, order.depth, runs)
    for figure in order.study.figures:
        if figure.kind == "computed":
            add_computed(figure, order.depth, data)
    add_derived(order.study, order.depth, data)
    if refused and not data.curves:
        raise UserError(refused[0])
    judgements = judgements_of(order, data)
    problems = problems_of(data, [] if order.lenient else refused)
    figures = write_figures(order, order.study.figures, data)
    tables = write_tables(order, data)
    write_report(order, figures, tables, judgements, problems, refused if order.lenient else [])
    if judgements:
        write_verdicts(order, judgements)
    return judgements, problems


def reproduce(order: Order) -> int:
    """Returns the exit status: 1 where a delivery went wrong or a run was refused."""
    check_folder(order)
    program = ready(order.preset)
    order.version = version_of(program)
    try:
        order.folder.mkdir(parents=True, exist_ok=True)
        write_whole(order.folder / "study.json", json.dumps(identity(order), indent=1) + "\n")
    except OSError as error:
        raise UserError(f"{shown(order.folder)}: {error.strerror}") from None
    begin = time.monotonic()
    with Store(order.folder / "jobs.sqlite") as store:
        runs = Runs(program, order.folder / "runs", store, order.study.efforts[order.depth].longer)
        try:
            simulate(order, runs)
        except KeyboardInterrupt:
            say(f"interrupted; the same command continues from here ({shown(order.folder)})")
            return Status.INTERRUPTED
        judgements, problems = write_all(order, runs)
    for text in runs.refused if order.lenient else ():
        say(f"not possible here: {text}")
    report(order, judgements, problems, time.monotonic() - begin)
    return Status.FAILED if problems else Status.OK


def report(order: Order, judgements: Sequence[Judgement], problems: Sequence[str], seconds: float) -> None:
    if judgements:
        print_verdicts(judgements)
    for problem in problems[:10]:
        err.print(f"error: {problem}")
    if len(problems) > 10:
        err.print(f"error: and {len(problems) - 10} more, see report.html")
    if judgements:
        out.print(f"verdicts: {shown(order.folder / 'verdicts.html')}")
    out.print(f"report:   {shown(order.folder / 'report.html')}")
    say(f"done in {duration(seconds)}{' (quick version)' if order.depth == 'quick' else ''}")
