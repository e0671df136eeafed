# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of the router: random registers, packets, pauses and credits against router_reference.py; all errors."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import packet_format as packets
from bench import Bench, dice_of
from links import Flit, Sink, Source, any_pauses, flits_of
from router_reference import RouterConfig, judge, random_config
from scoreboard import Verdict

LONGEST_WORM = 24  # flits


def parameters(dut: Any) -> dict[str, int]:
    names = {
        "ports": "NumPorts",
        "vcs": "NumVcs",
        "flit_bytes": "FlitBytes",
        "dimensions": "Dimensions",
        "radix": "Radix",
    }
    return {name: int(getattr(dut, parameter).value) for name, parameter in names.items()}


async def router_bench(
    dut: Any, dice: random.Random, config: RouterConfig, reserve: int, limit: int, pauses: bool = True
) -> Bench:
    """A router with these registers, and links with random pauses at its ports."""
    bench = Bench(dut, config.flit_bytes)
    await bench.start()
    await bench.set(
        node=config.node,
        wrap=config.wrap,
        table=0,
        route_delay=dice.randint(1, 3),
        allocator=packets.code("router_allocator", dice.choice(["separable", "islip"])),
        iterations=dice.randint(1, 4),
        reserve=reserve,
        packet_limit=limit,
        policy=packets.code("vc_policy", config.policy),
        select=packets.code("route_select", "lowest"),
        seed=0,
    )
    for vc_class, sides in enumerate(config.vc_sets):
        for side, mask in enumerate(sides):
            await bench.write("vc_set", 2 * vc_class + side, mask)
    for port in range(config.ports):
        await bench.write("credits", port, config.credits[port])

        def arrived(vc: int, data: bytes, port: int = port) -> None:
            bench.scoreboard.arrived(port, vc, data)

        idle, busy = (any_pauses(dice), any_pauses(dice)) if pauses else (None, None)
        bench.sources.append(Source(dice, int(dut.VcFlits.value), vcs=config.vcs, idle=idle))
        bench.sinks.append(Sink(dice, f"output {port}", arrived, config.credits[port], vcs=config.vcs, busy=busy))
    return bench


def random_packet(
    dice: random.Random, config: RouterConfig, broadcasts: bool, most_flits: int, sequence: int
) -> tuple[str, bytes]:
    """Its kind, and whole flits; now and then too few for its header."""
    kind = dice.choices(["unicast", "broadcast", "other"], [6, 3 if broadcasts else 0, 1])[0]
    values = {"sequence": sequence, "vc_class": dice.randrange(8), "source": dice.randrange(2 * config.nodes)}
    match kind:
        case "unicast":
            hosts = config.ports - config.directions
            values["destination"] = dice.randrange((hosts + 1) * config.nodes)
        case "broadcast":
            values["broadcast_port"] = dice.randrange(config.ports - config.directions + 1)
    header = packets.header(dice.choice([1, 3, 12]) if kind == "other" else packets.kinds()[kind], **values)
    flits = dice.randint(1, 3) if dice.random() < 0.05 else dice.randint(4, most_flits)
    size = flits * config.flit_bytes
    body = dice.randbytes(size)
    return kind, (header.to_bytes(14, "little")[: min(size, 13)] + body[13:])[:size]


async def random_traffic(dut: Any, name: str, count: int, broadcasts: bool) -> None:
    """With broadcasts, copies need buffers that take a packet whole on both sides; worms without may be longer."""
    dice = dice_of(name)
    limit = int(dut.VcFlits.value) if broadcasts else LONGEST_WORM
    reserve = limit if broadcasts else dice.randint(1, 2)
    config = random_config(dice, (limit, limit + 4) if broadcasts else (2, 9), **parameters(dut))
    bench = await router_bench(dut, dice, config, reserve, limit)
    for sequence in range(count):
        port, vc = dice.randrange(config.ports), dice.randrange(config.vcs)
        kind, packet = random_packet(dice, config, broadcasts, limit, sequence)
        verdict = judge(config, packet, port, vc)
        bench.scoreboard.expect(port, (port, vc), f"{kind} packet {sequence} of input {port}.{vc}", verdict)
        bench.sources[port].send(flits_of(packet, config.flit_bytes, vc))
    await bench.finish(400 * count)
    dut._log.info("%d packets in, %d copies out", count, bench.scoreboard.seen)


@cocotb.test()
async def worms_go_where_the_reference_says(dut: Any) -> None:
    await random_traffic(dut, "worms 1", 150, broadcasts=False)


@cocotb.test()
async def so_they_do_with_other_registers(dut: Any) -> None:
    await random_traffic(dut, "worms 2", 150, broadcasts=False)


@cocotb.test()
async def broadcasts_are_copied_as_the_reference_says(dut: Any) -> None:
    await random_traffic(dut, "broadcasts 1", 150, broadcasts=True)


