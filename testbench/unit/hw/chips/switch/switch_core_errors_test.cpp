// SPDX-License-Identifier: Apache-2.0
// Every error of hw/chips/switch/switch.md: what raises it, in which cycle, and what happens to the packet.
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

struct switch_errors : both_models {};

TEST_P(switch_errors, overflow_kills_the_input_until_reset) {
    switch_tables tables = small_tables();
    tables.buffer_chunks[0] = 2;
    switch_bench switch_ = bench(free_params(), tables);
    const link_packet blocking = switch_.unicast(1, 2);
    switch_.flit(0, 3, blocking.flits[0], true, false, blocking.header);
    switch_.send(1, 0, switch_.unicast(1, 20));  // flit 16 finds no chunk
    switch_.send(30, 0, switch_.unicast(2, 4));  // dead: silence
    switch_.flit(40, 0, {1}, false, true);
    switch_.send(30, 2, switch_.unicast(2, 4));  // other inputs live
    switch_.run(60);
    EXPECT_THAT(switch_.errors, ElementsAre(seen_error{18, 0, chip_error::overflow}));
    EXPECT_EQ(switch_.times_of(2), in_a_row(32, 4));
    // What is buffered leaves when it can, and its chunks come back.
    switch_.flit(60, 3, blocking.flits[1], false, true);
    switch_.run(100);
    std::vector<cycle> expected{2};
    for (const cycle when : in_a_row(62, 17)) expected.push_back(when);
    EXPECT_EQ(switch_.times_of(1), expected);
    EXPECT_EQ(switch_.credits_of(0).size(), 2u);
    EXPECT_TRUE(switch_.probe().outputs[1].held);  // the tail never comes
    EXPECT_FALSE(switch_.chip().idle());
    switch_.reset();
    EXPECT_TRUE(switch_.chip().idle());
    switch_.send(110, 0, switch_.unicast(2, 4));
    switch_.run(130);
    EXPECT_EQ(switch_.times_of(2).size(), 8u);
    EXPECT_EQ(switch_.errors.size(), 1u);
}

TEST_P(switch_errors, a_chunk_freed_in_a_cycle_is_free_in_the_next) {
    switch_params params = free_params();
    params.chunk_flits = 1;
    switch_tables tables = small_tables();
    tables.buffer_chunks[0] = 1;
    for (const cycle gap : {1u, 2u}) {
        switch_bench switch_ = bench(params, tables);
        const link_packet packet = switch_.unicast(1, 2);
        switch_.flit(1, 0, packet.flits[0], true, false, packet.header);
        switch_.flit(1 + gap, 0, packet.flits[1], false, true);  // flit 0 is read, and its chunk freed, in 2
        switch_.run(20);
        if (gap == 1) {
            EXPECT_THAT(switch_.errors, ElementsAre(seen_error{3, 0, chip_error::overflow}));
        } else {
            EXPECT_THAT(switch_.errors, IsEmpty());
            EXPECT_THAT(switch_.times_of(1), ElementsAre(3, 5));
        }
    }
}

TEST_P(switch_errors, missing_head) {
    switch_bench switch_ = bench(free_params());
    switch_.flit(1, 2, {0}, false, false);
    switch_.flit(2, 2, {0}, false, true);
    switch_.send(3, 2, switch_.unicast(1, 2));
    switch_.flit(5, 2, {0}, false, false);
    switch_.run(20);
    EXPECT_THAT(switch_.errors,
                ElementsAre(seen_error{2, 2, chip_error::missing_head}, seen_error{3, 2, chip_error::missing_head},
                            seen_error{6, 2, chip_error::missing_head}));
    EXPECT_THAT(switch_.times_of(1), ElementsAre(5, 6));
    EXPECT_TRUE(switch_.chip().idle());
}

TEST_P(switch_errors, missing_tail_goes_on_as_a_body_flit) {
    switch_bench switch_ = bench(free_params());
    const link_packet first = switch_.unicast(1, 2);
    const link_packet second = switch_.unicast(2, 3);
    switch_.flit(1, 0, first.flits[0], true, false, first.header);
    switch_.send(2, 0, second);  // a head inside the packet to 1, its tail ends that packet
    switch_.run(20);
    EXPECT_THAT(switch_.errors, ElementsAre(seen_error{3, 0, chip_error::missing_tail}));
    const std::vector<seen_flit> flits = switch_.flits_of(1);
    ASSERT_EQ(flits.size(), 4u);
    EXPECT_TRUE(flits[0].head && !flits[1].head && !flits[2].tail && flits[3].tail);
    EXPECT_EQ(flits[1].data, second.flits[0]);
    EXPECT_THAT(switch_.flits_of(2), IsEmpty());
}

