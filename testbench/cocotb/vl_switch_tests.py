# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of the VL switch: random tables, packets, pauses, credits against vl_switch_reference.py; all errors."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import packet_format as packets
from bench import Bench, dice_of
from links import Flit, Sink, Source, any_pauses, flits_of
from scoreboard import Verdict
from vl_switch_reference import FIRST_MLID, NO_PORT, SERVICE_LEVELS, TABLE_ENTRIES, VlConfig, judge, random_config

CHUNKS_OF_PACKET = 4  # RES: of the longest packet


class WholePackets(Sink):
    """A sink that looks whether packets are sent whole, and only when the longest would fit."""

    def take(self, flit: Flit) -> None:
        others = [vc for vc, packet in enumerate(self.packets) if packet and vc != flit.vc]
        assert not others, f"{self.name}: a flit of lane {flit.vc} inside a packet of lane {others}"
        room = self.chunks - self.used[flit.vc]
        assert not flit.head or room >= CHUNKS_OF_PACKET, f"{self.name}: a packet with {room} credits on lane {flit.vc}"
        super().take(flit)


def parameters(dut: Any) -> dict[str, int]:
    names = {"ports": "NumPorts", "vls": "NumVls", "flit_bytes": "FlitBytes", "lids": "MaxLids", "groups": "MaxGroups"}
    return {name: int(getattr(dut, parameter).value) for name, parameter in names.items()}


def longest(dut: Any) -> int:
    """Flits."""
    return CHUNKS_OF_PACKET * int(dut.ChunkFlits.value)


async def vl_bench(
    dut: Any, dice: random.Random, config: VlConfig, pauses: bool = True, policy: str = "", hoq_life: int = 0
) -> Bench:
    """A switch with these tables, and links with random pauses at its ports."""
    bench = Bench(dut, config.flit_bytes)
    chunk = int(dut.ChunkFlits.value)
    await bench.start()
    await bench.set(
        route_delay=dice.randint(1, 3),
        packet_limit=longest(dut),
        arbitration=packets.code("arbitration", dice.choice(["round_robin", "fixed"])),
        vl_policy=packets.code("vl_policy", policy or dice.choice(["round_robin", "weighted"])),
        hoq_life=hoq_life,
    )
    for port in range(config.ports):
        for vl in range(config.vls):
            index = packets.config_word("vl_index", vl=vl, port=port, vl_index_zero=0)
            await bench.write("vl_chunks", index, config.usable[port][vl])
            await bench.write("vl_credits", index, config.credits[port] if config.lanes[port] >> vl & 1 else 0)
        await write_sl2vl(bench, config, port)
        await write_weights(bench, config, port)

        def arrived(vc: int, data: bytes, port: int = port) -> None:
            bench.scoreboard.arrived(port, vc, data)

        idle, busy = (any_pauses(dice), any_pauses(dice)) if pauses else (None, None)
        bench.sources.append(Source(dice, 0, chunk, config.vls, idle))
        bench.sources[port].credits = list(config.usable[port])
        bench.sinks.append(WholePackets(dice, f"output {port}", arrived, config.credits[port], chunk, config.vls, busy))
    for lid, entry in enumerate(config.lft):
        await bench.write("lft", lid, entry)
    for group, mask in enumerate(config.mft):
        await bench.write("mft", 2 * group, mask & 0xFFFFFFFF)
        await bench.write("mft", 2 * group + 1, mask >> 32)
    return bench


async def write_sl2vl(bench: Bench, config: VlConfig, port: int) -> None:
    for output, lanes in enumerate(config.sl2vl[port]):
        for half in (0, 1):
            values = {"half": half, "port": output, "in": port, "sl2vl_zero": 0}
            word = sum(lane << 4 * at for at, lane in enumerate(lanes[8 * half : 8 * half + 8]))
            await bench.write("sl2vl", packets.config_word("sl2vl_index", **values), word)


async def write_weights(bench: Bench, config: VlConfig, port: int) -> None:
    for low, table in enumerate(config.weights[port]):
        for entry in range(TABLE_ENTRIES):
            lane, weight = table[entry] if entry < len(table) else (0, 0)
            index = packets.config_word("vl_entry_index", entry=entry, low=low, port=port, vl_entry_zero=0)
            await bench.write("vl_arbitration", index, lane | weight << 4)
    await bench.write("vl_high_limit", port, config.high_limit[port])


def send(bench: Bench, config: VlConfig, port: int, vc: int, packet: bytes, text: str) -> None:
    bench.scoreboard.expect(port, (port, vc), text, judge(config, packet, port))
    bench.sources[port].send(flits_of(packet, config.flit_bytes, vc))


