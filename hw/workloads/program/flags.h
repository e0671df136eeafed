// SPDX-License-Identifier: Apache-2.0
/// \file Messages with the flags of NCCL's protocols LL and LL128: who polls for them knows that the bytes beside a
/// flag are there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Bytes of a message with its flags: LL sends 8 for 4, LL128 16 for 15; what is not full ends with its flag all the
/// same.
std::uint64_t with_flags(std::uint64_t bytes, wire_format how);

/// \param flag of the message; not 0
std::vector<std::uint8_t> flagged(std::span<const std::uint8_t> bytes, wire_format how, std::uint32_t flag);
/// The bytes of a message that has arrived; nothing where a flag is another. \param bytes as they were before
std::optional<std::vector<std::uint8_t>> unflagged(std::span<const std::uint8_t> all, std::uint64_t bytes,
                                                   wire_format how, std::uint32_t flag);

}  // namespace polycast::hw::programs
