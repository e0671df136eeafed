// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/faulty_chip.h"

#include <algorithm>
#include <utility>

#include "hw/faults/damage.h"

namespace polycast::hw::faults {

faulty_chip::faulty_chip(std::unique_ptr<chips::upsettable_chip> hit, std::vector<timed_upset> upsets)
    : upsets_(std::move(upsets)), chip_(std::move(hit)) {
    std::ranges::sort(upsets_, {}, &timed_upset::at);
}

void faulty_chip::reset() {
    chip_->reset();
    next_ = 0;
    damage_ = {};
}

engine::cycle faulty_chip::step(engine::cycle now, const engine::pins& in, engine::pins& out) {
    while (next_ < upsets_.size() && upsets_[next_].at < now) ++next_;  // a reset may have begun anew
    const bool hit = next_ < upsets_.size() && upsets_[next_].at == now;
    if (!hit) {
        const engine::cycle next = next_ < upsets_.size() ? upsets_[next_].at : engine::never;
        return std::min(chip_->step_upset(now, in, out, nullptr), next);
    }
    const timed_upset& first = upsets_[next_++];
    note(damage_, {now, static_cast<unsigned>(first.what.memory), fault_kind::upset, fault_effect::flipped,
                   std::uint64_t{first.what.index} << 32 | first.what.bit});
    return chip_->step_upset(now, in, out, &first.what);
}

engine::chip_report faulty_chip::report() const {
    chips::cable_report all;
    all.damage = damage_;
    engine::chip_probe probe;
    chip_->probe(probe);
    for (const engine::chip_probe::input& each : probe.inputs) all.damage.corrected += each.corrected;
    return all.packed();
}

}  // namespace polycast::hw::faults
