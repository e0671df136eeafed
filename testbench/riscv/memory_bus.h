// SPDX-License-Identifier: Apache-2.0
/// \file A bus for processors under test: plain memory from 0x2000_0000, one register at 0x4000_0000 that counts reads,
/// everything written down.
#pragma once

#include <cstring>
#include <vector>

#include "hw/ni/processor.h"

namespace polycast::testbench::riscv {

struct bus_access {
    hw::ni::cycle when = 0;
    std::uint32_t address = 0;
    std::uint32_t value = 0;
    unsigned bytes = 0;
    bool store = false;

    bool operator==(const bus_access&) const = default;
};

class memory_bus : public hw::ni::processor_bus {
public:
    static constexpr std::uint32_t memory_base = 0x20000000u, memory_bytes = 4096, register_base = 0x40000000u;

    bool load(hw::ni::cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override {
        value = 0;
        bool good = true;
        if (address - memory_base < memory_bytes) {
            std::memcpy(&value, memory.data() + (address - memory_base), bytes);
        } else if (address == register_base && bytes == 4) {
            value = reads++;
        } else {
            good = false;
        }
        accesses.push_back({when, address, value, bytes, false});
        return good;
    }

    bool store(hw::ni::cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override {
        accesses.push_back({when, address, value, bytes, true});
        if (address - memory_base < memory_bytes) {
            std::memcpy(memory.data() + (address - memory_base), &value, bytes);
            return true;
        }
        return address == register_base && bytes == 4;
    }

    void spoilt(hw::ni::cycle when) override { wrong.push_back(when); }

    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(memory_bytes);
    std::vector<bus_access> accesses;
    std::vector<hw::ni::cycle> wrong;  ///< when words were read that their code could not correct
    std::uint32_t reads = 0;
};

}  // namespace polycast::testbench::riscv
