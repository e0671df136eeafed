// SPDX-License-Identifier: Apache-2.0
/// \file Entries that stand for several: a list where one value belongs.
#pragma once

#include <string>

#include "tlm/scenario/document.h"

namespace polycast::tlm::scenario {

/// Makes an entry for each value of a key that may have several (key::many): "uniform" with `rate: [0.1, 0.2]` becomes
/// "uniform-0.1" and "uniform-0.2". \throws hw::input_error for an empty list
void expand_lists(node& root);

/// "0.1 flit/host/cycle" and "64 KiB" as parts of a name, "0.1" and "64KiB".
std::string name_part(const std::string& text);

}  // namespace polycast::tlm::scenario
