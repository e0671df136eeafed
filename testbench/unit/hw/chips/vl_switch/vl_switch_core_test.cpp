// SPDX-License-Identifier: Apache-2.0
// Pipeline, routes, errors, credits and head of queue of hw/chips/vl_switch/vl_switch.md, cycle by cycle.
#include "testbench/unit/hw/chips/vl_switch/vl_switch_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr cycle never = hw::engine::never;

/// Credits of VL 0 of port 3 are those of one packet; it is sent at once, and its receiver gives none back.
vl_switch_tables stuck_tables() {
    vl_switch_tables tables = lane_tables();
    tables.credits[6] = 2;
    return tables;
}
constexpr lid_packet spender{.id = 9, .dlid = 4, .flits = 4};

TEST(vl_switch_core, head_and_body_at_zero_load) {
    vl_switch_bench chip(lane_params(), lane_tables());
    chip.send(10, 0, 1, {.id = 3, .dlid = 3, .flits = 3, .sl = 1});
    chip.run(20);
    // In t = 10, granted and read in t + 1, on the pins in t + 2. The first chunk is free with its second flit.
    EXPECT_THAT(chip.flits,
                ElementsAre(lane_flit{12, 2, 1, 0x30}, lane_flit{13, 2, 1, 0x31}, lane_flit{14, 2, 1, 0x32}));
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{13, 0, 1}, lane_credit{14, 0, 1}));
    EXPECT_THAT(chip.errors, IsEmpty());
    EXPECT_TRUE(chip.waits.empty());
    EXPECT_TRUE(chip.idle());
}

TEST(vl_switch_core, credit_of_a_chunk_whose_last_reader_reads_in_the_next_cycle) {
    vl_switch_bench chip(lane_params(), stuck_tables());
    chip.send(0, 0, 0, {.id = 1, .dlid = 4});
    chip.run(2);
    EXPECT_EQ(chip.pins().valid, 8u);
    EXPECT_EQ(chip.pins().head, 8u);
    EXPECT_EQ(chip.pins().tail, 8u);
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{2, 0, 0}));
    // One of two credits is left, too few for the longest packet. One that comes in cycle 8 counts in 9.
    chip.send(4, 1, 0, {.id = 2, .dlid = 4});
    chip.credit(8, 3, 0);
    chip.run(20);
    EXPECT_THAT(chip.times_of(3), ElementsAre(2, 10));
    EXPECT_THAT(chip.waits[3], ElementsAre(6, 7, 8, 9));
}

TEST(vl_switch_core, route_delay_and_crossbar_stages_add_up) {
    for (unsigned delay = 1; delay <= 15; ++delay) {
        for (const unsigned stages : {0u, 1u, 4u}) {
            vl_switch_params params = lane_params();
            params.xbar_stages = stages;
            vl_switch_tables tables = lane_tables();
            tables.route_delay = delay;
            vl_switch_bench chip(params, tables);
            chip.send(5, 0, 0, {.id = 1, .dlid = 4, .flits = 2});
            chip.run(60);
            EXPECT_THAT(chip.times_of(3), ElementsAre(6 + delay + stages, 7 + delay + stages));
            EXPECT_THAT(chip.credits, ElementsAre(lane_credit{7 + delay, 0, 0}));
            EXPECT_TRUE(chip.idle());
        }
    }
}

TEST(vl_switch_core, header_in_several_flits) {
    vl_switch_params params = lane_params();
    params.flit_bytes = 4;
    vl_switch_tables tables = lane_tables();
    tables.packet_limit = 6;
    vl_switch_bench chip(params, tables);
    byte_list header = vl_switch_bench::header(4);
    header.resize(20);
    for (unsigned index = 0; index < 5; ++index)
        chip.flit(index, 0, 0, {header.begin() + 4 * index, header.begin() + 4 * index + 4}, index == 0, index == 4);
    chip.run(20);
    EXPECT_THAT(chip.times_of(3), ElementsAre(5, 6, 7, 8, 9));  // the last of 4 header flits came in cycle 3
}

