// SPDX-License-Identifier: Apache-2.0
/// \file Where the output pins of two chips of one shape differ, and what is thrown then.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "hw/engine/chip.h"

namespace polycast::hw::engine {

/// A chip differs from the reference beside it.
class comparison_error : public std::logic_error {
public:
    comparison_error(std::string chip, cycle when, std::string difference)
        : std::logic_error(chip + " in cycle " + std::to_string(when) + ": " + difference),
          chip_(std::move(chip)),
          when_(when),
          difference_(std::move(difference)) {}

    const std::string& chip() const { return chip_; }
    /// The first cycle in which an output pin differs.
    cycle when() const { return when_; }
    const std::string& difference() const { return difference_; }

private:
    std::string chip_;
    cycle when_;
    std::string difference_;
};

/// Two chips by their names in messages.
using chip_names = std::array<std::string, 2>;

/// A pin with two values.
struct differing_pin {
    std::string what;              ///< "flit_data of port 3: core 1f, rtl 00"; empty if no pin differs
    std::optional<unsigned> port;  ///< nothing for event pins, which belong to none
};

/// The first pin that differs. What the pins do not define (data without `valid`, ..) is not compared.
differing_pin pin_difference(const pin_shape& shape, const chip_names& names, const pins& first, const pins& second);

/// Ports with a pin that differs; events belong to no port.
std::uint64_t differing_ports(const pin_shape& shape, const pins& first, const pins& second);

}  // namespace polycast::hw::engine
