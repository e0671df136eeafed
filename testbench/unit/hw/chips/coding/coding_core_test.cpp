// SPDX-License-Identifier: Apache-2.0
// Latencies of hw/chips/coding/coding_unit.md, exactly; that XORs are right against payloads kept outside; that nothing
// is lost when the way out is blocked.
#include "hw/input_error.h"
#include "testbench/unit/hw/chips/coding/coding_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr cycle never = hw::engine::never;

std::vector<cycle> heads(const coding_bench& bench) {
    std::vector<cycle> when;
    for (const coding_message& result : bench.results) when.push_back(result.head);
    return when;
}

std::vector<byte_list> data(unsigned count, std::size_t bytes, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<byte_list> all;
    for (unsigned index = 0; index < count; ++index) all.push_back(random_bytes(random, bytes));
    return all;
}

/// Indices 0..count-1 in random order.
std::vector<unsigned> shuffled(unsigned count, unsigned seed) {
    std::vector<unsigned> order(count);
    for (unsigned index = 0; index < count; ++index) order[index] = index;
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
}

TEST(coding_core, an_operand_that_completes_a_pair) {
    const auto d = data(2, 16);
    for (const unsigned latency : {0u, 1u, 2u, 5u, 64u}) {
        coding_registers registers = one_context(coding_mode::encode, 2, {9});
        registers.latency = latency;
        coding_bench bench(free_params(), registers);
        bench.send(10, 0, operand(0, 0, d[0]));
        bench.send(20, 1, operand(0, 1, d[1]));
        bench.run(23 + latency);
        EXPECT_FALSE(bench.idle());
        EXPECT_THAT(bench.results, IsEmpty());
        bench.run(30 + latency);
        EXPECT_THAT(heads(bench), ElementsAre(20 + 4 + latency));
        EXPECT_THAT(bench.credits_back, ElementsAre(Pair(12, 0u), Pair(22, 1u)));
        EXPECT_THAT(bench.events, IsEmpty());
        EXPECT_TRUE(bench.idle());
    }
}

TEST(coding_core, fields_of_a_result) {
    coding_registers registers = one_context(coding_mode::encode, 3, {0xabcdef, 4});
    registers.contexts[0].vc_class = 6;
    registers.vc_sets[6] = 4;
    for (const bool free : {false, true}) {
        coding_params params = free_params();
        params.header_free = free;
        coding_bench bench(params, registers);
        const auto d = data(3, 20);
        for (const unsigned index : {2u, 1u, 0u}) bench.send(0, 0, operand(0, index, d[index]));
        bench.run(100);
        ASSERT_EQ(bench.results.size(), 4u);
        for (unsigned number = 0; number < 4; ++number) {
            const coding_message& result = bench.results[number];
            const unsigned index = 1 - number / 2;
            EXPECT_TRUE(result.intact);
            EXPECT_EQ(result.vc, 2u);
            EXPECT_EQ(result.destination, number % 2 == 0 ? 0xabcdefu : 4u);
            EXPECT_EQ(result.common.kind, hw::format::packet_kind::unicast);
            EXPECT_TRUE(result.common.up);
            EXPECT_EQ(result.common.source, 0x123456u);
            EXPECT_EQ(result.common.sequence, number);
            EXPECT_EQ(result.common.length, 20u);
            EXPECT_EQ(result.common.vc_class, 6u);
            EXPECT_EQ(result.transport,
                      (hw::format::transport_header{hw::format::transport_op::data, false, false, 3, 4, 5, 600, 0,
                                                    7000 + index, 0, 20, 80000 + index}));
            EXPECT_EQ(result.payload, d[index] ^ d[index + 1]);
        }
    }
}

/// Packets of a pair follow each other without a gap, and so do pairs.
TEST(coding_core, one_flit_per_cycle) {
    coding_registers registers = one_context(coding_mode::encode, 3, {1, 2, 3});
    registers.latency = 7;
    registers.credits = 100;
    coding_params params = free_params();
    params.vc_flits = 20;
    coding_bench bench(params, registers);
    const auto d = data(3, 30);  // two flits
    bench.send(0, 0, operand(0, 0, d[0]));
    bench.send(0, 0, operand(0, 2, d[2]));
    bench.send(20, 0, operand(0, 1, d[1]));
    bench.run(60);
    // The tail is in in 21, so the first flit is out in 21 + 4 + 7.
    EXPECT_THAT(heads(bench), ElementsAre(32, 34, 36, 38, 40, 42));
    EXPECT_EQ(bench.results[5].tail, 43u);
    EXPECT_TRUE(bench.idle());
}

