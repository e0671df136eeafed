# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX as networks, and back.

Nodes are switches, but those whose attribute `kind` or `type` is "host", which have one edge. `hosts`, an attribute of
the graph, puts that many hosts on each switch; without hosts each switch gets one. Edges are cables, parallel ones are
several; an edge of a directed graph is a cable, too, so that one in each direction is refused. Ports are numbered as
they come unless edges say them: `ports={node: port}`, or in directed graphs `source_port` and `target_port`, as
NetworkX does not distinguish the ends of others. This is what hw/topology/topology.md says of GraphML.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from polycast._calls import InputError
from polycast._keys import plain

if TYPE_CHECKING:
    import networkx
    from polycast_cli.network import Network

#: Attributes that mean something here. Others (positions, colours) are left out.
OF_GRAPHS = ("hosts", "ports", "first_port")
OF_NODES = ("kind", "type", "name", "label", "ports", "guid")
OF_EDGES = ("source_port", "target_port")


def named(node: object) -> str:
    """Nodes may be anything that can be hashed, such as the pairs of grid_2d_graph: (0, 1) is "0-1"."""
    return "-".join(map(str, node)) if isinstance(node, tuple) else str(node)


def kept(attributes: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: plain(attributes[name]) for name in names if attributes.get(name) is not None}


def ports_of(a: object, b: object, data: Mapping[str, Any], directed: bool) -> dict[str, Any]:
    """Of the two ends of an edge. \\raises InputError where it cannot be told which is which"""
    ports = data.get("ports")
    if isinstance(ports, Mapping):
        ends = {"source_port": ports.get(a), "target_port": ports.get(b)}
        return {name: plain(port) for name, port in ends.items() if port is not None}
    found = kept(data, OF_EDGES)
    if found and not directed:
        raise InputError(
            "source_port and target_port need a directed graph, as NetworkX does not distinguish the ends of other "
            "edges; ports={node: port} needs none"
        )
    return found


def graph_text(graph: networkx.Graph) -> str:
    """The graph as GraphML. \\raises InputError where it is no network"""
    import networkx

    if not graph.number_of_edges():
        raise InputError("the graph has no edges: a network needs cables between its switches")
    names = {node: named(node) for node in graph}
    if len(set(names.values())) < len(names):
        raise InputError("two nodes of the graph have the same name as texts; relabel them (networkx.relabel_nodes)")
    made = networkx.MultiDiGraph()
    made.graph.update(kept(graph.graph, OF_GRAPHS))
    for node, data in graph.nodes(data=True):
        made.add_node(names[node], **{name: str(value) for name, value in kept(data, OF_NODES).items()})
    for a, b, data in graph.edges(data=True):
        if a == b:
            raise InputError(f"'{names[a]}' has an edge to itself, which is no cable")
        if graph.is_directed() and graph.has_edge(b, a):
            raise InputError(
                f"'{names[a]}' and '{names[b]}' have an edge in each direction, and each edge is a cable: give one of "
                "them, or graph.to_undirected()"
            )
        made.add_edge(names[a], names[b], **ports_of(a, b, data, graph.is_directed()))
    try:
        return "\n".join(networkx.generate_graphml(made)) + "\n"
    except networkx.NetworkXError as error:
        raise InputError(f"the graph cannot be written as GraphML: {error}") from None


def graph_of(network: Network) -> networkx.MultiGraph:
    """Nodes have `kind` ("switch" or "host") and `level`, edges `ports={node: port}`, where there are."""
    try:
        import networkx
    except ImportError:
        raise InputError("to_networkx() needs NetworkX: pip install networkx") from None
    graph = networkx.MultiGraph(name=network.name)
    for switch in network.switches:
        graph.add_node(switch.name, kind="switch", **({} if switch.level is None else {"level": switch.level}))
    for host in network.hosts:
        graph.add_node(host.name, kind="host")
    ends = [(link.a, link.a_port, link.b, link.b_port) for link in network.links]
    ends += [(host.name, None, host.switch, host.port) for host in network.hosts]
    for a, a_port, b, b_port in ends:
        ports = {end: port for end, port in ((a, a_port), (b, b_port)) if port is not None}
        graph.add_edge(a, b, **({"ports": ports} if ports else {}))
    return graph
