// SPDX-License-Identifier: Apache-2.0
/// \file Which send belongs to which receive, as far as that is known before a run: messages of one source,
/// destination, tag and communicator in their order, unless a receive from anybody or of any tag may take one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

inline constexpr std::uint32_t no_partner = ~std::uint32_t{0};

struct pairing {
    std::vector<std::uint32_t> partner;  ///< [number] of send and receive the other end, or no_partner
    std::vector<std::string> problems;   ///< numbers that do not match, lengths that differ; the first max_problems
    std::uint64_t problems_found = 0;
};

inline constexpr std::size_t max_problems = 20;

/// \param over [number] messages that have been matched in a run and are left out; nothing before a run. With it every
/// receive that says its source and tag gets a partner, whatever wildcards there are, and lengths are not compared
pairing pair_messages(const program& of, const std::vector<bool>* over = nullptr);

}  // namespace polycast::hw::programs
