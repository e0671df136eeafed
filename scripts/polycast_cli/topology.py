# SPDX-License-Identifier: Apache-2.0
"""`topology`: describes a network in tables and draws it."""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from pathlib import Path

from rich.table import Table

from polycast_cli.common import Status, UserError, out, say, shown, write_whole
from polycast_cli.network import Network
from polycast_cli.reports.drawing import MOST_NODES, Graph, network_svg
from polycast_cli.simulator import ready
from polycast_cli.terminal import table

#: Switches listed one by one.
MOST_ROWS = 64

#: Colours of a picture outside of a report.
STYLE = """
svg { background: #fff; } text { font-family: sans-serif; text-anchor: middle; dominant-baseline: central; }
.links path { fill: none; stroke: #9aa4ae; stroke-width: 1.6; } .switch rect { fill: #2b323a; }
.root rect { stroke: #d0742a; stroke-width: 3; } .switch text { fill: #fff; font-size: 15px; font-weight: 600; }
.links path.marked { stroke: #d01c1f; stroke-width: 2.6; }
.host circle { fill: #fff; stroke: #aab1b8; } .host text { fill: #3c444d; font-size: 8.5px; }
"""


def draw(graph: Graph, output: Path, marked: Container[str] = ()) -> None:
    """Writes `output` whole or not at all. `marked`: ends of cables whose direction is red."""
    if len(graph.switches) + len(graph.hosts) > MOST_NODES:
        raise UserError(f"{len(graph.switches) + len(graph.hosts)} nodes are too many to draw (at most {MOST_NODES})")
    if output.suffix != ".svg":
        raise UserError(f"{output}: pictures are written as .svg")
    # A plain string: what replaces something in Markup would be escaped.
    svg = str(network_svg(graph, label=graph.name or output.stem, marked=marked))
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    svg = svg.replace("</desc>", f"</desc><style>{STYLE}</style>", 1)
    write_whole(output, svg)


def switch_table(graph: Graph) -> Table:
    hosts: Counter[str] = Counter()
    neighbours: dict[str, Counter[str]] = defaultdict(Counter)
    known = set(graph.switches)
    for link in graph.links:
        if link.a in known and link.b in known:
            neighbours[link.a][link.b] += 1
            neighbours[link.b][link.a] += 1
        else:
            hosts[link.b if link.b in known else link.a] += 1
    rows = table("switch", "level", "hosts", "cables", "neighbours", left=("switch", "neighbours"))
    for name in sorted(graph.switches, key=lambda switch: graph.levels.get(switch, 0))[:MOST_ROWS]:
        near = neighbours[name]
        said = ", ".join(f"{other} ×{count}" if count > 1 else other for other, count in sorted(near.items()))
        cells = (str(graph.levels.get(name, "")), str(hosts[name]), str(near.total()))
        rows.add_row(f"{name} (root)" if graph.is_root(name) else name, *cells, said)
    return rows


def describe(
    where: Sequence[str | Path],
    settings: Sequence[str],
    instance: int,
    output: Path | None,
    save: Path | None = None,
) -> int:
    """`where`: a file, or how to generate a network. Returns the simulator's exit status."""
    command = [str(ready()), "topology", *map(str, where), *settings]
    if instance != 1:
        command += ["--instance", str(instance)]
    saving = [] if save is None else ["--save", str(save)]
    text = subprocess.run([*command, *saving], stdout=subprocess.PIPE, text=True, check=False)
    if text.returncode:
        return text.returncode
    data = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    if data.returncode:
        return data.returncode
    graph = Graph.of(Network.model_validate_json(data.stdout))
    out.print(text.stdout.rstrip("\n"))
    out.print()
    out.print(switch_table(graph))
    if len(graph.switches) > MOST_ROWS:
        out.print(f"and {len(graph.switches) - MOST_ROWS} more switches")
    if save is not None:
        say(f"written to {shown(save)}")
    if output is not None:
        draw(graph, output)
        say(f"drawn to {shown(output)}")
    return Status.OK
