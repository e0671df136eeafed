# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of two link ends and the wires between them against cable_reference.py: the handshake, packets both
ways, and the times in which what the wires spoil is repaired."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import cocotb
import packet_format as packets
from bench import Bench, dice_of
from cable_reference import ACK, CF_UPDATE, DATA, INIT, INIT_ECHO, NACK, Item, LinkConfig, WireReader
from cocotb.triggers import FallingEdge
from links import Flit, Pauses, Sink, Source, any_pauses, flits_of
from scoreboard import Verdict

BOTH = 0b11
TX_INIT, TX_ADVANCE = 1, 2
COUNT_BITS = 64
COUNTERS = 36
#: Places among the counters, in the order of hw/chips/link/link_counters.h.
TX_DISCARD, TX_REPLAY, RX_BAD, RX_POISONED, CC_UPDATES_TX, TIMEOUTS = 8, 10, 12, 13, 22, 27

#: Called with an end, the cycle and the wires of the symbol that reaches it; \\returns those to flip; None: it is lost
Spoiler = Callable[[int, int, int], int | None]


class CableBench(Bench):
    """Cycle 0 is the first one in which both ends are on."""

    def __init__(self, dut: Any, config: LinkConfig):
        super().__init__(dut, config.flit_bytes)
        self.config = config
        self.now = -1
        self.readers = [WireReader(config.flit_bytes) for _ in range(2)]
        self.items: list[list[Item]] = [[], []]  # that reached end e
        self.taken: list[list[tuple[int, Flit]]] = [[], []]  # flits at the chip of end e, with their cycles
        self.credits: list[list[int]] = [[], []]  # cycles of pulses
        self.spoil: Spoiler = lambda end, now, wires: 0
        self.dead: Callable[[int], bool] = lambda now: False

    async def switch_on(self) -> None:
        config, dut = self.config, self.dut
        dut.signal_i.value = BOTH
        for pin in ("lose_i", "flip_i", "flit_header_i"):
            getattr(dut, pin).value = 0
        await self.start()
        # Reset keeps the configuration, and the test before has switched the ends on.
        await self.put(link_code("regions", "global"), link_code("globals", "layer"), 0)
        dut.rst_ni.value = 0
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        for vc in range(config.vcs):
            for region in ("far_credits", "own_credits"):
                await self.put(link_code("regions", region), vc, config.credits)
        registers = {
            "frame": config.frame,
            "window": config.window,
            "window_flits": config.window * config.frame,
            "replay_timer": config.replay_timer,
            "replay_count": config.replay_count,
            "ack_spacing": config.ack_spacing,
            "credit_spacing": config.credit_spacing,
            "credit_timer": config.credit_timer,
            "signal_timeout": config.signal_timeout,
            "age_timeout": 0,
            "lifetime": 0,
            "init_action": 0,
            "flush_action": 1,
            "reinit": 1,
            "far_unit": 1,
            "own_unit": 1,
            "ring": config.vcs * config.credits,
            "layer": 2,
        }
        for name, value in registers.items():
            await self.put(link_code("regions", "global"), link_code("globals", name), value)
        self.cycle()

    async def put(self, region: int, index: int, value: int) -> None:
        """Writes a register of both ends."""
        self.dut.cfg_valid_i.value = BOTH
        self.dut.cfg_addr_i.value = packets.config_word("config_address", region=region, index=index)
        self.dut.cfg_data_i.value = value
        await FallingEdge(self.dut.clk_i)
        self.dut.cfg_valid_i.value = 0

    async def step(self) -> None:
        await super().step()
        self.cycle()

    def cycle(self) -> None:
        """In the middle of a cycle: reads the wires and spoils them."""
        self.now += 1
        symbols, credit = int(self.dut.symbol_o.value), int(self.dut.credit_o.value)
        lose = flip = 0
        for end in range(2):
            wires = symbols >> end * self.config.wires & (1 << self.config.wires) - 1
            if item := self.readers[end].read(self.now, wires):
                assert item.good, f"cycle {self.now}: a check word is wrong"
                self.items[end].append(item)
            spoilt = self.spoil(end, self.now, wires)
            lose |= (spoilt is None) << end
            flip |= (spoilt or 0) << end * self.config.wires
            if credit >> end & 1:
                self.credits[end].append(self.now)
        self.dut.lose_i.value = lose
        self.dut.flip_i.value = flip
        self.dut.signal_i.value = 0 if self.dead(self.now) else BOTH

    def tx(self, end: int) -> int:
        return int(self.dut.probe_tx_o.value) >> 3 * end & 7

    def count(self, end: int, counter: int) -> int:
        return int(self.dut.counts_o.value) >> (end * COUNTERS + counter) * COUNT_BITS & (1 << COUNT_BITS) - 1

    def frames(self, end: int) -> list[Item]:
        return [item for item in self.items[end] if item.frame and item.what == DATA]

    def sets(self, end: int, what: int) -> list[Item]:
        return [item for item in self.items[end] if not item.frame and item.what == what]


