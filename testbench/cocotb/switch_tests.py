# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of the switch: random registers, packets, pauses and credits against switch_reference.py; all errors."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import packet_format as packets
from bench import Bench, dice_of
from links import Flit, Sink, Source, any_pauses, flits_of
from scoreboard import Verdict
from switch_reference import SwitchConfig, judge, random_config

CHUNKS_OF_PACKET = 6  # of the longest one; every buffer takes it whole


def parameters(dut: Any) -> dict[str, int]:
    names = {
        "ports": "NumPorts",
        "flit_bytes": "FlitBytes",
        "hosts": "MaxHosts",
        "switches": "MaxSwitches",
        "header_ports": "HeaderPorts",
        "header_stops": "HeaderStops",
    }
    return {name: int(getattr(dut, parameter).value) for name, parameter in names.items()}


async def switch_bench(
    dut: Any, dice: random.Random, config: SwitchConfig, pauses: bool = True, arbitration: str = ""
) -> Bench:
    """A switch with these registers, and links with random buffers and pauses at its ports."""
    bench = Bench(dut, config.flit_bytes)
    chunk, chunks = int(dut.ChunkFlits.value), int(dut.NumChunks.value)
    await bench.start()
    await bench.set(
        route_delay=dice.randint(1, 3),
        arbitration=packets.code("arbitration", arbitration or dice.choice(["round_robin", "fixed"])),
        selection=packets.code("selection", config.selection),
        up_selection=packets.code("selection", config.up_selection),
        packet_limit=CHUNKS_OF_PACKET * chunk,
        tree_header_flits=config.tree_header_flits,
        rewrite=int(config.rewrite),
        switch_number=config.number,
        tree_up_low=config.tree_up,
        tree_up_high=0,
    )
    total = 0
    for port in range(config.ports):
        usable, credits = dice.randint(CHUNKS_OF_PACKET, chunks), dice.randint(1, 4)
        await bench.write("port_direction", port, packets.code("direction", config.direction[port]))
        await bench.write("buffer_chunks", port, usable)
        await bench.write("credits", port, credits)
        await bench.write("reach_port", packets.config_word("reach_index", port=port, word=0), config.reach[port])
        total |= config.reach[port]

        def arrived(_: int, data: bytes, port: int = port) -> None:
            bench.scoreboard.arrived(port, 0, data)

        idle, busy = (any_pauses(dice), any_pauses(dice)) if pauses else (None, None)
        bench.sources.append(Source(dice, usable, chunk, idle=idle))
        bench.sinks.append(Sink(dice, f"output {port}", arrived, credits, chunk, busy=busy))
    await bench.write("reach_total", 0, total)
    for up, way in ((0, "down"), (1, "up")):
        for host, mask in enumerate(config.unicast[up]):
            await bench.write(f"unicast_{way}", 2 * host, mask)
            await bench.write(f"unicast_{way}", 2 * host + 1, 0)
        for switch, mask in enumerate(config.to_switch[up]):
            await bench.write(f"switch_{way}", 2 * switch, mask)
            await bench.write(f"switch_{way}", 2 * switch + 1, 0)
    return bench


def random_header(dice: random.Random, config: SwitchConfig) -> tuple[str, int]:
    kind = dice.choices(["unicast", "tree", "ssr", "path", "other"], [4, 4, 2, 3, 1])[0]
    kinds = packets.kinds()
    header = packets.header(dice.choice([4, 9, 15]) if kind == "other" else kinds[kind], up=dice.randrange(2))

    def with_stop(header: int, at: int) -> int:
        switch = dice.choice([config.number, dice.randrange(config.switches + 1)])
        header = packets.put(header, "stop_switch", switch, at=at)
        return packets.put(header, "stop_ports", dice.getrandbits(config.header_ports), config.header_ports, at=at)

    match kind:
        case "unicast":
            header = packets.put(header, "destination", dice.randrange(config.hosts + 1))
        case "tree":
            hosts = dice.getrandbits(config.hosts) & dice.getrandbits(config.hosts)
            header = packets.put(header, "destinations", hosts, config.hosts)
        case "ssr":
            header = with_stop(header, packets.fields()["ssr_stop"].offset)
        case "path":
            count = dice.randint(1, config.header_stops + 1)
            header = packets.put(header, "path_stops", count)
            header = packets.put(header, "path_next", dice.randrange(count + 1))
            for stop in range(count):
                header = with_stop(header, packets.fields()["path_list"].offset + stop * config.stop_bits)
    return kind, header


