// SPDX-License-Identifier: Apache-2.0
#include "testbench/riscv/ibex_lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hw/riscv/iss.h"
#include "tlm/ibex_processor.h"

namespace polycast::testbench::riscv {

namespace {

using hw::engine::never;

constexpr unsigned most_drifts = 12;

/// What one processor executed.
struct executed {
    cycle start = 0;
    std::uint32_t pc = 0;
    std::uint32_t rd = 0;
    std::uint32_t value = 0;
    bool trap = false;

    std::string text() const {
        return fmt::format("pc {:#x}{}{} in cycle {}", pc, trap ? " trap" : "",
                           rd != 0 ? fmt::format(" x{} = {:#x}", rd, value) : "", start);
    }
};

/// Calls `cpu` when it asks for it and when the line changes.
void drive(hw::ni::processor& cpu, timed_bus& bus, const std::vector<cycle>& rises, cycle end) {
    bool line = false;
    cycle next = 0;
    auto rise = rises.begin();
    for (;;) {
        const cycle when = std::min({next, rise != rises.end() ? *rise : never, bus.fall});
        if (when > end) return;
        if (bus.fall == when) {
            line = false;
            bus.fall = never;
        }
        if (rise != rises.end() && *rise == when) {
            line = true;
            ++rise;
        }
        next = cpu.run(when, line);
    }
}

std::vector<executed> run_ibex(const lockstep_run& run, tlm::model_library& models, timed_bus& bus,
                               lockstep_result& result) {
    std::vector<executed> list;
    tlm::ibex_processor cpu({run.firmware, &run.firmware->source()}, bus, models);
    cpu.observe([&list](const polycast_ibex_retirement& what) {
        list.push_back({what.start, what.pc, what.rd, what.rd_value, what.trap != 0});
    });
    drive(cpu, bus, run.rises, run.end);
    result.cycles = cpu.probe().cycles;
    return list;
}

/// Looks at the simulator with Ibex's list at hand: that says which register an instruction wrote.
class follower : public hw::riscv::iss_observer {
public:
    explicit follower(const std::vector<executed>& expected) : expected_(expected) {}

    void retired(const hw::riscv::iss& cpu, const hw::riscv::retired_instruction& what) override {
        executed mine{what.start, what.pc, 0, 0, false};
        if (list.size() < expected_.size()) mine.rd = expected_[list.size()].rd;
        mine.value = cpu.reg(mine.rd);
        list.push_back(mine);
    }
    void trapped(const hw::riscv::iss&, const hw::riscv::trap& what) override {
        if (what.mcause >> 31 == 0) list.push_back({what.start, what.pc, 0, 0, true});
    }
    void slept(const hw::riscv::iss&, cycle, cycle to) override { awake.push_back(to); }

