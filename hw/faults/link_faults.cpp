// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/link_faults.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::faults {

using chips::link_symbol;
using chips::symbol_kind;
using engine::cycle;

namespace {

void check(const random_flip_rule& rule) {
    if (!(rule.rate >= 0 && rule.rate <= 0.1))
        throw input_error("the rate of faults is " + std::to_string(rule.rate), "use 0 to 0.1");
    if (rule.burst == 0) throw input_error("a burst of no bit", "use 1 or more");
    if (rule.to <= rule.from) throw input_error("faults end before they begin", "let `to` be behind `from`");
}

void check(const chips::link_config& config, const fault_event& event) {
    const unsigned wires = symbol_wires(config);
    for (const unsigned wire : event.wires)
        if (wire >= wires)
            throw input_error("there is no wire " + std::to_string(wire),
                              "a direction of this cable has wires 0 to " + std::to_string(wires - 1));
    const bool stuck = event.what == fault_kind::stuck;
    if (stuck ? event.wires.size() != 1 : event.what == fault_kind::flip && event.wires.empty())
        throw input_error(std::string(fault_names[static_cast<unsigned>(event.what)]) + " without its wire",
                          "name one");
    if (event.until <= event.at) throw input_error("the fault ends before it begins", "let `until` be behind `at`");
    if (event.times == 0) throw input_error("a fault of no frame or set", "use 1 or more");
    if (event.what == fault_kind::frame && event.number > config.sequence_mask())
        throw input_error("there is no frame " + std::to_string(event.number),
                          "use 0 to " + std::to_string(config.sequence_mask()));
}

bool waits(fault_kind kind) {
    return kind == fault_kind::frame || kind == fault_kind::set || kind == fault_kind::lose_credit ||
           kind == fault_kind::double_credit;
}

}  // namespace

link_faults::link_faults(const chips::link_config& config, const fault_plan& plan, unsigned from_end,
                         std::uint64_t cable, fault_report report)
    : config_(config), from_end_(from_end), report_(std::move(report)), follower_(config) {
    const std::uint64_t key = traffic::random_stream(plan.seed, 2 * cable + from_end)();
    std::uint64_t index = 0;
    for (const random_flip_rule& rule : plan.rates) {
        check(rule);
        if (rule.from_end != from_end) continue;
        const std::uint64_t own = traffic::random_stream(key, index++)();
        if (rule.rate >= 0x1p-64) random_.emplace_back(rule, symbol_wires(config), own);
    }
    for (const fault_event& event : plan.events) {
        check(config, event);
        const bool both = event.what == fault_kind::dead && !event.one_way;
        if (event.from_end != from_end && !both) continue;
        if (waits(event.what)) {
            watched_.push_back({event, event.times});
        } else if (event.what == fault_kind::dead || event.what == fault_kind::stuck) {
            spells_.push_back({event});
        } else {
            moments_.push_back(event);
        }
    }
    std::ranges::stable_sort(moments_, {}, &fault_event::at);
    plan_ahead(0);
}

cycle link_faults::end_of(const fault_event& event) {
    return event.until > engine::never - event.retrain ? engine::never : event.until + event.retrain;
}

void link_faults::apply(cycle now, link_symbol& symbol, bool& signal) {
    if (!watched_.empty()) follow(now, symbol);
    if (now < due_) return;
    act(now, symbol, signal);
    plan_ahead(now + 1);
}

cycle link_faults::next(cycle now) const {
    return copies_ ? now + 1 : std::max(wake_, now + 1);
}

/// Cycles from `now` on.
void link_faults::plan_ahead(cycle now) {
    due_ = wake_ = moment_ < moments_.size() ? moments_[moment_].at : engine::never;
    for (const random_flips& flips : random_) wake_ = std::min(wake_, flips.next());
    due_ = wake_;
    for (const spell& each : spells_) {
        const fault_event& event = each.event;
        if (!each.active && event.at < now) continue;
        // Data wires of an idle symbol are not read: only one of the kind has to be seen on them.
        const bool seen_idle = each.active && event.what == fault_kind::stuck && event.value &&
                               event.wires[0] >= kind_wire(config_) && event.wires[0] < kind_wire(config_) + 3;
        due_ = std::min(due_, each.active ? now : event.at);
        wake_ = std::min(wake_, seen_idle ? now : each.active ? end_of(event) : event.at);
    }
}

void link_faults::act(cycle now, link_symbol& symbol, bool& signal) {
    flip(now, symbol);
    bool dead = false;
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
        if (stuck && read_wire(config_, event.wires[0], symbol) != event.value)
            flip_wire(config_, event.wires[0], symbol);
    }
    if (!dead) return;
    symbol = {};
    signal = false;
}

