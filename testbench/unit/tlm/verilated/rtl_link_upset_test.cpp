// SPDX-License-Identifier: Apache-2.0
// Stored bits of a cable's ends flip: the core and the SystemVerilog do the same in every cycle, and the link is up in
// the end.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "hw/chips/port_set.h"
#include "hw/engine/pin_difference.h"
#include "hw/faults/faulty_cable.h"
#include "hw/traffic/random.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_cable.h"

namespace polycast::tlm {
namespace {

using hw::chips::bit;
using hw::chips::link_config;
using hw::chips::link_memory;
using hw::engine::chip_probe;
using hw::engine::cycle;
using hw::engine::pins;
using hw::faults::fault_event;
using hw::faults::fault_kind;

/// A set of the equivalence tests, whose model it shares.
constexpr const char* model_set = "link_end_v2_f1_h3_n9_r208_w40_s20_inline";
constexpr cycle upset_until = 12'000;
constexpr cycle traffic_until = 14'000;

link_config config_for(const hw::chips::link_end_params& sizes, std::uint64_t seed) {
    link_config config;
    config.layer = seed % 3 == 2 ? hw::chips::link_layer::check : hw::chips::link_layer::retry;
    config.flit_bytes = sizes.flit_bytes;
    config.header_bytes = sizes.header_bytes;
    config.vcs = sizes.vcs;
    config.delay = 1 + seed % 4;
    config.frame = sizes.frame;
    config.ack_spacing = 20;
    config.replay_count = 2;
    config.far.unit_flits = config.own.unit_flits = 8;
    config.far.credits.fill(12);
    config.own.credits.fill(9);
    if (config.layer == hw::chips::link_layer::retry) config.window = sizes.window;
    config = checked(config);
    config.credit_timer = config.replay_timer;
    return config;
}

class dice {
public:
    explicit dice(std::uint64_t seed) : words_(seed, 0) {}
    unsigned below(unsigned bound) { return static_cast<unsigned>(words_() % bound); }

private:
    hw::traffic::random_stream words_;
};

hw::faults::fault_plan upsets(const link_config& config, std::uint64_t seed) {
    dice draw(seed);
    hw::faults::fault_plan plan;
    plan.seed = seed;
    if (seed % 2 == 1) plan.rates = {{.from_end = 0, .rate = 1e-4}, {.from_end = 1, .rate = 1e-4}};
    for (auto& rate : plan.rates) rate.to = upset_until;
    for (cycle at = 30; at < upset_until; at += 1 + draw.below(seed % 4 == 3 ? 2000 : 300)) {
        fault_event event;
        event.what = fault_kind::upset;
        event.at = at;
        event.from_end = draw.below(2);
        const bool ring = draw.below(2) == 0;
        event.upset.memory = ring ? link_memory::ring : link_memory::counters;
        event.upset.index = ring ? draw.below(60) : draw.below(4 * config.vcs);
        event.upset.bit = ring ? draw.below(ring_bits(config)) : draw.below(hw::chips::credit_bits);
        plan.events.push_back(event);
    }
    return plan;
}

/// Sends as its credits allow, with marks as they should be, and gives units back.
class traffic {
public:
    traffic(const link_config& config, std::uint64_t seed) : config_(config), draw_(seed) {
        for (unsigned vc = 0; vc < config.vcs; ++vc)
            for (unsigned port = 0; port < 2; ++port)
                credits_[port][vc] = (port == 0 ? config.far : config.own).credits[vc];
    }

    void drive(pins& in, bool sends) {
        for (unsigned port = 0; port < 2; ++port) {
            const unsigned vc = draw_.below(config_.vcs);
            channel& to = sending_[port][vc];
            const bool begins = to.left == 0;
            const bool goes = sends || !begins;
            if (goes && draw_.below(3) != 0 && (to.filled != 0 || credits_[port][vc] > 0)) send(in, port, vc, begins);
            const unsigned freed = draw_.below(config_.vcs);
            if (held_[port][freed] == 0 || draw_.below(4) == 0) continue;
            --held_[port][freed];
            in.credit |= bit(port);
            in.credit_vc[port] = static_cast<std::uint8_t>(freed);
        }
    }
    void see(const pins& out) {
        for (unsigned port = 0; port < 2; ++port) {
            if ((out.credit & bit(port)) != 0) ++credits_[port][out.credit_vc[port]];
            if ((out.valid & bit(port)) == 0) continue;
            const unsigned unit = (port == 0 ? config_.own : config_.far).unit_flits;
            unsigned& arrived = arrived_[port][out.vc[port]];
            const bool tail = (out.tail & bit(port)) != 0;
            if (++arrived == unit || tail) {
                arrived = 0;
                ++held_[port][out.vc[port]];
            }
        }
    }

private:
    struct channel {
        unsigned left = 0;    ///< flits of the packet
        unsigned filled = 0;  ///< of the unit
    };

