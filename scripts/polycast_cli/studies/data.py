# SPDX-License-Identifier: Apache-2.0
"""The measured points of a study as one table: what curves, verdicts and CSV files are made of."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polycast_cli.common import write_whole
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import Depth, Figure, Study
from polycast_cli.studies.plan import Chain, Place, Step, chains_of
from polycast_cli.studies.runs import Runs
from polycast_cli.studies.statistics import Estimate, estimate

#: What a sample can say, by the name that figures and conclusions use.
QUANTITIES: dict[str, Callable[[Sample], float | None]] = {
    "latency": lambda sample: sample.latency,
    "accepted": lambda sample: sample.accepted,
    "offered": lambda sample: sample.offered,
    "receive_memory": lambda sample: sample.receive_memory,
    "send_memory": lambda sample: sample.send_memory,
    "duplicated_share": lambda sample: sample.duplicated_share,
    "value": lambda sample: sample.value,
}


@dataclass
class Point:
    """A place of a curve with one sample for each network."""

    place: Place
    samples: list[Sample]
    flagged: str = ""
    warmup: float | None = None
    discarded: int = 0
    at: float | None = None  # where it is drawn, if not at the place's x

    @property
    def drawn_at(self) -> float:
        return self.place.x if self.at is None else self.at

    def values(self, quantity: str) -> dict[int, float]:
        """By replica, of samples that are worth something."""
        found = {}
        for sample in self.samples:
            value = QUANTITIES[quantity](sample)
            if value is not None and not sample.problem:
                found[sample.replica] = float(value)
        return found

    def estimate(self, quantity: str) -> Estimate | None:
        values = list(self.values(quantity).values())
        return estimate(values) if values else None

    @property
    def saturated(self) -> bool:
        """In at least half of the networks."""
        return 2 * sum(sample.saturated for sample in self.samples) >= len(self.samples) > 0

    @property
    def problems(self) -> list[str]:
        return [f"network {sample.replica}: {sample.problem}" for sample in self.samples if sample.problem]


Curve = list[Point]


@dataclass
class Data:
    """Points by figure, model, panel and series; each curve in the order of x."""

    curves: dict[tuple[str, str, str, str], Curve] = field(default_factory=lambda: defaultdict(list))
    missing: list[Place] = field(default_factory=list)

    def add(self, point: Point) -> None:
        place = point.place
        self.curves[place.figure, place.model, place.panel, place.series].append(point)

    def curve(self, figure: str, model: str, panel: str, series: str) -> Curve:
        return self.curves.get((figure, model, panel, series), [])

    def points(self, figure: str | None = None) -> Iterable[Point]:
        return (point for key, curve in self.curves.items() if figure in (None, key[0]) for point in curve)


def collect(study: Study, figures: Sequence[Figure], depth: Depth, runs: Runs) -> Data:
    """What is there of the figures; places without a result count as missing, but for those behind saturation."""
    data = Data()
    for figure in figures:
        for chain in chains_of(study, figure, depth):
            collect_chain(chain, runs, data)
    return data


def read(sample: Sample, step: Step) -> Sample:
    """The sample with the value that the step reads, where it reads one."""
    value, base = sample.values.get(step.reads), sample.values.get(step.per, 1.0)
    if value is None or not base:
        return sample
    return sample.model_copy(update={"value": value / base / step.divisor})


def collect_chain(chain: Chain, runs: Runs, data: Data) -> None:
    for step in chain:
        results = runs.results_of(step)
        if results is None:
            data.missing.append(step.place)
            continue
        samples = [read(sample, step) for result in results for sample in result.samples]
        flagged = "; ".join(dict.fromkeys(result.flagged for result in results if result.flagged))
        warmups = [result.warmup for result in results if result.warmup is not None]
        discarded = max(result.discarded for result in results)
        if step.listed and all(sample.value is None for sample in samples):
            return  # behind the end of the list
        data.add(Point(step.place, samples, flagged, max(warmups, default=None), discarded, step.at))
        if all(result.saturated for result in results):
            return


COLUMNS = (
    "figure", "model", "panel", "series", "x", "drawn_at", "network", "latency", "messages", "offered", "accepted",
    "saturated", "receive_memory", "send_memory", "duplicated", "duplicated_share", "value", "outcome", "problem",
)  # fmt: skip


def cells(point: Point, sample: Sample) -> list[object]:
    place = point.place
    return [
        place.figure, place.model, place.panel, place.series, place.x, point.drawn_at, sample.replica, sample.latency,
        sample.messages, sample.offered, sample.accepted, int(sample.saturated), sample.receive_memory,
        sample.send_memory, sample.duplicated, sample.duplicated_share, sample.value, sample.outcome, sample.problem,
    ]  # fmt: skip


def write_samples(path: Path, points: Iterable[Point]) -> None:
    """CSV: a row for each network of each point."""
    rows = [cells(point, sample) for point in points for sample in point.samples]
    write_csv(path, COLUMNS, rows)


MEANS = (
    "figure", "model", "panel", "series", "x", "drawn_at", "networks", "mean", "ci95", "offered", "accepted",
    "saturated", "warmup", "discarded", "flagged",
)  # fmt: skip


def write_means(path: Path, points: Iterable[Point], quantity: str) -> None:
    """CSV: a row for each point, with the mean of `quantity` and the half width of its confidence interval."""
    rows = []
    for point in points:
        place, found = point.place, point.estimate(quantity)
        throughput = [point.estimate(name) for name in ("offered", "accepted")]
        rows.append(
            [
                place.figure, place.model, place.panel, place.series, place.x, point.drawn_at,
                found.count if found else 0, found and found.mean, found and found.half,
                *(one and one.mean for one in throughput), int(point.saturated), point.warmup,
                point.discarded or None, point.flagged,
            ]
        )  # fmt: skip
    write_csv(path, MEANS, rows)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else plain(cell) for cell in row] for row in rows)
    write_whole(path, text.getvalue())


def plain(cell: object) -> object:
    return f"{cell:.10g}" if isinstance(cell, float) else cell
