// SPDX-License-Identifier: Apache-2.0
#include "hw/system/chip_upsets.h"

#include <algorithm>
#include <utility>

namespace polycast::hw::system {

bool has_upsets(const system_plan& plan, engine::chip_id id) {
    return std::ranges::any_of(plan.params.upsets,
                               [&](const named_upset& each) { return each.chip == plan.chips[id].name; });
}

bool memory_was_hit(const system_plan& plan, const engine::chip_network& network) {
    const auto past = [&](engine::cycle at) { return at < network.now(); };
    return std::ranges::any_of(plan.params.upsets, past, [](const named_upset& each) { return each.what.at; }) ||
           std::ranges::any_of(plan.host.upsets, past, [](const host::upset_order& each) { return each.what.at; });
}

std::unique_ptr<engine::chip> with_upsets(const system_plan& plan, engine::chip_id id,
                                          std::unique_ptr<chips::upsettable_chip> made) {
    std::vector<faults::timed_upset> own;
    for (const named_upset& each : plan.params.upsets)
        if (each.chip == plan.chips[id].name) own.push_back(each.what);
    if (own.empty()) return made;
    return std::make_unique<faults::faulty_chip>(std::move(made), std::move(own));
}

}  // namespace polycast::hw::system
