// SPDX-License-Identifier: Apache-2.0
/// \file What lies on the host's side of a network interface's I/O bus.
#pragma once

#include <cstdint>
#include <span>

#include "hw/engine/chip.h"

namespace polycast::hw::ni {

using engine::cycle;

/// Host memory and the host's interrupt controller.
class host_side {
public:
    virtual ~host_side() = default;

    /// Copies host memory. Called in the cycle in which the transfer has left the bus. \returns false on a bus error:
    /// no memory there.
    virtual bool dma_read(cycle when, std::uint64_t address, std::span<std::uint8_t> bytes) = 0;
    virtual bool dma_write(cycle when, std::uint64_t address, std::span<const std::uint8_t> bytes) = 0;

    /// The interrupt of `process`: an entry was written to its completion queue (while QUEUE_INTERRUPT is on).
    virtual void completion(cycle when, unsigned process) = 0;
    /// COMMAND_SPACE of `process` is no longer zero.
    virtual void command_space(cycle when, unsigned process) = 0;

    /// Counter `counter` of interface `interface` of this host goes up by one. \returns false where there is no such
    /// interface.
    virtual bool count(cycle when, unsigned interface, unsigned counter) = 0;
};

}  // namespace polycast::hw::ni