TEST_P(switch_errors, too_long_is_cut_and_the_rest_dropped) {
    switch_tables tables = small_tables();
    tables.packet_limit = 20;
    switch_bench switch_ = bench(free_params(), tables);
    const cycle end = switch_.send(1, 0, switch_.unicast(1, 30));
    switch_.send(end, 0, switch_.unicast(1, 20));  // the limit itself is allowed
    switch_.run(80);
    EXPECT_THAT(switch_.errors, ElementsAre(seen_error{21, 0, chip_error::too_long}));
    const std::vector<seen_flit> flits = switch_.flits_of(1);
    ASSERT_EQ(flits.size(), 40u);
    EXPECT_TRUE(flits[19].tail);
    EXPECT_TRUE(flits[20].head);
    EXPECT_EQ(flits[20].when, end + 2);
    EXPECT_TRUE(flits[39].tail);
    EXPECT_TRUE(switch_.chip().idle());
}

TEST_P(switch_errors, a_head_while_discarding_is_a_missing_tail) {
    switch_tables tables = small_tables();
    tables.packet_limit = 4;
    switch_bench switch_ = bench(free_params(), tables);
    const link_packet packet = switch_.unicast(1, 6);
    for (unsigned index = 0; index < 5; ++index)
        switch_.flit(1 + index, 0, packet.flits[index], index == 0, false, index == 0 ? packet.header : byte_list{});
    switch_.flit(6, 0, {0}, true, false, packet.header);
    switch_.run(40);
    EXPECT_FALSE(switch_.chip().idle());  // still discarding
    switch_.flit(40, 0, {0}, true, true, packet.header);
    switch_.send(41, 0, switch_.unicast(2, 1));
    switch_.run(60);
    EXPECT_THAT(switch_.errors,
                ElementsAre(seen_error{5, 0, chip_error::too_long}, seen_error{7, 0, chip_error::missing_tail},
                            seen_error{41, 0, chip_error::missing_tail}));
    EXPECT_EQ(switch_.flits_of(1).size(), 4u);
    EXPECT_THAT(switch_.times_of(2), ElementsAre(43));
}

TEST_P(switch_errors, short_header_is_drained) {
    switch_bench switch_ = bench();
    link_packet packet = switch_.unicast(1, 1);
    packet.flits.resize(12);
    switch_.send(1, 0, packet);
    link_packet worm = switch_.tree(0b111, 1);
    worm.flits.resize(10);
    switch_.send(1, 2, worm);
    switch_.send(13, 0, switch_.unicast(1, 1));
    switch_.run(60);
    EXPECT_THAT(switch_.errors,
                ElementsAre(seen_error{11, 2, chip_error::short_header}, seen_error{13, 0, chip_error::short_header}));
    // Tail of input 0 in 12: decided in 12, drained from 13 to 24, chunk 0 done in 20.
    EXPECT_THAT(switch_.credits_of(0), ElementsAre(21, 25, testing::_, testing::_));
    EXPECT_THAT(switch_.credits_of(2), ElementsAre(19, 21));
    // The next packet: header complete in 25, its turn in 25.
    EXPECT_EQ(switch_.times_of(1), in_a_row(27, 14));
}

TEST_P(switch_errors, cut_inside_the_header) {
    switch_tables tables = small_tables();
    tables.packet_limit = 6;
    switch_bench switch_ = bench(small_params(), tables);
    switch_.send(1, 0, switch_.unicast(1, 3));
    switch_.run(40);
    EXPECT_THAT(switch_.errors,
                ElementsAre(seen_error{7, 0, chip_error::too_long}, seen_error{7, 0, chip_error::short_header}));
    EXPECT_THAT(switch_.flits, IsEmpty());
    EXPECT_THAT(switch_.credits_of(0), ElementsAre(13));
    EXPECT_TRUE(switch_.chip().idle());
}

TEST_P(switch_errors, bad_kind) {
    for (const bool free : {false, true}) {
        switch_bench switch_ = bench(free ? free_params() : small_params());
        link_packet packet = switch_.unicast(1, 3);
        (free ? packet.header[0] : packet.flits[0][0]) = 0x17;
        switch_.send(1, 0, packet);
        switch_.run(40);
        // One header flit: routed in the first cycle.
        EXPECT_THAT(switch_.errors, ElementsAre(seen_error{2, 0, chip_error::bad_kind}));
        EXPECT_THAT(switch_.flits, IsEmpty());
        EXPECT_EQ(switch_.credits_of(0).size(), free ? 1u : 2u);
        EXPECT_EQ(switch_.credits_of(0).front(), free ? 5u : 10u);
        EXPECT_TRUE(switch_.chip().idle());
    }
}

TEST_P(switch_errors, the_drain_state_shows) {
    switch_bench switch_ = bench(free_params());
    const link_packet packet = switch_.unicast(77, 2);
    switch_.flit(1, 0, packet.flits[0], true, false, packet.header);
    switch_.run(10);
    EXPECT_EQ(switch_.probe().inputs[0].state, 3);
    EXPECT_FALSE(switch_.chip().idle());
}