    std::vector<executed> list;
    std::vector<cycle> awake;  ///< cycles in which it woke

private:
    const std::vector<executed>& expected_;
};

std::string first_difference(const std::vector<executed>& ibex, const std::vector<executed>& iss) {
    const std::size_t common = std::min(ibex.size(), iss.size());
    for (std::size_t index = 0; index < common; ++index) {
        const executed& a = ibex[index];
        const executed& b = iss[index];
        if (a.pc != b.pc || a.trap != b.trap || (a.rd != 0 && a.value != b.value)) {
            return fmt::format("instruction {}: Ibex {}, simulator {}", index, a.text(), b.text());
        }
    }
    // At the end of the time one of them may just have one more.
    if (ibex.size() > common + 2) return fmt::format("Ibex goes on with {}", ibex[common].text());
    if (iss.size() > common + 2) return fmt::format("the simulator goes on with {}", iss[common].text());
    return {};
}

std::string first_difference(const std::vector<bus_access>& ibex, const std::vector<bus_access>& iss) {
    for (std::size_t index = 0; index < std::min(ibex.size(), iss.size()); ++index) {
        const bus_access& a = ibex[index];
        const bus_access& b = iss[index];
        if (a == b) continue;
        return fmt::format("access {}: Ibex {:#x} in cycle {}, simulator {:#x} in cycle {}", index, a.address, a.when,
                           b.address, b.when);
    }
    return ibex.size() == iss.size() ? "" : fmt::format("{} accesses, and {}", ibex.size(), iss.size());
}

/// Cycles of each instruction are those from its first to the next one's first.
void count_cycles(const lockstep_run& run, const std::vector<executed>& ibex, const std::vector<executed>& iss,
                  const std::vector<cycle>& awake, lockstep_result& result) {
    unsigned drifts = 0;
    auto woken = awake.begin();
    for (std::size_t index = 0; index + 1 < std::min(ibex.size(), iss.size()); ++index) {
        const executed& a = ibex[index];
        const cycle ibex_cycles = ibex[index + 1].start - a.start;
        const cycle iss_cycles = iss[index + 1].start - iss[index].start;
        if (ibex_cycles != iss_cycles && drifts < most_drifts) {
            ++drifts;
            const hw::riscv::instruction decoded = run.firmware->at(a.pc);
            result.drift +=
                fmt::format("instruction {} at {:#x} ({:#0{}x}): Ibex {}, simulator {} cycles; cycle {}\n", index, a.pc,
                            decoded.raw, 2 + 2 * decoded.length, ibex_cycles, iss_cycles, a.start);
        }
        while (woken != awake.end() && *woken <= iss[index].start) ++woken;
        if (woken != awake.end() && *woken < iss[index + 1].start) continue;  // it slept
        const hw::riscv::function_symbol* function = run.firmware->source().function_at(a.pc);
        routine_cycles& routine = result.routines[function != nullptr ? function->name : "(no name)"];
        ++routine.instructions;
        routine.ibex += ibex_cycles;
        routine.iss += iss_cycles;
    }
}

}  // namespace

bool timed_bus::load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) {
    value = 0;
    if (address - memory_base < memory_bytes) {
        std::memcpy(&value, memory.data() + (address - memory_base), bytes);
        return true;
    }
    const bool good = address - register_base < 4096 && bytes == 4;
    if (good) value = static_cast<std::uint32_t>((when + 1) * 0x9e3779b97f4a7c15u >> 32) ^ address;
    if (good && address == acknowledge) fall = when + 1;
    registers.push_back({when, address, value, bytes, false});
    return good;
}

bool timed_bus::store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) {
    if (address - memory_base < memory_bytes) {
        std::memcpy(memory.data() + (address - memory_base), &value, bytes);
        return true;
    }
    registers.push_back({when, address, value, bytes, true});
    return address - register_base < 4096 && bytes == 4;
}

double routine_cycles::difference() const {
    return ibex == 0 ? 0.0 : static_cast<double>(iss) / static_cast<double>(ibex) - 1.0;
}

lockstep_result run_lockstep(const lockstep_run& run, tlm::model_library& models) {
    lockstep_result result;
    timed_bus ibex_bus;
    const std::vector<executed> ibex = run_ibex(run, models, ibex_bus, result);

    timed_bus iss_bus;
    hw::riscv::iss iss(run.firmware, iss_bus);
    follower seen(ibex);
    iss.attach(&seen);
    drive(iss, iss_bus, run.rises, run.end);

    result.instructions = std::min(ibex.size(), seen.list.size());
    count_cycles(run, ibex, seen.list, seen.awake, result);
    result.difference = first_difference(ibex, seen.list);
    if (result.difference.empty()) result.difference = first_difference(ibex_bus.registers, iss_bus.registers);
    if (result.difference.empty() && ibex_bus.memory != iss_bus.memory) result.difference = "packet memory differs";
    return result;
}

std::string routine_table(const std::map<std::string, routine_cycles>& routines) {
    std::string table = "| routine | instructions | cycles, Ibex | cycles, iss | difference |\n|---|---|---|---|---|\n";
    for (const auto& [name, cycles] : routines) {
        table += fmt::format("| {} | {} | {} | {} | {:+.2f} % |\n", name, cycles.instructions, cycles.ibex, cycles.iss,
                             100 * cycles.difference());
    }
    return table;
}

}  // namespace polycast::testbench::riscv
