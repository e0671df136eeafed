# SPDX-License-Identifier: Apache-2.0
"""Two runs or more side by side: what of their scenarios differs, and what of their results, point by point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from polycast_cli.common import UserError, shown
from polycast_cli.jobs.model import identity
from polycast_cli.reading import read_yaml
from polycast_cli.reports.significance import Difference, Method, Sample, difference, holm, over_networks
from polycast_cli.results import Folder, Point, Provenance, Results, read_checked
from polycast_cli.sweeps.plan import Plan

#: A difference is significant where its adjusted p-value is below.
LEVEL = 0.05


class Verdict(StrEnum):
    """What became of a number, in the words of the report; the first ones are shown first."""

    FAILS = "fails now"
    WORSE = "worse"
    BETTER = "better"
    MENDED = "passes now"
    CHANGED = "changed"
    UNTESTED = "cannot tell"
    UNCLEAR = "not significant"
    SATURATED = "saturated"
    EQUAL = "equal"


@dataclass
class Measured:
    """A number of a point. `worse` is the sign of a change for the worse, 0 where it is neither."""

    sample: Sample
    unit: str
    worse: int
    saturated: bool = False


@dataclass
class Row:
    """A number of two runs; `run` is the label of the second one."""

    run: str
    where: str
    quantity: str
    unit: str
    a: float
    b: float
    change: Difference | None = None
    worse: int = 0
    saturated: bool = False
    #: Whether the runs drew the same random numbers: only then one value of each says something.
    same_seeds: bool = True
    #: Whether it passed, in both runs.
    passed: tuple[bool, bool] | None = None
    #: Adjusted for all comparisons of the two runs.
    p: float | None = None

    @property
    def verdict(self) -> Verdict:
        if self.passed is not None:
            return Verdict.MENDED if self.passed[1] else Verdict.FAILS
        if self.change is None or (self.change.value == 0 and self.change.low == self.change.high):
            return Verdict.EQUAL
        if self.saturated:
            return Verdict.SATURATED
        if self.p is not None and self.p >= LEVEL:
            return Verdict.UNCLEAR
        if self.p is None and not self.same_seeds:
            return Verdict.UNTESTED
        if not self.worse:
            return Verdict.CHANGED
        return Verdict.WORSE if self.change.value * self.worse > 0 else Verdict.BETTER

    @property
    def percent(self) -> float | None:
        """Change in percent of the first run."""
        return self.of_first(self.change.value) if self.change else None

    def of_first(self, value: float) -> float | None:
        return 100 * value / abs(self.a) if self.a else None

    @property
    def order(self) -> tuple[int, float, float, str]:
        """By verdict, significance and size; what was not tested behind what was."""
        p = 1.0 if self.p is None else self.p
        return list(Verdict).index(self.verdict), p, -abs(self.percent or 0.0), self.where


@dataclass
class Links:
    """How the loads of the links of a point changed: how many did, and the one that did most."""

    run: str
    where: str
    links: int
    changed: int
    most: str
    a: float
    b: float


@dataclass
class Part:
    """A results folder of its own; or one of a sweep, whose points get the name of the run, and whose workloads that of
    its group: the runs that differ only in their seeds."""

    folder: Folder
    run: str = ""
    group: str = ""

    def name(self, point: str) -> str:
        return f"{self.run}: {point}" if self.run else point

    def results(self) -> Results:
        found = self.folder.results()
        if not self.run:
            return found
        for point in found.points:
            point.id, point.topology.name = self.name(point.id), self.name(point.topology.name)
            if self.group:
                point.workload.name = f"{self.group}: {point.workload.name}"
        for curve in found.curves:
            curve.name = self.name(curve.name)
        return found


@dataclass
class Run:
    """A results folder, or that of a sweep, with what comparing it takes."""

    label: str
    path: Path
    results: Results = field(init=False)
    provenance: Provenance = field(init=False)
    scenario: dict[str, str] = field(init=False)
    seeds: dict[str, str] = field(init=False)
    messages: dict[str, list[tuple[Hashable, float]]] = field(init=False)
    #: Utilisation of the links by their ends, of each point.
    links: dict[str, dict[tuple[str, str], float]] = field(init=False)
    #: Stands for all results.json and tables of links.
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        parts, swept = parts_of(self.path)
        first, *others = [part.results() for part in parts]
        self.results = first
        for other in others:
            first.points += other.points
            first.curves += other.curves
        self.provenance = parts[0].folder.provenance()
        scenario = parts[0].folder.path / "scenario.yaml"
        self.scenario = flattened(read_yaml(scenario) if scenario.is_file() else None)
        self.seeds = {key: value for key, value in self.scenario.items() if key.rsplit(".", 1)[-1] == "seed"}
        self.seeds["seed"] = str(self.results.seed)
        self.scenario |= swept
        self.messages = {part.name(id): found for part in parts for id, found in messages_of(part.folder).items()}
        self.links = {part.name(id): found for part in parts for id, found in links_of(part.folder).items()}
        files = [(part.run, part.folder.path / name) for part in parts for name in ("results.json", "tables/links.csv")]
        self.digest = identity(*(text for run, file in files if file.is_file() for text in (run, file)))


def parts_of(path: Path) -> tuple[list[Part], dict[str, str]]:
    """What is in a folder, and the values of swept keys. \\raises UserError where it has no results"""
    file = path / "sweep.json"
    if not file.is_file():
        return [Part(Folder(path))], {}
    plan = read_checked(file, Plan)
    found = [(run, path / "runs" / run.name) for run in plan.runs]
    parts = [
        Part(Folder(folder), run.name, plan.without_seeds(run))
        for run, folder in found
        if (folder / "results.json").is_file()
    ]
    if not parts:
        raise UserError(f"{shown(path)}: no run of this sweep has results")
    return parts, {key.path: plan.values_of(key) for key in plan.keys}


def flattened(value: Any, name: str = "") -> dict[str, str]:
    """`network.link.delay`: value. Entries of lists go by their names where they have some: `workload.tree.degree`."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        parts = {
            one.get("name", str(i)) if isinstance(one, dict) else str(i): one for i, one in enumerate(value)
        }.items()
    else:
        return {name: str(value)} if name else {}
    found: dict[str, str] = {}
    for key, one in parts:
        found |= flattened(one, f"{name}.{key}" if name else str(key))
    return found


