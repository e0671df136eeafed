# SPDX-License-Identifier: Apache-2.0
"""Where a packet spent every cycle, and which packets blocked it: worked out from the passages in a packet log.

A head that comes to a switch or router waits until the packets before it in the same input buffer (of its virtual
channel) have left, then takes the pipeline, then waits for its output: while other packets are on it, while the buffer
at its other end is full, or for the arbiter. When the head has arrived, the flits behind it follow, one a cycle unless
something holds them up. The parts add up to the time from the head's first cycle on a link to the tail's last.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from polycast_cli.common import UserError
from polycast_cli.packets.links import credit_time, least_time, lost_on, replay_text
from polycast_cli.packets.log import Cable, Chip, Packet, PacketLog, Passage

#: Packets looked at that could still be in a buffer in front of another one.
AHEAD = 64


@dataclass(frozen=True)
class Part:
    """Some of a packet's time. `by`: packets that it waited for, with cycles. `moving`: it would have taken this alone,
    too."""

    cycles: int
    where: str
    what: str
    by: dict[int, int] = field(default_factory=dict)
    moving: bool = False


@dataclass(frozen=True)
class Journey:
    """A packet from where it was seen first to one destination; cycles of head and tail on the links."""

    packet: Packet
    source: str
    destination: str
    first: int
    last: int
    parts: list[Part]
    notes: list[str] = field(default_factory=list)  #: what became of its flits on the way

    @property
    def cycles(self) -> int:
        return self.last - self.first

    @property
    def waited(self) -> int:
        return self.cycles - sum(part.cycles for part in self.parts if part.moving)

    @property
    def waited_for(self) -> Counter[int]:
        total: Counter[int] = Counter()
        for part in self.parts:
            total.update(part.by)
        return total


@dataclass(frozen=True)
class Hop:
    """A passage and the one before it; `arrived`: cycle of the head on the input pins of the passage's chip."""

    passage: Passage
    before: Passage | None
    arrived: int


def end_of(log: PacketLog, passage: Passage) -> Cable | None:
    return log.cables.get((passage.chip, passage.port))


def came_by(log: PacketLog, passage: Passage, all_of_packet: list[Passage]) -> Passage | None:
    """The passage that brought a packet to the chip that it leaves in another; None: it begins there."""
    best: Passage | None = None
    for other in all_of_packet:
        cable = end_of(log, other)
        if cable is None or cable.to_chip != passage.chip or other.head + cable.delay > passage.head:
            continue
        if best is None or other.head > best.head:
            best = other
    return best


def arrivals(log: PacketLog, packet: Packet) -> dict[int, Passage]:
    """By host or unit: the passage that ends there."""
    found: dict[int, Passage] = {}
    for passage in log.passages(packet.number):
        cable = end_of(log, passage)
        if cable is not None and log.chips[cable.to_chip].pipeline == 0 and not log.is_cable(cable.to_chip):
            found.setdefault(cable.to_chip, passage)
    return found


def path_to(log: PacketLog, packet: Packet, last: Passage) -> list[Hop]:
    every = log.passages(packet.number)
    hops: list[Hop] = []
    passage: Passage | None = last
    while passage is not None:
        before = came_by(log, passage, every)
        arrived = before.head + log.cables[before.chip, before.port].delay if before is not None else passage.head
        hops.append(Hop(passage, before, arrived))
        passage = before
    return hops[::-1]


def departures(log: PacketLog, brought: Passage, chip: int) -> list[Passage]:
    """Where a packet that `brought` brought to a chip left it."""
    every = log.passages(brought.packet)
    return [p for p in every if p.chip == chip and came_by(log, p, every) == brought]


@dataclass(frozen=True)
class Buffered:
    """A packet in an input buffer: its flits come in and go out evenly between head and tail, to the nearest flit."""

    packet: int
    flits: int
    into: tuple[int, int]  #: cycles of head and tail on the input pins
    out: tuple[int, int]  #: and on the output pins, of the copy that leaves last

    def flits_in(self, cycle: int) -> int:
        return passed(self.into, self.flits, cycle) - passed(self.out, self.flits, cycle)


def passed(span: tuple[int, int], flits: int, cycle: int) -> int:
    """Flits that have passed before a cycle."""
    head, tail = span
    return max(0, min(flits, round(flits * (cycle - head) / (tail + 1 - head))))


def queue_before(log: PacketLog, brought: Passage, cable: Cable, since: int) -> list[Buffered]:
    """Packets that were in the buffer to which `brought` goes in cycle `since` or later and came before it, the last
    first."""
    queue: list[Buffered] = []
    for ahead in log.before_on_port(brought, AHEAD):
        left = max(departures(log, ahead, cable.to_chip), key=lambda p: (p.tail, p.head), default=None)
        if left is None:
            continue
        if left.tail < since:
            break  # those before it are gone, too
        into = (ahead.head + cable.delay, ahead.tail + cable.delay)
        queue.append(Buffered(ahead.packet, ahead.flits, into, (left.head, left.tail)))
    return queue


