// SPDX-License-Identifier: Apache-2.0
// hw/chips/broadcast/broadcast_unit.md: what a unit refuses, and how it says so; parameters and registers out of range.
#include "hw/input_error.h"
#include "testbench/unit/hw/chips/broadcast/broadcast_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr unsigned code(chip_error error) {
    return static_cast<unsigned>(error);
}

TEST(broadcast_events, a_packet_that_is_there_is_a_duplicate) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 0, .last = 1, .flits = 2});
    bench.send(20, up, {.index = 0, .last = 1, .flits = 2});
    bench.run(40);
    EXPECT_THAT(bench.events, ElementsAre(unit_event{21, up, broadcast_event::duplicate, 0}));
    EXPECT_EQ(bench.at(far_up).size(), 2u) << "it goes on once";
}

TEST(broadcast_events, a_duplicate_is_not_sent_back) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 0, .last = 1, .flits = 4});  // complete in 14
    bench.send(12, up, {.index = 0, .last = 1, .flits = 2});    // while it is coming in
    bench.send(13, far_up, {.index = 0, .last = 1});            // in the cycle of the tail
    bench.send(14, far_down, {.index = 0, .last = 1});          // in that in which it begins to leave
    bench.run(40);
    EXPECT_THAT(bench.events, ElementsAre(unit_event{13, up, broadcast_event::duplicate, 0},
                                          unit_event{14, far_up, broadcast_event::duplicate, 0},
                                          unit_event{15, far_down, broadcast_event::duplicate, 0}));
    EXPECT_THAT(bench.at(up), IsEmpty());
    EXPECT_THAT(bench.at(far_up), IsEmpty());
    EXPECT_EQ(bench.at(far_down).size(), 4u);
    EXPECT_EQ(bench.at(host).size(), 4u);
}

TEST(broadcast_events, of_two_in_a_cycle_the_lower_port_is_the_first) {
    broadcast_bench bench;
    bench.send(10, far_down, {.index = 0, .flits = 1});
    bench.send(10, down, {.index = 0, .flits = 3});
    bench.run(40);
    EXPECT_THAT(bench.events, ElementsAre(unit_event{11, far_down, broadcast_event::duplicate, 0}));
    EXPECT_EQ(bench.at(up).size(), 3u);
    EXPECT_THAT(bench.at(far_down), IsEmpty());
}

TEST(broadcast_events, a_packet_of_a_round_that_has_ended_is_stale) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 0});
    bench.send(30, up, {.index = 0, .round = 0});
    bench.send(31, up, {.index = 0, .round = 9});  // the round - 8
    bench.send(32, up, {.index = 0, .round = 8});  // the round + 7
    bench.send(33, up, {.index = 0, .round = 2});
    bench.send(34, host, {.index = 3, .last = 3, .round = 0});
    bench.run(50);
    EXPECT_THAT(
        bench.events,
        ElementsAre(unit_event{31, up, broadcast_event::stale, 0}, unit_event{32, up, broadcast_event::stale, 0},
                    unit_event{33, up, broadcast_event::early, 0}, unit_event{34, up, broadcast_event::early, 0},
                    unit_event{36, host, broadcast_event::stale, 3}));
    EXPECT_TRUE(bench.idle());
}

TEST(broadcast_events, rounds_go_up_to_fifteen_and_begin_again) {
    broadcast_bench bench;
    for (unsigned round = 0; round < 17; ++round) {
        const cycle when = 10 + 10 * round;
        bench.send(when, down, {.index = 0, .round = round % 16});
        for (const unsigned port : {up, down, far_up, far_down}) bench.show(when + 1, port, 0, (round + 1) % 4);
    }
    bench.run(200);
    EXPECT_THAT(bench.events, IsEmpty());
    EXPECT_EQ(bench.order(host).size(), 17u);
    EXPECT_EQ(bench.sides.back(), (unit_side{173, 0, 1}));
}

TEST(broadcast_events, two_sources_conflict) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 0, .last = 3});
    bench.send(20, up, {.index = 1, .last = 3, .source = 1});
    bench.send(21, up, {.index = 1, .last = 2});
    bench.send(30, far_up, {.index = 1, .last = 3});
    bench.send(30, far_down, {.index = 2, .last = 1, .source = 7});  // index above last
    bench.run(50);
    EXPECT_THAT(bench.events, ElementsAre(unit_event{21, up, broadcast_event::conflict, 1},
                                          unit_event{22, up, broadcast_event::conflict, 1},
                                          unit_event{31, far_down, broadcast_event::bad_packet, 2}));
    EXPECT_THAT(bench.order(host), ElementsAre(0, 1));
}

