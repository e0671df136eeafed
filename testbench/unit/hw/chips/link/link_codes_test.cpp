// SPDX-License-Identifier: Apache-2.0
// Codes of a link end's ring and credit counters: what they correct, what they report, and that nothing wrong is
// delivered.
#include <map>
#include <set>

#include "hw/chips/link/link_upset.h"
#include "hw/format/packet_format.h"
#include "testbench/unit/hw/chips/link/cable_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::flush_cause;
using hw::chips::link_layer;
using hw::chips::link_memory;
using hw::chips::link_rx_state;
using hw::chips::link_tx_state;
using hw::format::protection;

constexpr cycle long_up = 10000;
constexpr auto soft_error = static_cast<unsigned>(hw::format::chip_error::soft_error);

link_config config_with(protection rings, protection counters, link_layer layer = link_layer::retry) {
    link_config config = reference('X');
    config.layer = layer;
    config.far.credits.fill(16);
    config.own = config.far;
    config.protect_rings = rings;
    config.protect_counters = counters;
    return checked(config);
}

/// Flips a bit of end 0's ring at the end of the cycle.
void flip(cable_bench& bench, unsigned flit, unsigned bit) {
    bench.cable.wired().upset(0, {link_memory::ring, flit, bit});
    bench.run(bench.now + 1);
}

std::vector<std::uint64_t> tags(const std::vector<cable_bench::flit>& flits) {
    std::vector<std::uint64_t> all;
    for (const cable_bench::flit& each : flits) all.push_back(each.tag);
    return all;
}

std::vector<std::uint64_t> count_from(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> all;
    for (; first <= last; ++first) all.push_back(first);
    return all;
}

TEST(link_codes, one_flip_of_a_flit_is_corrected_in_each_copy) {
    const link_config config = config_with(protection::secded, protection::none);
    ASSERT_EQ(ring_bits(config), 8u * 16 + 7 + 5 * 7);
    for (unsigned bit = 0; bit < ring_bits(config); ++bit) {
        cable_bench bench(config);
        bench.frees = true;
        bench.fail(lost_frame(0, hw::faults::frame_loss::bad));
        bench.send(long_up, 8);
        bench.run(long_up + 9);
        flip(bench, 3, bit);
        bench.run(long_up + 2000);
        EXPECT_EQ(tags(bench.seen[1]), count_from(1, 8)) << bit;
        EXPECT_EQ(bench.seen[1].front().head && bench.seen[1].back().tail, true);
        EXPECT_EQ(bench.credits[0].size(), 8u) << bit;
        EXPECT_EQ(bench.counters(0).frames_resent, 1u);
        EXPECT_EQ(bench.counters(0).corrected, 1u) << bit;
        EXPECT_EQ(bench.counters(0).soft_errors, 0u) << bit;
        EXPECT_TRUE(bench.errors[0].empty());
    }
}

/// The frame's copies are all bad, and the link starts anew.
TEST(link_codes, what_cannot_be_corrected_is_sent_with_a_wrong_crc_until_flush) {
    const std::vector<std::pair<protection, std::vector<unsigned>>> cases = {
        {protection::secded, {40, 41}},                      // data
        {protection::secded, {128, 0}},                      // head and data, which are of the same 32 bits
        {protection::secded, {8 * 16 + 7, 8 * 16 + 7 + 1}},  // of the code alone
        {protection::parity, {127}},                         // data
        {protection::parity, {129}},                         // tail
        {protection::parity, {131}},                         // virtual channel
        {protection::parity, {134}},                         // it begins a unit
        {protection::parity, {135}},                         // of the code
    };
    for (const auto& [code, bits] : cases) {
        const link_config config = config_with(code, protection::none);
        cable_bench bench(config);
        bench.frees = true;
        bench.fail(lost_frame(0, hw::faults::frame_loss::bad));
        bench.send(long_up, 8);
        bench.run(long_up + 9);
        for (const unsigned bit : bits) flip(bench, 3, bit);
        bench.run(long_up + 10 * config.replay_timer);
        EXPECT_TRUE(bench.seen[1].empty()) << bits.front();
        EXPECT_EQ(bench.counters(0).frames_resent, config.replay_count) << bits.front();
        EXPECT_EQ(bench.counters(0).soft_errors, config.replay_count) << bits.front();
        EXPECT_EQ(bench.counters(1).llr_rx_bad, 1 + config.replay_count) << bits.front();
        ASSERT_EQ(bench.errors[0].size(), config.replay_count);
        for (const auto& [when, what] : bench.errors[0]) EXPECT_EQ(what, soft_error);
        EXPECT_EQ(bench.cable.end(0).probe().cause, flush_cause::replay_limit);
        EXPECT_EQ(bench.cable.end(0).probe().tx, link_tx_state::advance);
        EXPECT_EQ(bench.credits[0].size(), 8u) << "all units are given back";
        bench.send(bench.now, 8);
        bench.run(bench.now + 2000);
        EXPECT_EQ(tags(bench.seen[1]), count_from(9, 16)) << bits.front();
        EXPECT_EQ(bench.credits[0].size(), 16u);
        EXPECT_EQ(bench.counters(0).soft_errors, config.replay_count);
    }
}

