// SPDX-License-Identifier: Apache-2.0
/// \file The cable that the rows of the public test plan run on. The program that a row is in decides which model it
/// is: the core (hw_unit_test), a SystemC module (tlm_unit_test) or SystemVerilog (rtl_unit_test).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "hw/chips/link/cable.h"

namespace polycast::testbench::unit {

/// What an end says, whichever model it is.
class end_state {
public:
    end_state(const hw::chips::wired_cable& cable, unsigned which) : cable_(cable), which_(which) {}

    hw::chips::link_end_probe probe() const {
        hw::engine::chip_probe all;
        cable_.probe(all);
        const auto& one = all.ends[which_];
        return {static_cast<hw::chips::link_tx_state>(one.tx),
                static_cast<hw::chips::link_rx_state>(one.rx),
                static_cast<hw::chips::flush_cause>(one.cause),
                one.next,
                one.expected,
                one.outstanding,
                one.ring,
                one.replays};
    }
    /// Counted in the cycles before `now`.
    hw::chips::link_counters counters(hw::engine::cycle now) const {
        hw::chips::cable_report::end counted = hw::chips::cable_report::of(cable_.report()).ends[which_];
        counted.count_to(now);
        return counted.counts;
    }

private:
    const hw::chips::wired_cable& cable_;
    unsigned which_;
};

class cable_under_test : public hw::engine::chip {
public:
    explicit cable_under_test(std::unique_ptr<hw::chips::wired_cable> cable) : cable_(std::move(cable)) {}

    const hw::engine::pin_shape& shape() const override { return cable_->shape(); }
    void reset() override { cable_->reset(); }
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        return cable_->step(now, in, out);
    }
    bool idle() const override { return cable_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { cable_->probe(probe); }
    hw::engine::chip_report report() const override { return cable_->report(); }

    hw::chips::wired_cable& wired() { return *cable_; }
    /// Of end 0, checked.
    const hw::chips::link_config& config() const { return cable_->config(); }
    /// The wire towards an end.
    hw::chips::link_wire& wire(unsigned towards) { return cable_->wire(towards); }
    end_state end(unsigned which) const { return {*cable_, which}; }

private:
    std::unique_ptr<hw::chips::wired_cable> cable_;
};

/// A cable in its state after reset; its cycles count from 0. \throws input_error as checked() does
std::unique_ptr<cable_under_test> make_cable(const hw::chips::link_config& config);

/// "core", "tlm" or "rtl".
std::string fidelity();

}  // namespace polycast::testbench::unit
