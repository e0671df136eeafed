# SPDX-License-Identifier: Apache-2.0
"""An independent checker of forwarding tables, plain and slow: each pair is followed by itself, channel by channel.

It shares nothing with the checker under test but the meaning of the tables. It reads OpenSM's own forms only.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

#: (node GUID, port)
End = tuple[int, int]
#: (node GUID, port, VL) of the sender
Channel = tuple[int, int, int]


class Lost(Exception):
    """A packet does not arrive: reason, and the switch where it is."""


@dataclass
class Fabric:
    """Cables and tables."""

    peer: dict[End, End] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    switches: set[int] = field(default_factory=set)
    #: Base LID of cabled end ports.
    base: dict[End, int] = field(default_factory=dict)
    lmc: int = 0
    lft: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    #: switch -> MLID -> ports
    mft: dict[int, dict[int, set[int]]] = field(default_factory=lambda: defaultdict(dict))
    path_sl: dict[tuple[int, int], int] = field(default_factory=dict)
    #: None: no such tables, so that the VL is the SL.
    sl2vl: dict[tuple[int, int, int], list[int]] | None = None
    group_sl: dict[int, int] = field(default_factory=dict)

    def owner(self, lid: int) -> End | None:
        return next((end for end, base in self.base.items() if base <= lid < base + (1 << self.lmc)), None)

    def service_level(self, source: End, lid: int) -> int:
        """A row for the base LID holds for the others."""
        end = self.owner(lid)
        base = self.base[end] if end else lid
        return self.path_sl.get((source[0], lid), self.path_sl.get((source[0], base), 0))

    def lane(self, node: int, arrival: int, out: int, sl: int) -> int:
        if self.sl2vl is None:
            return sl
        if (node, arrival, out) not in self.sl2vl:
            raise Lost("no SL to VL row", node)
        found = self.sl2vl[node, arrival, out][sl]
        if found == 15:
            raise Lost("VL 15", node)
        return found

    def sent(self, source: End, sl: int) -> Channel:
        """The channel of an end port's own cable."""
        return (*source, self.lane(source[0], 0, 0, sl))

    def way(self, source: End, lid: int) -> Iterator[Channel]:
        """The channels of a packet, one by one. \\raises Lost behind the last"""
        sl = self.service_level(source, lid)
        channel = self.sent(source, sl)
        yield channel
        node, arrival = self.peer[source]
        seen = {channel}
        while node in self.switches:
            out = self.lft[node].get(lid, 255)
            if out in (0, 255) or (node, out) not in self.peer or out == arrival:
                raise Lost(f"port {out}", node)
            channel = (node, out, self.lane(node, arrival, out, sl))
            yield channel
            if channel in seen:
                raise Lost("goes round", node)
            seen.add(channel)
            node, arrival = self.peer[node, out]
        if (node, arrival) != self.owner(lid):
            raise Lost("another host", node)

    def shortest(self, source: End, target: End) -> int:
        """Cables of the shortest way; adapters pass nothing on."""
        queue, far = deque([self.peer[source]]), {self.peer[source][0]: 1}
        while queue:
            node, _ = queue.popleft()
            for (switch, _), other in self.peer.items():
                if switch == node and node in self.switches:
                    if other == target:
                        return far[node] + 1
                    if other[0] not in far:
                        far[other[0]] = far[node] + 1
                        queue.append(other)
        return 1


