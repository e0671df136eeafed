// SPDX-License-Identifier: Apache-2.0
// Hops of every step without its unicasts. In dimension order a distance is the sum over dimensions, and the place of
// an intermediate node in one dimension depends only on the place of its group in that dimension, so that sums over
// boxes are sums along their sides.
#include <map>

#include "hw/collectives/network_coding.h"
#include "hw/collectives/network_coding_shape.h"

namespace polycast::hw::collectives {

namespace {

/// Hops by which one of the places of a box reaches all the others, by the base algorithm.
class spread_hops {
public:
    /// \param positions [dimension][place] coordinate in the network, as far as distances matter
    spread_hops(const coding_options& options, const std::vector<std::vector<std::uint32_t>>& positions)
        : tree_(options.base == coding_base::tree) {
        for (const std::vector<std::uint32_t>& line : positions) {
            const auto size = static_cast<std::uint32_t>(line.size());
            std::vector<std::uint64_t> along(size, 0);
            for (std::uint32_t root = 0; root < size; ++root) {
                for (unsigned round = 0; round < rounds_of(options.base, size); ++round) {
                    spread(options.base, size, root, round, [&](std::uint32_t from, std::uint32_t to) {
                        along[root] += hops_between(options, line[from], line[to]);
                    });
                }
            }
            along_.push_back(std::move(along));
        }
    }

    std::uint64_t from(const box_place& root) const {
        std::uint64_t all = 1, hops = 0;
        for (const auto& along : along_) all *= along.size();
        std::uint64_t lines = all;
        for (std::size_t d = 0; d < along_.size(); ++d) {
            // A tree runs through the last dimension first, once, then through the one before from each of its places.
            lines /= along_[d].size();
            hops += (tree_ ? lines : all / along_[d].size()) * along_[d][root[d]];
        }
        return hops;
    }

private:
    bool tree_;
    std::vector<std::vector<std::uint64_t>> along_;
};

/// What counting needs of a level.
class level_counter {
public:
    level_counter(const coding_options& options, const coding_level& level)
        : options_(options),
          level_(level),
          members_(options, positions(level.extent, [](std::size_t, std::uint32_t at) { return at; })),
          intermediates_(options, positions(level.groups,
                                            [&](std::size_t d, std::uint32_t at) {
                                                return intermediate_coordinate(level, options.placement, d, at);
                                            })),
          counterparts_(
              options, positions(level.groups, [&](std::size_t d, std::uint32_t at) { return at * level.extent[d]; })) {
    }

    /// \param sources [group] members of its sources, in one box
    coding_count count(char letter, accounting what, const std::vector<std::vector<std::uint32_t>>& sources) const {
        if (letter == 'F') return plain(sources);
        coding_count sum;
        std::uint64_t in_box = 0;
        for (const auto& members : sources) in_box += parcels_sent(options_.method, members.size());
        for (std::uint32_t group = 0; group < level_.group_count; ++group) {
            if (letter == 'B') {
                for (const std::uint32_t source : sources[group])
                    sum += {level_.members - 1u, level_.members - 1u, members_.from(place_in(level_.extent, source))};
            } else if (letter == 'D') {
                sum += exchange(group, sources[group].size());
            } else {
                const std::size_t next = sources[(group + 1) % level_.group_count].size();
                const std::size_t own = sources[group].size();
                if (level_.group_count == 1 || options_.method == coding_method::every_node) continue;
                std::uint64_t parcels = parcels_sent(options_.method, next), data = weight(next);
                if (what == accounting::delivered) {
                    parcels = in_box - parcels_sent(options_.method, own);
                    data = options_.method == coding_method::combining ? all_of(sources) - own : parcels;
                }
                const std::uint64_t hops = members_.from(place_in(level_.extent, level_.intermediate[group]));
                sum += {parcels * (level_.members - 1), data * (level_.members - 1), data * hops};
            }
        }
        return sum;
    }

private:
    template <typename function>
    static std::vector<std::vector<std::uint32_t>> positions(const std::vector<std::uint32_t>& sides, function place) {
        std::vector<std::vector<std::uint32_t>> all(sides.size());
        for (std::size_t d = 0; d < sides.size(); ++d) {
            for (std::uint32_t at = 0; at < sides[d]; ++at) all[d].push_back(place(d, at));
        }
        return all;
    }

