// SPDX-License-Identifier: Apache-2.0
// The public test plan of link layer retry with the numbers of hw/chips/link/link.md.
#include "hw/chips/link/link_frame.h"
#include "hw/traffic/random.h"
#include "testbench/unit/hw/chips/link/cable_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::link_action;
using hw::chips::link_layer;
using hw::chips::ordered_set;
using hw::chips::set_type;

constexpr cycle long_up = 10000;  ///< links are up, and the last ack is long ago

class link_faults : public testing::TestWithParam<char> {
protected:
    link_config config = checked(reference(GetParam()));
    unsigned F = static_cast<unsigned>(config.frame);
    unsigned K = config.set_symbols();
    cycle P = config.frame_symbols();
    cycle R = config.replay_timer;
};
INSTANTIATE_TEST_SUITE_P(all, link_faults, testing::Values('X', 'Y', 'Z'), row_name);

/// The flits that were sent first, once, in order.
void expect_all(const cable_bench& bench, unsigned flits) {
    ASSERT_EQ(bench.seen[1].size(), flits);
    for (unsigned index = 0; index < flits; ++index) ASSERT_EQ(bench.seen[1][index].tag & 0xff, (index + 1) & 0xff);
}

/// A share of frames is bad.
scripted_faults::script bad_frames(const link_config& config, double share, std::uint64_t seed) {
    return frame_script(config, [=, random = hw::traffic::random_stream(seed, 9)](unsigned, bool first, bool,
                                                                                  link_symbol& symbol) mutable {
        if (first && static_cast<double>(random() >> 11) * 0x1p-53 < share) symbol.data[0] ^= 1;
    });
}

TEST_P(link_faults, numbers_wrap_under_loss) {
    for (const unsigned bits : {4u, 6u, 20u}) {
        link_config wrapping = reference(GetParam());
        wrapping.sequence_bits = bits;
        wrapping = checked(wrapping);
        cable_bench bench(wrapping);
        bench.spoil(1, bad_frames(wrapping, 0.05, bits), false);
        bench.send(500, 100 * F);
        bench.run(100 * P * 40 + 60 * R);
        expect_all(bench, 100 * F);
        EXPECT_GT(bench.counters(0).llr_tx_replay, 0u);
    }
}

TEST_P(link_faults, a_late_ack_holds_frames_back) {
    link_config late = reference(GetParam());
    late.ack_spacing = 10000;
    late.window = 4;
    cable_bench bench(checked(late));
    bench.send(500, 20 * F);
    bench.each = [&] { ASSERT_LE(bench.cable.end(0).probe().outstanding, 4u); };
    bench.run(80000);
    expect_all(bench, 20 * F);
    EXPECT_EQ(bench.counters(0).llr_tx_replay, 0u);
    EXPECT_EQ(bench.counters(0).outstanding_max, 4u);
    EXPECT_TRUE(bench.errors[0].empty());
}

TEST_P(link_faults, a_thousand_frames_with_loss) {
    cable_bench bench(config);
    bench.spoil(1, bad_frames(config, 0.05, 1), false);
    const unsigned frames = 16000 / F < 1000 ? 16000 / F : 1000;
    bench.send(500, frames * F);
    bench.run(500 + frames * P * 12 + 100 * R);
    expect_all(bench, frames * F);
    const link_counters tx = bench.counters(0);
    EXPECT_GE(tx.llr_rx_nack_ctl_os + tx.timeouts, tx.llr_tx_replay);  // some start again before they are complete
    EXPECT_GT(tx.llr_tx_replay, 0u);
    EXPECT_LE(bench.counters(1).llr_tx_nack_ctl_os, bench.counters(1).llr_rx_bad);
}

/// Every bit of a frame that matters, every bit of an ack and of a nack's set.
TEST_P(link_faults, every_single_flip_is_cured) {
    const unsigned flits = GetParam() == 'Y' ? 6 : F;
    const unsigned wires = symbol_wires(config);
    for (unsigned symbols = 0; symbols < flits + config.trailer_symbols(); ++symbols) {
        for (unsigned wire = 0; wire < wires; ++wire) {
            cable_bench bench(config);
            const cycle hit = 300 + config.delay + 2 + symbols;
            bench.spoil(1, [&](cycle now, link_symbol& symbol, bool&) {
                if (now == hit) flip_wire(config, wire, symbol);
            });
            bench.send(300, flits);
            bench.send(300 + 3 * R / 2, 1);
            bench.run(300 + 4 * R);
            expect_all(bench, flits + 1);
            ASSERT_EQ(bench.cable.end(0).probe().outstanding, 0u);
        }
    }
    for (unsigned bit = 0; bit < 64; ++bit) {
        cable_bench bench(config);
        unsigned symbol_of_set = 0;
        bench.spoil(0, [&](cycle now, link_symbol& symbol, bool&) {
            if (now < 300 || symbol.kind != symbol_kind::set || symbol_of_set > bit / 8) return;
            if (config.beside) {
                symbol.beside ^= std::uint64_t{1} << bit;
                symbol_of_set = 64;
            } else if (symbol_of_set++ == bit / (8 * config.flit_bytes)) {
                symbol.data[bit / 8 % config.flit_bytes] ^= static_cast<std::uint8_t>(1u << bit % 8);
                symbol_of_set = 64;
            }
        });
        bench.send(300, 1);
        bench.run(300 + 4 * R);
        expect_all(bench, 1);
        EXPECT_EQ(bench.counters(0).rx_bad_ctl_os, 1u);
        EXPECT_EQ(bench.cable.end(0).probe().outstanding, 0u);
    }
}

