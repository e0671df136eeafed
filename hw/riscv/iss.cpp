// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/iss.h"

#include <algorithm>
#include <utility>

#include "hw/ni/memory_upset.h"
#include "hw/riscv/timing.h"

namespace polycast::hw::riscv {
namespace {

constexpr const timing& cost = ibex_small;

/// Extra cycles to fetch the first instruction after a jump.
std::uint32_t fetch_gap(const program& firmware, std::uint32_t pc) {
    if (pc % 4 == 0) return 0;
    // What is not there is taken for 32 bits.
    if (pc >= firmware.source().sizes.instruction) return cost.unaligned_target;
    return firmware.slots()[pc / 2].code % 2 == 0 ? cost.unaligned_target : 0;
}

bool writes_csr(const instruction& decoded) {
    return decoded.op == operation::csrrw || decoded.op == operation::csrrwi || decoded.rs1 != 0;
}

}  // namespace

iss::iss(std::shared_ptr<const program> firmware, ni::processor_bus& bus, iss_options options)
    : program_(std::move(firmware)), bus_(&bus), options_(options), codes_(options.protect) {
    reset(0);
}

void iss::attach(iss_debugger* debugger) {
    debugger_ = debugger;
    access_.bytes = 0;
}

void iss::reset(cycle now) {
    pc_ = program_->source().entry;
    now_ = now + cost.boot;
    instructions_ = 0;
    registers_.fill(0);
    csrs_ = csr_file(options_.hart);
    data_ = program_->source().data;
    codes_.clear();
    sleeping_ = halted_ = line_ = false;
    called_ = engine::never;
    empty_ = 0;
    start_ = now;
    slept_ = 0;
    access_ = {};
    ++steps_;
    if (observer_ != nullptr) observer_->restarted(*this, now_);
}

void iss::upset(std::uint32_t word, std::uint32_t bit) {
    ni::flip(data_, codes_, word, bit);
}

void iss::set_pc(std::uint32_t pc) {
    pc_ = pc & ~1u;
    sleeping_ = halted_ = false;
    ++steps_;
}

ni::processor_probe iss::probe() const {
    ni::processor_probe seen;
    seen.pc = pc_;
    seen.sleeping = sleeping_;
    seen.halted = halted_;
    seen.instructions = instructions_;
    seen.cycles = now_ - start_ - slept_;
    return seen;
}

cycle iss::run(cycle until, bool interrupt) {
    const line_levels levels{until, line_, interrupt};
    // Called again for a cycle, unless asleep, it has made that cycle with the level from before.
    if (interrupt && !line_) rose_ = until == called_ && !asleep(until) ? until + 1 : until;
    called_ = until;
    while (advance(levels)) continue;
    line_ = interrupt;
    return resume_;
}

bool iss::advance(const line_levels& line) {
    if (halted_ || (sleeping_ && !wake(line))) {
        if (halted_) resume_ = engine::never;
        if (debugger_ != nullptr && resume_ == engine::never) {
            debugger_->while_idle(*this);
            resume_ = line.until + options_.debug_poll;
        }
        return false;
    }
    const bool interrupts = csrs_.interrupts();
    const cycle ahead = interrupts || debugger_ != nullptr ? 1 : options_.run_ahead;
    if (now_ > std::min(line.until + ahead, std::max(line.until, hold_))) {
        // The level of the cycle before decides whether the instruction is displaced.
        resume_ = std::max(line.until + 1, interrupts ? now_ - 1 : now_);
        return false;
    }
    if (debugger_ != nullptr) {
        debugger_->before_instruction(*this);
        if (debugger_ == nullptr) return true;
    }
    if (csrs_.interrupts() && now_ <= line.until + 1 && high(line, now_ - 1)) {
        // Taken in the first cycle with an empty ID/EX and the line high.
        const cycle first_empty = now_ - empty_;
        take_interrupt(cost.interrupt - static_cast<std::uint32_t>(now_ - std::max(first_empty, rose_)));
        return true;
    }
    if (pc_ >= program_->source().sizes.instruction) {
        raise(cause::instruction_access_fault, pc_, cost.fetch_fault);
        return true;
    }
    // Many instructions at once would end behind a cycle, not in it.
    if (interrupts || observer_ != nullptr || debugger_ != nullptr || hold_ != engine::never) {
        const cycle start = now_;
        const std::uint32_t pc = pc_;
        const std::uint64_t before = instructions_;
        const bool went_on = finish(execute<true>(line.until, 0), line);
        if (instructions_ != before) tell_retired(start, pc);
        return went_on;
    }
    return finish(execute<false>(line.until, line.until + ahead), line);
}

bool iss::finish(stop why, const line_levels& line) {
    switch (why) {
        case stop::limit:
        case stop::outside: return true;
        case stop::blocked:
            // An access that crosses a word waits for the cycle of its second request.
            resume_ = std::max(now_, line.until + 1);
            return false;
        case stop::system: return system_instruction(line);
        case stop::far_jump: far_jump(); return true;
        case stop::fetch_fault:
            // Only the second half is missing, or else pc would be outside.
            raise(cause::instruction_access_fault, pc_ < program_->source().sizes.instruction ? pc_ + 2 : pc_,
                  cost.fetch_fault);
            return true;
        case stop::data_fault: raise(fault_cause_, fault_address_, fault_cycles_); return true;
        case stop::self_jump:
            if (!csrs_.interrupts() && debugger_ == nullptr) {
                halted_ = true;
            } else {
                retire(pc_, cost.jump);
            }
            return true;
    }
    return true;
}

bool iss::wake(const line_levels& line) {
    resume_ = engine::never;
    if (!csrs_.wakes()) return false;
    cycle at = now_;
    if (now_ >= line.until || !line.before) {
        if (!line.now) return false;
        if (now_ > line.until) {
            resume_ = now_;
            return false;
        }
        at = line.until;
    }
    if (observer_ != nullptr) observer_->slept(*this, now_, at);
    slept_ += at - now_;
    now_ = at;
    sleeping_ = false;
    if (csrs_.interrupts()) {
        take_interrupt(cost.wake_interrupt);
    } else {
        now_ += cost.wake;
    }
    return true;
}

bool iss::system_instruction(const line_levels& line) {
    const instruction decoded = program_->at(pc_);
    switch (decoded.op) {
        case operation::csrrw:
        case operation::csrrs:
        case operation::csrrc:
        case operation::csrrwi:
        case operation::csrrsi:
        case operation::csrrci: return csr_instruction(decoded, line);
        case operation::ecall:
            raise(csrs_.user_mode() ? cause::ecall_user : cause::ecall_machine, 0, cost.alu);
            return true;
        case operation::ebreak: raise(cause::breakpoint, 0, cost.alu); return true;
        case operation::fence_i: retire(pc_ + 4, cost.fence_i); return true;
        case operation::mret:
            if (csrs_.user_mode()) break;
            retire(csrs_.leave_trap(), cost.mret);
            empty_ += cost.empty;
            return true;
        case operation::wfi:
            if (csrs_.wfi_is_illegal()) break;
            now_ += cost.wfi;
            ++instructions_;
            ++steps_;
            pc_ += 4;
            sleeping_ = true;
            return true;
        default: break;
    }
    raise(cause::illegal_instruction, decoded.raw, cost.alu);
    return true;
}

bool iss::csr_instruction(const instruction& decoded, const line_levels& line) {
    const auto number = static_cast<std::uint32_t>(decoded.immediate);
    csr_inputs in = inputs(0);
    if (number == csr::mip) {
        if (now_ > line.until) {
            resume_ = now_;
            return false;
        }
        in.line = high(line, now_);
    }
    const std::optional<std::uint32_t> old = csrs_.read(number, in);
    const bool write = writes_csr(decoded);
    if (!old || (write && csr_file::read_only(number))) {
        raise(cause::illegal_instruction, decoded.raw, cost.alu);
        return true;
    }
    const bool immediate = decoded.op >= operation::csrrwi;
    const std::uint32_t operand = immediate ? decoded.rs1 : registers_[decoded.rs1];
    std::uint32_t value = operand;
    bool clears = false;
    if (decoded.op == operation::csrrs || decoded.op == operation::csrrsi) value = *old | operand;
    if (decoded.op == operation::csrrc || decoded.op == operation::csrrci) {
        value = *old & ~operand;
        clears = true;
    }
    // An interrupt in the cycle in which it is disabled comes too late, but the next instruction was held for it.
    const bool may_disable = clears && write && csrs_.interrupts() && (number == csr::mstatus || number == csr::mie);
    if (may_disable && now_ > line.until) {
        resume_ = now_;
        return false;
    }
    const bool held = may_disable && high(line, now_);
    if (write) csrs_.write(number, value, inputs(cost.csr));
    if (decoded.rd != 0) registers_[decoded.rd] = *old;
    now_ += cost.csr;
    ++instructions_;
    ++steps_;
    pc_ += 4;
    const bool flush = write && !clears && (number == csr::mstatus || number == csr::mie);
    if (flush) now_ += cost.csr_flush;
    empty_ = flush ? cost.empty : 0;
    if (held && !csrs_.interrupts()) now_ += cost.empty;
    return true;
}

void iss::far_jump() {
    const instruction decoded = program_->at(pc_);
    const std::uint32_t following = pc_ + decoded.length;
    const std::uint32_t target = pc_ + static_cast<std::uint32_t>(decoded.immediate);
    if (decoded.op == operation::jal) {
        if (decoded.rd != 0) registers_[decoded.rd] = following;
        retire(target, cost.jump);
        return;
    }
    const std::uint32_t a = registers_[decoded.rs1], b = registers_[decoded.rs2];
    const bool less = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    bool taken = false;
    switch (decoded.op) {
        case operation::beq: taken = a == b; break;
        case operation::bne: taken = a != b; break;
        case operation::blt: taken = less; break;
        case operation::bge: taken = !less; break;
        case operation::bltu: taken = a < b; break;
        default: taken = a >= b; break;
    }
    if (taken) {
        retire(target, cost.branch_taken);
        empty_ += cost.empty;
    } else {
        now_ += cost.branch_not_taken;
        ++instructions_;
        ++steps_;
        pc_ = following;
        empty_ = 0;
    }
}

void iss::retire(std::uint32_t next_pc, std::uint32_t cycles) {
    const std::uint32_t gap = riscv::fetch_gap(*program_, next_pc);
    now_ += cycles + gap;
    ++instructions_;
    ++steps_;
    pc_ = next_pc;
    empty_ = gap;
}

void iss::raise(std::uint32_t mcause, std::uint32_t mtval, std::uint32_t cycles) {
    const bool user = csrs_.user_mode();
    trap what{now_, now_ + cycles + cost.exception, mcause, pc_, 0, mtval};
    what.handler = csrs_.enter_trap(mcause, pc_, mtval);
    halted_ = what.handler == pc_ && !user;
    now_ = what.end;
    pc_ = what.handler;
    ++steps_;
    access_.bytes = 0;
    empty_ = 0;
    if (observer_ != nullptr) observer_->trapped(*this, what);
}

void iss::take_interrupt(std::uint32_t cycles) {
    trap what{now_, now_ + cycles, cause::external_interrupt, pc_, 0, 0};
    what.handler = csrs_.enter_trap(cause::external_interrupt, pc_, 0);
    now_ = what.end;
    pc_ = what.handler;
    ++steps_;
    access_.bytes = 0;
    empty_ = 0;
    if (observer_ != nullptr) observer_->trapped(*this, what);
}

void iss::tell_retired(cycle start, std::uint32_t pc) {
    if (observer_ != nullptr) observer_->retired(*this, {start, now_, pc, pc_, access_});
}

}  // namespace polycast::hw::riscv
