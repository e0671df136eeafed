// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/network_coding.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "hw/collectives/network_coding_shape.h"
#include "hw/input_error.h"

namespace polycast::hw::collectives {

namespace {

using sides = std::vector<std::uint32_t>;

std::uint32_t product(const sides& box) {
    return std::accumulate(box.begin(), box.end(), std::uint32_t{1}, std::multiplies<>());
}

std::string text_of(const sides& box) {
    std::string text;
    for (const std::uint32_t side : box) text += (text.empty() ? "" : "x") + std::to_string(side);
    return text;
}

/// Tries all sides that divide the box, ascending, and keeps those with the least sum.
void try_extents(const sides& box, std::uint32_t left, sides& chosen, sides& best) {
    const std::size_t d = chosen.size();
    if (d == box.size()) {
        const auto sum = [](const sides& all) { return std::accumulate(all.begin(), all.end(), std::uint64_t{0}); };
        if (left == 1 && (best.empty() || sum(chosen) < sum(best))) best = chosen;
        return;
    }
    const std::uint32_t least = d == 0 ? 1 : chosen.back();
    const std::size_t open = box.size() - d;
    for (std::uint32_t side = least; side <= box[d] && side <= left; ++side) {
        std::uint64_t smallest = 1;  // product of the sides that are left, when none is shorter than this one
        for (std::size_t i = 0; i < open && smallest <= left; ++i) smallest *= side;
        if (smallest > left) break;
        if (box[d] % side != 0 || left % side != 0) continue;
        chosen.push_back(side);
        try_extents(box, left / side, chosen, best);
        chosen.pop_back();
    }
}

/// "8 or 32": the possible sizes next to one that is not.
std::string nearest_sizes(const sides& box, std::uint32_t members) {
    const std::uint32_t most = product(box);
    std::string text;
    for (std::uint32_t size = std::min(members, most + 1); size-- > 1;) {
        if (group_extent(box, size).empty()) continue;
        text = std::to_string(size);
        break;
    }
    for (std::uint32_t size = members; size < most;) {
        if (group_extent(box, ++size).empty()) continue;
        text += (text.empty() ? "" : " or ") + std::to_string(size);
        break;
    }
    return text + (text.empty() ? "" : (text.find(' ') == std::string::npos ? " does" : " do"));
}

void check_network(const coding_options& options) {
    if (options.radix < 2)
        throw input_error("k = " + std::to_string(options.radix) + ": a dimension has 2 or more nodes");
    if (options.dimensions < 1 || options.dimensions > most_coding_dimensions) {
        throw input_error("n = " + std::to_string(options.dimensions) + ": a network has 1 to " +
                          std::to_string(most_coding_dimensions) + " dimensions");
    }
    std::uint64_t nodes = 1;
    for (unsigned d = 0; d < options.dimensions; ++d) {
        nodes *= options.radix;
        if (nodes > most_coding_nodes) {
            throw input_error("a " + std::to_string(options.radix) + "-ary " + std::to_string(options.dimensions) +
                              "-mesh has more than " + std::to_string(most_coding_nodes) + " nodes");
        }
    }
    if (options.base == coding_base::tree && !std::has_single_bit(options.radix)) {
        throw input_error(
            "k = " + std::to_string(options.radix) + ": XOR halving (base tree) needs a k that is a power of two",
            std::to_string(std::bit_floor(options.radix)) + " or " + std::to_string(std::bit_ceil(options.radix)) +
                ", or base all-at-once");
    }
    if (options.sources > nodes) {
        throw input_error(std::to_string(options.sources) + " sources: the network has " + std::to_string(nodes) +
                          " nodes");
    }
}

}  // namespace

coding_count& coding_count::operator+=(const coding_count& other) {
    unicasts += other.unicasts;
    data += other.data;
    hops += other.hops;
    return *this;
}

std::vector<std::uint32_t> group_extent(const std::vector<std::uint32_t>& box, std::uint32_t members) {
    sides chosen, best;
    if (members != 0) try_extents(box, members, chosen, best);
    return best;
}

std::uint32_t intermediate_coordinate(const coding_level& level, node_placement placement, std::size_t dimension,
                                      std::uint32_t group) {
    const std::uint32_t extent = level.extent[dimension], groups = level.groups[dimension];
    const std::uint32_t first = group * extent;
    if (placement == node_placement::centre || groups == 1) return first + (extent - 1) / 2;
    return 2 * group < groups ? first + extent - 1 : first;
}

network_coding::network_coding(coding_options options) : options_(std::move(options)) {
    check_network(options_);
    const sides all(options_.dimensions, options_.radix);
    nodes_ = product(all);
    source_count_ = options_.sources == 0 ? nodes_ : options_.sources;
    add_level(all, options_.group);
    for (const std::uint32_t members : options_.inner_groups) {
        if (members >= levels_.back().members) {
            throw input_error("a group of " + std::to_string(members) + " within a group of " +
                                  std::to_string(levels_.back().members),
                              "inner groups have fewer nodes than the groups that they are in");
        }
        add_level(levels_.back().extent, members);
    }
    deal_sources();
}

void network_coding::add_level(const std::vector<std::uint32_t>& box, std::uint32_t members) {
    coding_level level;
    level.box = box;
    level.members = members;
    level.extent = group_extent(box, members);
    if (level.extent.empty()) {
        throw input_error("groups of " + std::to_string(members) + " nodes: no rectangles of this size fill " +
                              text_of(box) + " nodes",
                          nearest_sizes(box, members));
    }
    for (std::size_t d = 0; d < box.size(); ++d) level.groups.push_back(box[d] / level.extent[d]);
    const std::uint32_t in_box = product(box);
    level.group_count = in_box / members;
    level.regions = nodes_ / in_box;
    level.nodes.resize(nodes_);
    for (std::uint32_t group = 0; group < level.group_count; ++group) {
        const box_place corner = place_in(level.groups, group);
        box_place middle{};
        for (std::size_t d = 0; d < box.size(); ++d)
            middle[d] = intermediate_coordinate(level, options_.placement, d, corner[d]) - corner[d] * level.extent[d];
        level.intermediate.push_back(number_in(level.extent, middle));
        for (std::uint32_t member = 0; member < members; ++member) {
            box_place place = place_in(level.extent, member);
            for (std::size_t d = 0; d < box.size(); ++d) place[d] += corner[d] * level.extent[d];
            const std::uint32_t local = number_in(box, place);
            for (std::uint32_t region = 0; region < level.regions; ++region) {
                const std::size_t first = std::size_t{region} * in_box;
                level.nodes[first + std::size_t{group} * members + member] =
                    levels_.empty() ? local : levels_.back().nodes[first + local];
            }
        }
    }
    levels_.push_back(std::move(level));
}

void network_coding::deal_sources() {
    std::vector<bool> is_source(nodes_, false);
    std::optional<network_coding> other;
    if (options_.dealt_over != 0 && options_.dealt_over != options_.group) {
        coding_options dealt = options_;
        dealt.inner_groups.clear();
        dealt.group = std::exchange(dealt.dealt_over, 0);
        other.emplace(dealt);
    }
    const coding_level& top = other ? other->levels().front() : levels_.front();
    for (std::uint64_t s = 0; s < source_count_; ++s)
        is_source[top.nodes[s % top.group_count * top.members + s / top.group_count]] = true;
    for (coding_level& level : levels_) {
        level.sources.resize(nodes_ / level.members);
        for (std::size_t i = 0; i < nodes_; ++i) {
            if (is_source[level.nodes[i]]) level.sources[i / level.members].push_back(level.nodes[i]);
        }
    }
}

std::uint32_t network_coding::intermediate_node(unsigned level, std::uint32_t group) const {
    const coding_level& at = levels_[level];
    return at.nodes[std::size_t{group} * at.members + at.intermediate[group % at.group_count]];
}

std::uint32_t network_coding::distance(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t hops = 0;
    for (unsigned d = 0; d < options_.dimensions; ++d) {
        hops += hops_between(options_, from % options_.radix, to % options_.radix);
        from /= options_.radix;
        to /= options_.radix;
    }
    return hops;
}

std::vector<std::uint32_t> network_coding::contents(const parcel& what) const {
    switch (what.kind) {
        case parcel::sort::datum: return {what.first};
        case parcel::sort::chain: return {what.first, what.second};
        case parcel::sort::message: break;
    }
    return levels_[what.second].sources[what.first];
}

coding_count network_coding::total(accounting what) const {
    coding_count sum;
    for (const coding_step& step : steps()) sum += count(step, what);
    return sum;
}

std::vector<std::uint32_t> group_sizes(const coding_options& options) {
    check_network(options);
    const sides box(options.dimensions, options.radix);
    const std::uint32_t nodes = product(box);
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t size = 2; size <= nodes / 2; ++size) {
        if (nodes % size == 0 && !group_extent(box, size).empty()) sizes.push_back(size);
    }
    return sizes;
}

}  // namespace polycast::hw::collectives