TEST(vl_switch_core, free_header_goes_along_unchanged) {
    vl_switch_params params = lane_params();
    params.header_free = true;
    vl_switch_bench chip(params, lane_tables());
    byte_list header = vl_switch_bench::header(3, 0xf1);  // bits behind the service level are not read
    header.resize(params.pin_shape().header_bytes, 0x5a);
    chip.flit(0, 0, 0, {1, 2, 3}, true, true, 1, header);
    chip.run(2);
    EXPECT_THAT(chip.flits, ElementsAre(lane_flit{2, 2, 1, 1}));
    const auto first = chip.pins().header.begin() + 2 * static_cast<std::ptrdiff_t>(header.size());
    EXPECT_EQ(byte_list(first, first + static_cast<std::ptrdiff_t>(header.size())), header);
}

TEST(vl_switch_core, packets_behind_others_are_routed_while_they_wait) {
    vl_switch_tables tables = lane_tables();
    tables.route_delay = 3;
    vl_switch_bench chip(lane_params(), tables);
    for (unsigned id = 1; id <= 3; ++id) chip.send(id - 1, 0, 0, {.id = id, .dlid = id + 1});
    chip.run(20);
    EXPECT_THAT(chip.flits, ElementsAre(lane_flit{4, 1, 0, 0x10}, lane_flit{5, 2, 0, 0x20}, lane_flit{6, 3, 0, 0x30}));
}

TEST(vl_switch_core, lanes_of_an_input_may_be_mixed) {
    vl_switch_bench chip(lane_params(), lane_tables());
    const auto half = [&](cycle when, unsigned vl, unsigned dlid, unsigned id, bool head) {
        chip.flit(when, 0, vl, head ? vl_switch_bench::header(dlid, vl) : byte_list{}, head, !head, id);
    };
    half(0, 0, 2, 0x10, true);
    half(1, 1, 3, 0x20, true);
    half(2, 0, 2, 0x11, false);
    half(3, 1, 3, 0x21, false);
    chip.run(20);
    EXPECT_THAT(chip.flits, ElementsAre(lane_flit{2, 1, 0, 0x10}, lane_flit{3, 2, 1, 0x20}, lane_flit{4, 1, 0, 0x11},
                                        lane_flit{5, 2, 1, 0x21}));
}

TEST(vl_switch_core, multicast_is_copied_by_a_reader_for_each_output) {
    vl_switch_bench chip(lane_params(), stuck_tables());
    chip.send(0, 1, 0, spender);
    chip.send(20, 0, 0, {.id = 1, .dlid = 0xc00f, .flits = 2});  // to all but the port of arrival
    chip.credit(25, 3, 0);
    chip.credit(26, 3, 0);
    chip.run(40);
    EXPECT_THAT(chip.times_of(0), IsEmpty());
    EXPECT_THAT(chip.times_of(1), ElementsAre(22, 23));
    EXPECT_THAT(chip.times_of(2), ElementsAre(22, 23));
    EXPECT_THAT(chip.times_of(3), ElementsAre(2, 3, 4, 5, 28, 29));
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{3, 1, 0}, lane_credit{5, 1, 0}, lane_credit{29, 0, 0}));
    EXPECT_THAT(chip.errors, IsEmpty());
}

// Errors.

struct route_case {
    unsigned dlid;
    unsigned sl;
    std::vector<chip_error> errors;
    std::vector<unsigned> outputs;
};

