# SPDX-License-Identifier: Apache-2.0
"""Networks for OpenSM as net files of ibsim, and random tables on them in OpenSM's forms."""

from __future__ import annotations

import random
from itertools import combinations, count, pairwise
from pathlib import Path

from fabric_oracle import Fabric

#: GUIDs as ibsim counts them, in the order of its file.
FIRST_SWITCH, FIRST_ADAPTER = 0x200000, 0x100000


class Net:
    """A network in the making; hosts are node000, node001, ..."""

    def __init__(self, switches: int, ports: int) -> None:
        self.ports = ports
        self.cables: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self.hosts: list[tuple[int, int]] = []
        self.free = [list(range(1, ports + 1)) for _ in range(switches)]

    def cable(self, a: int, b: int) -> None:
        """Between the lowest ports that are free."""
        self.cables.append(((a, self.free[a].pop(0)), (b, self.free[b].pop(0))))

    def host(self, switch: int) -> None:
        self.hosts.append((switch, self.free[switch].pop(0)))

    def connected(self) -> bool:
        seen, queue = {0}, [0]
        while queue:
            at = queue.pop()
            for (a, _), (b, _) in self.cables:
                for here, there in ((a, b), (b, a)):
                    if here == at and there not in seen:
                        seen.add(there)
                        queue.append(there)
        return len(seen) == len(self.free)

    def text(self) -> str:
        """The net file of ibsim."""
        lines = []
        for switch in range(len(self.free)):
            lines.append(f'Switch {self.ports} "switch{switch}"')
            lines += [f'[{port}] "node{host:03}"[1]' for host, (at, port) in enumerate(self.hosts) if at == switch]
            for (a, a_port), (b, b_port) in self.cables:
                lines += [f'[{a_port}] "switch{b}"[{b_port}]'] if a == switch else []
                lines += [f'[{b_port}] "switch{a}"[{a_port}]'] if b == switch else []
            lines.append("")
        for host, (at, port) in enumerate(self.hosts):
            lines += [f'Hca 1 "node{host:03}"', f'[1] "switch{at}"[{port}]', ""]
        return "\n".join(lines)


def ring(switches: int = 6, ports: int = 4) -> Net:
    net = Net(switches, ports)
    for switch in range(switches):
        net.host(switch)
    for switch in range(switches):
        net.cable(switch, (switch + 1) % switches)
    return net


def irregular(seed: int, switches: int = 8, ports: int = 8, hosts: int = 32) -> Net:
    """Hosts spread evenly, half of the ports cabled at random; drawn until it is connected."""
    draw = random.Random(seed)
    while True:
        net = Net(switches, ports)
        for free in net.free:
            draw.shuffle(free)
        for host in range(hosts):
            net.host(host % switches)
        while True:
            open_ones = [switch for switch, free in enumerate(net.free) if free]
            pairs = list(combinations(open_ones, 2))
            if not pairs or draw.random() < 0.02:
                break
            net.cable(*draw.choice(pairs))
        if net.connected():
            return net


#: Ring of three switches without hosts, a hub with the sender, and a switch of its own for each other host.
HUB, ENDS = 3, (4, 5, 6)


def one_sender() -> tuple[Net, dict[tuple[int, int], int]]:
    """A network whose ring carries packets of node000 only, and the ports of its tables by switch and host.

    The hub sends to node001..003 over two channels of the ring each; they answer by way of the hub, and reach each
    other directly.
    """
    net = Net(7, 8)
    net.host(HUB)
    for end in ENDS:
        net.host(end)
    for one in range(3):
        net.cable(one, (one + 1) % 3)
        net.cable(HUB, one)
        net.cable(one, ENDS[one])
        net.cable(ENDS[one], HUB)
    for a, b in combinations(ENDS, 2):
        net.cable(a, b)

    def port(a: int, b: int) -> int:
        both = (((a, b), (a_port, b_port)) for (a, a_port), (b, b_port) in net.cables)
        return next(
            ports[0] if ends == (a, b) else ports[1] for ends, ports in both if ends in ((a, b), (b, a))
        )  # fmt: skip

    tables = {(end, 0): port(end, HUB) for end in ENDS} | {(HUB, 0): net.hosts[0][1]}
    tables |= {(one, 0): port(one, HUB) for one in range(3)}
    for host, last in enumerate(range(3), 1):
        # Over the ring from the switch that is two in front.
        first, second = (last + 1) % 3, (last + 2) % 3
        way = [HUB, first, second, last, ENDS[last]]
        tables |= {(a, host): port(a, b) for a, b in pairwise(way)}
        tables[ENDS[last], host] = net.hosts[host][1]
        tables |= {(end, host): port(end, ENDS[last]) for end in ENDS if end != ENDS[last]}
    return net, tables


