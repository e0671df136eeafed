// SPDX-License-Identifier: Apache-2.0
/// \file The firmware's host build on the processors of interfaces.
#pragma once

#include "hw/ni/native_firmware.h"
#include "hw/system/hosts.h"

namespace polycast::hw::system {

inline processor_factory native() {
    return native_processors(ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY));
}

}  // namespace polycast::hw::system
