# SPDX-License-Identifier: Apache-2.0
"""What is on the wires of a cable, and its closed forms: written from hw/chips/link/link.md and the words of Ultra
Ethernet 1.0, sections 5.1 and 5.2, alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

IDLE, FLIT, CHECK, SET = 0b000, 0b011, 0b101, 0b110
INIT, INIT_ECHO, ACK, NACK, CF_UPDATE = 1, 2, 3, 4, 5
DATA, CC_UPDATE, CUT = 0, 1, 2
WORD_BYTES = 8


@dataclass(frozen=True)
class LinkConfig:
    """Registers of both ends, in cycles and flits, and the values derived from them; trailers are in line."""

    flit_bytes: int
    vcs: int
    delay: int
    frame: int
    ack_spacing: int
    credit_spacing: int
    credits: int
    replay_count: int = 8

    @property
    def set_symbols(self) -> int:
        """K, and T, those of a trailer."""
        return -(-WORD_BYTES // self.flit_bytes)

    @property
    def frame_symbols(self) -> int:
        """P"""
        return self.frame + self.set_symbols

    @property
    def nack_cycles(self) -> int:
        """D"""
        return 2 * self.delay + self.set_symbols + 2

    @property
    def nack_frames(self) -> int:
        """G"""
        return -(-self.nack_cycles // self.frame_symbols)

    @property
    def least_timer(self) -> int:
        return self.nack_cycles + self.ack_spacing + 2 * self.frame_symbols + 4 * self.set_symbols

    @property
    def replay_timer(self) -> int:
        """R"""
        return 2 * self.least_timer

    @property
    def window(self) -> int:
        """W"""
        cycles = self.nack_cycles + self.ack_spacing + self.frame_symbols + 2 * self.set_symbols
        return 1 + -(-cycles // self.frame_symbols)

    @property
    def credit_timer(self) -> int:
        return 16 * self.least_timer

    @property
    def signal_timeout(self) -> int:
        return (self.replay_count + 1) * self.replay_timer

    @property
    def up_cycle(self) -> int:
        return 2 * (self.set_symbols + self.delay) + 1

    @property
    def latest_credit(self) -> int:
        """Of a credit whose cf_update was lost, behind the pulse that it answers."""
        round_trip = 2 * (self.delay + self.set_symbols + self.frame_symbols)
        return self.credit_timer + round_trip + -(-4 // self.flit_bytes) + 4

    @property
    def wires(self) -> int:
        return 8 * self.flit_bytes + 9


class Symbol(NamedTuple):
    data: bytes
    head: bool
    tail: bool
    vc: int
    kind: int


def symbol_of(wires: int, flit_bytes: int) -> Symbol:
    marks = wires >> 8 * flit_bytes
    data = (wires & (1 << 8 * flit_bytes) - 1).to_bytes(flit_bytes, "little")
    return Symbol(data, bool(marks & 1), bool(marks >> 1 & 1), marks >> 2 & 15, marks >> 6 & 7)


@cache
def table(polynomial: int) -> list[int]:
    """Of a CRC whose bits are taken lowest first."""
    entries = []
    for entry in range(256):
        for _ in range(8):
            entry = entry >> 1 ^ (polynomial if entry & 1 else 0)
        entries.append(entry)
    return entries


def crc32c(data: bytes) -> int:
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ table(0x82F63B78)[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def crc16_dnp(data: bytes) -> int:
    value = 0
    for byte in data:
        value = value >> 8 ^ table(0xA6BC)[(value ^ byte) & 0xFF]
    return value ^ 0xFFFF


class Item(NamedTuple):
    """A frame or an ordered set whose last symbol is on the wire in cycle `when`; `what` is its type."""

    when: int
    frame: bool
    what: int
    number: int
    vc: int
    flits: int
    good: bool


class WireReader:
    """Reads one direction of the wires. \\raises AssertionError for what no link end sends."""

    def __init__(self, flit_bytes: int):
        self.flit_bytes = flit_bytes
        self.covered = b""
        self.flits = 0
        self.word = b""
        self.kind = IDLE

    def read(self, now: int, wires: int) -> Item | None:
        """\\returns the item that the symbol ends"""
        symbol = symbol_of(wires, self.flit_bytes)
        assert symbol.kind in (IDLE, FLIT, CHECK, SET), f"cycle {now}: a symbol of kind {symbol.kind:03b}"
        if self.word:
            assert symbol.kind == self.kind, f"cycle {now}: a trailer or an ordered set breaks off"
        elif self.flits:
            assert symbol.kind in (FLIT, CHECK), f"cycle {now}: a frame without trailer"
        if symbol.kind == IDLE:
            assert wires == 0, f"cycle {now}: an idle symbol says something"
            return None
        if symbol.kind == FLIT:
            self.flits += 1
            self.covered += symbol.data + bytes([symbol.head | symbol.tail << 1 | symbol.vc << 2])
            return None
        self.kind = symbol.kind
        self.word += symbol.data
        if len(self.word) < WORD_BYTES:
            return None
        word, self.word = self.word[:WORD_BYTES], b""
        bits = int.from_bytes(word, "little")
        if symbol.kind == SET:
            good = bits >> 48 == crc16_dnp(word[:6])
            return Item(now, False, bits & 15, bits >> 8 & 0xFFFFF, bits >> 4 & 15, 0, good)
        good = bits >> 32 == crc32c(self.covered + word[:4]) and (bits >> 20 & 255) + 1 == self.flits
        flits, self.flits, self.covered = self.flits, 0, b""
        return Item(now, True, bits >> 28 & 15, bits & 0xFFFFF, 0, flits, good)
