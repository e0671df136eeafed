// SPDX-License-Identifier: Apache-2.0
/// \file Chips of an engine's network as SystemC modules, beside those that the engine steps: each process of several
/// has a kernel for the modules that it holds.
#pragma once

#include <memory>

#include "hw/engine/network.h"
#include "tlm/network/sc_chip_network.h"

namespace polycast::tlm::network {

/// For hw::engine::threading: the chips that `params` place in modules, with TLM links between them and checkers as in
/// an sc_chip_network. SystemC elaborates once: there can be one such network in the life of a process.
std::shared_ptr<const hw::engine::foreign_chips> in_modules(const sc_chip_network_params& params);

}  // namespace polycast::tlm::network
