// SPDX-License-Identifier: Apache-2.0
/// \file The replicating switch as a SystemC module. hw/chips/switch/switch.md is its contract.
#pragma once

#include <memory>

#include "hw/chips/switch/switch_config.h"
#include "hw/chips/switch/switch_core.h"
#include "tlm/modules/chip_module.h"

namespace polycast::tlm::modules {

/// A switch behind link sockets, one pair per port: the C++ core, or any other chip with the same pins, such as its
/// Verilated RTL.
class switch_module final : public chip_module {
public:
    /// The C++ core. \throws input_error as switch_core does.
    switch_module(const sc_core::sc_module_name& name, const hw::chips::switch_params& params,
                  hw::chips::switch_tables tables, const module_params& module, run_state& state)
        : chip_module(name, std::make_unique<hw::chips::switch_core>(params, std::move(tables)), module, state) {}

    /// Another model of the switch.
    switch_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::chip> model,
                  const module_params& module, run_state& state)
        : chip_module(name, std::move(model), module, state) {}
};

}  // namespace polycast::tlm::modules
