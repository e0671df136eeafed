# SPDX-License-Identifier: Apache-2.0
"""`fabric deadlock`: makes the cycles of a fabric's channels close on the simulated network."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polycast_cli.common import RESULTS, Status, UserError, err, fresh_folder, out, say, set_options, shown, write_whole
from polycast_cli.fabric import waits
from polycast_cli.fabric.cycles import Cycle, File, Found, find
from polycast_cli.fabric.evidence import (
    next_commands,
    plural,
    print_cycle,
    print_search,
    print_waits,
    write_cycle,
    write_report,
)
from polycast_cli.fabric.outcomes import BEFORE, Outcome, Run, Search
from polycast_cli.fabric.traffic import Attempt, aligned, trains
from polycast_cli.packets.forever import chain, circle_in
from polycast_cli.reading import proposal
from polycast_cli.results import Folder
from polycast_cli.simulator import ready

#: Packets of a buffer.
MOST_BUFFERS = 64


@dataclass(frozen=True)
class Options:
    buffers: Sequence[int] = (1, 2, 4)
    attempts: int = 200
    seed: int = 1
    #: Number of the only cycle to look at, from 1.
    cycle: int | None = None
    #: Whether what closes a cycle runs again with a switch in RTL: this one, or that with most channels of the cycle.
    compare: bool = True
    rtl: str | None = None
    lmc: int | None = None
    vls: int | None = None

    def words(self) -> list[str]:
        """Those of the simulator."""
        numbers = (("--lmc", self.lmc), ("--vls", self.vls))
        return [word for name, number in numbers if number is not None for word in (name, str(number))]


def sizes_of(text: str) -> list[int]:
    """ "1,2,4". \\raises UserError"""
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        sizes = []
    if not sizes or not 1 <= sizes[0] <= sizes[-1] <= MOST_BUFFERS:
        raise UserError(f"--buffers {text}: give numbers of packets from 1 to {MOST_BUFFERS}, such as 1,2,4")
    return sizes


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder that becomes `target` at the end, and is removed where something fails."""
    if target.exists():
        raise UserError(f"{shown(target)}: exists; name another folder with --out")
    work = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        work.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"{shown(work)}: {error.strerror}") from None
    try:
        yield work
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