def cycles(edges: set[tuple[Channel, Channel]]) -> tuple[list[int], list[Channel] | None]:
    """Sizes of the components of more than one channel, and the shortest cycle, the lowest of those."""
    nodes = sorted({channel for edge in edges for channel in edge})
    if not nodes:
        return [], None
    number = {channel: index for index, channel in enumerate(nodes)}
    rows, columns = [number[a] for a, _ in edges], [number[b] for _, b in edges]
    graph = csr_matrix(([1] * len(edges), (rows, columns)), shape=(len(nodes), len(nodes)))
    labels = connected_components(graph, directed=True, connection="strong")[1]
    sizes = sorted(count for count in Counter(labels.tolist()).values() if count > 1)
    behind: dict[Channel, list[Channel]] = defaultdict(list)
    for a, b in sorted(edges):
        if labels[number[a]] == labels[number[b]]:
            behind[b].append(a)
    best: list[Channel] | None = None
    for start in nodes:
        far = {start: 0}
        queue = deque([start])
        while queue:
            channel = queue.popleft()
            for before in behind[channel]:
                if before not in far:
                    far[before] = far[channel] + 1
                    queue.append(before)
        follow = sorted(b for a, b in edges if a == start and b in far)
        if not follow:
            continue
        length = 1 + min(far[b] for b in follow)
        if best is None or length < len(best):
            best = [start]
            while len(best) < length:
                rest = length - len(best)
                best.append(min(b for a, b in edges if a == best[-1] and far.get(b) == rest))
    return sizes, best


def flood(fabric: Fabric, mlid: int, source: End) -> tuple[set[tuple[Channel, Channel]], Counter[End], bool]:
    """Dependencies of a packet to a group, copies by end port, and whether it comes to one place twice."""
    sl = fabric.group_sl.get(mlid, 0)
    edges: set[tuple[Channel, Channel]] = set()
    copies: Counter[End] = Counter()
    try:
        first = fabric.sent(source, sl)
    except Lost:
        return edges, copies, False
    queue, seen, entered, twice = deque([first]), {first}, set(), False
    while queue:
        channel = queue.popleft()
        node, arrival = fabric.peer[channel[:2]]
        if node not in fabric.switches:
            copies[node, arrival] += 1
            continue
        # On another lane it comes to the same place again, and waits for other channels.
        twice |= (node, arrival) in entered
        entered.add((node, arrival))
        for out in sorted(fabric.mft[node].get(mlid, set()) - {arrival, 0}):
            if (node, out) not in fabric.peer:
                continue
            try:
                follower = (node, out, fabric.lane(node, arrival, out, sl))
            except Lost:
                continue
            edges.add((channel, follower))
            at_switch = fabric.peer[node, out][0] in fabric.switches
            twice |= at_switch and follower in seen
            if not at_switch or follower not in seen:
                seen.add(follower)
                queue.append(follower)
    return edges, copies, twice


def check(fabric: Fabric) -> dict[str, Any]:
    """What the checker's JSON has, without its texts; the number of lost pairs, and (source, LID) of each."""
    ends = sorted(fabric.base)
    unicast: set[tuple[Channel, Channel]] = set()
    used: set[Channel] = set()
    cables: Counter[int] = Counter()
    lids: dict[End, set[int]] = defaultdict(set)
    lost, pairs, longer = [], 0, 0
    for source in ends:
        for target in ends:
            if source[0] == target[0]:
                continue
            shortest = fabric.shortest(source, target)
            for lid in range(fabric.base[target], fabric.base[target] + (1 << fabric.lmc)):
                pairs += 1
                way: list[Channel] = []
                try:
                    for channel in fabric.way(source, lid):
                        way.append(channel)
                except Lost:
                    lost.append((fabric.names[source[0]], lid))
                else:
                    cables[len(way)] += 1
                    longer += len(way) > shortest
                used |= set(way)
                unicast |= set(pairwise(way))
                for node, port, _ in way:
                    if node in fabric.switches and fabric.peer[node, port][0] in fabric.switches:
                        lids[node, port].add(lid)
    multicast: set[tuple[Channel, Channel]] = set()
    groups = []
    for mlid in sorted({mlid for table in fabric.mft.values() for mlid in table}):
        members = [end for end in ends if fabric.peer[end][1] in fabric.mft[fabric.peer[end][0]].get(mlid, set())]
        missed = duplicates = 0
        loop = False
        for source in members:
            edges, copies, twice = flood(fabric, mlid, source)
            multicast |= edges
            loop |= twice
            missed += sum(copies[member] == 0 for member in members if member != source)
            # Also its own packet that a sender gets back.
            duplicates += sum(copies[member] > (member != source) for member in members)
        switches = sum(mlid in table for table in fabric.mft.values())
        groups.append(
            {
                "mlid": mlid, "members": len(members), "switches": switches, "missed": missed,
                "duplicates": duplicates, "loop": loop,
            }
        )  # fmt: skip
    sizes, cycle = cycles(unicast)
    all_sizes, all_cycle = cycles(unicast | multicast)
    counts = Counter(len(found) for found in lids.values())
    return {
        "switches": len(fabric.switches),
        "end_ports": len(ends),
        "lmc": fabric.lmc,
        "pairs": pairs,
        "reached": cables.total(),
        "lost": lost,
        "cables": dict(sorted(cables.items())),
        "mean_cables": sum(length * count for length, count in cables.items()) / max(1, cables.total()),
        "longer": longer,
        "balance": {
            "directions": len(lids),
            "least": min(counts, default=0),
            "most": max(counts, default=0),
            "histogram": dict(sorted(counts.items())),
        },
        "groups": groups,
        "credit": {
            "unicast": {"dependencies": len(unicast), "components": sizes, "cycle": named(fabric, cycle)},
            "all": {
                "added": len(multicast - unicast),
                "components": all_sizes,
                "cycle": named(fabric, all_cycle),
            },
        },
    }