TEST_P(link_faults, after_a_burst) {
    cable_bench bench(config);
    const cycle begin = 2000;
    const cycle end = begin + 100 * P;
    bench.spoil(1, [&](cycle now, link_symbol& symbol, bool&) {
        if (now >= begin && now < end) symbol = {};
    });
    bench.send(500, 14000);
    bench.run(end + R + 2 * P + 2);
    ASSERT_FALSE(bench.seen[1].empty());
    EXPECT_GT(bench.seen[1].back().when, end);
}

/// FLUSH, INIT, and nothing twice. What `discard` takes comes back as credits, `block` keeps what comes later.
TEST_P(link_faults, the_retry_limit) {
    for (const link_action action : {link_action::discard, link_action::block}) {
        link_config two = reference(GetParam());
        two.replay_count = 2;
        two.signal_timeout = 0;
        two.flush_action = action;
        two = checked(two);
        cable_bench bench(two);
        bench.frees = true;
        const cycle back = long_up + 6 * R;
        bench.spoil(1, [&](cycle now, link_symbol& symbol, bool&) {
            if (now >= long_up && now < back) symbol = {};
        });
        bench.send(long_up - 50, 100);   // cut where its link dies
        bench.send(long_up + 4 * R, 5);  // while it is down
        bench.send(back + 8 * R, 7);
        bench.run(back + 30 * R);
        const std::size_t later = action == link_action::block ? 12 : 7;
        ASSERT_GE(bench.seen[1].size(), later);
        EXPECT_EQ(bench.seen[1].back().tag & 0xff, 112u);
        EXPECT_EQ(bench.seen[1][bench.seen[1].size() - later].tag & 0xff, 112u - later + 1);
        EXPECT_EQ(bench.counters(0).llr_tx_discard, action == link_action::block ? 0u : 1u);
        EXPECT_EQ(bench.credits[0].size(), 112u);
        EXPECT_LE(bench.counters(1).llr_rx_poisoned, 1u);
        EXPECT_TRUE(bench.cable.idle());
    }
}

/// The last cf_update is lost while the VC has no credit.
TEST_P(link_faults, a_lost_credit_comes_back) {
    link_config one = reference(GetParam());
    one.far.credits.fill(1);
    one.own = one.far;
    one = checked(one);
    cable_bench bench(one);
    bench.fail(lost_sets(1, set_type::cf_update, long_up, 1));
    bench.send(long_up, 1);
    const cycle freed = long_up + 200;
    bench.credit(freed);
    bench.run(freed + 40 * one.credit_timer);
    ASSERT_EQ(bench.credits[0].size(), 1u);
    EXPECT_GT(bench.credits[0][0].first, freed + one.delay + K + 2);
    EXPECT_LE(bench.credits[0][0].first,
              freed + one.credit_timer + 2 * (one.delay + K + P) + (4 + one.flit_bytes - 1) / one.flit_bytes + 4);
    EXPECT_EQ(bench.counters(0).cbfc_num_cc_update_messages_tx, 1u);
}

/// A lost last ack, a lost nack: the timer's. No FLUSH.
TEST_P(link_faults, lost_acks_and_nacks) {
    cable_bench acks(config);
    acks.fail(lost_sets(1, set_type::ack, long_up, 1));
    acks.send(long_up, F);
    acks.run(long_up + 4 * R);
    expect_all(acks, F);
    EXPECT_EQ(acks.counters(0).timeouts, 1u);
    EXPECT_EQ(acks.counters(1).llr_rx_duplicate_seq, 1u);
    EXPECT_EQ(acks.cable.end(0).probe().outstanding, 0u);
    EXPECT_EQ(acks.counters(0).tx_cycles[4], 0u);

    cable_bench nacks(config);
    hw::faults::fault_plan both = lost_sets(1, set_type::nack, long_up, 1);
    both.events.push_back({.what = hw::faults::fault_kind::frame});
    nacks.fail(both);
    nacks.send(long_up, F);
    nacks.run(long_up + 4 * R);
    expect_all(nacks, F);
    EXPECT_EQ(nacks.counters(0).timeouts, 1u);
    // Its copy is chosen R behind the last symbol of the frame.
    EXPECT_EQ(nacks.seen[1][0].when, long_up + P + R + P + config.delay + 1);
    EXPECT_EQ(nacks.counters(0).tx_cycles[4], 0u);
}