def random_packet(dice: random.Random, config: VlConfig, most_flits: int, sequence: int) -> tuple[str, bytes]:
    """Its kind, and whole flits; now and then too few for its header."""
    kind = dice.choices(["unicast", "multicast", "other"], [6, 4, 1])[0]
    lid = dice.randrange(config.lids) if dice.random() < 0.95 else dice.choice([config.lids, FIRST_MLID - 1])
    group = dice.randrange(config.groups) if dice.random() < 0.95 else dice.choice([config.groups, (1 << 14) - 1])
    header = packets.header(
        dice.choice([0, 1, 5, 15]) if kind == "other" else packets.kinds()["lid"],
        sequence=sequence,
        up=dice.randrange(2),
        dlid=FIRST_MLID + group if kind == "multicast" else lid,
        sl=dice.randrange(SERVICE_LEVELS),
    )
    flits = dice.randint(1, 3) if dice.random() < 0.05 else dice.randint(config.header_flits, most_flits)
    body = dice.randbytes(most_flits * config.flit_bytes)
    return kind, (header.to_bytes(13, "little") + body)[: flits * config.flit_bytes]


async def random_traffic(dut: Any, name: str, count: int) -> None:
    dice = dice_of(name)
    config = random_config(dice, CHUNKS_OF_PACKET, int(dut.NumChunks.value), **parameters(dut))
    bench = await vl_bench(dut, dice, config)
    for sequence in range(count):
        port = dice.randrange(config.ports)
        vc = dice.choice([vl for vl in range(config.vls) if config.usable[port][vl]])
        kind, packet = random_packet(dice, config, longest(dut), sequence)
        send(bench, config, port, vc, packet, f"{kind} packet {sequence} of input {port}.{vc}")
    await bench.finish(400 * count)
    dut._log.info("%d packets in, %d copies out", count, bench.scoreboard.seen)


@cocotb.test()
async def random_packets_go_where_the_reference_says(dut: Any) -> None:
    await random_traffic(dut, "random 1", 200)


@cocotb.test()
async def so_they_do_with_other_tables(dut: Any) -> None:
    await random_traffic(dut, "random 2", 200)


@cocotb.test()
async def and_with_others_again(dut: Any) -> None:
    await random_traffic(dut, "random 3", 200)


def plain_config(dut: Any) -> VlConfig:
    """LID p leads to port p - 1, group 0 to all, group 1 to none; SL s takes lane s modulo lanes."""
    values = parameters(dut)
    ports, vls, chunks = values["ports"], values["vls"], int(dut.NumChunks.value)
    lanes = [level % vls for level in range(SERVICE_LEVELS)]
    return VlConfig(
        **values, usable=[[chunks] * vls] * ports, credits=[8 * CHUNKS_OF_PACKET] * ports,
        lanes=[(1 << vls) - 1] * ports, lft=[lid if 0 < lid <= ports else NO_PORT for lid in range(values["lids"])],
        mft=[(1 << ports) - 1, *[0] * (values["groups"] - 1)], sl2vl=[[lanes] * ports] * ports,
        weights=[([], [(lane, 1) for lane in range(vls)])] * ports, high_limit=[0] * ports,
    )  # fmt: skip


def one_lane_packet(dut: Any, config: VlConfig, output: int, sl: int, sequence: int) -> bytes:
    return config.packet(output + 1, sl, longest(dut), sequence)


@cocotb.test()
async def a_group_is_copied_to_all_but_the_port_of_arrival(dut: Any) -> None:
    """From each port in turn; as many outputs read at once as may."""
    dice, config = dice_of("copies"), plain_config(dut)
    bench = await vl_bench(dut, dice, config, pauses=False)
    together: list[int] = []
    bench.watch = lambda: together.append(int(dut.flit_valid_o.value))
    for port in range(config.ports):
        packet = config.packet(FIRST_MLID, port, longest(dut), port)
        send(bench, config, port, 0, packet, f"the multicast of input {port}")
        seen = bench.scoreboard.seen
        await bench.finish(500)
        assert bench.scoreboard.seen == seen + config.ports - 1
    assert max(valid.bit_count() for valid in together) == int(dut.ReadPorts.value)