def random_packet(dice: random.Random, config: SwitchConfig, most_flits: int, sequence: int) -> tuple[str, bytes]:
    """Its kind, and whole flits; now and then too few for its header."""
    kind, header = random_header(dice, config)
    header = packets.put(header, "sequence", sequence)
    size = -(-header.bit_length() // 8) + dice.randrange(24) + 8
    flits = dice.randint(1, 3) if dice.random() < 0.03 else min(-(-size // config.flit_bytes), most_flits)
    size = flits * config.flit_bytes
    body = header | dice.getrandbits(8 * size) >> header.bit_length() + 8 << header.bit_length() + 8
    return kind, (body & (1 << 8 * size) - 1).to_bytes(size, "little")


async def random_traffic(dut: Any, name: str, count: int) -> Bench:
    dice = dice_of(name)
    config = random_config(dice, **parameters(dut))
    bench = await switch_bench(dut, dice, config)
    most_flits = CHUNKS_OF_PACKET * int(dut.ChunkFlits.value)
    for sequence in range(count):
        port = dice.randrange(config.ports)
        kind, packet = random_packet(dice, config, most_flits, sequence)
        verdict = judge(config, packet)
        bench.scoreboard.expect(port, port, f"{kind} packet {sequence} of input {port}", verdict)
        bench.sources[port].send(flits_of(packet, config.flit_bytes))
    await bench.finish(400 * count)
    dut._log.info("%d packets in, %d copies out", count, bench.scoreboard.seen)
    return bench


@cocotb.test()
async def random_packets_go_where_the_reference_says(dut: Any) -> None:
    await random_traffic(dut, "random 1", 120)


@cocotb.test()
async def so_they_do_with_other_registers(dut: Any) -> None:
    await random_traffic(dut, "random 2", 120)


@cocotb.test()
async def and_with_others_again(dut: Any) -> None:
    await random_traffic(dut, "random 3", 120)


def plain_config(dut: Any) -> SwitchConfig:
    """All ports lead down, host h is behind port h modulo ports."""
    values = parameters(dut)
    ports, hosts = values["ports"], values["hosts"]
    masks = [1 << host % ports for host in range(hosts)]
    reach = [sum(1 << host for host in range(port, hosts, ports)) for port in range(ports)]
    switches = [1] * values["switches"]
    return SwitchConfig(
        **values, direction=["down"] * ports, unicast=(masks, masks), to_switch=(switches, switches), reach=reach,
        tree_up=0, number=0, rewrite=True, selection="deterministic", up_selection="deterministic",
    )  # fmt: skip


@cocotb.test()
async def a_worm_is_copied_to_several_outputs_in_the_same_cycle(dut: Any) -> None:
    dice, config = dice_of("copies"), plain_config(dut)
    bench = await switch_bench(dut, dice, config, pauses=False)
    header = packets.put(packets.header(packets.kinds()["tree"]), "destinations", (1 << config.hosts) - 1, config.hosts)
    packet = packets.whole_flits(header.to_bytes(24, "little"), config.flit_bytes)
    bench.scoreboard.expect(0, 0, "the worm", judge(config, packet))
    bench.sources[0].send(flits_of(packet, config.flit_bytes))
    together: list[int] = []
    bench.watch = lambda: together.append(int(dut.flit_valid_o.value))
    await bench.finish(200)
    assert max(valid.bit_count() for valid in together) == int(dut.ReadPorts.value)


@cocotb.test()
async def inputs_that_want_the_same_output_take_turns(dut: Any) -> None:
    dice, config = dice_of("turns"), plain_config(dut)
    bench = await switch_bench(dut, dice, config, pauses=False, arbitration="round_robin")
    turns: list[int] = []
    check = bench.sinks[1].arrived

    def arrived(vc: int, data: bytes) -> None:
        turns.append(packets.get(int.from_bytes(data, "little"), "source"))
        check(vc, data)

    bench.sinks[1].arrived = arrived
    rounds = 6
    for port in range(config.ports):
        for sequence in range(rounds):
            header = packets.header(packets.kinds()["unicast"], destination=1, source=port, sequence=sequence)
            packet = packets.whole_flits(header.to_bytes(20, "little"), config.flit_bytes)
            bench.scoreboard.expect(port, port, f"packet {sequence} of input {port}", judge(config, packet))
            bench.sources[port].send(flits_of(packet, config.flit_bytes))
    await bench.finish(3000)
    assert turns == list(range(config.ports)) * rounds


@cocotb.test()
async def registers_that_do_not_exist_are_ignored(dut: Any) -> None:
    dice, config = dice_of("registers"), plain_config(dut)
    bench = await switch_bench(dut, dice, config, pauses=False)
    for region in ("port_direction", "buffer_chunks", "credits", "reach_total"):
        await bench.write(region, config.ports + (1 << 8), 0)
    for index in (packets.config_word("reach_index", port=config.ports, word=0), 1 << 8):
        await bench.write("reach_port", index, 0)
    await bench.write("global", 1 << 8, 0)
    for port in range(config.ports):
        header = packets.put(packets.header(packets.kinds()["tree"]), "destinations", 1 << port, config.hosts)
        packet = packets.whole_flits(header.to_bytes(20, "little"), config.flit_bytes)
        bench.scoreboard.expect(port, port, f"the packet of input {port}", judge(config, packet))
        bench.sources[port].send(flits_of(packet, config.flit_bytes))
    await bench.finish(300)


@cocotb.test()
async def every_error_is_reported(dut: Any) -> None:
    """Those of framing and credits, which sources that keep to the rules do not cause."""
    dice, config = dice_of("errors"), plain_config(dut)
    bench = await switch_bench(dut, dice, config, pauses=False)
    kinds = packets.kinds()
    limit = CHUNKS_OF_PACKET * int(dut.ChunkFlits.value)
    good = packets.whole_flits(
        packets.header(kinds["unicast"], destination=1).to_bytes(20, "little"), config.flit_bytes
    )
    flits = flits_of(good, config.flit_bytes)

    # A body flit outside a packet is dropped; the packet behind it is not.
    bench.scoreboard.expect(0, 0, "a flit without a head", Verdict(errors=["missing_head"]))
    bench.sources[0].send([flits[1]])
    bench.scoreboard.expect(0, 0, "a packet", judge(config, good))
    bench.sources[0].send(flits)

    # A second head is a body flit.
    twice = Verdict(copies={1: good}, errors=["missing_tail"])
    bench.scoreboard.expect(1, 1, "a packet with two heads", twice)
    bench.sources[1].send([*flits[:3], flits[3]._replace(head=True), *flits[4:]])

    # What is longer than the limit is cut there; a head in the rest is an error by itself.
    long = packets.whole_flits(good.ljust((limit + 5) * config.flit_bytes, b"\x5a"), config.flit_bytes)
    cut = long[: limit * config.flit_bytes]
    bench.scoreboard.expect(2, 2, "a long packet", Verdict(copies={1: cut}, errors=["too_long", "missing_tail"]))
    bench.sources[2].credits = [1000]
    too_many = flits_of(long, config.flit_bytes)
    too_many[limit + 2] = too_many[limit + 2]._replace(head=True)
    bench.sources[2].send(too_many)
    await bench.finish(1000)

    # Credits for what was never sent.
    bench.scoreboard.expect(3, 3, "a credit", Verdict(errors=["credit_overflow"]))
    dut.credit_i.value = 1 << 3
    await bench.step()
    await bench.finish(20)

    # More flits than the buffer takes while nobody reads: all are dropped from then on.
    bench.sinks[1].busy = iter(lambda: True, None)
    bench.sinks[1].arrived = lambda vc, data: None
    for source in (0, 1):
        bench.sources[source].credits = [10_000]
    bench.scoreboard.errors[0, "overflow"] += 1
    for _ in range(2 * int(dut.NumChunks.value)):
        bench.sources[0].send([Flit(flit.data, flit.head, flit.tail) for flit in flits])
    while not bench.sources[0].empty:
        await bench.step()
    assert {"missing_head", "missing_tail", "too_long", "credit_overflow", "overflow"} <= bench.errors_seen
