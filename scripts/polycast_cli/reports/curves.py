# SPDX-License-Identifier: Apache-2.0
"""Curves with confidence intervals as inline SVG, in the manner of the report's other charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from polycast_cli.reports.charts import WIDTH, Scale, nice_ticks, text
from polycast_cli.reports.markup import escape

TOP, BOTTOM, LEFT, RIGHT = 26, 270, 58, WIDTH - 12
Text = Callable[[float], str]
#: Series colours that the style sheet of studies defines.
COLOURS = 8
#: Curves that leave saturation behind go up without end: the axis ends at so many times the lowest value.
MOST_TIMES = 8

#: Curves of more points are drawn without their knots.
MOST_KNOTS = 50

#: Colours of a picture outside of a page.
STYLE = """
svg { background: #fff; --ink: #1d2126; --soft: #5b636d; --grid: #e2e4e6; --card: #fff; }
svg { --c0: #2f6fab; --c1: #d0742a; --c2: #2a9d8f; --c3: #8a5cb5; --c4: #b7446c; --c5: #7a7f2a; --c6: #5b636d; }
svg { --c7: #1d2126; }
text { font: 13px sans-serif; fill: var(--ink); } .axis text { fill: var(--soft); font-size: 12px; }
.axis line { stroke: var(--grid); } path.line { fill: none; stroke-width: 2; }
path.whisker { fill: none; stroke-width: 1.2; } .dashed { stroke-dasharray: 2 4; } .knot { stroke-width: 2; }
.knot.hollow { fill: var(--card); }
""" + "".join(f".s{i} {{ stroke: var(--c{i}); fill: var(--c{i}); }}\n" for i in range(COLOURS))


@dataclass
class Knot:
    """A point of a curve; `half` is half the width of its confidence interval."""

    x: float
    y: float
    half: float | None = None
    hollow: bool = False
    note: str = ""


@dataclass
class Line:
    name: str
    colour: int
    knots: list[Knot] = field(default_factory=list)
    dashed: bool = False  # and without knots


def is_wide(values: Sequence[float]) -> bool:
    """Whether the values ask for a logarithmic axis."""
    return min(values) > 0 and max(values) / min(values) > 40


def scale(low: float, high: float, begin: float, end: float, logarithmic: bool) -> Scale:
    if logarithmic:
        return lambda value: begin + (end - begin) * math.log(value / low) / (math.log(high / low) or 1)
    return lambda value: begin + (end - begin) * (value - low) / ((high - low) or 1)


BYTES = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "GB": 10**9, "MB": 10**6, "kB": 10**3, "B": 1}


def binary(value: float) -> str:
    """Bytes, as short as it goes: 65,536 as "64 KiB", but 32 million as "32 MB"."""
    said = [f"{value / size:,.0f} {name}" for name, size in BYTES.items() if value % size == 0]
    return min(said, key=len) if said else f"{text(value)} B"


def x_scale(xs: Sequence[float], logarithmic: bool | None = None, x_text: Text = text) -> tuple[Scale, list[float]]:
    """With its ticks: round numbers, or the values themselves on a logarithmic axis. None: by the values."""
    if is_wide(xs) if logarithmic is None else logarithmic:
        place = scale(min(xs), max(xs), LEFT + 8, RIGHT, True)
        ticks: list[float] = []
        for x in sorted(set(xs)):
            if not ticks or place(x) - place(ticks[-1]) > max(34, 9 * len(x_text(x))):
                ticks.append(x)
        return place, ticks
    low, high = min(0, *xs), max(xs)
    return scale(low, high, LEFT, RIGHT, False), nice_ticks(low, high, 6)


def short(value: float) -> str:
    """1.7e10 as "17 G"."""
    for unit, name in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return text(value)


def log_scale(lines: Sequence[Line]) -> tuple[Scale, list[float], float]:
    """From a little below the lowest value to a little above the highest, with three round numbers where there are."""
    values = [knot.y for line in lines for knot in line.knots]
    low, high = min(values) / 1.15, max(values) * 1.15
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for factors in ((1,), (1, 2, 5), (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        if len(ticks) < 3:
            every = (factor * 10.0**power for power in powers for factor in factors)
            ticks = [tick for tick in every if low <= tick <= high]
    place = scale(low, high, BOTTOM, TOP, True)
    return lambda value: place(max(value, low)), ticks, high


def y_limit(lines: Sequence[Line], whole: bool) -> float:
    steady = [knot.y + (knot.half or 0) for line in lines for knot in line.knots if not knot.hollow]
    everything = steady or [knot.y for line in lines for knot in line.knots]
    lowest = min(knot.y for line in lines for knot in line.knots)
    if whole:
        everything += [knot.y for line in lines for knot in line.knots]
    if whole or len(steady) == sum(len(line.knots) for line in lines) or not lowest:
        return max(everything) * 1.04 or 1.0
    return min(max(everything) * 1.1, max(lowest, 1e-9) * MOST_TIMES)


def knot_parts(knot: Knot, x: float, y_of: Scale, limit: float, colour: str) -> list[str]:
    said = f"<title>{escape(knot.note)}</title>" if knot.note else ""
    if knot.y > limit:
        drawn = f"M{x - 4:.1f} {TOP + 8}L{x:.1f} {TOP + 1}L{x + 4:.1f} {TOP + 8}Z"
        return [f'<path class="knot hollow {colour}" d="{drawn}">{said}</path>']
    y, parts = y_of(knot.y), []
    if knot.half:
        low, high = y_of(max(0.0, knot.y - knot.half)), y_of(min(limit, knot.y + knot.half))
        if low - high > 5:
            parts.append(
                f'<path class="whisker {colour}" d="M{x:.1f} {low:.1f}V{high:.1f}'
                f'M{x - 3:.1f} {low:.1f}h6M{x - 3:.1f} {high:.1f}h6"/>'
            )
    kind = "knot hollow" if knot.hollow else "knot"
    parts.append(f'<circle class="{kind} {colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.2">{said}</circle>')
    return parts


def line_parts(line: Line, x_of: Scale, y_of: Scale, limit: float) -> list[str]:
    colour = f"s{line.colour % COLOURS}"
    drawn = ""
    for knot in line.knots:
        inside = min(knot.y, limit)
        drawn += f"{'L' if drawn else 'M'}{x_of(knot.x):.1f} {y_of(inside):.1f}"
        if knot.y > limit:
            break
    parts = [f'<path class="line{" dashed" if line.dashed else ""} {colour}" d="{drawn}"/>']
    for knot in line.knots if len(line.knots) <= MOST_KNOTS and not line.dashed else []:
        parts += knot_parts(knot, x_of(knot.x), y_of, limit, colour)
        if knot.y > limit:
            break
    return parts


def axes(
    x_of: Scale,
    xticks: Sequence[float],
    y_of: Scale,
    yticks: Sequence[float],
    x_title: str,
    y_title: str,
    y_text: Text = text,
    x_text: Text = text,
) -> list[str]:
    parts = ['<g class="axis">']
    for tick in yticks:
        y = y_of(tick)
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{y_text(tick)}</text>')
    for tick in xticks:
        x = x_of(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{BOTTOM}" y2="{BOTTOM + 5}"/>')
        said = x_text(tick)
        at, anchor = (WIDTH, "end") if x + 4 * len(said) > WIDTH else (x, "middle")
        parts.append(f'<text x="{at:.1f}" y="{BOTTOM + 19}" text-anchor="{anchor}">{said}</text>')
    parts.append(f'<text x="{RIGHT}" y="{BOTTOM + 38}" text-anchor="end">{escape(x_title)}</text>')
    parts.append(f'<text x="2" y="12">{escape(y_title)}</text></g>')
    return parts


def curves(
    lines: Sequence[Line],
    x_title: str,
    y_title: str,
    title: str,
    log_x: bool | None = None,
    log_y: bool = False,
    x_text: Text = text,
    whole: bool = False,
) -> Markup:
    """A chart of curves, from zero, or lower where values are, or logarithmic; hollow knots are saturated, arrows lie
    above the chart, with `whole` none does."""
    lines = [line for line in lines if line.knots]
    log_y = log_y and min((knot.y for line in lines for knot in line.knots), default=0) > 0
    if not lines:
        return Markup("")
    x_of, xticks = x_scale([knot.x for line in lines for knot in line.knots], log_x, x_text)
    if log_y:
        y_of, yticks, limit = log_scale(lines)
    else:
        limit = y_limit(lines, whole)
        lowest = 1.04 * min(0.0, *(knot.y for line in lines for knot in line.knots))
        y_of, yticks = scale(lowest, limit, BOTTOM, TOP, False), nice_ticks(lowest, limit)
    ends = "; ".join(f"{line.name} from {text(line.knots[0].y)} to {text(line.knots[-1].y)}" for line in lines)
    parts = [
        f'<svg class="chart curves" viewBox="0 0 {WIDTH} {BOTTOM + 44}" role="img"><title>{escape(title)}</title>'
        f"<desc>{escape(y_title)}: {escape(ends)}.</desc>"
    ]
    parts += axes(x_of, xticks, y_of, yticks, x_title, y_title, short if log_y else text, x_text)
    for line in reversed(lines):
        parts += line_parts(line, x_of, y_of, limit)
    parts.append("</svg>")
    return Markup("".join(parts))


def standalone(svg: Markup, lines: Sequence[Line]) -> str:
    """The chart as a file of its own, with a legend."""
    names, x = [], 2
    for line in (line for line in lines if not line.dashed):
        names.append(
            f'<circle class="knot s{line.colour % COLOURS}" cx="{x + 4}" cy="{BOTTOM + 58}" r="3.2"/>'
            f'<text x="{x + 12}" y="{BOTTOM + 62}">{escape(line.name)}</text>'
        )
        x += 26 + 7 * len(line.name)
    width = max(WIDTH, x)
    whole = str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    whole = whole.replace(f"0 0 {WIDTH} {BOTTOM + 44}", f"0 0 {width} {BOTTOM + 74}", 1)
    whole = whole.replace("</desc>", f"</desc><style>{STYLE}</style>", 1)
    return whole.replace("</svg>", "".join(names) + "</svg>") + "\n"
