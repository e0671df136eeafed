// SPDX-License-Identifier: Apache-2.0
/// \file The manager of a network interface: the part of a host's kernel that grants processes their memory.
#pragma once

#include <cstdint>

#include "hw/host/ni_port.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::host {

/// Packets in the memory of an interface.
struct ni_activity {
    unsigned sending = 0;    ///< on their way to the link
    unsigned receiving = 0;  ///< that have arrived or are arriving

    bool idle() const { return sending == 0 && receiving == 0; }
};

/// Host memory that the interface may reach on behalf of a process.
struct window_grant {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool read = false;   ///< by the interface
    bool write = false;  ///< by the interface
};

/// Has the device page and the grants of one interface; a process has only its own page. What it grants is valid at
/// once.
class manager {
public:
    /// Both must outlive it.
    manager(const ni::timeline& time, ni_port& port) : time_(time), port_(port) {}

    void open_window(unsigned process, unsigned window, const window_grant& grant);
    /// A completion queue, empty, of `entries` entries of 32 bytes.
    void open_queue(unsigned process, std::uint64_t address, std::uint32_t entries);
    /// Where packets carry jobs, those of the process carry this one. Before the process is enabled.
    void set_job(unsigned process, std::uint32_t job);
    /// The process may give commands. `observes`: and read the counters of the whole interface, which tell of all its
    /// processes.
    void enable(unsigned process, bool observes);
    /// Until it is enabled again its doorbells are ignored and its transfers are refused.
    void disable(unsigned process);
    /// Packets of other jobs that were for the process, and were dropped.
    std::uint32_t jobs_refused(unsigned process);
    /// Of the interface: cycles until its watchdog expires, and from then until it restarts.
    void watch(std::uint32_t watchdog, std::uint32_t restart);

    /// The current activity of the interface, whosever it is.
    ni_activity activity();

    /// Register accesses that the interface did not answer.
    std::uint64_t bus_errors() const { return bus_errors_; }

private:
    std::uint32_t read_register(std::uint32_t address);
    void write_register(std::uint32_t address, std::uint32_t value);

    const ni::timeline& time_;
    ni_port& port_;
    std::uint64_t bus_errors_ = 0;
};

}  // namespace polycast::hw::host
