// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/cable_report.h"

#include <cereal/types/array.hpp>
#include <utility>

#include "hw/engine/packing.h"

namespace polycast::hw::chips {

template <typename archive>
void serialize(archive& all, cable_report::end& end) {
    for (const link_counter_name& each : link_counter_names) all(end.counts.*each.value);
    all(end.counts.tx_cycles, end.counts.rx_cycles, end.tx, end.rx, end.cause, end.tx_since, end.rx_since);
}

cable_report& cable_report::operator+=(const cable_report& more) {
    for (std::size_t which = 0; which < ends.size(); ++which) {
        const end before = std::exchange(ends[which], more.ends[which]);
        link_counters& counts = ends[which].counts;
        for (const link_counter_name& each : link_counter_names) {
            const std::uint64_t old = before.counts.*each.value;
            std::uint64_t& now = counts.*each.value;
            now = is_peak(each) ? std::max(now, old) : now + old;
        }
        for (std::size_t state = 0; state < counts.tx_cycles.size(); ++state)
            counts.tx_cycles[state] += before.counts.tx_cycles[state];
        for (std::size_t state = 0; state < counts.rx_cycles.size(); ++state)
            counts.rx_cycles[state] += before.counts.rx_cycles[state];
    }
    return *this;
}

cable_report cable_report::of(const engine::chip_report& report) {
    cable_report made;
    engine::unpack(report.counts, made.ends);
    return made;
}

engine::chip_report cable_report::packed() const {
    return {{}, engine::packed(ends)};
}

}  // namespace polycast::hw::chips