class Runner:
    """Runs scenarios in a folder of results that has a copy of the fabric's files."""

    def __init__(self, found: Found, options: Options, work: Path) -> None:
        self.options, self.work, self.program = options, work, ready()
        (work / "fabric").mkdir()
        names: dict[str, int] = {}
        copies = []
        for file in found.files:
            path = Path(file.path)
            number = names[path.name] = names.get(path.name, 0) + 1
            copy = work / "fabric" / (path.name if number == 1 else f"{number}-{path.name}")
            shutil.copyfile(path, copy)
            copies.append(File(path=str(copy), kind=file.kind))
        self.found = found.model_copy(update={"files": copies})

    def run(self, attempt: Attempt, folder: Path) -> Run:
        """Leaves the scenario in `folder`/deadlock.yaml and its results beside it."""
        scenario = folder / "deadlock.yaml"
        said = "A deadlock of a fabric's forwarding tables; written by `polycast fabric deadlock`."
        write_whole(scenario, attempt.scenario(self.found, folder, self.options.vls, said))
        return self.simulate(attempt, scenario, folder / "results")

    def simulate(self, attempt: Attempt, scenario: Path, target: Path, *words: str) -> Run:
        """\\raises UserError where the scenario is refused"""
        command = [str(self.program), "run", str(scenario), *words, "--out", str(target), "--progress", "none"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode not in (Status.OK, Status.FAILED):
            err.print(done.stderr.rstrip("\n"))
            raise UserError(f"the simulator did not run {shown(scenario)} (exit status {done.returncode})")
        (point,) = Folder(target).results().points
        stuck = point.outcome == "stuck"
        diagnosis = point.diagnosis or ""
        return Run(attempt, target, diagnosis, point.cycles, circle_in(diagnosis) if stuck else [])


def attempts_of(cycle: Cycle, buffers: int, runs: int, seed: int) -> Iterator[tuple[str, Attempt]]:
    """Stages and what they try."""
    if buffers == 1 and cycle.complete:
        yield "certain" if cycle.front == 0 else "aligned", aligned(cycle)
    if cycle.nearest:
        yield from (("trains", trains(cycle, buffers, seed, number)) for number in range(runs))


def search(runner: Runner, cycle: Cycle, buffers: int, runs: int, folder: Path) -> Search:
    """`runs`: most trains. The first run that closes the cycle ends the search; `folder` keeps it."""
    made = Search(buffers)
    for stage, attempt in attempts_of(cycle, buffers, runs, runner.options.seed):
        made.runs[stage] = made.runs.get(stage, 0) + 1
        run = runner.run(attempt, folder)
        if run.closed:
            made.closed = run
            return made
        most = waits.most_waiting(run.log, cycle)
        if most.edges > made.most.edges or not made.best:
            made.most, made.best = most, attempt.stage
        shutil.rmtree(run.folder)
    (folder / "deadlock.yaml").unlink(missing_ok=True)
    return made


def switch_of(cycle: Cycle) -> str:
    """With most channels of the cycle, the first of several."""
    count: dict[str, int] = {}
    for channel in cycle.channels:
        count[channel.switch] = count.get(channel.switch, 0) + 1
    return max(count, key=lambda name: count[name])


def waves_of(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((run.folder / "waves").iterdir())}


def confirm(runner: Runner, outcome: Outcome, folder: Path) -> None:
    """Runs what closed the cycle again with waves, then with RTL in one switch, and compares."""
    run = outcome.shown
    assert run is not None
    outcome.waits = chain(run.log, run.channels)
    outcome.taken = max((one.taken for one in outcome.waits), default=0)
    switches = dict.fromkeys(channel.partition("/vl")[0].rpartition(":")[0] for channel in run.channels)
    chips = f"trace.chips=[{', '.join(quoted(name) for name in switches)}]"
    first = f"trace.from={max(0, outcome.taken - BEFORE)} cycle"
    # RTL never sleeps: without the last cycle its waves would be longer.
    window = set_options([chips, first, f"trace.to={run.cycles - 1} cycle"])
    scenario = folder / "deadlock.yaml"
    waved = runner.simulate(run.attempt, scenario, folder / ".waves", *window)
    if runner.options.compare:
        outcome.rtl = runner.options.rtl or switch_of(outcome.cycle)
        say(f"the same with {outcome.rtl} in RTL; its model is built first where there is none yet (or --no-rtl)")
        rtl = set_options([f"network.chips={{{quoted(outcome.rtl)}: rtl}}"])
        other = runner.simulate(run.attempt, scenario, folder / ".rtl", *window, *rtl)
        outcome.differs = differences(run, waved, other)
        if outcome.differs:
            other.folder.rename(folder / "rtl")
        else:
            shutil.rmtree(other.folder)
    (waved.folder / "waves").rename(folder / "waves")
    shutil.rmtree(waved.folder)


def differences(run: Run, waved: Run, other: Run) -> str:
    """Of a run, which has waves when it is repeated, and another one of the same; empty where there are none."""
    compared = [
        ("the diagnosis", run.diagnosis == other.diagnosis),
        ("the cycle of channels", run.channels == other.channels),
        ("the waves", waves_of(waved) == waves_of(other)),
    ]
    return ", ".join(what for what, same in compared if not same)


def quoted(name: str) -> str:
    """A text in YAML's flow style."""
    return "'" + name.replace("'", "''") + "'"


def look_at(runner: Runner, number: int, cycle: Cycle) -> Outcome:
    outcome = Outcome(number, cycle)
    print_cycle(outcome)
    folder = runner.work / f"cycle{number}"
    folder.mkdir()
    sizes = runner.options.buffers
    for buffers in sizes:
        # All sizes share the runs; what one leaves the next ones have.
        left = runner.options.attempts - sum(sum(one.runs.values()) for one in outcome.searches)
        runs = left // (len(sizes) - len(outcome.searches))
        part = folder if outcome.shown is None else folder / f"buffers{buffers}"
        part.mkdir(exist_ok=True)
        say(f"buffers of {plural(buffers, 'packet')}: up to {plural(max(0, runs), 'run')} with trains")
        outcome.searches.append(search(runner, cycle, buffers, runs, part))
        if part != folder and outcome.searches[-1].closed is None:
            part.rmdir()
        print_search(outcome.searches[-1])
    if outcome.shown is not None:
        confirm(runner, outcome, folder)
        print_waits(outcome)
    write_cycle(outcome, folder)
    return outcome


def chosen(found: Found, options: Options) -> list[tuple[int, Cycle]]:
    """\\raises UserError where there is no such cycle or switch"""
    if options.cycle is not None and not 1 <= options.cycle <= len(found.cycles):
        raise UserError(f"--cycle {options.cycle}: there are {len(found.cycles)}, numbered from 1")
    if options.rtl is not None and not options.compare:
        raise UserError("--rtl and --no-rtl: give one of them")
    if options.rtl is not None and options.rtl not in found.switches:
        raise UserError(f"--rtl: there is no switch '{options.rtl}'{proposal(options.rtl, found.switches)}")
    numbered = list(enumerate(found.cycles, 1))
    return numbered if options.cycle is None else [numbered[options.cycle - 1]]


def show_deadlock(paths: Sequence[Path], options: Options, target: Path | None) -> int:
    """Returns 0 where there is no cycle, 1 where there is one, reached or not; 2 from the simulator."""
    found = find(paths, options.words())
    if isinstance(found, int):
        return found
    if not found.cycles:
        out.print(f"no cycle among the channels of {len(found.switches)} switches: packets cannot wait in a circle")
        return Status.OK
    cycles = chosen(found, options)
    RESULTS.mkdir(exist_ok=True)
    target = target if target is not None else fresh_folder(f"deadlock-{paths[0].resolve().name}")
    with whole_folder(target) as work:
        runner = Runner(found, options, work)
        outcomes = [look_at(runner, number, cycle) for number, cycle in cycles]
        attempts = f"{options.attempts} runs with trains, seed {options.seed}"
        write_report(outcomes, found, attempts, work, shown(target))
    reached = [outcome for outcome in outcomes if outcome.shown is not None]
    out.print(f"{len(reached)} of {plural(len(outcomes), 'cycle')} closed; report: {shown(target)}/report.md")
    for outcome in reached:
        for what, command in next_commands(outcome, shown(target)):
            out.print(f"cycle {outcome.number}, {what}: {command}")
        if outcome.differs:
            err.print(f"error: with RTL in {outcome.rtl} cycle {outcome.number} differs: {outcome.differs}")
    if len(reached) < len(outcomes):
        out.print("a cycle is possible, and was not reached: that is evidence, and no proof that the tables are safe")
    return Status.FAILED
