# SPDX-License-Identifier: Apache-2.0
"""A packet log, as a run with `--packets` writes it: tlm/trace/packets.md describes the tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from polycast_cli.common import UserError, shown
from polycast_cli.network import Network
from polycast_cli.results import Folder, newest, one_named

VERSION = 1

Row = TypeVar("Row")


@dataclass(frozen=True)
class Chip:
    """`pipeline`: cycles that the head of a packet with a header of one flit takes at least; 0 for hosts, units and
    cables with a link layer."""

    number: int
    name: str
    kind: str
    pipeline: int


@dataclass(frozen=True)
class Cable:
    """One direction of a link; `delay` in cycles. `buffer`: flits at the other end, of each virtual channel, of which
    `room` must be free for a packet to begin."""

    chip: int
    port: int
    to_chip: int
    to_port: int
    delay: int
    buffer: int
    room: int


@dataclass(frozen=True)
class Packet:
    """Copies of a packet are the same packet. `header`: flits with which its header is complete."""

    number: int
    source: int
    sequence: int
    label: str
    header: int


@dataclass(frozen=True, order=True)
class Passage:
    """A packet on the output pins of a port, from cycle `head` to cycle `tail`."""

    head: int
    tail: int
    packet: int
    chip: int
    port: int
    vc: int
    flits: int


@dataclass(frozen=True)
class Link:
    """A cable that is a chip: delay of its wire in cycles; with a link layer flits of a frame, symbols of a trailer and
    of an ordered set, else 0."""

    cable: int
    wire: int
    frame: int
    trailer: int
    ordered_set: int


@dataclass(frozen=True)
class Replay:
    """An end of a cable sent all that was not acknowledged again, because of a `nack` or its `timer`; so many packets
    waited for it."""

    cable: int
    end: int
    first: int
    last: int
    cause: str
    packets: int


@dataclass(frozen=True)
class Fault:
    """On the wire that leads away from an end of a cable; hw/faults/faults.md describes what, effect and detail."""

    cycle: int
    cable: int
    end: int
    what: str
    effect: str
    detail: int


@dataclass(frozen=True)
class Hang:
    """The processor of a host's interface stands still from cycle `first` to cycle `last`."""

    host: int
    first: int
    last: int


COLUMNS = "head, tail, packet, chip, port, vc, flits"


@cache
def types_of(row: type) -> list[str]:
    return [str(column.type) for column in fields(row)]


