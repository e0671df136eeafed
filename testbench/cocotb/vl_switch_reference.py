# SPDX-License-Identifier: Apache-2.0
"""What a VL switch must make of a packet, from hw/chips/vl_switch/vl_switch.md alone: decisions, not cycles."""

from __future__ import annotations

import random
from dataclasses import dataclass

import packet_format as packets
from scoreboard import Verdict

FIRST_MLID = 0xC000
NO_LANE = 15
NO_PORT = 255
SERVICE_LEVELS = 16
TABLE_ENTRIES = 64


@dataclass
class VlConfig:
    """Parameters that matter to decisions, and all tables. Tables count ports from 1."""

    ports: int
    vls: int
    flit_bytes: int
    lids: int
    groups: int
    usable: list[list[int]]  # chunks by input and lane
    credits: list[int]  # chunks behind each lane that an output has
    lanes: list[int]  # masks of the lanes that an output has; 0: open
    lft: list[int]
    mft: list[int]
    sl2vl: list[list[list[int]]]  # by input, output, service level
    weights: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]  # by output: high and low table of lane, weight
    high_limit: list[int]

    @property
    def header_flits(self) -> int:
        return -(-(packets.fields()["lid_zero"].offset + 4) // (8 * self.flit_bytes))

    def packet(self, dlid: int, sl: int, flits: int, sequence: int = 0) -> bytes:
        header = packets.header(packets.kinds()["lid"], dlid=dlid, sl=sl, sequence=sequence)
        return header.to_bytes(flits * self.flit_bytes, "little")


def random_tables(dice: random.Random, vls: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Few entries, so that packets use up weights; every lane has a turn in the low table at least."""

    def entries(lanes: list[int]) -> list[tuple[int, int]]:
        return [(lane, dice.randint(1, 4) if dice.random() < 0.8 else 0) for lane in lanes]

    high = entries(dice.choices(range(vls), k=dice.randrange(5)))
    low = [*entries(dice.choices(range(vls), k=4)), *((lane, dice.randint(1, 3)) for lane in range(vls))]
    dice.shuffle(low)
    return high, low


def random_config(dice: random.Random, reserve: int, chunks: int, **parameters: int) -> VlConfig:
    """`reserve`: chunks of the longest packet; `chunks`: those of a lane of an input."""
    ports, vls = parameters["ports"], parameters["vls"]

    every = (1 << vls) - 1

    def lane_of() -> int:
        return NO_LANE if dice.random() < 0.05 else dice.randrange(vls)

    usable = [[0 if dice.random() < 0.1 else dice.randint(reserve, chunks) for _ in range(vls)] for _ in range(ports)]
    for lanes in usable:
        lanes[dice.randrange(vls)] = chunks
    anywhere = [*range(1, ports + 1)] * 4 + [0, NO_PORT, ports + 1, 129]
    return VlConfig(
        **parameters,
        usable=usable,
        credits=[dice.randint(reserve, 3 * reserve) for _ in range(ports)],
        lanes=[0 if dice.random() < 0.1 else dice.choice([every, dice.randint(1, every)]) for _ in range(ports)],
        lft=dice.choices(anywhere, k=parameters["lids"]),
        mft=[0 if dice.random() < 0.1 else dice.getrandbits(64) for _ in range(parameters["groups"])],
        sl2vl=[[[lane_of() for _ in range(SERVICE_LEVELS)] for _ in range(ports)] for _ in range(ports)],
        weights=[random_tables(dice, vls) for _ in range(ports)],
        high_limit=dice.choices([0, 1, 255], k=ports),
    )


def judge(config: VlConfig, packet: bytes, port: int) -> Verdict:
    """What becomes of a packet that comes in at `port`."""
    header = int.from_bytes(packet, "little")
    is_lid = packets.get(header, "kind") == packets.kinds()["lid"]
    if len(packet) // config.flit_bytes < (config.header_flits if is_lid else 1):
        return Verdict(errors=["short_header"])
    if not is_lid:
        return Verdict(errors=["bad_kind"])
    dlid = packets.get(header, "dlid")
    outputs, errors = multicast(config, dlid - FIRST_MLID, port) if dlid >= FIRST_MLID else unicast(config, dlid, port)
    verdict = Verdict(errors=errors)
    for output in outputs:
        lane = config.sl2vl[port][output][packets.get(header, "sl")]
        if lane < config.vls and config.lanes[output] >> lane & 1:
            verdict.copies[output] = packet
            verdict.channels[output] = {lane}
    if len(verdict.copies) < len(outputs):
        verdict.errors.append("vl_dropped")
    return verdict


def unicast(config: VlConfig, lid: int, port: int) -> tuple[list[int], list[str]]:
    """Outputs and errors."""
    entry = config.lft[lid] if 0 < lid < config.lids else NO_PORT
    output = entry - 1
    if entry == 0 or entry > config.ports or not config.lanes[output]:
        return [], ["no_route"]
    return ([], ["looping"]) if output == port else ([output], [])


def multicast(config: VlConfig, group: int, port: int) -> tuple[list[int], list[str]]:
    """Outputs and errors."""
    mask = config.mft[group] if group < config.groups else 0
    members = [output for output in range(config.ports) if mask >> output & 1]
    if not members:
        return [], ["no_route"]
    wanted = [output for output in members if output != port]
    outputs = [output for output in wanted if config.lanes[output]]
    return outputs, ["partial_route"] if len(outputs) < len(wanted) else []
