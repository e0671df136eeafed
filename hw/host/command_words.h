// SPDX-License-Identifier: Apache-2.0
/// \file Commands of a process to its interface, as words (hw/ni/abi/ni_host.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/host/process.h"

namespace polycast::hw::host {

/// Longest message: the largest window that is a whole number of pages.
inline constexpr std::uint32_t window_bytes = 0xffffffffu / host_memory::page_bytes * host_memory::page_bytes;

/// \throws std::invalid_argument on an invalid order for `bytes` bytes
void check_order(const process_params& params, const send_order& order, std::size_t bytes);
/// The same for an expected message, without its place.
void check_landing(const process_params& params, const landing_order& order);
/// \throws std::invalid_argument for a counter that the process does not have
void check_counter(const process_params& params, const char* what, unsigned counter);
/// The same order with hosts as children where its routes are unicasts. \throws std::invalid_argument on an invalid
/// order
group_order checked_order(const process_params& params, const group_order& order);

/// Number of commands needed to set up a group.
std::uint32_t commands_of(const process_params& params, const group_order& order);

/// Sets `words` to a send command for `bytes` bytes at `offset` of `window`; its cookie is left zero.
void compose_send(const process_params& params, const send_order& order, unsigned window, std::uint32_t offset,
                  std::uint32_t bytes, std::vector<std::uint32_t>& words);
/// Sets `words` to the command for an expected message, with its place in `window`; its cookie is left zero.
void compose_landing(const landing_order& order, unsigned window, std::vector<std::uint32_t>& words);
/// Sets `words` to number `part` of the commands that set up a group.
void compose_group(const process_params& params, const group_order& order, std::uint32_t part,
                   std::vector<std::uint32_t>& words);

}  // namespace polycast::hw::host