@cocotb.test()
async def a_lane_without_credits_stops_no_other(dut: Any) -> None:
    """Nobody empties the buffers of output 1, which take a packet of each lane: as many come out, and no more."""
    dice, config = dice_of("credits"), plain_config(dut)
    config.credits = [CHUNKS_OF_PACKET] * config.ports
    bench = await vl_bench(dut, dice, config, pauses=False)
    bench.sinks[1].busy = iter(lambda: True, None)
    for sequence in range(2):
        for lane in range(config.vls):
            packet = one_lane_packet(dut, config, 1, lane, sequence)
            send(bench, config, 0, lane, packet, f"packet {sequence} of lane {lane}")
    for _ in range(500):
        await bench.step()
    assert bench.scoreboard.seen == config.vls
    # What goes elsewhere waits behind a packet on its own lane only.
    send(bench, config, 2, 0, one_lane_packet(dut, config, 3, 0, 2), "a packet to output 3")
    for _ in range(100):
        await bench.step()
    assert bench.scoreboard.seen == config.vls + 1
    bench.sinks[1].busy = iter(lambda: False, None)
    await bench.finish(1000)


@cocotb.test()
async def what_waits_too_long_at_the_head_of_its_queue_is_dropped(dut: Any) -> None:
    """A multicast loses the branch that waits, a unicast all of it; neither stops what is behind it for ever."""
    dice, config = dice_of("head of queue"), plain_config(dut)
    config.credits = [CHUNKS_OF_PACKET] * config.ports
    bench = await vl_bench(dut, dice, config, pauses=False, hoq_life=200)
    bench.sinks[1].busy = iter(lambda: True, None)
    send(bench, config, 0, 0, one_lane_packet(dut, config, 1, 0, 0), "the packet that fills output 1")
    for _ in range(50):
        await bench.step()

    multicast = config.packet(FIRST_MLID, 0, longest(dut), 1)
    verdict = judge(config, multicast, 0)
    del verdict.copies[1]
    bench.scoreboard.expect(0, (0, 0), "a multicast", verdict)
    bench.sources[0].send(flits_of(multicast, config.flit_bytes))
    for _ in range(150):
        await bench.step()
    assert "hoq_dropped" not in bench.errors_seen
    bench.scoreboard.errors[1, "hoq_dropped"] += 1
    for _ in range(100):
        await bench.step()
    assert "hoq_dropped" in bench.errors_seen

    lost = one_lane_packet(dut, config, 1, 0, 2)
    bench.scoreboard.errors[1, "hoq_dropped"] += 1
    bench.scoreboard.expect(0, (0, 0), "a unicast", Verdict())
    bench.sources[0].send(flits_of(lost, config.flit_bytes))
    send(bench, config, 0, 0, one_lane_packet(dut, config, 2, 0, 3), "the packet behind")
    for _ in range(300):
        await bench.step()
    bench.scoreboard.check_empty()

    # The output lives on.
    bench.sinks[1].busy = iter(lambda: False, None)
    send(bench, config, 0, 0, one_lane_packet(dut, config, 1, 0, 4), "a packet afterwards")
    await bench.finish(500)
    assert bench.sources[0].credits == config.usable[0]


