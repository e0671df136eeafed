// SPDX-License-Identifier: Apache-2.0
/// \file Where the output pins of two chips of one shape differ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "hw/engine/chip.h"

namespace polycast::hw::engine {

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
