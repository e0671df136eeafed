// SPDX-License-Identifier: Apache-2.0
/// \file A cable under test: flits and credits at given cycles, what comes out, and faults on its wires.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "hw/chips/port_set.h"
#include "hw/faults/link_faults.h"
#include "testbench/unit/hw/chips/link/cable_under_test.h"

namespace polycast::testbench::unit {

using hw::chips::cable_core;
using hw::chips::link_config;
using hw::chips::link_counters;
using hw::chips::link_symbol;
using hw::chips::symbol_kind;
using hw::engine::cycle;

/// Reference links of the page, with room for 16 packets of 64 flits on each of `vcs`.
inline link_config reference(char name, unsigned vcs = 1) {
    link_config config;
    config.flit_bytes = name == 'X' ? 16 : name == 'Y' ? 1 : 32;
    config.delay = name == 'X' ? 10 : name == 'Y' ? 1 : 50;
    config.beside = name == 'Z';
    config.vcs = vcs;
    config.far.credits.fill(1 << 14);
    config.own = config.far;
    return config;
}

/// `times` ordered sets of a type that leave end `from_end` are lost, from cycle `at` on.
inline hw::faults::fault_plan lost_sets(unsigned from_end, hw::chips::set_type type, cycle at, unsigned times) {
    return {.seed = 0,
            .rates = {},
            .events = {
                {.what = hw::faults::fault_kind::set, .from_end = from_end, .at = at, .type = type, .times = times}}};
}
/// The frame with a number that leaves end 0 is lost.
inline hw::faults::fault_plan lost_frame(std::uint32_t number, hw::faults::frame_loss loss) {
    return {
        .seed = 0, .rates = {}, .events = {{.what = hw::faults::fault_kind::frame, .number = number, .loss = loss}}};
}

/// Faults by functions. `idle`: they may change an idle symbol, or the signal.
class scripted_faults final : public hw::chips::wire_faults {
public:
    using script = std::function<void(cycle, link_symbol&, bool&)>;
    explicit scripted_faults(script what, bool idle = true) : what_(std::move(what)), idle_(idle) {}
    void apply(cycle now, link_symbol& symbol, bool& signal) override { what_(now, symbol, signal); }
    cycle next(cycle now) const override { return idle_ ? now + 1 : hw::engine::never; }

private:
    script what_;
    bool idle_;
};

/// Follows the frames on a wire. Calls `act` for each symbol of a frame with the number of frames that began so far,
/// and whether it is the first symbol and the last one.
class frame_script {
public:
    using action = std::function<void(unsigned number, bool first, bool last, link_symbol& symbol)>;
    frame_script(const link_config& config, action act) : config_(config), act_(std::move(act)) {}
    void operator()(cycle, link_symbol& symbol, bool&) {
        const bool flit = symbol.kind == symbol_kind::flit;
        if (!flit && symbol.kind != symbol_kind::check) return;
        const bool first = !inside_;
        if (first) ++frames_;
        inside_ = true;
        if (!flit) ++checks_;
        const bool last = config_.beside || checks_ == config_.trailer_symbols();
        if (last) {
            inside_ = false;
            checks_ = 0;
        }
        act_(frames_, first, last, symbol);
    }

private:
    link_config config_;
    action act_;
    bool inside_ = false;
    unsigned checks_ = 0;
    unsigned frames_ = 0;
};

/// "core_X": a parameter of rows that run on several links.
inline std::string row_name(const testing::TestParamInfo<char>& link) {
    return fidelity() + '_' + link.param;
}

class cable_bench {
    const std::unique_ptr<cable_under_test> made_;

public:
    struct flit {
        cycle when;
        bool head;
        bool tail;
        unsigned vc;
        std::uint64_t tag;  ///< first bytes
        bool operator==(const flit&) const = default;
    };

    explicit cable_bench(const link_config& config)
        : made_(make_cable(config)),
          cable(*made_),
          in_(cable.shape()),
          out_(cable.shape()),
          bytes_(cable.config().flit_bytes) {}

