# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of a port as AXI4-Stream, its link led back to itself over wires: packets come out as they went in, offers
stay, credits fit, and the rates are those of rtl/stream/README.md."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any

import cocotb
from bench import PERIOD, dice_of
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

#: Parameters in run.py.
VCS, CHUNK, CHUNKS, BYTES, HEADER_BITS = 3, 2, 6, 4, 24
Transfer = tuple[int, bool, int, int]  # data, last, header, channel
Chance = Callable[[], bool]

FLIT_PINS = ("head", "tail", "vc", "data", "header")


class Loop:
    """The port, and `delay` registers on each wire from it to itself."""

    def __init__(self, dut: Any, delay: int = 1, credits: int = CHUNKS):
        self.dut, self.delay, self.credits = dut, delay, credits
        self.waiting: deque[Transfer] = deque()  # to go in
        self.given: list[tuple[int, Transfer]] = []  # cycle, what came out
        self.flits: deque[tuple[int, ...]] = deque([(0,) * 6] * (delay - 1))
        self.credit: deque[tuple[int, int]] = deque([(0, 0)] * (delay - 1))
        self.offered: Transfer | None = None
        self.under_way = 0  # chunks
        self.now = 0

    async def start(self) -> None:
        dut = self.dut
        for pin in ("s_axis_tvalid", "s_axis_tdata", "s_axis_tlast", "s_axis_tuser", "s_axis_tdest", "m_axis_tready"):
            getattr(dut, f"{pin}_i").value = 0
        for pin in ("valid", *FLIT_PINS):
            getattr(dut, f"flit_{pin}_i").value = 0
        dut.credit_i.value = dut.credit_vc_i.value = 0
        dut.credits_i.value = self.credits
        dut.clk_i.value = dut.rst_ni.value = 0
        Clock(dut.clk_i, PERIOD, "ns").start()
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def step(self, offers: Chance, takes: Chance) -> None:
        """One cycle. Pins are sampled in its middle; what is driven then acts at its end."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        assert not dut.error_o.value
        self.flits.append((int(dut.flit_valid_o.value), *(int(getattr(dut, f"flit_{p}_o").value) for p in FLIT_PINS)))
        self.credit.append((int(dut.credit_o.value), int(dut.credit_vc_o.value)))
        valid, *rest = self.flits.popleft()
        dut.flit_valid_i.value = valid
        for pin, value in zip(FLIT_PINS, rest, strict=True):
            getattr(dut, f"flit_{pin}_i").value = value
        dut.credit_i.value, dut.credit_vc_i.value = self.credit.popleft()
        # A source may not take an offer back.
        offering = bool(dut.s_axis_tvalid_i.value) or (bool(self.waiting) and offers())
        if offering and self.waiting:
            data, last, header, channel = self.waiting[0]
            dut.s_axis_tdata_i.value, dut.s_axis_tlast_i.value = data, last
            dut.s_axis_tuser_i.value, dut.s_axis_tdest_i.value = header, channel
        dut.s_axis_tvalid_i.value = offering and bool(self.waiting)
        dut.m_axis_tready_i.value = takes()
        await FallingEdge(dut.clk_i) if False else None

    def accept(self) -> None:
        """What the end of this cycle does, by the pins as they are now."""
        dut = self.dut
        if dut.s_axis_tvalid_i.value and dut.s_axis_tready_o.value:
            self.waiting.popleft()
            dut.s_axis_tvalid_i.value = 0
        now = self.offer()
        if self.offered is not None:
            assert now == self.offered, "an offer that was not taken has changed"
        taken = bool(dut.m_axis_tready_i.value)
        self.offered = None if taken else now
        if now and taken:
            self.given.append((self.now, now))
        self.now += 1

    def offer(self) -> Transfer | None:
        dut = self.dut
        if not dut.m_axis_tvalid_o.value:
            return None
        return (int(dut.m_axis_tdata_o.value), bool(dut.m_axis_tlast_o.value), int(dut.m_axis_tuser_o.value),
                int(dut.m_axis_tdest_o.value))  # fmt: skip
