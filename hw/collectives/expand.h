// SPDX-License-Identifier: Apache-2.0
/// \file Programs whose operations of kind `collective` become messages.
#pragma once

#include <functional>

#include "hw/collectives/library.h"
#include "hw/programs/program.h"

namespace polycast::hw::collectives {

/// The algorithm for a collective. \throws input_error
using algorithm_choice = std::function<const algorithm&(const collective&)>;

/// Each collective becomes operations of the library, with a tag of its own in a communicator of its own. The k-th one
/// of a group is the same at all members; those of a group start in their order at each. What waited for the start of a
/// collective waits for the start of the first of its operations, what waited for its end for all of them. Numbers of
/// the other operations stay. \throws input_error for collectives that differ among members, what the library does not
/// have, and programs with buffers
programs::program expand_collectives(const programs::program& of, const algorithm_choice& choose);

}  // namespace polycast::hw::collectives
