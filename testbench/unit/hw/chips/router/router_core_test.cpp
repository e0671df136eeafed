// SPDX-License-Identifier: Apache-2.0
// Pipeline, virtual channels, credits and flow control of hw/chips/router/router.md, cycle by cycle.
#include "testbench/unit/hw/chips/router/router_bench.h"

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr cycle never = hw::engine::never;

TEST(router_core, head_and_body_at_zero_load) {
    router_bench router(table_params(), table_tables());
    router.send(10, 0, 1, {.id = 3, .destination = 2, .flits = 3});
    router.run(20);
    // In t = 10, allocated in t + 1, on the pins in t + 2: with a link delay of 1 at the next router in t + 3.
    EXPECT_THAT(router.flits,
                ElementsAre(out_flit{12, 2, 0, 0x30}, out_flit{13, 2, 0, 0x31}, out_flit{14, 2, 0, 0x32}));
    EXPECT_THAT(router.credits, ElementsAre(out_credit{12, 0, 1}, out_credit{13, 0, 1}, out_credit{14, 0, 1}));
    EXPECT_THAT(router.errors, IsEmpty());
    EXPECT_TRUE(router.idle());
}

TEST(router_core, pins_of_heads_and_tails) {
    router_bench router(table_params(), table_tables());
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 2});
    router.send(0, 1, 0, {.id = 2, .destination = 3});
    router.run(2);
    EXPECT_EQ(router.pins().valid, 0xcu);
    EXPECT_EQ(router.pins().head, 0xcu);
    EXPECT_EQ(router.pins().tail, 0x8u);
    router.run(3);
    EXPECT_EQ(router.pins().valid, 0x4u);
    EXPECT_EQ(router.pins().head, 0u);
    EXPECT_EQ(router.pins().tail, 0x4u);
}

TEST(router_core, route_delay_and_crossbar_stages_add_up) {
    for (unsigned delay = 1; delay <= 15; ++delay) {
        for (const unsigned stages : {0u, 1u, 4u}) {
            router_params params = table_params();
            params.xbar_stages = stages;
            router_tables tables = table_tables();
            tables.route_delay = delay;
            router_bench router(params, tables);
            router.send(5, 0, 0, {.id = 1, .destination = 3, .flits = 2});
            router.run(60);
            EXPECT_THAT(router.times_of(3), ElementsAre(6 + delay + stages, 7 + delay + stages));
            EXPECT_THAT(router.credits, ElementsAre(out_credit{6 + delay, 0, 0}, out_credit{7 + delay, 0, 0}));
            EXPECT_TRUE(router.idle());
        }
    }
}

TEST(router_core, packets_behind_others_are_routed_while_they_wait) {
    router_tables tables = table_tables();
    tables.route_delay = 3;
    router_bench router(table_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2});
    router.send(1, 0, 0, {.id = 2, .destination = 3});
    router.send(2, 0, 0, {.id = 3, .destination = 2});
    router.run(20);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{4, 2, 0, 0x10}, out_flit{5, 3, 0, 0x20}, out_flit{6, 2, 1, 0x30}));
}

TEST(router_core, header_in_several_flits) {
    router_params params = table_params();
    params.flit_bytes = 4;
    params.vc_flits = 5;
    for (const unsigned delay : {1u, 2u}) {
        router_tables tables = table_tables();
        tables.route_delay = delay;
        tables.credits.assign(4, 5);
        router_bench router(params, tables);
        byte_list header = router_bench::unicast_header(2);
        header.resize(20);
        for (unsigned index = 0; index < 5; ++index) {
            const auto first = header.begin() + 4 * index;
            router.flit(index, 1, 0, byte_list(first, first + 4), index == 0, index == 4);
        }
        router.run(20);
        // 13 bytes: complete in cycle 3.
        EXPECT_EQ(router.times_of(2), (std::vector<cycle>{4 + delay, 5 + delay, 6 + delay, 7 + delay, 8 + delay}));
    }
}

TEST(router_core, free_header_goes_along_with_the_head) {
    router_params params = table_params();
    params.header_free = true;
    params.flit_bytes = 1;
    params.vc_flits = 2;
    params.xbar_stages = 1;
    router_bench router(params, table_tables());
    const unsigned bytes = params.pin_shape().header_bytes;
    EXPECT_EQ(bytes, 64u);
    byte_list header = router_bench::unicast_header(3);
    while (header.size() < bytes) header.push_back(static_cast<std::uint8_t>(header.size()));
    router.flit(0, 1, 1, {0x77}, true, true, 0, header);
    router.run(3);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{3, 3, 0, 0x77}));
    const auto pins = router.pins().header.begin() + 3 * bytes;
    EXPECT_EQ(byte_list(pins, pins + bytes), header);
}

