// SPDX-License-Identifier: Apache-2.0
/// \file CRC-32C (Castagnoli; RFC 3720, appendix B.4), with the processor's CRC instruction if it has one: every
/// interface that a packet passes computes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace polycast::hw::format {

using byte_span = std::span<const std::uint8_t>;

/// CRC of `first` followed by the bytes of `second`.
std::uint32_t crc32c(byte_span first, byte_span second);
/// The same without the instruction.
std::uint32_t crc32c_portable(byte_span first, byte_span second);

/// How the CRCs of two strings differ, by XOR, if the first bytes of both give CRCs that differ by `difference`, and
/// the same `bytes` bytes follow in both.
std::uint32_t crc32c_behind(std::uint32_t difference, std::size_t bytes);

/// The CRC of bytes that come in parts.
class crc32c_sum {
public:
    /// \param portable without the instruction
    explicit crc32c_sum(bool portable = false) : portable_(portable) {}

    void add(byte_span bytes);
    /// Of all bytes so far.
    std::uint32_t value() const;

private:
    bool portable_;
    std::uint32_t remainder_ = 0xffffffff;  ///< in the form of the one way or the other
};

}  // namespace polycast::hw::format