TEST_P(switch_errors, no_route_for_a_unicast) {
    switch_tables tables = small_tables();
    tables.route_delay = 3;
    tables.unicast_up.edit()[7] = 0;
    tables.unicast_up.edit()[6] = 4;
    tables.unicast_down.edit()[6] = 4;
    tables.port_direction[2] = hw::format::direction::open;
    const auto errors_of = [&](unsigned destination, bool up) {
        switch_bench switch_ = bench(free_params(), tables);
        switch_.send(1, 0, switch_.unicast(destination, 2, up));
        switch_.run(20);
        EXPECT_TRUE(switch_.errors.empty() != switch_.flits.empty());
        return switch_.errors;
    };
    const seen_error no_route{4, 0, chip_error::no_route};
    EXPECT_THAT(errors_of(8, true), ElementsAre(no_route));  // no such host
    EXPECT_THAT(errors_of(0xffffff, true), ElementsAre(no_route));
    EXPECT_THAT(errors_of(7, true), ElementsAre(no_route));  // empty mask
    EXPECT_THAT(errors_of(6, true), ElementsAre(no_route));  // only an open port
    EXPECT_THAT(errors_of(6, false), ElementsAre(no_route));
    EXPECT_THAT(errors_of(4, false), ElementsAre(no_route));  // port 3 leads up, and up is over
    EXPECT_THAT(errors_of(4, true), IsEmpty());
    EXPECT_THAT(errors_of(0, false), IsEmpty());
}

TEST_P(switch_errors, no_route_and_partial_route_for_a_tree) {
    switch_tables tables = small_tables();
    const auto run = [&](unsigned hosts, bool up) {
        switch_bench switch_ = bench(free_params(), tables);
        switch_.send(1, 0, switch_.tree(hosts, 2, up));
        switch_.run(20);
        return switch_;
    };
    const seen_error no_route{2, 0, chip_error::no_route};
    const seen_error partial{2, 0, chip_error::partial_route};
    EXPECT_THAT(run(0, true).errors, ElementsAre(no_route));
    EXPECT_THAT(run(0b1000'0000, false).errors, ElementsAre(no_route));
    EXPECT_THAT(run(0b1000'0011, false).errors, ElementsAre(partial));
    EXPECT_EQ(run(0b1000'0011, false).flits.size(), 4u);
    EXPECT_THAT(run(0b1000'0011, true).errors, IsEmpty());   // goes up
    tables.port_direction[3] = hw::format::direction::open;  // nothing is up
    EXPECT_THAT(run(0b1000'0011, true).errors, ElementsAre(partial));
    EXPECT_THAT(run(0b1000'0000, true).errors, ElementsAre(no_route));
    tables.port_direction[1] = hw::format::direction::open;
    EXPECT_THAT(run(0b0000'0010, true).errors, ElementsAre(no_route));
}

TEST_P(switch_errors, credit_overflow_is_ignored) {
    switch_tables tables = small_tables();
    tables.credits[1] = 2;
    switch_bench switch_ = bench(free_params(), tables);
    switch_.credit(3, 1);
    switch_.run(10);
    EXPECT_THAT(switch_.errors, ElementsAre(seen_error{4, 1, chip_error::credit_overflow}));
    EXPECT_EQ(switch_.probe().outputs[1].credits, 2);
    // A credit in the cycle that spends the first one: registered, none is outstanding.
    switch_.send(10, 0, switch_.unicast(1, 3));
    switch_.credit(11, 1);
    switch_.credit(12, 1);
    switch_.run(12);
    EXPECT_EQ(switch_.probe().outputs[1].credits, 1);
    switch_.run(20);
    EXPECT_THAT(switch_.errors, ElementsAre(testing::_, seen_error{12, 1, chip_error::credit_overflow}));
    EXPECT_EQ(switch_.probe().outputs[1].credits, 2);
}

TEST_P(switch_errors, several_at_once) {
    switch_tables tables = small_tables();
    tables.buffer_chunks[0] = 1;
    tables.credits[1] = 0;
    switch_bench switch_ = bench(free_params(), tables);
    const link_packet packet = switch_.unicast(1, 9);
    for (unsigned index = 0; index < 8; ++index)
        switch_.flit(1 + index, 0, packet.flits[index], index == 0, false, index == 0 ? packet.header : byte_list{});
    switch_.flit(9, 0, packet.flits[8], true, false, packet.header);
    switch_.credit(9, 0);
    switch_.run(20);
    EXPECT_THAT(switch_.errors,
                ElementsAre(seen_error{10, 0, chip_error::overflow}, seen_error{10, 0, chip_error::missing_tail},
                            seen_error{10, 0, chip_error::credit_overflow}));
}

INSTANTIATE_TEST_SUITE_P(, switch_errors, testing::Values(model::core, model::golden), model_name);

}  // namespace
}  // namespace polycast::testbench::unit