class PacketLog:
    """Reads one file. Networks are small beside logs, so chips and cables are kept. Every row is looked at before it is
    used: files are damaged on their way.

    \\raises UserError everywhere, where the file is no log or a damaged one"""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            version = self.database.execute("pragma user_version").fetchone()[0]
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise UserError(f"{shown(path)}: not a packet log: {error}") from None
        if version != VERSION:
            raise UserError(f"{shown(path)}: packet log version {version}, expected version {VERSION}")
        about = next(self._rows("select name, workload, cycles from network"), ())
        if [type(value) for value in about] != [str, str, int]:
            self._damaged(f"the table network holds {about}")
        self.network, self.workload, self.cycles = about
        self.chips = [
            self._checked(Chip, row) for row in self._rows("select chip, name, kind, pipeline from chips order by chip")
        ]
        for number, chip in enumerate(self.chips):
            if chip.number != number or chip.pipeline < 0:
                self._damaged(f"there is a {chip} where chip {number} is expected")
        every = (
            self._checked(Cable, row)
            for row in self._rows("select chip, port, to_chip, to_port, delay, buffer, room from cables")
        )
        self.cables = {(cable.chip, cable.port): cable for cable in every}
        for cable in self.cables.values():
            if not (0 <= cable.chip < len(self.chips) and 0 <= cable.to_chip < len(self.chips) and cable.delay >= 0):
                self._damaged(f"there is a {cable}")

        self.links: dict[int, Link] = {}
        if next(self._rows("select 1 from sqlite_master where name = 'links'"), None) is not None:
            rows = self._rows("select cable, wire, frame, trailer, ordered_set from links")
            self.links = {link.cable: link for link in (self._checked(Link, row) for row in rows)}
        self.hangs: list[Hang] = []
        if next(self._rows("select 1 from sqlite_master where name = 'hangs'"), None) is not None:
            rows = self._rows("select host, first, last from hangs order by first, host")
            self.hangs = [self._checked(Hang, row) for row in rows]

    def __str__(self) -> str:
        return f"{self.workload} on {self.network}"

    @cached_property
    def into(self) -> dict[tuple[int, int], Cable]:
        """Cables by the port that they lead to."""
        return {(cable.to_chip, cable.to_port): cable for cable in self.cables.values()}

    @cached_property
    def first_port(self) -> int:
        """What the user's topology file calls the first port of a switch, as results and diagnoses do: 1 in InfiniBand.
        The results folder of the log tells it; without one, 0."""
        path = self.path.resolve().parent.parent / "topology" / f"{self.network}.json"
        try:
            hosts = Network.model_validate_json(path.read_text()).hosts
        except (OSError, ValueError):
            return 0
        ports = {host.name: host.port for host in hosts if host.port is not None}
        for cable in self.cables.values():
            name = self.chips[cable.chip].name
            if self.chips[cable.chip].kind == "host" and not self.is_cable(cable.to_chip) and name in ports:
                return ports[name] - cable.to_port
        return 0

    def port_name(self, chip: int, port: int) -> str:
        """ "switch0:3", and just "host7": hosts have one port."""
        name = self.chips[chip].name
        port += self.first_port
        return f"{name}:{port}" if self.chips[chip].pipeline else f"cable {name}" if self.is_cable(chip) else name

    def is_cable(self, chip: int) -> bool:
        """A cable whose ends repeat what was lost; packets pass it as they pass a chip."""
        return self.chips[chip].kind == "cable"

    def packet(self, number: int) -> Packet:
        row = next(self._rows("select * from packets where packet = ?", number), None)
        if row is None:
            count = next(self._rows("select count(*) from packets"))[0]
            raise UserError(
                f"{shown(self.path)}: no packet {number}: there are {count}, numbered from 0 in the order in which "
                "they were seen; or give HOST#SEQUENCE"
            )
        return self._packet(row)

    def packet_of(self, source: int, sequence: int) -> Packet:
        row = next(self._rows("select * from packets where source = ? and sequence = ?", source, sequence), None)
        if row is None:
            raise UserError(f"{shown(self.path)}: host {source} has sent no packet with sequence number {sequence}")
        return self._packet(row)

    def passages(self, packet: int) -> list[Passage]:
        """In the order of their heads."""
        return self._select("where packet = ? order by head, chip, port", packet)

    def all_passages(self, first: int, last: int) -> Iterator[Passage]:
        """Those that touch the cycles from `first` to `last`, in the order of their heads."""
        return self._passages("where head <= ? and tail >= ? order by head, chip, port", last, first)

    def on_port(self, chip: int, port: int, first: int, last: int) -> list[Passage]:
        """What a port sent that touches the cycles from `first` to `last`."""
        return self._select(
            "where chip = ? and port = ? and head <= ? and tail >= ? order by head", chip, port, last, first
        )

    def before_on_port(self, passage: Passage, count: int) -> list[Passage]:
        """The last `count` packets that took the same path, on the same virtual channel, before one; the last first."""
        return self._select(
            f"where chip = ? and port = ? and vc = ? and head < ? order by head desc limit {count}",
            passage.chip,
            passage.port,
            passage.vc,
            passage.head,
        )

    def replays(self, cable: int, end: int, first: int, last: int) -> list[Replay]:
        """Those of an end of a cable that touch the cycles from `first` to `last`."""
        if cable not in self.links:
            return []
        rows = self._rows(
            "select cable, end, first, last, cause, packets from replays"
            " where cable = ? and end = ? and first <= ? and last >= ? order by first",
            cable, end, last, first,
        )  # fmt: skip
        return [self._checked(Replay, row) for row in rows]

    def faults(self, cable: int, first: int, last: int) -> list[Fault]:
        """Those of a cable in the cycles from `first` to `last`, in order; without what spoilt nothing, and ends."""
        if cable not in self.links:
            return []
        rows = self._rows(
            "select cycle, cable, end, what, effect, detail from faults where cable = ? and cycle between ? and ?"
            " and effect not in ('nothing', 'ended') order by cycle",
            cable, first, last,
        )  # fmt: skip
        return [self._checked(Fault, row) for row in rows]

    def slowest(self, count: int) -> list[int]:
        """The packets that took longest, from the first head to the last tail."""
        rows = self._rows(
            "select packet from passages group by packet order by max(tail) - min(head) desc, packet limit ?", count
        )
        return [row[0] for row in rows]

    def _select(self, rest: str, *values: int) -> list[Passage]:
        return list(self._passages(rest, *values))

    def _packet(self, row: Sequence[Any]) -> Packet:
        packet = self._checked(Packet, row)
        if packet.header < 0:
            self._damaged(f"there is a {packet}")
        return packet

    def _passages(self, rest: str, *values: int) -> Iterator[Passage]:
        for row in self._rows(f"select {COLUMNS} from passages {rest}", *values):
            passage = self._checked(Passage, row)
            times = 0 <= passage.head <= min(passage.tail, self.cycles)
            if not (times and 0 <= passage.chip < len(self.chips) and passage.flits > 0):
                self._damaged(f"there is a {passage} in a run of {self.cycles} cycles and {len(self.chips)} chips")
            yield passage

    def _rows(self, query: str, *values: int) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self.database.execute(query, values)
        except OverflowError:  # a number that no column can hold is in no row
            return
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where an error quotes the file
            self._damaged(str(error))

    def _checked(self, kind: type[Row], row: Sequence[Any]) -> Row:
        if [type(value).__name__ for value in row] != types_of(kind):
            self._damaged(f"there is a {kind.__name__} of {row}")
        return kind(*row)

    def _damaged(self, why: str) -> NoReturn:
        raise UserError(f"{shown(self.path)}: a damaged packet log: {why[:200]}")


def logs_in(result: Path | None) -> list[Path]:
    """Packet logs of a results folder; without one, of the newest that has some."""
    folder = Folder(result).path if result is not None else newest(holding="packets").path
    return sorted((folder / "packets").glob("*.sqlite"))


def open_log(result: Path | None, name: str) -> PacketLog:
    """The one log of a results folder whose file name contains `name`, or the file itself."""
    if result is not None and result.suffix == ".sqlite":
        if not result.is_file():
            raise UserError(f"{shown(result)}: no such file")
        return PacketLog(result)
    logs = logs_in(result)
    if not logs:
        raise UserError(f"{shown(result) if result else 'results'}: no packet logs; run the scenario with --packets")
    return PacketLog(one_named(name, logs, "--log", "log"))
