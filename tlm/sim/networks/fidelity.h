// SPDX-License-Identifier: Apache-2.0
/// \file What stands for each switch: the one place where fidelities are chosen.
#pragma once

#include <vector>

#include "tlm/sim/points/point.h"

namespace polycast::tlm::sim {

/// Makes networks whose switches have the fidelities that the scenario asks for: `core` and `rtl` on the engine, `tlm`
/// as SystemC modules with TLM links. Verilated models that are missing are built now. There is no fallback from one
/// fidelity to another. \throws hw::input_error where a model is not there and cannot be built
network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances);

}  // namespace polycast::tlm::sim
