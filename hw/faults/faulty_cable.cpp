// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/faulty_cable.h"

#include <algorithm>
#include <utility>

#include "hw/faults/damage.h"

namespace polycast::hw::faults {

faulty_cable::faulty_cable(std::unique_ptr<chips::link_cable> cable, fault_plan plan, std::uint64_t number,
                           std::optional<unsigned> half)
    : plan_(std::move(plan)), number_(number), half_(half), cable_(std::move(cable)) {
    for (const fault_event& event : plan_.events)
        if (event.what == fault_kind::upset && event.from_end == half.value_or(event.from_end))
            upsets_.push_back(event);
    std::ranges::sort(upsets_, {}, [](const fault_event& event) { return std::pair(event.at, ~event.from_end); });
    attach_faults();
}

std::array<std::unique_ptr<chips::link_cable>, 2> faulty_cable::cut_in_two() {
    std::array<std::unique_ptr<chips::link_cable>, 2> halves = cable_->cut_in_two();
    if (halves[0]) faults_.reset();
    for (unsigned which = 0; which < halves.size(); ++which)
        if (halves[which])
            halves[which] = std::make_unique<faulty_cable>(std::move(halves[which]), plan_, number_, which);
    return halves;
}

void faulty_cable::attach_faults() {
    damage_ = {};
    next_upset_ = 0;
    spoilt_ = {};
    strikes_.clear();
    faults_.emplace(cable_->config(), plan_, number_, [this](const fault_record& fault) {
        if (half_ && fault.from_end != *half_) return;  // the other half tells it
        const auto behind = std::ranges::upper_bound(strikes_, fault.when, {}, &fault_record::when);
        strikes_.insert(behind, fault);
    });
    faults_->attach(*cable_);
}

void faulty_cable::watch() {
    cable_->watch();
    attach_faults();
}

/// Those of this cycle: first of the wire towards end 0.
void faulty_cable::tell_strikes() {
    const auto end = std::ranges::upper_bound(strikes_, now_, {}, &fault_record::when);
    std::stable_sort(strikes_.begin(), end,
                     [](const fault_record& a, const fault_record& b) { return a.from_end > b.from_end; });
    for (auto fault = strikes_.begin(); fault != end; ++fault) {
        note(damage_, *fault);
        strike(*fault, 1 - fault->from_end);
    }
    strikes_.erase(strikes_.begin(), end);
}

engine::cycle faulty_cable::step(engine::cycle now, const engine::pins& in, engine::pins& out) {
    now_ = now;
    const std::size_t first = next_upset_;
    for (; next_upset_ < upsets_.size() && upsets_[next_upset_].at == now; ++next_upset_)
        cable_->upset(upsets_[next_upset_].from_end, upsets_[next_upset_].upset);
    engine::cycle next = cable_->step(now, in, out);
    if (!strikes_.empty() && strikes_.front().when <= now) tell_strikes();
    if (!strikes_.empty()) next = std::min(next, strikes_.front().when);
    if (next_upset_ != first) tell_upsets(first);
    return next_upset_ < upsets_.size() ? std::min(next, upsets_[next_upset_].at) : next;
}

/// Those from `first` on, which have just happened.
void faulty_cable::tell_upsets(std::size_t first) {
    engine::chip_probe probe;
    cable_->probe(probe);
    for (std::size_t index = first; index < next_upset_; ++index) {
        const fault_event& event = upsets_[index];
        const bool there =
            event.upset.memory == chips::link_memory::counters || event.upset.index < probe.ends[event.from_end].ring;
        const fault_record fault{event.at, event.from_end, fault_kind::upset,
                                 there ? fault_effect::flipped : fault_effect::nothing,
                                 std::uint64_t{event.upset.index} << 32 | event.upset.bit};
        note(damage_, fault);
        strike(fault, event.from_end);
    }
}

/// For waves: what happens at an end, or on the wire towards it, in the cycle of the fault, and until it ends.
void faulty_cable::strike(const fault_record& fault, unsigned end) {
    spoilt_wire& wire = spoilt_[end];
    const auto kind = static_cast<unsigned>(fault.what);
    if (fault.effect == fault_effect::nothing) return;
    if (fault.effect == fault_effect::ended) {
        --wire.lasting[kind];
        return;
    }
    if (fault.effect == fault_effect::began) ++wire.lasting[kind];
    if (wire.when != fault.when) wire.struck = 0;
    wire.when = fault.when;
    wire.struck = static_cast<std::uint16_t>(wire.struck | 1u << kind);
}

void faulty_cable::probe(engine::chip_probe& probe) const {
    cable_->probe(probe);
    for (unsigned end = 0; end < spoilt_.size(); ++end) {
        const spoilt_wire& wire = spoilt_[end];
        if (wire.when == now_) probe.ends[end].struck = wire.struck;
        for (unsigned kind = 0; kind < wire.lasting.size(); ++kind)
            if (wire.lasting[kind] != 0)
                probe.ends[end].lasting = static_cast<std::uint16_t>(probe.ends[end].lasting | 1u << kind);
    }
}

void faulty_cable::reset() {
    cable_->reset();
    attach_faults();
}

engine::chip_report faulty_cable::report() const {
    chips::cable_report all = chips::cable_report::of(cable_->report());
    all.damage = damage_;
    return all.packed();
}

}  // namespace polycast::hw::faults