    /// `idle` as of scripted_faults.
    void spoil(unsigned towards, scripted_faults::script what, bool idle = true) {
        faults_.push_back(std::make_unique<scripted_faults>(std::move(what), idle));
        cable.wire(towards).attach(faults_.back().get());
    }
    /// The faults of `plan` instead of those before. What happens is in `injected`.
    void fail(const hw::faults::fault_plan& plan) {
        planned_ = std::make_unique<hw::faults::cable_faults>(
            cable.config(), plan, 0, [this](const hw::faults::fault_record& fault) { injected.push_back(fault); });
        planned_->attach(cable.wired());
    }
    /// Flits of one packet from `when` on, one a cycle, without regard to credits.
    void send(cycle when, unsigned flits, unsigned vc = 0, unsigned port = 0) {
        for (unsigned index = 0; index < flits; ++index)
            to_send_[port][when + index] = {when + index, index == 0, index + 1 == flits, vc, ++tags_};
    }
    void credit(cycle when, unsigned vc = 0, unsigned port = 1) { to_credit_[port][when] = vc; }

    void run(cycle until) {
        while (now < until) {
            in_.clear();
            out_.clear();
            for (unsigned port = 0; port < 2; ++port) drive(port);
            const cycle again = cable.step(now, in_, out_);
            for (unsigned port = 0; port < 2; ++port) see(port);
            if (each) each();
            // Nothing happens in between.
            now = each ? now + 1 : std::min(until, std::max(now + 1, std::min(again, next_pins())));
        }
    }
    link_counters counters(unsigned end) const { return cable.end(end).counters(now); }

    cable_under_test& cable;
    cycle now = 0;
    std::vector<flit> seen[2];                           ///< [port]
    std::vector<std::pair<cycle, unsigned>> credits[2];  ///< [port] with the VC
    std::vector<std::pair<cycle, unsigned>> errors[2];
    std::vector<hw::faults::fault_record> injected;
    bool frees = false;          ///< the chips give credits back at once
    std::function<void()> each;  ///< after each step

private:
    /// The first cycle behind this one in which the chips have something for the cable.
    cycle next_pins() const {
        cycle next = hw::engine::never;
        for (unsigned port = 0; port < 2; ++port) {
            const auto sent = to_send_[port].upper_bound(now);
            if (sent != to_send_[port].end()) next = std::min(next, sent->first);
            const auto freed = to_credit_[port].upper_bound(now);
            if (freed != to_credit_[port].end()) next = std::min(next, freed->first);
        }
        return next;
    }
    void drive(unsigned port) {
        const auto sent = to_send_[port].find(now);
        if (sent != to_send_[port].end()) {
            in_.valid |= hw::chips::bit(port);
            if (sent->second.head) in_.head |= hw::chips::bit(port);
            if (sent->second.tail) in_.tail |= hw::chips::bit(port);
            if (!in_.vc.empty()) in_.vc[port] = static_cast<std::uint8_t>(sent->second.vc);
            for (unsigned byte = 0; byte < bytes_; ++byte)
                in_.data[port * bytes_ + byte] =
                    byte < 8 ? static_cast<std::uint8_t>(sent->second.tag >> (8 * byte)) : std::uint8_t{0};
        }
        const auto freed = to_credit_[port].find(now);
        if (freed != to_credit_[port].end()) {
            in_.credit |= hw::chips::bit(port);
            if (!in_.credit_vc.empty()) in_.credit_vc[port] = static_cast<std::uint8_t>(freed->second);
        }
    }
    void see(unsigned port) {
        const std::uint64_t mask = hw::chips::bit(port);
        if ((out_.valid & mask) != 0) {
            std::uint64_t tag = 0;
            for (unsigned byte = 0; byte < std::min(8u, bytes_); ++byte)
                tag |= std::uint64_t{out_.data[port * bytes_ + byte]} << (8 * byte);
            seen[port].push_back(
                {now + 1, (out_.head & mask) != 0, (out_.tail & mask) != 0, out_.vc.empty() ? 0u : out_.vc[port], tag});
            if (frees) credit(now + 3, seen[port].back().vc, port);
        }
        if ((out_.credit & mask) != 0)
            credits[port].emplace_back(now + 1, out_.credit_vc.empty() ? 0 : out_.credit_vc[port]);
        if ((out_.error & mask) != 0) errors[port].emplace_back(now + 1, out_.errors[port]);
    }

    hw::engine::pins in_;
    hw::engine::pins out_;
    unsigned bytes_;
    std::map<cycle, flit> to_send_[2];
    std::map<cycle, unsigned> to_credit_[2];
    std::uint64_t tags_ = 0;
    std::vector<std::unique_ptr<scripted_faults>> faults_;
    std::unique_ptr<hw::faults::cable_faults> planned_;
};

}  // namespace polycast::testbench::unit