TEST(router_core, bytes_pass_unchanged_whatever_the_width) {
    for (const unsigned bytes : {1u, 7u, 16u, 64u}) {
        router_params params = table_params();
        params.header_free = true;
        params.flit_bytes = bytes;
        router_bench router(params, table_tables());
        byte_list header = router_bench::unicast_header(2);
        byte_list flit(bytes);
        for (unsigned byte = 0; byte < bytes; ++byte) flit[byte] = static_cast<std::uint8_t>(13 * byte + 5);
        router.flit(0, 1, 1, flit, true, true, bytes > 15 ? flit[15] : 0, header);
        router.run(2);
        const auto pins = router.pins().data.begin() + 2 * bytes;
        EXPECT_EQ(byte_list(pins, pins + bytes), flit);
    }
}

// The virtual channel of a head.

TEST(router_core, any_takes_the_next_free_one) {
    router_bench router(table_params(), table_tables());
    for (unsigned packet = 0; packet < 4; ++packet) router.send(packet, 0, 1, {.id = packet, .destination = 2});
    router.run(10);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 0, 0x00}, out_flit{3, 2, 1, 0x10}, out_flit{4, 2, 0, 0x20},
                                          out_flit{5, 2, 1, 0x30}));
}

TEST(router_core, any_stays_inside_the_set_of_the_class) {
    router_bench router(table_params(), table_tables());
    router.send(0, 0, 1, {.id = 1, .destination = 2, .service_class = 1});
    router.send(1, 0, 1, {.id = 2, .destination = 2, .service_class = 1});
    router.send(2, 0, 1, {.id = 3, .destination = 2, .service_class = 2});
    router.send(3, 0, 1, {.id = 4, .destination = 2, .service_class = 2});
    router.run(10);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 0, 0x10}, out_flit{3, 2, 0, 0x20}, out_flit{4, 2, 1, 0x30},
                                          out_flit{5, 2, 1, 0x40}));
}

TEST(router_core, keep_takes_the_own_number_or_the_next_of_the_set) {
    router_params params = table_params();
    params.vcs = 4;
    router_tables tables = table_tables();
    tables.policy = hw::chips::vc_policy::keep;
    tables.vc_sets[0] = {0xf, 0xf};
    tables.vc_sets[1] = {0x6, 0x6};
    router_bench router(params, tables);
    router.send(0, 0, 3, {.id = 1, .destination = 2});
    router.send(1, 0, 3, {.id = 2, .destination = 2});
    router.send(2, 0, 2, {.id = 3, .destination = 2, .service_class = 1});
    router.send(3, 0, 0, {.id = 4, .destination = 2, .service_class = 1});
    router.send(4, 0, 3, {.id = 5, .destination = 2, .service_class = 1});  // behind 3 the set begins again
    router.run(10);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 3, 0x10}, out_flit{3, 2, 3, 0x20}, out_flit{4, 2, 2, 0x30},
                                          out_flit{5, 2, 1, 0x40}, out_flit{6, 2, 1, 0x50}));
}

TEST(router_core, keep_waits_for_its_own_number) {
    router_tables tables = table_tables();
    tables.policy = hw::chips::vc_policy::keep;
    router_bench router(table_params(), tables);
    router.flit(0, 0, 0, router_bench::unicast_header(2), true, false, 0x10);  // holds VC 0 of port 2
    router.send(1, 1, 0, {.id = 2, .destination = 2});
    router.send(1, 3, 1, {.id = 3, .destination = 2});
    router.flit(8, 0, 0, {}, false, true, 0x11);
    router.run(20);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 0, 0x10}, out_flit{3, 2, 1, 0x30}, out_flit{10, 2, 0, 0x11},
                                          out_flit{11, 2, 0, 0x20}));
}

