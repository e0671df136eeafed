// SPDX-License-Identifier: Apache-2.0
/// \file Headers and check words as the golden coding unit reads and writes them, bit by bit.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/format/packet_format.h"

namespace polycast::testbench::equivalence {

/// Bits of a field, counted from the first byte.
std::uint32_t golden_bits(const std::vector<std::uint8_t>& header, hw::format::field where);
void golden_put(std::vector<std::uint8_t>& header, hw::format::field where, std::uint32_t value);

/// Header flits of a packet in the flits whose first byte is `first`.
unsigned golden_header_flits(std::uint8_t first, unsigned flit_bytes);

/// CRC-32C of all bytes.
std::uint32_t golden_crc(const std::vector<std::uint8_t>& bytes);

}  // namespace polycast::testbench::equivalence
