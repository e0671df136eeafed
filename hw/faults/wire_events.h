// SPDX-License-Identifier: Apache-2.0
/// \file Faults of one direction that hit wires whatever is on them: symbols that are lost, flips, wires that are
/// stuck, and last a dead wire.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hw/faults/fault_plan.h"
#include "hw/faults/random_flips.h"

namespace polycast::hw::faults {

/// Whether the fault waits for a frame, an ordered set, or a credit.
inline bool waits(fault_kind kind) {
    return kind == fault_kind::frame || kind == fault_kind::set || kind == fault_kind::lose_credit ||
           kind == fault_kind::double_credit;
}

/// Of `plan` what leaves end `from_end`. \throws input_error for a rate, a burst, wires or times that cannot be
/// \param wires of a direction
void check_faults(const fault_plan& plan, unsigned wires);

/// \tparam Wires names the wires of a `Wires::symbol`: count(), flip(), read(), kind() (0: idle), drop(), and shows():
/// a wire whose value is seen while nothing is sent
template <typename Wires>
class wire_events {
public:
    using symbol = typename Wires::symbol;

    /// \param plan checked \param cable its number: a seed of its own
    wire_events(Wires wires, const fault_plan& plan, unsigned from_end, std::uint64_t cable, fault_report report)
        : wires_(std::move(wires)), from_end_(from_end), report_(std::move(report)) {
        const std::uint64_t key = traffic::random_stream(plan.seed, 2 * cable + from_end)();
        std::uint64_t index = 0;
        for (const random_flip_rule& rule : plan.rates) {
            if (rule.from_end != from_end) continue;
            const std::uint64_t own = traffic::random_stream(key, index++)();
            if (rule.rate >= 0x1p-64) random_.emplace_back(rule, wires_.count(), own);
        }
        for (const fault_event& event : plan.events) {
            const bool both = event.what == fault_kind::dead && !event.one_way;
            if (event.what == fault_kind::upset || waits(event.what)) continue;
            if (event.from_end != from_end && !both) continue;
            if (event.what == fault_kind::dead || event.what == fault_kind::stuck) {
                spells_.push_back({event});
            } else {
                moments_.push_back(event);
            }
        }
        std::ranges::stable_sort(moments_, {}, &fault_event::at);
        plan_ahead(0);
    }

    /// Spoils what is on the pins in cycle `now`; in the order of cycles. \returns the signal's level where it changes
    std::optional<bool> apply(engine::cycle now, symbol& what) {
        if (now < due_) return std::nullopt;
        const std::optional<bool> signal = act(now, what);
        plan_ahead(now + 1);
        return signal;
    }
    /// The first cycle behind `now` in which apply() changes an idle symbol, or a signal that is as it was.
    engine::cycle next(engine::cycle now) const { return std::max(wake_, now + 1); }

    void tell(engine::cycle now, fault_kind what, fault_effect effect, std::uint64_t detail) {
        if (report_) report_({now, from_end_, what, effect, detail});
    }

private:
    struct spell {  ///< dead, or a wire that is stuck
        fault_event event;
        bool active = false;
    };

    static engine::cycle end_of(const fault_event& event) {
        return event.until > engine::never - event.retrain ? engine::never : event.until + event.retrain;
    }

    /// Cycles from `now` on.
    void plan_ahead(engine::cycle now) {
        due_ = wake_ = moment_ < moments_.size() ? moments_[moment_].at : engine::never;
        for (const random_flips& flips : random_) wake_ = std::min(wake_, flips.next());
        due_ = wake_;
        for (const spell& each : spells_) {
            const fault_event& event = each.event;
            if (!each.active && event.at < now) continue;
            const bool seen_idle =
                each.active && event.what == fault_kind::stuck && event.value && wires_.shows(event.wires[0]);
            due_ = std::min(due_, each.active ? now : event.at);
            wake_ = std::min(wake_, seen_idle ? now : each.active ? end_of(event) : event.at);
        }
    }

    std::optional<bool> act(engine::cycle now, symbol& what) {
        flip(now, what);
        bool dead = false;
        std::optional<bool> signal;
        for (spell& each : spells_) {
            const bool changes = begins_or_ends(now, each);
            const fault_event& event = each.event;
            const bool stuck = event.what == fault_kind::stuck;
            if (changes)
                tell(now, event.what, each.active ? fault_effect::began : fault_effect::ended,
                     stuck ? event.wires[0] : std::uint64_t{0});
            if (changes && !stuck) signal = true;
            if (!each.active) continue;
            if (!stuck) dead = true;
            if (stuck && wires_.read(event.wires[0], what) != event.value) wires_.flip(event.wires[0], what);
        }
        if (!dead) return signal;
        what = {};
        return false;
    }

    /// \returns whether it does
    static bool begins_or_ends(engine::cycle now, spell& what) {
        const bool active = now >= what.event.at && now < end_of(what.event);
        return std::exchange(what.active, active) != active;
    }

    /// Lost symbols, then flips.
    void flip(engine::cycle now, symbol& what) {
        flipping_.clear();
        for (random_flips& flips : random_) flips.take(now, flipping_);
        for (; moment_ < moments_.size() && moments_[moment_].at <= now; ++moment_) {
            const fault_event& event = moments_[moment_];
            if (event.what == fault_kind::flip) {
                flipping_.insert(flipping_.end(), event.wires.begin(), event.wires.end());
                continue;
            }
            const std::uint64_t kind = wires_.kind(what);
            tell(now, event.what, kind == 0 ? fault_effect::nothing : fault_effect::lost, kind);
            wires_.drop(what);
        }
        for (const unsigned wire : flipping_) {
            wires_.flip(wire, what);
            tell(now, fault_kind::flip, fault_effect::flipped, wire);
        }
    }

    Wires wires_;
    unsigned from_end_;
    fault_report report_;
    std::vector<random_flips> random_;
    std::vector<fault_event> moments_;  ///< flip and lose, sorted by cycle
    std::size_t moment_ = 0;            ///< the next of them
    std::vector<spell> spells_;
    engine::cycle due_ = 0;           ///< of act(), on whatever is on the wire
    engine::cycle wake_ = 0;          ///< of act(), on an idle wire
    std::vector<unsigned> flipping_;  ///< in a cycle
};

}  // namespace polycast::hw::faults
