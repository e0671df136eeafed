// SPDX-License-Identifier: Apache-2.0
// Every event and error of hw/chips/coding/coding_unit.md, with what it says and its cycle; rounds that begin again.
#include "testbench/unit/hw/chips/coding/coding_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const byte_list ones(16, 1);
const byte_list twos(16, 2);
const byte_list threes(16, 3);
const byte_list fours(16, 4);

/// The only event of a packet that comes whole in cycle 10.
out_event event_of(const coding_params& params, const coding_registers& registers, const link_bytes& packet) {
    coding_bench bench(params, registers);
    bench.send(10, 0, packet);
    bench.run(100);
    EXPECT_EQ(bench.events.size(), 1u);
    EXPECT_TRUE(bench.idle());
    EXPECT_THAT(bench.results, IsEmpty());
    EXPECT_THAT(bench.errors, IsEmpty());
    return bench.events.empty() ? out_event{} : bench.events.front();
}

out_event event_of(const coding_registers& registers, const coding_message& message, std::uint32_t spoil = 0) {
    return event_of(free_params(), registers, to_link(free_params(), message, spoil));
}

TEST(coding_events, packets_that_are_no_operand) {
    const coding_registers registers = one_context(coding_mode::encode, 2, {1});
    coding_message message = operand(3, 0x12345, ones, 0xabcdef);
    message.transport.op = hw::format::transport_op::data;
    // In 10, taken in 11, refused in 12, on the pins in 13.
    EXPECT_EQ(event_of(registers, message), (out_event{13, 0, coding_event::not_operand, 3, 0x12345, 0xabcdef}));
    message.transport.op = hw::format::transport_op::operand;
    for (const auto kind : {hw::format::packet_kind::tree, hw::format::packet_kind::broadcast,
                            static_cast<hw::format::packet_kind>(15)}) {
        message.common.kind = kind;
        EXPECT_EQ(event_of(registers, message), (out_event{13, 0, coding_event::not_operand, 0, 0, 0}));
    }
}

TEST(coding_events, wrong_check_words) {
    const coding_registers registers = one_context(coding_mode::encode, 2, {1});
    for (unsigned bit = 0; bit < 32; ++bit) {
        EXPECT_EQ(event_of(registers, operand(0, 1, ones, 9), 1u << bit),
                  (out_event{13, 0, coding_event::check, 0, 1, 9}));
    }
    coding_params params = free_params();
    params.header_free = false;
    EXPECT_EQ(event_of(params, registers, to_link(params, operand(0, 1, ones, 9), 1)),
              (out_event{16, 0, coding_event::check, 0, 1, 9}));
}

TEST(coding_events, lengths_that_are_not_those_of_the_packet) {
    const coding_registers registers = one_context(coding_mode::encode, 2, {1});
    coding_params params = free_params();
    params.slot_flits = 3;
    const auto shape = [&](std::size_t bytes, std::uint16_t says, std::size_t flits) {
        coding_message message = operand(0, 1, byte_list(bytes, 7), 5);
        link_bytes packet = to_link(params, message);
        hw::format::write_field<hw::format::length_field>(packet.header.data(), says);
        packet.flits.resize(flits * 16);
        return packet;
    };
    const auto code_of = [&](const link_bytes& packet) { return event_of(params, registers, packet).code; };
    EXPECT_EQ(code_of(shape(16, 0, 1)), coding_event::bad_length);
    EXPECT_EQ(code_of(shape(16, 17, 1)), coding_event::bad_length);
    EXPECT_EQ(code_of(shape(17, 16, 2)), coding_event::bad_length);
    EXPECT_EQ(code_of(shape(47, 48, 3)), coding_event::check);
    EXPECT_EQ(code_of(shape(49, 49, 4)), coding_event::bad_length);
}

/// Where the header is in the flits what does not come counts as zero, and what does not fit the slot is still read.
TEST(coding_events, headers_that_do_not_come_whole) {
    coding_params params = free_params();
    params.header_free = false;
    const coding_registers registers = one_context(coding_mode::encode, 2, {1});
    const link_bytes whole = to_link(params, operand(0x102, 0x80000003, ones, 5));
    const auto cut = [&](std::size_t flits) {
        link_bytes packet = whole;
        packet.flits.resize(flits * 16);
        return event_of(params, registers, packet);
    };
    EXPECT_EQ(cut(1), (out_event{13, 0, coding_event::not_operand, 0, 0, 5}));
    EXPECT_EQ(cut(2), (out_event{14, 0, coding_event::bad_length, 0x102, 0, 5}));
    EXPECT_EQ(cut(3), (out_event{15, 0, coding_event::bad_length, 0x102, 0x80000003, 5}));
    EXPECT_EQ(event_of(params, registers, whole),
              (out_event{16, 0, coding_event::unknown_context, 0x102, 0x80000003, 5}));
    params.slot_flits = 1;
    EXPECT_EQ(event_of(params, registers, whole), (out_event{16, 0, coding_event::bad_length, 0x102, 0x80000003, 5}));
}

