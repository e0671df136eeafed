// SPDX-License-Identifier: Apache-2.0
// A cable that moves whole frames is the same as one of link ends and symbols, in every cycle, also where wires flip.
#include "hw/chips/link/frame_cable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/chips/link/cable.h"
#include "hw/chips/port_set.h"
#include "hw/faults/faulty_cable.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/link_end_run.h"

namespace polycast::testbench::unit {
namespace {

using equivalence::dice;
using equivalence::link_end_run;
using hw::chips::bit;
using hw::chips::link_config;
using hw::engine::cycle;
using hw::engine::pins;

/// The chip at a port: keeps to its credits but for rogue flits and credits, frees what it gets at random.
class random_chip {
public:
    random_chip(const link_end_run& run, const link_config& config, unsigned port)
        : run_(run), config_(config), port_(port), dice_(run.seed, 300 + port), vcs_(config.vcs) {
        for (unsigned vc = 0; vc < config.vcs; ++vc) vcs_[vc].credits = config.far.credits[vc];
    }

    void drive(pins& in, bool traffic) {
        if (traffic && dice_.chance(run_.rogue)) {
            put(in, dice_.below(16), dice_.chance(500), dice_.chance(500));
        } else if (dice_.chance(traffic ? run_.load : 1000)) {
            send(in, dice_.below(config_.vcs), traffic);
        }
        if (traffic && dice_.chance(run_.pause)) return;
        const unsigned vc = dice_.below(config_.vcs);
        const bool rogue = traffic && dice_.chance(run_.rogue);
        if (vcs_[vc].complete == 0 && !rogue) return;
        if (vcs_[vc].complete != 0) --vcs_[vc].complete;
        in.credit |= bit(port_);
        if (!in.credit_vc.empty()) in.credit_vc[port_] = static_cast<std::uint8_t>(rogue ? dice_.below(16) : vc);
    }

    void see(const pins& out) {
        if ((out.credit & bit(port_)) != 0) ++vcs_[out.credit_vc.empty() ? 0u : out.credit_vc[port_]].credits;
        if ((out.valid & bit(port_)) == 0) return;
        vc_state& vc = vcs_[out.vc.empty() ? 0u : out.vc[port_]];
        ++vc.arriving;
        const bool tail = (out.tail & bit(port_)) != 0;
        if (tail || vc.arriving % config_.own.unit_flits == 0) ++vc.complete;
        if (tail) vc.arriving = 0;
    }

private:
    struct vc_state {
        std::uint64_t credits = 0;
        unsigned left = 0;  ///< flits of the packet being sent
        unsigned sent = 0;
        unsigned arriving = 0;
        std::uint64_t complete = 0;  ///< units that arrived
    };

    void send(pins& in, unsigned number, bool traffic) {
        vc_state& vc = vcs_[number];
        if (vc.left == 0 && !traffic) return;
        const bool head = vc.left == 0;
        if (head || vc.sent % config_.far.unit_flits == 0) {
            if (vc.credits == 0) return;
            --vc.credits;
        }
        if (head) {
            vc.left = dice_.between(1, run_.longest);
            vc.sent = 0;
        }
        ++vc.sent;
        --vc.left;
        put(in, number, head, vc.left == 0);
    }

    void put(pins& in, unsigned vc, bool head, bool tail) {
        in.valid |= bit(port_);
        if (head) in.head |= bit(port_);
        if (tail) in.tail |= bit(port_);
        if (!in.vc.empty()) in.vc[port_] = static_cast<std::uint8_t>(vc);
        for (unsigned byte = 0; byte < config_.flit_bytes; ++byte)
            in.data[port_ * config_.flit_bytes + byte] = static_cast<std::uint8_t>(dice_.word());
        for (unsigned byte = 0; head && byte < config_.header_bytes; ++byte)
            in.header[port_ * config_.header_bytes + byte] = static_cast<std::uint8_t>(dice_.word());
    }

