// SPDX-License-Identifier: Apache-2.0
/// \file Text files that users write, read whole.
#pragma once

#include <cstddef>
#include <string>

namespace polycast::hw::topology {

/// Largest file that is read, in bytes.
inline constexpr std::size_t max_text_bytes = std::size_t{256} << 20;

/// The content of a file. \param what it is, "topology file", for messages \throws input_error if it cannot be read, is
/// a directory, or has more than `most` bytes
std::string read_text_file(const std::string& path, const std::string& what, std::size_t most = max_text_bytes);

}  // namespace polycast::hw::topology