TEST(vl_switch_core, route_errors) {
    vl_switch_tables tables = lane_tables();
    tables.credits[4] = tables.credits[5] = 0;  // port 2 is open
    tables.credits[7] = 0;                      // port 3 has VL 0 alone
    for (const route_case& each : std::vector<route_case>{
             {1, 0, {chip_error::looping}, {}},
             {2, 0, {}, {1}},
             {4, 0, {}, {3}},
             {0, 0, {chip_error::no_route}, {}},
             {3, 0, {chip_error::no_route}, {}},  // open
             {5, 0, {chip_error::no_route}, {}},  // the switch itself
             {6, 0, {chip_error::no_route}, {}},  // none
             {7, 0, {chip_error::no_route}, {}},  // port 5 of 4
             {8, 0, {chip_error::no_route}, {}},  // beyond the table
             {0xbfff, 0, {chip_error::no_route}, {}},
             {0xc000, 0, {chip_error::no_route}, {}},  // nobody
             {0xc010, 0, {chip_error::no_route}, {}},  // beyond the table
             {0xffff, 0, {chip_error::no_route}, {}},
             {0xc001, 0, {}, {}},  // the port of arrival alone
             {0xc00b, 0, {}, {1, 3}},
             {0xc00e, 0, {chip_error::partial_route}, {1, 3}},
             {0xc004, 0, {chip_error::partial_route}, {}},
             {2, 15, {chip_error::vl_dropped}, {}},
             {4, 1, {chip_error::vl_dropped}, {}},
             {0xc00a, 1, {chip_error::vl_dropped}, {1}},
             {0xc00e, 1, {chip_error::partial_route, chip_error::vl_dropped}, {1}},
         }) {
        for (const unsigned delay : {1u, 4u}) {
            tables.route_delay = delay;
            vl_switch_bench chip(lane_params(), tables);
            chip.send(0, 0, 0, {.id = 1, .dlid = each.dlid, .sl = each.sl});
            chip.run(20);
            std::vector<port_error> errors;
            for (const chip_error error : each.errors) errors.push_back({delay, 0, error});
            EXPECT_EQ(chip.errors, errors) << std::hex << each.dlid << " " << each.sl;
            std::vector<unsigned> outputs;
            for (const lane_flit& flit : chip.flits) outputs.push_back(flit.port);
            EXPECT_EQ(outputs, each.outputs) << std::hex << each.dlid << " " << each.sl;
            EXPECT_THAT(chip.credits, ElementsAre(lane_credit{1 + delay, 0, 0})) << "dropped or not";
            EXPECT_TRUE(chip.idle());
        }
    }
}

TEST(vl_switch_core, other_kinds_are_dropped) {
    vl_switch_bench chip(lane_params(), lane_tables());
    byte_list header = vl_switch_bench::header(2);
    header[0] = static_cast<std::uint8_t>(hw::format::packet_kind::unicast);
    chip.flit(0, 1, 0, header, true, true);
    chip.run(10);
    EXPECT_THAT(chip.errors, ElementsAre(port_error{1, 1, chip_error::bad_kind}));
    EXPECT_THAT(chip.flits, IsEmpty());
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{2, 1, 0}));
}

TEST(vl_switch_core, short_header) {
    vl_switch_params params = lane_params();
    params.flit_bytes = 4;
    vl_switch_bench chip(params, lane_tables());
    chip.flit(0, 1, 0, vl_switch_bench::header(2), true, false);
    chip.flit(1, 1, 0, {}, false, true);
    chip.run(10);
    EXPECT_THAT(chip.errors, ElementsAre(port_error{2, 1, chip_error::short_header}));
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{4, 1, 0}));  // drained in 2 and 3
}

TEST(vl_switch_core, framing_errors) {
    vl_switch_bench chip(lane_params(), lane_tables());
    chip.flit(0, 1, 2, vl_switch_bench::header(2), true, true);  // VL 2
    chip.flit(10, 1, 0, {}, false, true);
    chip.flit(20, 1, 0, vl_switch_bench::header(3), true, false, 0x10);
    chip.flit(21, 1, 0, vl_switch_bench::header(4), true, true, 0x11);
    chip.send(30, 1, 1, {.id = 2, .dlid = 3, .flits = 6});
    chip.run(50);
    EXPECT_THAT(chip.errors,
                ElementsAre(port_error{1, 1, chip_error::bad_vc}, port_error{11, 1, chip_error::missing_head},
                            port_error{22, 1, chip_error::missing_tail}, port_error{34, 1, chip_error::too_long}));
    EXPECT_THAT(chip.ids_of(2), ElementsAre(0x10, 0x11, 0x20, 0x21, 0x22, 0x23));
    EXPECT_TRUE(chip.idle());
}

TEST(vl_switch_core, a_lane_that_overflows_is_dead_and_others_go_on) {
    vl_switch_tables tables = lane_tables();
    tables.route_delay = 15;
    tables.vl_chunks[2] = 2;
    vl_switch_bench chip(lane_params(), tables);
    for (unsigned id = 1; id <= 4; ++id) chip.send(id - 1, 1, 0, {.id = id, .dlid = 3});
    chip.send(4, 1, 1, {.id = 5, .dlid = 3});
    chip.send(40, 1, 0, {.id = 6, .dlid = 3});
    chip.run(60);
    EXPECT_THAT(chip.errors, ElementsAre(port_error{3, 1, chip_error::overflow}));
    EXPECT_THAT(chip.ids_of(2), ElementsAre(0x10, 0x20, 0x50));
    chip.reset();
    chip.send(70, 1, 0, {.id = 7, .dlid = 3});
    chip.run(100);
    EXPECT_EQ(chip.ids_of(2).back(), 0x70u);
}