/// \returns whether it does
bool link_faults::begins_or_ends(cycle now, spell& what) {
    const bool active = now >= what.event.at && now < end_of(what.event);
    return std::exchange(what.active, active) != active;
}

/// Lost symbols, then flips.
void link_faults::flip(cycle now, link_symbol& symbol) {
    wires_.clear();
    for (random_flips& flips : random_) flips.take(now, wires_);
    for (; moment_ < moments_.size() && moments_[moment_].at <= now; ++moment_) {
        const fault_event& event = moments_[moment_];
        if (event.what == fault_kind::flip) {
            wires_.insert(wires_.end(), event.wires.begin(), event.wires.end());
            continue;
        }
        const bool idle = symbol.kind == symbol_kind::idle;
        tell(now, event.what, idle ? fault_effect::nothing : fault_effect::lost,
             static_cast<std::uint64_t>(symbol.kind));
        symbol = {};
    }
    for (const unsigned wire : wires_) {
        flip_wire(config_, wire, symbol);
        tell(now, fault_kind::flip, fault_effect::flipped, wire);
    }
}

void link_faults::follow(cycle now, link_symbol& symbol) {
    if (symbol.kind != symbol_kind::idle) {
        follower_.see(symbol, followed_ + 1 == now);
        followed_ = now;
        if (follower_.first()) loses_ = false;
        if (follower_.in() == wire_follower::item::frame) return follow_frame(now, symbol);
        return follow_set(now, symbol);
    }
    if (!copies_) return;
    // A copy that something else interrupts is a bad set; what interrupts it is not touched.
    symbol = copy_[copied_++];
    if (copied_ == copy_.size()) copies_ = false;
}

void link_faults::follow_frame(cycle now, link_symbol& symbol) {
    if (copied_ != 0) copies_ = false;
    for (const watched& each : watched_) {
        const fault_event& event = each.event;
        if (event.what != fault_kind::frame || each.left == 0 || now < event.at) continue;
        const std::uint32_t number = follower_.last() ? follower_.number() : follower_.expected();
        if (follower_.first() && event.loss == frame_loss::vanish && number == event.number) loses_ = true;
    }
    if (follower_.last()) {
        const auto found = std::ranges::find_if(watched_, [&](const watched& each) {
            return each.event.what == fault_kind::frame && each.left != 0 && now >= each.event.at &&
                   each.event.number == follower_.number();
        });
        if (found != watched_.end()) --found->left;
        if (loses_ || found != watched_.end())
            tell(now, fault_kind::frame, loses_ ? fault_effect::lost : fault_effect::bad, follower_.number());
        // The last bit of the check word.
        if (!loses_ && found != watched_.end() && config_.beside) symbol.beside ^= std::uint64_t{1} << 63;
        if (!loses_ && found != watched_.end() && !config_.beside) symbol.data[7 % config_.flit_bytes] ^= 0x80;
    }
    if (loses_) symbol = {};
}

void link_faults::follow_set(cycle now, link_symbol& symbol) {
    if (copied_ != 0) copies_ = false;
    const bool credit = follower_.type() == chips::set_type::cf_update;
    if (follower_.first()) {
        for (watched& each : watched_) {
            const fault_event& event = each.event;
            const bool it = event.what == fault_kind::set ? event.type == follower_.type()
                                                          : event.what == fault_kind::lose_credit && credit;
            if (!it || each.left == 0 || now < event.at) continue;
            if (each.left != all_sets) --each.left;
            loses_ = true;
            tell(now, event.what, fault_effect::lost, static_cast<std::uint64_t>(follower_.type()));
            break;
        }
        if (credit && !copies_) copy_.clear();
    }
    if (credit && !copies_ && !loses_) copy_.push_back(symbol);
    if (loses_) {
        symbol = {};
        return;
    }
    if (!credit || copies_ || !follower_.last()) return;
    const auto doubled = std::ranges::find_if(watched_, [&](const watched& each) {
        return each.event.what == fault_kind::double_credit && each.left != 0 && now >= each.event.at;
    });
    if (doubled == watched_.end()) return;
    --doubled->left;
    copies_ = true;
    copied_ = 0;
    tell(now, fault_kind::double_credit, fault_effect::doubled, 0);
}

void link_faults::tell(cycle now, fault_kind what, fault_effect effect, std::uint64_t detail) {
    if (report_) report_({now, from_end_, what, effect, detail});
}

cable_faults::cable_faults(const chips::link_config& config, const fault_plan& plan, std::uint64_t cable,
                           const fault_report& report) {
    for (unsigned end = 0; end < 2; ++end)
        directions_[end] = std::make_unique<link_faults>(config, plan, end, cable, report);
}

void cable_faults::attach(chips::wired_cable& cable) {
    for (unsigned end = 0; end < 2; ++end) cable.wire(1 - end).attach(directions_[end].get());
}

}  // namespace polycast::hw::faults
