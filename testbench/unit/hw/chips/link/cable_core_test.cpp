// SPDX-License-Identifier: Apache-2.0
// The closed forms of hw/chips/link/link.md and the tables of its reference links X, Y and Z.
#include "testbench/unit/hw/chips/link/cable_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::link_tx_state;
using hw::chips::other_end;
using hw::faults::frame_loss;

class reference_link : public testing::TestWithParam<char> {
protected:
    link_config config = checked(reference(GetParam()));
    unsigned F = static_cast<unsigned>(config.frame);
    unsigned T = config.trailer_symbols();
    unsigned K = config.set_symbols();
    cycle P = config.frame_symbols();
    cycle D = config.nack_cycles();
    cycle G = config.nack_frames();
    cycle A = config.ack_spacing;
    cycle R = config.replay_timer;

    /// One of three values, by the link.
    template <class Value>
    Value by_link(Value x, Value y, Value z) const {
        return GetParam() == 'X' ? x : GetParam() == 'Y' ? y : z;
    }
};
INSTANTIATE_TEST_SUITE_P(all, reference_link, testing::Values('X', 'Y', 'Z'), row_name);

TEST_P(reference_link, derived_values) {
    EXPECT_EQ(F, by_link(8u, 128u, 1u));
    EXPECT_EQ(P, by_link(9u, 136u, 1u));
    EXPECT_EQ(D, by_link(23u, 12u, 103u));
    EXPECT_EQ(G, by_link(3u, 1u, 103u));
    EXPECT_EQ(A, by_link(128u, 2048u, 64u));
    EXPECT_EQ(R, by_link(346u, 4728u, 346u));
    EXPECT_EQ(config.window, by_link(19u, 18u, 171u));
    EXPECT_EQ(config.up_cycle(), by_link(23u, 19u, 103u));
    EXPECT_EQ(config.least_timer() * 2, R);
}

TEST_P(reference_link, is_up_when_the_handshake_is_over) {
    cable_bench bench(config);
    bench.run(config.up_cycle());
    for (const unsigned end : {0u, 1u}) EXPECT_EQ(bench.cable.end(end).probe().tx, link_tx_state::init);
    bench.run(config.up_cycle() + 1);
    for (const unsigned end : {0u, 1u}) EXPECT_EQ(bench.cable.end(end).probe().tx, link_tx_state::advance);
    // A flit that waited is chosen in the next cycle.
    cable_bench waiting(config);
    waiting.send(2, 1);
    waiting.run(1000);
    ASSERT_EQ(waiting.seen[1].size(), 1u);
    EXPECT_EQ(waiting.seen[1][0].when, config.up_cycle() + 1 + T + 1 + config.delay + 1);
    EXPECT_EQ(waiting.counters(0).tx_cycles[1], config.up_cycle() + 1);
}

/// Either init or echo is lost k times: 64 k cycles later, rounded up to where no other item is under way.
TEST_P(reference_link, a_lost_handshake_is_repeated) {
    for (const unsigned lost : {1u, 3u}) {
        for (const auto type : {hw::chips::set_type::init, hw::chips::set_type::init_echo}) {
            cable_bench bench(config);
            bench.fail(lost_sets(type == hw::chips::set_type::init ? 0 : 1, type, 0, lost));
            bench.run(5000);
            EXPECT_EQ(bench.injected.size(), lost);
            const cycle up = bench.counters(0).tx_cycles[1] - 1;
            EXPECT_GE(up, config.up_cycle() + 64 * lost);
            EXPECT_LE(up, config.up_cycle() + 64 * lost + 2 * K);
        }
    }
}

TEST_P(reference_link, latency_without_faults) {
    const cycle start = 6000;
    for (const unsigned n : {1u, 2u, 7u, 8u, 9u, 20u, 127u, 128u, 129u, 300u}) {
        cable_bench bench(config);
        bench.send(start, n);
        bench.run(start + 2000);
        ASSERT_EQ(bench.seen[1].size(), n);
        const unsigned m = (n + F - 1) / F - 1;
        const unsigned r = n - m * F;
        EXPECT_EQ(bench.seen[1].front().when - start - config.delay, std::min(n, F) + T + 2) << n;
        EXPECT_EQ(bench.seen[1].back().when - (start + n - 1) - config.delay,
                  m == 0 ? 2 + r + T : m * T + 2 + std::max(F, r + T))
            << n;
        if (n != 20) continue;
        EXPECT_EQ(bench.seen[1].front().when - start - config.delay, by_link(11u, 30u, 3u));
        EXPECT_EQ(bench.seen[1].back().when - (start + 19) - config.delay, by_link(12u, 30u, 3u));
    }
}