def link_code(what: str, name: str) -> int:
    """Of a region or a register of link ends."""
    return next(entry["code"] for entry in packets.description()["link"][what] if entry["name"] == name)


def config_of(dut: Any, **changes: int) -> LinkConfig:
    flit_bytes = int(dut.FlitBytes.value)
    values = {
        "flit_bytes": flit_bytes,
        "vcs": int(dut.NumVcs.value),
        "delay": int(dut.Delay.value),
        "frame": int(dut.FrameFlits.value),
        "ack_spacing": 40,
        "credit_spacing": 2 * -(-8 // flit_bytes),
        "credits": int(dut.RingFlits.value) // int(dut.NumVcs.value),
    }
    return LinkConfig(**(values | changes))


async def cable_bench(
    dut: Any, dice: random.Random, config: LinkConfig, pauses: bool = False, busy: Pauses | None = None
) -> CableBench:
    """A cable that is switched on, with sources and sinks; `busy` is the pauses of the chip at end 1."""
    bench = CableBench(dut, config)
    for end in range(2):

        def arrived(vc: int, data: bytes, end: int = end) -> None:
            bench.scoreboard.arrived(end, vc, data)

        idle, rest = (any_pauses(dice), any_pauses(dice)) if pauses else (None, None)
        bench.sources.append(Source(dice, config.credits, vcs=config.vcs, idle=idle))
        sink = Sink(dice, f"end {end}", arrived, config.credits, vcs=config.vcs, busy=busy if end and busy else rest)
        take = sink.take

        def taken(flit: Flit, end: int = end, take: Callable[[Flit], None] = take) -> None:
            bench.taken[end].append((bench.now + 1, flit))
            take(flit)

        sink.take = taken  # type: ignore[method-assign]
        bench.sinks.append(sink)
    await bench.switch_on()
    return bench


def send(bench: CableBench, dice: random.Random, end: int, flits: int, vc: int = 0) -> None:
    """A packet of random bytes into the chip side of an end; it has to leave at the other."""
    data = dice.randbytes(flits * bench.flit_bytes)
    number = bench.scoreboard.sent
    bench.scoreboard.expect(
        end, (end, vc), f"packet {number} of end {end}", Verdict(copies={1 - end: data}, channels={1 - end: {vc}})
    )
    bench.sources[end].send(flits_of(data, bench.flit_bytes, vc))


async def until(bench: CableBench, done: Callable[[], bool], most_cycles: int = 5000) -> None:
    for _ in range(most_cycles):
        if done():
            return
        await bench.step()
    raise AssertionError(f"it did not happen in {most_cycles} cycles")


async def quiet(bench: CableBench) -> None:
    """The link is up, and the last ack is long ago."""
    await until(bench, lambda: bench.now > bench.config.up_cycle and bench.now % 64 == 0)
    for _ in range(2 * bench.config.ack_spacing):
        await bench.step()


def spoil_frame(bench: CableBench, number: int, wire: int = 0) -> list[int]:
    """Flips a wire of the last symbol of the first frame with this number that reaches end 1; \\returns its cycle."""
    reader = WireReader(bench.flit_bytes)
    hit: list[int] = []

    def spoil(end: int, now: int, wires: int) -> int:
        item = reader.read(now, wires) if end == 1 else None
        if item is None or hit or not item.frame or item.number != number:
            return 0
        hit.append(now)
        return 1 << wire

    bench.spoil = spoil
    return hit


@cocotb.test()
async def the_link_is_up_in_time(dut: Any) -> None:
    config = config_of(dut)
    bench = await cable_bench(dut, dice_of("up"), config)
    while bench.now < config.up_cycle:
        assert [bench.tx(end) for end in range(2)] == [TX_INIT, TX_INIT]
        await bench.step()
    await bench.step()
    assert [bench.tx(end) for end in range(2)] == [TX_ADVANCE, TX_ADVANCE]
    for end in range(2):
        assert [item.what for item in bench.items[end]] == [INIT, INIT_ECHO]
        assert bench.items[end][1].when == config.up_cycle


@cocotb.test()
async def a_lost_handshake_begins_anew(dut: Any) -> None:
    config = config_of(dut)
    bench = await cable_bench(dut, dice_of("handshake"), config)
    bench.spoil = lambda end, now, wires: None if now <= config.up_cycle else 0
    await until(bench, lambda: bench.tx(0) == TX_ADVANCE and bench.tx(1) == TX_ADVANCE)
    assert config.up_cycle + 64 < bench.now <= config.up_cycle + 64 + 2 * config.set_symbols + 1


@cocotb.test()
async def packets_go_both_ways(dut: Any) -> None:
    dice, config = dice_of("both ways"), config_of(dut)
    bench = await cable_bench(dut, dice, config, pauses=True)
    for _ in range(200):
        send(bench, dice, dice.randrange(2), dice.randint(1, 20), dice.randrange(config.vcs))
    await bench.finish(60000)
    for end in range(2):
        assert bench.count(end, TX_REPLAY) == bench.count(end, RX_BAD) == 0
        numbers = [item.number for item in bench.frames(end)]
        assert numbers == list(range(len(numbers)))


@cocotb.test()
async def packets_go_both_ways_over_bad_wires(dut: Any) -> None:
    dice, config = dice_of("bad wires"), config_of(dut)
    bench = await cable_bench(dut, dice, config, pauses=True)

    def spoil(end: int, now: int, wires: int) -> int | None:
        if now <= config.up_cycle or dice.random() > 0.01:
            return 0
        return None if dice.random() < 0.2 else 1 << dice.randrange(config.wires)

    bench.spoil = spoil
    for _ in range(200):
        send(bench, dice, dice.randrange(2), dice.randint(1, 20), dice.randrange(config.vcs))
    await until(bench, lambda: not bench.scoreboard.waiting or not any(bench.scoreboard.waiting.values()), 100000)
    bench.spoil = lambda end, now, wires: 0
    await bench.finish(10 * config.credit_timer)
    assert bench.count(0, TX_REPLAY) and bench.count(1, TX_REPLAY)


@cocotb.test()
async def a_bad_frame_alone_is_repeated_in_time(dut: Any) -> None:
    """The copy's last symbol is at the receiver D + n + T cycles behind that of the bad frame."""
    dice, config = dice_of("alone"), config_of(dut)
    for flits in (1, 3, config.frame):
        bench = await cable_bench(dut, dice, config)
        await quiet(bench)
        hit = spoil_frame(bench, 0, dice.randrange(8 * config.flit_bytes))
        send(bench, dice, 0, flits)
        await bench.finish(5000)
        first, copy = bench.frames(1)
        assert hit == [first.when]
        assert copy.when - first.when == config.nack_cycles + flits + config.set_symbols
        assert bench.taken[1][0][0] == copy.when + 1, "its first flit follows at once"
        assert [item.number for item in (first, copy)] == [0, 0]
        assert bench.count(0, TX_REPLAY) == bench.count(1, RX_BAD) == len(bench.sets(0, NACK)) == 1
        assert bench.count(0, TIMEOUTS) == 0


@cocotb.test()
async def a_bad_frame_among_others_is_repeated_in_time(dut: Any) -> None:
    """Saturated: (G + 1) P cycles; G frames behind it were sent in vain."""
    dice, config = dice_of("saturated"), config_of(dut)
    bench = await cable_bench(dut, dice, config)
    await quiet(bench)
    bad = 5
    hit = spoil_frame(bench, bad, dice.randrange(8 * config.flit_bytes))
    send(bench, dice, 0, 12 * config.frame)
    await bench.finish(5000)
    sent = [item.number for item in bench.frames(1)]
    assert sent == [*range(bad + config.nack_frames + 1), *range(bad, 12)]
    copy = [item for item in bench.frames(1) if item.number == bad][1]
    assert copy.when - hit[0] == (config.nack_frames + 1) * config.frame_symbols
    assert [item.number for item in bench.sets(0, NACK)] == [bad - 1]


@cocotb.test()
async def without_acks_the_timer_repeats(dut: Any) -> None:
    """Exactly R behind: the last ack is lost, the copy is a duplicate, and its ack ends it."""
    dice, config = dice_of("timer"), config_of(dut)
    bench = await cable_bench(dut, dice, config, busy=iter(lambda: True, None))
    await quiet(bench)
    reader = WireReader(config.flit_bytes)
    lost: list[Item] = []

    def spoil(end: int, now: int, wires: int) -> int:
        item = reader.read(now, wires) if end == 0 else None
        if item is None or lost or item.frame or item.what != ACK:
            return 0
        lost.append(item)
        return 1

    bench.spoil = spoil
    send(bench, dice, 0, 2)
    await until(bench, lambda: len(bench.sets(0, ACK)) == 2)
    first, copy = bench.frames(1)
    # From the choice of the last symbol to that of the first one of the copy.
    assert copy.when - (2 + config.set_symbols - 1) - first.when == config.replay_timer
    assert bench.count(0, TIMEOUTS) == 1
    assert len(bench.taken[1]) == 2, "delivered once"


@cocotb.test()
async def a_lost_credit_comes_back(dut: Any) -> None:
    """All cf_updates are lost while the virtual channel has no credit: a cc_update asks for them."""
    dice, config = dice_of("credit"), config_of(dut, credits=4)
    bench = await cable_bench(dut, dice, config)
    await quiet(bench)
    reader, begin = WireReader(config.flit_bytes), bench.now
    lost: list[Item] = []

    def spoil(end: int, now: int, wires: int) -> int:
        item = reader.read(now, wires) if end == 0 else None
        if item is None or item.frame or item.what != CF_UPDATE or now > begin + config.credit_timer // 2:
            return 0
        lost.append(item)
        return 1 << dice.randrange(8 * config.flit_bytes)

    bench.spoil = spoil
    send(bench, dice, 0, 12)
    await until(bench, lambda: len(bench.taken[1]) == 4)
    freed = bench.now + 1
    await until(bench, lambda: bool(bench.credits[0]), 2 * config.credit_timer)
    assert lost[-1].number == 4
    assert freed + config.delay + config.set_symbols + 2 < bench.credits[0][0] <= freed + config.latest_credit
    await bench.finish(4 * config.credit_timer)
    assert bench.count(0, CC_UPDATES_TX) == 1
    assert len(bench.credits[0]) == 12


@cocotb.test()
async def a_dead_wire_cuts_the_packet_and_frees_its_credits(dut: Any) -> None:
    """Without signal for longer than the time-out: the packet ends early, by a poison tail; the next one is whole."""
    dice, config = dice_of("dead"), config_of(dut, replay_count=1)
    bench = await cable_bench(dut, dice, config)
    await quiet(bench)
    begin = bench.now
    end = begin + 4 * config.signal_timeout
    bench.dead = lambda now: begin + 60 <= now < end
    cut: list[bytes] = []
    bench.sinks[1].arrived = lambda vc, data: cut.append(data)
    data = dice.randbytes(100 * config.flit_bytes)
    bench.sources[0].send(flits_of(data, config.flit_bytes))
    await until(bench, lambda: bench.now > end and bench.tx(0) == bench.tx(1) == TX_ADVANCE, 20000)
    assert len(cut) == 1
    whole = len(cut[0]) - config.flit_bytes
    assert 0 < whole < len(data)
    assert cut[0] == data[:whole] + b"\xff" * config.flit_bytes
    bench.sinks[1].arrived = lambda vc, data: bench.scoreboard.arrived(1, vc, data)
    send(bench, dice, 0, 30)
    await bench.finish(5000)
    assert bench.count(0, TX_DISCARD) == 0, "it had begun"
    assert bench.count(1, RX_POISONED) == 1
    assert len(bench.credits[0]) == 130
