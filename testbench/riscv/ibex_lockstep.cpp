// SPDX-License-Identifier: Apache-2.0
#include "testbench/riscv/ibex_lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "hw/riscv/iss.h"
#include "tlm/verilated/ibex_processor.h"

namespace polycast::testbench::riscv {

namespace {

using hw::engine::never;

constexpr unsigned most_drifts = 12;
constexpr cycle longest_instruction = 64;

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
void drive(hw::ni::processor& cpu, lockstep_bus& bus, const lockstep_run& run) {
    bool line = false;
    cycle next = 0;
    auto flip = run.flips.begin();
    const auto hold = [&] { cpu.hold(flip != run.flips.end() ? flip->at : never); };
    hold();
    for (;;) {
        const cycle when = std::min(next, bus.change());
        if (when > run.end) return;
        for (; flip != run.flips.end() && flip->at < when; hold()) {
            cpu.upset(flip->word, flip->bit);
            ++flip;
        }
        if (bus.change() == when) line = bus.take_change();
        next = cpu.run(when, line);
        if (next <= when)
            throw std::logic_error(
                fmt::format("called for cycle {}, the processor wants to be called for {}", when, next));
    }
}

std::vector<executed> run_ibex(const lockstep_run& run, tlm::model_library& models, lockstep_bus& bus,
                               lockstep_result& result) {
    std::vector<executed> list;
    tlm::ibex_processor cpu({run.firmware, &run.firmware->source()}, bus, models);
    cpu.observe([&list](const polycast_ibex_retirement& what) {
        list.push_back({what.start, what.pc, what.rd, what.rd_value, what.trap != 0});
    });
    drive(cpu, bus, run);
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

/// Both may compute ahead of the end, not equally far, and Ibex tells of an instruction when it has ended.
void cut(std::vector<executed>& list, cycle end) {
    while (!list.empty() && list.back().start + longest_instruction > end) list.pop_back();
}

std::string first_difference(const std::vector<executed>& ibex, const std::vector<executed>& iss) {
    const std::size_t common = std::min(ibex.size(), iss.size());
    for (std::size_t index = 0; index < common; ++index) {
        const executed& a = ibex[index];
        const executed& b = iss[index];
        if (a.pc != b.pc || a.trap != b.trap || (a.rd != 0 && a.value != b.value)) {
            return fmt::format("instruction {}: Ibex {}, simulator {}", index, a.text(), b.text());
        }
    }
    if (ibex.size() > common) return fmt::format("Ibex goes on with {}", ibex[common].text());
    if (iss.size() > common) return fmt::format("the simulator goes on with {}", iss[common].text());
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
        if (index == 0 && a.start != iss[0].start)
            result.drift =
                fmt::format("the first instruction: Ibex in cycle {}, simulator {}\n", a.start, iss[0].start);
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
        routine_cycles& routine = result.routines[function != nullptr ? function->name : "(start-up code)"];
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
    if (good && address == acknowledge) fall_ = when + 1;
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

cycle timed_bus::change() const {
    return std::min(next_rise_ < rises_.size() ? rises_[next_rise_] : never, fall_);
}

bool timed_bus::take_change() {
    const cycle now = change();
    const bool rises = next_rise_ < rises_.size() && rises_[next_rise_] == now;
    if (fall_ == now) fall_ = never;
    if (rises) ++next_rise_;
    return rises;
}

const recording::access* replay_bus::next(const bus_access& wanted) {
    if (hw::ni::is_register(wanted.address)) registers.push_back(wanted);
    if (next_access_ == log_->accesses.size()) {
        if (failure_.empty() && wanted.when <= log_->end)
            failure_ = fmt::format("an access of {:#x} in cycle {} is new", wanted.address, wanted.when);
        return nullptr;
    }
    const recording::access& logged = log_->accesses[next_access_++];
    const bus_access& what = logged.what;
    if (failure_.empty() &&
        (what.address != wanted.address || what.bytes != wanted.bytes || what.store != wanted.store ||
         (what.store && what.value != wanted.value) || (hw::ni::is_register(what.address) && what.when != wanted.when)))
        failure_ = fmt::format("access {}: {:#x} in cycle {}, recorded {:#x} in cycle {}", next_access_ - 1,
                               wanted.address, wanted.when, what.address, what.when);
    return &logged;
}

bool replay_bus::load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) {
    const recording::access* logged = next({when, address, 0, bytes, false});
    value = logged != nullptr ? logged->what.value : 0;
    return logged != nullptr && logged->good;
}

bool replay_bus::store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) {
    const recording::access* logged = next({when, address, value, bytes, true});
    return logged != nullptr && logged->good;
}

cycle replay_bus::change() const {
    return next_level_ < log_->line.size() ? log_->line[next_level_].when : never;
}

double routine_cycles::difference() const {
    return ibex == 0 ? 0.0 : static_cast<double>(iss) / static_cast<double>(ibex) - 1.0;
}

lockstep_result run_lockstep(const lockstep_run& run, tlm::model_library& models) {
    lockstep_result result;
    const std::unique_ptr<lockstep_bus> ibex_bus = run.make_bus();
    std::vector<executed> ibex = run_ibex(run, models, *ibex_bus, result);

    const std::unique_ptr<lockstep_bus> iss_bus = run.make_bus();
    hw::riscv::iss iss(run.firmware, *iss_bus);
    follower seen(ibex);
    iss.attach(&seen);
    drive(iss, *iss_bus, run);

    cut(ibex, run.end);
    cut(seen.list, run.end);
    result.instructions = std::min(ibex.size(), seen.list.size());
    count_cycles(run, ibex, seen.list, seen.awake, result);
    result.difference = first_difference(ibex, seen.list);
    if (result.difference.empty()) result.difference = first_difference(ibex_bus->registers, iss_bus->registers);
    if (result.difference.empty() && ibex_bus->memory != iss_bus->memory) result.difference = "packet memory differs";
    if (result.difference.empty()) result.difference = ibex_bus->failure();
    return result;
}

void add_routines(std::map<std::string, routine_cycles>& sum, const lockstep_result& result) {
    for (const auto& [name, cycles] : result.routines) {
        routine_cycles& total = sum[name];
        total.instructions += cycles.instructions;
        total.ibex += cycles.ibex;
        total.iss += cycles.iss;
    }
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
