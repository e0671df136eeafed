// SPDX-License-Identifier: Apache-2.0
/// \file Which part of a network steps which chip, and chips that are cut for it.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "hw/engine/network.h"
#include "hw/engine/network_part.h"
#include "hw/engine/partition.h"
#include "hw/engine/rank_runner.h"

namespace polycast::hw::engine {

/// What is stepped in place of a chip that was cut; else no_chip.
std::array<chip_id, 2> network::halves_of(chip_id id) const {
    const chip_id first = chips_->nodes[id].halves;
    return {first, first == no_chip ? no_chip : first + 1};
}

/// Where several threads or ranks step a network that nobody watches, chips that can be cut are: their chips do not
/// wait for each other in every cycle.
void network::cut() {
    if ((threading_.threads <= 1 && !ranks_) || chips_->watching != watching::nobody) return;
    const std::size_t chips = chips_->nodes.size();
    for (chip_id id = 0; id < chips; ++id) {
        if (threading_.foreign && threading_.foreign->has(id)) continue;
        const auto joined = [&](unsigned port) { return chips_->link({id, port}).to.chip != no_chip; };
        if (chips_->nodes[id].shape->ports != 2 || !joined(0) || !joined(1)) continue;
        chip::two_chips halves = chips_->nodes[id].chip->cut();
        if (!halves.sides[0]) continue;
        const auto first = static_cast<chip_id>(chips_->nodes.size());
        for (unsigned side = 0; side < 2; ++side) {
            const chip_id half = add(std::move(halves.sides[side]), name(id));
            link_state& outside = chips_->link({id, side});
            chips_->link(outside.to).to = {half, 0};
            chips_->link({half, 0}) = std::exchange(outside, {});
            chips_->link({half, 1}) = {.to = {first + 1 - side, 1}, .delay = halves.delay};
        }
        chips_->nodes[id].halves = first;
        chips_->cut.push_back(id);
    }
}

/// Halves go where the chip is that they are joined to.
std::vector<std::uint32_t> network::with_halves(std::vector<std::uint32_t> part_of) const {
    part_of.resize(chips_->nodes.size());
    for (auto half = static_cast<chip_id>(size()); half < part_of.size(); ++half)
        part_of[half] = part_of[chips_->link({half, 0}).to.chip];
    for (const chip_id id : chips_->cut) part_of[id] = part_of[halves_of(id)[0]];
    return part_of;
}

/// By name, and the numbers of all ranks' threads.
std::vector<std::uint32_t> network::given_partition() const {
    std::vector<std::uint32_t> given(size());
    std::unordered_map<const void*, std::uint32_t> shared;  // chips that use it go where the first of them is
    for (chip_id id = 0; id < size(); ++id) {
        given[id] = threading_.part_of.at(name(id));
        if (const void* const object = at(id).shared()) given[id] = shared.emplace(object, given[id]).first->second;
    }
    return given;
}

/// Of those of all chips but cut ones that `of` says, in ascending order: cables between them, cut ones as one.
partition_input network::graph(const std::function<bool(chip_id)>& of, std::vector<chip_id>& chips) const {
    partition_input input;
    std::vector<std::uint32_t> place(size(), no_chip);
    for (chip_id id = 0; id < size(); ++id) {
        if (chips_->nodes[id].halves != no_chip || !of(id)) continue;
        place[id] = static_cast<std::uint32_t>(chips.size());
        chips.push_back(id);
    }
    for (const chip_id id : chips) {
        const chip_node& node = chips_->nodes[id];
        std::uint64_t steps = std::uint64_t{node.chip->step_cost()} * (node.steps + 1);
        for (unsigned port = 0; port < node.shape->ports; ++port) {
            link_state link = chips_->link({id, port});
            if (link.to.chip == no_chip) continue;
            if (chips_->is_half(link.to.chip)) {
                const chip_node& half = chips_->nodes[link.to.chip];
                steps += std::uint64_t{half.chip->step_cost()} * (half.steps + 1);
                const link_state& wire = chips_->link({link.to.chip, 1});
                link = chips_->link({wire.to.chip, 0});
                link.delay = wire.delay;
            }
            if (id < link.to.chip && place[link.to.chip] != no_chip)
                input.cables.push_back({place[id], place[link.to.chip], link.delay});
        }
        input.weight.push_back(steps);
        input.together.push_back(node.chip->shared());
    }
    return input;
}

/// Weights are the processor time that chips have taken since the last partition, or will take if they do not rest.
std::vector<std::uint32_t> network::partition() const {
    const std::uint32_t threads = own_threads();
    std::vector<std::uint32_t> part(size());
    const auto here = [this](chip_id id) { return (!ranks_ || ranks_->here(id)) && !foreign(id); };
    for (chip_id id = 0; id < size(); ++id)
        if (ranks_ && !ranks_->here(id)) part[id] = own_parts() + ranks_->rank_of(id);
    if (threads != 1 && !threading_.part_of.empty()) {
        const std::vector<std::uint32_t> given = given_partition();
        for (chip_id id = 0; id < size(); ++id)
            if (here(id)) part[id] = given[id] % threads;
    } else if (threads != 1) {
        std::vector<chip_id> chips;
        const partition_input input = graph(here, chips);
        const std::vector<std::uint32_t> dealt = make_partition(input, threads);
        for (std::size_t i = 0; i < chips.size(); ++i) part[chips[i]] = dealt[i];
    }
    part = with_halves(std::move(part));
    for (chip_id id = 0; id < size(); ++id)
        if (foreign(id) && part[id] < own_parts()) part[id] = threads;
    return part;
}

}  // namespace polycast::hw::engine
