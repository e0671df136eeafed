# SPDX-License-Identifier: Apache-2.0
"""The results folder that a run writes, as Python objects."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError, model_validator

from polycast_cli.common import RESULTS, UserError, shown
from polycast_cli.earlier_results import of_earlier_format
from polycast_cli.provenance import Provenance
from polycast_cli.reading import Checked, refusal
from polycast_cli.results_of_kinds import Allgather, Broadcast, Lanes, Part, Program, Rails
from polycast_cli.results_of_points import (
    Copies,
    Counts,
    Duplicates,
    Injected,
    Interfaces,
    Latency,
    Links,
    Load,
    Planned,
    Reliable,
    Throughput,
)


class TopologyName(Part):
    name: str
    switches: int
    hosts: int
    links: int


class Workload(Part):
    """`degree`, `message` (bytes) and `rate` where the workload has them."""

    name: str
    kind: str
    scheme: str | None = None
    pattern: str | None = None
    degree: int | None = None
    message: int | None = None
    rate: float | None = None


class Check(Copies):
    """What became of the messages: all counts but `chip_errors` are of deliveries."""

    misordered: int = 0
    chip_errors: int = 0
    host_failures: int = 0
    #: By the check of forwarding tables, where it was to go on nevertheless.
    lost: int | None = None
    messages: Counts | None = None

    @property
    def faults(self) -> dict[str, int]:
        names = (name for name in Check.model_fields if name not in ("expected", "delivered", "lost", "messages"))
        return {name.replace("_", " "): count for name in names if (count := getattr(self, name))}


class LinkLoad(NamedTuple):
    """A row of tables/links.csv: one direction of a link. Of buffers ideal hosts measure nothing."""

    source: str
    target: str
    flits: int
    packets: int
    utilisation: float
    buffer_mean: float | None
    buffer_max: float | None


class ZeroLoad(Part):
    """Packets alone in the network, mean latency in cycles: `formula` is what hops and delays add up to."""

    packets: int
    measured: float
    formula: float
    different: int | None = None


class Saturation(Part):
    """Loads in flits per host and cycle: the highest one below saturation, the first one that is not, most accepted."""

    steady: float | None = None
    beyond: float | None = None
    accepted: float


class CurvePoint(Part):
    workload: str
    rate: float
    accepted: float
    accepted_ci95: float | None = None
    latency_mean: float | None = None
    latency_ci95: float | None = None
    saturated: bool


class Curve(Part):
    """Points of a network that differ in their load only."""

    name: str
    topology: str
    policy: str = ""  # of rails
    zero_load: ZeroLoad | None = None
    saturation: Saturation
    points: list[CurvePoint]


class Expectation(Part):
    """A bound that the scenario sets, `workload[].expect`, and what came of it."""

    key: str
    limit: float
    value: float
    met: bool
    text: str


class Point(Part):
    id: str
    topology: TopologyName
    workload: Workload
    cycles: int
    check: Check
    #: Of multicasts.
    plan: Planned | None = None
    #: Of the measurement: the network did not keep up, or the warm-up was too short.
    warnings: list[str] = Field([])
    latency: Latency
    throughput: Throughput | None = None
    load: Load | None = None
    duplicates: Duplicates | None = None
    interfaces: Interfaces | None = None
    links: Links | None = None
    reliable: Reliable | None = None
    injected: Injected | None = None
    #: Flits from router to router, with ideal hosts.
    flit_hops: int | None = None
    allgather: Allgather | None = None
    broadcast: Broadcast | None = None
    rails: Rails | None = None
    #: For rails and lanes; "event" is an approximation.
    fidelity: str = ""
    lanes: Lanes | None = None
    program: Program | None = None
    outcome: str = "complete"
    #: What held the network up, where it was stuck.
    diagnosis: str = ""
    #: The first deliveries that were wrong.
    faults: list[str] = Field([])
    expectations: list[Expectation] = Field([])
    #: The chip that a model's assertion or a comparison accuses.
    suspect: str = ""
    #: The last cycles before a failure, below the results folder.
    wave: str = ""
    passed: bool

    @property
    def saturated(self) -> bool:
        """Whether the network did not keep up with the load: latencies grow for as long as the run lasts."""
        if self.outcome == "broken":  # it ended before anybody could tell
            return False
        return bool(self.load and not self.load.kept_up) or bool(self.rails and self.rails.saturated)

    @property
    def left_open(self) -> int:
        """Messages that a saturated run did not wait for when its window ended."""
        return self.load.backlog_end if self.load and self.outcome == "saturated" else 0

    @property
    def unmet(self) -> list[str]:
        """Expectations that are not met, in words."""
        return [one.text for one in self.expectations if not one.met]

    @property
    def to_finish(self) -> float:
        """Mean time of an allgather, or of one of several broadcasts; the finish of a program."""
        if self.program:
            return float(self.program.finish.cycles)
        return self.latency.mean if self.broadcast and self.latency.mean is not None else float(self.cycles)


class Summary(Part):
    workload: str
    points: int
    latency_mean: float | None = None
    latency_ci95: float | None = None
    delivered: int
    expected: int
    failed: int = 0


class Units(Part):
    """Of the numbers. How long a cycle is, and how wide a link, earlier versions did not say."""

    cycles: str = "cycle"
    latency: str = "cycle"
    message: str = "B"
    rate: str = ""
    utilisation: str = ""
    buffer: str = ""
    cycle_ns: float | None = None
    flit_bytes: int | None = None


class Results(Part):
    """results.json"""

    format: Literal[2]
    scenario: str
    seed: int
    units: Units = Field(Units())
    points: list[Point]
    summary: list[Summary] = Field([])
    curves: list[Curve] = Field([])

    @model_validator(mode="before")
    @classmethod
    def read_earlier(cls, data: Any) -> Any:
        return of_earlier_format(data)

    @property
    def passed(self) -> bool:
        return bool(self.points) and all(point.passed for point in self.points)

    @property
    def wrong(self) -> str:
        """What is wrong where not all runs passed: deliveries by kind of fault, and expectations that are not met."""
        faults = [f"{count:,} {name}" for name, count in self.total().faults.items()]
        unmet = sum(len(point.unmet) for point in self.points)
        faults += [f"{unmet:,} expectation{'s' if unmet > 1 else ''} not met"] if unmet else []
        return ", ".join(faults)

    @property
    def saturation(self) -> str:
        """Which runs are saturated, and what that means; empty where none is."""
        names = [point.id for point in self.points if point.saturated]
        if not names:
            return ""
        said = ", ".join(names[:3]) + (f", and {len(names) - 3} more" if len(names) > 3 else "")
        count = f"{len(names)} of {len(self.points)} runs ({said})"
        left = sum(point.left_open for point in self.points)
        ended = f"; {left:,} messages were left open" if left else ""
        return f"{count}: the network does not keep up; mean latencies grow with the length of the run{ended}"

    def remark(self, workload: str) -> str:
        """What has to stand beside each latency of a workload; empty where nothing has."""
        return "saturated" if any(p.saturated for p in self.points if p.workload.name == workload) else ""

    def titled(self, workload: str) -> str:
        remark = self.remark(workload)
        return f"{workload} ({remark})" if remark else workload

    @property
    def unrecovered(self) -> str:
        """What runs leave out by the accounting of a paper, though all their packets arrive; empty where none does."""
        cut = [point for point in self.points if point.passed and point.allgather and point.allgather.missing]
        count = sum(point.allgather.missing for point in cut if point.allgather)
        of = count + sum(point.check.expected for point in cut)
        said = f"{count:,} of {of:,} data cannot be recovered: the published accounting leaves their packets out"
        return said if cut else ""

    def is_collective(self, workload: str) -> bool:
        """Whether its time is that until everybody has everything: an allgather, or broadcasts; or that of streams, or
        of a program."""
        kinds = ("allgather", "broadcast", "lanes", "streams", "program")
        return any(point.workload.name == workload and point.workload.kind in kinds for point in self.points)

    def in_steps(self) -> bool:
        """Whether times are in steps of broadcasts, and not in cycles."""
        return any(point.broadcast is not None and point.broadcast.timing == "step" for point in self.points)

    def to_finish(self, workload: str) -> float | None:
        """Mean time until every node has everything, of broadcasts of each; None for what is no collective, and where
        none ended."""
        done = [point for point in self.points if point.workload.name == workload and point.outcome == "complete"]
        return fmean(point.to_finish for point in done) if done and self.is_collective(workload) else None

    def total(self) -> Check:
        """The sum over all points."""
        names = [name for name in Check.model_fields if name not in ("lost", "messages")]
        return Check(**{name: sum(getattr(point.check, name) for point in self.points) for name in names})


def read_checked(file: Path, model: type[Checked]) -> Checked:
    """\\raises UserError naming file and place where it is something else."""
    try:
        return model.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise refusal(error, file) from None


def link_rows(file: Path) -> Iterator[tuple[str, LinkLoad]]:
    """A run's id and a link of it. \\raises UserError at what is no such row"""
    with file.open(newline="") as stream:
        rows = csv.reader(stream)
        next(rows, None)
        try:
            for point, source, target, flits, packets, utilisation, mean, most in rows:
                buffers = float(mean) if mean else None, float(most) if most else None
                yield point, LinkLoad(source, target, int(flits), int(packets), float(utilisation), *buffers)
        except ValueError:
            raise UserError(f"{shown(file)}:{rows.line_num}: not a row of this table") from None


