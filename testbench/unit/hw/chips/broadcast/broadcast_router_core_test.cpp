// SPDX-License-Identifier: Apache-2.0
// hw/chips/broadcast/broadcast_unit.md, cycle by cycle: latency, order, side wires, rounds, merge.
#include "testbench/unit/hw/chips/broadcast/broadcast_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(broadcast_router_core, a_hop_takes_the_length_and_two_cycles) {
    for (const unsigned flits : {1u, 3u, 4u}) {
        broadcast_bench bench;
        const cycle tail = bench.send(10, down, {.index = 0, .flits = flits}) - 1;
        bench.run(30);
        // On the pins in tail + 2, on the next input pins in tail + 3, its tail there in tail + flits + 2.
        for (const unsigned port : {up, host, far_up, far_down}) {
            ASSERT_EQ(bench.at(port).size(), flits);
            EXPECT_EQ(bench.at(port).front(), (unit_flit{tail + 2, port, 0, 0}));
            EXPECT_EQ(bench.at(port).back(), (unit_flit{tail + 1 + flits, port, 0, flits - 1}));
        }
        EXPECT_THAT(bench.at(down), IsEmpty()) << "not back to where it came from";
    }
}

TEST(broadcast_router_core, packets_follow_each_other_without_a_gap) {
    broadcast_bench bench;
    cycle next = 10;
    for (const unsigned index : {2u, 0u, 1u}) next = bench.send(next, far_up, {.index = index, .last = 2, .flits = 4});
    bench.run(40);
    const std::vector<unit_flit> sent = bench.at(up);
    ASSERT_EQ(sent.size(), 12u);
    for (unsigned number = 0; number < 12; ++number) EXPECT_EQ(sent[number].when, 15 + number);
    EXPECT_THAT(bench.order(up), ElementsAre(2, 0, 1));
    EXPECT_THAT(bench.order(host), ElementsAre(2, 0, 1)) << "the order of receipt";
}

TEST(broadcast_router_core, an_injected_packet_takes_one_cycle_more) {
    broadcast_bench bench;
    bench.send(10, host, {.index = 0, .flits = 2, .source = 2});
    bench.run(30);
    EXPECT_EQ(bench.at(up).front(), (unit_flit{14, up, 0, 0})) << "the tail on the pins in 11";
    EXPECT_THAT(bench.credits, ElementsAre(12, 13));
    EXPECT_THAT(bench.at(host), IsEmpty()) << "the source's host gets nothing";
    EXPECT_THAT(bench.sides, ElementsAre(unit_side{12, 1, 0}, unit_side{16, 0, 1}));
}

TEST(broadcast_router_core, the_source_waits_for_the_whole_message_and_may_send_it_in_reverse) {
    broadcast_registers registers = ring_registers();
    registers.reverse = 1u << down | 1u << far_up;
    broadcast_bench bench(ring_params(), registers);
    bench.send(10, host, {.index = 0, .last = 2, .source = 2});
    bench.send(11, host, {.index = 1, .last = 2, .source = 2});
    bench.send(50, host, {.index = 2, .last = 2, .source = 2});
    bench.run(70);
    EXPECT_EQ(bench.at(up).front().when, 53u);
    for (const unsigned port : {up, far_down}) EXPECT_THAT(bench.order(port), ElementsAre(0, 1, 2));
    for (const unsigned port : {down, far_up}) EXPECT_THAT(bench.order(port), ElementsAre(2, 1, 0));
}

TEST(broadcast_router_core, other_nodes_have_an_order_of_their_own) {
    broadcast_registers registers = ring_registers();
    registers.reverse = 1u << up;
    registers.relay_reverse = 1u << far_up | 1u << host;
    broadcast_bench bench(ring_params(), registers);
    // They come in the same cycle: the order of receipt is that of the ports.
    bench.send(10, up, {.index = 3, .last = 3});
    bench.send(10, down, {.index = 1, .last = 3});
    bench.send(10, far_down, {.index = 0, .last = 3});
    bench.run(30);
    EXPECT_THAT(bench.order(up), ElementsAre(1, 0));
    EXPECT_THAT(bench.order(far_up), ElementsAre(0, 1, 3));
    EXPECT_THAT(bench.order(host), ElementsAre(0, 1, 3));
}

