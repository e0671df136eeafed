// SPDX-License-Identifier: Apache-2.0
/// \file Symbols as bits of wires, in the order of flip_wire(): pins `wire_i` and `wire_o` of a link end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/chips/link/link_symbol.h"

namespace polycast::hw::chips {

/// Whole bytes, symbol_wires() bits of them, the first in the lowest bit. `wires` comes in zero.
void pack_symbol(const link_config& config, const link_symbol& symbol, std::vector<std::uint8_t>& wires);

/// \param every_header wires of the header count with any symbol, as those that come from a cable; else only where a
/// link end writes them: beside the head of a packet
void unpack_symbol(const link_config& config, const std::vector<std::uint8_t>& wires, bool every_header,
                   link_symbol& symbol);

}  // namespace polycast::hw::chips