TEST(coding_events, contexts_that_are_off) {
    const auto code_of = [](const coding_registers& registers, unsigned context) {
        return event_of(registers, operand(context, 9, ones)).code;
    };
    coding_registers registers = one_context(coding_mode::off, 2, {1});
    EXPECT_EQ(code_of(registers, 0), coding_event::unknown_context);
    EXPECT_EQ(code_of(registers, 15), coding_event::unknown_context);
    EXPECT_EQ(code_of(registers, 16), coding_event::unknown_context);
    registers.contexts[0].mode = coding_mode::encode;
    EXPECT_EQ(code_of(registers, 0), coding_event::bad_index);
    const auto change = [&](auto set) {
        coding_registers changed = registers;
        set(changed, changed.contexts[0]);
        return code_of(changed, 0);
    };
    EXPECT_EQ(change([](auto&, auto& context) { context.count = 1; }), coding_event::unknown_context);
    EXPECT_EQ(change([](auto&, auto& context) { context.count = 65; }), coding_event::unknown_context);
    EXPECT_EQ(change([](auto&, auto& context) { context.first_destination = 64; }), coding_event::unknown_context);
    EXPECT_EQ(change([](auto&, auto& context) { context.first_destination = 63; }), coding_event::bad_index);
    EXPECT_EQ(change([](auto& all, auto&) { all.vc_sets[0] = 0; }), coding_event::unknown_context);
}

TEST(coding_events, indices_that_there_are_not) {
    const coding_registers encoding = one_context(coding_mode::encode, 4, {1});
    const coding_registers decoding = one_context(coding_mode::decode, 4, {1});
    const auto bad = [](std::uint32_t tag) { return out_event{13, 0, coding_event::bad_index, 0, tag, 77}; };
    EXPECT_EQ(event_of(encoding, operand(0, 4, ones)), bad(4));
    EXPECT_EQ(event_of(encoding, operand(0, 0x7fff0004, ones)), bad(0x7fff0004));
    EXPECT_EQ(event_of(encoding, operand(0, chain_bit, ones)), bad(chain_bit));
    EXPECT_EQ(event_of(decoding, operand(0, 4, ones)), bad(4));
    EXPECT_EQ(event_of(decoding, operand(0, chain_bit | 3, ones)), bad(chain_bit | 3));
    // Bits 30..16 are no matter.
    coding_bench bench(free_params(), encoding);
    bench.send(0, 0, operand(0, 0x12340001, ones));
    bench.send(1, 0, operand(0, 0x7fff0002, threes));
    bench.run(50);
    EXPECT_THAT(bench.events, IsEmpty());
    ASSERT_EQ(bench.results.size(), 1u);
    EXPECT_EQ(bench.results[0].payload, twos);
}

TEST(coding_events, operands_that_come_again) {
    coding_bench encoder(free_params(), one_context(coding_mode::encode, 3, {1}));
    encoder.send(0, 0, operand(0, 0, ones));
    encoder.send(1, 0, operand(0, 1, twos));
    encoder.send(50, 0, operand(0, 0, ones));  // its one use was long ago
    encoder.send(51, 0, operand(0, 1, ones));
    encoder.send(60, 0, operand(0, 2, threes));
    encoder.run(100);
    EXPECT_THAT(encoder.events, ElementsAre(out_event{53, 0, coding_event::duplicate, 0, 0, 77},
                                            out_event{54, 0, coding_event::duplicate, 0, 1, 77}));
    EXPECT_EQ(encoder.results.size(), 2u);
    EXPECT_TRUE(encoder.idle());
    coding_bench decoder(free_params(), one_context(coding_mode::decode, 3, {1}));
    decoder.send(0, 0, operand(0, 0, ones));
    decoder.send(1, 0, operand(0, 1, twos));  // any plain one
    decoder.send(2, 0, operand(0, chain_bit | 1, twos));
    decoder.send(3, 0, operand(0, chain_bit | 1, twos));
    decoder.send(4, 0, operand(0, chain_bit | 0, threes));
    decoder.run(100);
    EXPECT_THAT(decoder.events, ElementsAre(out_event{4, 0, coding_event::duplicate, 0, 1, 77},
                                            out_event{6, 0, coding_event::duplicate, 0, chain_bit | 1, 77}));
    EXPECT_EQ(decoder.results.size(), 2u);
    EXPECT_TRUE(decoder.idle());
}

