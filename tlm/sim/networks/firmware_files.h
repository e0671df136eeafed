// SPDX-License-Identifier: Apache-2.0
/// \file Where the firmware of interfaces is.
#pragma once

#include <string>
#include <string_view>

#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

inline constexpr std::string_view firmware_library = "libpolycast_firmware.so";  ///< for `native`
inline constexpr std::string_view firmware_image = "polycast_firmware.elf";      ///< for `iss` and `rtl`

/// Folder with the firmware that was built with this program: POLYCAST_FIRMWARE, or beside the program, in a build
/// folder or installed.
std::string built_in_firmware();

/// A file of the firmware of a scenario. \throws hw::input_error where it is missing
std::string firmware_file(const scenario::loaded& scenario, std::string_view name);

}  // namespace polycast::tlm::sim
