# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX as networks, and back.

Nodes are switches, but those whose attribute `kind` or `type` is "host", which have one edge. `hosts`, an attribute of
the graph, puts that many hosts on each switch; without hosts each switch gets one. Edges are cables: parallel ones are
several, directed ones are cables as well. Ports are numbered as they come unless edges have `source_port` and
`target_port`, which need a directed graph, as NetworkX does not distinguish the ends of others. This is what
hw/topology/topology.md says of GraphML, in which the graph is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polycast._calls import InputError

if TYPE_CHECKING:
    import networkx
    from polycast_cli.network import Network

#: Attributes that mean something here. Others (positions, colours) are left out.
OF_GRAPHS = ("hosts", "ports", "first_port")
OF_NODES = ("kind", "type", "name", "label", "ports", "guid")
OF_EDGES = ("source_port", "target_port")


def is_graph(value: object) -> bool:
    """Whether it is one of NetworkX, which need not be installed."""
    return any(kind.__module__.partition(".")[0] == "networkx" for kind in type(value).__mro__)


def named(node: object) -> str:
    """Nodes may be anything that can be hashed, such as the pairs of grid_2d_graph: (0, 1) is "0-1"."""
    return "-".join(map(str, node)) if isinstance(node, tuple) else str(node)


def kept(attributes: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: attributes[name] for name in names if attributes.get(name) is not None}


def graph_text(graph: networkx.Graph) -> str:
    """The graph as GraphML. \\raises InputError where it is no network"""
    import networkx

    if not graph.number_of_edges():
        raise InputError("the graph has no edges: a network needs cables between its switches")
    names = {node: named(node) for node in graph}
    if len(set(names.values())) < len(names):
        raise InputError("two nodes of the graph have the same name as texts; relabel them (networkx.relabel_nodes)")
    if any(kept(data, OF_EDGES) for *_, data in graph.edges(data=True)) and not graph.is_directed():
        raise InputError(
            "source_port and target_port need a directed graph (networkx.MultiDiGraph): NetworkX does not distinguish "
            "the ends of undirected edges"
        )
    plain = networkx.MultiDiGraph() if graph.is_directed() else networkx.MultiGraph()
    plain.graph.update(kept(graph.graph, OF_GRAPHS))
    for node, data in graph.nodes(data=True):
        plain.add_node(names[node], **{name: str(value) for name, value in kept(data, OF_NODES).items()})
    for a, b, data in graph.edges(data=True):
        plain.add_edge(names[a], names[b], **kept(data, OF_EDGES))
    return "\n".join(networkx.generate_graphml(plain)) + "\n"


def graph_of(network: Network) -> networkx.MultiDiGraph:
    """Nodes have `kind` ("switch" or "host") and `level`, edges `source_port` and `target_port`, where there are."""
    try:
        import networkx
    except ImportError:
        raise InputError("to_networkx() needs NetworkX: pip install networkx") from None
    graph = networkx.MultiDiGraph(name=network.name)
    for switch in network.switches:
        graph.add_node(switch.name, kind="switch", **({} if switch.level is None else {"level": switch.level}))
    for host in network.hosts:
        graph.add_node(host.name, kind="host")
    ends = [(link.a, link.a_port, link.b, link.b_port) for link in network.links]
    ends += [(host.name, None, host.switch, host.port) for host in network.hosts]
    for a, a_port, b, b_port in ends:
        ports = {"source_port": a_port, "target_port": b_port}
        graph.add_edge(a, b, **{name: port for name, port in ports.items() if port is not None})
    return graph
