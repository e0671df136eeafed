// SPDX-License-Identifier: Apache-2.0
// Cycle numbers, replication and flow control of hw/chips/switch/switch.md, computed by hand. Errors are in
// switch_core_errors_test.cpp, choices in switch_core_choices_test.cpp.
#include "hw/chips/switch/switch_core.h"

#include "hw/input_error.h"
#include "testbench/unit/hw/chips/switch/switch_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct switch_pipeline : both_models {};
struct switch_replication : both_models {};
struct switch_flow : both_models {};

// Last header flit on the input pins in t: first flit on the output pins in t+2 (t+3 is the next chip's input).
TEST_P(switch_pipeline, header_in_flits) {
    switch_bench switch_ = bench();
    switch_.send(1, 0, switch_.unicast(1, 20));  // header flits in cycles 1..13, so t = 13
    switch_.run(60);
    EXPECT_EQ(switch_.times_of(1), in_a_row(15, 33));
    EXPECT_EQ(switch_.flits.size(), 33u);
    EXPECT_TRUE(switch_.flits.front().head);
    EXPECT_TRUE(switch_.flits.back().tail);
    // Flit 7 is read in t+1+7 = 21: the credit is on the pin in 22; then every 8 cycles, and one for the tail (flit
    // 32).
    EXPECT_THAT(switch_.credits_of(0), ElementsAre(22, 30, 38, 46, 47));
    EXPECT_THAT(switch_.errors, IsEmpty());
}

TEST_P(switch_pipeline, header_free) {
    switch_params params = small_params();
    params.header_free = true;
    switch_tables tables = small_tables();
    tables.tree_header_flits = 1;
    switch_bench switch_ = bench(params, tables);
    switch_.send(1, 0, switch_.unicast(1, 20));
    switch_.run(60);
    EXPECT_EQ(switch_.times_of(1), in_a_row(3, 20));
    EXPECT_THAT(switch_.credits_of(0), ElementsAre(10, 18, 22));
}

TEST_P(switch_pipeline, tree_header_in_flits) {
    switch_bench switch_ = bench();
    switch_.send(1, 3, switch_.tree(0b111, 3));  // 11 header flits: t = 11
    switch_.run(60);
    for (unsigned port = 0; port < 3; ++port) EXPECT_EQ(switch_.times_of(port), in_a_row(13, 14));
}

TEST_P(switch_pipeline, delays_add_up) {
    for (const unsigned route : {1u, 2u, 5u, 15u}) {
        for (const unsigned stages : {0u, 1u, 2u, 15u}) {
            for (const bool free : {false, true}) {
                switch_params params = small_params();
                params.header_free = free;
                params.xbar_stages = stages;
                switch_tables tables = small_tables();
                tables.route_delay = route;
                switch_bench switch_ = bench(params, tables);
                switch_.send(1, 0, switch_.unicast(2, 9));
                switch_.run(100);
                const cycle t = free ? 1 : 13;
                EXPECT_EQ(switch_.times_of(2), in_a_row(t + 2 + (route - 1) + stages, free ? 9 : 22))
                    << route << " " << stages;
                // The crossbar's registers come after the buffer: freeing does not wait for them.
                EXPECT_EQ(switch_.credits_of(0).front(), t + 2 + (route - 1) + 7);
            }
        }
    }
}

TEST_P(switch_pipeline, single_flit_packets_follow_each_other) {
    switch_params params = small_params();
    params.header_free = true;
    params.chunk_flits = 1;
    switch_bench switch_ = bench(params);
    for (cycle when = 1; when <= 9; ++when) switch_.send(when, 0, switch_.unicast(1, 1));
    switch_.run(60);
    // Read of the tail in t, idle and routed in t+1, read in t+2: every second cycle.
    EXPECT_THAT(switch_.times_of(1), ElementsAre(3, 5, 7, 9, 11, 13, 15, 17, 19));
    EXPECT_THAT(switch_.errors, IsEmpty());
}