    const link_end_run& run_;
    link_config config_;
    unsigned port_;
    dice dice_;
    std::vector<vc_state> vcs_;
};

/// What the pins say, in words.
std::string said(const pins& of, unsigned port, const link_config& config) {
    std::string text;
    if ((of.error & bit(port)) != 0) text += " error " + std::to_string(of.errors[port]);
    if ((of.credit & bit(port)) != 0)
        text += " credit " + std::to_string(of.credit_vc.empty() ? 0u : of.credit_vc[port]);
    if ((of.valid & bit(port)) == 0) return text;
    const bool head = (of.head & bit(port)) != 0;
    text += " flit " + std::to_string(of.vc.empty() ? 0u : of.vc[port]) + (head ? " head" : "") +
            ((of.tail & bit(port)) != 0 ? " tail" : "");
    for (unsigned byte = 0; byte < config.flit_bytes; ++byte)
        text += " " + std::to_string(of.data[port * config.flit_bytes + byte]);
    for (unsigned byte = 0; head && byte < config.header_bytes; ++byte)
        text += "." + std::to_string(of.header[port * config.header_bytes + byte]);
    return text;
}

/// What a cable shows, whole or cut.
struct view {
    bool idle;
    hw::engine::chip_probe probe;
    hw::chips::cable_report report;
};

view view_of(const hw::engine::chip& cable) {
    view seen{cable.idle(), {}, hw::chips::cable_report::of(cable.report())};
    cable.probe(seen.probe);
    return seen;
}

std::string state_of(const view& cable, cycle now) {
    hw::chips::cable_report report = cable.report;
    std::string text = cable.idle ? "idle" : "busy";
    for (unsigned end = 0; end < 2; ++end) {
        const auto& state = cable.probe.ends[end];
        for (const std::uint64_t value :
             {std::uint64_t{state.tx}, std::uint64_t{state.rx}, std::uint64_t{state.cause},
              std::uint64_t{state.replays}, std::uint64_t{state.recovers}, std::uint64_t{state.next},
              std::uint64_t{state.expected}, std::uint64_t{state.outstanding}, std::uint64_t{state.ring}})
            text += " " + std::to_string(value);
        report.ends[end].count_to(now);
        for (const auto& counter : hw::chips::link_counter_names)
            text += " " + std::to_string(report.ends[end].counts.*counter.value);
        for (const std::uint64_t cycles : report.ends[end].counts.tx_cycles) text += " " + std::to_string(cycles);
        for (const std::uint64_t cycles : report.ends[end].counts.rx_cycles) text += " " + std::to_string(cycles);
    }
    return text;
}

/// The halves of a cable, each stepped only when it asks for it, and the link between them.
class cut_cable {
public:
    explicit cut_cable(hw::engine::chip& whole) : whole_(whole) {
        hw::engine::chip::two_chips cut = whole.cut();
        delay_ = cut.delay;
        for (unsigned side = 0; side < 2; ++side) halves_.emplace_back(std::move(cut.sides[side]));
    }

    void step(cycle now, const pins& in, pins& out) {
        for (unsigned side = 0; side < 2; ++side) {
            half& own = halves_[side];
            own.in.clear();
            own.out.clear();
            copy_port(in, side, own.in, 0);
            if (!own.arriving.empty() && own.arriving.front().first == now) {
                own.in.packet = bit(1);
                own.in.packets[1] = own.arriving.front().second;
                own.arriving.pop_front();
            }
            if (own.in.quiet() && now < own.wake) continue;
            own.wake = own.chip->step(now, own.in, own.out);
            copy_port(own.out, 0, out, side);
            if (own.out.packet != 0) halves_[1 - side].arriving.emplace_back(now + 1 + delay_, own.out.packets[1]);
        }
    }

    view seen() const {
        std::array<hw::engine::chip_probe, 2> probes;
        for (unsigned side = 0; side < 2; ++side) halves_[side].chip->probe(probes[side]);
        return {halves_[0].chip->idle() && halves_[1].chip->idle(), whole_.joined(probes), joined()};
    }
    hw::chips::cable_report joined() const {
        return hw::chips::cable_report::of(
            whole_.joined(std::array{halves_[0].chip->report(), halves_[1].chip->report()}));
    }

private:
    struct half {
        explicit half(std::unique_ptr<hw::engine::chip> of) : chip(std::move(of)), in(chip->shape()), out(in) {}

        std::unique_ptr<hw::engine::chip> chip;
        pins in, out;
        cycle wake = 0;
        std::deque<std::pair<cycle, hw::engine::whole_packet>> arriving;
    };

