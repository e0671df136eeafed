// SPDX-License-Identifier: Apache-2.0
/// \file Programs as binary GOAL, what LogGOPSim runs. programs.md has the layout.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hw/programs/program.h"
#include "hw/programs/read_options.h"

namespace polycast::hw::programs {

/// Whether bytes begin as binary GOAL does, or as such files that are refused.
bool begins_as_goal_binary(std::string_view bytes);

/// Everything in the file is verified before it is used. \param release called now and then with the bytes that are
/// not needed any more; may be empty \throws input_error with rank, operation and byte
program read_goal_binary(const std::string& name, std::string_view bytes, const read_options& options,
                         const std::function<void(std::size_t)>& release = {});

/// The bytes of a program, piece by piece; reading them with the same unit of times, in picoseconds, gives an equal
/// program. Names are lost. \throws input_error for what GOAL does not have, or what its numbers of 32 bits cannot
/// count
void write_goal_binary(const program& written, const std::function<void(std::string_view)>& take,
                       std::uint64_t unit = default_unit);

}  // namespace polycast::hw::programs
