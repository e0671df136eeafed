# SPDX-License-Identifier: Apache-2.0
"""`reproduce`: runs a study into a folder, as far as it is not there already, and writes what it found."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from polycast_cli.common import Status, UserError, err, out, say, shown
from polycast_cli.simulator import left, ready
from polycast_cli.studies.claims import WORDS, Judgement, judge, load_claims
from polycast_cli.studies.computed import add_computed
from polycast_cli.studies.data import Data, collect, write_whole
from polycast_cli.studies.derived import add_derived
from polycast_cli.studies.engine import Engine, Interrupted, Store, digest
from polycast_cli.studies.folder import Folder
from polycast_cli.studies.model import STUDIES, Depth, Figure, Study
from polycast_cli.studies.pages import write_figures, write_report, write_verdicts
from polycast_cli.studies.plan import Chain, Place, chains_of
from polycast_cli.studies.tables import write_tables

#: Measured share of the planned weight that load curves need, which end at saturation.
LOAD_SHARE = 0.35


@dataclass
class Order:
    """What to run, and where to."""

    study: Study
    depth: Depth
    folder: Path
    figures: list[Figure]
    jobs: int
    command: str
    preset: str = "release"
    lenient: bool = False  # a scheme that the network cannot do is no failure
    chains: list[Chain] = field(default_factory=list)


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
            raise UserError(f"{shown(folder)}: holds something that is no study; give another folder with -o")
        return
    try:
        found = json.loads(mark.read_text())
    except ValueError:
        raise UserError(f"{shown(mark)}: not JSON") from None
    if found != identity(order):
        said = " ".join(str(found.get(key, "?")) for key in ("study", "depth", "topology")).strip()
        raise UserError(f"{shown(folder)}: belongs to another study ({said}); give another folder with -o")


@contextmanager
def locked(order: Order) -> Iterator[IO[str]]:
    """The folder for one process. \\raises UserError where another works in it"""
    try:
        order.folder.mkdir(parents=True, exist_ok=True)
        write_whole(order.folder / "study.json", json.dumps(identity(order), indent=1) + "\n")
        stream = (order.folder / ".lock").open("w")
    except OSError as error:
        raise UserError(f"{shown(order.folder)}: {error.strerror}") from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"{shown(order.folder)}: another process works in this folder") from None
        yield stream


def weight_of(chains: Sequence[Chain]) -> float:
    """Seconds on one core, roughly; figures that share runs pay for them once."""
    shares = {unit: LOAD_SHARE if len(chain) > 1 else 1.0 for chain in chains for step in chain for unit in step.units}
    return sum(share * unit.weight for unit, share in shares.items())


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def missing(chains: Sequence[Chain], store: Store) -> list[Chain]:
    """Chains with something to run."""
    found = []
    for chain in chains:
        for step in chain:
            results = [store.get(unit) for unit in step.units]
            if any(result is None for result in results):
                found.append(chain)
                break
            if all(sample.saturated or sample.problem for result in results if result for sample in result.samples):
                break
    return found


def announce(order: Order, todo: Sequence[Chain]) -> None:
    runs = len({unit for chain in todo for step in chain for unit in step.units})
    if not runs:
        say("every result is there already")
        return
    cores = min(order.jobs, len(os.sched_getaffinity(0)))
    say(f"up to {runs:,} runs on {order.jobs} cores, about {duration(weight_of(todo) / cores)}")
    if order.depth == "quick" and order.study.efforts.keys() >= {"full"}:
        full = [chain for figure in order.figures for chain in chains_of(order.study, figure, "full")]
        say(f"--full would take about {duration(weight_of(full) / cores)}")


@dataclass
class Teller:
    """Progress by weight; without a terminal a line for each tenth."""

    progress: Progress
    total: float
    begin: float = field(default_factory=time.monotonic)
    done: float = 0.0
    worked: float = 0.0  # weight that took time
    tenths: int = 0

    def __post_init__(self) -> None:
        self.task = self.progress.add_task("", total=self.total, left="")

    def __call__(self, place: Place, weight: float, seconds: float) -> None:
        self.done += weight
        self.worked += weight if seconds else 0.0
        rest = None
        if self.worked > 0.02 * self.total:
            rest = (time.monotonic() - self.begin) * (self.total - self.done) / self.worked
        what = f"{place.figure}, {place.panel}, {place.series}"
        self.progress.update(self.task, completed=self.done, description=what, left=left(rest))
        if not err.is_terminal and int(10 * self.done / self.total) > self.tenths:
            self.tenths = int(10 * self.done / self.total)
            say(f"{10 * self.tenths} % simulated; {left(rest) or 'time left unknown'}")


def simulate(order: Order, engine: Engine) -> list[str]:
    """Runs what is missing; returns what the simulator refused."""
    todo = missing(order.chains, engine.store)
    announce(order, todo)
    if not todo:
        return []
    columns = (
        TextColumn("polycast: simulating"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.description}"),
    )
    total = sum(unit.weight for unit in {unit for chain in todo for step in chain for unit in step.units})
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        return engine.run(todo, order.jobs, Teller(progress, total))


def version_of(program: Path) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().removeprefix("polycast-sim ") or "unknown"


def print_verdicts(judgements: Sequence[Judgement]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("conclusion")
    table.add_column("verdict")
    colours = {"holds": "green", "fails": "red", "depends": "yellow"}
    for judgement in judgements:
        if judgement.verdict == "not run":
            continue
        colour = colours.get(judgement.verdict, "dim")
        table.add_row(judgement.claim.claim, f"[{colour}]{WORDS[judgement.verdict]}[/]")
    out.print(table)
    counts = Counter(WORDS[judgement.verdict] for judgement in judgements)
    out.print(", ".join(f"{count} {word}" for word, count in counts.items()))


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


def write_all(order: Order, store: Store, version: str, refused: Sequence[str]) -> tuple[list[Judgement], list[str]]:
    """Everything that is made of results; figures of earlier calls are in it, too.

    \\raises UserError where every run was refused
    """
    folder = Folder(order.folder, order.study, order.depth, version, order.command)
    data = collect(order.study, order.study.figures, order.depth, store)
    for figure in order.study.figures:
        if figure.kind == "computed":
            add_computed(figure, order.depth, data)
    add_derived(order.study, order.depth, data)
    if refused and not data.curves:
        raise UserError(refused[0])
    judgements = judgements_of(order, data)
    problems = problems_of(data, [] if order.lenient else refused)
    figures = write_figures(folder, order.study.figures, data)
    tables = write_tables(folder, data)
    write_report(folder, figures, tables, judgements, problems, refused if order.lenient else [])
    if judgements:
        write_verdicts(folder, judgements)
    return judgements, problems


def reproduce(order: Order) -> int:
    """Returns the exit status: 1 where a delivery went wrong or a run was refused."""
    check_folder(order)
    program = ready(order.preset)
    order.chains = [chain for figure in order.figures for chain in chains_of(order.study, figure, order.depth)]
    with locked(order):
        (order.folder / "runs").mkdir(exist_ok=True)
        scratch = order.folder / ".work"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        store = Store(order.folder / "runs", digest(program))
        engine = Engine(program, store, scratch, order.study.efforts[order.depth].longer)
        begin = time.monotonic()
        try:
            refused = simulate(order, engine)
        except (KeyboardInterrupt, Interrupted):
            say(f"interrupted; the same command goes on from here ({shown(order.folder)})")
            return Status.INTERRUPTED
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        judgements, problems = write_all(order, store, version_of(program), refused)
        for text in refused if order.lenient else []:
            say(f"not possible here: {text}")
    report(order, judgements, problems, time.monotonic() - begin)
    return Status.FAILED if problems else Status.OK


def report(order: Order, judgements: Sequence[Judgement], problems: Sequence[str], seconds: float) -> None:
    if judgements:
        print_verdicts(judgements)
    for problem in problems[:10]:
        err.print(f"error: {problem}", markup=False)
    if len(problems) > 10:
        err.print(f"error: and {len(problems) - 10} more, see report.html", markup=False)
    if judgements:
        out.print(f"verdicts: {shown(order.folder / 'verdicts.html')}", markup=False)
    out.print(f"report:   {shown(order.folder / 'report.html')}", markup=False)
    say(f"done in {duration(seconds)}{' (quick version)' if order.depth == 'quick' else ''}")
