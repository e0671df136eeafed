// SPDX-License-Identifier: Apache-2.0
/// \file The same program on the instruction-set simulator and on the Verilated Ibex, each with a bus of its own that
/// answers alike; everything that both tell is compared, cycles included.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/ni/processor.h"
#include "hw/riscv/program.h"
#include "testbench/riscv/memory_bus.h"
#include "tlm/verilated/model_library.h"

namespace polycast::testbench::riscv {

using hw::ni::cycle;

/// What a processor in lockstep reaches. It decides when the interrupt line changes, too.
class lockstep_bus : public hw::ni::processor_bus {
public:
    /// The next cycle in which the line changes; never.
    virtual cycle change() const = 0;
    /// Called in that cycle. \returns the level from then on.
    virtual bool take_change() = 0;
    /// What did not go as it should have; empty if nothing.
    virtual std::string failure() const { return {}; }

    std::vector<bus_access> registers;  ///< accesses of registers, and of what is not there
    std::vector<std::uint8_t> memory;   ///< at 0x2000_0000
};

/// 64 KiB of plain memory, registers in the first 4 KiB from 0x4000_0000. A register reads as a number made of its
/// address and the cycle, so that a cycle too many is seen in values too; reading `acknowledge` lowers the interrupt
/// line from the next cycle on.
class timed_bus final : public lockstep_bus {
public:
    static constexpr std::uint32_t memory_base = 0x20000000u, memory_bytes = 1u << 16;
    static constexpr std::uint32_t register_base = 0x40000000u, acknowledge = 0x40000040u;

    /// \param rises when the line rises; ascending
    explicit timed_bus(std::vector<cycle> rises = {}) : rises_(std::move(rises)) { memory.resize(memory_bytes); }

    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override;
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override;
    cycle change() const override;
    bool take_change() override;

private:
    std::vector<cycle> rises_;
    std::size_t next_rise_ = 0;
    cycle fall_ = hw::engine::never;
};

/// Everything that one processor did on its bus, and what its interrupt line did.
struct recording {
    struct level {
        cycle when = 0;
        bool high = false;
    };
    struct access {
        bus_access what;
        bool good = false;
    };
    std::vector<access> accesses;
    std::vector<level> line;
    cycle end = 0;  ///< the last cycle
};

/// Answers as a recorded bus did, in the same order.
class replay_bus final : public lockstep_bus {
public:
    explicit replay_bus(std::shared_ptr<const recording> log) : log_(std::move(log)) {}

    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override;
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override;
    cycle change() const override;
    bool take_change() override { return log_->line[next_level_++].high; }
    std::string failure() const override { return failure_; }

private:
    const recording::access* next(const bus_access& wanted);

    std::shared_ptr<const recording> log_;
    std::size_t next_access_ = 0;
    std::size_t next_level_ = 0;
    std::string failure_;
};

/// A bit of data memory flips at the end of a cycle.
struct data_flip {
    cycle at = 0;
    std::uint32_t word = 0;
    std::uint32_t bit = 0;
};

struct lockstep_run {
    std::shared_ptr<const hw::riscv::program> firmware;
    std::function<std::unique_ptr<lockstep_bus>()> make_bus;
    cycle end = 1'000'000;              ///< at the latest
    std::vector<data_flip> flips = {};  ///< by cycle
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

/// Adds the routines of one run to those of others.
void add_routines(std::map<std::string, routine_cycles>& sum, const lockstep_result& result);

/// Routines as a table in Markdown.
std::string routine_table(const std::map<std::string, routine_cycles>& routines);

}  // namespace polycast::testbench::riscv
