# SPDX-License-Identifier: Apache-2.0
"""What a switch must make of a packet, from hw/chips/switch/switch.md and nothing else: decisions, not cycles."""

from __future__ import annotations

import random
from dataclasses import dataclass

import packet_format as packets
from scoreboard import Verdict


@dataclass
class SwitchConfig:
    """Parameters that matter to decisions, and all registers."""

    ports: int
    flit_bytes: int
    hosts: int
    switches: int
    header_ports: int
    header_stops: int
    direction: list[str]  # open, down or up
    unicast: tuple[list[int], list[int]]  # masks by destination: only down, up allowed
    to_switch: tuple[list[int], list[int]]  # masks by switch
    reach: list[int]  # hosts by port
    tree_up: int
    number: int
    rewrite: bool
    selection: str
    up_selection: str

    @property
    def tree_header_flits(self) -> int:
        return -(-(packets.common_bits() + self.hosts) // (8 * self.flit_bytes))

    @property
    def stop_bits(self) -> int:
        return packets.fields()["stop_ports"].offset + self.header_ports

    def mask(self, direction: str) -> int:
        return sum(1 << port for port, what in enumerate(self.direction) if what == direction)


def random_config(dice: random.Random, **parameters: int) -> SwitchConfig:
    ports, hosts, switches = parameters["ports"], parameters["hosts"], parameters["switches"]
    direction = dice.choices(["open", "down", "up"], [1, 6, 4], k=ports)
    direction[dice.randrange(ports)] = "down"
    everything = (1 << ports) - 1
    any_mask = [1 << port for port in range(ports)] + [0, everything, everything, *dice.choices(range(everything), k=3)]
    return SwitchConfig(
        **parameters,
        direction=direction,
        unicast=(dice.choices(any_mask, k=hosts), dice.choices(any_mask, k=hosts)),
        to_switch=(dice.choices(any_mask, k=switches), dice.choices(any_mask, k=switches)),
        reach=[dice.getrandbits(hosts) & dice.getrandbits(hosts) if what == "down" else 0 for what in direction],
        tree_up=dice.randrange(1 << ports),
        number=dice.randrange(switches),
        rewrite=dice.random() < 0.7,
        selection=dice.choice(["least_loaded", "round_robin", "deterministic"]),
        up_selection=dice.choice(["least_loaded", "round_robin", "deterministic"]),
    )


def header_flits(config: SwitchConfig, header: int) -> int:
    kind = packets.get(header, "kind")
    bits = packets.common_bits()
    names = {code: name for name, code in packets.kinds().items()}
    match names.get(kind):
        case "unicast":
            bits += packets.fields()["destination"].bits or 0
        case "tree":
            return config.tree_header_flits
        case "ssr":
            bits += config.stop_bits
        case "path":
            bits = packets.fields()["path_list"].offset
            stops = packets.get(header, "path_stops")
            bits += stops * config.stop_bits if stops <= config.header_stops else 0
        case _:
            return 1
    return -(-bits // (8 * config.flit_bytes))


def judge(config: SwitchConfig, packet: bytes) -> Verdict:
    """What becomes of a packet that comes in at a port of the switch, whichever it is."""
    header = int.from_bytes(packet, "little")
    if len(packet) // config.flit_bytes < header_flits(config, header):
        return Verdict(errors=["short_header"])
    names = {code: name for name, code in packets.kinds().items()}
    match names.get(packets.get(header, "kind")):
        case "unicast":
            return unicast(config, packet, header)
        case "tree":
            return tree(config, packet, header)
        case "ssr":
            return stops(config, packet, header, packets.fields()["ssr_stop"].offset, None)
        case "path":
            count, index = packets.get(header, "path_stops"), packets.get(header, "path_next")
            if count > config.header_stops or index >= count:
                return Verdict(errors=["no_route"])
            first = packets.fields()["path_list"].offset + index * config.stop_bits
            return stops(config, packet, header, first, first + config.stop_bits if index + 1 < count else None)
    return Verdict(errors=["bad_kind"])


def copy(config: SwitchConfig, packet: bytes, header: int, port: int, advance: bool = False) -> bytes:
    """As it leaves the port."""
    up = config.direction[port] == "up"
    changed = packets.put(header, "up", int(up))
    if packets.get(header, "kind") == packets.kinds()["tree"] and not up and config.rewrite:
        hosts = packets.get(header, "destinations", config.hosts) & config.reach[port]
        changed = packets.put(changed, "destinations", hosts, config.hosts)
    if advance:
        changed = packets.put(changed, "path_next", packets.get(header, "path_next") + 1)
    return changed.to_bytes(len(packet), "little")


def one_of(
    config: SwitchConfig, mask: int, selection: str, packet: bytes, header: int, advance: bool = False
) -> dict[int, bytes]:
    """Copies of which one comes out; which, the reference leaves open where it depends on load or history."""
    ports = [port for port in range(config.ports) if mask >> port & 1]
    if selection == "deterministic":
        ports = ports[:1]
    return {port: copy(config, packet, header, port, advance) for port in ports}


def allowed(config: SwitchConfig, tables: tuple[list[int], list[int]], header: int, index: int) -> int:
    up = packets.get(header, "up")
    if index >= len(tables[up]):
        return 0
    return tables[up][index] & (config.mask("down") | (config.mask("up") if up else 0))


def unicast(config: SwitchConfig, packet: bytes, header: int) -> Verdict:
    mask = allowed(config, config.unicast, header, packets.get(header, "destination"))
    if mask == 0:
        return Verdict(errors=["no_route"])
    return Verdict(one_of=one_of(config, mask, config.selection, packet, header))


def tree(config: SwitchConfig, packet: bytes, header: int) -> Verdict:
    hosts = packets.get(header, "destinations", config.hosts)
    below = 0
    for reach in config.reach:
        below |= reach
    up, up_ports = packets.get(header, "up"), config.mask("up") & config.tree_up
    if up and hosts & ~below and up_ports:
        return Verdict(one_of=one_of(config, up_ports, config.up_selection, packet, header))
    ports = [port for port in range(config.ports) if config.direction[port] == "down" and hosts & config.reach[port]]
    if not ports:
        return Verdict(errors=["no_route"])
    partial = bool(hosts & ~below) and bool(up or config.rewrite)
    copies = {port: copy(config, packet, header, port) for port in ports}
    return Verdict(copies=copies, errors=["partial_route"] if partial else [])


def stops(config: SwitchConfig, packet: bytes, header: int, first: int, following: int | None) -> Verdict:
    """A worm with a stop at bit `first` and, if it goes on, the next at bit `following`."""
    if (switch := packets.get(header, "stop_switch", at=first)) != config.number:
        mask = allowed(config, config.to_switch, header, switch)
        if mask == 0:
            return Verdict(errors=["no_route"])
        return Verdict(one_of=one_of(config, mask, config.selection, packet, header))
    wanted = packets.get(header, "stop_ports", config.header_ports, at=first)
    here = wanted & config.mask("down")
    verdict = Verdict(
        copies={port: copy(config, packet, header, port) for port in range(config.ports) if here >> port & 1}
    )
    partial = wanted != here
    if following is not None:
        on = allowed(config, config.to_switch, header, packets.get(header, "stop_switch", at=following))
        verdict.one_of = one_of(config, on, config.selection, packet, header, advance=True)
        partial = partial or on == 0
    if not verdict.copies and not verdict.one_of:
        return Verdict(errors=["no_route"])
    verdict.errors = ["partial_route"] if partial else []
    return verdict
