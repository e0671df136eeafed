// SPDX-License-Identifier: Apache-2.0
/// \file The broadcast router as a SystemC module. hw/chips/broadcast/broadcast_unit.md is its contract.
#pragma once

#include <memory>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/broadcast/broadcast_router_core.h"
#include "tlm/modules/chip_module.h"

namespace polycast::tlm::modules {

/// A broadcast router behind link sockets, one pair per port: the C++ core, or any other chip with the same pins, such
/// as its Verilated RTL. The ports in the register `open` have side wires: both sockets of each must be bound
/// to a neighbour that has them, too, or the run ends with a message.
class broadcast_router_module final : public chip_module {
public:
    /// The C++ core. \throws input_error as broadcast_router_core does.
    broadcast_router_module(const sc_core::sc_module_name& name, const hw::chips::broadcast_params& params,
                            const hw::chips::broadcast_registers& registers, const module_params& module,
                            run_state& state)
        : chip_module(name, std::make_unique<hw::chips::broadcast_router_core>(params, registers), module, state) {}

    /// Another model of the router.
    broadcast_router_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::chip> model,
                            const module_params& module, run_state& state)
        : chip_module(name, std::move(model), module, state) {}
};

}  // namespace polycast::tlm::modules
