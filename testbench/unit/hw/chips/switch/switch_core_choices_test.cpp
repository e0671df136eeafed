// SPDX-License-Identifier: Apache-2.0
// Where hw/chips/switch/switch.md chooses: which input an output takes, which of several ports a packet takes, which
// branches read.
#include "testbench/unit/hw/chips/switch/switch_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

switch_params free_params() {
    switch_params params = small_params();
    params.header_free = true;
    return params;
}

struct switch_choices : both_models {};

/// Inputs in the order in which their packets appear on `port`: the first byte of each packet names its input.
std::vector<unsigned> order_on(const switch_bench& switch_, unsigned port) {
    std::vector<unsigned> order;
    for (const seen_flit& flit : switch_.flits_of(port)) {
        if (flit.head) order.push_back(flit.data[0]);
    }
    return order;
}

void send_named(switch_bench& switch_, cycle when, unsigned input, unsigned destination, unsigned flits = 2) {
    link_packet packet = switch_.unicast(destination, flits);
    packet.flits[0][0] = static_cast<std::uint8_t>(input);
    switch_.send(when, input, packet);
}

TEST_P(switch_choices, round_robin_arbitration) {
    switch_bench switch_ = bench(free_params());
    send_named(switch_, 1, 2, 2);  // pointer goes to 3
    for (unsigned round = 0; round < 2; ++round) {
        for (const unsigned input : {0u, 1u, 3u}) send_named(switch_, 10 + 2 * round, input, 2);
    }
    switch_.run(60);
    EXPECT_THAT(order_on(switch_, 2), ElementsAre(2, 3, 0, 1, 3, 0, 1));
    // Tail read in t, next grant and read in t+1: no bubble.
    std::vector<cycle> expected = in_a_row(3, 2);
    for (const cycle when : in_a_row(12, 12)) expected.push_back(when);
    EXPECT_EQ(switch_.times_of(2), expected);
}

TEST_P(switch_choices, fixed_arbitration) {
    switch_tables tables = small_tables();
    tables.arbitration = hw::format::arbitration::fixed;
    switch_bench switch_ = bench(free_params(), tables);
    for (unsigned round = 0; round < 3; ++round) {
        for (const unsigned input : {0u, 1u, 3u}) send_named(switch_, 10 + 2 * round, input, 2);
    }
    switch_.run(60);
    // After its tail in t an input is routed in t+1 and asks in t+2: the next lower one slips in between.
    EXPECT_THAT(order_on(switch_, 2), ElementsAre(0, 1, 0, 1, 0, 1, 3, 3, 3));
}

TEST_P(switch_choices, no_bubble_between_packets_of_different_inputs) {
    switch_bench switch_ = bench(free_params());
    for (const unsigned input : {0u, 1u, 2u, 3u}) send_named(switch_, 1, input, 1, 3);
    switch_.run(40);
    EXPECT_EQ(switch_.times_of(1), in_a_row(3, 12));
}

TEST_P(switch_choices, outputs_work_in_parallel) {
    switch_bench switch_ = bench(free_params());
    for (const unsigned input : {0u, 1u, 2u, 3u}) send_named(switch_, 1, input, input == 0 ? 4 : input - 1, 5);
    switch_.run(40);
    for (const unsigned output : {0u, 1u, 2u, 3u}) EXPECT_EQ(switch_.times_of(output), in_a_row(3, 5));
}

/// Sends single packets to host 3 (ports 0 and 1 are as good) from input 2, far apart, and lists the ports they took.
std::vector<unsigned> ports_taken(switch_bench& switch_, unsigned packets) {
    for (unsigned count = 0; count < packets; ++count) switch_.send(100 + 20 * count, 2, switch_.unicast(3, 2));
    switch_.run(100 + 20 * packets);
    std::vector<unsigned> ports;
    for (const seen_flit& flit : switch_.flits) {
        if (flit.head && flit.when >= 100) ports.push_back(flit.port);
    }
    return ports;
}

TEST_P(switch_choices, deterministic_selection) {
    switch_tables tables = small_tables();
    tables.selection = hw::format::selection::deterministic;
    switch_bench switch_ = bench(free_params(), tables);
    EXPECT_THAT(ports_taken(switch_, 4), ElementsAre(0, 0, 0, 0));
}

TEST_P(switch_choices, round_robin_selection_has_a_pointer_per_input) {
    switch_tables tables = small_tables();
    tables.selection = hw::format::selection::round_robin;
    switch_bench switch_ = bench(free_params(), tables);
    switch_.send(1, 0, switch_.unicast(3, 2));  // another input's choice does not count
    EXPECT_THAT(ports_taken(switch_, 5), ElementsAre(0, 1, 0, 1, 0));
}

