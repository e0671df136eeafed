// SPDX-License-Identifier: Apache-2.0
/// \file The XOR coding unit in SystemVerilog, Verilated.
#pragma once

#include <string>

#include "hw/chips/coding/coding_config.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_chip.h"

namespace polycast::tlm {

/// One Verilated coding unit.
class rtl_coding final : public rtl_chip {
public:
    /// Writes `registers` over the configuration bus. `name` is the scope of the unit in its own traces and in
    /// messages. \throws hw::input_error if a register cannot hold its value, or if there is no model of `params` and
    /// none can be built
    rtl_coding(const hw::chips::coding_params& params, const hw::chips::coding_registers& registers,
               model_library& models, std::string name = "coding");

private:
    void write_registers(const hw::chips::coding_registers& registers);
};

}  // namespace polycast::tlm
