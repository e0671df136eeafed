// SPDX-License-Identifier: Apache-2.0
/// \file Faults that happened, as results keep them.
#pragma once

#include <tuple>

#include "hw/chips/link/cable_report.h"
#include "hw/faults/fault_plan.h"

namespace polycast::hw::faults {

/// Nothing was spoilt, or a fault is over: that is kept for its cycle, but is no fault of its own.
inline void note(chips::cable_damage& damage, const fault_record& fault) {
    static_assert(std::tuple_size_v<decltype(damage.count)> == fault_names.size());
    static_assert(static_cast<std::uint8_t>(fault_kind::upset) == chips::cable_damage::upset);
    const bool counts = fault.effect != fault_effect::nothing && fault.effect != fault_effect::ended;
    damage.count[static_cast<std::size_t>(fault.what)] += counts ? 1 : 0;
    if (damage.first.size() == chips::cable_damage::most_records) return;
    damage.first.push_back({fault.when, static_cast<std::uint8_t>(fault.from_end),
                            static_cast<std::uint8_t>(fault.what), static_cast<std::uint8_t>(fault.effect),
                            fault.detail});
}

}  // namespace polycast::hw::faults