TEST(vl_switch_core, credits_that_nobody_spent) {
    vl_switch_tables tables = lane_tables();
    tables.credits[7] = 0;
    vl_switch_bench chip(lane_params(), tables);
    chip.credit(0, 3, 0);
    chip.credit(1, 3, 1);  // a lane that is not there at this port
    chip.credit(2, 3, 2);
    // Whether one is outstanding is asked before the cycle's read: the packet that comes in 3 is read in 4.
    chip.send(3, 0, 0, {.id = 1, .dlid = 4});
    chip.credit(4, 3, 0);
    chip.credit(5, 3, 0);
    chip.run(20);
    EXPECT_THAT(
        chip.errors,
        ElementsAre(port_error{1, 3, chip_error::credit_overflow}, port_error{2, 3, chip_error::credit_overflow},
                    port_error{3, 3, chip_error::bad_vc}, port_error{5, 3, chip_error::credit_overflow}));
    EXPECT_EQ(chip.probe().outputs[6].credits, 4);
}

// Head of queue, and waits.

TEST(vl_switch_core, head_of_queue_drops_what_was_never_granted) {
    vl_switch_tables tables = stuck_tables();
    tables.hoq_life = 5;
    vl_switch_bench chip(lane_params(), tables);
    chip.send(0, 0, 0, spender);
    chip.send(0, 1, 0, {.id = 2, .dlid = 4});
    chip.run(20);
    // At the front in cycles 1 to 5, given up at the end of 5, drained in 6. Port 3 reads in 1 to 4.
    EXPECT_THAT(chip.errors, ElementsAre(port_error{6, 3, chip_error::hoq_dropped}));
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{3, 0, 0}, lane_credit{5, 0, 0}, lane_credit{7, 1, 0}));
    EXPECT_THAT(chip.waits[3], ElementsAre(6));
    EXPECT_TRUE(chip.idle());
}

TEST(vl_switch_core, head_of_queue_leaves_granted_branches) {
    for (const auto& [life, credits] : std::vector<std::pair<unsigned, std::vector<lane_credit>>>{
             {3, {{24, 0, 0}, {25, 0, 0}}},     // given up in 23, when one chunk has been read
             {5, {{26, 0, 0}, {27, 0, 0}}}}) {  // in 25, when all has: one credit a cycle
        vl_switch_tables tables = stuck_tables();
        tables.hoq_life = life;
        vl_switch_bench chip(lane_params(), tables);
        chip.send(0, 1, 0, spender);
        chip.send(20, 0, 0, {.id = 5, .dlid = 0xc00c, .flits = 4});
        chip.run(40);
        EXPECT_THAT(chip.errors, ElementsAre(port_error{21 + life, 3, chip_error::hoq_dropped}));
        EXPECT_THAT(chip.times_of(2), ElementsAre(22, 23, 24, 25));
        chip.credits.erase(chip.credits.begin(), chip.credits.begin() + 2);  // of what was sent first
        EXPECT_EQ(chip.credits, credits);
        EXPECT_TRUE(chip.idle());
    }
}

TEST(vl_switch_core, without_a_limit_packets_wait_for_ever) {
    vl_switch_bench chip(lane_params(), stuck_tables());
    chip.send(0, 0, 0, spender);
    chip.send(0, 1, 0, {.id = 2, .dlid = 4});
    chip.run(50);
    EXPECT_EQ(chip.waits[3].front(), 6u);
    EXPECT_EQ(chip.waits[3].size(), 45u);  // it stays while nobody steps the switch
    EXPECT_EQ(chip.wake(), never);
    EXPECT_EQ(chip.probe().inputs[2].state, 2);
    EXPECT_EQ(chip.probe().inputs[2].waiting, 8u);
    EXPECT_FALSE(chip.idle());
}

