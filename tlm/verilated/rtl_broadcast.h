// SPDX-License-Identifier: Apache-2.0
/// \file The broadcast router in SystemVerilog, Verilated.
#pragma once

#include <string>

#include "hw/chips/broadcast/broadcast_config.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_router.h"

namespace polycast::tlm {

/// One Verilated broadcast router.
class rtl_broadcast final : public rtl_router {
public:
    /// Writes `registers` over the configuration bus. `name` is the scope of the chip in its own traces and in
    /// messages. \throws hw::input_error if a register cannot hold its value, or if there is no model of `params` and
    /// none can be built
    rtl_broadcast(const hw::chips::broadcast_params& params, const hw::chips::broadcast_registers& registers,
                  model_library& models, std::string name = "broadcast");

private:
    void write_registers(const hw::chips::broadcast_registers& registers);
};

}  // namespace polycast::tlm
