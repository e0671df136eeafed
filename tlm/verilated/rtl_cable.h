// SPDX-License-Identifier: Apache-2.0
/// \file A cable whose ends are SystemVerilog, Verilated; its wires are those of the core, so faults hit them alike.
#pragma once

#include "hw/chips/link/cable.h"
#include "tlm/verilated/rtl_link_end.h"

namespace polycast::tlm {

class rtl_cable final : public hw::chips::cable<rtl_link_end> {
public:
    /// \param sizes of the models of both ends \param models outlives the cable \param name is a scope in messages
    /// \throws hw::input_error as rtl_link_end does
    rtl_cable(const hw::chips::link_config& config, const hw::chips::link_end_params& sizes, model_library& models,
              const std::string& name)
        : cable(config, [sizes, &models, name](const hw::chips::link_config& of, unsigned which) {
              return std::make_unique<rtl_link_end>(of, sizes, models, name + ".end" + std::to_string(which));
          }) {}
};

}  // namespace polycast::tlm