TEST(vl_switch_core, state_on_probes) {
    vl_switch_tables tables = lane_tables();
    tables.route_delay = 2;
    vl_switch_bench chip(lane_params(), tables);
    chip.send(0, 1, 1, {.id = 1, .dlid = 4, .flits = 4, .sl = 1});
    chip.send(4, 1, 1, {.id = 2, .dlid = 5, .flits = 2});
    chip.run(1);
    EXPECT_EQ(chip.probe().inputs[3].state, 1);
    chip.run(2);
    EXPECT_EQ(chip.probe().inputs[3].state, 2);
    EXPECT_EQ(chip.probe().inputs[3].waiting, 8u);
    chip.run(3);
    EXPECT_EQ(chip.probe().inputs[3].waiting, 0u);
    EXPECT_EQ(chip.probe().inputs[3].reading, 8u);
    EXPECT_TRUE(chip.probe().outputs[7].held);
    EXPECT_FALSE(chip.probe().outputs[6].held);
    EXPECT_EQ(chip.probe().outputs[7].holder, 1);
    EXPECT_EQ(chip.probe().outputs[7].credits, 3);
    chip.run(6);
    EXPECT_EQ(chip.probe().inputs[3].state, 3);
    chip.run(20);
    EXPECT_EQ(chip.probe().inputs[3].state, 0);
}

// What is refused.

std::string refusal(const vl_switch_params& params, const vl_switch_tables& tables) {
    return testbench::unit::refusal([&] { const hw::chips::vl_switch_core core(params, tables); });
}

TEST(vl_switch_core, refuses_tables_that_do_not_fit) {
    const auto with = [](const std::function<void(vl_switch_tables&)>& change) {
        vl_switch_tables tables = lane_tables();
        change(tables);
        return refusal(lane_params(), tables);
    };
    EXPECT_EQ(with([](vl_switch_tables&) {}), "accepted");
    EXPECT_THAT(with([](auto& t) { t.route_delay = 16; }), HasSubstr("cycles of routing"));
    EXPECT_THAT(with([](auto& t) { t.packet_limit = 0; }), HasSubstr("the packet limit"));
    EXPECT_THAT(with([](auto& t) { t.hoq_life = 1u << 20; }), HasSubstr("the head of a queue"));
    EXPECT_THAT(with([](auto& t) { t.credits.pop_back(); }), HasSubstr("one entry per port and VL"));
    EXPECT_THAT(with([](auto& t) { t.vl_chunks[3] = 5; }), HasSubstr("usable chunks of VL 1 of port 2 must be 0..4"));
    EXPECT_THAT(with([](auto& t) { t.credits[7] = 65536; }), HasSubstr("credits of VL 1 of port 4 must be 0..65535"));
    EXPECT_THAT(with([](auto& t) { t.vl_chunks[0] = 1; }), HasSubstr("does not hold the longest packet"));
    EXPECT_THAT(with([](auto& t) { t.credits[0] = 1; }), HasSubstr("which takes 2 chunks"));
    EXPECT_THAT(with([](auto& t) { t.lft.resize(65); }), HasSubstr("more than max_lids entries"));
    EXPECT_THAT(with([](auto& t) { t.mft.resize(17); }), HasSubstr("more than max_groups entries"));
    EXPECT_THAT(with([](auto& t) { t.sl2vl = nullptr; }), HasSubstr("one entry per input and output"));
    EXPECT_THAT(with([](auto& t) { t.policy = hw::chips::vl_policy::weighted; }),
                HasSubstr("needs parameter weighted"));
}

TEST(vl_switch_core, refuses_lanes_that_no_table_of_arbitration_has) {
    vl_switch_params params = lane_params();
    params.weighted = true;
    vl_switch_tables tables = lane_tables();
    tables.policy = hw::chips::vl_policy::weighted;
    EXPECT_THAT(refusal(params, tables), HasSubstr("a table of VL arbitration is missing"));
    tables.weights.resize(4);
    for (auto& weights : tables.weights) weights.low[0] = {0, 1}, weights.high[7] = {1, 1};
    EXPECT_EQ(refusal(params, tables), "accepted");
    tables.weights[2].high[7].weight = 0;
    EXPECT_THAT(refusal(params, tables), HasSubstr("VL 1 of port 3 is in use"));
}

}  // namespace
}  // namespace polycast::testbench::unit
