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
    spoilt_ = {};
    faults_.emplace(cable_->config(), plan_, number_, [this](const fault_record& fault) {
        note(fault);
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

/// For waves: what is on a wire in the cycle of the fault, and until it ends.
void faulty_cable::note(const fault_record& fault) {
    spoilt_wire& wire = spoilt_[1 - fault.from_end];
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
    attach();
}

engine::chip_report faulty_cable::report() const {
    chips::cable_report all = chips::cable_report::of(cable_->report());
    all.damage = damage_;
    return all.packed();
}

}  // namespace polycast::hw::faults