    void copy_port(const pins& from, unsigned a, pins& to, unsigned b) const {
        const auto copy = [&](std::uint64_t pins::*set) {
            if ((from.*set & bit(a)) != 0) to.*set |= bit(b);
        };
        for (const auto set : {&pins::valid, &pins::head, &pins::tail, &pins::credit, &pins::error}) copy(set);
        to.errors[b] = from.errors[a];
        if (!from.vc.empty()) to.vc[b] = from.vc[a];
        if (!from.credit_vc.empty()) to.credit_vc[b] = from.credit_vc[a];
        const hw::engine::pin_shape& shape = whole_.shape();
        std::copy_n(&from.data[std::size_t{a} * shape.flit_bytes], shape.flit_bytes,
                    &to.data[std::size_t{b} * shape.flit_bytes]);
        std::copy_n(from.header.begin() + a * shape.header_bytes, shape.header_bytes,
                    to.header.begin() + b * shape.header_bytes);
    }

    hw::engine::chip& whole_;
    unsigned delay_ = 1;
    std::vector<half> halves_;
};

/// Faults of a run, which hit wires for a cycle each.
hw::faults::fault_plan draw_faults(const link_end_run& run) {
    dice dice(run.seed, 400);
    hw::faults::fault_plan plan;
    plan.seed = run.seed;
    const unsigned wires = hw::chips::symbol_wires(run.config);
    for (unsigned end = 0; end < 2; ++end) {
        // From one in a few cycles to one in the whole run.
        const double share = std::pow(10.0, -1.0 - 0.5 * static_cast<double>(dice.below(6)));
        if (dice.chance(700))
            plan.rates.push_back({end, std::min(share / wires, 0.1), dice.chance(500) ? 1 : dice.between(2, 40),
                                  dice.chance(300) ? dice.below(1000) : 0, hw::engine::never});
        for (unsigned left = dice.below(4); left != 0; --left) {
            hw::faults::fault_event event{.from_end = end, .at = dice.below(run.cycles)};
            event.what = dice.chance(500) ? hw::faults::fault_kind::lose : hw::faults::fault_kind::flip;
            event.wires = {dice.below(wires), hw::chips::kind_wire(run.config) + dice.below(3)};
            plan.events.push_back(event);
        }
    }
    return plan;
}

/// Of stored bits, mostly of the marks of flits in rings.
hw::faults::fault_plan draw_upsets(const link_end_run& run) {
    dice dice(run.seed, 500);
    hw::faults::fault_plan plan;
    const unsigned gap = dice.between(10, 400);
    for (cycle at = dice.below(gap); at < run.cycles; at += dice.between(1, 2 * gap)) {
        hw::faults::fault_event event{.what = hw::faults::fault_kind::upset, .from_end = dice.below(2), .at = at};
        event.upset = {hw::chips::link_memory::counters, dice.below(4 * run.config.vcs),
                       dice.below(counter_bits(run.config))};
        if (dice.chance(900)) {
            const unsigned marks = 8 * run.config.flit_bytes;
            const unsigned bit = dice.chance(700) ? marks + dice.below(6) : dice.below(ring_bits(run.config));
            event.upset = {hw::chips::link_memory::ring, dice.below(4), bit};
        }
        plan.events.push_back(event);
    }
    return plan;
}

/// \returns the first difference
std::string compare(const link_end_run& run, const hw::faults::fault_plan& faults,
                    std::map<std::string, std::uint64_t>& seen) {
    auto symbols = std::make_unique<hw::chips::cable_core>(run.config);
    auto whole = std::make_unique<hw::chips::frame_cable>(run.config);
    const hw::chips::cable_core& exact_cable = *symbols;
    const hw::chips::frame_cable& frames_cable = *whole;
    hw::faults::faulty_cable exact(std::move(symbols), faults, 7);
    hw::faults::faulty_cable frames(std::move(whole), faults, 7);
    const link_config& config = exact_cable.config();
    random_chip chips[2] = {{run, config, 0}, {run, other_end(config), 1}};
    hw::faults::faulty_cable whole_of_halves(std::make_unique<hw::chips::frame_cable>(run.config), faults, 7);
    cut_cable halves(whole_of_halves);
    pins in(exact.shape());
    pins out(exact.shape());
    pins frames_out(exact.shape());
    pins halves_out(exact.shape());
    cycle wake = 0;
    for (cycle now = 0; now < run.cycles + 2000; ++now) {
        for (pins* const each : {&in, &out, &frames_out, &halves_out}) each->clear();
        for (random_chip& chip : chips) chip.drive(in, now < run.cycles);
        exact.step(now, in, out);
        if (in.quiet() && now < wake) {
            ++seen["asleep"];
        } else {
            wake = frames.step(now, in, frames_out);
        }
        halves.step(now, in, halves_out);
        const std::string where = "seed " + std::to_string(run.seed) + ", cycle " + std::to_string(now) + ", ";
        for (unsigned port = 0; port < 2; ++port) {
            const std::string expected = said(out, port, config);
            for (const auto& [name, pins] : {std::pair("frames", &frames_out), {"halves", &halves_out}})
                if (const std::string found = said(*pins, port, config); found != expected)
                    return where + name + ", port " + std::to_string(port) + ":" + found + ", not" + expected;
            chips[port].see(out);
        }
        const std::string expected = state_of(view_of(exact_cable), now + 1);
        if (const std::string found = state_of(view_of(frames_cable), now + 1); found != expected)
            return where + "frames: " + found + ", not " + expected;
        // Reports of faulty halves have all faults in them, so they are not joined in each cycle.
        if (now % 20 != 0 && now + 1 != run.cycles + 2000) continue;
        if (const std::string found = state_of(halves.seen(), now + 1); found != expected)
            return where + "halves: " + found + ", not " + expected;
        const hw::chips::cable_damage damage = hw::chips::cable_report::of(exact.report()).damage;
        if (damage != hw::chips::cable_report::of(frames.report()).damage) return where + "frames: other faults";
        if (damage != halves.joined().damage) return where + "halves: other faults";
    }
    for (unsigned end = 0; end < 2; ++end) {
        const hw::chips::link_counters counts = exact_cable.end(end).counters(run.cycles + 2000);
        for (const auto& counter : hw::chips::link_counter_names)
            seen[std::string(counter.name)] += counts.*counter.value;
    }
    return {};
}

/// POLYCAST_LINK_SEED=n repeats one run, POLYCAST_LINK_RUNS=n makes more of them.
template <typename Faults>
void compare_runs(const Faults& faults, const std::vector<const char*>& watched) {
    const char* seed = std::getenv("POLYCAST_LINK_SEED");
    const char* runs = std::getenv("POLYCAST_LINK_RUNS");
    const std::uint64_t first = seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0;
    const std::uint64_t count = seed != nullptr ? 1 : runs != nullptr ? std::strtoull(runs, nullptr, 10) : 120;
    std::map<std::string, std::uint64_t> seen;
    for (std::uint64_t number = first; number < first + count; ++number) {
        link_end_run run = equivalence::draw_link_end_run(number, 1500);
        run.config.reinit = true;  // no register of a cable is written
        ASSERT_EQ(compare(run, faults(run), seen), "");
    }
    if (count < 120) return;
    for (const char* const name : watched) EXPECT_GE(seen[name], 5u) << name;
}

TEST(frame_cable, is_the_same_as_a_cable_of_symbols) {
    compare_runs([](const link_end_run&) { return hw::faults::fault_plan(); },
                 {"asleep", "llr_tx_ok", "llr_rx_ack_ctl_os", "cbfc_num_cf_update_messages_rx",
                  "cbfc_num_cc_update_messages_rx", "llr_rx_poisoned", "lifetime_discard", "llr_tx_discard"});
}

TEST(frame_cable, is_the_same_where_stored_bits_flip) {
    compare_runs(draw_upsets, {"asleep", "llr_tx_ok", "llr_rx_bad", "credit_error", "corrected", "soft_errors"});
}

TEST(frame_cable, is_the_same_where_all_of_that_happens) {
    const auto both = [](const link_end_run& run) {
        hw::faults::fault_plan plan = draw_faults(run);
        const hw::faults::fault_plan upsets = draw_upsets(run);
        plan.events.insert(plan.events.end(), upsets.events.begin(), upsets.events.end());
        return plan;
    };
    compare_runs(both, {"llr_tx_ok", "llr_rx_bad", "llr_tx_replay"});
}

TEST(frame_cable, is_the_same_where_wires_flip) {
    compare_runs(draw_faults, {"asleep", "llr_tx_ok", "llr_rx_bad", "rx_bad_ctl_os", "llr_rx_missing_seq",
                               "llr_rx_duplicate_seq", "llr_tx_replay", "timeouts", "frames_resent"});
}

}  // namespace
}  // namespace polycast::testbench::unit
