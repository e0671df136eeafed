// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/tools.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "hw/riscv/iss.h"

namespace polycast::hw::riscv {
namespace {

constexpr unsigned stack_pointer = 2;

/// "name+0x12", or nothing.
std::string place_of(const program& firmware, std::uint32_t pc) {
    const function_symbol* function = firmware.source().function_at(pc);
    if (function == nullptr) return "?";
    std::array<char, 16> offset{};
    std::snprintf(offset.data(), offset.size(), "+0x%x", pc - function->address);
    return function->name + (pc == function->address ? "" : offset.data());
}

bool writes_register(const instruction& decoded) {
    if (decoded.rd == 0) return false;
    switch (decoded.op) {
        case operation::beq:
        case operation::bne:
        case operation::blt:
        case operation::bge:
        case operation::bltu:
        case operation::bgeu:
        case operation::sb:
        case operation::sh:
        case operation::sw:
        case operation::fence:
        case operation::fence_i: return false;
        default: return decoded.op < operation::ecall;
    }
}

}  // namespace

void observer_list::restarted(const iss& cpu, cycle first) {
    for (iss_observer* one : all_) one->restarted(cpu, first);
}
void observer_list::retired(const iss& cpu, const retired_instruction& what) {
    for (iss_observer* one : all_) one->retired(cpu, what);
}
void observer_list::trapped(const iss& cpu, const trap& what) {
    for (iss_observer* one : all_) one->trapped(cpu, what);
}
void observer_list::slept(const iss& cpu, cycle from, cycle to) {
    for (iss_observer* one : all_) one->slept(cpu, from, to);
}

bool instruction_trace::line() {
    if (left_ == 0) return false;
    if (--left_ == 0) *out_ << "... and more\n";
    return left_ != 0;
}

void instruction_trace::restarted(const iss&, cycle first) {
    if (line()) *out_ << first << " reset\n";
}

void instruction_trace::retired(const iss& cpu, const retired_instruction& what) {
    if (!line()) return;
    const instruction decoded = cpu.firmware().at(what.pc);
    std::array<char, 48> head{};
    std::snprintf(head.data(), head.size(), "%10llu %08x ", static_cast<unsigned long long>(what.start), what.pc);
    std::string text = head.data() + place_of(cpu.firmware(), what.pc);
    text.resize(std::max<std::size_t>(text.size() + 1, 44), ' ');
    text += disassemble(decoded, what.pc);
    std::string effects;
    std::array<char, 48> effect{};
    if (writes_register(decoded)) {
        std::snprintf(effect.data(), effect.size(), " %s=%08x", register_names[decoded.rd], cpu.reg(decoded.rd));
        effects += effect.data();
    }
    if (what.access.bytes != 0) {
        std::snprintf(effect.data(), effect.size(), " [%08x]%s%0*x", what.access.address,
                      what.access.store ? "<-" : "->", static_cast<int>(2 * what.access.bytes), what.access.value);
        effects += effect.data();
    }
    if (!effects.empty()) text.resize(std::max<std::size_t>(text.size() + 1, 72), ' ');
    *out_ << text << effects << "\n";
}

void instruction_trace::trapped(const iss& cpu, const trap& what) {
    if (!line()) return;
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%10llu %08x ", static_cast<unsigned long long>(what.start), what.pc);
    *out_ << text.data() << (what.mcause >> 31 != 0 ? "interrupt " : "exception ") << (what.mcause & 31u);
    std::snprintf(text.data(), text.size(), " (mtval %08x) to %08x ", what.mtval, what.handler);
    *out_ << text.data() << place_of(cpu.firmware(), what.handler) << "\n";
}

void instruction_trace::slept(const iss&, cycle from, cycle to) {
    if (!line()) return;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%10llu asleep for %llu cycles\n", static_cast<unsigned long long>(from),
                  static_cast<unsigned long long>(to - from));
    *out_ << text.data();
}

void stack_meter::restarted(const iss&, cycle) {
    set_ = false;
}

void stack_meter::retired(const iss& cpu, const retired_instruction& what) {
    const std::uint32_t now = cpu.reg(stack_pointer);
    const image& source = cpu.firmware().source();
    if (now < data_base || now - data_base > source.sizes.data) {
        // Below data memory: it went all the way down.
        if (set_ && now < data_base) overflowed_ = true;
        return;
    }
    if (!set_) {
        set_ = true;
        if (top_ == 0) top_ = lowest_ = now;
        lowest_pc_ = lowest_ == now ? what.pc : lowest_pc_;
    }
    if (now < lowest_) {
        lowest_ = now;
        lowest_pc_ = what.pc;
    }
    if (now < data_base + source.data_bytes) overflowed_ = true;
}

}  // namespace polycast::hw::riscv