def messages_of(folder: Folder) -> dict[str, list[tuple[Hashable, float]]]:
    """Latencies of the completed messages by point, each with what makes it the same message in another run."""
    found: dict[str, list[tuple[Hashable, float]]] = defaultdict(list)
    for row in folder.rows("latencies"):
        if row["latency"]:
            found[row["point"]].append(((row["message"], row["source"]), float(row["latency"])))
    return found


def links_of(folder: Folder) -> dict[str, dict[tuple[str, str], float]]:
    return {id: {(one.source, one.target): one.utilisation for one in read} for id, read in folder.links()}


def latency_of(run: Run, point: Point) -> Sample:
    """Batches under load, messages that are independent else, or what results.json says of them."""
    mean = point.latency.mean or 0.0
    if point.rails:
        # Latencies of rails count by arrival, their batches by creation: other messages.
        return Sample(mean, half=point.latency.ci95)
    if point.load and point.load.batches:
        batches = [batch for batch in point.load.batches if batch.finished and batch.mean is not None]
        return Sample(
            mean,
            [batch.mean for batch in batches if batch.mean is not None],
            [batch.finished for batch in batches],
            [(batch.begin, batch.created) for batch in batches],
            series=True,
            half=point.latency.ci95,
        )
    messages = run.messages.get(point.id, [])
    return Sample(mean, [value for _, value in messages], keys=[key for key, _ in messages], half=point.latency.ci95)


def accepted_of(point: Point, accepted: float) -> Sample:
    """Its spread is that of the arrivals in the batches of the window, as long as the network keeps up with them."""
    created = [float(batch.created) for batch in point.load.batches] if point.load else []
    mean = sum(created) / len(created) if created else 0.0
    if not mean:
        return Sample(accepted)
    return Sample(accepted, [accepted * count / mean for count in created], series=True, arrivals=True)