TEST_P(switch_pipeline, gaps_pass_through) {
    switch_params params = small_params();
    params.header_free = true;
    switch_bench switch_ = bench(params);
    const link_packet packet = switch_.unicast(0, 4);
    switch_.flit(1, 1, packet.flits[0], true, false, packet.header);
    switch_.flit(5, 1, packet.flits[1], false, false);
    switch_.flit(6, 1, packet.flits[2], false, false);
    switch_.flit(12, 1, packet.flits[3], false, true);
    switch_.run(30);
    // Registered: a flit written in cycle w is read in w+1 at the earliest and on the pins in w+2.
    EXPECT_THAT(switch_.times_of(0), ElementsAre(3, 7, 8, 14));
}

TEST_P(switch_pipeline, turnaround_on_own_port) {
    switch_bench switch_ = bench();
    switch_.send(1, 0, switch_.unicast(0, 2));
    switch_.run(40);
    EXPECT_EQ(switch_.times_of(0), in_a_row(15, 15));
}

TEST_P(switch_replication, data_and_rewritten_headers) {
    switch_bench switch_ = bench();
    const link_packet packet = switch_.tree(0b0101, 3);
    switch_.send(1, 0, packet);
    switch_.run(60);
    for (const unsigned port : {0u, 2u}) {
        const std::vector<seen_flit> copy = switch_.flits_of(port);
        ASSERT_EQ(copy.size(), packet.flits.size());
        for (std::size_t index = 0; index < copy.size(); ++index) {
            std::uint8_t expected = packet.flits[index][0];
            if (index == 0) expected = static_cast<std::uint8_t>(expected & ~0x10);  // goes down
            if (index == 10) expected = static_cast<std::uint8_t>(1u << port);       // own host only
            EXPECT_EQ(copy[index].data[0], expected) << "flit " << index << " of port " << port;
        }
    }
    EXPECT_THAT(switch_.flits_of(1), IsEmpty());
}

TEST_P(switch_replication, free_headers_are_rewritten_too) {
    switch_params params = small_params();
    params.header_free = true;
    switch_bench switch_ = bench(params);
    const link_packet packet = switch_.tree(0b0111, 2);
    switch_.send(1, 3, packet);
    switch_.send(1, 0, switch_.tree(0b11110000, 2));  // goes up: unchanged
    switch_.run(20);
    for (unsigned port = 0; port < 3; ++port) {
        byte_list expected = packet.header;
        expected[0] = 0x01;
        expected[10] = static_cast<std::uint8_t>(1u << port);
        EXPECT_EQ(switch_.flits_of(port).front().header, expected);
        EXPECT_EQ(switch_.flits_of(port).front().data, packet.flits[0]);
    }
    EXPECT_EQ(switch_.flits_of(3).front().header[0], 0x11);
    EXPECT_EQ(switch_.flits_of(3).front().header[10], 0b11110000);
}

TEST(switch_core, headers_take_memory_when_packets_come) {
    switch_params params = small_params();
    params.max_hosts = 8192;
    params.chunks = 1000;
    switch_tables tables = small_tables();
    tables.unicast_up.edit().resize(8192);
    tables.unicast_down.edit().resize(8192);
    tables.reach_total = hw::chips::bit_string(128);
    tables.reach_port.assign(params.ports, hw::chips::bit_string(128));
    const std::size_t without = hw::chips::switch_core(params, tables).memory_bytes();
    params.header_free = true;
    EXPECT_LE(hw::chips::switch_core(params, tables).memory_bytes(), without);
}

TEST(switch_core, has_no_tree_worms_among_more_hosts_than_strings_have_bits) {
    switch_params params = small_params();
    params.max_hosts = 65536;
    switch_tables tables = small_tables();
    tables.unicast_up.edit().resize(65536);
    tables.unicast_up.edit()[65535] = 2;
    tables.unicast_down = tables.unicast_up;
    EXPECT_THROW(hw::chips::switch_core(params, tables), hw::input_error) << "strings for networks with tree worms";
    tables.reach_total = {};
    tables.reach_port.assign(params.ports, {});
    switch_bench switch_(model::core, params, tables);
    switch_.send(1, 0, switch_.unicast(65535, 2));
    switch_.run(40);
    EXPECT_EQ(switch_.flits_of(1).size(), hw::format::unicast_header_bytes + 2);
    EXPECT_THAT(switch_.errors, IsEmpty());
    byte_list worm(hw::format::tree_header_bytes(params.max_hosts));
    hw::format::write_common({hw::format::packet_kind::tree, true, 5, 6, 7}, worm.data());
    switch_.send(50, 2, switch_.assemble(worm, 2));
    switch_.run(100);
    ASSERT_EQ(switch_.errors.size(), 1u);
    EXPECT_EQ(switch_.errors[0].error, chip_error::no_route);
}

