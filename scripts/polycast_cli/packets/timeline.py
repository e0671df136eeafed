# SPDX-License-Identifier: Apache-2.0
"""A packet log as a timeline in the Trace Event Format, for ui.perfetto.dev or chrome://tracing: a track for each port
and virtual channel, a slice for each passage, arrows along a packet's path; and tracks for a program's ranks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from polycast_cli.common import UserError, replacing, shown
from polycast_cli.packets.log import PacketLog, Passage
from polycast_cli.packets.operations import operations_of
from polycast_cli.packets.why import came_by
from polycast_cli.results import Folder

#: Tracks of a chip: its ports, each with as many as there can be virtual channels.
CHANNELS = 16


def track(passage: Passage) -> dict[str, int]:
    """Process and thread in the format's words. Thread numbers below 1 are hidden by viewers."""
    return {"pid": passage.chip + 1, "tid": passage.port * CHANNELS + passage.vc + 1}


def microseconds(nanoseconds: int) -> float:
    """The format's unit. Viewers cut it to whole nanoseconds, and a product of 1000 may lie below one: a tenth more."""
    return round((nanoseconds + 0.1) / 1000, 4)


def slices(log: PacketLog, passages: list[Passage], cycle: float) -> Iterator[dict[str, Any]]:
    """`cycle`: its nanoseconds."""
    used: set[tuple[int, int, int]] = set()
    labels: dict[int, str] = {}
    for p in passages:
        used.add((p.chip, p.port, p.vc))
        label = labels.setdefault(p.packet, log.packet(p.packet).label)
        begin, end = round(p.head * cycle), round((p.tail + 1) * cycle)
        yield {
            "ph": "X",
            "name": label,
            "ts": microseconds(begin),
            "dur": microseconds(end - begin),
            "args": {"packet": p.packet, "head": p.head, "tail": p.tail, "flits": p.flits},
        } | track(p)
    for chip in sorted({chip for chip, _, _ in used}):
        yield {"ph": "M", "name": "process_name", "pid": chip + 1, "args": {"name": log.chips[chip].name}}
        yield {"ph": "M", "name": "process_sort_index", "pid": chip + 1, "args": {"sort_index": chip}}
    for chip, port, vc in sorted(used):
        cable = log.cables.get((chip, port))
        to = f" to {log.port_name(cable.to_chip, cable.to_port)}" if cable else ""
        channel = f" vc {vc}" if any((chip, port, other) in used for other in range(1, CHANNELS)) else ""
        at = {"pid": chip + 1, "tid": port * CHANNELS + vc + 1}
        yield {"ph": "M", "name": "thread_name", "args": {"name": f"port {port}{to}{channel}"}} | at


def arrows(log: PacketLog, passages: list[Passage], cycle: float) -> Iterator[dict[str, Any]]:
    """One for each passage that follows another one of its packet."""
    for number, p in enumerate(passages):
        before = came_by(log, p, log.passages(p.packet))
        if before is None:
            continue
        common = {"cat": "packet", "name": "way", "id": number}
        yield {"ph": "s", "ts": microseconds(round(before.head * cycle))} | common | track(before)
        yield {"ph": "f", "bp": "e", "ts": microseconds(round(p.head * cycle))} | common | track(p)


def rank_slices(log: PacketLog, first: int, last: int, cycle: float) -> Iterator[dict[str, Any]]:
    """Operations of a program's ranks that touch the cycles, with a track for each processor, where the results folder
    of the log has their times. The program begins with its first cycle, the packets with that of the run."""
    folder = log.path.resolve().parent.parent
    if log.path.parent.name != "packets" or not (folder / "results.json").is_file():
        return
    for point, operations in operations_of(Folder(folder)):
        if point != f"{log.network}/{log.workload}":
            continue
        created = next(int(row["created"]) for row in Folder(folder).rows("latencies") if row["point"] == point)
        base = len(log.chips) + 1
        tracks: set[tuple[int, int]] = set()
        for one in operations:
            begin, end = created + one.begin, created + one.end
            if begin > last or end < first:
                continue
            tracks.add((one.rank, one.cpu))
            at = {"pid": base + one.rank, "tid": one.cpu + 1}
            since, until = round(begin * cycle), round(end * cycle)
            yield {
                "ph": "X",
                "name": one.name,
                "ts": microseconds(since),
                "dur": microseconds(until - since),
                "args": {"operation": one.number, "line": one.line, **one.times},
            } | at
        for rank, cpu in sorted(tracks):
            at = {"pid": base + rank}
            yield {"ph": "M", "name": "process_name", "args": {"name": f"rank {rank}"}} | at
            yield {"ph": "M", "name": "process_sort_index", "args": {"sort_index": base + rank}} | at
            yield {"ph": "M", "name": "thread_name", "tid": cpu + 1, "args": {"name": f"processor {cpu}"}} | at


def write_timeline(
    log: PacketLog, output: Path, first: int, last: int, packets: list[int] | None, cycle_ns: float
) -> int:
    """Writes `output`, compressed where it ends in .gz, whole or not at all. Returns the number of passages."""
    passages = [p for p in log.all_passages(first, last) if packets is None or p.packet in packets]
    if not passages:
        raise UserError(f"{shown(log.path)}: no packet passes between the cycles {first} and {last}")
    ranks = rank_slices(log, first, last, cycle_ns) if packets is None else iter(())
    events = (
        json.dumps(event)
        for part in (slices(log, passages, cycle_ns), ranks, arrows(log, passages, cycle_ns))
        for event in part
    )
    opened: Callable[..., IO[str]] = gzip.open if output.suffix == ".gz" else open
    with replacing(output) as temporary, opened(temporary, "wt") as file:
        file.write('{"displayTimeUnit": "ns", "traceEvents": [\n')
        file.write(next(events))
        file.writelines(f",\n{event}" for event in events)
        file.write("\n]}\n")
    return len(passages)