/// A datum is accepted the cycle after its pair is done, queued, and worked on in the one behind: two cycles a step.
TEST(coding_core, a_chain_unrolls_in_two_cycles_a_step) {
    for (const unsigned latency : {0u, 3u}) {
        coding_registers registers = one_context(coding_mode::decode, 6, {1});
        registers.latency = latency;
        registers.credits = 100;
        coding_bench bench(free_params(), registers);
        const auto d = data(6, 16);
        for (unsigned index = 0; index < 5; ++index)
            bench.send(0, 0, operand(0, chain_bit | index, d[index] ^ d[index + 1]));
        bench.send(50, 0, operand(0, 0, d[0]));
        bench.run(80 + latency);
        EXPECT_THAT(heads(bench), ElementsAre(54 + latency, 56 + latency, 58 + latency, 60 + latency, 62 + latency));
        for (unsigned step = 0; step < 5; ++step) {
            EXPECT_EQ(bench.results[step].payload, d[step + 1]);
            EXPECT_EQ(bench.results[step].transport.tag, 80000 + step + 1);
        }
        EXPECT_TRUE(bench.idle());
    }
}

/// Both partners are there: the lower pair first, then the upper one, and the walk goes on both ways in turn.
TEST(coding_core, a_chain_unrolls_both_ways) {
    coding_registers registers = one_context(coding_mode::decode, 5, {1});
    registers.credits = 100;
    coding_bench bench(free_params(), registers);
    const auto d = data(5, 16);
    for (const unsigned index : {3u, 0u, 2u, 1u})
        bench.send(0, 0, operand(0, chain_bit | index, d[index] ^ d[index + 1]));
    bench.send(50, 0, operand(0, 2, d[2]));
    bench.run(100);
    std::vector<std::uint32_t> order;
    for (const coding_message& result : bench.results) {
        order.push_back(result.transport.message - 7000);
        EXPECT_EQ(result.payload, d[order.back()]);
    }
    EXPECT_THAT(order, ElementsAre(1u, 3u, 0u, 4u));
    EXPECT_TRUE(bench.idle());
}

struct shape {
    bool free;
    unsigned flit_bytes;
};

class coding_shapes : public testing::TestWithParam<shape> {
protected:
    coding_params params() const {
        coding_params p = free_params();
        p.header_free = GetParam().free;
        p.flit_bytes = GetParam().flit_bytes;
        p.vc_flits = 16;
        p.slots = 130;
        p.slot_flits = p.body_flits(bytes);
        return p;
    }
    static constexpr unsigned bytes = 23;
};

INSTANTIATE_TEST_SUITE_P(flits, coding_shapes,
                         testing::Values(shape{false, 1}, shape{false, 3}, shape{false, 16}, shape{false, 64},
                                         shape{true, 1}, shape{true, 3}, shape{true, 16}, shape{true, 64}),
                         [](const auto& of) {
                             return (of.param.free ? "free" : "inline") + std::to_string(of.param.flit_bytes);
                         });

TEST_P(coding_shapes, chains_are_encoded_in_any_order_of_arrival) {
    for (const unsigned count : {2u, 3u, 4u, 7u, 16u, 33u, 64u}) {
        const auto d = data(count, bytes, count);
        coding_registers registers = one_context(coding_mode::encode, count, {11, 12});
        registers.reserve = 8;
        coding_bench bench(params(), registers);
        const std::vector<unsigned> order = shuffled(count, count);
        for (unsigned number = 0; number < count; ++number)
            bench.send(number * 3, number % 4, operand(0, order[number], d[order[number]]));
        bench.run(count * 250 + 200);
        ASSERT_EQ(bench.results.size(), 2 * (count - 1));
        std::vector<unsigned> seen(count, 0);
        for (const coding_message& result : bench.results) {
            const unsigned index = result.transport.tag - 80000;
            EXPECT_TRUE(result.intact);
            EXPECT_EQ(result.payload, d.at(index) ^ d.at(index + 1));
            EXPECT_EQ(result.destination, 11 + seen[index]++);
        }
        EXPECT_THAT(bench.events, IsEmpty());
        EXPECT_THAT(bench.errors, IsEmpty());
        EXPECT_EQ(bench.waiting(), 0u);
        for (unsigned vc = 0; vc < 4; ++vc) EXPECT_EQ(bench.credits(vc), 16u);
        EXPECT_TRUE(bench.idle());
    }
}

