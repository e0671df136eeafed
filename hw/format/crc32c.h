// SPDX-License-Identifier: Apache-2.0
/// \file CRC-32C (Castagnoli; RFC 3720, appendix B.4), with the processor's CRC instruction if it has one: every
/// interface that a packet passes computes it.
#pragma once

#include <cstdint>
#include <span>

namespace polycast::hw::format {

using byte_span = std::span<const std::uint8_t>;

/// CRC of `first` followed by the bytes of `second`.
std::uint32_t crc32c(byte_span first, byte_span second);
/// The same without the instruction.
std::uint32_t crc32c_portable(byte_span first, byte_span second);

}  // namespace polycast::hw::format
