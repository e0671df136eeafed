// SPDX-License-Identifier: Apache-2.0
/// \file Assignment of different sources to tasks at the least total cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace polycast::hw::subnet {

/// A source that can do a task.
struct offer {
    std::uint32_t source = 0;
    std::uint64_t cost = 0;
};

/// For each task the place of one of its offers; nothing where there are too few sources. As many tasks as possible
/// have one, and then the sum of costs is the least. An offer of a task has a source of its own.
///
/// The Hungarian method with potentials (Kuhn 1955, Munkres 1957): tasks^2 x sources steps.
std::vector<std::optional<std::size_t>> match_sources(std::span<const std::vector<offer>> tasks);

}  // namespace polycast::hw::subnet
