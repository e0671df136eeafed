# SPDX-License-Identifier: Apache-2.0
"""The bench around a chip: clock, reset, configuration bus, and one loop that moves flits and credits of all ports.

Pins are sampled and driven in the middle of a cycle, when all registers have settled.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import cocotb
import packet_format
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from links import Flit, Sink, Source
from scoreboard import Scoreboard

PERIOD = 2  # nanoseconds
VC_BITS = 4  # of the number of a virtual channel on the pins


def dice_of(test: str) -> random.Random:
    """Random numbers of a test: the same for the same seed, whichever tests run before it."""
    seed = os.environ["COCOTB_RANDOM_SEED"]
    cocotb.log.info("%s: COCOTB_RANDOM_SEED=%s repeats it", test, seed)
    return random.Random(f"{seed} {test}")


class Bench:
    """Ports of a switch, or of a router, which has virtual channels on its pins."""

    def __init__(self, dut: Any, flit_bytes: int):
        self.dut = dut
        self.flit_bytes = flit_bytes
        self.ports = len(dut.flit_valid_i)
        self.channels = hasattr(dut, "flit_vc_i")
        self.scoreboard = Scoreboard()
        self.sources: list[Source] = []
        self.sinks: list[Sink] = []
        self.errors_seen: set[str] = set()
        self.watch: Callable[[], None] = lambda: None  # called in every cycle

    async def start(self) -> None:
        """Starts the clock and resets the chip."""
        for pin in ("flit_valid_i", "flit_head_i", "flit_tail_i", "flit_data_i", "credit_i", "cfg_valid_i"):
            getattr(self.dut, pin).value = 0
        if self.channels:
            self.dut.flit_vc_i.value = self.dut.credit_vc_i.value = 0
        self.dut.clk_i.value = 0
        self.dut.rst_ni.value = 0
        Clock(self.dut.clk_i, PERIOD, "ns").start()
        await FallingEdge(self.dut.clk_i)
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1

    async def write(self, region: str, index: int, data: int) -> None:
        """Writes a register over the configuration bus."""
        self.dut.cfg_valid_i.value = 1
        self.dut.cfg_addr_i.value = packet_format.config_word(
            "config_address", region=packet_format.region(region), index=index
        )
        self.dut.cfg_data_i.value = data
        await FallingEdge(self.dut.clk_i)
        self.dut.cfg_valid_i.value = 0

    async def set(self, **registers: int) -> None:
        for name, value in registers.items():
            await self.write("global", packet_format.register(name), value)

    async def step(self) -> None:
        """One cycle: takes what comes out, then drives what goes in."""
        await FallingEdge(self.dut.clk_i)
        self.sample()
        self.drive()
        self.watch()

    def sample(self) -> None:
        dut = self.dut
        bits = 8 * self.flit_bytes
        if valid := int(dut.flit_valid_o.value):
            head, tail, data = int(dut.flit_head_o.value), int(dut.flit_tail_o.value), int(dut.flit_data_o.value)
            vcs = int(dut.flit_vc_o.value) if self.channels else 0
            for port in ports_of(valid):
                flit = data >> port * bits & (1 << bits) - 1
                self.sinks[port].take(
                    Flit(
                        flit.to_bytes(self.flit_bytes, "little"),
                        bool(head >> port & 1),
                        bool(tail >> port & 1),
                        vcs >> port * VC_BITS & 15,
                    )
                )
        if credit := int(dut.credit_o.value):
            vcs = int(dut.credit_vc_o.value) if self.channels else 0
            for port in ports_of(credit):
                self.sources[port].credit(vcs >> port * VC_BITS & 15)
        if error := int(dut.error_o.value):
            pins = packet_format.error_pins()
            for port in range(self.ports):
                for name, bit in packet_format.errors().items():
                    if error >> port * pins + bit & 1:
                        self.errors_seen.add(name)
                        self.scoreboard.error(port, name)

    def drive(self) -> None:
        dut = self.dut
        valid = head = tail = data = vcs = credit = credit_vcs = 0
        for port in range(self.ports):
            if flit := self.sources[port].flit():
                valid |= 1 << port
                head |= flit.head << port
                tail |= flit.tail << port
                data |= int.from_bytes(flit.data, "little") << port * 8 * self.flit_bytes
                vcs |= flit.vc << port * VC_BITS
            vc = self.sinks[port].credit()
            if vc is not None:
                credit |= 1 << port
                credit_vcs |= vc << port * VC_BITS
        dut.flit_valid_i.value = valid
        dut.flit_head_i.value = head
        dut.flit_tail_i.value = tail
        dut.flit_data_i.value = data
        dut.credit_i.value = credit
        if self.channels:
            dut.flit_vc_i.value = vcs
            dut.credit_vc_i.value = credit_vcs

    async def finish(self, most_cycles: int) -> None:
        """Steps until all is sent and the chip is idle, and looks whether everything came out.

        \\raises AssertionError where that takes more than `most_cycles`
        """
        quiet = 0
        for _ in range(most_cycles):
            await self.step()
            idle = bool(int(self.dut.idle_o.value)) and all(source.empty for source in self.sources)
            quiet = quiet + 1 if idle else 0
            if quiet > 2 and not any(any(sink.buffers) for sink in self.sinks):
                break
        self.scoreboard.check_empty()
        assert quiet > 2, f"the chip is not idle after {most_cycles} cycles"


def ports_of(mask: int) -> list[int]:
    return [port for port in range(mask.bit_length()) if mask >> port & 1]
