// SPDX-License-Identifier: Apache-2.0
/// \file What stands for each switch: the one place where fidelities are chosen.
#pragma once

#include <memory>
#include <vector>

#include "hw/system/system_network.h"
#include "tlm/network/sc_chips.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/networks/processors.h"

namespace polycast::tlm::sim {

/// What a scenario's networks are made of.
struct chip_makers {
    scenario::network_settings settings;
    hw::system::chip_factory chips;
    std::shared_ptr<const processors> firmware;  ///< null: hosts are ideal

    /// [chip] where each lives in SystemC: those of fidelity `tlm` in modules, all others in the engine.
    std::vector<network::placement> placements(const hw::system::system_plan& plan) const;
};

/// Verilated models that are missing are built now. \throws hw::input_error where a model is not there and cannot be
/// built
chip_makers make_chip_makers(const scenario::loaded& scenario, const std::vector<instance>& instances);

/// Makes networks whose chips have the fidelities that the scenario asks for: `core` and `rtl` on the engine, `tlm`
/// as SystemC modules with TLM links. Verilated models that are missing are built now. There is no fallback from one
/// fidelity to another. \throws hw::input_error where a model is not there and cannot be built
network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances,
                                     std::shared_ptr<hw::engine::rank_group> ranks = nullptr);

}  // namespace polycast::tlm::sim
