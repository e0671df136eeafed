# SPDX-License-Identifier: Apache-2.0
"""Changes with their confidence intervals below each other, as inline SVG: what lies right of the line grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from polycast_cli.reports.charts import nice_ticks, text
from polycast_cli.reports.markup import escape

WIDTH = 720
LEFT, RIGHT = 300, WIDTH - 14
ROW, TOP = 22, 8
#: Intervals beyond so many percent are cut off.
MOST_PERCENT = 400.0
LONGEST = 46


@dataclass
class Change:
    """In percent, with its interval; `clear` ones are filled. `tone` is "good", "bad" or "plain"."""

    name: str
    value: float
    low: float
    high: float
    clear: bool
    tone: str
    said: str


def shortened(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 :]}"


def mark(change: Change, x: float, y: float) -> str:
    """A triangle up for worse, down for better, a circle for the rest: not by colour alone."""
    kind = f"mark {change.tone}{'' if change.clear else ' hollow'}"
    if change.tone == "plain":
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    tip = -5 if change.tone == "bad" else 5
    return f'<path class="{kind}" d="M{x - 5:.1f} {y - tip * 0.8:.1f}h10L{x:.1f} {y + tip:.1f}Z"/>'


def forest(changes: Sequence[Change], title: str) -> Markup:
    """Empty without changes."""
    if not changes:
        return Markup("")
    low = max(-MOST_PERCENT, min(0.0, *(one.low for one in changes), *(one.value for one in changes)))
    high = min(MOST_PERCENT, max(0.0, *(one.high for one in changes), *(one.value for one in changes)))
    pad = (high - low) * 0.04 or 1.0
    low, high = low - pad, high + pad

    def x_of(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (min(max(value, low), high) - low) / (high - low)

    bottom = TOP + ROW * len(changes)
    clear = sum(one.clear for one in changes)
    parts = [
        f'<svg class="chart forest" viewBox="0 0 {WIDTH} {bottom + 40}" role="img"><title>{escape(title)}</title>'
        f"<desc>Changes in percent of {len(changes)} numbers, {clear} of them clear; the table has them all.</desc>"
        '<g class="axis">'
    ]
    for tick in nice_ticks(low, high, 6):
        x = x_of(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{text(tick)}</text>')
    parts.append(f'<text x="{RIGHT}" y="{bottom + 34}" text-anchor="end">change, %</text></g>')
    parts.append(f'<line class="zero" x1="{x_of(0):.1f}" x2="{x_of(0):.1f}" y1="{TOP}" y2="{bottom}"/>')
    for index, one in enumerate(changes):
        y = TOP + ROW * (index + 0.5)
        said = f"{one.name}: {one.value:+.2f} % ({one.low:+.2f} to {one.high:+.2f}), {one.said}"
        parts.append(
            f'<g><title>{escape(said)}</title><text x="2" y="{y + 4:.1f}">{escape(shortened(one.name))}</text>'
        )
        if one.high > one.low:
            parts.append(
                f'<path class="whisker" d="M{x_of(one.low):.1f} {y:.1f}H{x_of(one.high):.1f}"/>'
            )  # fmt: skip
        parts.append(mark(one, x_of(one.value), y) + "</g>")
    parts.append("</svg>")
    return Markup("".join(parts))
