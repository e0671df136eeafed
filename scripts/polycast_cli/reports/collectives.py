# SPDX-License-Identifier: Apache-2.0
"""Collectives in the report: time, algbw and busbw against size, as nccl-tests define them, with what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from polycast_cli.clock import time_text
from polycast_cli.reports.curves import COLOURS, Knot, Line, binary, curves
from polycast_cli.reports.page import number
from polycast_cli.results import Point
from polycast_cli.results_of_kinds import Collective

MOST_ROWS = 200
COLUMNS = [
    "run", "collective", "algorithm", "ranks", "size", "cycles", "time", "algbw, GB/s", "busbw, GB/s",
    "predicted cycles", "off by",
]  # fmt: skip


@dataclass
class Measured:
    """A collective of a run; `series` names those that differ from it in their size only."""

    run: str
    series: str
    what: Collective

    @property
    def predicted(self) -> float | None:
        return self.what.chosen.predicted_cycles if self.what.chosen else None

    def row(self) -> list[str]:
        one = self.what
        off = None if self.predicted is None else 100 * (self.predicted / one.cycles - 1)
        return [
            self.run,
            one.collective,
            one.algorithm,
            str(one.ranks),
            "–" if one.collective == "barrier" else binary(one.size),
            number(one.cycles, 0 if one.cycles == int(one.cycles) else 1),
            time_text(1e9 * one.seconds),
            number(None if one.algbw is None else one.algbw / 1e9, 3),
            number(None if one.busbw is None else one.busbw / 1e9, 3),
            number(self.predicted),
            "–" if off is None else f"{off:+.1f} %",
        ]


def collectives_of(points: Sequence[Point]) -> list[Measured]:
    """Of all runs; a chosen algorithm is a series of its own, whatever was chosen for which size."""
    found = []
    for point in points:
        for one in point.program.collectives if point.program else []:
            algorithm = "auto" if one.chosen else one.algorithm
            found.append(Measured(point.id, f"{one.collective}, {algorithm}, {point.topology.name}", one))
    return found


def lines_of(measured: Sequence[Measured]) -> dict[str, list[Measured]]:
    """The series with at least two sizes, by size."""
    series: dict[str, list[Measured]] = {}
    for one in measured:
        if one.what.collective != "barrier" and one.what.size > 0 and one.what.cycles > 0:
            series.setdefault(one.series, []).append(one)
    return {
        name: sorted(those, key=lambda one: one.what.size)
        for name, those in series.items()
        if len({one.what.size for one in those}) > 1
    }


def time_chart(series: dict[str, list[Measured]]) -> Markup:
    """Time against size, both logarithmic; dashed: predicted. Empty without series."""
    lines = []
    for colour, (name, those) in enumerate(series.items()):
        knots = [
            Knot(one.what.size, one.what.cycles, note=f"{name}, {binary(one.what.size)}: {one.what.cycles:,.0f} cycles")
            for one in those
        ]
        lines.append(Line(name, colour, knots))
        predicted = [Knot(one.what.size, one.predicted) for one in those if one.predicted]
        if len(predicted) > 1:
            lines.append(Line(f"{name}, predicted", colour, predicted, dashed=True))
    return curves(lines, "size", "cycles", "Time of collectives", log_x=True, log_y=True, x_text=binary, whole=True)


def bandwidth_chart(series: dict[str, list[Measured]]) -> Markup:
    """Bus bandwidth against size; empty without series that have one."""
    lines = []
    for colour, (name, those) in enumerate(series.items()):
        rates = [(one, one.what.busbw / 1e9) for one in those if one.what.busbw is not None]
        knots = [
            Knot(one.what.size, rate, note=f"{name}, {binary(one.what.size)}: busbw {rate:.3f} GB/s")
            for one, rate in rates
        ]
        lines.append(Line(name, colour, knots))
    title = "Bus bandwidth of collectives"
    return curves(lines, "size", "busbw, GB/s", title, log_x=True, x_text=binary, whole=True)


def legend(series: dict[str, list[Measured]]) -> list[tuple[str, str]]:
    return [(f"b{index % COLOURS}", name) for index, name in enumerate(series)]
