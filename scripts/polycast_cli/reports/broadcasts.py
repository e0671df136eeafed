# SPDX-License-Identifier: Apache-2.0
"""The report on pipelined broadcasts: the wave over the network, as frames that the page plays, and its curves."""

from __future__ import annotations

import base64
import json
import math
import zlib
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel

from polycast_cli.reports.curves import Knot, Line, curves
from polycast_cli.reports.page import number, percent
from polycast_cli.results import Folder, Point
from polycast_cli.results_of_kinds import Broadcast

#: Waves in one report, and the bytes that all of them may take; the first points get them.
MOST_WAVES, MOST_BYTES = 12, 4_000_000
#: Cells of a line in one row of its picture.
ROW = 128
#: Series of the chart over time.
FILM_LEGEND = [("b0", "links busy"), ("b2", "packets held"), ("b1", "nodes that have all")]


class Wave(BaseModel):
    """broadcast/<network>-<workload>.json: packets held at each time, 255 of 255 where a cell has all."""

    unit: str
    dimensions: list[int]
    packets: int
    block: int
    side: int
    source: list[int]
    times: list[int]
    holders: list[list[int]]
    cells: list[str]


@dataclass
class Grid:
    """Where the cells of a wave are drawn: planes of the first two dimensions, side by side."""

    side: int
    dimensions: int

    @property
    def columns(self) -> int:
        """Planes, or rows of a line, beside each other."""
        if self.dimensions == 3:
            return math.ceil(math.sqrt(self.side))
        return self.side if self.dimensions == 4 else 1

    @property
    def width(self) -> int:
        if self.dimensions == 1:
            return min(self.side, ROW)
        return self.columns * (self.side + 1) - 1

    @property
    def height(self) -> int:
        if self.dimensions == 1:
            return math.ceil(self.side / ROW)
        planes = {2: 1, 3: math.ceil(self.side / self.columns), 4: self.side}[self.dimensions]
        return planes * (self.side + 1) - 1


@dataclass
class Film:
    """A wave as the page gets it."""

    point: Point
    broadcast: Broadcast
    unit: str
    caption: str
    data: Markup
    #: A line, whose picture is wide.
    flat: bool
    chart: Markup
    #: Time, links busy, packets held, nodes that have all.
    rows: list[list[str]]

    @property
    def id(self) -> str:
        return f"film-{self.point.topology.name}-{self.point.workload.name}"


def packed(frames: list[bytes]) -> str:
    """The frames one after the other, each as its difference to the one before, deflated, in base64."""
    before = bytes(len(frames[0])) if frames else b""
    differences = bytearray()
    for frame in frames:
        differences += bytes((new - old) & 255 for new, old in zip(frame, before, strict=True))
        before = frame
    return base64.b64encode(zlib.compress(bytes(differences), 9)).decode()


def embedded(value: Any) -> Markup:
    """JSON that is safe inside of a script element."""
    return Markup(json.dumps(value, separators=(",", ":")).replace("<", "\\u003c"))


def title(broadcast: Broadcast, wave: Wave) -> str:
    """What the picture shows, in words."""
    shape = {1: "line", 2: "plane", 3: "planes of a cube", 4: "planes of four dimensions"}[len(wave.dimensions)]
    seen = f"blocks of {wave.block} nodes along each dimension" if wave.block > 1 else "nodes"
    done = broadcast.rounds[0].units if broadcast.rounds else None
    end = f"all after {done:,} {wave.unit}s" if done is not None else "not all got everything"
    return f"{shape}, {broadcast.nodes:,} nodes, {wave.packets} packets; cells are {seen}; {end}"


def timeline_chart(broadcast: Broadcast, wave: Wave, name: str) -> Markup:
    line = broadcast.timeline
    lines = [
        Line("links busy", 0, [Knot(t, y) for t, y in zip(line.times, line.utilisation, strict=True)]),
        Line("packets held", 2, [Knot(t, y / wave.packets) for t, y in zip(line.times, line.held, strict=True)]),
        Line(
            "nodes complete", 1, [Knot(t, y / broadcast.nodes) for t, y in zip(line.times, line.complete, strict=True)]
        ),
    ]
    return curves(lines, wave.unit, "share", f"{name}: links busy, packets held and complete nodes over time")


def film(folder: Folder, point: Point) -> Film | None:
    broadcast = point.broadcast
    name = f"broadcast/{point.topology.name}-{point.workload.name}.json"
    content = folder.json(name)
    if broadcast is None or content is None:
        return None
    wave = Wave.model_validate(content)
    grid = Grid(wave.side, len(wave.dimensions))
    line = broadcast.timeline
    data = {
        "unit": wave.unit,
        "packets": wave.packets,
        "nodes": broadcast.nodes,
        "block": wave.block,
        "side": wave.side,
        "source": [place // wave.block for place in wave.source],
        "dimensions": grid.dimensions,
        "columns": grid.columns if grid.dimensions > 1 else ROW,
        "width": grid.width,
        "height": grid.height,
        "times": wave.times,
        "busy": [round(value, 4) for value in line.utilisation],
        "holders": wave.holders,
        "frames": packed([bytes.fromhex(cells) for cells in wave.cells]),
    }
    values = zip(line.times, line.utilisation, line.held, line.complete, strict=True)
    rows = [[number(time), percent(busy), number(held, 2), number(whole)] for time, busy, held, whole in values]
    chart = timeline_chart(broadcast, wave, point.id)
    return Film(point, broadcast, wave.unit, title(broadcast, wave), embedded(data), grid.dimensions == 1, chart, rows)


def films(folder: Folder, points: list[Point]) -> list[Film]:
    found: list[Film] = []
    size = 0
    for point in points:
        made = film(folder, point) if point.broadcast else None
        if made is None:
            continue
        size += len(made.data)
        if found and size > MOST_BYTES:
            break
        found.append(made)
        if len(found) == MOST_WAVES:
            break
    return found
