// SPDX-License-Identifier: Apache-2.0
/// \file The virtual-channel router as a SystemC module. hw/chips/router/router.md is its contract.
#pragma once

#include <memory>

#include "hw/chips/router/router_config.h"
#include "hw/chips/router/router_core.h"
#include "tlm/modules/chip_module.h"

namespace polycast::tlm::modules {

/// A router behind link sockets, one pair per port: the C++ core, or any other chip with the same pins, such as its
/// Verilated RTL. A credit of its links is one flit of a virtual channel.
class router_module final : public chip_module {
public:
    /// The C++ core. \throws input_error as router_core does.
    router_module(const sc_core::sc_module_name& name, const hw::chips::router_params& params,
                  hw::chips::router_tables tables, const module_params& module, run_state& state)
        : chip_module(name, std::make_unique<hw::chips::router_core>(params, std::move(tables)), module, state) {}

    /// Another model of the router.
    router_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::chip> model,
                  const module_params& module, run_state& state)
        : chip_module(name, std::move(model), module, state) {}
};

}  // namespace polycast::tlm::modules
