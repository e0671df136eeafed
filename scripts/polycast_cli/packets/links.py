# SPDX-License-Identifier: Apache-2.0
"""Cables with a link layer in a packet log: what a packet waited for in them, where it was lost, and by which fault."""

from __future__ import annotations

from polycast_cli.packets.log import Fault, PacketLog, Passage, Replay


def least_time(log: PacketLog, cable: int, flits: int) -> int | None:
    """Of the head of so many flits from the input pins of a cable to its output pins, on an idle wire without faults:
    it is framed, sent, and checked as a whole, where there is a link layer."""
    link = log.links.get(cable)
    if link is None or not link.frame:
        return None if link is None else link.wire
    return link.wire + min(flits, link.frame) + link.trailer + 2


def credit_time(log: PacketLog, cable: int) -> int:
    """Of a credit from chip to chip, at least."""
    link = log.links.get(cable)
    if link is None or not link.frame:
        return 0 if link is None else link.wire
    return link.wire + link.ordered_set + 2


def fault_text(fault: Fault) -> str:
    """ "flip of wire 17 in cycle 1234"."""
    details = {
        "flip": f" of wire {fault.detail}",
        "stuck": f" wire {fault.detail}",
        "frame": f" {fault.detail} lost",
        "dead": " wire",
    }
    words = details.get(fault.what, "")
    return f"{fault.what}{words} {'from' if fault.effect == 'began' else 'in'} cycle {fault.cycle}"


def cause_of(log: PacketLog, replay: Replay) -> Fault | None:
    """The last fault that can have led to a replay: of data before a nack came back, or of anything before a timer ran
    out."""
    link = log.links[replay.cable]
    by_nack = replay.cause == "nack"
    upto = replay.first - (link.wire + link.ordered_set if by_nack else 0)
    found = [one for one in log.faults(replay.cable, 0, upto) if not by_nack or one.end == replay.end]
    return found[-1] if found else None


def replay_text(log: PacketLog, passage: Passage, first: int, last: int) -> str | None:
    """ "replay on the link in cycle 1240, by nack, after a flip ..", for what leaves a cable; None: there was none."""
    replays = log.replays(passage.chip, 1 - passage.port, first, last)
    if not replays:
        return None
    fault = cause_of(log, replays[0])
    more = f" and {len(replays) - 1} more" if len(replays) > 1 else ""
    after = f", after {fault_text(fault)}" if fault is not None else ""
    return f"replay on the link in cycle {replays[0].first}{more}, by {replays[0].cause}{after}"


def lost_on(log: PacketLog, passage: Passage) -> str | None:
    """For a packet that went into a cable and did not come out whole: where that was, and the fault that took it."""
    way = log.cables.get((passage.chip, passage.port))
    if way is None or way.to_chip not in log.links:
        return None
    link = log.links[way.to_chip]
    # Its frames may have begun with flits before it.
    begin = passage.head - link.frame
    end = passage.tail + link.wire + link.frame + link.trailer + 2
    every = [one for one in log.faults(way.to_chip, 0, log.cycles) if one.end == way.to_port]
    during = [one for one in every if begin <= one.cycle <= end]
    before = [one for one in every if one.cycle < begin and one.effect == "began"]
    behind = [one for one in every if one.cycle > end]
    found = during[:1] or before[-1:] or behind[:1]
    name = log.chips[way.to_chip].name
    return f"lost on cable {name}" + (f", after {fault_text(found[0])}" if found else "")