TEST_P(coding_shapes, chains_are_decoded_from_every_plain_index) {
    constexpr unsigned count = 6;
    const auto d = data(count, bytes);
    coding_bench bench(params(), one_context(coding_mode::decode, count, {11}));
    for (unsigned plain = 0; plain < count; ++plain) {
        const cycle start = plain * 1000;
        bench.results.clear();
        const std::vector<unsigned> order = shuffled(count, plain);  // count - 1: the plain one
        for (const unsigned which : order) {
            bench.send(start, which % 4,
                       which == count - 1 ? operand(0, plain, d[plain])
                                          : operand(0, chain_bit | which, d[which] ^ d[which + 1]));
        }
        bench.run(start + 1000);
        ASSERT_EQ(bench.results.size(), count - 1);
        std::vector<bool> recovered(count, false);
        recovered[plain] = true;
        for (const coding_message& result : bench.results) {
            const unsigned index = result.transport.tag - 80000;
            EXPECT_TRUE(result.intact);
            EXPECT_EQ(result.payload, d.at(index));
            recovered.at(index) = true;
        }
        EXPECT_THAT(recovered, testing::Each(true));
        EXPECT_TRUE(bench.idle());
    }
    EXPECT_THAT(bench.events, IsEmpty());
}

TEST(coding_core, every_length_of_chain_up_to_64) {
    for (unsigned count = 2; count <= 64; ++count) {
        const auto d = data(count, 16, count);
        coding_registers registers = one_context(coding_mode::encode, count, {1});
        coding_bench encoder(free_params(), registers);
        const std::vector<unsigned> order = shuffled(count, 100 + count);
        for (const unsigned index : order) encoder.send(0, index % 4, operand(0, index, d[index]));
        encoder.run(4 * count + 100);
        ASSERT_EQ(encoder.results.size(), count - 1);
        registers.contexts[0].mode = coding_mode::decode;
        coding_bench decoder(free_params(), registers);
        const unsigned plain = order.front();
        for (const coding_message& result : encoder.results)
            decoder.send(0, 0, operand(0, chain_bit | (result.transport.tag - 80000), result.payload));
        decoder.send(0, 1, operand(0, plain, d[plain]));
        decoder.run(4 * count + 100);
        ASSERT_EQ(decoder.results.size(), count - 1);
        for (const coding_message& result : decoder.results)
            EXPECT_EQ(result.payload, d.at(result.transport.tag - 80000));
        EXPECT_TRUE(encoder.idle() && decoder.idle());
    }
}

TEST(coding_core, nothing_is_lost_when_the_way_out_is_blocked) {
    coding_params params = free_params();
    params.slots = 4;
    coding_registers registers = one_context(coding_mode::encode, 40, {1, 2});
    registers.credits = 2;
    for (const unsigned latency : {0u, 3u}) {
        registers.latency = latency;
        const auto d = data(40, 60);
        coding_bench bench(params, registers);
        bench.hold_credits = true;
        for (unsigned index = 0; index < 40; ++index) bench.send(0, 0, operand(0, index, d[index]));
        bench.run(500);
        // Each of four VCs takes two flits of a packet of four: one packet is begun. Four slots and a buffer are full.
        EXPECT_THAT(bench.results, IsEmpty());
        EXPECT_EQ(bench.waiting(), 160u - 4 * 4 - 8);
        EXPECT_EQ(bench.wakes.back(), never);
        bench.hold_credits = false;
        bench.run(3000);
        ASSERT_EQ(bench.results.size(), 78u);
        for (unsigned number = 0; number < 78; ++number)
            EXPECT_EQ(bench.results[number].payload, d[number / 2] ^ d[number / 2 + 1]);
        EXPECT_TRUE(bench.idle());
    }
}

