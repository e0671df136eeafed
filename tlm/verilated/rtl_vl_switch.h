// SPDX-License-Identifier: Apache-2.0
/// \file The VL switch in SystemVerilog, Verilated.
#pragma once

#include <string>

#include "hw/chips/vl_switch/vl_switch_config.h"
#include "hw/engine/waiting_ports.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_chip.h"

namespace polycast::tlm {

/// One Verilated VL switch.
class rtl_vl_switch final : public rtl_chip, public hw::engine::waiting_ports {
public:
    /// Writes `tables` over the configuration bus. `name` is the scope of the switch in its own traces and in messages.
    /// \throws hw::input_error if there is no model of `params` and none can be built
    rtl_vl_switch(const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables,
                  model_library& models, std::string name = "vl_switch");

    std::uint64_t xmit_wait() const override { return waits(); }

private:
    void write_tables(const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables);
    void write_lanes(const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables);
    void write_weights(const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables);
};

}  // namespace polycast::tlm