TEST_P(switch_choices, round_robin_selection_moves_for_single_candidates_too) {
    switch_tables tables = small_tables();
    tables.selection = hw::format::selection::round_robin;
    switch_bench switch_ = bench(free_params(), tables);
    switch_.send(1, 2, switch_.unicast(0, 2));  // pointer to 1
    EXPECT_THAT(ports_taken(switch_, 2), ElementsAre(1, 0));
}

TEST_P(switch_choices, least_loaded_counts_chunks_outstanding) {
    switch_bench switch_ = bench(free_params());
    // No credit comes back: every packet leaves one chunk outstanding. Ties go to the lowest port.
    EXPECT_THAT(ports_taken(switch_, 5), ElementsAre(0, 1, 0, 1, 0));
}

TEST_P(switch_choices, least_loaded_prefers_what_is_not_held) {
    switch_bench switch_ = bench(free_params());
    switch_.send(1, 0, switch_.unicast(1, 3));
    switch_.send(20, 0, switch_.unicast(1, 3));      // port 1: two chunks outstanding, not held
    const link_packet slow = switch_.unicast(0, 2);  // port 0: one chunk outstanding, held
    switch_.flit(40, 1, slow.flits[0], true, false, slow.header);
    EXPECT_THAT(ports_taken(switch_, 1), ElementsAre(1));
}

TEST_P(switch_choices, least_loaded_for_tree_worms_going_up) {
    switch_tables tables = small_tables();
    tables.port_direction = {hw::format::direction::down, hw::format::direction::up, hw::format::direction::down,
                             hw::format::direction::up};
    switch_bench switch_ = bench(free_params(), tables);
    for (unsigned count = 0; count < 3; ++count) switch_.send(1 + 20 * count, 0, switch_.tree(0b1000'0000, 2));
    switch_.run(80);
    EXPECT_EQ(switch_.flits_of(1).size(), 4u);
    EXPECT_EQ(switch_.flits_of(3).size(), 2u);
}

TEST_P(switch_choices, decisions_use_registered_state) {
    switch_bench switch_ = bench(free_params());
    // Both are routed in the same cycle: neither sees the other's choice.
    switch_.send(1, 0, switch_.unicast(3, 2));
    switch_.send(1, 1, switch_.unicast(3, 2));
    switch_.run(20);
    EXPECT_EQ(switch_.flits_of(0).size(), 4u);
    EXPECT_THAT(switch_.flits_of(1), IsEmpty());
}

TEST_P(switch_choices, one_read_port_serves_branches_in_turn) {
    switch_params params = free_params();
    params.read_ports = 1;
    switch_bench switch_ = bench(params);
    switch_.send(1, 3, switch_.tree(0b111, 3));
    switch_.run(40);
    EXPECT_THAT(switch_.times_of(0), ElementsAre(3, 6, 9));
    EXPECT_THAT(switch_.times_of(1), ElementsAre(4, 7, 10));
    EXPECT_THAT(switch_.times_of(2), ElementsAre(5, 8, 11));
}

TEST_P(switch_choices, two_read_ports) {
    switch_params params = free_params();
    params.read_ports = 2;
    switch_bench switch_ = bench(params);
    switch_.send(1, 3, switch_.tree(0b111, 3));
    switch_.run(40);
    // Pointers 0, 2, 1: {0,1}, {2,0}, {1,2}, {0,1}, {2}.
    EXPECT_THAT(switch_.times_of(0), ElementsAre(3, 4, 6));
    EXPECT_THAT(switch_.times_of(1), ElementsAre(3, 5, 6));
    EXPECT_THAT(switch_.times_of(2), ElementsAre(4, 5, 7));
}

TEST_P(switch_choices, a_branch_that_cannot_read_takes_no_turn) {
    switch_params params = free_params();
    params.read_ports = 1;
    switch_tables tables = small_tables();
    tables.credits[1] = 0;
    switch_bench switch_ = bench(params, tables);
    switch_.send(1, 3, switch_.tree(0b111, 3));
    switch_.run(40);
    EXPECT_THAT(switch_.times_of(0), ElementsAre(3, 5, 7));
    EXPECT_THAT(switch_.times_of(2), ElementsAre(4, 6, 8));
}

TEST_P(switch_choices, read_ports_are_per_input) {
    switch_params params = free_params();
    params.read_ports = 1;
    switch_bench switch_ = bench(params);
    for (const unsigned input : {0u, 1u, 2u, 3u}) send_named(switch_, 1, input, input == 0 ? 4 : input - 1, 5);
    switch_.run(40);
    for (const unsigned output : {0u, 1u, 2u, 3u}) EXPECT_EQ(switch_.times_of(output), in_a_row(3, 5));
}

INSTANTIATE_TEST_SUITE_P(, switch_choices, testing::Values(model::core, model::golden), model_name);

}  // namespace
}  // namespace polycast::testbench::unit