TEST(router_core, an_output_vc_is_held_until_the_tail_and_free_in_the_next_cycle) {
    router_bench router(table_params(), table_tables());
    router.flit(0, 0, 0, router_bench::unicast_header(2, 1), true, false, 0x10);
    router.send(1, 1, 0, {.id = 2, .destination = 2, .service_class = 1});
    router.run(10);
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10));
    EXPECT_EQ(router.wakes.back(), never);
    EXPECT_FALSE(router.idle());
    router.flit(10, 0, 0, {}, false, true, 0x11);  // read in 11
    router.run(20);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 0, 0x10}, out_flit{12, 2, 0, 0x11}, out_flit{13, 2, 0, 0x20}));
}

TEST(router_core, packets_interleave_flit_by_flit_on_a_link) {
    router_bench router(table_params(), table_tables());
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 3});
    router.send(0, 1, 0, {.id = 2, .destination = 2, .flits = 3});
    router.run(12);
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x20, 0x11, 0x21, 0x12, 0x22));
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 3, 4, 5, 6, 7));
}

// Credits.

TEST(router_core, a_flit_costs_a_credit_and_waits_for_one) {
    router_tables tables = table_tables();
    tables.credits.assign(4, 2);
    router_bench router(table_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 4, .service_class = 1});
    router.run(20);
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 3));
    EXPECT_EQ(router.probe().outputs[4].credits, 0u);
    router.credit(20, 2, 1);  // of the other VC: does not help, and there was none outstanding
    router.credit(21, 2, 0);  // usable in 22
    router.run(30);
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 3, 23));
    EXPECT_THAT(router.errors, ElementsAre(out_error{21, 2, chip_error::credit_overflow}));
    router.credit(30, 2, 0);
    router.run(40);
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 3, 23, 32));
    EXPECT_FALSE(router.probe().outputs[4].held);
}

TEST(router_core, wormhole_starts_with_one_credit_and_cut_through_with_the_reserve) {
    for (const unsigned reserve : {1u, 3u}) {
        router_tables tables = table_tables();
        tables.reserve = reserve;
        tables.credits.assign(4, 3);
        router_bench router(table_params(), tables);
        router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 2, .service_class = 1});  // takes two credits
        router.send(2, 0, 0, {.id = 2, .destination = 2, .flits = 3, .service_class = 1});
        router.credit(18, 2, 0);
        router.run(25);
        if (reserve == 1) {
            EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x11, 0x20, 0x21));
            continue;
        }
        EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x11));
        router.credit(25, 2, 0);
        router.run(35);
        EXPECT_THAT(router.times_of(2), ElementsAre(2, 3, 27, 28, 29));
    }
}

TEST(router_core, another_packet_overtakes_one_without_credits) {
    router_tables tables = table_tables();
    tables.credits = {4, 4, 1, 4};
    router_bench router(table_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 2, .service_class = 1});
    router.send(2, 0, 1, {.id = 2, .destination = 3, .flits = 2});
    router.run(20);
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10));
    EXPECT_THAT(router.times_of(3), ElementsAre(4, 5));
    // Blocked for good: it sleeps until the credit comes.
    EXPECT_EQ(router.wakes.back(), never);
    router.credit(25, 2, 0);
    router.run(30);
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 27));
}

TEST(router_core, with_one_vc_pins_name_none) {
    router_params params = table_params();
    params.vcs = 1;
    router_tables tables = table_tables();
    tables.vc_sets = {};
    tables.vc_sets[0] = {1, 1};
    tables.credits.assign(4, 1);
    router_bench router(params, tables);
    EXPECT_TRUE(router.pins().vc.empty());
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 2});
    router.credit(6, 2, 0);
    router.run(10);
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 0, 0x10}, out_flit{8, 2, 0, 0x11}));
}

// Sleep, reset, probe.

TEST(router_core, sleeps_exactly_when_nothing_can_happen) {
    router_tables tables = table_tables();
    tables.route_delay = 6;
    router_bench router(table_params(), tables);
    router.run(3);
    EXPECT_EQ(router.wakes[2], never);
    router.send(3, 0, 0, {.id = 1, .destination = 2});
    router.run(20);
    // Routed in 8, read in 9, pins quiet again in 11.
    EXPECT_EQ(router.wakes[3], 8u);
    EXPECT_EQ(router.wakes[7], 8u);
    EXPECT_EQ(router.wakes[8], 9u);
    EXPECT_EQ(router.wakes[9], 10u);
    EXPECT_EQ(router.wakes[10], never);
    EXPECT_THAT(router.times_of(2), ElementsAre(10));
}

