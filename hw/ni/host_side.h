// SPDX-License-Identifier: Apache-2.0
/// \file The host's side of a network interface's I/O bus.
#pragma once

#include <cstdint>
#include <span>

#include "hw/engine/chip.h"

namespace polycast::hw::ni {

using engine::cycle;

/// The answer of host memory to a transfer.
enum class host_answer : std::uint8_t {
    done,
    refused,  ///< a bus error: no memory there, or not for this process
    later,    ///< it takes longer; network_interface::host_answered() tells when to ask again, for the same bytes
};

/// Host memory and the host's interrupt controller.
class host_side {
public:
    virtual ~host_side() = default;

    /// Copies host memory on behalf of `process` (PCI Express: the PASID of the transfer), so that an IOMMU may refuse
    /// it. Called in the cycle in which the transfer has left the bus; with `later` it holds the bus, and is called
    /// again.
    virtual host_answer dma_read(cycle when, unsigned process, std::uint64_t address,
                                 std::span<std::uint8_t> bytes) = 0;
    virtual host_answer dma_write(cycle when, unsigned process, std::uint64_t address,
                                  std::span<const std::uint8_t> bytes) = 0;

    /// The interrupt of `process`: an entry was written to its completion queue (while QUEUE_INTERRUPT is on).
    virtual void completion(cycle when, unsigned process) = 0;
    /// COMMAND_SPACE of `process` is no longer zero.
    virtual void command_space(cycle when, unsigned process) = 0;

    /// The interface is down (WATCHDOG): all that it had taken is gone, and nothing of it is answered any more. When it
    /// is up again, command_space() says so to every process.
    virtual void hung(cycle when) { static_cast<void>(when); }

    /// Counter `counter` of interface `interface` of this host is incremented. \returns false if there is no such
    /// interface.
    virtual bool count(cycle when, unsigned interface, unsigned counter) = 0;
};

}  // namespace polycast::hw::ni
