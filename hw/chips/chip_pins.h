// SPDX-License-Identifier: Apache-2.0
/// \file Pins of the chips, written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
#pragma once

#include <string_view>
#include <vector>

#include "hw/chips/chip_params.h"

namespace polycast::hw::chips {

/// A port of a top in rtl/: fields of so many bits, the first in the lowest bits. Inputs end in `_i`.
struct chip_pin {
    std::string_view name;
    unsigned number = 1;  ///< ports, or virtual channels of ports, or 1
    unsigned bits = 1;
};

/// In the order of the top's ports, without clock and reset.
std::vector<chip_pin> pins_of(const switch_params& p);
std::vector<chip_pin> pins_of(const router_params& p);
std::vector<chip_pin> pins_of(const vl_switch_params& p);
std::vector<chip_pin> pins_of(const coding_params& p);
std::vector<chip_pin> pins_of(const broadcast_params& p);
std::vector<chip_pin> pins_of(const link_end_params& p);

}  // namespace polycast::hw::chips
