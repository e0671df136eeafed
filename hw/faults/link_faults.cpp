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

const fault_plan& checked(const chips::link_config& config, const fault_plan& plan) {
    check_faults(plan, symbol_wires(config));
    for (const fault_event& event : plan.events)
        if (event.what == fault_kind::frame && event.number > config.sequence_mask())
            throw input_error("there is no frame " + std::to_string(event.number),
                              "use 0 to " + std::to_string(config.sequence_mask()));
    return plan;
}

}  // namespace

link_faults::link_faults(const chips::link_config& config, const fault_plan& plan, unsigned from_end,
                         std::uint64_t cable, fault_report report)
    : config_(config),
      events_(wires_of_symbols(config), checked(config, plan), from_end, cable, std::move(report)),
      follower_(config) {
    for (const fault_event& event : plan.events)
        if (event.from_end == from_end && waits(event.what)) watched_.push_back({event, event.times});
}

void link_faults::apply(cycle now, link_symbol& symbol, bool& signal) {
    if (!watched_.empty()) follow(now, symbol);
    if (const auto level = events_.apply(now, symbol)) signal = *level;
}

cycle link_faults::next(cycle now) const {
    return copies_ ? now + 1 : events_.next(now);
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
            events_.tell(now, fault_kind::frame, loses_ ? fault_effect::lost : fault_effect::bad, follower_.number());
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
            events_.tell(now, event.what, fault_effect::lost, static_cast<std::uint64_t>(follower_.type()));
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
    events_.tell(now, fault_kind::double_credit, fault_effect::doubled, 0);
}

cable_faults::cable_faults(const chips::link_config& config, const fault_plan& plan, std::uint64_t cable,
                           const fault_report& report) {
    for (unsigned end = 0; end < 2; ++end)
        directions_[end] = std::make_unique<link_faults>(config, plan, end, cable, report);
}

void cable_faults::attach(chips::link_cable& cable) {
    for (unsigned end = 0; end < 2; ++end) cable.attach(1 - end, *directions_[end]);
}

}  // namespace polycast::hw::faults
