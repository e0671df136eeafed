// SPDX-License-Identifier: Apache-2.0
/// \file Parcels of a network_coding plan as numbers, and the chains of its groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/collectives/network_coding.h"

namespace polycast::hw::fabric {

/// Numbers: data by node, then chain packets by level and first node, then messages by level and group.
class parcel_numbers {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit parcel_numbers(const collectives::network_coding& plan);

    std::uint32_t count() const { return nodes_ * (1 + 2 * levels()); }
    std::uint32_t levels() const { return static_cast<std::uint32_t>(next_.size()); }

    std::uint32_t chain(unsigned level, std::uint32_t first) const { return nodes_ * (1 + level) + first; }
    std::uint32_t message(unsigned level, std::uint32_t group) const { return nodes_ * (1 + levels() + level) + group; }
    /// Of what a step of a level sends.
    std::uint32_t number(const collectives::parcel& what, unsigned level) const;
    collectives::parcel parcel(std::uint32_t number) const;
    /// In words.
    std::string text(std::uint32_t number) const;

    bool is_datum(std::uint32_t number) const { return number < nodes_; }
    bool is_message(std::uint32_t number) const { return number >= nodes_ * (1 + levels()); }

    /// Level of a chain packet or message.
    unsigned level_of(std::uint32_t number) const { return (number / nodes_ - 1) % levels(); }
    /// Neighbours of a datum in the chain of its group, none at the ends.
    std::uint32_t next(unsigned level, std::uint32_t source) const { return next_[level][source]; }
    std::uint32_t previous(unsigned level, std::uint32_t source) const { return previous_[level][source]; }
    /// Group of a node, numbered as in coding_level.
    std::uint32_t group(unsigned level, std::uint32_t node) const { return group_[level][node]; }

    std::size_t memory_bytes() const { return std::size_t{3} * levels() * nodes_ * sizeof(std::uint32_t); }

private:
    std::uint32_t nodes_;
    std::vector<std::vector<std::uint32_t>> next_, previous_, group_;  ///< [level][node]
};

}  // namespace polycast::hw::fabric
