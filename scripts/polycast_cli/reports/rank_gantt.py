# SPDX-License-Identifier: Apache-2.0
"""The Gantt chart of a program's ranks: when each operation was done, the critical path over it, its source behind it.
The page draws it on a canvas, many ranks as bands, which it computes itself."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polycast_cli.packets.critical import WORDS, paths_of, place_of
from polycast_cli.packets.operations import Operation, operations_of
from polycast_cli.reports.page import number
from polycast_cli.results import Folder, Point

#: Charts in one report, and the bytes that all of them may take; the first runs get them.
MOST_CHARTS, MOST_BYTES = 8, 4_000_000
#: Segments of the critical path in the table below a chart; all are in tables/critical_path.csv.
MOST_SEGMENTS = 40
#: Kinds of bars, their words, and the classes of their colours in the legend; the page draws them by their number.
BARS = (
    ("calc", "compute", "b0"),
    ("send", "send", "b1"),
    ("receive", "receive overhead t_hr", "b2"),
    ("copy", "copy, reduce", "b3"),
    ("posted", "receive is posted", "b6"),
    ("path", "critical path", "b4"),
)
LEGEND = [(colour, words) for _, words, colour in BARS]
COLUMNS = ["from", "to", "cycles", "what", "operation", "where"]
KINDS = {"calc": 0, "send": 1, "receive": 2, "copy": 3, "reduce": 3}


@dataclass
class RankChart:
    """One run of a program. `data`: what the page draws, as JSON, deflated, in base64."""

    point: Point
    ranks: int
    finish: int
    data: str
    path: list[dict[str, str]]

    @property
    def id(self) -> str:
        return f"ranks-{self.point.topology.name}-{self.point.workload.name}"

    @property
    def name(self) -> str:
        return f"{self.point.topology.name}, {self.point.workload.name}"

    @property
    def rows(self) -> list[list[str]]:
        """Of the critical path, the longest segments in the order of time."""

        def cycles(segment: dict[str, str]) -> int:
            return int(segment["to"]) - int(segment["from"])

        longest = sorted(self.path, key=lambda segment: -cycles(segment))[:MOST_SEGMENTS]
        return [
            [number(int(one["from"])), number(int(one["to"])), number(cycles(one)), WORDS[one["what"]], one["name"],
             place_of(one) or "–"]
            for one in sorted(longest, key=lambda segment: int(segment["from"]))
        ]  # fmt: skip


def sources(folder: Folder, workload: str) -> list[str]:
    """Lines of the program's file, of which a run keeps a copy; none of what is no text."""
    for file in sorted((folder.path / "programs" / workload).glob("*")):
        try:
            return file.read_text().splitlines()
        except (OSError, UnicodeDecodeError):
            continue
    return []


def data_of(operations: Sequence[Operation], path: Sequence[dict[str, str]], lines: list[str]) -> dict[str, Any]:
    bars = [
        [one.rank, KINDS.get(one.kind, -1), one.begin, one.end, one.times.get("pay_begin", one.end),
         one.times.get("paid", one.end), one.cpu, one.number, one.line]
        for one in operations
    ]  # fmt: skip
    used = sorted({one.line for one in operations if 0 < one.line <= len(lines)})
    return {
        "bars": bars,
        "kinds": [words for kind, words, _ in BARS if kind != "path"],
        "names": [one.name for one in operations],
        "path": [[int(s["from"]), int(s["to"]), int(s["rank"]), int(s["operation"]), WORDS[s["what"]]] for s in path],
        "source": {line: lines[line - 1].strip()[:200] for line in used},
    }


def rank_charts(folder: Folder, points: Sequence[Point]) -> tuple[list[RankChart], list[str]]:
    """The charts, and the runs that would make the page too large."""
    of = {point.id: point for point in points if point.program}
    paths = paths_of(folder)
    found: list[RankChart] = []
    without: list[str] = []
    left = MOST_BYTES
    for id, operations in operations_of(folder):
        point = of.get(id)
        if point is None or not operations:
            continue
        if len(found) == MOST_CHARTS:
            without.append(id)
            continue
        path = paths.get(id, [])
        data = json.dumps(data_of(operations, path, sources(folder, point.workload.name)), separators=(",", ":"))
        packed = base64.b64encode(zlib.compress(data.encode(), 9)).decode()
        if len(packed) > left:
            without.append(id)
            continue
        left -= len(packed)
        ranks = max(one.rank for one in operations) + 1
        found.append(RankChart(point, ranks, max(one.end for one in operations), packed, path))
    return found, without
