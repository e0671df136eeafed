// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/call_tracker.h"

namespace polycast::hw::riscv {
namespace {

/// ra and the alternate link register t0.
bool is_link(std::uint8_t r) {
    return r == 1 || r == 5;
}

}  // namespace

function_index call_tracker::index_at(std::uint32_t pc) const {
    const image& source = program_->source();
    const function_symbol* found = source.function_at(pc);
    return found == nullptr ? no_function : static_cast<function_index>(found - source.functions.data());
}

void call_tracker::restarted(const iss&, cycle first) {
    while (!frames_.empty()) pop(first);
    push(program_->source().entry, 0, false, first);
}

void call_tracker::retired(const iss&, const retired_instruction& what) {
    if (frames_.empty()) push(what.pc, 0, false, what.start);
    const instruction decoded = program_->at(what.pc);
    const std::uint32_t following = what.pc + decoded.length;
    switch (decoded.op) {
        case operation::jal:
        case operation::jalr:
            if (decoded.op == operation::jalr && decoded.rd == 0 && is_link(decoded.rs1) &&
                close([&](const frame& f) { return !f.handler && f.return_address == what.next_pc; }, what.end))
                break;
            if (is_link(decoded.rd)) {
                push(what.next_pc, following, false, what.end);
                return;
            }
            break;
        case operation::mret: close([](const frame& f) { return f.handler; }, what.end); break;
        default: break;
    }
    // A tail call, a jump or a fall into another function; or a return to an address without a call.
    if (!runs_in_current(what.next_pc)) replace(what.next_pc, what.end);
}

bool call_tracker::runs_in_current(std::uint32_t pc) const {
    const function_index current = frames_.back().function;
    if (current == no_function) return index_at(pc) == no_function;
    const function_symbol& symbol = program_->source().functions[current];
    return pc - symbol.address < symbol.size;
}

void call_tracker::trapped(const iss&, const trap& what) {
    push(what.handler, what.pc, true, what.start);
}

void call_tracker::push(std::uint32_t pc, std::uint32_t return_address, bool handler, cycle when) {
    if (frames_.size() >= deepest)
        while (!frames_.empty()) pop(when);
    frames_.push_back({index_at(pc), return_address, handler, when, 0});
    enter(frames_.back(), when);
}

void call_tracker::pop(cycle when) {
    leave(frames_.back(), when);
    frames_.pop_back();
}

void call_tracker::replace(std::uint32_t pc, cycle when) {
    const function_index other = index_at(pc);
    if (other == frames_.back().function) return;
    const frame old = frames_.back();
    pop(when);
    push(pc, old.return_address, old.handler, when);
}

template <typename predicate>
bool call_tracker::close(predicate which, cycle when) {
    // The outermost frame is never left: something is always running.
    for (std::size_t depth = frames_.size(); --depth > 0;) {
        if (!which(frames_[depth])) continue;
        while (frames_.size() > depth) pop(when);
        return true;
    }
    return false;
}

}  // namespace polycast::hw::riscv