@cocotb.test()
async def and_with_other_registers(dut: Any) -> None:
    await random_traffic(dut, "broadcasts 2", 150, broadcasts=True)


def plain_config(dut: Any) -> RouterConfig:
    """In the middle of a mesh, every packet may take every virtual channel."""
    values = parameters(dut)
    everything = (1 << values["vcs"]) - 1
    middle = sum(values["radix"] // 2 * values["radix"] ** dimension for dimension in range(values["dimensions"]))
    return RouterConfig(
        **values, node=middle, wrap=0, policy="any", credits=[4] * values["ports"],
        vc_sets=[(everything, everything)] * 8,
    )  # fmt: skip


@cocotb.test()
async def every_virtual_channel_is_used(dut: Any) -> None:
    """Worms on all channels of an input to one output whose buffers fill up: each holds a channel of it."""
    dice, config = dice_of("channels"), plain_config(dut)
    bench = await router_bench(dut, dice, config, 1, LONGEST_WORM, pauses=False)
    host = config.node  # at host port 0
    bench.sinks[config.directions].busy = iter(lambda: True, None)
    for vc in range(config.vcs):
        header = packets.header(packets.kinds()["unicast"], destination=host, sequence=vc)
        packet = packets.whole_flits(header.to_bytes(40, "little"), config.flit_bytes)
        bench.scoreboard.expect(0, (0, vc), f"worm {vc}", judge(config, packet, 0, vc))
        bench.sources[0].send(flits_of(packet, config.flit_bytes, vc))
    for _ in range(100):
        await bench.step()
    first = config.directions * config.vcs
    held = int(dut.probe_held_o.value) >> first & (1 << config.vcs) - 1
    assert held == (1 << config.vcs) - 1, f"held channels of the output: {held:b}"
    bench.sinks[config.directions].busy = iter(lambda: False, None)
    await bench.finish(1000)


@cocotb.test()
async def every_error_is_reported(dut: Any) -> None:
    """Those of framing, channels and credits, which sources that keep to the rules do not cause."""
    dice, config = dice_of("errors"), plain_config(dut)
    limit = 8
    bench = await router_bench(dut, dice, config, 1, limit, pauses=False)
    size = (limit - 1) * config.flit_bytes
    header = packets.header(packets.kinds()["unicast"], destination=config.node)
    good = header.to_bytes(size, "little")
    flits = flits_of(good, config.flit_bytes)
    host = config.directions
    every = set(range(config.vcs))

    # A body flit outside a packet is dropped; the packet behind it is not.
    bench.scoreboard.expect(0, (0, 0), "a flit without a head", Verdict(errors=["missing_head"]))
    bench.sources[0].send([flits[1]])
    bench.scoreboard.expect(0, (0, 0), "a packet", judge(config, good, 0, 0))
    bench.sources[0].send(flits)

    # A second head is a body flit.
    twice = Verdict(copies={host: good}, channels={host: every}, errors=["missing_tail"])
    bench.scoreboard.expect(1, (1, 0), "a packet with two heads", twice)
    bench.sources[1].send([*flits[:3], flits[3]._replace(head=True), *flits[4:]])

    # What is longer than the limit is cut there; a head in the rest is an error by itself.
    long = good.ljust((limit + 3) * config.flit_bytes, b"\x5a")
    cut = Verdict(copies={host: long[: limit * config.flit_bytes]}, errors=["too_long", "missing_tail"])
    bench.scoreboard.expect(2, (2, 0), "a long packet", cut)
    bench.sources[2].credits = [1000] * config.vcs
    too_many = flits_of(long, config.flit_bytes)
    too_many[limit + 1] = too_many[limit + 1]._replace(head=True)
    bench.sources[2].send(too_many)
    await bench.finish(1000)

    # A credit for what was never sent, and one of a channel that does not exist.
    bench.scoreboard.expect(3, 3, "a credit", Verdict(errors=["credit_overflow"]))
    dut.credit_i.value = 1 << 3
    await bench.step()
    bench.scoreboard.expect(3, 3, "a credit of another channel", Verdict(errors=["bad_vc"]))
    dut.credit_i.value = 1 << 3
    dut.credit_vc_i.value = config.vcs << 3 * 4
    await bench.step()
    await bench.finish(20)

    # More flits than the buffer takes while nobody reads: all are dropped from then on.
    bench.sinks[host].busy = iter(lambda: True, None)
    bench.sinks[host].arrived = lambda vc, data: None
    bench.sources[0].credits = [1000] * config.vcs
    bench.scoreboard.errors[0, "overflow"] += 1
    for _ in range(8):
        bench.sources[0].send([Flit(flit.data, flit.head, flit.tail) for flit in flits])
    while not bench.sources[0].empty:
        await bench.step()
    wanted = {"missing_head", "missing_tail", "too_long", "credit_overflow", "bad_vc", "overflow"}
    assert wanted <= bench.errors_seen
