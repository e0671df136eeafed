# SPDX-License-Identifier: Apache-2.0
"""What `bench ranks` expects of more ranks than this machine has cores: a small model of what it has measured.

Measured, with 1, 2 and 4 ranks: seconds of the whole run with one; windows, batches, bytes from rank to rank, cables
between ranks, and the seconds that the first rank spends on anything but simulation. Assumed: the work divides evenly;
a window costs what it cost here with two ranks, waiting for the other one included; all agree once a batch, in log2(R)
such times; cables between ranks grow as a power of R, as they do from 2 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from polycast_cli.common import out
from polycast_cli.terminal import table

RANKS = (2, 4, 8, 16, 64, 256, 1024)


@dataclass(frozen=True)
class Costs:
    """Medians of a run on `ranks` ranks."""

    seconds: float
    windows: float = 0
    batches: float = 0
    bytes: float = 0
    cables: float = 0
    waiting: float = 0


@dataclass(frozen=True)
class Expected:
    ranks: int
    cables: float
    bytes_per_window: float  # of one rank
    seconds: float
    efficiency: float  # speed over that of one rank, divided by the number of ranks


def project(one: Costs, two: Costs, four: Costs, ranks: int) -> Expected:
    growth = math.log2(four.cables / two.cables) if two.cables and four.cables else 1.0
    cables = two.cables * (ranks / 2) ** growth
    sent = two.bytes / two.windows / two.cables * cables / ranks if two.windows and two.cables else 0.0
    each = two.waiting / (two.windows + two.batches) if two.windows else 0.0
    seconds = one.seconds / ranks + each * (two.windows + two.batches * math.log2(ranks))
    return Expected(ranks, cables, sent, seconds, one.seconds / ranks / seconds)


def show_projection(name: str, measured: Mapping[int, Costs]) -> None:
    """Prints a table, if the run `name` was measured with 1, 2 and 4 ranks."""
    if not {1, 2, 4} <= measured.keys():
        return
    one, two, four = measured[1], measured[2], measured[4]
    out.print(f"\n{name}: projection, not a measurement (2 ranks here: {one.seconds / two.seconds:.2f} of one)")
    rows = table("ranks", "cables between ranks", "bytes per window and rank", "speed of one rank", "efficiency")
    for ranks in RANKS:
        e = project(one, two, four, ranks)
        rows.add_row(
            f"{ranks:,}",
            f"{e.cables:,.0f}",
            f"{e.bytes_per_window:,.0f}",
            f"{one.seconds / e.seconds:.1f}",
            f"{e.efficiency:.0%}",
        )
    out.print(rows)
