// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/acyclic_layer.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace polycast::hw::subnet {

using topology::port_end;

acyclic_layer::acyclic_layer(const topology::graph& network) : network_(&network) {
    std::uint32_t count = 0;
    for (const topology::switch_node& one : network.switches) {
        first_.push_back(count);
        count += static_cast<std::uint32_t>(one.ports.size());
    }
    known_.assign(count, 0);
    places_.resize(count);
    std::iota(places_.begin(), places_.end(), 0U);
    next_.resize(count);
    before_.resize(count);
    seen_.assign(count, false);
}

bool acyclic_layer::add(std::span<const turn> turns) {
    added_.clear();
    for (const turn& one : turns) {
        const auto& ports = network_->switches[one.chip].ports;
        const port_end& from = ports[one.in];
        if (from.kind != port_end::leads_to::chip || ports[one.out].kind != port_end::leads_to::chip) continue;
        const std::uint32_t to = first_[one.chip] + one.out;
        const std::uint64_t bit = std::uint64_t{1} << one.in;
        if ((known_[to] & bit) != 0) continue;
        if (insert(first_[from.index] + from.port, to)) {
            known_[to] |= bit;
            added_.emplace_back(to, bit);
            continue;
        }
        // The order that was made for the others holds without them, too.
        for (; !added_.empty(); added_.pop_back()) {
            const auto [last, port] = added_.back();
            known_[last] &= ~port;
            next_[before_[last].back()].pop_back();
            before_[last].pop_back();
        }
        return false;
    }
    return true;
}

bool acyclic_layer::insert(std::uint32_t from, std::uint32_t to) {
    if (from == to) return false;
    if (places_[from] > places_[to]) {
        above_.clear();
        below_.clear();
        const bool circle = search_up(to, from);
        if (!circle) search_down(from, places_[to]);
        for (const auto* part : {&above_, &below_})
            for (const std::uint32_t one : *part) seen_[one] = false;
        if (circle) return false;
        reorder();
    }
    next_[from].push_back(to);
    before_[to].push_back(from);
    return true;
}

/// Everything behind `start` that stands in front of `target`. \returns whether target is among it
bool acyclic_layer::search_up(std::uint32_t start, std::uint32_t target) {
    above_.push_back(start);
    seen_[start] = true;
    for (std::size_t at = 0; at < above_.size(); ++at)
        for (const std::uint32_t one : next_[above_[at]]) {
            if (one == target) return true;
            if (seen_[one] || places_[one] > places_[target]) continue;
            seen_[one] = true;
            above_.push_back(one);
        }
    return false;
}

void acyclic_layer::search_down(std::uint32_t start, std::uint32_t least) {
    below_.push_back(start);
    seen_[start] = true;
    for (std::size_t at = 0; at < below_.size(); ++at)
        for (const std::uint32_t one : before_[below_[at]]) {
            if (seen_[one] || places_[one] < least) continue;
            seen_[one] = true;
            below_.push_back(one);
        }
}

/// What leads to the new edge comes to stand in front of what it leads to, in the places of both.
void acyclic_layer::reorder() {
    const auto by_place = [this](std::uint32_t a, std::uint32_t b) { return places_[a] < places_[b]; };
    std::sort(above_.begin(), above_.end(), by_place);
    std::sort(below_.begin(), below_.end(), by_place);
    free_.clear();
    for (const auto* part : {&below_, &above_})
        for (const std::uint32_t one : *part) free_.push_back(places_[one]);
    std::sort(free_.begin(), free_.end());
    std::size_t at = 0;
    for (const auto* part : {&below_, &above_})
        for (const std::uint32_t one : *part) places_[one] = free_[at++];
}

}  // namespace polycast::hw::subnet
