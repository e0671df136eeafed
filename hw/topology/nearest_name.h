// SPDX-License-Identifier: Apache-2.0
/// \file Proposals for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace polycast::hw::topology {

/// The name in `known` with the smallest edit distance to `name` (case counts half as much as a letter; ties to the
/// first), empty if none is near enough to be a likely misspelling (more than a third of the letters, at least two,
/// differ).
std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// "did you mean 'switch3'?", or nothing when no name is near.
std::string propose_name(std::string_view name, std::span<const std::string> known);

}  // namespace polycast::hw::topology
