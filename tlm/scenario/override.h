// SPDX-License-Identifier: Apache-2.0
/// \file `-s key.path=value`.
#pragma once

#include <string>
#include <vector>

#include "tlm/scenario/document.h"

namespace polycast::tlm::scenario {

/// Writes the values into the tree, in order, and makes missing sections. Keys are not checked here.
/// \throws hw::input_error that names the option
void apply_overrides(node& root, const std::vector<std::string>& overrides);

}  // namespace polycast::tlm::scenario
