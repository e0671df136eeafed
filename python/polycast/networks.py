# SPDX-License-Identifier: Apache-2.0
"""Networks: what a scenario, a file, a generator or a graph describes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycast_cli import network

from polycast._calls import InputError, asked
from polycast.graphs import graph_of, is_graph
from polycast.pictures import Picture
from polycast.scenarios import graph_file, prepared

if TYPE_CHECKING:
    import networkx


class Network(network.Network):
    """Switches, hosts and cables. In a notebook, its picture."""

    def to_networkx(self) -> networkx.MultiDiGraph:
        """Nodes have `kind` and `level`, edges `source_port` and `target_port`. Needs NetworkX."""
        return graph_of(self)

    def picture(self) -> Picture:
        """\\raises InputError where there are too many nodes for one"""
        from polycast_cli.reports.drawing import MOST_NODES, Graph, network_svg

        nodes = len(self.switches) + len(self.hosts)
        if nodes > MOST_NODES:
            raise InputError(f"{nodes:,} nodes are too many to draw (at most {MOST_NODES:,})")
        return Picture.of(network_svg(Graph.of(self), label=self.name or "network"))

    def __repr__(self) -> str:
        return (
            f"<Network {self.name}: {len(self.switches)} switches, {len(self.hosts)} hosts, {len(self.links)} cables>"
        )

    def _repr_html_(self) -> str:
        try:
            return self.picture()._repr_html_()
        except InputError as error:
            return f"{self!r}: {error}".replace("<", "&lt;")


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
    if generate is not None:
        options = [part for name, value in overrides.items() for part in (f"--{name.replace('_', '-')}", str(value))]
        text = asked("topology", "--generate", generate, *options, "--json")
        return Network.model_validate_json(text)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        chosen = ["--instance", str(instance)] if instance != 1 else []
        if is_graph(source):
            return Network.model_validate_json(asked("topology", graph_file(source, where), *chosen, "--json"))
        given = prepared(source, overrides, where)
        return Network.model_validate_json(asked("topology", given.file, *given.settings, *chosen, "--json"))