TEST(router_core, timers_wrap_around) {
    for (cycle start = 0; start < 40; ++start) {
        router_tables tables = table_tables();
        tables.route_delay = 15;
        router_bench router(table_params(), tables);
        router.send(start, 0, 0, {.id = 1, .destination = 2});
        router.run(start + 30);
        EXPECT_EQ(router.wakes[start], start + 14);
        EXPECT_THAT(router.times_of(2), ElementsAre(start + 16));
    }
}

TEST(router_core, reset_drops_the_traffic_and_gives_the_credits_back) {
    router_params params = table_params();
    params.xbar_stages = 2;
    router_tables tables = table_tables();
    tables.route_delay = 4;
    router_bench router(params, tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 4});
    router.send(0, 1, 1, {.id = 2, .destination = 2, .flits = 4});
    router.flit(5, 3, 0, {}, false, false);  // an error
    router.run(6);
    EXPECT_FALSE(router.idle());
    router.reset();
    EXPECT_TRUE(router.idle());
    const std::size_t before = router.flits.size();
    router.run(30);
    EXPECT_EQ(router.flits.size(), before);
    EXPECT_EQ(router.probe().outputs[4].credits, 4u);
    // Pointers stand at 0 again.
    router.send(30, 1, 1, {.id = 3, .destination = 2});
    router.send(30, 0, 1, {.id = 4, .destination = 2});
    router.run(50);
    EXPECT_THAT(router.flits_of(2), ElementsAre(out_flit{37, 2, 0, 0x40}, out_flit{38, 2, 1, 0x30}));
}

TEST(router_core, probe_shows_fronts_and_holders) {
    router_tables tables = table_tables();
    tables.credits.assign(4, 1);
    tables.route_delay = 2;
    router_bench router(table_params(), tables);
    router.send(0, 0, 1, {.id = 1, .destination = 2, .flits = 3, .service_class = 1});
    router.send(1, 1, 0, {.id = 2, .destination = 2, .flits = 2, .service_class = 1});
    router.send(1, 3, 0, {.id = 3, .destination = 7, .flits = 1});
    router.run(1);
    EXPECT_EQ(router.probe().inputs[1].state, 1);
    EXPECT_EQ(router.probe().inputs[0].state, 0);
    router.run(3);
    EXPECT_EQ(router.probe().inputs[6].state, 3);
    router.run(10);
    const auto probe = router.probe();
    ASSERT_EQ(probe.inputs.size(), 8u);
    ASSERT_EQ(probe.outputs.size(), 8u);
    EXPECT_EQ(probe.inputs[1].occupied, 2u);
    EXPECT_EQ(probe.inputs[1].state, 2);
    EXPECT_EQ(probe.inputs[1].waiting, 0u);
    EXPECT_EQ(probe.inputs[1].reading, 4u);
    EXPECT_EQ(probe.inputs[2].waiting, 4u);
    EXPECT_EQ(probe.inputs[2].reading, 0u);
    EXPECT_EQ(probe.inputs[6].state, 0);
    EXPECT_TRUE(probe.outputs[4].held);
    EXPECT_EQ(probe.outputs[4].holder, 1);
    EXPECT_EQ(probe.outputs[4].credits, 0u);
    EXPECT_FALSE(probe.outputs[5].held);
    EXPECT_EQ(probe.outputs[5].credits, 1u);
}

TEST(router_core, memory_counts_buffers) {
    router_params params = table_params();
    const std::size_t small = hw::chips::router_core(params, table_tables()).memory_bytes();
    params.vc_flits = 1004;
    EXPECT_GE(hw::chips::router_core(params, table_tables()).memory_bytes(), small + 8 * 1000 * (16 + 2));
}

// What is refused.

std::string refusal(const router_params& params, const router_tables& tables) {
    return testbench::unit::refusal([&] { const hw::chips::router_core core(params, tables); });
}