TEST(coding_core, heads_wait_for_the_reserve_of_a_vc_of_their_class) {
    coding_registers registers = one_context(coding_mode::encode, 4, {1});
    registers.reserve = 2;
    registers.credits = 3;
    registers.vc_sets.fill(0x6);  // VCs 1 and 2
    coding_bench bench(free_params(), registers);
    bench.hold_credits = true;
    const auto d = data(4, 32);  // two flits
    for (unsigned index = 0; index < 4; ++index) bench.send(0, 0, operand(0, index, d[index]));
    bench.run(100);
    ASSERT_EQ(bench.results.size(), 2u);  // the third finds one credit left in each
    EXPECT_EQ(bench.results[0].vc, 1u);
    EXPECT_EQ(bench.results[1].vc, 2u);
    bench.hold_credits = false;
    bench.run(102);
    bench.hold_credits = true;
    bench.run(200);
    ASSERT_EQ(bench.results.size(), 3u);
    // The first credit is on the pins in 100 and counts in 101; the head is out in the cycle after.
    EXPECT_EQ(bench.results[2].head, 102u);
    EXPECT_EQ(bench.results[2].vc, 1u);
}

TEST(coding_core, pairs_without_destinations) {
    for (const coding_mode mode : {coding_mode::encode, coding_mode::decode}) {
        coding_bench bench(free_params(), one_context(mode, 3, {}));
        const auto d = data(3, 32);
        const bool decoding = mode == coding_mode::decode;
        for (unsigned round = 0; round < 2; ++round) {
            if (decoding) {
                bench.send(round * 100, 0, operand(0, chain_bit | 0, d[0] ^ d[1]));
                bench.send(round * 100, 0, operand(0, chain_bit | 1, d[1] ^ d[2]));
                bench.send(round * 100, 0, operand(0, 1, d[1]));
            } else {
                for (unsigned index = 0; index < 3; ++index) bench.send(round * 100, 0, operand(0, index, d[index]));
            }
        }
        // The last tail of the first round is in in 5, its entry is worked on from 8 on, two cycles a pair: in decoding
        // two.
        bench.run(decoding ? 11 : 9);
        EXPECT_FALSE(bench.idle());
        bench.run(decoding ? 12 : 10);
        EXPECT_TRUE(bench.idle());
        bench.run(200);
        EXPECT_TRUE(bench.idle());
        EXPECT_THAT(bench.results, IsEmpty());
        EXPECT_THAT(bench.events, IsEmpty());
    }
}

TEST(coding_core, sleeps_while_it_waits) {
    coding_registers registers = one_context(coding_mode::encode, 2, {1});
    registers.latency = 40;
    coding_bench bench(free_params(), registers);
    const auto d = data(2, 16);
    bench.send(0, 0, operand(0, 0, d[0]));
    bench.send(10, 0, operand(0, 1, d[1]));
    bench.run(60);
    EXPECT_EQ(bench.wakes[5], never);
    EXPECT_EQ(bench.wakes[10], 11u);
    EXPECT_EQ(bench.wakes[20], 53u);  // the flit is in the pipe from 13 on
    EXPECT_EQ(bench.wakes[59], never);
    registers.patience = 30;
    coding_bench impatient(free_params(), registers);
    impatient.send(0, 0, operand(0, 0, d[0]));
    impatient.run(20);
    EXPECT_EQ(impatient.wakes[10], 33u);  // accepted in 2, the clock stands at 30 in 33
}

TEST(coding_core, reset_forgets_operands_and_keeps_registers) {
    coding_registers registers = one_context(coding_mode::encode, 2, {1});
    coding_bench bench(free_params(), registers);
    const auto d = data(2, 16);
    bench.send(0, 0, operand(0, 0, d[0]));
    bench.run(10);
    EXPECT_FALSE(bench.idle());
    bench.reset();
    EXPECT_TRUE(bench.idle());
    bench.send(20, 0, operand(0, 1, d[1]));
    bench.send(30, 0, operand(0, 0, d[0]));
    bench.run(60);
    ASSERT_EQ(bench.results.size(), 1u);
    EXPECT_EQ(bench.results[0].common.sequence, 0u);
    EXPECT_EQ(bench.results[0].payload, d[0] ^ d[1]);
    EXPECT_THAT(bench.events, IsEmpty());
}

