// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/profile.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace polycast::hw::riscv {

profiler::profiler(const program& firmware)
    : call_tracker(firmware),
      rows_(firmware.source().functions.size() + 1),
      active_(firmware.source().functions.size() + 1) {
    for (std::size_t i = 0; i + 1 < rows_.size(); ++i) rows_[i].name = firmware.source().functions[i].name;
    rows_.back().name = "?";
}

std::size_t profiler::row(function_index function) const {
    return function == no_function ? rows_.size() - 1 : function;
}

void profiler::retired(const iss& cpu, const retired_instruction& what) {
    const std::uint64_t cycles = what.end - what.start;
    awake_ += cycles;
    function_profile& running = rows_[row(frames().empty() ? index_at(what.pc) : frames().back().function)];
    running.exclusive_cycles += cycles;
    ++running.instructions;
    call_tracker::retired(cpu, what);
}

void profiler::trapped(const iss& cpu, const trap& what) {
    ++(what.mcause >> 31 != 0 ? interrupts_ : exceptions_);
    call_tracker::trapped(cpu, what);
    // The way into the handler is part of it.
    const std::uint64_t cycles = what.end - what.start;
    awake_ += cycles;
    rows_[row(frames().back().function)].exclusive_cycles += cycles;
}

void profiler::slept(const iss&, cycle from, cycle to) {
    asleep_ += to - from;
}

void profiler::enter(frame& made, cycle) {
    made.mark = awake_;
    ++rows_[row(made.function)].calls;
    ++active_[row(made.function)];
}

void profiler::leave(const frame& ended, cycle) {
    const std::size_t which = row(ended.function);
    if (--active_[which] == 0) rows_[which].inclusive_cycles += awake_ - ended.mark;
}

std::vector<function_profile> profiler::functions() const {
    std::vector<function_profile> result = rows_;
    std::vector<bool> seen(rows_.size());
    for (const frame& f : frames()) {
        const std::size_t which = row(f.function);
        if (!seen[which]) result[which].inclusive_cycles += awake_ - f.mark;
        seen[which] = true;
    }
    std::erase_if(result, [](const function_profile& f) { return f.calls == 0; });
    std::stable_sort(result.begin(), result.end(), [](const function_profile& a, const function_profile& b) {
        return a.exclusive_cycles > b.exclusive_cycles;
    });
    return result;
}

void profiler::write(std::ostream& out) const {
    out << "   exclusive    inclusive        calls instructions  function\n";
    for (const function_profile& f : functions())
        out << std::setw(12) << f.exclusive_cycles << " " << std::setw(12) << f.inclusive_cycles << " " << std::setw(12)
            << f.calls << " " << std::setw(12) << f.instructions << "  " << f.name << "\n";
    out << "cycles " << awake_ << " awake, " << asleep_ << " asleep; " << interrupts_ << " interrupts, " << exceptions_
        << " exceptions\n";
}

}  // namespace polycast::hw::riscv