async def lanes_in_order(dut: Any, name: str, config: VlConfig, count: int) -> list[int]:
    """Lanes of the packets that leave the last output but one, behind one of lane 2 that holds it until all wait.

    Inputs 0, 1, 2 each send `count` packets of the longest kind, input p on lane p.
    """
    dice, output = dice_of(name), config.ports - 2
    bench = await vl_bench(dut, dice, config, pauses=False, policy="weighted")
    order: list[int] = []
    check = bench.sinks[output].arrived

    def arrived(vc: int, data: bytes) -> None:
        order.append(vc)
        check(vc, data)

    bench.sinks[output].arrived = arrived
    blocker = config.ports - 1
    send(bench, config, blocker, 0, one_lane_packet(dut, config, output, 2, 1000), "the packet that holds the output")
    for _ in range(longest(dut) // 2):
        await bench.step()
    bench.sources[blocker].idle = iter(lambda: True, None)
    for lane in range(3):
        for sequence in range(count):
            packet = one_lane_packet(dut, config, output, lane, sequence)
            send(bench, config, lane, lane, packet, f"packet {sequence} of lane {lane}")
    for _ in range(100):
        await bench.step()
    bench.sources[blocker].idle = iter(lambda: False, None)
    await bench.finish(100 * count)
    assert order[0] == 2
    return order[1:]


@cocotb.test()
async def lanes_share_an_output_by_their_weights(dut: Any) -> None:
    """The longest packet uses one unit of weight, 64 bytes."""
    config = plain_config(dut)
    assert longest(dut) * config.flit_bytes == 64
    config.weights = [([], [(0, 2), (1, 1), (2, 1)])] * config.ports
    order = await lanes_in_order(dut, "weights", config, 8)
    assert order[:16] == [0, 0, 1, 2] * 4, order


@cocotb.test()
async def a_high_lane_goes_first_as_far_as_its_limit_lets_it(dut: Any) -> None:
    """A limit of 0 is a high packet between low ones, one of 255 is none."""
    config = plain_config(dut)
    config.weights = [([(2, 4)], [(0, 2), (1, 1)])] * config.ports
    order = await lanes_in_order(dut, "limit 0", config, 6)
    assert order[:12] == [0, 2, 0, 2, 1, 2] * 2, order
    config.high_limit = [255] * config.ports
    order = await lanes_in_order(dut, "limit 255", config, 6)
    assert order[:9] == [2, 2, 2, 2, 2, 2, 0, 0, 1], order


@cocotb.test()
async def every_error_is_reported(dut: Any) -> None:
    """Of routes, and those of framing, lanes and credits, which sources that keep to the rules do not cause."""
    dice, config = dice_of("errors"), plain_config(dut)
    config.lanes[4] = 0
    config.lanes[3] = 0b011
    bench = await vl_bench(dut, dice, config, pauses=False)
    limit = longest(dut)
    good = config.packet(2, 0, limit - 1)
    flits = flits_of(good, config.flit_bytes)
    routes = {
        "no_route": (NO_PORT, 0), "looping": (1, 0), "vl_dropped": (4, 2), "partial_route": (FIRST_MLID, 0),
    }  # fmt: skip
    for error, (lid, sl) in routes.items():
        packet = config.packet(lid, sl, limit)
        assert judge(config, packet, 0).errors == [error]
        send(bench, config, 0, 1, packet, f"a packet with {error}")
    send(bench, config, 0, 1, good[: (config.header_flits - 1) * config.flit_bytes], "a packet without all its header")
    send(bench, config, 0, 1, packets.header(0).to_bytes(32, "little"), "a packet of another kind")
    await bench.finish(1000)

    # A body flit outside a packet is dropped; the packet behind it is not.
    bench.scoreboard.expect(0, (0, 0), "a flit without a head", Verdict(errors=["missing_head"]))
    bench.sources[0].send([flits[1]])
    send(bench, config, 0, 0, good, "a packet")

    # A second head is a body flit.
    lane = {1: {0}}
    twice = Verdict(copies={1: good}, channels=lane, errors=["missing_tail"])
    bench.scoreboard.expect(2, (2, 0), "a packet with two heads", twice)
    bench.sources[2].send([*flits[:3], flits[3]._replace(head=True), *flits[4:]])

    # What is longer than the limit is cut there; a head in the rest is an error by itself.
    long = good.ljust((limit + 3) * config.flit_bytes, b"\x5a")
    cut = Verdict(copies={1: long[: limit * config.flit_bytes]}, channels=lane, errors=["too_long", "missing_tail"])
    bench.scoreboard.expect(3, (3, 0), "a long packet", cut)
    too_many = flits_of(long, config.flit_bytes)
    too_many[limit + 1] = too_many[limit + 1]._replace(head=True)
    bench.sources[3].send(too_many)
    bench.sources[3].credits[0] = 1000

    await bench.finish(1000)

    # A flit of a lane that does not exist.
    bench.scoreboard.expect(4, (4, 0), "a flit of another lane", Verdict(errors=["bad_vc"]))
    dut.flit_valid_i.value = dut.flit_head_i.value = 1 << 4
    dut.flit_vc_i.value = config.vls << 4 * 4
    await bench.step()

    # A credit for what was never sent, and one of a lane that does not exist.
    bench.scoreboard.expect(2, 2, "a credit", Verdict(errors=["credit_overflow"]))
    dut.credit_i.value = 1 << 2
    await bench.step()
    bench.scoreboard.expect(2, 2, "a credit of another lane", Verdict(errors=["bad_vc"]))
    dut.credit_i.value = 1 << 2
    dut.credit_vc_i.value = config.vls << 2 * 4
    await bench.step()
    await bench.finish(20)

    # More flits than the buffer takes while nobody reads: all are dropped from then on.
    bench.sinks[1].busy = iter(lambda: True, None)
    bench.sinks[1].arrived = lambda vc, data: None
    bench.sources[0].credits = [1000] * config.vls
    bench.scoreboard.errors[0, "overflow"] += 1
    for _ in range(16):
        bench.sources[0].send(flits)
    while not bench.sources[0].empty:
        await bench.step()
    wanted = {"missing_head", "missing_tail", "too_long", "short_header", "bad_kind", *routes}
    assert wanted | {"credit_overflow", "bad_vc", "overflow"} <= bench.errors_seen
