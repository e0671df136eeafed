# SPDX-License-Identifier: Apache-2.0
"""The charts of the report as inline SVG. Colours are CSS classes (c0, c1, ... by series) and follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from polycast_cli.reports.markup import escape

WIDTH = 480
Scale = Callable[[float], float]
#: Series colours that the style sheet defines.
COLOURS = 6
#: Up to this many values are shown one by one instead of counted.
FEW = 40


@dataclass
class Series:
    """A workload: the value of each network, their mean and the half width of its confidence interval."""

    name: str
    values: list[float]
    mean: float | None = None
    ci95: float | None = None
    labels: list[str] = field(default_factory=list)
    remark: str = ""

    @property
    def title(self) -> str:
        return f"{self.name} ({self.remark})" if self.remark else self.name


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from `low` to `high`."""
    span = high - low or abs(high) or 1.0
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def text(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def axis(ticks: Sequence[float], x_of: Scale, top: float, bottom: float, title: str) -> list[str]:
    parts = ['<g class="axis">']
    for tick in ticks:
        x = x_of(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>')
        anchor = "start" if x < 20 else "end" if x > WIDTH - 20 else "middle"
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18:.1f}" text-anchor="{anchor}">{text(tick)}</text>')
    parts.append(f'<text class="unit" x="{WIDTH}" y="{bottom + 36:.1f}" text-anchor="end">{escape(title)}</text></g>')
    return parts


def bars(series: Sequence[Series], unit: str, title: str) -> Markup:
    """One bar per series from zero to its mean, with the confidence interval and every network as a dot."""
    row, top = 58, 4
    bottom = top + row * len(series)
    high = max([v for s in series for v in s.values] + [(s.mean or 0) + (s.ci95 or 0) for s in series] + [1e-9])

    # Numbers stand behind the bars; a character is at most 9 wide.
    room = max([64, *(22 + 9 * len(text(s.mean)) for s in series if s.mean is not None)])

    def x_of(value: float) -> float:
        return 2 + (WIDTH - room) * value / high

    said = "; ".join(f"{s.title} {text(s.mean)}" for s in series if s.mean is not None)
    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH} {bottom + 42}" role="img">'
        f"<title>{escape(title)}</title><desc>Means in {escape(unit)}: {escape(said)}.</desc>"
    ]
    parts += axis(nice_ticks(0, high), x_of, top, bottom, unit)
    for index, item in enumerate(series):
        y = top + row * index
        colour = f"c{index % COLOURS}"
        parts.append(f'<text class="name" x="2" y="{y + 16}">{escape(item.title)}</text>')
        if item.mean is None:
            parts.append(f'<text class="value" x="2" y="{y + 37}">no message completed</text>')
            continue
        end = x_of(item.mean)
        parts.append(f'<rect class="bar {colour}" x="2" y="{y + 23}" width="{end - 2:.1f}" height="20" rx="2"/>')
        for value, name in zip(item.values, item.labels or [""] * len(item.values), strict=True):
            parts.append(
                f'<circle class="dot {colour}" cx="{x_of(value):.1f}" cy="{y + 33}" r="3.5">'
                f"<title>{escape(name)} {text(value)}</title></circle>"
            )
        right = max([end, *(x_of(value) + 4 for value in item.values)])
        if item.ci95:
            low_x, high_x = x_of(max(0, item.mean - item.ci95)), x_of(item.mean + item.ci95)
            right = max(right, high_x)
            parts.append(
                f'<path class="whisker" d="M{low_x:.1f} {y + 33}H{high_x:.1f}M{low_x:.1f} {y + 27}v12'
                f'M{high_x:.1f} {y + 27}v12"/>'
            )
        parts.append(f'<text class="value" x="{right + 7:.1f}" y="{y + 38}">{text(item.mean)}</text>')
    parts.append("</svg>")
    return Markup("".join(parts))


def spread(values: Sequence[float], x_of: Scale, radius: float, most: float = 30) -> list[tuple[float, float]]:
    """Places dots beside each other that would cover each other: (x, distance from the middle, at most `most`)."""
    placed: list[tuple[float, float]] = []
    for value in sorted(values):
        x = x_of(value)
        for level in range(len(values)):
            offset = (level + 1) // 2 * (1 if level % 2 else -1) * 2 * radius
            if abs(offset) <= most and all(math.hypot(x - px, offset - po) >= 2 * radius for px, po in placed):
                placed.append((x, offset))
                break
        else:
            placed.append((x, 0.0))
    return placed


def distributions(series: Sequence[Series], unit: str, title: str, bins: int = 48) -> Markup:
    """One row per series on a common axis: dots where the values are few, else a histogram; a line at the median."""
    row, top = 104, 4
    bottom = top + row * len(series)
    everything = [v for s in series for v in s.values]
    low, high = min(everything), max(everything)
    pad = (high - low) * 0.04 or abs(high) * 0.1 or 1
    low, high = max(0.0, low - pad), high + pad

    def x_of(value: float) -> float:
        return 6 + (WIDTH - 12) * (value - low) / (high - low)

    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH} {bottom + 42}" role="img">'
        f"<title>{escape(title)}</title><desc>{len(everything):,} values from {text(min(everything))} to"
        f" {text(max(everything))} {escape(unit)}.</desc>"
    ]
    parts += axis(nice_ticks(low, high), x_of, top, bottom, unit)
    for index, item in enumerate(series):
        y, base = top + row * index, top + row * (index + 1) - 6
        colour = f"c{index % COLOURS}"
        if not item.values:
            parts.append(f'<text class="name" x="2" y="{y + 16}">{escape(item.title)}</text>')
            continue
        median = percentile(item.values, 0.5)
        parts.append(
            f'<text x="2" y="{y + 16}"><tspan class="name">{escape(item.title)}</tspan><tspan class="value" dx="10">'
            f"median {text(median)}, 99 % {text(percentile(item.values, 0.99))}</tspan></text>"
        )
        if len(item.values) <= FEW:
            for x, offset in spread(item.values, x_of, 4.5):
                parts.append(f'<circle class="dot {colour}" cx="{x:.1f}" cy="{base - 36 + offset:.1f}" r="4.5"/>')
        else:
            counts = [0] * bins
            for value in item.values:
                counts[min(bins - 1, int((value - low) / (high - low) * bins))] += 1
            tallest = max(counts)
            step = (WIDTH - 12) / bins
            for place, count in enumerate(counts):
                if count:
                    tall = 70 * count / tallest
                    edge = low + (high - low) * place / bins
                    parts.append(
                        f'<rect class="bar {colour}" x="{6 + place * step:.1f}" y="{base - tall:.1f}"'
                        f' width="{step - 1:.1f}" height="{tall:.1f}"><title>{count:,} from {text(edge)} to'
                        f" {text(edge + (high - low) / bins)}</title></rect>"
                    )
        x = x_of(median)
        parts.append(f'<line class="median" x1="{x:.1f}" x2="{x:.1f}" y1="{y + 24}" y2="{base}"/>')
    parts.append("</svg>")
    return Markup("".join(parts))
