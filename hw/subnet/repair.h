// SPDX-License-Identifier: Apache-2.0
/// \file Repair of a fabric in which packets can wait for each other in a circle: other trees for its groups, or more
/// lanes. Ports of unicasts stay as they are. See subnet.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/names.h"
#include "hw/subnet/check.h"
#include "hw/subnet/repair_trees.h"

namespace polycast::hw::subnet {

struct repair_options {
    std::optional<std::uint32_t> root;  ///< switch, of the first order
    std::optional<unsigned> vls;        ///< lanes that may be used; else as the files tell, else default_repair_lanes
};

inline constexpr unsigned default_repair_lanes = 8;

enum class repair_kind : std::uint8_t { unchanged, trees, grown, lanes, none };

inline constexpr named<repair_kind> repair_kinds[] = {
    {repair_kind::unchanged, "unchanged", "no problem was found, so nothing was changed"},
    {repair_kind::trees, "trees", "groups have other trees, in an order of the switches"},
    {repair_kind::grown, "grown", "groups have other trees, grown cable by cable"},
    {repair_kind::lanes, "lanes", "unicasts have path SLs and lanes, groups have other trees on lanes of their own"},
    {repair_kind::none, "none", "no repair was found"}};

struct repair_result {
    struct group {
        unsigned mlid = 0;
        tree_figures before, after;
    };

    fabric repaired;
    repair_kind kind = repair_kind::none;
    std::string why_not;                ///< of `none`
    std::optional<std::uint32_t> root;  ///< of the order of the trees
    std::size_t orders = 0;             ///< that were tried
    unsigned lanes = 0;                 ///< that are used, of `lanes`
    std::vector<group> groups;
    std::uint64_t load_before = 0, load_after = 0;  ///< trees on the cable that has most
    check_result before, after;
};

repair_result repair(const fabric& of, const repair_options& options);

}  // namespace polycast::hw::subnet