def behind(log: PacketLog, hop: Hop) -> tuple[int, int | None]:
    """Cycles that a head waits behind another packet in its input buffer, and which."""
    if hop.before is None or log.chips[hop.passage.chip].pipeline == 0:
        return 0, None
    queue = queue_before(log, hop.before, log.cables[hop.before.chip, hop.before.port], hop.arrived)
    if not queue:
        return 0, None
    gone = queue[0].out[1] + 1
    return max(0, min(gone, hop.passage.head) - hop.arrived), queue[0].packet


def runs(cycles: Iterator[tuple[str, int | None]]) -> dict[str, Counter[int]]:
    """Counts what each cycle of a wait was for, by reason and packet; packet -1: no packet in particular."""
    counted: dict[str, Counter[int]] = {}
    for reason, packet in cycles:
        counted.setdefault(reason, Counter())[-1 if packet is None else packet] += 1
    return counted


def waits(log: PacketLog, passage: Passage, first: int) -> Iterator[tuple[str, int | None]]:
    """For every cycle from `first` to the head of a passage: why its packet was not sent."""
    cable = end_of(log, passage)
    others = [p for p in log.on_port(passage.chip, passage.port, first, passage.head - 1) if p != passage]
    link = f"for its output, to {log.port_name(cable.to_chip, cable.to_port)}" if cable else "for its output"
    full = buffer_behind(log, passage, cable, first) if cable is not None else None
    for cycle in range(first, passage.head):
        on_it = [p for p in others if p.head <= cycle <= p.tail]
        if on_it:
            yield f"{link}: taken", min(on_it, key=lambda p: (p.vc != passage.vc, p.head)).packet
        elif full is not None and (there := full.blocking(cycle)) is not None:
            yield f"{link}: the buffer there is full", there
        else:
            yield f"{link}: for the arbiter, or for credits", None


@dataclass(frozen=True)
class FarBuffer:
    """The buffer at the other end of a link, as a sender can know it: what leaves it is known `back` cycles later, and
    what is on the link is counted, too."""

    queue: list[Buffered]
    cable: Cable
    back: int

    def blocking(self, cycle: int) -> int | None:
        """The first packet in it, if it has no room for another one."""
        known = cycle - self.back
        there = [one for one in self.queue if one.flits_in(known) > 0]
        delay = self.cable.delay
        taken = sum(
            passed((one.into[0] - delay, one.into[1] - delay), one.flits, cycle) - passed(one.out, one.flits, known)
            for one in self.queue
        )
        return there[-1].packet if there and taken > self.cable.buffer - self.cable.room else None


def buffer_behind(log: PacketLog, passage: Passage, cable: Cable, first: int) -> FarBuffer | None:
    """Behind a link, with or without a link layer, in cycle `first` and later; None: a host or unit is there."""
    if not log.is_cable(cable.to_chip):
        if log.chips[cable.to_chip].pipeline == 0:
            return None
        return FarBuffer(queue_before(log, passage, cable, first - cable.delay), cable, cable.delay)
    far = log.cables.get((cable.to_chip, 1 - cable.to_port))
    if far is None or log.chips[far.to_chip].pipeline == 0:
        return None
    back = credit_time(log, cable.to_chip)
    queue: list[Buffered] = []
    for ahead in log.before_on_port(passage, AHEAD):
        for inside in departures(log, ahead, cable.to_chip):
            left = max(departures(log, inside, far.to_chip), key=lambda p: (p.tail, p.head), default=None)
            if left is None:
                continue
            if left.tail < first - back:
                return FarBuffer(queue, cable, back)
            queue.append(Buffered(ahead.packet, ahead.flits, (ahead.head, ahead.tail), (left.head, left.tail)))
    return FarBuffer(queue, cable, back)


def in_cable(log: PacketLog, hop: Hop) -> Iterator[Part]:
    """The time of a head between the two ends of a cable."""
    inside = hop.passage.head - hop.arrived
    where = log.port_name(hop.passage.chip, 0)
    least = least_time(log, hop.passage.chip, (hop.before or hop.passage).flits)
    moving = inside if least is None else min(inside, least)
    link = log.links.get(hop.passage.chip)
    words = "frame, wire and check by the link layer" if link is None or link.frame else "link"
    yield Part(moving, where, words, moving=True)
    replay = replay_text(log, hop.passage, hop.arrived, hop.passage.head)
    yield Part(inside - moving, where, replay or "its turn on the wire")


def hung_text(log: PacketLog, host: int, first: int, last: int) -> str:
    """ "stood still from cycle 3181 to 13180", where the processor of a host did in these cycles."""
    found = [hang for hang in log.hangs if hang.host == host and hang.first <= last and hang.last >= first]
    return f"stood still from cycle {found[0].first} to {found[0].last}" if found else ""


