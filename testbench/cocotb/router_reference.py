# SPDX-License-Identifier: Apache-2.0
"""What a router must make of a packet, from hw/chips/router/router.md and nothing else: decisions, not cycles."""

from __future__ import annotations

import random
from dataclasses import dataclass

import packet_format as packets
from scoreboard import Verdict


@dataclass
class RouterConfig:
    """Parameters that matter to decisions, and the registers of dimension-order routing."""

    ports: int
    vcs: int
    flit_bytes: int
    dimensions: int
    radix: int
    node: int
    wrap: int
    policy: str
    credits: list[int]  # by port; 0: open
    vc_sets: list[tuple[int, int]]  # by class: side 0, side 1

    @property
    def nodes(self) -> int:
        return self.radix**self.dimensions

    @property
    def directions(self) -> int:
        return 2 * self.dimensions

    def place(self, node: int) -> list[int]:
        return [node // self.radix**dimension % self.radix for dimension in range(self.dimensions)]


@dataclass(frozen=True)
class Branch:
    output: int
    side: int = 0


def random_config(dice: random.Random, buffers: tuple[int, int], **parameters: int) -> RouterConfig:
    """`buffers`: fewest and most flits of those behind the outputs."""
    ports, vcs = parameters["ports"], parameters["vcs"]
    masks = [dice.randint(1, (1 << vcs) - 1) if dice.random() < 0.9 else 0 for _ in range(16)]
    return RouterConfig(
        **parameters,
        node=dice.randrange(parameters["radix"] ** parameters["dimensions"]),
        wrap=dice.randrange(1 << parameters["dimensions"]),
        policy=dice.choice(["any", "keep"]),
        credits=[0 if dice.random() < 0.08 else dice.randint(*buffers) for _ in range(ports)],
        vc_sets=list(zip(masks[::2], masks[1::2], strict=True)),
    )


def header_flits(config: RouterConfig, header: int) -> int:
    names = {code: name for name, code in packets.kinds().items()}
    last = {"unicast": "destination", "broadcast": "broadcast_port"}.get(names.get(packets.get(header, "kind"), ""))
    if last is None:
        return 1
    field = packets.fields()[last]
    return -(-(field.offset + (field.bits or 0)) // (8 * config.flit_bytes))


def judge(config: RouterConfig, packet: bytes, port: int, vc: int) -> Verdict:
    """What becomes of a packet that comes in at `port` on virtual channel `vc`."""
    header = int.from_bytes(packet, "little")
    if len(packet) // config.flit_bytes < header_flits(config, header):
        return Verdict(errors=["short_header"])
    kind = packets.get(header, "kind")
    if kind == packets.kinds()["unicast"]:
        branches = unicast(config, packets.get(header, "destination"))
    elif kind == packets.kinds()["broadcast"]:
        branches = broadcast(config, header, port)
    else:
        return Verdict(errors=["bad_kind"])
    verdict = Verdict()
    for branch in branches:
        channels = channels_of(config, packets.get(header, "vc_class"), branch)
        if config.credits[branch.output] and channels:
            verdict.copies[branch.output] = packet
            verdict.channels[branch.output] = {kept(config, channels, vc)} if config.policy == "keep" else channels
    if not verdict.copies:
        return Verdict(errors=["no_route"])
    verdict.errors = ["partial_route"] if len(verdict.copies) < len(branches) else []
    return verdict


def channels_of(config: RouterConfig, vc_class: int, branch: Branch) -> set[int]:
    before, behind = config.vc_sets[vc_class]
    mask = before | behind if branch.output >= config.directions else behind if branch.side else before
    return {vc for vc in range(config.vcs) if mask >> vc & 1}


def kept(config: RouterConfig, channels: set[int], vc: int) -> int:
    return min(channels, key=lambda channel: (channel - vc) % config.vcs)


def unicast(config: RouterConfig, destination: int) -> list[Branch]:
    host_port = config.directions + destination // config.nodes
    if host_port >= config.ports:
        return []
    own, goal = config.place(config.node), config.place(destination % config.nodes)
    for dimension, (here, there) in enumerate(zip(own, goal, strict=True)):
        if here == there:
            continue
        wraps = bool(config.wrap >> dimension & 1)
        ahead = (there - here) % config.radix
        if not wraps:
            up = there > here
        elif 2 * ahead == config.radix:
            up = sum(own) % 2 == 0
        else:
            up = 2 * ahead < config.radix
        crosses = wraps and (there < here if up else there > here)
        return [Branch(2 * dimension + (0 if up else 1), 0 if crosses else 1)]
    return [Branch(host_port)]


def broadcast(config: RouterConfig, header: int, port: int) -> list[Branch]:
    host_port = config.directions + packets.get(header, "broadcast_port")
    if host_port >= config.ports:
        return []
    own, source = config.place(config.node), config.place(packets.get(header, "source") % config.nodes)
    branches = []
    for dimension in range(config.dimensions):
        for way in (0, 1):
            from_host = port >= config.directions
            # An input of a dimension is opposite to the direction in which the packet goes.
            goes_on = not from_host and port // 2 == dimension and (port + 1) % 2 == way
            turns = not from_host and dimension > port // 2
            if (from_host or goes_on or turns) and (branch := tree_branch(config, own, source, dimension, way)):
                branches.append(branch)
    if own != source:
        branches.append(Branch(host_port))
    return branches


def tree_branch(config: RouterConfig, own: list[int], source: list[int], dimension: int, way: int) -> Branch | None:
    """The copy up (0) or down (1) a dimension, as far as the tree reaches."""
    here, origin, radix = own[dimension], source[dimension], config.radix
    output = 2 * dimension + way
    if not config.wrap >> dimension & 1:
        return Branch(output, 1) if (here < radix - 1 if way == 0 else here > 0) else None
    gone = (here - origin) % radix if way == 0 else (origin - here) % radix
    left = (radix // 2 if way == 0 else (radix - 1) // 2) - gone
    if left <= 0:
        return None
    crosses = here + left >= radix if way == 0 else here - left < 0
    return Branch(output, 0 if crosses else 1)
