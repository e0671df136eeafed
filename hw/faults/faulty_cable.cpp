// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/faulty_cable.h"

#include <utility>

namespace polycast::hw::faults {

faulty_cable::faulty_cable(std::unique_ptr<chips::wired_cable> cable, fault_plan plan, std::uint64_t number)
    : plan_(std::move(plan)), number_(number), cable_(std::move(cable)) {
    attach();
}

void faulty_cable::attach() {
    damage_ = {};
    faults_.emplace(cable_->config(), plan_, number_, [this](const fault_record& fault) {
        // Nothing was spoilt, or a fault is over: kept for its cycle, but no fault of its own.
        const bool counts = fault.effect != fault_effect::nothing && fault.effect != fault_effect::ended;
        damage_.count[static_cast<std::size_t>(fault.what)] += counts ? 1 : 0;
        if (damage_.first.size() == chips::cable_damage::most_records) return;
        damage_.first.push_back({fault.when, static_cast<std::uint8_t>(fault.from_end),
                                 static_cast<std::uint8_t>(fault.what), static_cast<std::uint8_t>(fault.effect),
                                 fault.detail});
    });
    faults_->attach(*cable_);
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
