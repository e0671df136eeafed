// SPDX-License-Identifier: Apache-2.0
/// \file What a program with buffers computes, without time and network: one operation after the other. Checkers take
/// the bytes of messages and final buffers from here, so it shares no arithmetic with the hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/programs/element.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

using buffer_bytes = std::vector<std::byte>;

struct interpretation {
    std::vector<std::vector<buffer_bytes>> buffers;  ///< [rank, buffer] in the end
};

struct interpreter_options {
    /// Fills a buffer before the program begins; without it, and where it does nothing, bytes are 0.
    std::function<void(std::uint32_t rank, std::uint32_t buffer, std::span<std::byte>)> fill = {};
    /// Told the bytes of each message when it is sent; may be empty.
    std::function<void(operation_id send, std::span<const std::byte>)> on_message = {};
    /// In place of the arithmetic: destination = destination op source.
    std::function<void(combination, std::span<std::byte>, std::span<const std::byte>)> combine = {};
};

/// \throws input_error for a program whose messages do not fit, whose places are not in their buffers, or which stops
interpretation interpret(const program& of, const interpreter_options& options);

/// Most additions that any element of a final buffer has behind it on one path: the depth of the tree that sums it.
/// \param type of elements, 2 bytes or more
std::uint32_t depth_of_sums(const program& of, element_type type);

}  // namespace polycast::hw::programs
