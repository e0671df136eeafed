# SPDX-License-Identifier: Apache-2.0
"""Packets that never arrive because the run ended in a circle of waits, which the watchdog tells in the results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polycast_cli.packets.log import Chip, Packet, PacketLog, Passage
from polycast_cli.packets.why import departures
from polycast_cli.results import Folder

FIRST_GROUP = 0xC000  #: LIDs of groups
#: "input switch0:1 waits for input switch7:6 (4 credits for output switch0:2)", on lanes "switch0:2 vc1".
WAIT = re.compile(r"\((?:a credit|\d+ credits) for output (.+?)\)(?:; |$)")
#: "switch0:2/vl0 holds node021>node005 #0, which waits for 4 credits of switch7:6/vl0, held by node003>node009 #0".
HOLD = re.compile(r"(?:^|; )([^;]+?) holds ([^;]+?), which waits for (?:a credit|\d+ credits) of ")
LID = re.compile(r">LID (\d+) ")


def channel_name(text: str) -> str:
    """A channel by its sender: switch0:2, with its lane where that is not 0: switch0:2/vl1."""
    return text.replace(" vc", "/vl").removesuffix("/vl0")


def circle_in(diagnosis: str) -> list[str]:
    """Channels of the circle that the watchdog tells, each waiting for the next; empty where there is none."""
    _, found, circle = diagnosis.partition("wait cycle: ")
    names = [name for name, _ in HOLD.findall(circle)] or WAIT.findall(circle)
    return [channel_name(name) for name in names] if found else []


def circle_of(log: PacketLog) -> list[str]:
    """Likewise of the run that wrote a log, where it lies in its results folder."""
    folder = log.path.resolve().parent.parent
    if not (folder / "results.json").is_file():
        return []
    name = f"{log.network}/{log.workload}"
    points = Folder(folder).results().points
    return next((circle_in(point.diagnosis) for point in points if point.id == name and point.diagnosis), [])


def edges_of(channels: Sequence[str]) -> list[tuple[str, str]]:
    """Each channel with the one that it waits for."""
    return list(zip(channels, [*channels[1:], *channels[:1]], strict=True))


@dataclass(frozen=True)
class Lane:
    """A channel in a log: the port that sends, and its lane."""

    chip: int
    port: int
    vc: int

    @classmethod
    def of(cls, name: str, log: PacketLog) -> Lane:
        port, _, lane = name.partition("/vl")
        switch, _, number = port.rpartition(":")
        chip = next(one.number for one in log.chips if one.name == switch)
        return cls(chip, int(number) - log.first_port, int(lane or 0))

    def passages(self, log: PacketLog) -> list[Passage]:
        sent = log.on_port(self.chip, self.port, 0, log.cycles)
        return [passage for passage in sent if passage.vc == self.vc]


@dataclass(frozen=True)
class Wait:
    """A packet at the end of a channel waits for the next one. `taken`: cycle of its first flit on the channel."""

    channel: str
    target: str
    packet: int
    label: str
    source: str
    dlid: int | None
    taken: int
    since: int


def lid_of(packet: Packet) -> int | None:
    found = LID.search(packet.label)
    return int(found[1]) if found else None


def has_left(log: PacketLog, brought: Passage) -> bool:
    """Whether a packet went on by any port. Copies of a group's packet do while others wait."""
    lid = lid_of(log.packet(brought.packet))
    return (lid is None or lid < FIRST_GROUP) and bool(departures(log, brought, end_of(log, brought)))


def end_of(log: PacketLog, passage: Passage) -> int:
    return log.cables[passage.chip, passage.port].to_chip


def hosts_of(log: PacketLog) -> list[Chip]:
    return [chip for chip in log.chips if chip.kind == "host"]


def front(log: PacketLog, channel: str, target: str) -> Wait | None:
    """The packet at the front of the buffer at a channel's end, which waits for `target` when the log ends."""
    came, left = Lane.of(channel, log).passages(log), Lane.of(target, log).passages(log)
    gone = {passage.packet: passage.tail for passage in left}
    there = [passage for passage in came if passage.packet not in gone and not has_left(log, passage)]
    if not there:
        return None
    first = there[0]
    packet = log.packet(first.packet)
    arrived = first.head + log.cables[first.chip, first.port].delay + packet.header - 1
    before = [gone[passage.packet] + 1 for passage in came if passage.head < first.head and passage.packet in gone]
    source = hosts_of(log)[packet.source].name
    return Wait(
        channel, target, packet.number, packet.label, source, lid_of(packet), first.head, max([arrived, *before])
    )


def chain(log: PacketLog, circle: Sequence[str]) -> list[Wait]:
    """The packets of a circle, each waiting for the next."""
    found = [front(log, *edge) for edge in edges_of(circle)]
    return [one for one in found if one is not None]


@dataclass(frozen=True)
class Stuck:
    """A packet that never arrives, and the circle, from its own channel on where it is part of it."""

    packet: Packet
    #: Where it is, and what it waits for.
    words: str
    circle: list[Wait]


def stuck(log: PacketLog, packet: Packet) -> Stuck | None:
    """None where the run did not end in a circle, or the packet is in no buffer."""
    circle = chain(log, circle_of(log))
    place = next((i for i, one in enumerate(circle) if one.packet == packet.number), None)
    if place is not None:
        own = circle[place]
        words = f"it has waited for {own.target} since cycle {own.since}, for ever"
        return Stuck(packet, words, circle[place:] + circle[:place])
    passages = log.passages(packet.number)
    if not circle or not passages:
        return None
    last = max(passages, key=lambda one: one.head)
    if not log.chips[end_of(log, last)].pipeline or has_left(log, last):
        return None
    cable = log.cables[last.chip, last.port]
    where = log.port_name(cable.to_chip, cable.to_port)
    ahead = [one for one in log.before_on_port(last, 1) if not has_left(log, one)]
    behind = f"behind packet {ahead[0].packet} ({log.packet(ahead[0].packet).label}) " if ahead else ""
    words = f"it has been {behind}in the buffer of {where} since cycle {last.tail + cable.delay}, and never moves"
    return Stuck(packet, words, circle)
