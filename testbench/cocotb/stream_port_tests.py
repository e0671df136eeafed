# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of a port as AXI4-Stream, its link led back to itself over wires: packets come out as they went in,
offers stay, credits fit, and times and rates are those of rtl/stream/README.md."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import Any

import cocotb
from bench import PERIOD, dice_of
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

#: Parameters in run.py.
VCS, CHUNK, CHUNKS, DATA_BITS, HEADER_BITS = 3, 2, 6, 32, 24
#: Data, last, header, channel.
Transfer = tuple[int, bool, int, int]
Chance = Callable[[], bool]

FLIT_PINS = ("valid", "head", "tail", "vc", "data", "header")


def always() -> bool:
    return True


def often(dice: random.Random, share: float) -> bool:
    return dice.random() < share


def clocked(dut: Any) -> Any:
    dut.clk_i.value = 0
    Clock(dut.clk_i, PERIOD, "ns").start()
    return dut


class Loop:
    """The port, and `delay` registers on each wire from its link to itself."""

    def __init__(self, dut: Any, delay: int, credits: int = CHUNKS):
        self.dut, self.credits = dut, credits
        self.waiting: deque[Transfer] = deque()  # to go in; the first one is offered
        self.accepted: list[tuple[int, Transfer]] = []  # with its cycle
        self.given: list[tuple[int, Transfer]] = []
        self.flits = deque([(0,) * len(FLIT_PINS)] * delay)
        self.freed = deque([(0, 0)] * delay)
        self.offered: Transfer | None = None  # and not taken
        self.offering = False
        self.now = 0

    async def start(self) -> None:
        """Resets the port; the clock runs, see clocked()."""
        dut = self.dut
        for pin in ("tvalid", "tdata", "tlast", "tuser", "tdest"):
            getattr(dut, f"s_axis_{pin}_i").value = 0
        for pin in FLIT_PINS:
            getattr(dut, f"flit_{pin}_i").value = 0
        dut.m_axis_tready_i.value = dut.credit_i.value = dut.credit_vc_i.value = 0
        dut.credits_i.value = self.credits
        dut.rst_ni.value = 0
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def step(self, offers: Chance = always, takes: Chance = always) -> None:
        """One cycle: in its middle the wires and both streams are driven, a moment later both handshakes are read."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        self.flits.append(tuple(int(getattr(dut, f"flit_{pin}_o").value) for pin in FLIT_PINS))
        self.freed.append((int(dut.credit_o.value), int(dut.credit_vc_o.value)))
        for pin, value in zip(FLIT_PINS, self.flits.popleft(), strict=True):
            getattr(dut, f"flit_{pin}_i").value = value
        dut.credit_i.value, dut.credit_vc_i.value = self.freed.popleft()
        # An offer is not taken back.
        self.offering = bool(self.waiting) and (self.offering or offers())
        dut.s_axis_tvalid_i.value = self.offering
        if self.offering:
            data, last, header, channel = self.waiting[0]
            dut.s_axis_tdata_i.value, dut.s_axis_tlast_i.value = data, last
            dut.s_axis_tuser_i.value, dut.s_axis_tdest_i.value = header, channel
        taken = takes()
        dut.m_axis_tready_i.value = taken
        await Timer(PERIOD / 4, "ns")
        assert not dut.error_o.value
        if self.offering and dut.s_axis_tready_o.value:
            self.accepted.append((self.now, self.waiting.popleft()))
            self.offering = False
        shown = self.shown()
        assert self.offered is None or shown == self.offered, "an offer that was not taken has gone or changed"
        self.offered = None if taken else shown
        if shown and taken:
            self.given.append((self.now, shown))
        self.now += 1

    def shown(self) -> Transfer | None:
        dut, names = self.dut, ("tdata", "tlast", "tuser", "tdest")
        data, last, header, channel = (int(getattr(dut, f"m_axis_{name}_o").value) for name in names)
        if dut.m_axis_tvalid_o.value:
            return data, bool(last), header, channel
        assert (data, last, header, channel) == (0, 0, 0, 0)
        return None


def by_channel(transfers: list[tuple[int, Transfer]], first_only: bool) -> dict[int, list[Transfer]]:
    """In order; of headers those beside first transfers count, where others are not passed on."""
    found: dict[int, list[Transfer]] = defaultdict(list)
    for _, (data, last, header, channel) in transfers:
        begins = not found[channel] or found[channel][-1][1]
        found[channel].append((data, last, header if begins or not first_only else 0, channel))
    return dict(found)


@cocotb.test()
async def packets_come_out_as_they_went_in(dut: Any) -> None:
    """Packets of 1 to 9 transfers on three channels, mixed, with any pauses on both sides, over wires of any length."""
    dice = dice_of("packets_come_out_as_they_went_in")
    clocked(dut)
    for delay in (0, 1, 3):
        loop = Loop(dut, delay, credits=dice.randint(1, CHUNKS))
        await loop.start()
        left = {channel: 0 for channel in range(VCS)}
        for _ in range(600):
            channel = dice.randrange(VCS)
            left[channel] = (left[channel] or dice.randint(1, 9)) - 1
            data, header = dice.getrandbits(DATA_BITS), dice.getrandbits(HEADER_BITS)
            loop.waiting.append((data, left[channel] == 0, header, channel))
        offers, takes = (partial(often, dice, dice.choice([0.2, 0.7, 1.0])) for _ in range(2))
        expected = by_channel([(0, transfer) for transfer in loop.waiting], True)
        while loop.waiting or sum(map(len, expected.values())) > len(loop.given):
            await loop.step(offers, takes)
            assert loop.now < 20_000, "transfers are missing"
        assert by_channel(loop.given, False) == expected
        # Packets that have begun keep the port busy; a reset ends them.
        for _ in range(2 * delay + 4):
            await loop.step()
        assert bool(dut.idle_o.value) == (not any(left.values()))


@cocotb.test()
async def a_transfer_takes_two_cycles_and_the_wire(dut: Any) -> None:
    clocked(dut)
    for delay in (0, 1, 5):
        loop = Loop(dut, delay)
        await loop.start()
        loop.waiting.append((7, True, 9, 1))
        while not loop.given:
            await loop.step()
        assert loop.given == [(loop.accepted[0][0] + 2 + delay, (7, True, 9, 1))]


@cocotb.test()
async def full_rate_takes_as_many_chunks_as_the_page_says(dut: Any) -> None:
    clocked(dut)
    for delay in (0, 1, 2):
        for credits in range(1, CHUNKS + 1):
            loop = Loop(dut, delay, credits)
            await loop.start()
            loop.waiting.extend((n, False, 0, 0) for n in range(200))
            while loop.waiting:
                await loop.step()
            cycles = loop.accepted[-1][0] - loop.accepted[0][0]
            enough = credits * CHUNK >= CHUNK + 3 + 2 * delay
            assert (cycles == 199) == enough, f"{credits} chunks, {delay} registers: {cycles} cycles"


@cocotb.test()
async def a_channel_that_is_not_read_holds_up_no_other(dut: Any) -> None:
    """Channel 0 fills its buffer and is held before the port; the others go on. TREADY tells them apart."""
    loop = Loop(clocked(dut), 1)
    await loop.start()
    loop.waiting.extend((n, True, 0, 0) for n in range(CHUNKS))
    while loop.waiting:
        await loop.step(takes=lambda: False)
    for _ in range(8):
        await loop.step(takes=lambda: False)
    dut.s_axis_tdest_i.value = 0
    await Timer(PERIOD / 4, "ns")
    assert not dut.s_axis_tready_o.value, "all chunks of channel 0 are in use"
    dut.s_axis_tdest_i.value = 1
    await Timer(PERIOD / 4, "ns")
    assert dut.s_axis_tready_o.value


@cocotb.test()
async def what_breaks_the_rules_is_told(dut: Any) -> None:
    """A credit too many. A flit too many ends the run, by an assertion."""
    loop = Loop(clocked(dut), 1)
    await loop.start()
    await FallingEdge(dut.clk_i)
    dut.credit_i.value, dut.credit_vc_i.value = 1, 2
    await Timer(PERIOD / 4, "ns")
    assert dut.error_o.value
    await FallingEdge(dut.clk_i)
    dut.credit_i.value = 0
    await Timer(PERIOD / 4, "ns")
    assert not dut.error_o.value
