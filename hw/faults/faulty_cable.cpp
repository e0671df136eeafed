// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/faulty_cable.h"

#include <algorithm>
#include <utility>

#include "hw/faults/damage.h"

namespace polycast::hw::faults {

faulty_cable::faulty_cable(std::unique_ptr<chips::wired_cable> cable, fault_plan plan, std::uint64_t number)
    : plan_(std::move(plan)), number_(number), cable_(std::move(cable)) {
    for (const fault_event& event : plan_.events)
        if (event.what == fault_kind::upset) upsets_.push_back(event);
    std::ranges::stable_sort(upsets_, {}, &fault_event::at);
    attach();
}

void faulty_cable::attach() {
    damage_ = {};
    next_upset_ = 0;
    faults_.emplace(cable_->config(), plan_, number_, [this](const fault_record& fault) { note(damage_, fault); });
    faults_->attach(*cable_);
}

engine::cycle faulty_cable::step(engine::cycle now, const engine::pins& in, engine::pins& out) {
    const std::size_t first = next_upset_;
    for (; next_upset_ < upsets_.size() && upsets_[next_upset_].at == now; ++next_upset_)
        cable_->upset(upsets_[next_upset_].from_end, upsets_[next_upset_].upset);
    const engine::cycle next = cable_->step(now, in, out);
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
        note(damage_,
             {event.at, event.from_end, fault_kind::upset, there ? fault_effect::flipped : fault_effect::nothing,
              std::uint64_t{event.upset.index} << 32 | event.upset.bit});
    }
}

void faulty_cable::reset() {
    cable_->reset();
    attach();
}

engine::chip_report faulty_cable::report() const {
    chips::cable_report all = chips::cable_report::of(cable_->report());
    all.damage = damage_;
    return all.packed();
}

}  // namespace polycast::hw::faults
