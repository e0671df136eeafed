// SPDX-License-Identifier: Apache-2.0
/// \file The firmware's host build, linked in.
#pragma once

#include <memory>

#include "hw/ni/native_firmware.h"
#include "hw/system/hosts.h"

extern "C" const struct ni_firmware_interface polycast_firmware;

namespace polycast::hw::system {

inline processor_factory linked_firmware() {
    return native_processors(std::make_shared<const ni::native_firmware>(polycast_firmware));
}

}  // namespace polycast::hw::system
