// SPDX-License-Identifier: Apache-2.0
/// \file Firmware compiled for the host machine.
#pragma once

#include <memory>
#include <string>

#include "hw/ni/abi/ni_firmware.h"

namespace polycast::hw::ni {

/// The functions of a host build of the firmware, without its state, so that one object serves all interfaces.
class native_firmware {
public:
    /// Loads a shared library that exports `polycast_firmware`. Loading the same file again costs nothing.
    /// \throws input_error if it does not exist, is not such a library, or has another version
    static std::shared_ptr<const native_firmware> load(const std::string& path);

    /// Functions that are linked in; `functions` must outlive it. \throws input_error on another version
    explicit native_firmware(const ni_firmware_interface& functions);

    const ni_firmware_interface& functions() const { return *functions_; }

private:
    native_firmware(const ni_firmware_interface& functions, std::shared_ptr<void> library);

    std::shared_ptr<void> library_;  ///< stays loaded as long as it is used; null if linked in
    const ni_firmware_interface* functions_;
};

}  // namespace polycast::hw::ni
