// SPDX-License-Identifier: Apache-2.0
/// \file The pages in which a host sees its interface: those of its processes (doorbells, completion queues), and those
/// of its manager, who grants each process windows and a queue.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hw/ni/command_memory.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/host_side.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"
#include "hw/ni/watchdog.h"

namespace polycast::hw::ni {

/// Host memory that the interface may reach on behalf of a process.
struct host_window {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool read = false;   ///< by the interface
    bool write = false;  ///< by the interface

    bool registered() const { return read || write; }
    bool contains(std::uint32_t offset, std::uint32_t length) const { return std::uint64_t{offset} + length <= bytes; }
};

/// Ring of completion entries in host memory. All counts run modulo 2^32.
struct completion_queue {
    std::uint64_t address = 0;
    std::uint32_t entries = 0;  ///< 0: none
    std::uint32_t read = 0;
    std::uint32_t written = 0;
    std::uint32_t lost = 0;
    bool interrupt = false;

    bool full() const { return written - read >= entries; }
    /// Where the next entry goes. Not with zero entries.
    std::uint64_t next() const { return address + std::uint64_t{written % entries} * completion_bytes; }
};

/// Address map `ni_host` of registers.rdl.
class host_pages {
public:
    /// All must outlive it.
    host_pages(const ni_params& params, command_memory& commands, event_queue& events, const packet_memory& packets,
               watchdog& guard, host_side& host);

    /// `address` counts from page 0. Registers: whole words, one or more; the command buffer: any bytes of it.
    /// \returns false on a bus error; then nothing is read, and only the words before the bad one are written.
    bool read(std::uint32_t address, std::span<std::uint8_t> bytes) const;
    bool write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes);

    /// There is such a process, and the manager has enabled it.
    bool enabled(unsigned process) const { return process < pages_.size() && pages_[process].enabled; }
    /// RIGHTS of a process's grant; none if there is no such process.
    std::uint32_t rights(unsigned process) const;
    /// JOB of a process's grant; 0 if there is no such process.
    std::uint32_t job(unsigned process) const { return process < pages_.size() ? pages_[process].job : 0; }
    /// There is such a process, and it is of another job.
    bool other_job(unsigned process, std::uint32_t job) const {
        return process < pages_.size() && pages_[process].job != job;
    }
    /// A packet of another job was for the process: it was dropped.
    void refuse_job(unsigned process) {
        if (process >= pages_.size()) return;
        ++pages_[process].jobs_refused;
        ++jobs_refused_;
    }
    std::uint64_t jobs_refused() const { return jobs_refused_; }
    const host_window& window(unsigned process, unsigned number) const { return pages_[process].windows[number]; }
    completion_queue& queue(unsigned process) { return pages_[process].queue; }

    /// Reason of firmware's PANIC, for DEVICE_PANIC.
    void set_panic(std::uint32_t reason) { panic_ = reason; }
    std::uint64_t refused() const { return refused_; }
    void reset();
    std::size_t memory_bytes() const;

private:
    struct process_page {
        bool enabled = false;
        bool observes = false;
        completion_queue queue;
        std::uint32_t refused = 0;
        std::uint32_t job = 0;
        std::uint32_t jobs_refused = 0;
        std::array<host_window, windows_per_process> windows{};
        std::vector<std::uint8_t> buffer;  ///< up to the last byte ever written
    };

    std::uint32_t space(unsigned process) const;
    std::optional<std::uint32_t> read_word(std::uint32_t address) const;
    std::optional<std::uint32_t> read_device(std::uint32_t offset) const;
    std::optional<std::uint32_t> read_process(unsigned process, std::uint32_t offset) const;
    std::optional<std::uint32_t> read_grant(unsigned process, std::uint32_t offset) const;
    bool write_word(cycle when, std::uint32_t address, std::uint32_t value);
    bool write_device(std::uint32_t offset, std::uint32_t value);
    bool write_process(cycle when, unsigned process, std::uint32_t offset, std::uint32_t value);
    bool write_grant(cycle when, unsigned process, std::uint32_t offset, std::uint32_t value);
    void set_rights(cycle when, unsigned process, std::uint32_t rights);
    void ring(unsigned process, std::uint32_t length);

    const ni_params& params_;
    command_memory& commands_;
    event_queue& events_;
    const packet_memory& packets_;
    watchdog& guard_;
    host_side& host_;
    std::vector<process_page> pages_;
    std::uint32_t panic_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t jobs_refused_ = 0;
};

}  // namespace polycast::hw::ni
