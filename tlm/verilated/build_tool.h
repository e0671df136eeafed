// SPDX-License-Identifier: Apache-2.0
/// \file Programs that build models: they end when this program ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace polycast::tlm {

/// Runs a program, found on the PATH, with its output appended to `log`, and waits for it. It receives the signals that
/// this program blocks, and SIGTERM when the calling thread ends, by whatever signal; ninja then ends its compilers.
/// \returns true when it ended with status 0
bool run_build_tool(const std::vector<std::string>& arguments, const std::filesystem::path& log);

/// A text that differs between compilers: the file that CMake will take for C++, its real name and size.
std::string compiler_identity();

}  // namespace polycast::tlm