TEST(broadcast_events, two_first_heads_of_a_cycle_conflict) {
    broadcast_bench bench;
    bench.send(10, far_up, {.index = 0, .last = 3, .source = 1});
    bench.send(10, down, {.index = 1, .last = 3});
    bench.run(50);
    EXPECT_THAT(bench.events, ElementsAre(unit_event{11, far_up, broadcast_event::conflict, 0}));
}

TEST(broadcast_events, packets_that_make_no_sense_are_refused) {
    broadcast_params params = ring_params();
    params.router.ports = 7;
    params.router.dimensions = 3;
    params.router.radix = 3;
    broadcast_registers registers = ring_registers();
    registers.router.wrap = 7;
    registers.router.node = 5;  // 2, 1, 0
    registers.router.credits.assign(7, 8);
    registers.dims = 0b011;
    registers.open = 0b0111111;
    registers.dimension = {0, 0, 1, 1, 2, 2, 0};
    registers.there = {0, 1, 2, 0, 1, 2, 0};
    const auto refused = [&](const pipelined_packet& packet) {
        hw::chips::broadcast_router_core chip(params, registers);
        equivalence::golden_broadcast golden(params, registers);
        hw::engine::pins in(chip.shape()), out(chip.shape()), golden_out(chip.shape());
        in.valid = in.head = in.tail = 1;
        in.vc[0] = unit_vc;
        hw::format::write_common({.kind = packet.kind, .source = packet.source}, in.data.data());
        hw::format::write_pipelined({static_cast<std::uint8_t>(packet.index), static_cast<std::uint8_t>(packet.last),
                                     static_cast<std::uint8_t>(packet.colour), 0},
                                    in.data.data());
        chip.step(0, in, out);
        golden.step(0, in, golden_out);
        EXPECT_EQ(out.events, golden_out.events);
        return !out.events.empty() && out.events[0].code == static_cast<unsigned>(broadcast_event::bad_packet);
    };
    EXPECT_FALSE(refused({.last = 3, .source = 8, .colour = 1}));
    EXPECT_TRUE(refused({.last = 3, .source = 8, .kind = hw::format::packet_kind::broadcast}));
    EXPECT_TRUE(refused({.last = 4, .source = 8})) << "four slots";
    EXPECT_TRUE(refused({.index = 3, .last = 2, .source = 8}));
    EXPECT_TRUE(refused({.last = 3, .source = 8, .colour = 2})) << "not of the community";
    EXPECT_TRUE(refused({.last = 3, .source = 8, .colour = 3})) << "no dimension";
    EXPECT_TRUE(refused({.last = 3, .source = 9})) << "another plane";
    EXPECT_TRUE(refused({.last = 3, .source = 27})) << "no node";
    registers.algorithm = broadcast_algorithm::trees;
    EXPECT_FALSE(refused({.last = 3, .source = 8, .colour = 3}));
    EXPECT_TRUE(refused({.last = 3, .source = 8, .colour = 4}));
}

TEST(broadcast_events, packets_are_framed_as_the_routers) {
    broadcast_bench bench;
    for (unsigned number = 0; number < 6; ++number)
        bench.flit(10 + number, down, {.index = 0, .last = 3, .flits = 6}, number, number == 0 || number == 1,
                   number == 5);
    bench.flit(20, up, {.index = 1, .last = 3}, 1, false, true);
    bench.send(30, second_host, {.index = 2, .last = 3});
    bench.run(50);
    EXPECT_THAT(bench.errors, ElementsAre(unit_error{12, down, code(chip_error::missing_tail)},
                                          unit_error{14, down, code(chip_error::too_long)},
                                          unit_error{21, up, code(chip_error::missing_head)},
                                          unit_error{31, second_host, code(chip_error::bad_vc)}));
    EXPECT_EQ(bench.at(host).size(), 4u) << "cut to the length of a slot";
    EXPECT_THAT(bench.events, IsEmpty());
}

TEST(broadcast_events, the_injection_buffer_overflows) {
    broadcast_bench bench;
    for (unsigned flit = 0; flit < 5; ++flit) bench.send(10 + flit, host, {.index = 0, .round = 1});
    bench.send(30, host, {.index = 0, .round = 1});
    bench.run(50);
    EXPECT_THAT(bench.errors, ElementsAre(unit_error{15, host, code(chip_error::overflow)}));
    EXPECT_THAT(bench.credits, IsEmpty());
}

TEST(broadcast_events, credits_that_were_not_spent_are_ignored) {
    broadcast_registers registers = ring_registers();
    registers.host_credits = 2;
    broadcast_bench bench(ring_params(), registers);
    bench.credit(10);
    bench.credit(12, up);  // elsewhere nothing is said
    bench.send(20, down, {.index = 0, .flits = 4});
    bench.run(50);
    EXPECT_THAT(bench.errors, ElementsAre(unit_error{11, host, code(chip_error::credit_overflow)}));
    EXPECT_EQ(bench.at(host).size(), 2u);
}

