// SPDX-License-Identifier: Apache-2.0
// Who is next, as hw/chips/vl_switch/vl_switch.md says: lanes, inputs, weights, read ports, owed credits.
#include "testbench/unit/hw/chips/vl_switch/vl_switch_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;

using testing::SizeIs;

/// Holds port 3 in cycles 1 to 4, while others come.
void hold(vl_switch_bench& chip) {
    chip.send(0, 2, 0, {.id = 9, .dlid = 4, .flits = 4});
}

/// So many credits that they do not matter.
vl_switch_tables rich_tables() {
    vl_switch_tables tables = lane_tables();
    tables.credits.assign(8, 1000);
    return tables;
}

/// Which packets left by port 3, after the one that held it.
std::vector<unsigned> order_of(const vl_switch_bench& chip) {
    std::vector<unsigned> ids;
    for (const unsigned id : chip.ids_of(3))
        if (id / 16 != 9) ids.push_back(id / 16);
    return ids;
}

std::vector<unsigned> order_of_inputs(hw::format::arbitration how) {
    vl_switch_tables tables = rich_tables();
    tables.arbitration = how;
    vl_switch_bench chip(lane_params(), tables);
    hold(chip);
    chip.send(1, 0, 0, {.id = 1, .dlid = 4});
    chip.send(2, 0, 1, {.id = 2, .dlid = 4});
    chip.send(1, 1, 0, {.id = 3, .dlid = 4});
    chip.send(2, 1, 1, {.id = 4, .dlid = 4});
    chip.send(3, 0, 0, {.id = 5, .dlid = 4});
    chip.run(30);
    EXPECT_THAT(chip.times_of(3), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10));  // no cycle is lost behind a tail
    return order_of(chip);
}

TEST(vl_switch_arbitration, inputs_and_their_lanes_take_turns) {
    // Input 2 had it last; the lanes of an input follow each other.
    EXPECT_THAT(order_of_inputs(hw::format::arbitration::round_robin), ElementsAre(1, 2, 3, 4, 5));
}

TEST(vl_switch_arbitration, lowest_input_lane_first) {
    EXPECT_THAT(order_of_inputs(hw::format::arbitration::fixed), ElementsAre(1, 5, 2, 3, 4));
}

TEST(vl_switch_arbitration, lanes_of_an_output_take_turns) {
    vl_switch_bench chip(lane_params(), rich_tables());
    hold(chip);
    for (const unsigned id : {1u, 2u}) chip.send(id, 0, 0, {.id = id, .dlid = 4});
    for (const unsigned id : {3u, 4u}) chip.send(id - 2, 1, 1, {.id = id, .dlid = 4, .sl = 1});
    chip.run(30);
    EXPECT_THAT(order_of(chip), ElementsAre(3, 1, 4, 2));
}

TEST(vl_switch_arbitration, pointers_of_the_lanes_of_an_output_are_their_own) {
    vl_switch_bench chip(lane_params(), rich_tables());
    hold(chip);  // by input 2 on VL 0: next on VL 0 would be input lane 5, on VL 1 still 0
    for (unsigned port = 0; port < 2; ++port) {
        chip.send(1, port, 0, {.id = 1 + port, .dlid = 4, .sl = 1});
        chip.send(2, port, 1, {.id = 3 + port, .dlid = 4, .sl = 1});
    }
    chip.send(10, 3, 0, {.id = 5, .dlid = 3});
    chip.run(30);
    EXPECT_THAT(order_of(chip), ElementsAre(1, 3, 2, 4));
}

TEST(vl_switch_arbitration, a_full_lane_stops_no_other) {
    vl_switch_tables tables = rich_tables();
    tables.credits[6] = 2;  // those of the packet that holds port 3
    vl_switch_bench chip(lane_params(), tables);
    hold(chip);
    chip.send(1, 0, 0, {.id = 1, .dlid = 4});
    for (const unsigned id : {3u, 4u}) chip.send(id - 2, 1, 1, {.id = id, .dlid = 4, .sl = 1});
    chip.credit(20, 3, 0);  // one of two
    chip.credit(30, 3, 0);
    chip.run(50);
    EXPECT_THAT(order_of(chip), ElementsAre(3, 4, 1));
    EXPECT_THAT(chip.times_of(3), ElementsAre(2, 3, 4, 5, 6, 7, 32));
}

