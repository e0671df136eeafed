// SPDX-License-Identifier: Apache-2.0
/// \file What the ends of a cable have counted, as it comes from any model of it, and from other processes.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "hw/chips/link/link_counters.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// What spoiled the wires of a cable (hw/faults/faults.md).
struct cable_damage {
    static constexpr std::size_t most_records = 2000;
    static constexpr std::uint8_t upset = 8;  ///< faults::fault_kind of stored bits

    struct record {
        engine::cycle when = 0;
        std::uint8_t from_end = 0;  ///< the direction: away from this end
        std::uint8_t what = 0;      ///< faults::fault_kind
        std::uint8_t effect = 0;    ///< faults::fault_effect
        std::uint64_t detail = 0;

        bool operator==(const record&) const = default;
    };
    std::vector<record> first;                ///< by cycle; in one: on wires, then of stored bits; from end 1 first
    std::array<std::uint64_t, 9> count = {};  ///< [what]
    std::uint64_t corrected = 0;              ///< cycles in which codes of memories corrected something, of each port

    bool any() const {
        return std::ranges::any_of(count, [](std::uint64_t each) { return each != 0; });
    }
    bool operator==(const cable_damage&) const = default;
};

struct cable_report {
    struct end {
        link_counters counts;  ///< without the cycles of the states it is in
        link_tx_state tx = link_tx_state::init;
        link_rx_state rx = link_rx_state::off;
        flush_cause cause = flush_cause::none;     ///< of the last FLUSH
        engine::cycle tx_since = 0, rx_since = 0;  ///< in which the states began

        /// Adds the cycles of the present states up to `now`.
        void count_to(engine::cycle now) {
            counts.tx_cycles[static_cast<unsigned>(tx)] += std::max(now, tx_since) - tx_since;
            counts.rx_cycles[static_cast<unsigned>(rx)] += std::max(now, rx_since) - rx_since;
            tx_since = rx_since = now;
        }
    };
    std::array<end, 2> ends;
    cable_damage damage;

    /// Of another run: what is a maximum stays one, and the states are its.
    cable_report& operator+=(const cable_report& more);
    /// Of a cable of two halves, each of which knows its own end and what it sends into.
    static cable_report joined(const std::array<cable_report, 2>& halves);
    static cable_report of(const engine::chip_report& report);
    engine::chip_report packed() const;
};

}  // namespace polycast::hw::chips
