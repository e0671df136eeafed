// SPDX-License-Identifier: Apache-2.0
// The unicasts of every step, one by one.
#include <algorithm>

#include "hw/collectives/network_coding.h"
#include "hw/collectives/network_coding_shape.h"

namespace polycast::hw::collectives {

std::vector<coding_step> network_coding::steps() const {
    const bool every_node = options_.method == coding_method::every_node;
    const bool coded = options_.method == coding_method::coded || every_node;
    std::vector<coding_step> all;
    const auto deepest = static_cast<unsigned>(levels_.size() - 1);
    all.push_back({'B', deepest, rounds_of(options_.base, levels_.back().members)});
    for (unsigned level = deepest + 1; level-- > 0;) {
        const coding_level& at = levels_[level];
        const bool parcels = std::ranges::any_of(
            at.sources, [this](const auto& sources) { return parcels_sent(options_.method, sources.size()) != 0; });
        const bool crosses = at.group_count > 1;
        all.push_back({'D', level, parcels ? rounds_of(options_.base, at.group_count) : 0});
        all.push_back({'E', level, parcels && crosses && !every_node ? rounds_of(options_.base, at.members) : 0});
        all.push_back({'F', level, coded && crosses ? 1u : 0u});
    }
    return all;
}

std::vector<parcel> network_coding::parcels_of(unsigned level, std::uint32_t group) const {
    const std::vector<std::uint32_t>& sources = levels_[level].sources[group];
    std::vector<parcel> all;
    if (options_.method == coding_method::combining) {
        if (!sources.empty()) all.push_back({parcel::sort::message, group, level});
    } else if (options_.method == coding_method::uncoded) {
        for (const std::uint32_t source : sources) all.push_back({parcel::sort::datum, source, 0});
    } else {
        for (std::size_t i = 1; i < sources.size(); ++i)
            all.push_back({parcel::sort::chain, sources[i - 1], sources[i]});
    }
    return all;
}

void network_coding::for_each_transfer(const coding_step& step, accounting what, const visitor& visit) const {
    const coding_level& at = levels_[step.level];
    const std::uint32_t groups = at.group_count;
    const auto all_groups = static_cast<std::uint32_t>(at.sources.size());
    const auto node = [&at](std::uint32_t group, std::uint32_t member) {
        return at.nodes[std::size_t{group} * at.members + member];
    };
    // The group `ahead` places before `group` in its own box, round its end.
    const auto group_ahead = [groups](std::uint32_t group, std::uint32_t ahead) {
        return group / groups * groups + (group + ahead) % groups;
    };
    for (unsigned round = 0; round < step.rounds; ++round) {
        for (std::uint32_t group = 0; group < all_groups; ++group) {
            const std::uint32_t box = group / groups * groups;
            switch (step.letter) {
                case 'B':
                    for (std::uint32_t root = 0; root < at.members; ++root) {
                        const std::uint32_t source = node(group, root);
                        if (!std::ranges::binary_search(at.sources[group], source)) continue;
                        spread(options_.base, at.members, root, round, [&](std::uint32_t from, std::uint32_t to) {
                            visit({node(group, from), node(group, to), {parcel::sort::datum, source, 0}, round});
                        });
                    }
                    break;
                case 'D': {
                    const bool every_node = options_.method == coding_method::every_node;
                    const std::vector<parcel> parcels = parcels_of(step.level, group);
                    for (std::uint32_t place = 0; place < (every_node ? at.members : 1); ++place) {
                        const auto sender = [&](std::uint32_t one) {
                            return node(box + one, every_node ? place : at.intermediate[one]);
                        };
                        for (const parcel& each : parcels) {
                            spread(options_.base, groups, group - box, round,
                                   [&](std::uint32_t from, std::uint32_t to) {
                                       visit({sender(from), sender(to), each, round});
                                   });
                        }
                    }
                    break;
                }
                case 'E': {
                    const std::uint32_t end = what == accounting::as_published ? std::min(2u, groups) : groups;
                    for (std::uint32_t ahead = 1; ahead < end; ++ahead) {
                        for (const parcel& each : parcels_of(step.level, group_ahead(group, ahead))) {
                            spread(options_.base, at.members, at.intermediate[group - box], round,
                                   [&](std::uint32_t from, std::uint32_t to) {
                                       visit({node(group, from), node(group, to), each, round});
                                   });
                        }
                    }
                    break;
                }
                default: {
                    const std::vector<std::uint32_t>& sources = at.sources[group];
                    for (std::uint32_t ahead = 1; ahead < groups && !sources.empty(); ++ahead) {
                        for (std::uint32_t member = 0; member < at.members; ++member) {
                            const std::uint32_t source = sources[member % sources.size()];
                            visit({source,
                                   node(group_ahead(group, ahead), member),
                                   {parcel::sort::datum, source, 0},
                                   round});
                        }
                    }
                }
            }
        }
    }
}

std::vector<transfer> network_coding::transfers(const coding_step& step, accounting what) const {
    std::vector<transfer> all;
    for_each_transfer(step, what, [&all](const transfer& one) { all.push_back(one); });
    return all;
}

}  // namespace polycast::hw::collectives