TEST_P(switch_replication, bits_past_the_last_host_pass_unchanged) {
    switch_params params = small_params();
    params.max_hosts = 5;
    switch_tables tables = small_tables();
    tables.unicast_up.edit().resize(5);
    tables.unicast_down.edit().resize(5);
    switch_bench switch_ = bench(params, tables);
    switch_.send(1, 0, switch_.tree(0b1110'0111, 1));
    switch_.run(40);
    EXPECT_EQ(switch_.flits_of(1)[10].data[0], 0b1110'0010);
}

TEST_P(switch_replication, a_worm_goes_up_until_all_hosts_are_below) {
    switch_bench switch_ = bench();
    switch_.send(1, 0, switch_.tree(0b0001'0001, 1));  // host 4 is not below
    switch_.send(1, 1, switch_.tree(0b0000'0101, 1));  // both below
    switch_.run(40);
    EXPECT_EQ(switch_.flits_of(3).size(), 12u);
    EXPECT_EQ(switch_.flits_of(3)[0].data[0], 0x11);          // still up
    EXPECT_EQ(switch_.flits_of(3)[10].data[0], 0b0001'0001);  // not masked
    EXPECT_EQ(switch_.flits_of(0).size(), 12u);
    EXPECT_EQ(switch_.flits_of(2).size(), 12u);
}

// Port 1 has no credit. Port 0 must get its whole copy all the same, at full speed.
TEST_P(switch_replication, a_blocked_branch_holds_back_no_other) {
    switch_tables tables = small_tables();
    tables.credits = {20, 0, 20, 20};
    tables.credits[1] = 1;
    switch_bench switch_ = bench(small_params(), tables);
    switch_.send(1, 3, switch_.tree(0b011, 29));  // 40 flits, 5 chunks; t = 11
    switch_.run(100);
    EXPECT_EQ(switch_.times_of(0), in_a_row(13, 40));
    EXPECT_EQ(switch_.times_of(1), in_a_row(13, 8));
    EXPECT_THAT(switch_.credits_of(3), ElementsAre(20));  // only the first chunk has been read by both
    EXPECT_EQ(switch_.probe().inputs[3].occupied, 4);
    EXPECT_EQ(switch_.probe().inputs[3].reading, 0b010u);
    EXPECT_EQ(switch_.probe().inputs[3].state, 2);
    EXPECT_FALSE(switch_.chip().idle());
    // Credits wake it up, a chunk each: pin in 100, spent in 101, on the wire in 102.
    for (unsigned count = 0; count < 4; ++count) switch_.credit(100 + 20 * count, 1);
    switch_.run(200);
    std::vector<cycle> expected = in_a_row(13, 8);
    for (unsigned count = 0; count < 4; ++count) {
        const std::vector<cycle> chunk = in_a_row(102 + 20 * count, 8);
        expected.insert(expected.end(), chunk.begin(), chunk.end());
    }
    EXPECT_EQ(switch_.times_of(1), expected);
    EXPECT_THAT(switch_.credits_of(3), ElementsAre(20, 109, 129, 149, 169));
    EXPECT_TRUE(switch_.chip().idle());
}

// The next packet of a FIFO waits until every branch has read the tail.
TEST_P(switch_replication, next_packet_waits_for_the_slowest_branch) {
    switch_tables tables = small_tables();
    tables.credits[1] = 0;
    tables.credits[2] = 20;
    switch_bench switch_ = bench(small_params(), tables);
    const cycle end = switch_.send(1, 3, switch_.tree(0b011, 5));  // two chunks
    switch_.send(end, 3, switch_.unicast(2, 1));
    switch_.run(100);
    EXPECT_THAT(switch_.times_of(2), IsEmpty());
    EXPECT_THAT(switch_.errors, IsEmpty());
}

TEST_P(switch_flow, an_output_is_held_for_a_whole_packet) {
    switch_params params = small_params();
    params.header_free = true;
    switch_bench switch_ = bench(params);
    const link_packet slow = switch_.unicast(2, 3);
    switch_.flit(1, 0, slow.flits[0], true, false, slow.header);
    switch_.send(2, 1, switch_.unicast(2, 2));
    switch_.flit(20, 0, slow.flits[1], false, false);
    switch_.flit(21, 0, slow.flits[2], false, true);
    switch_.run(40);
    // Tail read in 22: granted in 23, on the pins in 24.
    EXPECT_THAT(switch_.times_of(2), ElementsAre(3, 22, 23, 24, 25));
}

TEST_P(switch_flow, a_credit_is_used_in_the_cycle_after_it_came) {
    switch_params params = small_params();
    params.header_free = true;
    switch_tables tables = small_tables();
    tables.credits[1] = 1;
    switch_bench switch_ = bench(params, tables);
    switch_.send(1, 0, switch_.unicast(1, 17));
    switch_.credit(10, 1);
    switch_.credit(30, 1);
    switch_.run(60);
    std::vector<cycle> expected = in_a_row(3, 8);  // flit 7 is read in 9
    for (const cycle when : in_a_row(12, 8)) expected.push_back(when);
    expected.push_back(32);
    EXPECT_EQ(switch_.times_of(1), expected);
    EXPECT_EQ(switch_.probe().outputs[1].credits, 0);
}

TEST_P(switch_flow, a_grant_does_not_wait_for_credits) {
    switch_params params = small_params();
    params.header_free = true;
    switch_tables tables = small_tables();
    tables.credits[2] = 0;
    switch_bench switch_ = bench(params, tables);
    switch_.send(1, 0, switch_.unicast(2, 2));
    switch_.run(3);
    EXPECT_TRUE(switch_.probe().outputs[2].held);
    EXPECT_EQ(switch_.probe().outputs[2].holder, 0);
    EXPECT_EQ(switch_.probe().inputs[0].waiting, 0u);
    EXPECT_EQ(switch_.probe().inputs[0].reading, 0b100u);
    EXPECT_EQ(switch_.probe().inputs[0].state, 2);
}

TEST_P(switch_flow, usable_chunks_limit_the_buffer_and_free_in_time) {
    switch_params params = small_params();
    params.header_free = true;
    switch_tables tables = small_tables();
    tables.buffer_chunks[0] = 2;
    switch_bench switch_ = bench(params, tables);
    // 24 flits in three chunks: the first chunk is free in the state after cycle 9, so chunk 3 may begin in 17.
    switch_.send(1, 0, switch_.unicast(1, 24));
    switch_.run(60);
    EXPECT_THAT(switch_.errors, IsEmpty());
    EXPECT_EQ(switch_.times_of(1).size(), 24u);
}

TEST_P(switch_flow, a_packet_longer_than_the_buffer_disturbs_none_behind_it) {
    switch_params params = small_params();
    params.header_free = true;
    params.chunks = 3;
    switch_tables tables = small_tables();
    tables.buffer_chunks.assign(4, 3);
    switch_bench switch_ = bench(params, tables);
    switch_.send(1, 0, switch_.unicast(1, 60));  // twice round the ring of 24 flits and on
    const link_packet slow = switch_.unicast(1, 4);
    for (unsigned index = 0; index < 4; ++index) {
        switch_.flit(100 + 3 * index, 0, slow.flits[index], index == 0, index == 3,
                     index == 0 ? slow.header : byte_list{});
    }
    switch_.run(90);
    EXPECT_EQ(switch_.times_of(1), in_a_row(3, 60));
    switch_.flits.clear();
    switch_.run(130);
    EXPECT_THAT(switch_.times_of(1), ElementsAre(102, 105, 108, 111));
    EXPECT_THAT(switch_.errors, IsEmpty());
}

TEST_P(switch_flow, reset_drops_the_traffic_and_keeps_the_tables) {
    switch_tables tables = small_tables();
    tables.credits[1] = 3;
    switch_bench switch_ = bench(small_params(), tables);
    switch_.send(1, 0, switch_.unicast(1, 60));
    switch_.run(40);  // in mid-packet, credits spent
    EXPECT_FALSE(switch_.chip().idle());
    switch_.reset();
    EXPECT_TRUE(switch_.chip().idle());
    EXPECT_EQ(switch_.probe().outputs[1].credits, 3);
    EXPECT_EQ(switch_.probe().inputs[0].occupied, 0);
    switch_.flits.clear();
    switch_.errors.clear();
    switch_.run(90);  // the rest of the packet comes in, outside a packet
    EXPECT_THAT(switch_.flits, IsEmpty());
    EXPECT_EQ(switch_.errors.size(), 34u);  // flits of cycles 40..73
    for (const seen_error& error : switch_.errors) EXPECT_EQ(error.error, chip_error::missing_head);
    switch_.send(100, 0, switch_.unicast(1, 2));
    switch_.run(150);
    EXPECT_EQ(switch_.times_of(1), in_a_row(114, 15));
}

TEST_P(switch_flow, idle_tells_whether_anything_is_inside) {
    switch_params params = small_params();
    params.xbar_stages = 2;
    switch_bench switch_ = bench(params);
    EXPECT_TRUE(switch_.chip().idle());
    const cycle end = switch_.send(1, 0, switch_.unicast(1, 1));
    switch_.run(1);
    EXPECT_TRUE(switch_.chip().idle());
    for (cycle when = 2; when <= 30; ++when) {
        switch_.run(when);
        EXPECT_FALSE(switch_.chip().idle()) << "after cycle " << when - 1 << " of a packet that ends in " << end;
    }
    // t = 13: flits on the pins in 17..30; in cycle 31 they have left.
    EXPECT_EQ(switch_.times_of(1), in_a_row(17, 14));
    switch_.run(31);
    EXPECT_TRUE(switch_.chip().idle());
}

INSTANTIATE_TEST_SUITE_P(, switch_pipeline, testing::Values(model::core, model::golden), model_name);
INSTANTIATE_TEST_SUITE_P(, switch_replication, testing::Values(model::core, model::golden), model_name);
INSTANTIATE_TEST_SUITE_P(, switch_flow, testing::Values(model::core, model::golden), model_name);

// Stepping a chip that said `never` with quiet pins changes nothing: not its outputs, not its state, not idle().
TEST(switch_core_sleep, never_means_nothing_changes) {
    for (const unsigned stages : {0u, 1u, 3u}) {
        switch_params params = small_params();
        params.xbar_stages = stages;
        switch_tables tables = small_tables();
        tables.credits[1] = 1;
        switch_bench switch_(model::core, params, tables);
        switch_.send(1, 0, switch_.unicast(1, 20));
        switch_.send(3, 2, switch_.unicast(0, 3));
        switch_.send(60, 3, switch_.unicast(2, 3));
        for (cycle when = 120; when < 160; when += 10) switch_.credit(when, 1);  // everything leaves
        bool slept = false;
        unsigned sleeps = 0;
        hw::engine::chip_probe before;
        bool idle = true;
        std::size_t seen = 0;
        const auto events = [&] { return switch_.flits.size() + switch_.credits.size() + switch_.errors.size(); };
        const auto quiet = [](cycle when) {
            return !(when >= 120 && when < 160 && when % 10 == 0) && !(when >= 1 && when < 34) &&
                   !(when >= 60 && when < 76);
        };
        for (cycle when = 0; when < 200; ++when) {
            switch_.run(when + 1);
            const hw::engine::chip_probe after = switch_.probe();
            if (slept && quiet(when)) {
                EXPECT_EQ(events(), seen) << when;
                EXPECT_EQ(switch_.chip().idle(), idle) << when;
                EXPECT_EQ(switch_.wakes.back(), hw::engine::never) << when;
                for (unsigned port = 0; port < 4; ++port) {
                    EXPECT_EQ(after.inputs[port].occupied, before.inputs[port].occupied);
                    EXPECT_EQ(after.inputs[port].state, before.inputs[port].state);
                    EXPECT_EQ(after.inputs[port].waiting, before.inputs[port].waiting);
                    EXPECT_EQ(after.inputs[port].reading, before.inputs[port].reading);
                    EXPECT_EQ(after.outputs[port].held, before.outputs[port].held);
                    EXPECT_EQ(after.outputs[port].credits, before.outputs[port].credits);
                }
            }
            slept = switch_.wakes.back() == hw::engine::never;
            sleeps += slept ? 1 : 0;
            before = after;
            idle = switch_.chip().idle();
            seen = events();
        }
        EXPECT_GT(sleeps, 50u);
        EXPECT_TRUE(switch_.chip().idle());
    }
}

// The same traffic into a core that is stepped always and one that is stepped only when it asked for it or something
// arrives.
TEST(switch_core_sleep, sleeping_changes_no_result) {
    switch_params params = small_params();
    params.xbar_stages = 1;
    switch_tables tables = small_tables();
    tables.credits[1] = 2;
    switch_bench always(model::core, params, tables);
    const link_packet packet = always.unicast(1, 30);
    hw::chips::switch_core lazy(params, tables);
    hw::engine::pins in(params.pin_shape());
    hw::engine::pins out(params.pin_shape());
    std::vector<cycle> times;
    cycle wake = 0;
    unsigned steps = 0;
    for (cycle now = 0; now < 400; ++now) {
        in.clear();
        out.clear();
        if (now >= 1 && now < 44) {
            in.valid = 1;
            in.head = now == 1 ? 1 : 0;
            in.tail = now == 43 ? 1 : 0;
            in.data[0] = packet.flits[now - 1][0];
        }
        if (now == 100 || now == 200 || now == 201 || now == 202) {
            in.credit = 2;
            always.credit(now, 1);
        }
        if (wake > now && in.quiet()) continue;
        wake = lazy.step(now, in, out);
        ++steps;
        if ((out.valid & 2) != 0) times.push_back(now + 1);
    }
    always.send(1, 0, packet);
    always.run(400);
    EXPECT_EQ(times, always.times_of(1));
    EXPECT_EQ(times.size(), 43u);
    EXPECT_LT(steps, 110u);
}

TEST(switch_core_parameters, out_of_range_is_refused) {
    const auto refused = [](auto change) {
        switch_params params = small_params();
        switch_tables tables = small_tables();
        change(params, tables);
        EXPECT_THROW(hw::chips::switch_core(params, tables), hw::input_error);
    };
    refused([](switch_params& p, switch_tables&) { p.ports = 1; });
    refused([](switch_params& p, switch_tables&) { p.ports = 65; });
    refused([](switch_params& p, switch_tables&) { p.flit_bytes = 0; });
    refused([](switch_params& p, switch_tables&) { p.flit_bytes = 65; });
    refused([](switch_params& p, switch_tables&) { p.chunk_flits = 257; });
    refused([](switch_params& p, switch_tables&) { p.chunks = 1; });
    refused([](switch_params& p, switch_tables&) { p.max_hosts = 0; });
    refused([](switch_params& p, switch_tables&) { p.read_ports = 5; });
    refused([](switch_params& p, switch_tables&) { p.read_ports = 0; });
    refused([](switch_params& p, switch_tables&) { p.xbar_stages = 16; });
    refused([](switch_params&, switch_tables& t) { t.route_delay = 0; });
    refused([](switch_params&, switch_tables& t) { t.route_delay = 16; });
    refused([](switch_params&, switch_tables& t) { t.packet_limit = 0; });
    refused([](switch_params&, switch_tables& t) { t.packet_limit = (1u << 20) + 1; });
    refused([](switch_params&, switch_tables& t) { t.tree_header_flits = 0; });
    refused([](switch_params&, switch_tables& t) { t.tree_header_flits = 4096; });
    refused([](switch_params&, switch_tables& t) { t.buffer_chunks[2] = 0; });
    refused([](switch_params&, switch_tables& t) { t.buffer_chunks[2] = 11; });
    refused([](switch_params&, switch_tables& t) { t.credits[1] = 65536; });
    refused([](switch_params&, switch_tables& t) { t.credits.pop_back(); });
    refused([](switch_params&, switch_tables& t) { t.unicast_up.edit().pop_back(); });
    refused([](switch_params&, switch_tables& t) { t.reach_total.edit().clear(); });
    refused([](switch_params&, switch_tables& t) { t.reach_port[3].edit().clear(); });
}

}  // namespace
}  // namespace polycast::testbench::unit
