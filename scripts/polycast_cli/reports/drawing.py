# SPDX-License-Identifier: Apache-2.0
"""Networks as pictures: positions by Graphviz, drawn by ourselves so that colours follow the light or dark page."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markupsafe import Markup

from polycast_cli.common import Failure
from polycast_cli.network import Network, Nodes
from polycast_cli.reports.markup import escape
from polycast_cli.results import LinkLoad

#: Lower bounds of the classes of utilisation; class 0 is "nothing at all".
LOAD_CLASSES = (0.0, 0.0, 0.01, 0.05, 0.15, 0.3, 0.6)
#: More nodes than this make a picture that shows nothing.
MOST_NODES = 1500
#: Distance from the middle of a node where its links begin, in points.
HOST_RIM, SWITCH_RIM = 6, 13

Position = tuple[float, float]


@dataclass
class Link:
    """A cable between two nodes; ports are None where unknown."""

    a: str
    a_port: int | None
    b: str
    b_port: int | None

    def end(self, which: str) -> str:
        name, port = (self.a, self.a_port) if which == "a" else (self.b, self.b_port)
        return name if port is None else f"{name}:{port}"


@dataclass
class Graph:
    """A network to draw. `root` is the switch that up links lead to, the first where there are several."""

    name: str
    switches: list[str]
    hosts: list[str]
    links: list[Link]
    root: str | None = None
    levels: dict[str, int] = field(default_factory=dict)
    #: Places of switches in a grid, of a mesh or torus.
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Whether levels are drawn in rows, that of level 0 above its hosts at the bottom.
    rows: bool = False
    #: Of all nodes, once it is laid out.
    positions: dict[str, Position] = field(default_factory=dict)

    def is_root(self, name: str) -> bool:
        """All roots are on level 0; a network without a root counts its levels otherwise."""
        return self.root is not None and (name == self.root or self.levels.get(name) == 0)

    @classmethod
    def of(cls, network: Nodes) -> Graph:
        links = []
        if isinstance(network, Network):
            links = [Link(link.a, link.a_port, link.b, link.b_port) for link in network.links]
            links += [Link(host.name, None, host.switch, host.port) for host in network.hosts]
        return cls(
            name=network.name,
            switches=[switch.name for switch in network.switches],
            hosts=[host.name for host in network.hosts],
            links=links,
            root=network.root,
            levels={switch.name: switch.level for switch in network.switches if switch.level is not None},
            places={switch.name: switch.at for switch in network.switches if switch.at is not None},
            rows=network.kind == "fat_tree",
        )


#: Between neighbours in a grid, and from a router to its host, in points.
GRID_STEP, HOST_STEP = 64.0, 24.0
#: From one host of a router to the next, as an angle.
HOST_TURN = math.radians(35)


def grid_layout(graph: Graph) -> dict[str, Position]:
    """Row 0 at the bottom, hosts at the upper right of their routers, more of them in an arc below."""
    height = max(y for _, y in graph.places.values())
    found = {name: (x * GRID_STEP, (height - y) * GRID_STEP + HOST_STEP) for name, (x, y) in graph.places.items()}
    hosts = set(graph.hosts)
    placed: dict[str, int] = defaultdict(int)
    for link in graph.links:
        for host, router in ((link.a, link.b), (link.b, link.a)):
            if host in hosts:
                x, y = found[router]
                turn = HOST_TURN * placed[router]
                placed[router] += 1
                found[host] = (
                    x + HOST_STEP * (math.cos(turn) + math.sin(turn)),
                    y + HOST_STEP * (math.sin(turn) - math.cos(turn)),
                )
    return found


#: Between neighbours of a row of switches and of hosts, at least, and between rows, in points; rows of a wide picture
#: are further apart, so that its height is at least this share of its width.
SWITCH_STEP, LEAF_STEP, ROW_STEP, TALL = 40.0, 20.0, 110.0, 0.4
#: On a small screen a picture is not shrunk below this share of its size: it scrolls.
SMALLEST = 0.6


def row_layout(graph: Graph) -> dict[str, Position]:
    """Rows of levels, all equally wide, each node in the middle of its share."""
    levels: dict[int, list[str]] = defaultdict(list)
    for name in graph.switches:
        levels[graph.levels[name]].append(name)
    rows = [graph.hosts] + [levels[level] for level in sorted(levels)]
    width = max(len(row) * (SWITCH_STEP if index else LEAF_STEP) for index, row in enumerate(rows))
    step = max(ROW_STEP, TALL * width / max(1, len(rows) - 1))
    return {
        name: ((place + 0.5) * width / len(row), (len(rows) - 1 - index) * step)
        for index, row in enumerate(rows)
        for place, name in enumerate(row)
    }


def bend(ax: float, ay: float, bx: float, by: float) -> float:
    """How far a cable that spans more than one step of the grid goes to the side, not to lie on others."""
    return 22.0 if math.hypot(bx - ax, by - ay) > 1.5 * GRID_STEP else 0.0


def circle_layout(graph: Graph) -> dict[str, Position]:
    """Where there is no Graphviz: switches in a circle, hosts around them, each beside its switch."""
    at = {link.a: link.b for link in graph.links} | {link.b: link.a for link in graph.links}
    order = {name: index for index, name in enumerate(graph.switches)}
    hosts = sorted(graph.hosts, key=lambda host: order.get(at.get(host, ""), 0))
    inner = max(60.0, SWITCH_STEP * len(order) / math.tau)
    outer = max(inner + ROW_STEP, LEAF_STEP * len(hosts) / math.tau)
    return {
        name: (outer + radius * math.sin(turn), outer - radius * math.cos(turn))
        for ring, radius in ((graph.switches, inner), (hosts, outer))
        for name, turn in zip(ring, (math.tau * place / len(ring) for place in range(len(ring))), strict=True)
    }


def in_dot(graph: Graph) -> str:
    """The graph as Graphviz reads it: nodes are n0, n1, ..., switches first."""
    number = {name: index for index, name in enumerate([*graph.switches, *graph.hosts])}
    hosts = set(graph.hosts)
    lines = ['graph { graph [start=7, overlap=prism, sep="+6"]; node [shape=circle, fixedsize=true, label=""];']
    lines += [f"n{number[name]} [width={0.22 if name in hosts else 0.5}];" for name in number]
    for link in graph.links:
        near = link.a in hosts or link.b in hosts
        lines.append(f"n{number[link.a]} -- n{number[link.b]} [len={0.65 if near else 1.7}];")
    return "\n".join([*lines, "}"])


def spring_layouts(graphs: Sequence[Graph], engine: str) -> None:
    """One process for many, as its start takes as long as a small network."""
    text = "\n".join(in_dot(graph) for graph in graphs)
    try:
        done = subprocess.run([engine, "-Tjson0"], input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # a wheel installs nothing but Python
        for graph in graphs:
            graph.positions = circle_layout(graph)
        return
    if done.returncode:
        names = ", ".join(graph.name for graph in graphs)
        raise Failure(f"graphviz could not lay out {names}: {done.stderr.strip()[-200:]}")
    rest = done.stdout
    for graph in graphs:
        laid_out, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].lstrip()
        names = [*graph.switches, *graph.hosts]
        found: dict[str, Position] = {}
        for item in laid_out["objects"]:
            x, y = (float(part) for part in item["pos"].split(","))
            found[names[int(item["name"][1:])]] = (x, -y)
        left = min(x for x, _ in found.values())
        top = min(y for _, y in found.values())
        graph.positions = {name: (x - left, y - top) for name, (x, y) in found.items()}


def lay_out(graphs: Iterable[Graph]) -> None:
    """Gives all of them their positions. The same graph is always laid out the same."""
    springs: dict[str, list[Graph]] = defaultdict(list)
    for graph in graphs:
        if graph.places:
            graph.positions = grid_layout(graph)
        elif graph.rows:
            graph.positions = row_layout(graph)
        else:
            springs["neato" if len(graph.switches) + len(graph.hosts) <= 300 else "sfdp"].append(graph)
    # Not above: this module is imported beside a run, which may end first, and then that one refuses to be imported.
    from concurrent.futures import ThreadPoolExecutor

    cores = len(os.sched_getaffinity(0))
    dealt = [(alike[start::cores], engine) for engine, alike in springs.items() for start in range(cores)]
    with ThreadPoolExecutor(cores) as pool:
        for _ in pool.map(lambda part: spring_layouts(*part), (part for part in dealt if part[0])):
            pass


def layout(graph: Graph) -> dict[str, Position]:
    """Positions of all nodes in points, the top left corner at (0, 0)."""
    if not graph.positions:
        lay_out([graph])
    return graph.positions


@dataclass(frozen=True)
class Shades:
    """How a link shows its load: lower bounds of the classes of `utilisation` (class 0 is "nothing at all"), and what
    is said of it."""

    bounds: tuple[float, ...]
    words: Callable[[LinkLoad], str]

    def step(self, utilisation: float) -> int:
        if utilisation <= 0:
            return 0
        return max(index for index, bound in enumerate(self.bounds) if index and utilisation >= bound)


BUSY = Shades(
    LOAD_CLASSES, lambda load: f"{load.utilisation:.2%} busy, {load.flits:,} flits in {load.packets:,} packets"
)


def load_legend() -> list[tuple[int, str]]:
    """(class, text) of every class of utilisation."""
    bounds = [f"{100 * bound:g}" for bound in LOAD_CLASSES]
    texts = ["idle", f"below {bounds[2]} %"]
    texts += [f"{low} to {high} %" for low, high in pairwise(bounds[2:])]
    return list(enumerate([*texts, f"over {bounds[-1]} %"]))


def short(name: str) -> str:
    """The number at the end of a name, which is what fits into a circle."""
    digits = "".join(c for c in name if c.isdigit())
    return digits if digits and len(name) > 3 else name[:4]


def link_title(link: Link, load: LinkLoad | None, a_to_b: bool, shades: Shades) -> str:
    source, target = (link.end("a"), link.end("b")) if a_to_b else (link.end("b"), link.end("a"))
    if load is None:
        return f"{source} → {target}"
    return f"{source} → {target}: {shades.words(load)}"


#: Length of the head of an arrow, and how far it lies beside the middle of its cable, in points.
HEAD, BESIDE = 7.0, 2.0


def arrow(a: Position, b: Position, a_to_b: bool, title: str) -> str:
    """From end to end of a cable, at the right of its middle, so that both directions can be marked."""
    (x, y), (to_x, to_y) = (a, b) if a_to_b else (b, a)
    length = math.hypot(to_x - x, to_y - y) or 1
    ux, uy = (to_x - x) / length, (to_y - y) / length
    x, y, to_x, to_y = x - BESIDE * uy, y + BESIDE * ux, to_x - BESIDE * uy, to_y + BESIDE * ux
    wings = [(to_x - HEAD * ux + side * HEAD / 2 * -uy, to_y - HEAD * uy + side * HEAD / 2 * ux) for side in (1, -1)]
    (left_x, left_y), (right_x, right_y) = wings
    return (
        f'<path class="marked" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}M{left_x:.1f} {left_y:.1f}'
        f'L{to_x:.1f} {to_y:.1f}L{right_x:.1f} {right_y:.1f}"><title>{escape(title)}</title></path>'
    )


def network_svg(
    graph: Graph,
    loads: list[LinkLoad] | None = None,
    label: str = "",
    source: str | None = None,
    shades: Shades = BUSY,
    marked: Container[str] = (),
) -> Markup:
    """The network; with `loads` each half of a link shows what its end sends, by colour and width. Marks `source`, and
    with arrows what the ends `marked` send: "switch0:1", hosts by their names."""
    position = layout(graph)
    by_ends: dict[tuple[str, str], LinkLoad] = {}
    for load in loads or []:
        by_ends[load.source, load.target] = load
        # Hosts have one port; some writers name it, some do not.
        by_ends.setdefault((load.source.removesuffix(":0"), load.target.removesuffix(":0")), load)
    hosts = set(graph.hosts)
    width = max(x for x, _ in position.values())
    height = max(y for _, y in position.values())
    margin = 26
    parts = [
        f'<svg class="network" role="img" style="min-width: {SMALLEST * (width + 2 * margin):.0f}px"'
        f' viewBox="{-margin} {-margin} {width + 2 * margin:.0f} {height + 2 * margin:.0f}">'
        f"<title>{escape(label or graph.name)}</title>"
        f"<desc>{len(graph.switches)} switches, {len(graph.hosts)} hosts, {len(graph.links)} links."
        " The table of links has the same numbers.</desc>"
    ]
    parallel: dict[frozenset[str], list[Link]] = defaultdict(list)
    for link in graph.links:
        parallel[frozenset((link.a, link.b))].append(link)
    # Loaded links last, on top of idle ones.
    drawn: list[tuple[int, str]] = []
    for links in parallel.values():
        for index, link in enumerate(links):
            (ax, ay), (bx, by) = position[link.a], position[link.b]
            length = math.hypot(bx - ax, by - ay) or 1
            shift = 7 * (index - (len(links) - 1) / 2)
            # The same normal for both directions of a pair, whichever end is named first.
            sign = 1 if link.a < link.b else -1
            nx, ny = -sign * (by - ay) / length * shift, sign * (bx - ax) / length * shift
            ax, ay, bx, by = ax + nx, ay + ny, bx + nx, by + ny
            # From rim to rim, so that the two halves look equally long.
            ux, uy = (bx - ax) / length, (by - ay) / length
            ra, rb = (
                min(rim, length / 3) for rim in (HOST_RIM if end in hosts else SWITCH_RIM for end in (link.a, link.b))
            )
            ax, ay, bx, by = ax + ra * ux, ay + ra * uy, bx - rb * ux, by - rb * uy
            aside = bend(ax, ay, bx, by) if graph.places else 0.0
            mx, my = (ax + bx) / 2 + aside * -uy, (ay + by) / 2 + aside * ux
            for a_to_b, (x, y) in ((True, (ax, ay)), (False, (bx, by))):
                ends = (link.end("a"), link.end("b")) if a_to_b else (link.end("b"), link.end("a"))
                load = by_ends.get(ends) or by_ends.get((ends[0].removesuffix(":0"), ends[1].removesuffix(":0")))
                step = shades.step(load.utilisation) if load else 0
                line = (
                    f'<path class="u{step}" d="M{x:.1f} {y:.1f}L{mx:.1f} {my:.1f}">'
                    f"<title>{escape(link_title(link, load, a_to_b, shades))}</title></path>"
                )
                drawn.append((step, line))
                if ends[0] in marked:
                    drawn.append((len(shades.bounds), arrow((ax, ay), (bx, by), a_to_b, " → ".join(ends))))
    parts.append('<g class="links">' + "".join(line for _, line in sorted(drawn, key=lambda item: item[0])) + "</g>")
    for name, (x, y) in position.items():
        if name in hosts:
            kind = "host source" if name == source else "host"
            parts.append(
                f'<g class="{kind}"><title>{escape(name)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="7.5"/>'
                f'<text x="{x:.1f}" y="{y:.1f}">{escape(short(name))}</text></g>'
            )
        else:
            root = graph.is_root(name)
            level = f", level {graph.levels[name]}" if name in graph.levels else ""
            title = f"{name}{' (root)' if root else level}"
            parts.append(
                f'<g class="switch{" root" if root else ""}"><title>{escape(title)}</title>'
                f'<rect x="{x - 15:.1f}" y="{y - 15:.1f}" width="30" height="30" rx="6"/>'
                f'<text x="{x:.1f}" y="{y:.1f}">{escape(short(name))}</text></g>'
            )
    parts.append("</svg>")
    return Markup("".join(parts))