/// The pin is up in the cycle behind the one in which the flit is read.
TEST(link_codes, a_soft_error_is_told_when_the_flit_is_read) {
    const link_config config = config_with(protection::parity, protection::none);
    cable_bench bench(config);
    bench.send(2, 8);  // the link is not up
    bench.run(12);
    flip(bench, 2, 0);
    bench.run(45);
    const cycle first_choice = config.up_cycle() + 1;
    ASSERT_EQ(bench.errors[0].size(), 1u);
    EXPECT_EQ(bench.errors[0].front(), std::make_pair(first_choice + 2 + 1, soft_error));
}

/// With `check` the frame is lost alone: packets before and behind it come.
TEST(link_codes, without_retry_one_frame_is_lost) {
    const link_config config = config_with(protection::secded, protection::none, link_layer::check);
    cable_bench bench(config);
    bench.frees = true;
    for (unsigned packet = 0; packet < 16; ++packet) bench.send(2 + packet, 1);
    bench.run(20);
    flip(bench, 10, 5);
    flip(bench, 10, 6);
    bench.run(20 * config.credit_timer);
    EXPECT_EQ(tags(bench.seen[1]), count_from(1, 8));
    EXPECT_EQ(bench.counters(0).soft_errors, 1u);
    EXPECT_EQ(bench.counters(1).llr_rx_bad, 1u);
    EXPECT_EQ(bench.cable.end(0).probe().cause, flush_cause::none);
    EXPECT_EQ(bench.credits[0].size(), 16u) << "cc_updates repair what the lost frame has used";
    bench.send(bench.now, 4);
    bench.run(bench.now + 2000);
    EXPECT_EQ(bench.seen[1].size(), 12u);
}

/// A flit behind the ring's last is none, and a place that is written anew has no flip.
TEST(link_codes, flips_stay_with_their_flit) {
    const link_config config = config_with(protection::parity, protection::none);
    cable_bench bench(config);
    bench.frees = true;
    bench.send(long_up, 8);
    bench.run(long_up + 9);
    flip(bench, 8, 0);
    flip(bench, 3, 0);  // it was sent, and is acknowledged
    bench.run(long_up + 500);
    for (unsigned packet = 0; packet < 20; ++packet) bench.send(bench.now + 50 * packet, 8);
    bench.run(bench.now + 3000);
    EXPECT_EQ(tags(bench.seen[1]), count_from(1, 168));
    EXPECT_EQ(bench.counters(0).soft_errors, 0u);
}

constexpr unsigned counters = 4;  // S_CC, S_CF, R_CC, R_CF