def measured(run: Run, point: Point) -> dict[str, Measured]:
    """The numbers of a point by name."""
    unit = "steps" if run.results.in_steps() else "cycles"
    found: dict[str, Measured] = {}
    if point.lanes and point.lanes.streams:
        found["bandwidth"] = Measured(Sample(point.lanes.streams.bandwidth), "bytes/s", -1)
    elif run.results.is_collective(point.workload.name):
        if point.outcome == "complete":
            sample = latency_of(run, point) if point.broadcast else Sample(point.to_finish)
            found["to finish"] = Measured(sample, unit, 1)
    elif point.latency.mean is not None:
        found["latency"] = Measured(latency_of(run, point), unit, 1, point.saturated)
    if point.rails:
        sample = Sample(point.rails.accepted, half=point.rails.accepted_ci95)
        found["accepted"] = Measured(sample, "flit/host/cycle/rail", -1)
    elif point.throughput and point.throughput.accepted is not None:
        found["accepted"] = Measured(
            accepted_of(point, point.throughput.accepted), point.throughput.unit, -1, point.saturated
        )
    if point.links:
        busiest = point.links.busiest[0].utilisation
        found["busiest link"] = Measured(Sample(busiest), "share of cycles", 0)
    return found


def twin(point: Point) -> tuple[Any, ...]:
    """What is the same of points that are the same under another name."""
    settings = point.workload.model_dump(exclude={"name"})
    return point.topology.name, point.topology.switches, point.topology.hosts, str(sorted(settings.items()))


def matched(a: Results, b: Results) -> list[tuple[Point, Point]]:
    """Points of the same name, then those with the same network and the same settings of their workload."""
    by_id = {point.id: point for point in b.points}
    pairs = {point.id: by_id[point.id] for point in a.points if point.id in by_id}
    taken = {point.id for point in pairs.values()}
    others = {twin(point): point for point in b.points if point.id not in taken}
    pairs |= {p.id: others.pop(twin(p)) for p in a.points if p.id not in pairs and twin(p) in others}
    return [(point, pairs[point.id]) for point in a.points if point.id in pairs]


def where_of(a: Point, b: Point) -> str:
    return a.id if a.id == b.id else f"{a.id} → {b.id}"


def point_rows(run_a: Run, run_b: Run, a: Point, b: Point) -> list[Row]:
    rows = []
    where, same_seeds = where_of(a, b), run_a.seeds == run_b.seeds
    if a.passed != b.passed:
        counts = a.check.delivered, b.check.delivered
        rows.append(Row(run_b.label, where, "delivered", "deliveries", *counts, passed=(a.passed, b.passed)))
    first, second = measured(run_a, a), measured(run_b, b)
    for name in (name for name in first if name in second):
        x, y = first[name], second[name]
        rows.append(
            Row(
                run_b.label, where, name, x.unit, x.sample.mean, y.sample.mean, difference(x.sample, y.sample), x.worse,
                x.saturated or y.saturated, same_seeds,
            )
        )  # fmt: skip
    return rows


def network_rows(run_a: Run, run_b: Run, pairs: Sequence[tuple[Point, Point]]) -> list[Row]:
    """Compares workloads on several networks: each network is a sample."""
    groups: dict[tuple[str, str], list[tuple[Measured, Measured]]] = defaultdict(list)
    for a, b in pairs:
        first, second = measured(run_a, a), measured(run_b, b)
        for name in (name for name in first if name in second):
            groups[a.workload.name, name].append((first[name], second[name]))
    rows = []
    for (workload, name), found in groups.items():
        a, b = [x.sample.mean for x, _ in found], [y.sample.mean for _, y in found]
        if (change := over_networks(a, b)) is None:
            continue
        unit, worse = found[0][0].unit, found[0][0].worse
        saturated = any(x.saturated or y.saturated for x, y in found)
        where = f"{workload}, {len(found)} networks"
        rows.append(
            Row(run_b.label, where, name, unit, sum(a) / len(a), sum(b) / len(b), change, worse, saturated)
        )  # fmt: skip
    return rows