/// The last pair is done in the cycle before its result is out, without latency; a round may begin in the next.
TEST(coding_events, a_round_begins_in_the_cycle_behind_the_last_pair) {
    coding_registers registers = one_context(coding_mode::encode, 2, {1});
    registers.latency = 0;
    coding_bench bench(free_params(), registers);
    bench.send(0, 0, operand(0, 0, ones));
    bench.send(1, 0, operand(0, 1, twos));  // accepted in 3, the pair is done in 4
    bench.send(2, 0, operand(0, 0, ones));  // in 4: a duplicate
    bench.send(3, 0, operand(0, 0, ones));  // in 5: of the next round
    bench.send(4, 0, operand(0, 1, ones));
    bench.run(50);
    EXPECT_THAT(bench.events, ElementsAre(out_event{5, 0, coding_event::duplicate, 0, 0, 77}));
    ASSERT_EQ(bench.results.size(), 2u);
    EXPECT_EQ(bench.results[0].head, 5u);
    EXPECT_EQ(bench.results[1].payload, byte_list(16, 0));
    EXPECT_TRUE(bench.idle());
}

TEST(coding_events, pairs_of_unequal_lengths) {
    coding_bench encoder(free_params(), one_context(coding_mode::encode, 4, {1}));
    const byte_list shorter(15, 9);
    encoder.send(0, 0, operand(0, 2, ones, 12));
    encoder.send(0, 0, operand(0, 0, ones, 10));
    encoder.send(0, 0, operand(0, 1, shorter, 11));  // in 2, both pairs unequal
    encoder.send(20, 0, operand(0, 3, twos, 13));
    encoder.run(50);
    // Accepted in 4, worked on in 5 and 6.
    EXPECT_THAT(encoder.events, ElementsAre(out_event{6, 1, coding_event::unequal, 0, 0, 10},
                                            out_event{7, 1, coding_event::unequal, 0, 1, 12}));
    ASSERT_EQ(encoder.results.size(), 1u);
    EXPECT_EQ(encoder.results[0].payload, threes);
    EXPECT_TRUE(encoder.idle());
    // What is further on in a chain stays until the context is given up.
    coding_registers registers = one_context(coding_mode::decode, 4, {1});
    registers.patience = 100;
    coding_bench decoder(free_params(), registers);
    decoder.send(0, 0, operand(0, chain_bit | 0, ones, 20));
    decoder.send(0, 0, operand(0, chain_bit | 1, shorter, 21));
    decoder.send(0, 0, operand(0, chain_bit | 2, ones, 22));
    decoder.send(0, 0, operand(0, 0, twos, 23));
    decoder.run(90);
    EXPECT_THAT(decoder.events, ElementsAre(out_event{9, 1, coding_event::unequal, 0, 1, 21}));
    EXPECT_EQ(decoder.results.size(), 1u);
    EXPECT_FALSE(decoder.idle());
    decoder.run(150);
    EXPECT_EQ(decoder.events.size(), 1u);  // all operands had come
    EXPECT_TRUE(decoder.idle());
}

/// The source of a datum that was made is that of the chain operand whose slot it has.
TEST(coding_events, unequal_to_a_datum_that_was_made) {
    coding_bench bench(free_params(), one_context(coding_mode::decode, 3, {1}));
    bench.send(0, 0, operand(0, chain_bit | 0, ones, 20));
    bench.send(0, 0, operand(0, 0, twos, 23));
    bench.send(30, 0, operand(0, chain_bit | 1, byte_list(3, 3), 21));
    bench.run(100);
    EXPECT_THAT(bench.events, ElementsAre(out_event{34, 1, coding_event::unequal, 0, 1, 20}));
    EXPECT_TRUE(bench.idle());
}

TEST(coding_events, operands_that_do_not_come) {
    for (const unsigned patience : {1u, 7u, 50u}) {
        coding_registers registers = one_context(coding_mode::encode, 5, {1});
        registers.patience = patience;
        coding_bench bench(free_params(), registers);
        bench.send(10, 0, operand(0, 1, ones));
        bench.send(10, 0, operand(0, 3, ones));
        bench.run(200);
        // Accepted in 12 and 13: the clock stands at 0 in 14, the context expires in 14 + patience; in the next cycle
        // index 0 is looked at.
        const cycle first = 14 + patience + 1;
        EXPECT_THAT(bench.events, ElementsAre(out_event{first + 1, 2, coding_event::missing, 0, 0, 0},
                                              out_event{first + 3, 2, coding_event::missing, 0, 2, 0},
                                              out_event{first + 5, 2, coding_event::missing, 0, 4, 0}));
        EXPECT_TRUE(bench.idle());
    }
}