TEST(broadcast_router_core, in_reverse_the_last_one_of_those_that_are_there_goes_first) {
    broadcast_registers registers = ring_registers();
    registers.relay_reverse = 1u << up;
    broadcast_bench bench(ring_params(), registers);
    // The first one finds the port free, and goes at once.
    for (const unsigned index : {0u, 1u}) bench.send(10 + 3 * index, down, {.index = index, .last = 3, .flits = 3});
    for (const unsigned index : {2u, 3u})
        bench.send(10 + 3 * index - 6, far_up, {.index = index, .last = 3, .flits = 3});
    bench.run(50);
    EXPECT_THAT(bench.order(up), ElementsAre(2, 3, 1, 0));
    EXPECT_THAT(bench.order(far_down), ElementsAre(0, 2, 1, 3));
}

TEST(broadcast_router_core, several_tails_of_a_cycle_are_received_in_the_order_of_ports) {
    broadcast_bench bench;
    bench.send(10, far_down, {.index = 0, .last = 3});
    bench.send(10, far_up, {.index = 1, .last = 3});
    bench.send(10, down, {.index = 2, .last = 3});
    bench.run(30);
    EXPECT_THAT(bench.order(up), ElementsAre(2, 1, 0));
}

TEST(broadcast_router_core, what_a_neighbour_is_seen_to_have_is_not_sent) {
    for (const bool maps : {true, false}) {
        broadcast_registers registers = ring_registers();
        registers.maps = maps;
        broadcast_bench bench(ring_params(), registers);
        bench.send(10, down, {.index = 0, .last = 1});
        bench.show(10, up, 1, 0);      // registered in 11, when the packet would be chosen
        bench.show(11, far_up, 1, 0);  // too late
        bench.run(30);
        EXPECT_EQ(bench.at(up).size(), maps ? 0u : 1u);
        EXPECT_EQ(bench.at(far_up).size(), 1u);
    }
}

TEST(broadcast_router_core, side_wires_show_a_packet_from_its_head_on) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 3, .last = 3, .flits = 4});
    bench.send(12, up, {.index = 1, .last = 3});
    bench.run(30);
    EXPECT_THAT(bench.sides, ElementsAre(unit_side{11, 8, 0}, unit_side{13, 10, 0}));
}

TEST(broadcast_router_core, a_packet_waits_for_a_neighbour_in_the_round_before) {
    broadcast_bench bench;
    bench.show(2, up, 0, 3);  // of four: the round before the first
    bench.send(10, down, {.index = 0});
    bench.show(40, up, 0, 0);
    bench.run(60);
    EXPECT_EQ(bench.at(far_up).front().when, 12u);
    EXPECT_EQ(bench.at(up).front().when, 42u);
    EXPECT_EQ(bench.sides.back(), (unit_side{43, 0, 1})) << "nor does the round end before";
}

TEST(broadcast_router_core, nothing_is_sent_to_a_neighbour_in_the_next_round) {
    broadcast_bench bench;
    bench.show(2, up, 0, 1);
    bench.send(10, down, {.index = 0});
    bench.run(30);
    EXPECT_THAT(bench.at(up), IsEmpty());
    EXPECT_EQ(bench.sides.back(), (unit_side{13, 0, 1}));
}

TEST(broadcast_router_core, a_round_ends_when_the_host_has_everything) {
    broadcast_registers registers = ring_registers();
    registers.host_credits = 1;
    broadcast_bench bench(ring_params(), registers);
    bench.send(10, down, {.index = 0, .flits = 2});
    bench.credit(40);
    bench.run(60);
    EXPECT_THAT(bench.at(host), ElementsAre(unit_flit{13, host, 0, 0}, unit_flit{42, host, 0, 1}));
    EXPECT_THAT(bench.sides, ElementsAre(unit_side{11, 1, 0}, unit_side{43, 0, 1}));
}

TEST(broadcast_router_core, a_broadcast_follows_another_from_a_different_source) {
    broadcast_registers registers = ring_registers();
    registers.host_credits = 1;  // a slow host: the first round lasts
    broadcast_bench bench(ring_params(), registers);
    // This node is the source of the second one; its packets wait for their round in the injection buffer.
    bench.send(5, host, {.index = 0, .last = 1, .source = 2, .round = 1});
    bench.send(6, host, {.index = 1, .last = 1, .source = 2, .round = 1});
    bench.send(10, down, {.index = 0, .flits = 2});
    for (const unsigned port : {up, down, far_up, far_down}) bench.show(20, port, 0, 1);
    bench.credit(40);
    bench.run(80);
    EXPECT_THAT(bench.credits, ElementsAre(44, 45))
        << "the first flit leaves in the cycle in which the round has begun";
    EXPECT_THAT(bench.sides, ElementsAre(unit_side{11, 1, 0}, unit_side{43, 0, 1}, unit_side{44, 1, 1},
                                         unit_side{45, 3, 1}, unit_side{48, 0, 2}));
    EXPECT_EQ(bench.at(up).back(), (unit_flit{47, up, 1, 0}));
    EXPECT_THAT(bench.events, IsEmpty());
    EXPECT_TRUE(bench.idle());
}

