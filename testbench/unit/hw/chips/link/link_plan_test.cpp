// SPDX-License-Identifier: Apache-2.0
// Long rows of the public test plan, and rows that cable_core_test.cpp and cable_faults_test.cpp leave out.
#include <cmath>

#include "hw/traffic/random.h"
#include "testbench/unit/hw/chips/link/cable_bench.h"
#include "testbench/unit/hw/chips/link/link_plan_run.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::link_layer;
using hw::chips::link_tx_state;
using hw::chips::set_type;
using hw::faults::fault_kind;

constexpr unsigned room = 1 << 14;

/// A share of the frames towards port 1 is bad.
scripted_faults bad_share(const link_config& config, double share, std::uint64_t seed) {
    return scripted_faults(frame_script(config, [share, random = hw::traffic::random_stream(seed, 9)](
                                                    unsigned, bool first, bool, link_symbol& symbol) mutable {
        if (first && static_cast<double>(random() >> 11) * 0x1p-53 < share) symbol.data[0] ^= 1;
    }));
}

TEST(link_plan_short, handshakes_of_64_cables_at_once) {
    for (const char name : {'X', 'Y', 'Z'}) {
        const link_config config = checked(reference(name));
        std::vector<std::unique_ptr<cable_core>> cables;
        for (unsigned index = 0; index < 64; ++index) cables.push_back(std::make_unique<cable_core>(config));
        const hw::engine::pins in(cables[0]->shape());
        hw::engine::pins out(cables[0]->shape());
        for (cycle now = 0; now <= config.up_cycle(); ++now) {
            for (const auto& cable : cables) {
                out.clear();
                EXPECT_EQ(cable->end(0).probe().tx, link_tx_state::init);
                cable->step(now, in, out);
            }
        }
        for (const auto& cable : cables)
            for (const unsigned end : {0u, 1u}) EXPECT_EQ(cable->end(end).probe().tx, link_tx_state::advance);
    }
}

/// The ack, then the copy, then its nack are lost, once each: the timer's, R behind the last progress. No FLUSH.
TEST(link_plan_short, ack_copy_and_nack_lost) {
    for (const char name : {'X', 'Y', 'Z'}) {
        const link_config config = checked(reference(name));
        const cycle R = config.replay_timer;
        cable_bench bench(config);
        hw::faults::fault_plan plan = lost_sets(1, set_type::ack, 10000, 1);
        // The first copy of frame 0: it begins R behind the frame.
        plan.events.push_back({.what = fault_kind::frame, .at = 10000 + R});
        plan.events.push_back({.what = fault_kind::set, .from_end = 1, .at = 10000, .type = set_type::nack});
        bench.fail(plan);
        bench.send(10000, 1);
        // The second copy's last symbol is on the pins.
        const cycle again = 10001 + config.trailer_symbols() + R + config.trailer_symbols() + 1 + config.delay;
        bench.run(again + R);
        EXPECT_EQ(bench.counters(1).llr_rx_duplicate_seq, 0u);
        bench.run(again + R + 1);
        EXPECT_EQ(bench.counters(1).llr_rx_duplicate_seq, 1u);
        bench.run(10000 + 5 * R);
        ASSERT_EQ(bench.seen[1].size(), 1u);
        ASSERT_EQ(bench.injected.size(), 3u) << name;
        EXPECT_EQ(bench.injected[1].when, again);
        EXPECT_EQ(bench.counters(0).timeouts, 2u) << name;
        EXPECT_EQ(bench.counters(1).llr_rx_duplicate_seq, 1u);
        EXPECT_EQ(bench.cable.end(0).probe().outstanding, 0u);
        EXPECT_EQ(bench.counters(0).tx_cycles[4], 0u);
    }
}

/// e = 5 %, until the numbers are used up and begin anew.
TEST(link_plan, numbers_of_20_bits_wrap) {
    for (const char name : {'X', 'Y', 'Z'}) {
        const link_config config = checked(reference(name));
        cable_core cable(config);
        scripted_faults faults = bad_share(config, 0.05, 1);
        cable.wire(1).attach(&faults);
        // Lone flits: short frames.
        link_plan_run run(cable, {.gap = 4 * std::uint64_t{config.set_symbols()} + 8, .credits = room});
        while (run.failure().empty() && cable.end(0).counters(run.now()).llr_tx_ok < (1u << 20) + 1000) {
            ASSERT_LT(run.now(), 100000000u);
            run.run(run.now() + 100000);
        }
        EXPECT_EQ(run.failure(), "") << name;
        EXPECT_GT(run.whole(), 1u << 20);
        EXPECT_GT(cable.end(0).counters(run.now()).llr_tx_replay, 10000u);
        EXPECT_EQ(cable.end(0).counters(run.now()).tx_cycles[4], 0u);
    }
}

/// The closed form, with nacks never lost.
double goodput(const link_config& config, double e) {
    const auto f = static_cast<double>(config.frame);
    const auto p = static_cast<double>(config.frame_symbols());
    const double h = std::ceil(static_cast<double>(config.replay_timer) / p) - 1;
    return f / p / (1 + e * (static_cast<double>(config.nack_frames()) + (1 + e * h) / (1 - e)));
}

