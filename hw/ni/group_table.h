// SPDX-License-Identifier: Apache-2.0
/// \file The group table: entries found by (root, group).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

/// The hardware keeps its own copy of an entry's root and number; firmware writes to its words change no look-up.
class group_table {
public:
    static constexpr std::uint32_t none = 0xffffffffu;
    /// Number of entries that no look-up finds.
    static constexpr std::uint16_t hidden = 0xffff;

    explicit group_table(unsigned entries) : limit_(entries) {}

    std::uint32_t find(std::uint32_t root, std::uint16_t number) const;
    /// A free entry, zero except its first two words. none if the table is full, or has this group (`known`).
    std::uint32_t allocate(std::uint32_t root, std::uint16_t number, bool& known);
    /// \returns false if the entry is not in use.
    bool free(std::uint32_t entry);

    /// Access of the processor. \returns false beyond the last entry.
    bool load(std::uint32_t offset, unsigned bytes, std::uint32_t& value) const;
    bool store(std::uint32_t offset, unsigned bytes, std::uint32_t value);

    void reset();
    std::size_t memory_bytes() const;

private:
    static std::uint64_t key_of(std::uint32_t root, std::uint16_t number) { return std::uint64_t{root} << 16 | number; }

    unsigned limit_;
    std::vector<std::uint8_t> bytes_;  ///< of the entries that were in use once
    std::vector<std::uint64_t> keys_;  ///< of each entry; unused_key if it is free
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::uint64_t, std::uint32_t> entries_;
};

}  // namespace polycast::hw::ni
