// SPDX-License-Identifier: Apache-2.0
/// \file The second half of an error message: what to write instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polycast::tlm::scenario {

/// "did you mean 'x'?", or "known: a, b, c" (cut after a dozen) where none is near; empty for an empty list.
std::string propose(std::string_view wrong, const std::vector<std::string>& names);

/// "a, b, c".
std::string join(const std::vector<std::string>& names, std::string_view separator = ", ");

}  // namespace polycast::tlm::scenario