    static std::uint64_t all_of(const std::vector<std::vector<std::uint32_t>>& sources) {
        std::uint64_t sum = 0;
        for (const auto& members : sources) sum += members.size();
        return sum;
    }

    /// Data in all that the intermediate node of a group sends out.
    std::uint64_t weight(std::uint64_t sources) const {
        return options_.method == coding_method::combining ? sources : parcels_sent(options_.method, sources);
    }

    coding_count exchange(std::uint32_t group, std::uint64_t sources) const {
        const bool every_node = options_.method == coding_method::every_node;
        const std::uint64_t senders = every_node ? level_.members : 1;
        const std::uint64_t others = senders * (level_.group_count - 1);
        const box_place root = place_in(level_.groups, group);
        const std::uint64_t hops = every_node ? senders * counterparts_.from(root) : intermediates_.from(root);
        return {parcels_sent(options_.method, sources) * others, weight(sources) * others, weight(sources) * hops};
    }

    /// Step F. Member j of every other group gets datum j mod n of a group's n.
    coding_count plain(const std::vector<std::vector<std::uint32_t>>& sources) const {
        coding_count sum;
        if (options_.method == coding_method::uncoded || options_.method == coding_method::combining) return sum;
        const std::size_t dimensions = level_.box.size();
        // [dimension][place in the box][place in a group] hops to this place of all groups along the dimension
        std::vector<std::vector<std::vector<std::uint64_t>>> to_all(dimensions);
        for (std::size_t d = 0; d < dimensions; ++d) {
            const std::uint32_t extent = level_.extent[d];
            to_all[d].assign(level_.box[d], std::vector<std::uint64_t>(extent, 0));
            for (std::uint32_t from = 0; from < level_.box[d]; ++from) {
                for (std::uint32_t to = 0; to < level_.box[d]; ++to)
                    to_all[d][from][to % extent] += hops_between(options_, from, to);
            }
        }
        for (std::uint32_t group = 0; group < level_.group_count; ++group) {
            if (sources[group].empty()) continue;
            const box_place corner = place_in(level_.groups, group);
            for (std::uint32_t member = 0; member < level_.members; ++member) {
                const box_place from = place_in(level_.extent, sources[group][member % sources[group].size()]);
                const box_place to = place_in(level_.extent, member);
                for (std::size_t d = 0; d < dimensions; ++d) {
                    const std::uint32_t place = corner[d] * level_.extent[d] + from[d];
                    sum.hops += level_.group_count / level_.groups[d] * to_all[d][place][to[d]];
                    sum.hops -= hops_between(options_, from[d], to[d]);  // the group itself is not sent to
                }
            }
            sum.unicasts += std::uint64_t{level_.members} * (level_.group_count - 1);
        }
        sum.data = sum.unicasts;
        return sum;
    }

    const coding_options& options_;
    const coding_level& level_;
    spread_hops members_;        ///< within a group
    spread_hops intermediates_;  ///< between the intermediate nodes of a box
    spread_hops counterparts_;   ///< between nodes at one place of all groups of a box
};

}  // namespace

coding_count network_coding::count(const coding_step& step, accounting what) const {
    const coding_level& at = levels_[step.level];
    const level_counter counter(options_, at);
    // Boxes with the same sources take the same, and there are few kinds of them.
    std::map<std::vector<std::vector<std::uint32_t>>, coding_count> known;
    coding_count sum;
    for (std::uint32_t region = 0; region < at.regions; ++region) {
        std::vector<std::vector<std::uint32_t>> sources(at.group_count);
        for (std::uint32_t group = 0; group < at.group_count; ++group) {
            const std::size_t place = std::size_t{region} * at.group_count + group;
            const auto* const first = &at.nodes[place * at.members];
            auto source = at.sources[place].begin();
            for (std::uint32_t member = 0; member < at.members && source != at.sources[place].end(); ++member) {
                if (first[member] != *source) continue;
                sources[group].push_back(member);
                ++source;
            }
        }
        auto found = known.find(sources);
        if (found == known.end()) {
            const coding_count counted = counter.count(step.letter, what, sources);
            found = known.emplace(std::move(sources), counted).first;
        }
        sum += found->second;
    }
    return sum;
}

}  // namespace polycast::hw::collectives
