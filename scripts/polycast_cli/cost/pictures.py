# SPDX-License-Identifier: Apache-2.0
"""Pictures of costs: curves over what was varied, and bars of the blocks of one design."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polycast_cli.cost.measure import Cost
from polycast_cli.reports.charts import Series, bars
from polycast_cli.reports.curves import COLOURS, Knot, Line, curves, standalone

#: Blocks that a picture shows, the largest.
MOST_BLOCKS = 12
BARS = (
    "svg { background: #fff; } text { font: 13px sans-serif; fill: #1d2126; } .axis text { fill: #5b636d; }"
    " .axis line { stroke: #e2e4e6; } .bar { fill: #2f6fab; } .dot { display: none; }"
)


@dataclass(frozen=True)
class Point:
    """A row of a table: which curve it belongs to, and where it lies on it."""

    curve: str
    x: float
    y: float | None


def is_curve(points: Sequence[Point]) -> bool:
    """Whether there is more than one place to draw a value at."""
    return len({point.x for point in points if point.y}) > 1


@dataclass(frozen=True)
class Quantity:
    """What is shown of costs."""

    name: str
    title: str
    of: Callable[[Cost], float | None]


QUANTITIES = (
    Quantity("area", "thousands of gates, without memories", lambda cost: cost.gates / 1000),
    Quantity("frequency", "MHz", lambda cost: cost.megahertz),
)


def picture(points: Sequence[Point], x_title: str, y_title: str, title: str) -> str:
    """Curves as a file; a curve for each name."""
    names = list(dict.fromkeys(point.curve for point in points))
    lines = [
        Line(
            name or y_title,
            number % COLOURS,
            [
                Knot(point.x, point.y)
                for point in sorted(points, key=lambda each: each.x)
                if point.curve == name and point.y
            ],
        )
        for number, name in enumerate(names)
    ]
    lines = [line for line in lines if line.knots]
    return standalone(curves(lines, x_title, y_title, title, whole=True), lines)


def block_picture(cost: Cost) -> str:
    """Bars of the largest blocks of a design."""
    series = [
        Series(
            f"{block.instances} x {block.name}",
            [block.area_um2 / cost.area_um2 * 100],
            block.area_um2 / cost.area_um2 * 100,
        )
        for block in cost.blocks[:MOST_BLOCKS]
        if block.area_um2
    ]
    drawn = str(bars(series, "% of the area", f"Blocks of {cost.name} in cells of {cost.library}"))
    drawn = drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return drawn.replace("</desc>", f"</desc><style>{BARS}</style>", 1) + "\n"