class Folder:
    """A results folder."""

    def __init__(self, path: Path) -> None:
        if not (path / "results.json").is_file():
            raise UserError(f"{shown(path)}: not a results folder (no results.json in it)")
        self.path = path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folder) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def results(self) -> Results:
        return self._checked("results.json", Results)

    def provenance(self) -> Provenance:
        return self._checked("run.json", Provenance) if (self.path / "run.json").is_file() else Provenance()

    def _checked(self, name: str, model: type[Checked]) -> Checked:
        return read_checked(self.path / name, model)

    def json(self, name: str) -> Any:
        """Contents of another JSON file of the folder, None where it does not exist."""
        file = self.path / name
        if not file.is_file():
            return None
        try:
            return json.loads(file.read_text())
        except ValueError as error:
            raise UserError(f"{shown(file)}: {error}") from None

    def rows(self, name: str) -> Iterator[dict[str, str]]:
        """Of a table of the folder; none where it does not exist."""
        file = self.path / "tables" / f"{name}.csv"
        if file.is_file():
            with file.open(newline="") as stream:
                yield from csv.DictReader(stream)

    def links(self) -> Iterator[tuple[str, Iterator[LinkLoad]]]:
        """Loads of the links, run by run, read while they are used; none where the table does not exist."""
        file = self.path / "tables" / "links.csv"
        if file.is_file():
            for point, rows in groupby(link_rows(file), itemgetter(0)):
                yield point, (load for _, load in rows)

    def text(self, name: str) -> str | None:
        file = self.path / name
        return file.read_text() if file.is_file() else None

    def topology(self, name: str, model: type[Checked]) -> Checked:
        """A network of the run as a Network, or its Nodes only."""
        return self._checked(f"topology/{name}.json", model)


def newest(holding: str = "") -> Folder:
    """The last run below results/; `holding` a folder "waves" or "packets", of those that have one."""
    found = [file.parent for file in RESULTS.glob("*/results.json") if (file.parent / holding).is_dir()]
    if not found:
        raise UserError(f"no results{f' with {holding}' if holding else ''} below {shown(RESULTS)}")
    return Folder(max(found, key=lambda path: (path / "results.json").stat().st_mtime))


def one_named(name: str, files: Iterable[Path], option: str, what: str) -> Path:
    """The one of `files` whose name is or holds `name`. \\raises UserError where several or none do"""
    files = list(files)
    found = [file for file in files if name in file.name]
    chosen = [file for file in found if file.stem == name] or found
    if len(chosen) != 1:
        which = f"several {what}s match" if found else f"no such {what}"
        names = ", ".join(file.name for file in found or files)
        raise UserError(f"{option} {name or '...'}: {which}: {names or 'none here'}")
    return chosen[0]
