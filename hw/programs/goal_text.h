// SPDX-License-Identifier: Apache-2.0
/// \file Programs as GOAL text, the language of LogGOPSim (Hoefler, Siebert and Lumsdaine, "Group Operation Assembly
/// Language", ICPP 2009), ATLAHS and htsim. programs.md has the grammar.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hw/programs/program.h"
#include "hw/programs/read_options.h"

namespace polycast::hw::programs {

/// \param name stands for the file in messages \param release called now and then with the bytes that are not needed
/// any more; may be empty \throws input_error with file, line and column
program read_goal_text(const std::string& name, std::string_view text, const read_options& options,
                       const std::function<void(std::size_t)>& release = {});

/// The text of a program, piece by piece; reading it with the same unit of times, in picoseconds, gives an equal
/// program. Operations are labelled l1, l2, .. in each rank; their own labels are lost. \throws input_error for what
/// GOAL does not have
void write_goal_text(const program& written, const std::function<void(std::string_view)>& take,
                     std::uint64_t unit = default_unit);

/// Throws input_error for what neither form of GOAL has: other kinds than send, receive and calc, places in buffers,
/// groups of ranks, several interfaces told apart by rank, and times that are not whole in `unit`. `format` is its name
/// in messages.
void refuse_what_goal_lacks(const program& written, const std::string& format, std::uint64_t unit);

/// An operation of a program that is not refused, as GOAL has it: times count `unit`.
operation in_goal(const program& written, operation_id id, std::uint64_t unit);

}  // namespace polycast::hw::programs