def fat_tree(ports: int, levels: int) -> Net:
    """A folded Clos network of switches with `ports` ports: 2 (ports / 2) ^ levels hosts."""
    half = ports // 2
    leaves = half ** (levels - 1)
    # Levels below the top have 2 * leaves switches, the top has leaves: with all its ports down.
    net = Net(leaves * (2 * levels - 1), ports)
    for leaf in range(2 * leaves):
        for _ in range(half):
            net.host(leaf)
    for level in range(levels - 1):
        step = half**level
        for low in range(2 * leaves):
            for up in range(half):
                high = low // (step * half) * (step * half) + up * step + low % step
                at = level * 2 * leaves + low
                if level == levels - 2:
                    # The two halves of the level below meet in the same switches of the top.
                    net.cable(at, (levels - 1) * 2 * leaves + high % leaves)
                else:
                    net.cable(at, (level + 1) * 2 * leaves + high)
    return net


def torus(size: int = 5) -> Net:
    net = Net(size * size, 5)
    for switch in range(size * size):
        net.host(switch)
    for y in range(size):
        for x in range(size):
            net.cable(y * size + x, y * size + (x + 1) % size)
            net.cable(y * size + x, (y + 1) % size * size + x)
    return net


def torus_file(size: int = 5) -> str:
    """How torus-2QoS is told of it: a corner, and its neighbours along each dimension."""

    def guid(x: int, y: int) -> str:
        return f"0x{FIRST_SWITCH + y % size * size + x % size:x}"

    lines = [f"torus {size} {size} 1"]
    for word, (x, y) in (("xp", (1, 0)), ("xm", (-1, 0)), ("yp", (0, 1)), ("ym", (0, -1))):
        lines.append(f"{word}_link {guid(0, 0)} {guid(x, y)}")
    return "\n".join([*lines, ""])


def group(mlid: int, hosts: list[int]) -> str:
    """A multicast group of hosts, in the form of opensm-sa.dump."""
    prefix = "0xfe80000000000000"

    def port(host: int) -> str:
        return f"port_gid={prefix}:0x{FIRST_ADAPTER + 2 * host + 1:016x}"

    what = f"qkey=0x00000b1b mlid=0x{mlid:04x} mtu=0x84 tclass=0x00 pkey=0xffff rate=0x83 pkt_life=0x92"
    lines = [
        f"MC Group 0x{mlid:04x} : mgid=0xff12401bffff0000:0x{mlid:016x} {port(hosts[0])} {what} "
        "sl_flow_hop=0x00000000 scope_state=0x21 proxy_join=0x0"
    ]
    lines += [f"mcm_port: {port(host)} scope_state=0x21 proxy_join=0x0" for host in hosts]
    return "\n\n".join([*lines, ""])