    void send(pins& in, unsigned port, unsigned vc, bool begins) {
        channel& to = sending_[port][vc];
        if (begins) to.left = 1 + draw_.below(20);
        if (to.filled == 0) --credits_[port][vc];
        to.filled = (to.filled + 1) % 8;
        if (--to.left == 0) to.filled = 0;
        in.valid |= bit(port);
        if (begins) in.head |= bit(port);
        if (to.left == 0) in.tail |= bit(port);
        in.vc[port] = static_cast<std::uint8_t>(vc);
        in.data[port] = static_cast<std::uint8_t>(draw_.below(256));
        for (unsigned byte = 0; begins && byte < config_.header_bytes; ++byte)
            in.header[port * config_.header_bytes + byte] = static_cast<std::uint8_t>(draw_.below(256));
    }

    const link_config& config_;
    dice draw_;
    std::array<std::array<unsigned, hw::engine::max_vcs>, 2> credits_ = {}, held_ = {}, arrived_ = {};
    std::array<std::array<channel, hw::engine::max_vcs>, 2> sending_ = {};
};

TEST(rtl_link_upset, core_and_rtl_do_the_same) {
    model_options options = model_options::defaults();
    options.optimize = "-O1";
    model_library models{options};
    const auto sizes = params_of_model<hw::chips::link_end_params>(model_set);
    std::uint64_t hits = 0, flushes = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const link_config config = config_for(sizes, seed);
        const hw::faults::fault_plan plan = upsets(config, seed);
        hw::faults::faulty_cable core(std::make_unique<hw::chips::cable_core>(config), plan, 0);
        hw::faults::faulty_cable rtl(std::make_unique<rtl_cable>(config, sizes, models, "cable"), plan, 0);
        traffic chips(config, seed);
        pins in(core.shape());
        for (cycle now = 0; now < traffic_until + 60 * config.credit_timer; ++now) {
            pins out(core.shape()), other(core.shape());
            in.clear();
            chips.drive(in, now < traffic_until);
            core.step(now, in, out);
            rtl.step(now, in, other);
            const auto differs = pin_difference(core.shape(), {"core", "rtl"}, out, other);
            ASSERT_EQ(differs.what, "") << "seed " << seed << ", cycle " << now;
            chips.see(out);
            if (now % 16 != 0 && now + 1 != traffic_until) continue;
            chip_probe first, second;
            core.probe(first);
            rtl.probe(second);
            for (unsigned end = 0; end < 2; ++end) {
                ASSERT_EQ(first.ends[end].tx, second.ends[end].tx) << "seed " << seed << ", cycle " << now;
                ASSERT_EQ(first.ends[end].rx, second.ends[end].rx) << "seed " << seed << ", cycle " << now;
                ASSERT_EQ(first.ends[end].ring, second.ends[end].ring) << "seed " << seed << ", cycle " << now;
                ASSERT_EQ(first.ends[end].next, second.ends[end].next) << "seed " << seed << ", cycle " << now;
            }
        }
        chip_probe last;
        core.probe(last);
        const auto report = hw::chips::cable_report::of(core.report());
        const auto same = hw::chips::cable_report::of(rtl.report());
        EXPECT_EQ(report.damage, same.damage);
        for (unsigned end = 0; end < 2; ++end) {
            EXPECT_EQ(last.ends[end].tx, static_cast<std::uint8_t>(hw::chips::link_tx_state::advance)) << seed;
            for (const auto& each : hw::chips::link_counter_names)
                EXPECT_EQ(report.ends[end].counts.*each.value, same.ends[end].counts.*each.value)
                    << "seed " << seed << ", end " << end << ", " << each.name;
            flushes += report.ends[end].cause != hw::chips::flush_cause::none ? 1 : 0;
        }
        hits += report.damage.count[static_cast<std::size_t>(fault_kind::upset)];
    }
    EXPECT_GT(hits, 300u);
    EXPECT_GT(flushes, 10u) << "they have to be cured by starting anew";
}

}  // namespace
}  // namespace polycast::tlm