/// 10^6 cycles, 10 seeds: each at least 95 % of the closed form, their mean within 2 %.
TEST(link_plan, goodput_of_ten_seeds) {
    for (const char name : {'X', 'Y', 'Z'}) {
        const link_config config = checked(reference(name));
        for (const double e : {0.001, 0.02}) {
            double sum = 0;
            for (unsigned seed = 0; seed < 10; ++seed) {
                cable_core cable(config);
                scripted_faults faults = bad_share(config, e, seed);
                cable.wire(1).attach(&faults);
                link_plan_run run(cable, {.credits = room});
                run.run(20000);
                const std::uint64_t before = run.flits();
                run.run(1020000);
                ASSERT_EQ(run.failure(), "");
                const double share = static_cast<double>(run.flits() - before) / 1e6 / goodput(config, e);
                EXPECT_GE(share, 0.95) << name << ' ' << e << ' ' << seed;
                sum += share;
            }
            EXPECT_NEAR(sum / 10, 1, 0.02) << name << ' ' << e;
            RecordProperty(std::string(1, name) + std::to_string(e), std::to_string(sum / 10));
        }
    }
}

/// e = 2 %, 10^5 packets of F flits, one in 20 (D + P) cycles. Of Y the closed form holds less: link.md says why.
TEST(link_plan, latency_of_100000_packets) {
    for (const char name : {'X', 'Y', 'Z'}) {
        link_config config = reference(name);
        config.far.credits.fill(hw::chips::credit_mask);
        config = checked(config);
        const cycle gap = 20 * (config.nack_cycles() + config.frame_symbols());
        const cycle end = 10000 + 100000 * gap;
        double mean[2];
        for (const bool lossy : {false, true}) {
            cable_core cable(config);
            scripted_faults faults = bad_share(config, 0.02, 2);
            if (lossy) cable.wire(1).attach(&faults);
            link_plan_run run(cable,
                              {.end = end, .flits = static_cast<unsigned>(config.frame), .gap = gap, .credits = room});
            run.run(end + 20 * config.replay_timer);
            ASSERT_EQ(run.failure(), "");
            ASSERT_EQ(run.whole(), 100000u);
            mean[lossy] = static_cast<double>(run.head_latency()) / 100000;
        }
        const double form = 0.02 * static_cast<double>(config.nack_cycles() + config.frame_symbols()) +
                            0.0004 * static_cast<double>(config.replay_timer);
        const double ratio = (mean[1] - mean[0]) / form;
        RecordProperty(std::string(1, name), std::to_string(ratio));
        if (name == 'Y') {
            EXPECT_GT(ratio, 1.0);
            EXPECT_LT(ratio, 1.3);
        } else {
            EXPECT_NEAR(ratio, 1, 0.1) << name;
        }
    }
}

/// Dead for a while or for ever, both ways or one, from the start and in each state: nothing hangs, packets are whole
/// or cut, and the sender has all its credits back.
TEST(link_plan, dead_from_10_cycles_to_ever) {
    unsigned runs = 0;
    for (const char name : {'X', 'Y', 'Z'}) {
        for (const link_layer layer : {link_layer::check, link_layer::retry}) {
            for (const cycle length : {cycle{10}, cycle{100}, cycle{10000}, cycle{1000000}, hw::engine::never}) {
                for (const unsigned direction : {0u, 1u, 2u}) {
                    for (const cycle begin : {0u, 20u, 10100u, 10531u, 11407u}) {
                        link_config config = reference(name);
                        config.layer = layer;
                        config.far.credits.fill(200);
                        config.own = config.far;
                        config = checked(config);
                        cable_core cable(config);
                        const bool ever = length == hw::engine::never;
                        const hw::faults::fault_plan plan{.seed = 0,
                                                          .rates = {},
                                                          .events = {{.what = fault_kind::dead,
                                                                      .from_end = direction % 2,
                                                                      .at = begin,
                                                                      .until = ever ? length : begin + length,
                                                                      .retrain = 7,
                                                                      .one_way = direction != 2}}};
                        hw::faults::cable_faults faults(config, plan, 0, {});
                        faults.attach(cable);
                        // Long enough for both ends to start anew, and for packets behind that.
                        const cycle anew = 12 * config.credit_timer + 4 * config.signal_timeout;
                        const cycle last = std::max<cycle>(10000, begin) + (ever ? 0 : length) + anew + 30000;
                        link_plan_run run(cable,
                                          {.end = last, .flits = 50, .gap = 300, .credits = 200, .may_lose = true});

                        run.run(last + 2 * anew);
                        ASSERT_EQ(run.failure(), "") << name << ' ' << length << ' ' << direction << ' ' << begin;
                        EXPECT_TRUE(run.complete())
                            << name << static_cast<int>(layer) << ' ' << length << ' ' << direction << ' ' << begin;
                        EXPECT_TRUE(ever || run.last_came());
                        EXPECT_TRUE(layer == link_layer::check || length != 10 || run.whole() == run.sent());
                        ++runs;
                    }
                }
            }
        }
    }
    EXPECT_EQ(runs, 450u);
}

}  // namespace
}  // namespace polycast::testbench::unit