TEST(broadcast_events, a_discarded_packet_lasts_over_the_end_of_a_round) {
    broadcast_bench bench;
    bench.send(10, down, {.index = 0});
    bench.send(11, up, {.index = 0, .flits = 4});
    bench.run(40);
    EXPECT_THAT(bench.events, ElementsAre(unit_event{12, up, broadcast_event::duplicate, 0}));
    EXPECT_EQ(bench.sides.back(), (unit_side{13, 0, 1}));
    EXPECT_THAT(bench.errors, IsEmpty());
    EXPECT_TRUE(bench.idle());
}

std::string refusal(const broadcast_params& params, const broadcast_registers& registers) {
    return testbench::unit::refusal([&] { const hw::chips::broadcast_router_core chip(params, registers); });
}

TEST(broadcast_config, ranges_of_parameters) {
    const auto with = [](const auto& change) {
        broadcast_params params = ring_params();
        change(params);
        return refusal(params, ring_registers());
    };
    EXPECT_EQ(with([](auto&) {}), "accepted");
    EXPECT_THAT(with([](auto& p) { p.router.ports = 3; }), HasSubstr("ports must be 4..16, not 3"));
    EXPECT_THAT(with([](auto& p) { p.router.ports = 17; }), HasSubstr("ports must be"));
    EXPECT_THAT(with([](auto& p) { p.router.vcs = 1; }), HasSubstr("virtual channels must be 2..15"));
    EXPECT_THAT(with([](auto& p) { p.router.vcs = 16; }), HasSubstr("virtual channels must be"));
    EXPECT_THAT(with([](auto& p) { p.router.dimensions = 3; }), HasSubstr("needs a host port"));
    EXPECT_THAT(with([](auto& p) { p.router.flit_bytes = 12; }), HasSubstr("does not fit a flit of 12"));
    EXPECT_THAT(with([](auto& p) { p.router.adaptive = true; }), HasSubstr("does not choose among the ports"));
    EXPECT_THAT(with([](auto& p) { p.slots = 65; }), HasSubstr("slots must be 1..64"));
    EXPECT_THAT(with([](auto& p) { p.slot_flits = 0; }), HasSubstr("flits of a slot must be"));
    EXPECT_THAT(with([](auto& p) { p.inject_flits = 65; }), HasSubstr("injection buffer must be"));
    broadcast_params free = ring_params();
    free.router.flit_bytes = 1;
    free.router.header_free = true;
    EXPECT_EQ(refusal(free, ring_registers()), "accepted");
}

TEST(broadcast_config, ranges_of_registers) {
    const auto with = [](const auto& change) {
        broadcast_registers registers = ring_registers();
        change(registers);
        return refusal(ring_params(), registers);
    };
    EXPECT_THAT(with([](auto& r) { r.dims = 0; }), HasSubstr("dimensions must be some of those"));
    EXPECT_THAT(with([](auto& r) { r.dims = 2; }), HasSubstr("dimensions must be"));
    EXPECT_THAT(with([](auto& r) { r.router.node = 8; }), HasSubstr("less than the number of nodes"));
    EXPECT_THAT(with([](auto& r) { r.reverse = 64; }), HasSubstr("in reverse does not exist"));
    EXPECT_THAT(with([](auto& r) { r.relay_reverse = 64; }), HasSubstr("in reverse does not exist"));
    EXPECT_THAT(with([](auto& r) { r.open = 64; }), HasSubstr("with a neighbour does not exist"));
    EXPECT_THAT(with([](auto& r) { r.open = 4; }), HasSubstr("host port has no neighbour"));
    EXPECT_THAT(with([](auto& r) { r.dimension.pop_back(); }), HasSubstr("one entry per port"));
    EXPECT_THAT(with([](auto& r) { r.dimension[4] = 1; }), HasSubstr("dimension that does not exist"));
    EXPECT_THAT(with([](auto& r) { r.there[0] = 8; }), HasSubstr("less than the radix"));
    EXPECT_THAT(with([](auto& r) { r.host_credits = 65536; }), HasSubstr("credits of the host must be"));
    EXPECT_THAT(with([](auto& r) { r.algorithm = static_cast<broadcast_algorithm>(2); }),
                HasSubstr("no such algorithm"));
    EXPECT_THAT(with([](auto& r) { r.router.credits.pop_back(); }), HasSubstr("router: "));
}

}  // namespace
}  // namespace polycast::testbench::unit