// Weights.

struct weighted_traffic {
    unsigned flit_bytes = 16;
    std::vector<hw::chips::vl_weights::entry> high = {};
    std::vector<hw::chips::vl_weights::entry> low = {};
    unsigned high_limit = 0;
    unsigned flits = 4;  ///< of a packet
    unsigned on_vl_0 = 6;
    unsigned on_vl_1 = 6;
};

/// Inputs 0 and 1 send packets on VL 0 and VL 1 to port 3. \returns the lanes in the order of the packets
std::vector<unsigned> order_of_lanes(const weighted_traffic& what) {
    vl_switch_params params = lane_params();
    params.weighted = true;
    params.flit_bytes = what.flit_bytes;
    params.chunks = 80;
    vl_switch_tables tables = rich_tables();
    tables.policy = hw::chips::vl_policy::weighted;
    tables.vl_chunks.assign(8, 80);
    tables.weights.resize(4);
    for (auto& weights : tables.weights) {
        std::ranges::copy(what.high, weights.high.begin());
        std::ranges::copy(what.low, weights.low.begin());
        weights.high_limit = static_cast<std::uint8_t>(what.high_limit);
    }
    vl_switch_bench chip(params, tables);
    for (unsigned packet = 0; packet < what.on_vl_0; ++packet)
        chip.send(packet * what.flits, 0, 0, {.id = 1, .dlid = 4, .flits = what.flits});
    for (unsigned packet = 0; packet < what.on_vl_1; ++packet)
        chip.send(packet * what.flits, 1, 1, {.id = 2, .dlid = 4, .flits = what.flits, .sl = 1});
    chip.run(400);
    std::vector<unsigned> lanes;
    for (std::size_t flit = 0; flit < chip.flits.size(); flit += what.flits) lanes.push_back(chip.flits[flit].vl);
    EXPECT_THAT(lanes, SizeIs(what.on_vl_0 + what.on_vl_1));
    return lanes;
}

