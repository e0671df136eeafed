# SPDX-License-Identifier: Apache-2.0
"""Networks: what a scenario, a file, a generator or a graph describes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycast_cli import network
from polycast_cli.reports.markup import escape

from polycast._calls import InputError, asked
from polycast._keys import is_graph, key_of, number_of, text_of
from polycast.graphs import graph_of
from polycast.pictures import Picture
from polycast.scenarios import Inputs, prepared

if TYPE_CHECKING:
    import networkx


class Network(network.Network):
    """Switches, hosts and cables. In a notebook, its picture."""

    def to_networkx(self) -> networkx.MultiGraph:
        """Nodes have `kind` and `level`, edges `ports={node: port}`; topology() takes it back. Needs NetworkX."""
        return graph_of(self)

    def picture(self) -> Picture:
        """\\raises InputError where there are too many nodes for one"""
        from polycast_cli.reports.drawing import MOST_NODES, Graph, network_svg

        nodes = len(self.switches) + len(self.hosts)
        if nodes > MOST_NODES:
            raise InputError(f"{nodes:,} nodes are too many to draw (at most {MOST_NODES:,})")
        return Picture.of(network_svg(Graph.of(self), label=self.name or "network"))

    def __repr__(self) -> str:
        counts = f"{len(self.switches)} switches, {len(self.hosts)} hosts, {len(self.links)} cables"
        return f"<Network {self.name or 'without a name'}: {counts}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        try:
            return self.picture()._repr_html_()
        except InputError as error:
            return str(escape(f"{self!r}: {error}"))


def described(command: list[str | Path], temporary: Path | None = None, called: str = "") -> Network:
    """Messages name `called` in place of a temporary file, of which nobody knows."""
    try:
        return Network.model_validate_json(asked("topology", *command, "--json"))
    except InputError as error:
        raise InputError(str(error).replace(str(temporary), called) if temporary else str(error)) from None


def topology(
    source: str | Path | Mapping[str, Any] | networkx.Graph | None = None,
    *,
    generate: str | None = None,
    instance: int = 1,
    **overrides: Any,
) -> Network:
    """The network of a scenario (file or dictionary), of a topology file (GraphML, edge list, ibnetdiscover, ibsim) or
    of a graph of NetworkX. With `generate` one of the networks that `polycast topology --help` lists, whose options are
    arguments: topology(generate="folded_clos", ports=8, levels=2).

    `instance`: which of several random networks. \\raises InputError
    """
    if (source is None) == (generate is None):
        raise InputError("topology() takes a source, or generate=NAME")
    number = number_of(instance, "instance")
    chosen: list[str | Path] = ["--instance", str(number)] if number != 1 else []
    if generate is not None:
        if chosen:
            raise InputError("instance is for scenarios: a generated network is one")
        options = [part for name, value in overrides.items() for part in (f"--{dashed(name)}", text_of(value))]
        return described(["--generate", generate, *options])
    with tempfile.TemporaryDirectory() as folder:
        if is_graph(source):
            if overrides or chosen:
                raise InputError(f"a graph has no keys to set: {', '.join(map(key_of, overrides)) or 'instance'}")
            file = Inputs(Path(folder)).graph(source)
            found = described([file], file, "the graph")
            found.name = found.name or str(source.graph.get("name") or "graph")  # type: ignore[union-attr]
            return found
        given = prepared(source, overrides, Path(folder))  # type: ignore[arg-type]
        temporary = given.file if isinstance(source, Mapping) else None
        return described([given.file, *given.settings, *chosen], temporary, "the scenario")


def dashed(name: str) -> str:
    return name.replace("_", "-")
