// SPDX-License-Identifier: Apache-2.0
/// \file Algorithms of MSCCL (XML) as programs with buffers. programs.md has the format.
#pragma once

#include <string>
#include <string_view>

#include "hw/programs/program.h"
#include "hw/programs/read_options.h"

namespace polycast::hw::programs {

/// \throws input_error with line and column
program read_msccl(const std::string& name, std::string_view text, const read_options& options);

}  // namespace polycast::hw::programs