def named(fabric: Fabric, cycle: Iterable[Channel] | None) -> list[str] | None:
    """Channels as the checker names them; VL 0 without its name."""
    if cycle is None:
        return None
    return [f"{fabric.names[node]}:{port}" + (f"/vl{lane}" if lane else "") for node, port, lane in cycle]


END = re.compile(r"\{ (\w\w)(?:-SM)? .*?NodeGUID:(\w+) PortGUID:(\w+) .*?\{(.*?)\} LID:(\w+) PN:(\w+) \}")


def read(folder: Path, lmc: int = 0) -> Fabric:
    """The files that OpenSM leaves, with psl if it is there."""
    made = Fabric(lmc=lmc)
    nodes: dict[int, int] = {}  # by the GUID of a port
    for line in (folder / "opensm-subnet.lst").read_text().splitlines():
        ends = []
        for kind, guid, port_guid, name, lid, port in END.findall(line):
            end = (int(guid, 16), int(port, 16))
            nodes[int(port_guid, 16)] = end[0]
            made.names[end[0]] = name
            if kind == "SW":
                made.switches.add(end[0])
            else:
                made.base[end] = int(lid, 16)
            ends.append(end)
        made.peer[ends[0]], made.peer[ends[1]] = ends[1], ends[0]
    switch = 0
    for line in (folder / "opensm.fdbs").read_text().splitlines():
        if found := re.search(r"Switch 0x(\w+)", line):
            switch = int(found[1], 16)
        elif found := re.match(r"0x(\w+) : (\d+) ", line):
            made.lft[switch][int(found[1], 16)] = int(found[2])
    if (path := folder / "opensm.mcfdbs").is_file():
        for line in path.read_text().splitlines():
            if found := re.match(r"Switch 0x(\w+)", line):
                switch = int(found[1], 16)
            elif found := re.match(r"0x(\w+) : (.*)", line):
                made.mft[switch][int(found[1], 16)] = {int(port, 16) for port in found[2].split()}
    if (path := folder / "psl").is_file():
        for guid, lid, sl in re.findall(r"^0x(\w+) (\d+) (\d+)", path.read_text(), re.MULTILINE):
            made.path_sl[int(guid, 16), int(lid)] = int(sl)
    if (path := folder / "opensm-sl2vl.dump").is_file() and made.path_sl:
        made.sl2vl = {}
        for line in path.read_text().splitlines():
            if found := re.match(r"(?:Switch|Channel Adapter) 0x(\w+)", line):
                switch = nodes[int(found[1], 16)]
            elif found := re.match(r"(\d+)\s+(\d+)\s*:((?:\s+\d+){16})", line):
                made.sl2vl[switch, int(found[1]), int(found[2])] = [int(lane) for lane in found[3].split()]
    return made
