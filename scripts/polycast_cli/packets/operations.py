# SPDX-License-Identifier: Apache-2.0
"""`why --operation`: what one operation of a program waited for; and its times, for timelines and charts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from polycast_cli.common import UserError, out, shown
from polycast_cli.packets.critical import chosen_run
from polycast_cli.results import Folder
from polycast_cli.terminal import table

#: Points of an operation's time in tables/operations.csv, by hw/workloads/program/critical_path.h.
TIMES = ("begin", "end", "ready", "credited", "handed", "granted", "data_begin", "data_handed")
ARRIVALS = ("arrived", "pay_begin", "paid")
#: What an operation does, by operation_text() of hw/programs/program.h; its label stands before.
DONE = r"send \d+b to \d+|recv \d+b from \w+|calc \d+|(?:copy|reduce|collective) \d+b|none"
#: So many operations of one name are named.
NAMED = 10


@dataclass(frozen=True)
class Operation:
    """A row of tables/operations.csv; times in cycles from the start of the program."""

    rank: int
    number: int
    kind: str
    cpu: int
    line: int
    name: str
    times: dict[str, int]
    cause: int | None
    partner: tuple[int, int] | None

    @property
    def begin(self) -> int:
        return self.times["begin"]

    @property
    def end(self) -> int:
        return self.times["end"]

    @property
    def label(self) -> str:
        """The name in its source, where it has one: a word in GOAL, any text elsewhere."""
        found = re.search(rf"'(.+): (?:{DONE})'$", self.name)
        return found.group(1) if found else ""


def operation_of(row: dict[str, str]) -> Operation:
    times = {name: int(row[name]) for name in TIMES + ARRIVALS if row[name]}
    partner = (int(row["partner_rank"]), int(row["partner"])) if row["partner"] else None
    return Operation(
        int(row["rank"]), int(row["operation"]), row["kind"], int(row["cpu"]), int(row["line"]), row["name"], times,
        int(row["cause"]) if row["cause"] else None, partner,
    )  # fmt: skip


def operations_of(folder: Folder) -> Iterator[tuple[str, list[Operation]]]:
    """Of each run that keeps them."""
    for point, rows in groupby(folder.rows("operations"), key=lambda row: row["point"]):
        yield point, [operation_of(row) for row in rows]


def find(operations: list[Operation], words: str) -> list[Operation]:
    """\\param words 'rank 3 l17': the rank, and a label, 'line 12' or 'operation 7' \\returns one or several"""
    given = re.fullmatch(r"\s*rank\s+(\d+)\s+(?:(line|operation)\s+(\d+)|(\S.*?))\s*", words)
    if given is None:
        raise UserError(f"--operation '{words}': expected 'rank 3 l17', 'rank 3 line 12' or 'rank 3 operation 7'")
    rank, by, number, label = given.groups()
    own = [one for one in operations if one.rank == int(rank)]
    if not own:
        raise UserError(f"--operation '{words}': no rank {rank}, or it has no operations")
    if by:
        chosen = [one for one in own if (one.line if by == "line" else one.number) == int(number)]
    else:
        # Nodes of Chakra have a number and a name.
        chosen = [one for one in own if one.label == label or one.label.startswith(f"{label} '")]
    if not chosen:
        last = own[-1]
        raise UserError(f"--operation '{words}': rank {rank} has no such operation; its last one is {last.name}")
    return chosen


def steps_of(one: Operation, all_of: dict[tuple[int, int], Operation]) -> Iterator[tuple[int, int, str]]:
    """What its time went by with, from the start of the program without a gap: from, to, words."""
    at = 0

    def until(cycle: int | None, words: str) -> Iterator[tuple[int, int, str]]:
        nonlocal at
        if cycle is not None and cycle > at:
            yield at, cycle, words
            at = cycle

    times = one.times
    before = all_of.get((one.rank, one.cause)) if one.cause is not None else None
    yield from until(times.get("ready"), f"waits for {before.name}" if before else "waits for what it requires")
    yield from until(times.get("credited"), "waits for a credit")
    yield from until(one.begin, "waits for its processor")
    if one.kind == "receive":
        sent = all_of.get(one.partner) if one.partner else None
        if sent is not None:
            yield from until(sent.begin, f"its message is not sent yet: {sent.name}")
            yield from until(sent.times.get("data_handed", sent.times.get("handed")), "the send is being done")
        yield from until(times.get("arrived"), "its message is on its way")
        yield from until(times.get("pay_begin"), "its message waits for the processor")
        yield from until(times.get("paid"), "receive overhead")
        yield from until(one.end, "waits for an earlier message of the two ranks")
    elif one.kind == "send":
        yield from until(times.get("handed"), "send overhead")
        yield from until(times.get("granted"), "waits for its receive: request and grant")
        yield from until(times.get("data_begin"), "waits for its processor")
        yield from until(times.get("data_handed"), "send overhead of the data")
        yield from until(one.end, "its data leave host memory")
    else:
        yield from until(one.end, {"calc": "computes", "copy": "copies", "reduce": "reduces"}.get(one.kind, "ends"))


def show_operation(folder: Folder, run: str, words: str, as_json: bool) -> None:
    runs = dict(operations_of(folder))
    if not runs:
        raise UserError(
            f"{shown(folder.path)}: no times of operations; run the program with -s 'workload.NAME.timeline=all'"
        )
    chosen = chosen_run(list(runs), run)
    one, *others = find(runs[chosen], words)
    steps = list(steps_of(one, {(each.rank, each.number): each for each in runs[chosen]}))
    if as_json:
        out.print_json(data=[{"from": begin, "to": end, "what": what} for begin, end, what in steps])
        return
    out.print(f"{chosen}: {one.name}: cycles {one.begin:,} to {one.end:,}", soft_wrap=True)
    if others:  # an algorithm of MSCCL makes several of a step
        more = ", ".join(f"'rank {each.rank} operation {each.number}'" for each in others[:NAMED])
        more += ", .." if len(others) > NAMED else ""
        out.print(f"the first of {len(others) + 1} of that name; the others: {more}", soft_wrap=True)
    shares = table("from", "to", "cycles", "what", left=("what",))
    for begin, end, what in steps:
        shares.add_row(f"{begin:,}", f"{end:,}", f"{end - begin:,}", what)
    out.print(shares)
