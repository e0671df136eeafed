// SPDX-License-Identifier: Apache-2.0
/// \file One end of a cable in SystemVerilog, Verilated.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hw/chips/link/link_end_core.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_chip.h"

namespace polycast::tlm {

/// Sizes of the model that both ends of such a cable share. \throws hw::input_error if there is none so large
hw::chips::link_end_params link_end_sizes(const hw::chips::link_config& config);

/// Steps like hw::chips::link_end_core, whose pins it has.
class rtl_link_end {
public:
    static constexpr unsigned step_cost = 1000;  ///< as that of rtl_chip

    /// `name` is the scope of the end in its own traces and in messages. \throws hw::input_error as checked() does, if
    /// a register has too few bits, or if there is no model and none can be built
    rtl_link_end(const hw::chips::link_config& config, model_library& models, std::string name = "link_end");
    /// The same with a model of larger sizes.
    rtl_link_end(const hw::chips::link_config& config, const hw::chips::link_end_params& sizes, model_library& models,
                 std::string name = "link_end");

    hw::engine::cycle step(hw::engine::cycle now, const hw::chips::link_end_in& in, hw::chips::link_end_out& out);
    /// Register write in the next step: FLUSH is left in the cycle behind it.
    void leave_flush() { leaves_flush_ = true; }
    /// The next step flips a stored bit, at its end. Not together with leave_flush().
    void upset(const hw::chips::link_upset& what) { upset_ = what; }
    bool idle() const { return (status_ & POLYCAST_CHIP_MODEL_IDLE) != 0; }
    bool holds_flits() const { return state().holds != 0; }
    bool recovers() const;
    hw::chips::link_end_probe probe() const;
    /// Counters with the cycles of the present states up to the last step.
    hw::chips::cable_report::end report() const;
    /// Counted in the cycles before `now`.
    hw::chips::link_counters counters(hw::engine::cycle now) const;
    const hw::chips::link_config& config() const { return config_; }

    /// Writes every signal inside to an FST file from the next step on. \throws hw::input_error if it cannot be written
    void open_trace(const std::string& file);

private:
    void take(std::uint32_t status);
    void configure();
    void write(hw::format::link_global which, std::uint64_t value, const char* what);
    polycast_chip_model_link state() const;
    void count(hw::engine::cycle now);

    hw::chips::link_config config_;
    std::string name_;
    const polycast_chip_model_interface& interface_;
    std::unique_ptr<polycast_chip_model, void (*)(polycast_chip_model*)> model_;
    std::uint32_t status_ = 0;
    bool leaves_flush_ = false;
    std::optional<hw::chips::link_upset> upset_;
    bool low_ = false;  ///< `signal`, in the last step
    std::uint8_t tx_ = 0;
    std::uint8_t rx_ = 0;
    hw::engine::cycle next_ = 0;  ///< behind the last step
    std::array<std::uint64_t, 5> tx_cycles_ = {};
    std::array<std::uint64_t, 4> rx_cycles_ = {};
    std::vector<std::uint8_t> wire_in_;
    std::vector<std::uint8_t> wire_out_;
};

}  // namespace polycast::tlm
