# SPDX-License-Identifier: Apache-2.0
"""Programs in the report: what becomes of the cycles of each rank up to its finish, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from polycast_cli.reports.charts import WIDTH, axis, nice_ticks
from polycast_cli.reports.markup import escape
from polycast_cli.reports.page import number
from polycast_cli.results import Folder, Point

#: Pictures in one report, and ranks in one picture: those that finish last.
MOST_PICTURES, MOST_RANKS = 8, 64
#: Columns of tables/ranks.csv, their words, and the classes of their colours in the picture and in the legend.
STATES = (
    ("compute", "compute", "c0", "b0"),
    ("t_hs", "send overhead t_hs", "c1", "b1"),
    ("t_hr", "receive overhead t_hr", "c2", "b2"),
    ("copy_reduce", "copy, reduce", "c3", "b3"),
    ("wait_credit", "waits for a credit", "c4", "b4"),
    ("wait_grant", "waits for a grant", "c5", "b5"),
    ("wait_message", "waits for a message", "s6", "b6"),
)
LEGEND = [(legend, words) for _, words, _, legend in STATES]
COLUMNS = ["rank", "host", "finish", *(words for _, words, _, _ in STATES)]


@dataclass
class Rank:
    number: int
    host: str
    finish: int
    cycles: list[int]

    @property
    def row(self) -> list[str]:
        return [str(self.number), self.host, *(number(value) for value in (self.finish, *self.cycles))]


@dataclass
class Breakdown:
    """One run of a program."""

    point: Point
    ranks: list[Rank]

    @property
    def id(self) -> str:
        return f"breakdown-{self.point.topology.name}-{self.point.workload.name}"

    @property
    def name(self) -> str:
        return f"{self.point.topology.name}, {self.point.workload.name}"

    @property
    def shown(self) -> list[Rank]:
        """At most MOST_RANKS, in the order of their numbers."""
        latest = sorted(self.ranks, key=lambda rank: -rank.finish)[:MOST_RANKS]
        return sorted(latest, key=lambda rank: rank.number)

    @property
    def caption(self) -> str:
        left_out = len(self.ranks) - len(self.shown)
        said = f"{self.name}: cycles of each rank up to its finish"
        return f"{said}; the {len(self.shown)} of {len(self.ranks):,} that finish last" if left_out else said

    @property
    def svg(self) -> Markup:
        row, top, left = 20, 4, 44
        shown = self.shown
        bottom = top + row * len(shown)
        high = max([rank.finish for rank in shown] + [1])

        def x_of(value: float) -> float:
            return left + (WIDTH - left - 8) * value / high

        parts = [
            f'<svg class="chart" viewBox="0 0 {WIDTH} {bottom + 42}" role="img"><title>{escape(self.caption)}</title>'
        ]
        parts += axis(nice_ticks(0, high), x_of, top, bottom, "cycles")
        for index, rank in enumerate(shown):
            y, begin = top + row * index, 0
            parts.append(f'<text x="{left - 6}" y="{y + 14}" text-anchor="end">{rank.number}</text>')
            for (_, words, colour, _), cycles in zip(STATES, rank.cycles, strict=True):
                if not cycles:
                    continue
                said = escape(f"rank {rank.number} ({rank.host}): {words}, {cycles:,} of {rank.finish:,} cycles")
                parts.append(
                    f'<rect class="{colour}" stroke="none" x="{x_of(begin):.2f}" y="{y + 3}" '
                    f'width="{x_of(begin + cycles) - x_of(begin):.2f}" height="{row - 6}"><title>{said}</title></rect>'
                )
                begin += cycles
        return Markup("".join([*parts, "</svg>"]))

    @property
    def rows(self) -> list[list[str]]:
        return [rank.row for rank in self.ranks[:MOST_RANKS]]


def breakdowns(folder: Folder, points: Sequence[Point]) -> tuple[list[Breakdown], int]:
    """Those of the first points, and of how many there could be one."""
    of = {point.id: point for point in points if point.program and point.program.breakdown}
    wanted = dict(list(of.items())[:MOST_PICTURES])
    found = []
    for id, rows in groupby(folder.rows("ranks"), key=lambda row: row["point"]):
        if point := wanted.get(id):
            ranks = [
                Rank(int(row["rank"]), row["host"], int(row["finish"]), [int(row[state]) for state, *_ in STATES])
                for row in rows
            ]
            found.append(Breakdown(point, ranks))
    return found, len(of)
