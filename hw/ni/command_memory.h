// SPDX-License-Identifier: Apache-2.0
/// \file Commands of host processes on their way to firmware.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/ni/abi/ni_host.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

/// Entries that belong to processes; number = process * entries + index. Memory is allocated as they are used: the
/// words that every command has, and a route or children only where a command has some.
class command_memory {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    explicit command_memory(const ni_params& params)
        : entries_(params.command_entries), bytes_(command_bytes(params)), processes_(params.processes) {}

    /// Copies a command into a free entry of `process`, zeros behind it. \returns its number, none if all are taken.
    std::uint32_t put(unsigned process, std::span<const std::uint8_t> command);
    /// \returns false if the entry is not taken.
    bool give_back(std::uint32_t number);
    /// Entries of `process` that are free.
    unsigned space(unsigned process) const { return entries_ - processes_[process].taken_count; }
    unsigned process_of(std::uint32_t number) const { return number / entries_; }
    unsigned outstanding() const { return outstanding_; }
    unsigned entry_bytes() const { return bytes_; }

    /// Access of the processor. Entries never used read as zero and ignore writes. \returns false beyond the last
    /// entry.
    bool load(std::uint32_t offset, unsigned bytes, std::uint32_t& value) const;
    bool store(std::uint32_t offset, unsigned bytes, std::uint32_t value);

    void reset();
    std::size_t memory_bytes() const;

private:
    static constexpr std::size_t head_bytes = 4 * NI_COMMAND_WORDS;

    struct process_state {
        std::vector<std::uint8_t> heads;               ///< first bytes of the entries that were taken once
        std::vector<std::vector<std::uint8_t>> tails;  ///< [entry] the others, up to the last that was written
        std::vector<bool> taken;
        std::vector<std::uint16_t> free;  ///< of those
        unsigned taken_count = 0;
    };

    /// A word of a process's memory, at `at`: where it is. Null: it reads as zero.
    static const std::uint8_t* find(const process_state& state, std::size_t entry, std::size_t at, unsigned bytes);

    unsigned entries_;
    unsigned bytes_;
    unsigned outstanding_ = 0;
    std::vector<process_state> processes_;
};

}  // namespace polycast::hw::ni