TEST_P(reference_link, latency_of_a_credit) {
    cable_bench bench(config);
    bench.send(1000, 1);
    bench.credit(6000);
    bench.run(7000);
    ASSERT_EQ(bench.credits[0].size(), 1u);
    EXPECT_EQ(bench.credits[0][0].first, 6000 + config.delay + K + 2);
}

/// From the last symbol of a bad frame at the receiver to that of its good copy.
TEST_P(reference_link, recovery_of_one_frame) {
    for (const bool saturated : {false, true}) {
        for (const bool vanishes : {false, true}) {
            if (vanishes && !saturated) continue;  // the timer's
            cable_bench bench(config);
            bench.fail(lost_frame(saturated ? 4 : 0, vanishes ? frame_loss::vanish : frame_loss::bad));
            const cycle start = 6000;
            bench.send(start, saturated ? 40 * F : F);
            bench.run(start + 20000);
            ASSERT_EQ(bench.seen[1].size(), saturated ? 40 * F : F);
            ASSERT_EQ(bench.injected.size(), 1u);
            // The good copy's first flit is on the chip's pins behind its last symbol.
            const cycle copy = bench.seen[1][saturated ? 4 * F : 0].when - 1;
            const cycle expected = !saturated ? D + F + T : ((vanishes ? 2 : 1) + G) * P;
            EXPECT_EQ(copy - bench.injected[0].when, expected);
            if (!vanishes) {
                EXPECT_EQ(expected, saturated ? by_link(36u, 272u, 104u) : by_link(32u, 148u, 104u));
            }
        }
    }
}

TEST_P(reference_link, a_hundred_frames) {
    struct row {
        unsigned sent, replays, missing, bad, duplicates, nacks;
        cycle last;
    };
    const row rows[3] = {
        by_link(row{100, 0, 0, 0, 0, 0, 929}, {100, 0, 0, 0, 0, 0, 13740}, {100, 0, 0, 0, 0, 0, 162}),
        by_link(row{105, 1, 4, 0, 0, 1, 974}, {103, 1, 2, 0, 0, 1, 14148}, {151, 1, 50, 0, 0, 1, 267}),
        by_link(row{104, 1, 3, 1, 0, 1, 965}, {102, 1, 1, 1, 0, 1, 14012}, {151, 1, 50, 1, 0, 1, 266})};
    // Cycles count from 10 before the first flit, when the links are long up.
    const cycle zero = 10000;
    for (unsigned fault = 0; fault < 3; ++fault) {
        cable_bench bench(config);
        if (fault != 0) bench.fail(lost_frame(49, fault == 1 ? frame_loss::vanish : frame_loss::bad));
        bool acked = false;
        unsigned acks_in_recovery = 0;
        bench.each = [&] {
            const auto tx = bench.counters(1);
            const bool nacked = tx.llr_tx_nack_ctl_os != 0 && bench.cable.end(1).probe().expected == 49;
            if (nacked && tx.llr_tx_ack_ctl_os != acks_in_recovery && acked) ADD_FAILURE() << "ack behind the nack";
            acked = nacked;
            acks_in_recovery = static_cast<unsigned>(tx.llr_tx_ack_ctl_os);
        };
        bench.send(zero + 10, 100 * F);
        bench.run(zero + rows[fault].last + 400);  // before cc_updates are due
        const link_counters tx = bench.counters(0);
        const link_counters rx = bench.counters(1);
        const row& expected = rows[fault];
        EXPECT_EQ(tx.llr_tx_ok + tx.frames_resent, expected.sent);
        EXPECT_EQ(tx.llr_tx_replay, expected.replays);
        EXPECT_EQ(rx.llr_rx_missing_seq, expected.missing);
        EXPECT_EQ(rx.llr_rx_bad, expected.bad);
        EXPECT_EQ(rx.llr_rx_duplicate_seq, expected.duplicates);
        EXPECT_EQ(rx.llr_tx_nack_ctl_os, expected.nacks);
        EXPECT_EQ(tx.llr_rx_nack_ctl_os, expected.nacks);
        ASSERT_EQ(bench.seen[1].size(), 100 * F);
        EXPECT_EQ(bench.seen[1].back().when - zero, expected.last) << fault;
        for (unsigned index = 0; index < 100 * F; ++index)
            ASSERT_EQ(bench.seen[1][index].tag & 0xff, (index + 1) & 0xff);
        EXPECT_EQ(rx.llr_rx_expected_seq_good, 100u);
        EXPECT_EQ(rx.llr_rx_expected_seq_bad, expected.bad);
        EXPECT_EQ(rx.llr_rx_ok, 100u + expected.missing);
        EXPECT_EQ(rx.llr_rx_replay, expected.nacks);
    }
}

