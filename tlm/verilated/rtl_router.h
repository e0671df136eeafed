// SPDX-License-Identifier: Apache-2.0
/// \file The virtual-channel router in SystemVerilog, Verilated.
#pragma once

#include <string>

#include "hw/chips/router/router_config.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_chip.h"

namespace polycast::tlm {

/// One Verilated router.
class rtl_router : public rtl_chip {
public:
    /// Writes `tables` over the configuration bus. `name` is the scope of the router in its own traces and in messages.
    /// \throws hw::input_error if there is no model of `params` and none can be built
    rtl_router(const hw::chips::router_params& params, const hw::chips::router_tables& tables, model_library& models,
               std::string name = "router");

protected:
    /// A chip with a router inside.
    rtl_router(const polycast_chip_model_interface& model, const hw::engine::pin_shape& shape, std::string name);
    void write_tables(const hw::chips::router_params& params, const hw::chips::router_tables& tables);
};

}  // namespace polycast::tlm
