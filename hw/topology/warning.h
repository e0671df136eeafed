// SPDX-License-Identifier: Apache-2.0
/// \file What a reader tells about a file that it accepts.
#pragma once

#include <functional>
#include <string>

namespace polycast::hw::topology {

/// Called with a sentence for people that names the file; may be empty.
using warning = std::function<void(const std::string&)>;

}  // namespace polycast::hw::topology
