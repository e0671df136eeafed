# SPDX-License-Identifier: Apache-2.0
"""The two ends of a link: a source that sends packets as far as credits go, and a sink that gives credits back.

A credit is a chunk of flits in which packets start afresh (the switch), or a flit (the router: chunks of one). Pauses
are endless iterators of bool, asked once in each cycle: a source sends nothing, and a sink takes nothing out of its
buffer, where they say true.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

Pauses = Iterator[bool]


def never() -> Pauses:
    while True:
        yield False


def now_and_then(dice: random.Random, share: float) -> Pauses:
    """Each cycle by itself with the same probability."""
    while True:
        yield dice.random() < share


def long_ones(dice: random.Random, cycles: int) -> Pauses:
    """As long as without: idle links that are full again, and buffers that fill up."""
    while True:
        yield from [False] * dice.randint(1, cycles)
        yield from [True] * dice.randint(1, cycles)


def any_pauses(dice: random.Random) -> Pauses:
    match dice.randrange(4):
        case 0:
            return never()
        case 1:
            return now_and_then(dice, 0.3)
        case 2:
            return now_and_then(dice, 0.8)
        case _:
            return long_ones(dice, 60)


class Flit(NamedTuple):
    data: bytes
    head: bool
    tail: bool
    vc: int = 0


def flits_of(packet: bytes, flit_bytes: int, vc: int = 0) -> list[Flit]:
    starts = range(0, len(packet), flit_bytes)
    return [Flit(packet[at : at + flit_bytes], at == 0, at == starts[-1], vc) for at in starts]


class Source:
    """Drives an input: packets wait in a queue for each virtual channel."""

    def __init__(self, dice: random.Random, credits: int, chunk: int = 1, vcs: int = 1, idle: Pauses | None = None):
        self.dice = dice
        self.chunk = chunk
        self.credits = [credits] * vcs
        self.queues: list[deque[Flit]] = [deque() for _ in range(vcs)]
        self.offsets = [0] * vcs
        self.idle = idle or never()

    @property
    def empty(self) -> bool:
        return not any(self.queues)

    def send(self, flits: list[Flit]) -> None:
        self.queues[flits[0].vc].extend(flits)

    def credit(self, vc: int) -> None:
        self.credits[vc] += 1

    def flit(self) -> Flit | None:
        """What goes out in this cycle."""
        if next(self.idle):
            return None
        ready = [vc for vc, queue in enumerate(self.queues) if queue and (self.offsets[vc] or self.credits[vc])]
        if not ready:
            return None
        vc = self.dice.choice(ready)
        flit = self.queues[vc].popleft()
        if self.offsets[vc] == 0:
            self.credits[vc] -= 1
        self.offsets[vc] = 0 if flit.tail else (self.offsets[vc] + 1) % self.chunk
        return flit


class Sink:
    """Takes what an output sends into buffers of `chunks` chunks; whole packets go to `arrived(vc, data)`.

    \\raises AssertionError where flits are framed wrongly or come without a credit
    """

    def __init__(
        self,
        dice: random.Random,
        name: str,
        arrived: Callable[[int, bytes], None],
        chunks: int,
        chunk: int = 1,
        vcs: int = 1,
        busy: Pauses | None = None,
    ):
        self.dice = dice
        self.name = name
        self.arrived = arrived
        self.chunks = chunks
        self.chunk = chunk
        self.packets: list[list[bytes]] = [[] for _ in range(vcs)]  # flits of the packet that is coming in
        self.buffers: list[deque[bool]] = [deque() for _ in range(vcs)]  # for each flit: the last of its chunk
        self.used = [0] * vcs
        self.busy = busy or never()

    def take(self, flit: Flit) -> None:
        assert flit.vc < len(self.used), f"{self.name}: virtual channel {flit.vc}, which does not exist"
        packet = self.packets[flit.vc]
        assert flit.head == (not packet), f"{self.name}: {'a head inside' if flit.head else 'a flit outside'} a packet"
        if len(packet) % self.chunk == 0:
            self.used[flit.vc] += 1
            assert self.used[flit.vc] <= self.chunks, f"{self.name}: a flit without a credit (channel {flit.vc})"
        packet.append(flit.data)
        self.buffers[flit.vc].append(flit.tail or len(packet) % self.chunk == 0)
        if flit.tail:
            self.arrived(flit.vc, b"".join(packet))
            packet.clear()

    def credit(self) -> int | None:
        """Takes a flit out of a buffer; the virtual channel of the credit, where that ends a chunk."""
        if next(self.busy):
            return None
        filled = [vc for vc, buffer in enumerate(self.buffers) if buffer]
        if not filled:
            return None
        vc = self.dice.choice(filled)
        if not self.buffers[vc].popleft():
            return None
        self.used[vc] -= 1
        return vc
