// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/effects.h"

#include <tuple>

namespace polycast::hw::engine {

void effect_log::act(std::span<effect_log* const> logs, cycle last, std::uint32_t last_chip) {
    std::vector<std::size_t> next(logs.size());
    while (true) {
        const entry* first = nullptr;
        std::size_t from = 0;
        for (std::size_t log = 0; log < logs.size(); ++log) {
            if (next[log] == logs[log]->entries_.size()) continue;
            const entry& one = logs[log]->entries_[next[log]];
            if (first != nullptr && std::tie(first->when, first->chip) <= std::tie(one.when, one.chip)) continue;
            first = &one;
            from = log;
        }
        if (first == nullptr || std::tie(last, last_chip) < std::tie(first->when, first->chip)) break;
        ++next[from];
        first->act();
    }
    for (effect_log* const log : logs) log->entries_.clear();
}

}  // namespace polycast::hw::engine