def link_rows(run_a: Run, run_b: Run, pairs: Sequence[tuple[Point, Point]]) -> list[Links]:
    """Points whose links are loaded differently."""
    rows = []
    for a, b in pairs:
        before, after = run_a.links.get(a.id, {}), run_b.links.get(b.id, {})
        both = [(" → ".join(ends), load, after[ends]) for ends, load in before.items() if ends in after]
        changed = [one for one in both if one[1] != one[2]]
        if changed:
            most = max(changed, key=lambda one: abs(one[2] - one[1]))
            rows.append(Links(run_b.label, where_of(a, b), len(both), len(changed), *most))
    return rows


@dataclass
class Comparison:
    """Run B beside run A."""

    a: Run
    b: Run
    #: results.json and tables of links of both are the same to the last bit.
    same: bool
    pairs: list[tuple[Point, Point]]
    rows: list[Row]
    links: list[Links]

    @property
    def alone(self) -> tuple[list[str], list[str]]:
        """Points that the other run does not have."""
        first, second = {a.id for a, _ in self.pairs}, {b.id for _, b in self.pairs}
        return (
            [point.id for point in self.a.results.points if point.id not in first],
            [point.id for point in self.b.results.points if point.id not in second],
        )

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict == verdict for row in self.rows)

    def worse_by(self, threshold: float) -> list[Row]:
        """What fails now, and what got worse by more than `threshold` percent."""
        return [
            row
            for row in self.rows
            if row.verdict == Verdict.FAILS
            or (row.verdict == Verdict.WORSE and (row.percent is None or abs(row.percent) > threshold))
        ]

    @property
    def said(self) -> str:
        """In one sentence."""
        if self.same:
            return f"{self.b.label} is the same as {self.a.label} to the last bit."
        words = {
            Verdict.FAILS: "fail now",
            Verdict.WORSE: "worse",
            Verdict.BETTER: "better",
            Verdict.MENDED: "pass now",
            Verdict.CHANGED: "changed",
            Verdict.UNTESTED: "about which one value of each says nothing",
            Verdict.UNCLEAR: "without a significant difference",
            Verdict.SATURATED: "saturated",
            Verdict.EQUAL: "equal",
        }
        counted = ", ".join(f"{count:,} {word}" for verdict, word in words.items() if (count := self.count(verdict)))
        return f"{self.b.label} against {self.a.label}: of {len(self.rows):,} numbers {counted}."


def compare(a: Run, b: Run) -> Comparison:
    """\\raises UserError where the runs have no point in common."""
    pairs = matched(a.results, b.results)
    if not pairs:
        ids = [", ".join(point.id for point in run.results.points[:3]) or "none" for run in (a, b)]
        raise UserError(
            f"{a.label} and {b.label} have no run in common (first: {ids[0]}; second: {ids[1]});"
            " compare runs of the same scenario"
        )
    rows = network_rows(a, b, pairs) + [row for pair in pairs for row in point_rows(a, b, *pair)]
    tested = [row for row in rows if row.change and row.change.p is not None and not row.saturated]
    for row, p in zip(tested, holm([row.change.p or 0.0 for row in tested if row.change]), strict=True):
        row.p = p
    rows.sort(key=lambda row: row.order)
    return Comparison(a, b, a.digest == b.digest, pairs, rows, link_rows(a, b, pairs))


def labelled(paths: Sequence[Path]) -> list[Run]:
    """The folders with their names, as long as they have to be to tell them apart."""
    whole = [path.resolve() for path in paths]
    for length in range(1, max(len(path.parts) for path in whole) + 1):
        labels = [str(Path(*path.parts[-length:])) for path in whole]
        if len(set(labels)) == len(labels):
            break
    else:
        raise UserError(f"{shown(paths[0])}: the same folder twice; there is nothing to compare")
    return [Run(label, path) for label, path in zip(labels, paths, strict=True)]


def scenario_differences(runs: Sequence[Run]) -> list[list[str]]:
    """Keys whose values are not the same everywhere, with the value of each run; a dash where it has none."""
    keys = dict.fromkeys(key for run in runs for key in run.scenario)
    rows = [[key, *(run.scenario.get(key, "–") for run in runs)] for key in keys]
    return [row for row in rows if len(set(row[1:])) > 1]


def method_text(change: Difference | None) -> str:
    return change.method.value if change and (change.p is not None or change.method == Method.EXACT) else "–"