/// With the VC blocked sets and replays go on.
TEST_P(link_faults, a_nack_without_credits) {
    cable_bench bench(config);
    bench.spoil(1, bad_frames(config, 0.3, 3), false);
    bench.send(500, 30 * F);  // no credit ever comes back
    bench.run(500 + 300 * P + 60 * R);
    expect_all(bench, 30 * F);
    EXPECT_TRUE(bench.credits[0].empty());
}

TEST_P(link_faults, sixteen_vcs_flit_by_flit) {
    const link_config many = checked(reference(GetParam(), 16));
    cable_bench bench(many);
    bench.spoil(1, bad_frames(many, 0.05, 4), false);
    for (unsigned flit = 0; flit < 160; ++flit) bench.send(500 + flit, 1, flit % 16);
    bench.run(500 + 10 * many.replay_timer);
    expect_all(bench, 160);
    for (unsigned flit = 0; flit < 160; ++flit) ASSERT_EQ(bench.seen[1][flit].vc, flit % 16);
}

/// Dead for a while, in one direction or both, from the start or in the middle of a packet.
TEST_P(link_faults, dead_wires_never_hang) {
    for (const link_layer layer : {link_layer::check, link_layer::retry}) {
        for (const unsigned direction : {0u, 1u, 2u}) {
            for (const cycle length : {10u, 1000u, 60000u}) {
                for (const cycle begin : {cycle{0}, long_up + 40}) {
                    link_config dead = reference(GetParam());
                    dead.layer = layer;
                    dead = checked(dead);
                    cable_bench bench(dead);
                    bench.frees = true;
                    bench.fail({.seed = 0,
                                .rates = {},
                                .events = {{.what = hw::faults::fault_kind::dead,
                                            .from_end = direction % 2,
                                            .at = begin,
                                            .until = begin + length,
                                            .one_way = direction != 2}}});
                    bench.send(long_up, 100);
                    // cc_updates have found what is lost, and both ends started anew where they had to.
                    const cycle again = begin + length + 12 * dead.credit_timer + 4 * dead.signal_timeout;
                    bench.send(again, 20);
                    bench.run(again + 3 * dead.credit_timer);
                    EXPECT_EQ(bench.credits[0].size(), 120u) << direction << ' ' << length;
                    ASSERT_GE(bench.seen[1].size(), 20u);
                    EXPECT_TRUE(bench.seen[1].back().tail);
                    EXPECT_EQ(bench.seen[1].back().tag & 0xff, 120u);
                    unsigned heads = 0;
                    unsigned tails = 0;
                    for (const cable_bench::flit& flit : bench.seen[1]) {
                        heads += flit.head ? 1 : 0;
                        tails += flit.tail ? 1 : 0;
                    }
                    EXPECT_EQ(heads, tails);
                }
            }
        }
    }
}

/// The second cut of a VC waits until the first poison tail's place is paid; packets that begin meanwhile are dropped.
class link_cut : public link_faults {};
INSTANTIATE_TEST_SUITE_P(all, link_cut, testing::Values('X'), row_name);

TEST_P(link_cut, waits_for_the_reserved_place) {
    link_config without_retry = reference(GetParam());
    without_retry.layer = link_layer::check;
    config = checked(without_retry);
    cable_bench bench(config);
    bench.spoil(1, frame_script(config, [](unsigned number, bool first, bool, link_symbol& symbol) {
                    if (first && (number == 2 || number == 4)) symbol.data[0] ^= 1;
                }));
    bench.send(1000, 16);  // two frames, the second is bad; likewise the next packet
    bench.send(1100, 16);
    bench.send(1200, 3);
    bench.run(1300);
    ASSERT_EQ(bench.seen[1].size(), 8u + 1 + 8);
    EXPECT_TRUE(bench.seen[1][8].tail);
    EXPECT_EQ(bench.seen[1][8].tag, ~std::uint64_t{0});
    bench.credit(1300);
    bench.send(1400, 2);
    bench.run(1500);
    ASSERT_EQ(bench.seen[1].size(), 8u + 1 + 8 + 1 + 2);
    EXPECT_EQ(bench.seen[1][17], (cable_bench::flit{1301, false, true, 0, ~std::uint64_t{0}}));
    EXPECT_EQ(bench.seen[1][18].tag, 36u);
    EXPECT_EQ(bench.counters(1).llr_rx_poisoned, 2u);
}

}  // namespace
}  // namespace polycast::testbench::unit
