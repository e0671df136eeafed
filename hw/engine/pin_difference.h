// SPDX-License-Identifier: Apache-2.0
/// \file Where the output pins of two chips of one shape differ.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/engine/chip.h"

namespace polycast::hw::engine {

/// Two chips by their names in messages.
using chip_names = std::array<std::string, 2>;

/// The first pin with two values, as text: "flit_data of port 3: core 1f, rtl 00"; empty if there is none. What the
/// pins do not define (data without `valid`, ..) is not compared.
std::string pin_difference(const pin_shape& shape, const chip_names& names, const pins& first, const pins& second);

/// Ports with a pin that differs; events belong to no port.
std::uint64_t differing_ports(const pin_shape& shape, const pins& first, const pins& second);

}  // namespace polycast::hw::engine
