# SPDX-License-Identifier: Apache-2.0
"""The runs of a study as jobs. What a curve needs next depends on the runs before: it ends behind saturation, and a run
whose warm-up was too short is repeated with a longer one."""

from __future__ import annotations

import shutil
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from polycast_cli.common import Failure, UserError
from polycast_cli.jobs.model import Job, JobStatus, Outcome, digest, identity
from polycast_cli.jobs.progress import Total
from polycast_cli.jobs.store import Store
from polycast_cli.studies.measure import Result, read_answer, read_result
from polycast_cli.studies.plan import Chain, Step, Unit

#: Runs in the folder of its job: $0 is the simulator, $1 the scenario.
SIMULATE = 'printf %s "$1" > scenario && exec "$0" run scenario --out results --progress none --jobs 1'
#: What a run of the simulator writes below the folder of its job.
RESULTS = Path("results")


def simulation(program: Path, scenario: str) -> tuple[str, ...]:
    """The command that runs a scenario given as text; complaints name it "scenario"."""
    return ("sh", "-c", SIMULATE, str(program), scenario)


def analysis(program: Path, unit: Unit) -> tuple[str, ...]:
    """The command that prints the answer of an analysis."""
    command = [str(program), "analyse", unit.analysis, "--json"]
    for name, value in yaml.safe_load(unit.scenario)["analyse"].items():
        if value is not False:
            command += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return tuple(command)


@dataclass
class Runs:
    """Jobs of chains, and the results of their units. A unit whose warm-up was too short is repeated with twice the
    length, `longer` times at most."""

    program: Path
    folder: Path
    store: Store
    longer: int = 1
    total: Total = field(default_factory=lambda: Total(0, 0.0))
    #: By the key of the unit; None where the simulator refused it.
    results: dict[str, Result | None] = field(default_factory=dict)
    #: What the simulator refused, once each.
    refused: dict[str, None] = field(default_factory=dict)
    #: Chains that wait for a unit, with what is left of them, by the unit's key and the chain's identity.
    waiting: defaultdict[str, dict[int, deque[Step]]] = field(default_factory=lambda: defaultdict(dict))
    #: By the key of the job.
    units: dict[str, Unit] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    def begin(self, chains: Iterable[Chain]) -> list[Job]:
        """The first jobs of each chain."""
        return [job for chain in chains for job in self.advance(deque(chain))]

    def advance(self, chain: deque[Step]) -> Iterator[Job]:
        """Jobs of the first step whose runs are missing. A chain ends behind the first step at which every network is
        saturated, and where a run is refused."""
        while chain:
            step = chain[0]
            missing = [unit for unit in map(self.missing, step.units) if unit is not None]
            for unit in missing:
                if unit.key not in self.waiting:
                    yield self.job(unit, step)
                self.waiting[unit.key][id(chain)] = chain
            if missing:
                return
            chain.popleft()
            results = self.results_of(step)
            if results is None or all(result.saturated for result in results):
                self.skip(chain)
                return

    def further(self, job: Job, outcome: Outcome) -> Iterator[Job]:
        """Jobs that follow from the outcome. \\raises Failure where the simulator did not end as it should"""
        unit = self.units[job.key]
        if outcome.status is JobStatus.REFUSED:
            self.results[unit.key] = None
            self.refused[outcome.tail.removeprefix("error: ")] = None
        elif not outcome.passed:
            code = outcome.status if outcome.exit_code is None else f"status {outcome.exit_code}"
            raise Failure(f"polycast-sim ended with {code}: {outcome.tail}\nin this scenario:\n{unit.scenario}")
        else:
            try:
                result = self.results[unit.key] = read(job, unit)
            except (UserError, ValueError):
                if job.key in self.unreadable:
                    raise
                self.unreadable.add(job.key)  # files that were there before
                self.store.forget([job])
                yield job
                return
            prune(job, result)
        for chain in self.waiting.pop(unit.key).values():
            yield from self.advance(chain)

    def job(self, unit: Unit, step: Step) -> Job:
        key, place = identity(digest(self.program), unit.key), step.place
        self.units[key] = unit
        name = f"{place.figure}, {place.panel}, {place.series} at {place.x:g}"
        folder = self.folder / unit.key
        if unit.analysis:
            return Job(key, name, analysis(self.program, unit), folder, unit.weight, outputs=(Path("stdout"),))
        command = simulation(self.program, unit.scenario)
        # Status 1 is that of a network which cannot carry its load, too.
        return Job(key, name, command, folder, unit.weight, expected=(0, 1), outputs=(RESULTS / "results.json",))

    def attempts(self, unit: Unit) -> Iterator[Unit]:
        """The unit, and the longer ones that take its place."""
        yield unit
        for turn in range(self.longer):
            last = self.results[(unit if turn == 0 else unit.stretched(2**turn)).key]
            if last is None or not last.flagged:
                return
            yield unit.stretched(2 ** (turn + 1))

    def missing(self, unit: Unit) -> Unit | None:
        """The run that the unit needs next."""
        return next((attempt for attempt in self.attempts(unit) if attempt.key not in self.results), None)

    def result(self, unit: Unit) -> Result | None:
        """None where it is missing or refused."""
        found = None
        for attempt in self.attempts(unit):
            if attempt.key not in self.results:
                return None
            found = self.results[attempt.key]
        return found

    def results_of(self, step: Step) -> list[Result] | None:
        """None where a run of the step is missing: refused, or behind saturation."""
        found = [self.result(unit) for unit in step.units]
        return None if None in found else [result for result in found if result is not None]

    def left(self) -> set[Unit]:
        """Units that chains which wait may need."""
        chains = {key: chain for waiting in self.waiting.values() for key, chain in waiting.items()}
        units = {unit for chain in chains.values() for step in chain for unit in step.units}
        return {unit for unit in units if self.result(unit) is None}

    def skip(self, chain: Iterable[Step]) -> None:
        for unit in {unit for step in chain for unit in step.units if unit.key not in self.results}:
            self.total.jobs -= 1
            self.total.weight -= unit.weight


def prune(job: Job, result: Result) -> None:
    """Removes tables and topologies, which a study does not read, of a run that is right: a study has thousands."""
    if not any(sample.problem for sample in result.samples):
        for folder in (path for path in (job.folder / RESULTS).glob("*") if path.is_dir()):
            shutil.rmtree(folder)


def read(job: Job, unit: Unit) -> Result:
    """\\raises UserError or ValueError where the files of the job are no results"""
    if unit.analysis:
        return read_answer((job.folder / "stdout").read_text(), unit)
    return read_result(job.folder / RESULTS, unit)
