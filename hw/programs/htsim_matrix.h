// SPDX-License-Identifier: Apache-2.0
/// \file Connection matrices of htsim (.cm) as programs: each connection is a message. programs.md has the format.
#pragma once

#include <string>
#include <string_view>

#include "hw/programs/program.h"
#include "hw/programs/read_options.h"

namespace polycast::hw::programs {

/// What begins every connection matrix.
inline constexpr std::string_view htsim_matrix_word = "Nodes";

/// \throws input_error with line and column
program read_htsim_matrix(const std::string& name, std::string_view text, const read_options& options);

}  // namespace polycast::hw::programs