TEST(broadcast_router_core, the_router_goes_before_the_unit) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 0, .flits = 3});  // from 14 on at the pins
    // Two unicasts to node 3: allocated in 14 and 15, on the pins in 15 and 16.
    bench.unicast(13, far_down, 0, 3);
    bench.unicast(14, far_down, 1, 3);
    bench.run(30);
    EXPECT_THAT(bench.unicasts, ElementsAre(unit_flit{15, up, 0, 0}, unit_flit{16, up, 1, 0}));
    EXPECT_THAT(bench.at(up), ElementsAre(unit_flit{14, up, 0, 0}, unit_flit{17, up, 0, 1}, unit_flit{18, up, 0, 2}));
    EXPECT_EQ(bench.at(far_up).back().when, 16u);
}

TEST(broadcast_router_core, the_routers_credit_goes_before_the_units) {
    broadcast_bench bench;
    // A unicast to node 3 on the pins in 10 is read in 11; a flit for the unit leaves the buffer in 11 as well.
    bench.unicast(9, host, 0, 3);
    bench.unicast(10, host, 1, 3);
    bench.send(11, host, {.index = 0, .source = 2});
    bench.run(30);
    EXPECT_THAT(bench.credits, ElementsAre(13));
    broadcast_bench held;
    held.send(9, host, {.index = 0, .source = 2});
    held.unicast(10, host, 1, 3);
    held.run(30);
    EXPECT_THAT(held.credits, ElementsAre(11)) << "the router's comes in 12";
    broadcast_params params = ring_params();
    broadcast_registers registers = ring_registers();
    registers.router.route_delay = 2;
    broadcast_bench late(params, registers);
    late.unicast(9, host, 0, 3);
    late.send(10, host, {.index = 0, .source = 2});
    late.run(30);
    EXPECT_THAT(late.credits, ElementsAre(13)) << "both would be on the pins in 12";
}

TEST(broadcast_router_core, sleeps_where_it_waits) {
    broadcast_registers registers = ring_registers();
    registers.host_credits = 1;
    broadcast_bench bench(ring_params(), registers);
    bench.run(3);
    EXPECT_EQ(bench.wake(), hw::engine::never);
    bench.send(10, down, {.index = 0, .flits = 2});
    bench.send(12, host, {.index = 0, .source = 2, .round = 1});
    bench.run(30);
    EXPECT_EQ(bench.wake(), hw::engine::never) << "for a credit of the host";
    EXPECT_FALSE(bench.idle());
    bench.credit(40);
    bench.run(60);
    EXPECT_EQ(bench.wake(), hw::engine::never) << "for neighbours in the round before";
    EXPECT_FALSE(bench.idle());
    bench.chip().reset();
    EXPECT_TRUE(bench.idle());
}

TEST(broadcast_router_core, shows_what_it_does) {
    broadcast_registers registers = ring_registers();
    registers.host_credits = 1;
    broadcast_bench bench(ring_params(), registers);
    bench.send(10, down, {.index = 0, .last = 1, .flits = 2});
    bench.send(12, down, {.index = 1, .last = 1, .flits = 3});
    bench.send(12, host, {.index = 0, .source = 2, .round = 1});
    bench.run(14);
    const hw::engine::chip_probe probe = bench.probe();
    const auto of_unit = [](unsigned port) { return port * 3 + 2; };
    EXPECT_EQ(probe.inputs.size(), 18u);
    EXPECT_EQ(probe.inputs[of_unit(down)].state, 1);
    EXPECT_EQ(probe.inputs[of_unit(host)].occupied, 1);
    EXPECT_EQ(probe.inputs[of_unit(host)].state, 0);
    EXPECT_TRUE(probe.outputs[of_unit(host)].held) << "without credit";
    EXPECT_FALSE(probe.outputs[of_unit(up)].held) << "two flits have left";
    EXPECT_EQ(probe.outputs[of_unit(up)].credits, 0);
    EXPECT_EQ(probe.outputs[of_unit(up) - 1].credits, 8) << "the router's";
}

}  // namespace
}  // namespace polycast::testbench::unit
