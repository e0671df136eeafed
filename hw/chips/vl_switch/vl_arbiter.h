// SPDX-License-Identifier: Apache-2.0
/// \file Which virtual lane an output of a VL switch serves next: step 3 of hw/chips/vl_switch/vl_switch.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/chips/port_set.h"
#include "hw/chips/vl_switch/vl_switch_config.h"

namespace polycast::hw::chips {

/// One of the two tables of a port: the entry that is served, and what is left of its weight.
class vl_weight_table {
public:
    /// The entry that is next among those whose lane is in `lanes`; 64: none.
    unsigned next(const std::array<vl_weights::entry, 64>& entries, unsigned lanes) const {
        const bool left = used_ < entries[current_].weight;
        for (unsigned step = left ? 0 : 1; step < 64 + (left ? 0u : 1u); ++step) {
            const unsigned at = (current_ + step) % 64;
            if (entries[at].weight != 0 && (lanes >> entries[at].vl & 1) != 0) return at;
        }
        return 64;
    }
    void take(const std::array<vl_weights::entry, 64>& entries, unsigned entry) {
        if (entry == current_ && used_ < entries[current_].weight) return;
        current_ = static_cast<std::uint8_t>(entry);
        used_ = 0;
    }
    /// A packet of the current entry has ended.
    void spend(const std::array<vl_weights::entry, 64>& entries, std::uint32_t units) {
        used_ = std::min<std::uint32_t>(entries[current_].weight, used_ + units);
    }

private:
    std::uint8_t current_ = 0;
    std::uint32_t used_ = 0;  ///< of the weight of the current entry
};

/// VL arbitration by weights, of one output.
class vl_weight_arbiter {
public:
    /// Takes one of `lanes`. \returns `none`: no table has one of them with a weight
    unsigned take(const vl_weights& tables, unsigned lanes) {
        const unsigned high = high_.next(tables.high, lanes);
        const unsigned low = low_.next(tables.low, lanes);
        if (high == 64 && low == 64) return none;
        serves_high_ = high != 64 && (used_ < budget(tables) || tables.high_limit == 255 || low == 64);
        if (serves_high_) {
            high_.take(tables.high, high);
            return tables.high[high].vl;
        }
        low_.take(tables.low, low);
        return tables.low[low].vl;
    }
    /// The packet that was taken last has ended.
    void end(const vl_weights& tables, std::uint32_t units) {
        if (serves_high_) {
            high_.spend(tables.high, units);
            used_ = std::min(budget(tables), used_ + units);
        } else {
            low_.spend(tables.low, units);
            used_ = 0;
        }
    }

    static constexpr unsigned none = 16;

private:
    /// Units of 64 bytes that high packets may send before a low one.
    static std::uint32_t budget(const vl_weights& tables) {
        return tables.high_limit == 0 ? 1 : tables.high_limit * 64u;
    }

    vl_weight_table high_, low_;
    std::uint32_t used_ = 0;  ///< of the budget
    bool serves_high_ = false;
};

}  // namespace polycast::hw::chips