template <typename change>
std::string refused(const change& set) {
    coding_params params;
    coding_registers registers = one_context(coding_mode::encode, 2, {1});
    set(params, registers);
    return testbench::unit::refusal([&] { hw::chips::coding_core unit(params, registers); });
}

TEST(coding_config, what_is_out_of_range_is_refused) {
    using params = coding_params&;
    using registers = coding_registers&;
    EXPECT_EQ(refused([](params, registers) {}), "accepted");
    EXPECT_THAT(refused([](params p, registers) { p.vcs = 17; }), HasSubstr("virtual channels must be 1..16, not 17"));
    EXPECT_THAT(refused([](params p, registers) { p.vc_flits = 0; }), HasSubstr("flits of a buffer"));
    EXPECT_THAT(refused([](params p, registers) { p.flit_bytes = 1; }), HasSubstr("does not hold a header of 13"));
    EXPECT_THAT(refused([](params p, registers) { p.flit_bytes = 65; }), HasSubstr("bytes of a flit"));
    EXPECT_THAT(refused([](params p, registers) { p.contexts = 1025; }), HasSubstr("contexts must be 1..1024"));
    EXPECT_THAT(refused([](params p, registers) { p.slots = 1; }), HasSubstr("slots must be 2..4096"));
    EXPECT_THAT(refused([](params p, registers) { p.slot_flits = 4097; }), HasSubstr("flits of a slot"));
    EXPECT_THAT(refused([](params p, registers) { p.indices = 1; }), HasSubstr("indices must be 2..4096"));
    EXPECT_THAT(refused([](params p, registers) { p.destinations = 0; }), HasSubstr("destinations must be 1..4096"));
    EXPECT_THAT(refused([](params p, registers) { p.max_latency = 65; }), HasSubstr("the longest latency"));
    EXPECT_THAT(refused([](params, registers r) { r.number = 1u << 24; }), HasSubstr("its number"));
    EXPECT_THAT(refused([](params p, registers r) { p.max_latency = 4, r.latency = 5; }), HasSubstr("0..4, not 5"));
    EXPECT_THAT(refused([](params, registers r) { r.credits = 65536; }), HasSubstr("credits"));
    EXPECT_THAT(refused([](params, registers r) { r.reserve = 0; }), HasSubstr("the reserve"));
    EXPECT_THAT(refused([](params, registers r) { r.packet_limit = 0; }), HasSubstr("the packet limit"));
    EXPECT_THAT(refused([](params, registers r) { r.vc_sets[3] = 16; }), HasSubstr("a virtual channel that does not"));
    EXPECT_THAT(refused([](params, registers r) { r.contexts.resize(17); }), HasSubstr("more contexts"));
    EXPECT_THAT(refused([](params, registers r) { r.contexts[0].vc_class = 8; }), HasSubstr("class of a context"));
    EXPECT_THAT(refused([](params, registers r) { r.destinations.resize(65); }), HasSubstr("more destinations"));
    EXPECT_THAT(refused([](params, registers r) { r.destinations[0] = 1u << 24; }), HasSubstr("a destination"));
}

TEST(coding_config, units_that_could_wait_for_ever_are_no_part_of_a_network) {
    const auto waits = [](unsigned credits, unsigned reserve, unsigned slots) -> std::string {
        coding_params params;
        params.slots = slots;
        coding_registers registers = one_context(coding_mode::encode, 5, {1});
        registers.credits = credits;
        registers.reserve = reserve;
        registers.contexts.resize(3, registers.contexts[0]);
        registers.contexts[1].mode = coding_mode::decode;
        registers.contexts[2].mode = coding_mode::off;
        return testbench::unit::refusal([&] { hw::chips::check_progress(params, registers); });
    };
    EXPECT_EQ(waits(8, 8, 10), "accepted");
    EXPECT_THAT(waits(8, 9, 10), HasSubstr("a reserve of 9, but there are never more than 8 credits"));
    EXPECT_THAT(waits(8, 8, 9), HasSubstr("9 slots, but its contexts have 10 operands"));
}

}  // namespace
}  // namespace polycast::testbench::unit