/// Replays follow one another by the timer, then FLUSH.
TEST_P(reference_link, suppressed_acks_end_in_flush) {
    link_config three = config;
    three.replay_count = 3;
    three.signal_timeout = 0;
    cable_bench bench(three);
    const cycle zero = 64 * 200;
    bench.spoil(0, [&](cycle now, link_symbol& symbol, bool&) {
        if (now > zero - 1000) symbol = {};
    });
    std::vector<cycle> replays;
    cycle flush = 0;
    link_tx_state last = link_tx_state::init;
    bench.each = [&] {
        const link_tx_state state = bench.cable.end(0).probe().tx;
        if (state == link_tx_state::replay && last != state) replays.push_back(bench.now - zero);
        // FLUSH lasts the cycle of its choice; INIT is the state behind it.
        if (state == link_tx_state::init && last != state && bench.now > zero) flush = bench.now - zero;
        last = state;
    };
    bench.send(zero + 10, F);
    bench.run(zero + 30000);
    using testing::ElementsAre;
    const cycle t0 = by_link<cycle>(19, 146, 11);
    EXPECT_THAT(replays, ElementsAre(t0 + R, t0 + 2 * R, t0 + 3 * R));
    EXPECT_EQ(flush, t0 + 4 * R);
    if (GetParam() == 'X') {
        EXPECT_THAT(replays, ElementsAre(365, 711, 1057));
        EXPECT_EQ(flush, 1403u);
    } else if (GetParam() == 'Y') {
        EXPECT_THAT(replays, ElementsAre(4874, 9602, 14330));
        EXPECT_EQ(flush, 19058u);
    }
    EXPECT_EQ(bench.counters(0).timeouts, 3u);
}

/// Flits that reach the other chip in a cycle of saturation without faults, and the counters of the ends.
struct saturation {
    double goodput;
    link_counters tx, rx;
};

/// \param both the other direction is saturated, too \param frees the chips give credits back
saturation saturate(const link_config& config, cycle cycles, bool both = false, bool frees = true) {
    const std::unique_ptr<cable_under_test> cable = make_cable(config);
    hw::engine::pins in(cable->shape());
    hw::engine::pins out(cable->shape());
    const cycle warm = 10000;
    std::uint64_t delivered = 0;
    std::array<std::uint64_t, 2> credits;
    credits.fill(cable->config().far.credits[0]);
    std::array<std::uint64_t, 2> owed = {};
    for (cycle now = 0; now < warm + cycles; ++now) {
        in.clear();
        for (unsigned port = 0; port < (both ? 2u : 1u); ++port) {
            if (credits[port] == 0) continue;
            --credits[port];
            in.valid |= hw::chips::bit(port);
            in.head |= hw::chips::bit(port);
            in.tail |= hw::chips::bit(port);
        }
        for (unsigned port = 0; port < 2; ++port) {
            if (owed[port] == 0) continue;
            --owed[port];
            in.credit |= hw::chips::bit(port);
        }
        out.clear();
        cable->step(now, in, out);
        for (unsigned port = 0; port < 2; ++port) {
            if (frees && (out.valid & hw::chips::bit(port)) != 0) ++owed[port];
            if ((out.credit & hw::chips::bit(port)) != 0) ++credits[port];
        }
        if (now >= warm) delivered += out.valid >> 1 & 1;
    }
    return {static_cast<double>(delivered) / static_cast<double>(cycles), cable->end(0).counters(warm + cycles),
            cable->end(1).counters(warm + cycles)};
}

TEST_P(reference_link, both_directions_saturated) {
    const saturation ends = saturate(config, 200000, true);
    const double share = static_cast<double>(F) / static_cast<double>(P);
    EXPECT_GE(ends.goodput,
              share * (1 - K / static_cast<double>(A)) - 0.01 - share * K / static_cast<double>(config.credit_spacing));
    EXPECT_EQ(ends.tx.frames_resent, 0u);
    EXPECT_LE(ends.tx.outstanding_max, config.window);
    // One direction alone, the credits of which go the other way.
    EXPECT_NEAR(saturate(config, 100000).goodput, share, 0.001);
}

/// Two acks for a window, as the spacing of acks makes them on Z, are another closed form; Y takes a million cycles.
class small_window : public reference_link {};
INSTANTIATE_TEST_SUITE_P(all, small_window, testing::Values('X'), row_name);

TEST_P(small_window, goodput) {
    for (const unsigned window : {4u, 8u}) {
        link_config small = reference(GetParam());
        small.window = window;
        // Without cf_updates, which acknowledge as well: until credits are used up.
        const double flits = saturate(checked(small), 20000, false, false).goodput;
        EXPECT_NEAR(flits, window * 8 / 128., 0.01 * window * 8 / 128.);
    }
}

}  // namespace
}  // namespace polycast::testbench::unit
