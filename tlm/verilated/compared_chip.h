// SPDX-License-Identifier: Apache-2.0
/// \file A chip under test in a network, beside a reference that gets the same inputs and is compared in every cycle.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "hw/engine/chip.h"
#include "hw/engine/pin_difference.h"

namespace polycast::tlm {

/// The chip under test does not do what the reference does.
class comparison_error : public std::logic_error {
public:
    comparison_error(std::string chip, hw::engine::cycle when, const std::string& what);

    const std::string& chip() const { return chip_; }
    /// The first cycle in which an output pin has two values.
    hw::engine::cycle when() const { return when_; }

private:
    std::string chip_;
    hw::engine::cycle when_;
};

/// The network sees the chip under test only, so what it does wrong is seen in the waves of its neighbours, too.
class compared_chip final : public hw::engine::chip {
public:
    /// Both have the same shape. `name` and `names` (reference, tested) are for messages.
    compared_chip(std::string name, hw::engine::chip_names names, std::unique_ptr<hw::engine::chip> reference,
                  std::unique_ptr<hw::engine::chip> tested);

    const hw::engine::pin_shape& shape() const override { return tested_->shape(); }
    void reset() override;
    /// \throws comparison_error in the first cycle that differs, and what the chip under test throws
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override { return tested_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { tested_->probe(probe); }

private:
    std::string name_;
    hw::engine::chip_names names_;
    std::unique_ptr<hw::engine::chip> reference_;
    std::unique_ptr<hw::engine::chip> tested_;
    hw::engine::pins expected_;
};

}  // namespace polycast::tlm
