// SPDX-License-Identifier: Apache-2.0
/// \file The replicating switch in SystemVerilog, Verilated.
#pragma once

#include <string>

#include "hw/chips/switch/switch_config.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_chip.h"

namespace polycast::tlm {

/// One Verilated switch.
class rtl_switch final : public rtl_chip {
public:
    /// Writes `tables` over the configuration bus. `name` is the scope of the switch in its own traces and in messages.
    /// \throws hw::input_error if there is no model of `params` and none can be built
    rtl_switch(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables, model_library& models,
               std::string name = "switch");

private:
    void write_tables(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables);
};

}  // namespace polycast::tlm
