// SPDX-License-Identifier: Apache-2.0
/// \file A chip under test in a network, beside a reference that gets the same inputs and is compared in every cycle.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hw/engine/chip.h"
#include "hw/engine/pin_difference.h"
#include "hw/engine/waiting_ports.h"
#include "hw/format/header.h"
#include "tlm/verilated/packet_difference.h"

namespace polycast::tlm {

/// The network sees only the chip under test, so its faults also show in the waves of its neighbours. The run
/// continues for some cycles after the first one that differs, so that waves show the consequences.
class compared_chip final : public hw::engine::chip, public hw::engine::waiting_ports {
public:
    /// Cycles that are simulated after the first one that differs.
    static constexpr hw::engine::cycle aftermath = 8;

    /// Both have the same shape. `name`, `names` (reference, tested), `headers` and `jobs` (packets carry JobIDs) are
    /// for messages.
    compared_chip(std::string name, hw::engine::chip_names names, const hw::format::header_shape& headers,
                  std::unique_ptr<hw::engine::chip> reference, std::unique_ptr<hw::engine::chip> tested,
                  bool jobs = false);

    const hw::engine::pin_shape& shape() const override { return tested_->shape(); }
    void reset() override;
    /// \throws comparison_error `aftermath` cycles after the first cycle that differs, and whatever the chip under test
    /// throws before
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override { return tested_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { tested_->probe(probe); }
    hw::engine::chip_report report() const override { return tested_->report(); }

    std::uint64_t xmit_wait() const override { return xmit_wait_of(*tested_); }

    const hw::engine::pins* reference() const override { return &expected_; }
    hw::engine::cycle warning() const override { return aftermath + 2; }
    hw::engine::cycle ends_run_in() const override {
        return difference_ ? difference_->when + aftermath + 1 : hw::engine::never;
    }

private:
    struct first_difference {
        hw::engine::cycle when;
        std::string pin;
    };
    hw::engine::cycle step_tested(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out);
    void compare(hw::engine::cycle when, const hw::engine::pins& out);
    hw::engine::comparison_error failure() const;

    std::string name_;
    hw::engine::chip_names names_;
    std::unique_ptr<hw::engine::chip> reference_;
    std::unique_ptr<hw::engine::chip> tested_;
    hw::engine::pins expected_;
    std::optional<first_difference> difference_;
    bool broken_ = false;  ///< the chip under test has thrown since: it does nothing more
    packet_difference packets_;
};

}  // namespace polycast::tlm
