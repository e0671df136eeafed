// SPDX-License-Identifier: Apache-2.0
// What a link end refuses, by symbols that no sender makes and by configuration, and counters that flip.
#include "hw/chips/link/link_frame.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/chips/link/cable_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::link_layer;
using hw::chips::link_tx_state;
using hw::chips::ordered_set;
using hw::chips::set_type;

constexpr cycle long_up = 10000;

TEST(link_end_core, refuses_numbers_that_cannot_be) {
    const link_config config = checked(reference('X'));
    hw::chips::link_end_core end(config);
    hw::chips::link_end_in in;
    const auto hear = [&](cycle now, const ordered_set& set) {
        in = {};
        in.symbol.kind = symbol_kind::set;
        put_word(config, pack(set), 0, in.symbol);
        hw::chips::link_end_out out;
        end.step(now, in, out);
    };
    hear(0, {set_type::init_echo, 0, 0, 0});
    EXPECT_EQ(end.probe().tx, link_tx_state::advance);
    hear(1, {set_type::ack, 0, 0xfffff, 0});  // the one before the first
    EXPECT_EQ(end.counters(2).llr_rx_ack_nack_seq_error, 0u);
    hear(2, {set_type::ack, 0, 0, 0});
    hear(3, {set_type::nack, 0, 5, 0});
    hear(4, {set_type::cf_update, 0, 1, 7});
    EXPECT_EQ(end.counters(5).llr_rx_ack_nack_seq_error, 3u);
    EXPECT_EQ(end.counters(5).credit_error, 0u);
    hear(5, {set_type::cf_update, 0, 1, 0xfffff});  // nothing was sent
    hear(6, {set_type::cf_update, 3, 0, 0xfffff});  // no such VC
    EXPECT_EQ(end.counters(7).credit_error, 2u);
}

/// Frames whose CRC is right, but which no sender makes.
TEST(link_end_core, refuses_frames_that_cannot_be) {
    using namespace hw::chips;
    const link_config config = checked(reference('X', 2));
    const auto hear = [&](const std::vector<link_symbol>& flits, const link_trailer& trailer) {
        link_end_core end(config);
        cycle now = 0;
        const auto step = [&](const link_symbol& symbol) {
            link_end_in in;
            in.symbol = symbol;
            link_end_out out;
            end.step(now++, in, out);
        };
        link_symbol init;
        init.kind = symbol_kind::set;
        put_word(config, pack({set_type::init, 0, 0, 0}), 0, init);
        step(init);
        frame_check covered;
        for (const link_symbol& flit : flits) {
            step(flit);
            covered.add(config, flit);
        }
        link_symbol check;
        check.kind = symbol_kind::check;
        put_word(config, covered.seal(trailer), 0, check);
        step(check);
        return std::make_pair(end.counters(now), end.probe().rx);
    };
    link_symbol flit;
    flit.kind = symbol_kind::flit;
    flit.head = flit.tail = true;
    EXPECT_EQ(hear({flit}, {0, 1, 0}).first.llr_rx_expected_seq_good, 1u);
    EXPECT_EQ(hear({flit}, {0, 2, 0}).first.llr_rx_bad, 1u);        // the count
    EXPECT_EQ(hear({flit}, {0, 1, 3}).first.llr_rx_bad, 1u);        // the type
    EXPECT_EQ(hear({flit, flit}, {0, 2, 1}).first.llr_rx_bad, 1u);  // a message of one flit too many
    EXPECT_EQ(hear({}, {0, 1, 0}).first.llr_rx_bad, 1u);
    flit.vc = 2;
    EXPECT_EQ(hear({flit}, {0, 1, 0}).first.llr_rx_bad, 1u);
    EXPECT_EQ(hear({message_flit(config, {frame_type::cut, 2, 0}, 0)}, {0, 1, 2}).first.llr_rx_bad, 1u);
    // With retry nothing leaks: one unit more than came is an error.
    const auto equal = hear({message_flit(config, {frame_type::cc_update, 1, 0}, 0)}, {0, 1, 1});
    EXPECT_EQ(equal.first.credit_error, 0u);
    EXPECT_EQ(equal.second, link_rx_state::send_acks);
    const auto leak = hear({message_flit(config, {frame_type::cc_update, 1, 1}, 0)}, {0, 1, 1});
    EXPECT_EQ(leak.first.credit_error, 1u);
    EXPECT_EQ(leak.second, link_rx_state::off);
}

