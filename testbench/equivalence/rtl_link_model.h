// SPDX-License-Identifier: Apache-2.0
/// \file A link end in SystemVerilog beside core and golden model.
#pragma once

#include <string>

#include "testbench/equivalence/link_end_run.h"
#include "tlm/verilated/rtl_link_end.h"

namespace polycast::testbench::equivalence {

class rtl_link_model final : public link_end_model {
public:
    /// \param wave file of all signals; none if empty
    rtl_link_model(const hw::chips::link_config& config, const hw::chips::link_end_params& sizes,
                   tlm::model_library& models, const std::string& wave = {})
        : end_(config, sizes, models) {
        if (!wave.empty()) end_.open_trace(wave);
    }
    hw::engine::cycle step(hw::engine::cycle now, const hw::chips::link_end_in& in,
                           hw::chips::link_end_out& out) override {
        return end_.step(now, in, out);
    }
    void leave_flush() override { end_.leave_flush(); }
    void upset(const hw::chips::link_upset& what) override { end_.upset(what); }
    hw::chips::link_end_probe probe() const override { return end_.probe(); }
    hw::chips::link_counters counters(hw::engine::cycle now) const override { return end_.counters(now); }

private:
    tlm::rtl_link_end end_;
};

}  // namespace polycast::testbench::equivalence