def through(log: PacketLog, packet: Packet, hop: Hop) -> Iterator[Part]:
    """The time of a head in a chip."""
    chip: Chip = log.chips[hop.passage.chip]
    inside = hop.passage.head - hop.arrived
    if hop.before is None:
        return
    if log.is_cable(hop.passage.chip):
        yield from in_cable(log, hop)
        return
    if chip.pipeline == 0:
        hung = hung_text(log, hop.passage.chip, hop.arrived, hop.passage.head)
        words = "in its memory, and its processor" if chip.kind == "host" else "in it"
        yield Part(inside, chip.name, f"{words}, which {hung}" if hung else words, moving=True)
        return
    waited, ahead = behind(log, hop)
    if waited and ahead is not None:
        cable = log.cables[hop.before.chip, hop.before.port]
        yield Part(waited, chip.name, f"behind another packet in the buffer of port {cable.to_port}", {ahead: waited})
    pipeline = min(inside - waited, chip.pipeline + packet.header - 1)
    yield Part(pipeline, chip.name, "header, routing and crossbar", moving=True)
    for reason, packets in runs(waits(log, hop.passage, hop.arrived + waited + pipeline)).items():
        yield Part(packets.total(), chip.name, reason, {p: n for p, n in packets.items() if p >= 0})


def spreading(log: PacketLog, hops: list[Hop]) -> Iterator[Part]:
    """The time from the last head to the last tail: a cycle for each flit, and gaps where they were torn apart. Gaps
    that closed again further on, while the head waited, cost nothing."""
    gaps = [hop.passage.tail - hop.passage.head + 1 - hop.passage.flits for hop in hops]
    lasting = list(itertools.accumulate(reversed(gaps), min))[::-1]
    for hop, before, after in zip(hops, [0, *lasting], lasting, strict=False):
        passage = hop.passage
        if after <= before:
            continue
        others = {
            p.packet: min(p.tail, passage.tail) - max(p.head, passage.head) + 1
            for p in log.on_port(passage.chip, passage.port, passage.head, passage.tail)
            if p != passage
        }
        replay = replay_text(log, passage, passage.head, passage.tail) if log.is_cable(passage.chip) else None
        what = replay or ("shares the link" if others else "they come late, or wait for credits")
        yield Part(after - before, log.port_name(passage.chip, passage.port), f"between its flits: {what}", others)
    yield Part(hops[-1].passage.flits - 1, "last link", "its flits behind the first, one a cycle", moving=True)


def last_seen(log: PacketLog, packet: Packet) -> str:
    passages = log.passages(packet.number)
    if not passages:
        return "its tail is on no link in the log"
    last = max(passages, key=lambda p: p.tail)
    cable = end_of(log, last)
    to = f" to {log.port_name(cable.to_chip, cable.to_port)}" if cable else ""
    lost = lost_on(log, last)
    return f"its tail was seen last in cycle {last.tail}, from {log.port_name(last.chip, last.port)}{to}" + (
        f"; {lost}" if lost else ""
    )


def cuts(log: PacketLog, hops: list[Hop]) -> Iterator[str]:
    """Cables that ended the packet because its rest was lost."""
    for hop in hops:
        before = hop.before
        if before is not None and log.is_cable(hop.passage.chip) and hop.passage.flits < before.flits:
            lost = lost_on(log, before) or "lost"
            yield f"{hop.passage.flits} of its {before.flits} flits came out, with a poison tail: the rest was {lost}"


def hung_end(log: PacketLog, last: Passage) -> Iterator[str]:
    """Whether the processor of the host that it came to stood still."""
    cable = log.cables[last.chip, last.port]
    arrived = last.tail + cable.delay
    if hung := hung_text(log, cable.to_chip, arrived, arrived):
        yield f"it came in cycle {arrived}; the processor of {log.chips[cable.to_chip].name} {hung}"


def journey(log: PacketLog, packet: Packet, to: str | None = None) -> Journey:
    """The path to a destination by its name; without one, to where the tail arrives last."""
    ends = arrivals(log, packet)
    if not ends:
        raise UserError(
            f"packet {packet.number} ({packet.label}) did not arrive: it was in flight when the log ended, or was "
            f"dropped; {last_seen(log, packet)}; for waves of that repeat the run with "
            f"--trigger dropped:{packet.number}"
        )
    names = {log.chips[chip].name: passage for chip, passage in ends.items()}
    if to is not None and to not in names:
        raise UserError(f"packet {packet.number} does not go to {to}; it goes to {', '.join(names)}")
    name = to if to is not None else max(names, key=lambda n: names[n].tail)
    hops = path_to(log, packet, names[name])
    parts: list[Part] = []
    for hop in hops:
        parts += through(log, packet, hop)
        cable = log.cables[hop.passage.chip, hop.passage.port]
        link = f"{log.port_name(cable.chip, cable.port)} to {log.port_name(cable.to_chip, cable.to_port)}"
        parts.append(Part(cable.delay, link, "link", moving=True))
    parts += spreading(log, hops)
    first, last = hops[0].passage, hops[-1].passage
    return Journey(
        packet,
        log.chips[first.chip].name,
        name,
        first.head,
        last.tail + log.cables[last.chip, last.port].delay,
        [part for part in parts if part.cycles != 0],
        [*cuts(log, hops), *hung_end(log, hops[-1].passage)],
    )
