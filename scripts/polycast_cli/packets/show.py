# SPDX-License-Identifier: Apache-2.0
"""What `why` prints."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

from polycast_cli.common import UserError, out
from polycast_cli.packets.forever import Stuck, chain, circle_of, stuck
from polycast_cli.packets.log import Packet, PacketLog
from polycast_cli.packets.why import Journey, arrivals, journey
from polycast_cli.terminal import table

#: Packets that are named in one line.
NAMED = 3


def find_packet(log: PacketLog, text: str) -> Packet:
    """A packet by its number, or by HOST#SEQUENCE."""
    if re.fullmatch(r"[0-9]+", text):
        return log.packet(int(text))
    match = re.fullmatch(r"(?:host)?([0-9]+)#([0-9]+)", text)
    if match is None:
        raise UserError(f"--packet {text}: a number, such as 4711, or HOST#SEQUENCE, such as 3#17")
    return log.packet_of(int(match[1]), int(match[2]))


def named(log: PacketLog, packets: dict[int, int]) -> str:
    """ "12 (3>9 #4) 35 cycles, ..", those with most cycles first."""
    ordered = sorted(packets.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{number} ({log.packet(number).label}) {cycles}" for number, cycles in ordered[:NAMED]]
    more = len(ordered) - NAMED
    return ", ".join(parts) + (f", {more} more" if more > 0 else "")


def as_json(found: Journey) -> dict[str, Any]:
    data = dataclasses.asdict(found)
    for part in data["parts"]:
        part["by"] = [{"packet": number, "cycles": cycles} for number, cycles in part["by"].items()]
    return data | {"cycles": found.cycles, "waited": found.waited}


#: Parts of a path by the words of `Part.what`, for the sum; the others are waiting.
SUMS = {
    "link": "on links",
    "frame, wire and check": "on links",
    "header, routing and crossbar": "in switches",
    "its flits behind": "flits behind the head",
}


def summed(found: Journey) -> str:
    """ "29 cycles: 9 waiting, 4 on links, 6 in switches, 10 flits behind the head"."""
    sums = {"waiting": found.waited}
    for part in found.parts:
        if part.moving:
            words = next(
                (sums_to for what, sums_to in SUMS.items() if part.what.startswith(what)), "in hosts and units"
            )
            sums[words] = sums.get(words, 0) + part.cycles
    return f"{found.cycles:,} cycles: " + ", ".join(f"{cycles:,} {words}" for words, cycles in sums.items())


def show_why(log: PacketLog, packet: Packet, to: str | None, as_data: bool) -> None:
    """Every cycle of a packet's path to one destination, or why it never gets there."""
    if to is None and not arrivals(log, packet) and (never := stuck(log, packet)) is not None:
        show_stuck(log, never, as_data)
        return
    found = journey(log, packet, to)
    if as_data:
        out.print_json(json.dumps(as_json(found)))
        return
    out.print(
        f"packet {packet.number} ({packet.label}), {log}: left {found.source} in cycle {found.first}, all of it at "
        f"{found.destination} in cycle {found.last}"
    )
    out.print(summed(found))
    titles = ("cycles", "where", "what", "blocking packets, cycles")
    rows = table(*titles, left=titles[1:])
    for part in found.parts:
        rows.add_row(str(part.cycles), part.where, part.what, named(log, part.by))
    rows.add_row(str(found.cycles), "", "together")
    out.print(rows)
    for note in found.notes:
        out.print(note)
    if found.waited_for:
        out.print(f"blocked most by: {named(log, dict(found.waited_for))}; ask `why --packet` of these")
    others = [log.chips[chip].name for chip in arrivals(log, packet) if log.chips[chip].name != found.destination]
    if others:
        out.print(f"it also went to {', '.join(others)}: --to NAME")
    if (never := stuck(log, packet)) is not None:
        out.print(f"a copy never arrives; {never.words}")
        print_circle(never)
    out.print(f"waves of it: the same run with --trigger injected:{packet.number}")


def show_stuck(log: PacketLog, found: Stuck, as_data: bool) -> None:
    """A packet of a deadlock, and the circle of waits."""
    packet = found.packet
    if as_data:
        out.print_json(json.dumps(dataclasses.asdict(found) | {"forever": True}))
        return
    out.print(f"packet {packet.number} ({packet.label}), {log}: never arrives; {found.words}")
    print_circle(found)


def print_circle(found: Stuck) -> None:
    titles = ("packet", "label", "holds", "waits for", "since cycle")
    rows = table(*titles, left=titles[1:4])
    for one in found.circle:
        rows.add_row(str(one.packet), one.label, one.channel, one.target, str(one.since))
    out.print(rows)
    again = f"packet {found.circle[0].packet}"
    out.print(f"the last one waits for what {again} holds: none of them can ever move")


def show_slowest(log: PacketLog, count: int) -> None:
    """The packets that took longest."""
    titles = ("packet", "cycles", "of these waiting", "from", "to", "blocked most by")
    rows = table(*titles, left=titles[3:])
    for number in log.slowest(count):
        packet = log.packet(number)
        if not arrivals(log, packet):
            continue
        found = journey(log, packet)
        rows.add_row(
            str(number), str(found.cycles), str(found.waited), found.source, found.destination,
            named(log, dict(found.waited_for.most_common(1))),
        )  # fmt: skip
    out.print(f"{log}: {log.cycles} cycles, slowest packets")
    out.print(rows)
    if circle := chain(log, circle_of(log)):
        numbers = ", ".join(str(one.packet) for one in circle)
        out.print(f"the run ended in a circle: packets {numbers} wait for each other; ask `why --packet` of these")