/// This program's cables are cores.
hw::chips::link_end_core& core_end(cable_bench& bench, unsigned which) {
    return dynamic_cast<hw::chips::cable_core&>(bench.cable.wired()).end(which);
}

/// A sender's counter that flips gives no credit too many: the link starts anew, and all credits are there.
TEST(link_end_core, an_upset_sender_counter_is_found) {
    for (const bool freed : {false, true}) {
        for (const unsigned bit : {0u, 1u, 5u, 19u}) {
            link_config config = reference('X');
            config.far.credits.fill(8);
            config.own = config.far;
            config = checked(config);
            cable_bench bench(config);
            bench.frees = true;
            bench.send(long_up, 8);
            bench.run(long_up + 13);
            core_end(bench, 0).transmitter().credits().upset(bench.now, 0, freed, bit);
            bench.run(long_up + 20 * config.credit_timer);
            EXPECT_EQ(bench.credits[0].size(), 8u) << freed << bit;
            EXPECT_GT(bench.counters(0).credit_error + bench.counters(1).credit_error, 0u);
            EXPECT_EQ(bench.cable.end(0).probe().tx, link_tx_state::advance);
        }
    }
}

/// Neither does one of a receiver stop the handshake.
TEST(link_end_core, an_upset_receiver_counter_does_not_hang) {
    for (const link_layer layer : {link_layer::check, link_layer::retry}) {
        for (const bool freed : {false, true}) {
            for (const unsigned bit : {0u, 3u, 19u}) {
                link_config config = reference('X');
                config.layer = layer;
                config.far.credits.fill(8);
                config.own = config.far;
                config = checked(config);
                cable_bench bench(config);
                bench.frees = true;
                bench.send(long_up, 8);
                bench.run(long_up + 20);
                core_end(bench, 1).receiver().upset(0, freed, bit);
                bench.run(long_up + 40 * config.credit_timer);
                EXPECT_EQ(bench.credits[0].size(), 8u) << freed << bit;
                EXPECT_EQ(bench.cable.end(0).probe().tx, link_tx_state::advance);
                bench.send(bench.now, 8);
                bench.run(bench.now + 40 * config.credit_timer);
                EXPECT_EQ(bench.credits[0].size(), 16u) << freed << bit;
                EXPECT_EQ(bench.seen[1].size(), 16u);
            }
        }
    }
}

TEST(link_config, refuses_what_one_end_cannot_be) {
    const auto refused = [](auto change) {
        link_config config = reference('X');
        change(config);
        EXPECT_THROW(checked(config), hw::input_error);
    };
    refused([](link_config& c) { c.layer = link_layer::none; });
    refused([](link_config& c) { c.beside = true, c.flit_bytes = 3; });
    refused([](link_config& c) { c.beside = true, c.frame = 2; });
    refused([](link_config& c) { c.frame = 257, c.flit_bytes = 1; });
    refused([](link_config& c) { c.frame = 39; });  // 39 x 136 + 32 > 5,243 bits
    refused([](link_config& c) { c.sequence_bits = 4, c.window = 9; });
    refused([](link_config& c) { c.sequence_bits = 3; });
    refused([](link_config& c) { c.layer = link_layer::check, c.sequence_bits = 8; });
    refused([](link_config& c) { c.replay_timer = 172; });
    refused([](link_config& c) { c.lifetime = 346 * 9 - 1; });
    refused([](link_config& c) { c.age_timeout = 346 * 9 - 1; });
    refused([](link_config& c) { c.credit_timer = 345; });
    refused([](link_config& c) { c.credit_spacing = 1; });
    refused([](link_config& c) { c.replay_count = 0; });
    refused([](link_config& c) { c.window_bytes = 127; });
    refused([](link_config& c) { c.vcs = 17; });
    refused([](link_config& c) { c.far.credits[0] = 0; });
    link_config largest = reference('X');
    largest.frame = 38;
    EXPECT_NO_THROW(checked(largest));
}

}  // namespace
}  // namespace polycast::testbench::unit