TEST(vl_switch_weights, limit_0_lets_a_low_packet_behind_each_high_one) {
    EXPECT_THAT(order_of_lanes({.high = {{0, 255}}, .low = {{1, 255}}, .high_limit = 0}),
                ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(vl_switch_weights, limit_255_lets_high_packets_pass_always) {
    EXPECT_THAT(order_of_lanes({.high = {{0, 255}}, .low = {{1, 255}}, .high_limit = 255}),
                ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
}

TEST(vl_switch_weights, a_limit_counts_bytes) {
    // 4,096 bytes are 16 packets of 4 flits of 64 bytes.
    const std::vector<unsigned> lanes = order_of_lanes(
        {.flit_bytes = 64, .high = {{0, 255}}, .low = {{1, 255}}, .high_limit = 1, .on_vl_0 = 20, .on_vl_1 = 2});
    EXPECT_THAT(lanes, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1));
}

TEST(vl_switch_weights, a_low_packet_waits_for_no_high_one_that_is_not_there) {
    EXPECT_THAT(order_of_lanes({.high = {{0, 1}}, .low = {{1, 1}}, .high_limit = 255, .on_vl_0 = 1, .on_vl_1 = 3}),
                ElementsAre(0, 1, 1, 1));
}

TEST(vl_switch_weights, high_packets_go_on_without_budget_if_there_is_no_low_one) {
    EXPECT_THAT(order_of_lanes({.high = {{0, 1}, {1, 1}}, .high_limit = 0, .on_vl_0 = 3, .on_vl_1 = 0}),
                ElementsAre(0, 0, 0));
}

TEST(vl_switch_weights, an_entry_is_served_until_its_weight_is_used) {
    // 4 flits of 16 bytes are one unit.
    EXPECT_THAT(order_of_lanes({.low = {{0, 2}, {1, 1}, {0, 2}, {1, 1}}, .on_vl_0 = 6, .on_vl_1 = 3}),
                ElementsAre(0, 0, 1, 0, 0, 1, 0, 0, 1));
}

TEST(vl_switch_weights, entries_without_weight_do_not_count) {
    EXPECT_THAT(order_of_lanes({.low = {{1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}}, .on_vl_0 = 3, .on_vl_1 = 2}),
                ElementsAre(0, 1, 0, 0, 1));
}

TEST(vl_switch_weights, bytes_are_rounded_up) {
    // A flit of 16 bytes is a unit as well, and five of 64 bytes more than the weight that is left.
    EXPECT_THAT(order_of_lanes({.low = {{0, 2}, {1, 1}}, .flits = 1, .on_vl_0 = 4, .on_vl_1 = 1}),
                ElementsAre(0, 0, 1, 0, 0));
    EXPECT_THAT(order_of_lanes({.flit_bytes = 64, .low = {{0, 5}, {1, 1}}, .on_vl_0 = 4, .on_vl_1 = 1}),
                ElementsAre(0, 0, 1, 0, 0));
}

TEST(vl_switch_weights, the_only_entry_of_a_lane_comes_again_with_all_of_its_weight) {
    EXPECT_THAT(order_of_lanes({.high = {{0, 1}}, .low = {{1, 1}}, .high_limit = 255, .on_vl_0 = 4, .on_vl_1 = 1}),
                ElementsAre(0, 0, 0, 0, 1));
}

// Read ports and owed credits.

TEST(vl_switch_read_ports, one_output_reads_at_a_time_in_turn) {
    vl_switch_params params = lane_params();
    params.read_ports = 1;
    vl_switch_bench chip(params, lane_tables());
    chip.send(0, 0, 0, {.id = 1, .dlid = 0xc00e, .flits = 2});
    chip.run(20);
    EXPECT_THAT(chip.times_of(1), ElementsAre(2, 5));
    EXPECT_THAT(chip.times_of(2), ElementsAre(3, 6));
    EXPECT_THAT(chip.times_of(3), ElementsAre(4, 7));
    EXPECT_THAT(chip.credits, ElementsAre(lane_credit{7, 0, 0}));
    // An output that has a flit and does not read waits.
    EXPECT_THAT(chip.waits[1], ElementsAre(3, 4));
    EXPECT_THAT(chip.waits[2], ElementsAre(2, 4, 5));
    EXPECT_THAT(chip.waits[3], ElementsAre(2, 3, 5, 6));
}

TEST(vl_switch_read_ports, lanes_of_an_input_share_them) {
    vl_switch_params params = lane_params();
    params.read_ports = 1;
    vl_switch_bench chip(params, lane_tables());
    chip.send(0, 0, 0, {.id = 1, .dlid = 2, .flits = 3});
    chip.send(3, 0, 1, {.id = 2, .dlid = 3, .flits = 2});
    chip.send(0, 1, 0, {.id = 3, .dlid = 4, .flits = 3});  // another input reads beside them
    chip.run(20);
    EXPECT_THAT(chip.times_of(1), ElementsAre(2, 3, 4));
    EXPECT_THAT(chip.times_of(2), ElementsAre(5, 6));
    EXPECT_THAT(chip.times_of(3), ElementsAre(2, 3, 4));
}

/// Chunks of both lanes of input 0 are free in cycle 15. \returns the credits from then on
std::vector<lane_credit> owed_to_both(bool after_lane_0) {
    vl_switch_bench chip(lane_params(), rich_tables());
    if (after_lane_0) chip.send(0, 0, 0, {.id = 7, .dlid = 4});
    chip.send(10, 3, 0, {.id = 9, .dlid = 2, .flits = 4});  // holds port 1 in 11 to 14
    chip.send(11, 0, 0, {.id = 1, .dlid = 2});
    chip.send(14, 0, 1, {.id = 2, .dlid = 3});
    chip.run(16);
    EXPECT_FALSE(chip.idle());
    chip.run(30);
    EXPECT_TRUE(chip.idle());
    std::erase_if(chip.credits, [](const lane_credit& credit) { return credit.port != 0 || credit.when < 15; });
    return chip.credits;
}

TEST(vl_switch_credits, one_that_is_owed_leaves_in_each_cycle_in_turn) {
    EXPECT_THAT(owed_to_both(false), ElementsAre(lane_credit{16, 0, 0}, lane_credit{17, 0, 1}));
    EXPECT_THAT(owed_to_both(true), ElementsAre(lane_credit{16, 0, 1}, lane_credit{17, 0, 0}));
}

}  // namespace
}  // namespace polycast::testbench::unit