def random_tables(seed: int) -> Fabric:
    """A small network with tables that lead most packets somewhere, and some astray, with lanes or without."""
    draw = random.Random(seed)
    switches = draw.randint(1, 6)
    ports = draw.randint(4, 8)
    net = irregular(seed, switches, ports, draw.randint(2, min(10, switches * (ports - 2))) if switches > 1 else 4)
    made = Fabric(lmc=draw.choice([0, 0, 1, 2]))
    made.switches = {FIRST_SWITCH + switch for switch in range(switches)}
    made.names = {FIRST_SWITCH + switch: f"switch{switch}" for switch in range(switches)}
    for (a, a_port), (b, b_port) in net.cables:
        one, other = (FIRST_SWITCH + a, a_port), (FIRST_SWITCH + b, b_port)
        made.peer[one], made.peer[other] = other, one
    size = 1 << made.lmc
    lids = count(size, size)
    for host, (at, port) in enumerate(net.hosts):
        end = (FIRST_ADAPTER + 2 * host, 1)
        made.names[end[0]] = f"node{host:03}"
        made.peer[end], made.peer[FIRST_SWITCH + at, port] = (FIRST_SWITCH + at, port), end
        made.base[end] = next(lids)
    astray = draw.choice([0.0, 0.0, 0.02, 0.1])
    for end, base in made.base.items():
        for lid in range(base, base + size):
            random_tree(made, draw, end, lid)
            for switch in made.switches:
                if draw.random() < astray:
                    made.lft[switch][lid] = draw.choice([255, 0, *range(1, ports + 1)])
    for mlid in range(0xC001, 0xC001 + draw.randint(0, 2)):
        for switch in made.switches:
            if draw.random() < 0.8:
                cabled = [port for node, port in made.peer if node == switch]
                made.mft[switch][mlid] = set(draw.sample(cabled, draw.randint(1, min(4, len(cabled)))))
    if draw.random() < 0.6:
        sources, targets = sorted(made.base), sorted(made.base.values())
        rows = [(end[0], lid) for end in sources for lid in targets if made.base[end] != lid]
        made.path_sl = {row: draw.randint(0, 3) for row in draw.sample(rows, len(rows) * 3 // 4)}
    if made.path_sl and draw.random() < 0.7:
        made.sl2vl = {}
        for switch, out in made.peer:
            if switch in made.switches:
                for arrival in range(ports + 1):
                    made.sl2vl[switch, arrival, out] = [draw.randint(0, 2) for _ in range(16)]
        made.sl2vl |= {(guid, 0, 0): [draw.randint(0, 2) for _ in range(16)] for guid, _ in sorted(made.base)}
    return made


def random_tree(fabric: Fabric, draw: random.Random, end: tuple[int, int], lid: int) -> None:
    """Entries of a LID: a random tree to its owner, so that ways need not be short."""
    switch, port = fabric.peer[end]
    fabric.lft[switch][lid] = port
    inside = {switch}
    while len(inside) < len(fabric.switches):
        edge = [
            (node, out) for (node, out), (other, _) in fabric.peer.items()
            if node in fabric.switches and other in inside and node not in inside
        ]  # fmt: skip
        node, out = draw.choice(sorted(edge))
        fabric.lft[node][lid] = out
        inside.add(node)


def sl2vl_row(arrival: int, out: int, lanes: list[int]) -> str:
    return f"{arrival:<4}{out:<4}: " + " ".join(f"{lane:<2}" for lane in lanes)


def write(fabric: Fabric, folder: Path, ports: int) -> None:
    """OpenSM's files of it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    lids = {guid: 0x1000 + index * 4 for index, guid in enumerate(sorted(fabric.switches))}

    def end_text(end: tuple[int, int]) -> str:
        guid, port = end
        switch = guid in fabric.switches
        kind, own = ("SW", guid) if switch else ("CA", guid + port)
        lid = lids[guid] if switch else fabric.base[end]
        return (
            f"{{ {kind} Ports:{ports if switch else 1:02X} SystemGUID:{guid:016x} NodeGUID:{guid:016x} "
            f"PortGUID:{own:016x} VenID:000000 DevID:0000 Rev:00000000 {{{fabric.names[guid]}}} "
            f"LID:{lid:04X} PN:{port:02X} }}"
        )

    for end, other in sorted(fabric.peer.items()):
        lines.append(f"{end_text(end)} {end_text(other)} PHY=4x LOG=ACT SPD=2.5")
    (folder / "opensm-subnet.lst").write_text("\n".join([*lines, ""]))
    lines = []
    for switch in sorted(fabric.switches):
        lines += [f"dump_ucast_routes: Switch 0x{switch:016x}", "LID    : Port : Hops : Optimal"]
        for lid, port in sorted(fabric.lft[switch].items()):
            lines.append(f"0x{lid:04X} : " + ("UNREACHABLE" if port == 255 else f"{port:03}  : 00   : yes"))
        lines.append("")
    (folder / "opensm.fdbs").write_text("\n".join(lines))
    lines = []
    for switch in sorted(fabric.mft):
        lines += ["", f"Switch 0x{switch:016x}", "LID    : Out Port(s)"]
        for mlid, mask in sorted(fabric.mft[switch].items()):
            lines.append(f"0x{mlid:04X} : " + "".join(f"0x{port:03X}  " for port in sorted(mask)))
    (folder / "opensm.mcfdbs").write_text("\n".join([*lines, ""]) if lines else "")
    if fabric.path_sl:
        rows = [f"0x{guid:x} {lid} {sl}" for (guid, lid), sl in sorted(fabric.path_sl.items())]
        (folder / "psl").write_text("\n".join([*rows, ""]))
    if fabric.sl2vl is not None:
        lines = []
        for switch in sorted(fabric.switches):
            lines += [f'Switch 0x{switch:016x}, base LID {lids[switch]}, "{fabric.names[switch]}"']
            lines += ["#in out : " + "  ".join(map(str, range(10))) + " 10 11 12 13 14 15", "#" + "-" * 56]
            for (node, arrival, out), lanes in sorted(fabric.sl2vl.items()):
                if node == switch:
                    lines.append(sl2vl_row(arrival, out, lanes))
            lines += ["#---------", ""]
        for (guid, port), base in sorted(fabric.base.items()):
            lines += [f'Channel Adapter 0x{guid + port:016x}, base LID {base}, "{fabric.names[guid]}"', "#", "#"]
            lines += [sl2vl_row(0, 0, fabric.sl2vl[guid, 0, 0]), "#---------", ""]
        (folder / "opensm-sl2vl.dump").write_text("\n".join(lines))