TEST(router_core, refuses_parameters_outside_their_range) {
    const auto with = [](auto change) {
        router_params params = mesh_params();
        change(params);
        router_tables tables = mesh_tables();
        tables.credits.assign(params.ports, 4);
        return refusal(params, tables);
    };
    EXPECT_EQ(with([](router_params&) {}), "accepted");
    EXPECT_THAT(with([](router_params& p) { p.ports = 1; }), HasSubstr("ports must be 2..32, not 1"));
    EXPECT_THAT(with([](router_params& p) { p.ports = 33; }), HasSubstr("ports must be 2..32, not 33"));
    EXPECT_THAT(with([](router_params& p) { p.vcs = 17; }), HasSubstr("virtual channels must be 1..16"));
    EXPECT_THAT(with([](router_params& p) { p.vcs = 0; }), HasSubstr("virtual channels must be 1..16"));
    EXPECT_THAT(with([](router_params& p) { p.vcs = 11; }), HasSubstr("ports times virtual channels"));
    EXPECT_THAT(with([](router_params& p) { p.vc_flits = 0; }), HasSubstr("flits of a buffer"));
    EXPECT_THAT(with([](router_params& p) { p.vc_flits = 4097; }), HasSubstr("flits of a buffer"));
    EXPECT_THAT(with([](router_params& p) { p.flit_bytes = 65; }), HasSubstr("bytes of a flit"));
    EXPECT_THAT(with([](router_params& p) { p.flit_bytes = 2; }), HasSubstr("does not hold a header of 7"));
    EXPECT_THAT(with([](router_params& p) { p.dimensions = 5; }), HasSubstr("dimensions must be 1..4"));
    EXPECT_THAT(with([](router_params& p) { p.dimensions = 0; }), HasSubstr("dimensions must be 1..4"));
    EXPECT_THAT(with([](router_params& p) { p.radix = 1; }), HasSubstr("radix must be 2..1024"));
    EXPECT_THAT(with([](router_params& p) { p.dimensions = 3, p.radix = 257, p.ports = 7; }), HasSubstr("16777216"));
    EXPECT_THAT(with([](router_params& p) { p.max_nodes = 65537; }), HasSubstr("max_nodes must be"));
    EXPECT_THAT(with([](router_params& p) { p.xbar_stages = 16; }), HasSubstr("pipeline stages"));
    EXPECT_THAT(with([](router_params& p) { p.ports = 4; }), HasSubstr("more than 2 x dimensions ports"));
    EXPECT_THAT(with([](router_params& p) { p.ports = 17; }), HasSubstr("at most 16 ports, not 17"));
    EXPECT_EQ(with([](router_params& p) { p.ports = 17, p.copies = false; }), "accepted");
}

TEST(router_core, refuses_tables_outside_their_range) {
    const auto with = [](auto change) {
        router_tables tables = table_tables();
        change(tables);
        return refusal(table_params(), tables);
    };
    EXPECT_EQ(with([](router_tables&) {}), "accepted");
    EXPECT_THAT(with([](router_tables& t) { t.route_delay = 0; }), HasSubstr("cycles of routing must be 1..15"));
    EXPECT_THAT(with([](router_tables& t) { t.route_delay = 16; }), HasSubstr("cycles of routing must be 1..15"));
    EXPECT_THAT(with([](router_tables& t) { t.iterations = 5; }), HasSubstr("iterations must be 1..4"));
    EXPECT_THAT(with([](router_tables& t) { t.reserve = 0; }), HasSubstr("the reserve must be"));
    EXPECT_THAT(with([](router_tables& t) { t.packet_limit = 65536; }), HasSubstr("the packet limit must be"));
    EXPECT_THAT(with([](router_tables& t) { t.wrap = 2; }), HasSubstr("a dimension that is a ring"));
    EXPECT_EQ(with([](router_tables& t) { t.node = 8; }), "accepted");
    EXPECT_THAT(with([](router_tables& t) { t.node = 8, t.wrap = 1; }), HasSubstr("less than the number of nodes"));
    EXPECT_THAT(with([](router_tables& t) { t.node = 8, t.table = false; }),
                HasSubstr("less than the number of nodes"));
    EXPECT_THAT(with([](router_tables& t) { t.route.resize(9); }), HasSubstr("more than max_nodes entries"));
    EXPECT_THAT(with([](router_tables& t) { t.route[3] = 16; }), HasSubstr("a port that does not exist"));
    EXPECT_THAT(with([](router_tables& t) { t.credits.pop_back(); }), HasSubstr("one entry per port"));
    EXPECT_THAT(with([](router_tables& t) { t.credits[1] = 65536; }), HasSubstr("credits must be 0..65535"));
    EXPECT_THAT(with([](router_tables& t) { t.vc_sets[7][1] = 4; }),
                HasSubstr("a virtual channel that does not exist"));
    router_params params = table_params();
    params.max_nodes = 0;
    router_tables tables = table_tables();
    tables.route.clear();
    EXPECT_THAT(refusal(params, tables), HasSubstr("max_nodes is 0"));
}

}  // namespace
}  // namespace polycast::testbench::unit
