// SPDX-License-Identifier: Apache-2.0
/// \file The same program on the instruction-set simulator and on the Verilated Ibex, each with a bus of its own that
/// answers alike; everything that both tell is compared, cycles included.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/ni/processor.h"
#include "hw/riscv/program.h"
#include "testbench/riscv/memory_bus.h"
#include "tlm/model_library.h"

namespace polycast::testbench::riscv {

using hw::ni::cycle;

/// Plain memory from 0x2000_0000, registers in the first 4 KiB from 0x4000_0000. A register reads as a number made of
/// its address and the cycle, so that a cycle too many is seen in values too; reading `acknowledge` lowers the
/// interrupt line from the next cycle on.
class timed_bus : public hw::ni::processor_bus {
public:
    static constexpr std::uint32_t memory_base = 0x20000000u, memory_bytes = 1u << 16;
    static constexpr std::uint32_t register_base = 0x40000000u, acknowledge = 0x40000040u;

    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override;
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override;

    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(memory_bytes);
    std::vector<bus_access> registers;  ///< accesses of registers, and of what is not there
    cycle fall = hw::engine::never;     ///< when the line falls
};

struct lockstep_run {
    std::shared_ptr<const hw::riscv::program> firmware;
    std::vector<cycle> rises;  ///< when the interrupt line rises; ascending
    cycle end = 1'000'000;     ///< at the latest
};

/// Cycles in one function, waits for interrupts left out.
struct routine_cycles {
    std::uint64_t instructions = 0;
    std::uint64_t ibex = 0;
    std::uint64_t iss = 0;

    double difference() const;  ///< of iss from ibex, relative
};

struct lockstep_result {
    std::string difference;  ///< the first one that matters to a program; empty if there is none
    std::string drift;       ///< the first instructions whose cycles differ, a line each
    std::uint64_t instructions = 0;
    cycle cycles = 0;  ///< of Ibex, awake
    std::map<std::string, routine_cycles> routines;
};

lockstep_result run_lockstep(const lockstep_run& run, tlm::model_library& models);

/// The routines of several runs, as a table in Markdown.
std::string routine_table(const std::map<std::string, routine_cycles>& routines);

}  // namespace polycast::testbench::riscv
