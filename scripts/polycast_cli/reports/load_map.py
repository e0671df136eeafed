# SPDX-License-Identifier: Apache-2.0
"""The load of the links of a network that is too large for a picture: of parts of a grid, or from group to group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from markupsafe import Markup

from polycast_cli.reports.drawing import BUSY, Graph
from polycast_cli.reports.markup import escape
from polycast_cli.results import LinkLoad

#: Cells of a row or a column, at most.
MOST_CELLS = 40
CELL, LEFT, TOP = 16, 110, 24


@dataclass
class Cell:
    """Links whose loads are one colour."""

    COLUMNS: ClassVar = ("from", "links", "mean, busy", "busiest")

    name: str
    x: int
    y: int
    loads: list[float]

    @property
    def mean(self) -> float:
        return fmean(self.loads)

    @property
    def title(self) -> str:
        return f"{self.name}: {len(self.loads):,} links, mean {self.mean:.2%} busy, busiest {max(self.loads):.2%}"


def blocks(count: int) -> int:
    """How many neighbours share a cell."""
    return -(-count // MOST_CELLS)


def grid_cells(graph: Graph, loads: Iterable[LinkLoad]) -> list[Cell]:
    """What the routers of each part of the grid send; row 0 at the bottom."""
    wide, high = (1 + max(place[axis] for place in graph.places.values()) for axis in (0, 1))
    step = blocks(max(wide, high))
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for load in loads:
        if place := graph.places.get(load.source.rpartition(":")[0]):
            found[place[0] // step, place[1] // step].append(load.utilisation)
    last = (high - 1) // step
    return [
        Cell(f"routers {x * step}, {y * step} to {min((x + 1) * step, wide) - 1}, {min((y + 1) * step, high) - 1}",
             x, last - y, values)
        for (x, y), values in found.items()
    ]  # fmt: skip


def groups_of(graph: Graph) -> tuple[list[str], dict[str, int]]:
    """Hosts and levels, or hosts and switches in parts as the file lists them: names, and the number of each node's."""
    levels = sorted(set(graph.levels.values()))
    if set(graph.levels) == set(graph.switches) and 1 < len(levels) < MOST_CELLS:
        names = [f"level {level}" for level in levels]
        number = {name: 1 + levels.index(level) for name, level in graph.levels.items()}
    else:
        step = -(-len(graph.switches) // (MOST_CELLS - 1)) or 1
        parts = [graph.switches[begin : begin + step] for begin in range(0, len(graph.switches), step)]
        names = [part[0] if len(part) == 1 else f"{part[0]}…" for part in parts]
        number = {name: 1 + index for index, part in enumerate(parts) for name in part}
    return ["hosts", *names], number | dict.fromkeys(graph.hosts, 0)


def group_cells(names: Sequence[str], number: dict[str, int], loads: Iterable[LinkLoad]) -> list[Cell]:
    """From the row's group to the column's."""
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for load in loads:
        ends = [number.get(end, number.get(end.rpartition(":")[0])) for end in (load.source, load.target)]
        if ends[0] is not None and ends[1] is not None:
            found[ends[0], ends[1]].append(load.utilisation)
    return [Cell(f"{names[a]} → {names[b]}", b, a, values) for (a, b), values in found.items()]


def load_map(graph: Graph, loads: Iterable[LinkLoad], label: str) -> tuple[Markup, list[Cell]]:
    """A cell's colour is the mean of its links; with the cells, the busiest first."""
    names: list[str] = []
    if graph.places:
        cells = grid_cells(graph, loads)
    else:
        names, number = groups_of(graph)
        cells = group_cells(names, number, loads)
    cells.sort(key=lambda cell: -cell.mean)
    wide, high = (1 + max((place(cell) for cell in cells), default=0) for place in (lambda c: c.x, lambda c: c.y))
    left, top = (LEFT, TOP) if names else (0, 0)
    parts = [
        f'<svg class="heat" viewBox="0 0 {left + max(wide, 24) * CELL} {top + high * CELL}" role="img">'
        f"<title>{escape(label)}</title><desc>{len(cells)} cells; the table has the same numbers.</desc>"
    ]
    if names:
        parts.append(f'<text x="{left}" y="12">→ to the same groups in the same order</text>')
    for y, name in enumerate(names[:high]):
        parts.append(f'<text x="0" y="{top + y * CELL + 12}">{escape(name)}</text>')
    for cell in cells:
        colour = BUSY.step(cell.mean)
        parts.append(
            f'<rect style="fill: var(--u{colour})" x="{left + cell.x * CELL}" y="{top + cell.y * CELL}"'
            f' width="{CELL - 1}" height="{CELL - 1}"><title>{escape(cell.title)}</title></rect>'
        )
    parts.append("</svg>")
    return Markup("".join(parts)), cells
