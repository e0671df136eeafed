// SPDX-License-Identifier: Apache-2.0
/// \file What stands for each switch: the one place where fidelities are chosen.
#pragma once

#include "tlm/scenario/scenario.h"
#include "tlm/sim/point.h"

namespace polycast::tlm::sim {

/// Fidelity of a switch by its name.
scenario::fidelity fidelity_of(const scenario::network_settings& network, const std::string& name);

/// Makes networks whose switches have the fidelities that the scenario asks for. There is no fallback from one to
/// another. \throws hw::input_error where a model is not there
network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances);

}  // namespace polycast::tlm::sim
