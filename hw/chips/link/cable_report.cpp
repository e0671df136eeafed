// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/cable_report.h"

#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <iterator>
#include <tuple>
#include <utility>

#include "hw/engine/packing.h"

namespace polycast::hw::chips {

template <typename archive>
void serialize(archive& all, cable_report::end& end) {
    for (const link_counter_name& each : link_counter_names) all(end.counts.*each.value);
    all(end.counts.tx_cycles, end.counts.rx_cycles, end.tx, end.rx, end.cause, end.tx_since, end.rx_since);
}

template <typename archive>
void serialize(archive& all, cable_damage::record& record) {
    all(record.when, record.from_end, record.what, record.effect, record.detail);
}

template <typename archive>
void serialize(archive& all, cable_damage& damage) {
    all(damage.first, damage.count, damage.corrected);
}

cable_report& cable_report::operator+=(const cable_report& more) {
    for (std::size_t what = 0; what < damage.count.size(); ++what) damage.count[what] += more.damage.count[what];
    damage.corrected += more.damage.corrected;
    damage.first.insert(damage.first.end(), more.damage.first.begin(), more.damage.first.end());
    if (damage.first.size() > cable_damage::most_records) damage.first.resize(cable_damage::most_records);
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

cable_report cable_report::joined(const std::array<cable_report, 2>& halves) {
    cable_report both;
    const auto key = [](const cable_damage::record& of) {
        return std::tuple(of.when, of.what == cable_damage::upset, ~of.from_end);
    };
    std::ranges::merge(halves[0].damage.first, halves[1].damage.first, std::back_inserter(both.damage.first), {}, key,
                       key);
    if (both.damage.first.size() > cable_damage::most_records) both.damage.first.resize(cable_damage::most_records);
    for (std::size_t which = 0; which < halves.size(); ++which) {
        both.ends[which] = halves[which].ends[which];
        both.damage.corrected += halves[which].damage.corrected;
        for (std::size_t what = 0; what < both.damage.count.size(); ++what)
            both.damage.count[what] += halves[which].damage.count[what];
    }
    return both;
}

cable_report cable_report::of(const engine::chip_report& report) {
    cable_report made;
    engine::unpack(report.counts, made.ends, made.damage);
    return made;
}

engine::chip_report cable_report::packed() const {
    return {{}, engine::packed(ends, damage)};
}

}  // namespace polycast::hw::chips