TEST(coding_events, chains_that_do_not_come) {
    coding_registers registers = one_context(coding_mode::decode, 4, {1});
    registers.patience = 20;
    coding_bench without_plain(free_params(), registers);
    without_plain.send(0, 0, operand(0, chain_bit | 1, ones));
    without_plain.run(100);
    // Accepted in 2, expired in 23.
    EXPECT_THAT(without_plain.events, ElementsAre(out_event{25, 2, coding_event::missing, 0, 0xffff, 0},
                                                  out_event{26, 2, coding_event::missing, 0, chain_bit | 0, 0},
                                                  out_event{28, 2, coding_event::missing, 0, chain_bit | 2, 0}));
    coding_bench with_plain(free_params(), registers);
    with_plain.send(0, 0, operand(0, 2, ones));
    with_plain.send(1, 0, operand(0, chain_bit | 2, twos));
    with_plain.run(100);
    EXPECT_EQ(with_plain.results.size(), 1u);
    EXPECT_EQ(with_plain.events.size(), 2u);  // chain operands 0 and 1
    EXPECT_TRUE(with_plain.idle() && without_plain.idle());
    // It begins anew.
    with_plain.send(200, 0, operand(0, 3, ones));
    for (unsigned index = 0; index < 3; ++index) with_plain.send(200, 0, operand(0, chain_bit | index, twos));
    with_plain.run(300);
    EXPECT_EQ(with_plain.results.size(), 4u);
    EXPECT_EQ(with_plain.events.size(), 2u);
}

/// Two contexts expire in one cycle: the lower one is given up first. Nothing is accepted meanwhile.
TEST(coding_events, one_context_after_the_other_is_given_up) {
    coding_registers registers = one_context(coding_mode::encode, 3, {1});
    registers.contexts.push_back(registers.contexts[0]);
    registers.contexts.push_back(registers.contexts[0]);
    registers.patience = 10;
    coding_bench bench(free_params(), registers);
    bench.send(0, 0, operand(2, 0, ones));
    bench.send(1, 0, operand(1, 0, ones));
    bench.send(15, 0, operand(0, 0, ones));  // could be accepted in 17
    bench.run(100);
    // Context 2: accepted in 2, expires in 13, given up in 14..16. Context 1 could in 14: expires in 17, 18..20. The
    // operand of context 0 is accepted in 17; expires in 28, given up in 29..31.
    EXPECT_THAT(
        bench.events,
        ElementsAre(out_event{16, 2, coding_event::missing, 2, 1, 0}, out_event{17, 2, coding_event::missing, 2, 2, 0},
                    out_event{20, 2, coding_event::missing, 1, 1, 0}, out_event{21, 2, coding_event::missing, 1, 2, 0},
                    out_event{31, 2, coding_event::missing, 0, 1, 0},
                    out_event{32, 2, coding_event::missing, 0, 2, 0}));
}

/// Work that waits for credits is progress enough.
TEST(coding_events, a_context_with_work_is_not_given_up) {
    coding_registers registers = one_context(coding_mode::encode, 3, {1});
    registers.patience = 10;
    registers.credits = 1;
    registers.latency = 0;
    registers.vc_sets.fill(1);
    coding_bench bench(free_params(), registers);
    bench.hold_credits = true;
    for (unsigned index = 0; index < 3; ++index) bench.send(index, 0, operand(0, index, ones));
    bench.run(300);
    EXPECT_EQ(bench.results.size(), 1u);
    EXPECT_THAT(bench.events, IsEmpty());
    EXPECT_EQ(bench.wakes.back(), hw::engine::never);
    bench.hold_credits = false;
    bench.run(400);
    EXPECT_EQ(bench.results.size(), 2u);
    EXPECT_THAT(bench.events, IsEmpty());
    EXPECT_TRUE(bench.idle());
}

TEST(coding_errors, packets_that_are_too_short_and_too_long) {
    coding_params params = free_params();
    params.header_free = false;
    params.flit_bytes = 4;
    params.vcs = 2;
    coding_registers registers = one_context(coding_mode::encode, 2, {1});
    registers.vc_sets.fill(3);
    registers.packet_limit = 20;
    coding_bench bench(params, registers);
    link_bytes cut = to_link(params, operand(0, 0, fours));
    cut.flits.resize(12);
    bench.send(0, 0, cut);
    bench.run(50);
    // Its tail comes in 2 and is taken in 3.
    EXPECT_THAT(bench.errors, ElementsAre(Pair(4, chip_error::short_header)));
    EXPECT_EQ(bench.credits_back.size(), 3u);
    EXPECT_THAT(bench.events, IsEmpty());
    EXPECT_TRUE(bench.idle());
    bench.errors.clear();
    link_bytes long_one = to_link(params, operand(0, 0, byte_list(100, 1)));
    bench.send(100, 0, long_one);
    bench.run(200);
    EXPECT_THAT(bench.errors, ElementsAre(Pair(120, chip_error::too_long)));
    EXPECT_THAT(bench.events, ElementsAre(out_event{122, 0, coding_event::bad_length, 0, 0, 77}));
}

}  // namespace
}  // namespace polycast::testbench::unit
