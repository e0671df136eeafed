# SPDX-License-Identifier: Apache-2.0
"""Runs the simulations of a study on all cores. Every result is kept as soon as it is there, so that a study that was
killed goes on where it was."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from json import loads
from pathlib import Path

import yaml
from pydantic import ValidationError

from polycast_cli.common import Failure, Status, UserError
from polycast_cli.studies.measure import ANALYSED, Result, Sample, read_result
from polycast_cli.studies.plan import Chain, Place, Step, Unit, yaml_text

#: Told after each step: what it was, the weight of its runs, their seconds (0 where they were there already).
Told = Callable[[Place, float, float], None]


class Interrupted(Exception):
    """Ctrl-C reached a simulator."""


def digest(program: Path) -> str:
    """Of the simulator: results of another one are no results of this one."""
    return hashlib.sha256(program.read_bytes()).hexdigest()[:16]


@dataclass
class Store:
    """Results in a folder, one file each, by simulator and unit."""

    folder: Path
    simulator: str
    kept: dict[str, Result] = field(default_factory=dict)

    def path(self, unit: Unit) -> Path:
        return self.folder / f"{self.simulator}-{unit.key}.json"

    def get(self, unit: Unit) -> Result | None:
        if unit.key not in self.kept:
            try:
                result = Result.model_validate_json(self.path(unit).read_bytes())
            except (OSError, ValidationError):
                return None
            if result.format != Result.model_fields["format"].default:
                return None
            self.kept[unit.key] = result
        return self.kept[unit.key]

    def put(self, unit: Unit, result: Result) -> None:
        """Whole or not at all, whatever happens."""
        temporary = self.path(unit).with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        temporary.write_text(result.model_dump_json(indent=1))
        temporary.replace(self.path(unit))
        self.kept[unit.key] = result


def stretched(scenario: str, factor: int) -> str:
    """The scenario with a warm-up and a window of `factor` times the length."""
    content = yaml.safe_load(scenario)
    measurement = content["measurement"]
    for key in ("warmup", "window", "drain_limit"):
        if isinstance(measurement[key], int):  # a warm-up may be a word
            measurement[key] *= factor
    return yaml_text(content)


@dataclass
class Engine:
    """Everything that runs need. `scratch` is for results folders that are read and thrown away; a run whose warm-up
    was longer than what it discards is repeated with twice as much, `longer` times at most."""

    program: Path
    store: Store
    scratch: Path
    longer: int = 1
    stopped: threading.Event = field(default_factory=threading.Event)
    #: Figures share units: each is run by one thread.
    locks: defaultdict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock))
    told_of: set[str] = field(default_factory=set)  # their keys, so that their weight counts once

    def weight_of(self, step: Step) -> float:
        """Of the runs of the step that were not told of yet."""
        new = [unit for unit in step.units if unit.key not in self.told_of]
        self.told_of.update(unit.key for unit in new)
        return sum(unit.weight for unit in new)

    def simulate(self, unit: Unit, scenario: str) -> Result:
        """\\raises UserError where the simulator refuses the scenario, Failure where it breaks"""
        if self.stopped.is_set():
            raise Interrupted
        folder = self.scratch / f"{unit.key}.{threading.get_ident()}"
        source = folder.with_suffix(".yaml")
        source.write_text(scenario)
        try:
            command = [self.program, "run", source, "--out", folder, "--progress", "none", "--jobs", "1"]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            self.complain(done.returncode, done.stderr.replace(str(source), "scenario"), scenario)
            warmup = yaml.safe_load(scenario).get("measurement", {}).get("warmup", 0)
            return read_result(folder, unit, warmup if isinstance(warmup, int) else 0)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            source.unlink(missing_ok=True)

    def analyse(self, unit: Unit) -> Result:
        """The answer of an analysis. \\raises as simulate()"""
        if self.stopped.is_set():
            raise Interrupted
        command = [str(self.program), "analyse", unit.analysis, "--json"]
        for name, value in yaml.safe_load(unit.scenario)["analyse"].items():
            if value is not False:
                command += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        self.complain(done.returncode, done.stderr, unit.scenario)
        values = ANALYSED[unit.analysis](loads(done.stdout))
        sample = Sample(replica=1, outcome="analysed", latency=None, messages=0, values=values)
        return Result(scenario=unit.scenario, seconds=time.monotonic() - begin, samples=[sample])

    @staticmethod
    def complain(code: int, text: str, scenario: str) -> None:
        if code in (Status.OK, Status.FAILED):
            return
        if code in (Status.INTERRUPTED, -signal.SIGINT):
            raise Interrupted
        text = text.strip()[-2000:]
        if code == Status.BAD_INPUT:
            raise UserError(text.removeprefix("error: "))
        raise Failure(f"polycast-sim ended with status {code}: {text}\nin this scenario:\n{scenario}")

    def result(self, unit: Unit) -> Result:
        """Of a unit that is run only where its result is missing."""
        with self.locks[unit.key]:
            found = self.store.get(unit)
            if found is None:
                found = self.long_enough(unit)
                self.store.put(unit, found)
            return found

    def long_enough(self, unit: Unit) -> Result:
        """The unit with a warm-up that is over when measuring begins, or flagged where that takes too long."""
        if unit.analysis:
            return self.analyse(unit)
        found = self.simulate(unit, unit.scenario)
        seconds = found.seconds
        for turn in range(self.longer):
            if not found.flagged:
                break
            found = self.simulate(unit, stretched(unit.scenario, 2 << turn))
            seconds += found.seconds
        found.seconds = seconds
        return found

    def run_chain(self, chain: Chain, told: Told) -> None:
        """Ends behind the first point at which every network is saturated. \\raises UserError where a run is refused"""
        for index, step in enumerate(chain):
            known = all(self.store.get(unit) is not None for unit in step.units)
            results = [self.result(unit) for unit in step.units]
            seconds = 0.0 if known else sum(result.seconds for result in results)
            told(step.place, self.weight_of(step), seconds)
            if all(sample.saturated or sample.problem for result in results for sample in result.samples):
                for left in chain[index + 1 :]:
                    told(left.place, self.weight_of(left), 0.0)
                return

    def run(self, chains: Iterable[Chain], jobs: int, told: Told) -> list[str]:
        """Runs every chain; returns what the simulator refused, once each."""
        refused: dict[str, None] = {}
        with ThreadPoolExecutor(jobs) as pool:
            waiting = {pool.submit(self.run_chain, chain, told) for chain in chains}
            try:
                while waiting:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in done:
                        collect(future, refused)
            except BaseException:
                self.stopped.set()
                pool.shutdown(cancel_futures=True)
                raise
        return list(refused)


def collect(future: Future[None], refused: dict[str, None]) -> None:
    try:
        future.result()
    except UserError as error:
        refused[str(error)] = None


def results_of(store: Store, step: Step) -> list[Result] | None:
    """None where a run of the step is missing: refused, or behind saturation."""
    found = [store.get(unit) for unit in step.units]
    return None if any(result is None for result in found) else [result for result in found if result is not None]
