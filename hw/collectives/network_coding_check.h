// SPDX-License-Identifier: Apache-2.0
/// \file Which data the packets of a network_coding plan deliver.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/collectives/network_coding.h"

namespace polycast::hw::collectives {

/// Executes the steps; nodes send what they have when it is their turn, with `late` also what arrives later.
/// \returns [node * nodes + source] true if the node can recover the datum. Memory and time grow with the square of the
/// nodes.
std::vector<bool> recoverable(const network_coding& plan, accounting what, bool late);

}  // namespace polycast::hw::collectives
