// SPDX-License-Identifier: Apache-2.0
/// \file How the host's processor accesses the pages of a network interface.
#pragma once

#include <cstdint>
#include <span>

#include "hw/engine/chip.h"

namespace polycast::hw::host {

using engine::cycle;

/// Registers of `ni_host` in hw/ni/registers.rdl; `address` counts from page 0. A bus between host and interface, or a
/// test, can stand here. A host with several interfaces has one of these for each.
class ni_port {
public:
    virtual ~ni_port() = default;
    /// \returns false on a bus error.
    virtual bool host_read(cycle when, std::uint32_t address, std::span<std::uint8_t> bytes) = 0;
    virtual bool host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) = 0;
};

}  // namespace polycast::hw::host