TEST(link_codes, one_flip_of_a_counter_is_corrected) {
    const link_config config = config_with(protection::none, protection::secded);
    ASSERT_EQ(counter_bits(config), 27u);
    for (unsigned which = 0; which < counters; ++which) {
        for (unsigned bit = 0; bit < counter_bits(config); ++bit) {
            const unsigned end = which / 2;  // the sender's, or the receiver's at the other end
            cable_bench bench(config);
            bench.frees = true;
            bench.send(long_up, 16);
            bench.run(long_up + 16);
            bench.cable.wired().upset(end, {link_memory::counters, which, bit});
            bench.run(long_up + 2 * config.credit_timer);
            EXPECT_EQ(tags(bench.seen[1]), count_from(1, 16)) << which << ' ' << bit;
            EXPECT_EQ(bench.credits[0].size(), 16u) << which << ' ' << bit;
            EXPECT_EQ(bench.counters(end).corrected, 1u) << which << ' ' << bit;
            EXPECT_EQ(bench.counters(1 - end).corrected, 0u);
            EXPECT_EQ(bench.counters(end).soft_errors, 0u);
            EXPECT_TRUE(bench.errors[0].empty() && bench.errors[1].empty());
            EXPECT_EQ(bench.counters(0).cbfc_num_cc_update_messages_tx, 0u) << "its timers went on";
        }
    }
}

/// A sender's counter that is lost makes the link start anew, a receiver's makes the sender find out. Also where the
/// counter would be right as 0, or no credit is left that could show that it is wrong.
TEST(link_codes, a_counter_that_is_lost_is_told_and_counts_anew) {
    for (const link_layer layer : {link_layer::check, link_layer::retry}) {
        for (const unsigned units : {1u, 16u}) {
            for (unsigned which = 0; which < counters; ++which) {
                for (const unsigned bit : {0u, 3u, 19u, 20u, 22u}) {
                    link_config config = config_with(protection::none, protection::parity, layer);
                    config.far.credits.fill(units);
                    config.own = config.far;
                    config = checked(config);
                    const unsigned end = which / 2;
                    cable_bench bench(config);
                    bench.frees = true;
                    bench.send(long_up, units);
                    bench.run(long_up + 11);
                    const cycle at = bench.now;
                    bench.cable.wired().upset(end, {link_memory::counters, which, bit});
                    bench.run(long_up + 40 * config.credit_timer);
                    const std::string name = std::to_string(units) + " units, counter " + std::to_string(which) +
                                             " bit " + std::to_string(bit);
                    ASSERT_EQ(bench.errors[end].size(), 1u) << name;
                    EXPECT_EQ(bench.errors[end].front(), std::make_pair(at + 2, soft_error)) << name;
                    EXPECT_EQ(bench.counters(end).soft_errors, 1u) << name;
                    bench.send(bench.now, units);
                    bench.run(bench.now + 40 * config.credit_timer);
                    EXPECT_EQ(bench.cable.end(0).probe().tx, link_tx_state::advance) << name;
                    EXPECT_EQ(bench.cable.end(1).probe().rx, link_rx_state::send_acks) << name;
                    EXPECT_EQ(bench.cable.end(0).probe().cause == flush_cause::counter, end == 0) << name;
                    EXPECT_EQ(bench.credits[0].size(), 2 * units) << name;
                    bench.send(bench.now, units);
                    bench.run(bench.now + 40 * config.credit_timer);
                    EXPECT_EQ(bench.credits[0].size(), 3 * units) << name;
                    const std::vector<std::uint64_t> all = tags(bench.seen[1]);
                    ASSERT_GE(all.size(), units) << name;
                    EXPECT_TRUE(std::equal(all.end() - units, all.end(), count_from(2 * units + 1, 3 * units).begin()));
                }
            }
        }
    }
}

/// A flip of a counter that is lost says nothing more.
TEST(link_codes, a_lost_counter_is_told_once) {
    link_config config = config_with(protection::none, protection::parity);
    config.reinit = false;
    cable_bench bench(config);
    bench.run(long_up);
    bench.cable.wired().upset(0, {link_memory::counters, 0, 4});
    bench.run(long_up + 5);
    bench.cable.wired().upset(0, {link_memory::counters, 0, 5});
    bench.run(long_up + 10);
    EXPECT_EQ(bench.counters(0).soft_errors, 1u);
    EXPECT_EQ(bench.cable.end(0).probe().tx, link_tx_state::flush);
    bench.cable.wired().upset(0, {link_memory::counters, 1, 5});
    bench.run(long_up + 15);
    EXPECT_EQ(bench.counters(0).soft_errors, 2u) << "S_CF is another one";
}

}  // namespace
}  // namespace polycast::testbench::unit
