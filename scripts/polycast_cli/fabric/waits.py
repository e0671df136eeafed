# SPDX-License-Identifier: Apache-2.0
"""What waited in a run: whether it is a cycle of the static graph, and how much of one if it did not close."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polycast_cli.fabric.cycles import Cycle
from polycast_cli.packets.forever import Lane, channel_name, edges_of
from polycast_cli.packets.log import PacketLog


def is_static(channels: Sequence[str], cycle: Cycle) -> bool:
    """Whether the static graph has each of the waits."""
    known = {(channel_name(first), channel_name(second)) for first, second in cycle.dependencies}
    return bool(channels) and set(edges_of(channels)) <= known


@dataclass(frozen=True)
class Most:
    """The most edges of a cycle on which packets waited at once, and when they did so first."""

    edges: int = 0
    cycle: int = 0


def most_waiting(log: PacketLog, cycle: Cycle) -> Most:
    """Waiting is what takes longer than a hop does."""
    spans: list[tuple[int, int]] = []
    for channel, target in edges_of([one.name for one in cycle.channels]):
        came, left = Lane.of(channel, log).passages(log), Lane.of(target, log).passages(log)
        heads = {passage.packet: passage.head for passage in left}
        here = Lane.of(channel, log)
        cable = log.cables[here.chip, here.port]
        pipeline = log.chips[cable.to_chip].pipeline + cable.delay
        waited = []
        for passage in came:
            begin = passage.head + pipeline + log.packet(passage.packet).header - 1
            # A packet that is not on the next channel takes another way, or never left.
            if passage.packet in heads and heads[passage.packet] > begin:
                waited.append((begin, heads[passage.packet]))
        spans += merged(waited)
    return most_at_once(spans)


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of one edge: it waits or not."""
    made: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if made and begin <= made[-1][1]:
            made[-1] = (made[-1][0], max(made[-1][1], end))
        else:
            made.append((begin, end))
    return made


def most_at_once(spans: Iterable[tuple[int, int]]) -> Most:
    """`spans`: first cycle, and the first one behind."""
    steps = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    now, best = 0, Most()
    for cycle, step in steps:
        now += step
        if now > best.edges:
            best = Most(now, cycle)
    return best
