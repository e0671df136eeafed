// SPDX-License-Identifier: Apache-2.0
/// \file The replicating switch in SystemVerilog, Verilated, as a chip that the engine steps. Needs its model: there is
/// no falling back to the core.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "hw/chips/switch_config.h"
#include "hw/engine/chip.h"
#include "rtl/model/switch_model.h"
#include "tlm/model_library.h"

namespace polycast::tlm {

/// An assertion inside the RTL failed: the RTL is wrong, or it was driven against its contract.
class rtl_assertion_error : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// One Verilated switch. Throws rtl_assertion_error from every function that clocks it.
class rtl_switch final : public hw::engine::chip {
public:
    /// Writes `tables` over the configuration bus. `name` is the scope of the switch in its own traces and in messages.
    /// \throws hw::input_error if there is no model of `params` and none can be built
    rtl_switch(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables, model_library& models,
               std::string name = "switch");

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override { return (status_ & POLYCAST_SWITCH_MODEL_IDLE) != 0; }
    void probe(hw::engine::chip_probe& probe) const override;

    /// Writes every signal inside to an FST file from the next step on; `depth` levels of the hierarchy, 0 for all.
    /// Once at most. \throws hw::input_error if the file cannot be written
    void open_trace(const std::filesystem::path& file, unsigned depth = 0);
    void close_trace();

private:
    void configure(hw::format::config_region region, unsigned index, std::uint32_t value);
    void configure(hw::format::config_region region, unsigned first, const std::uint64_t* words, std::size_t bits);
    void write_tables(const hw::chips::switch_tables& tables);
    void take(std::uint32_t status);

    hw::chips::switch_params params_;
    hw::engine::pin_shape shape_;
    std::string name_;
    const polycast_switch_model_interface& interface_;
    std::unique_ptr<polycast_switch_model, void (*)(polycast_switch_model*)> model_;
    std::uint32_t status_ = POLYCAST_SWITCH_MODEL_IDLE;
};

}  // namespace polycast::tlm
