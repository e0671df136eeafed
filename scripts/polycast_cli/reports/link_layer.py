# SPDX-License-Identifier: Apache-2.0
"""Link ends in the report: frames that wires spoiled, replays, and links that are down, on the drawn network."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from markupsafe import Markup

from polycast_cli.common import UserError
from polycast_cli.network import Network
from polycast_cli.reports.drawing import MOST_NODES, Graph, Shades, network_svg
from polycast_cli.reports.page import number, percent
from polycast_cli.results import Folder, LinkLoad, Point

#: Rows of the table below a picture: the worst directions.
MOST_DIRECTIONS = 400
#: Lower bounds of the classes of the share of frames that arrived spoiled; class 0 is "none".
ERROR_CLASSES = (0.0, 0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.2)
COLUMNS = ["from", "to", "layer", "state", "frames", "sent again", "arrived bad", "bad", "replays", "by timer"]


@dataclass(frozen=True)
class Direction:
    """One way of a cable: what the end at `source` sent, and how it came to the end at `target`."""

    source: str
    target: str
    #: "check" or "retry".
    layer: str
    #: "advance" is up; else why it went down last.
    state: str
    frames: int
    resent: int
    bad: int
    replays: int
    timeouts: int

    @property
    def share(self) -> float:
        """Of all frames sent, copies included, those that arrived bad."""
        sent = self.frames + self.resent
        return self.bad / sent if sent else 0.0

    @property
    def down(self) -> bool:
        return self.state != "advance"

    @property
    def row(self) -> list[str]:
        counts = (self.frames, self.resent, self.bad)
        return [
            self.source,
            self.target,
            self.layer,
            self.state,
            *map(number, counts),
            percent(self.share),
            number(self.replays),
            number(self.timeouts),
        ]


@dataclass
class LinkPicture:
    """The cables of one run; `svg` is none where the network is too large to be drawn."""

    point: Point
    directions: list[Direction]
    svg: Markup | None

    @property
    def file(self) -> str:
        return f"{self.point.topology.name}-{self.point.workload.name}-link-layer"

    @property
    def id(self) -> str:
        return f"cables-{self.file}"

    @property
    def name(self) -> str:
        return f"{self.point.topology.name}, {self.point.workload.name}"

    @property
    def caption(self) -> str:
        frames = sum(one.frames for one in self.directions)
        again = sum(one.resent for one in self.directions)
        bad = sum(one.bad for one in self.directions)
        said = f"{self.name}: {frames:,} frames, {bad:,} arrived bad, {again:,} sent again"
        layers = sorted({one.layer for one in self.directions})
        if len(layers) > 1:
            counts = ((layer, sum(one.layer == layer for one in self.directions) // 2) for layer in layers)
            said += "; cables " + ", ".join(f"with {layer}: {count:,}" for layer, count in counts)
        down = [one.source for one in self.directions if one.down]
        if down:
            more = f" and {len(down) - 5:,} more" if len(down) > 5 else ""
            said += f"; down at the end of the run: {', '.join(down[:5])}{more}"
        return said

    @property
    def rows(self) -> list[list[str]]:
        """The worst directions first."""
        worst = sorted(self.directions, key=lambda one: (-one.down, -one.bad, -one.resent))
        return [one.row for one in worst[:MOST_DIRECTIONS]]


def legend() -> list[tuple[str, str]]:
    bounds = [f"{100 * bound:g} %" for bound in ERROR_CLASSES]
    texts = ["none bad", f"below {bounds[2]}"]
    texts += [f"{low} to {high}" for low, high in pairwise(bounds[2:])]
    return [(f"u{step}", words) for step, words in enumerate([*texts, f"over {bounds[-1]}"])]


def directions_of(rows: list[dict[str, str]]) -> list[Direction]:
    """Of the two rows of each cable of a run, in the order of the table."""
    found = []
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        for sender, receiver in ((first, second), (second, first)):
            state = sender["tx_state"]
            if state != "advance" and sender["down_by"] != "none":
                state = f"{state}, by {sender['down_by']}"
            counts = (int(sender[name]) for name in ("llr_tx_ok", "frames_resent"))
            more = (int(sender[name]) for name in ("llr_tx_replay", "timeouts"))
            ends = (sender["end"], receiver["end"], sender["layer"])
            found.append(Direction(*ends, state, *counts, int(receiver["llr_rx_bad"]), *more))
    return found


def picture_of(point: Point, graph: Graph | None, directions: list[Direction]) -> LinkPicture:
    if graph is None:
        return LinkPicture(point, directions, None)
    loads = [
        LinkLoad(one.source, one.target, one.frames + one.resent, one.bad, 1.0 if one.down else one.share, None, None)
        for one in directions
    ]
    words = {(one.source, one.target): one for one in directions}

    def said(load: LinkLoad) -> str:
        one = words[load.source, load.target]
        state = "" if one.state == "advance" else f"; {one.state}"
        return f"{one.bad:,} of {one.frames + one.resent:,} frames arrived bad, {one.replays:,} replays{state}"

    label = f"{point.topology.name}, {point.workload.name}: frames that arrived bad on every link"
    return LinkPicture(point, directions, network_svg(graph, loads, label, shades=Shades(ERROR_CLASSES, said)))


def link_pictures(folder: Folder, points: list[Point], most: int) -> tuple[list[LinkPicture], int]:
    """Those of the first `most` runs with a link layer, and how many there are.

    \\raises UserError for a damaged table"""
    by_id = {point.id: point for point in points}
    graphs: dict[str, Graph] = {}
    found: list[LinkPicture] = []
    count = 0
    try:
        for id, rows in groupby(folder.rows("link_layer"), itemgetter("point")):
            point = by_id[id]
            count += 1
            if len(found) == most:
                continue
            topology = point.topology
            graph = None
            if topology.switches + topology.hosts <= MOST_NODES:
                if topology.name not in graphs:
                    graphs[topology.name] = Graph.of(folder.topology(topology.name, Network))
                graph = graphs[topology.name]
            found.append(picture_of(point, graph, directions_of(list(rows))))
    except (KeyError, ValueError, TypeError):
        raise UserError(f"{folder.path}/tables/link_layer.csv: not a table of link ends") from None
    return found, count
