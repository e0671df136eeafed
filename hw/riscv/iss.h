// SPDX-License-Identifier: Apache-2.0
/// \file Instruction-set simulator of a network interface's processor: RV32IMC with Zicsr, machine and user mode, as
/// Ibex has them, with Ibex's cycles (riscv/timing.h).
///
/// It is ahead of the interface: between two register accesses nothing outside can be seen or can change anything,
/// except the interrupt line while interrupts are enabled. So it computes up to the next register access, and no
/// further than `run_ahead` cycles; while the interrupt could be taken, it stays in step with the line.
///
/// What differs from Ibex: before it sleeps, Ibex's clock, and so mcycle, may run one cycle longer, for an outstanding
/// fetch. An interrupt line that falls again within the few cycles between the decision to take the
/// interrupt and the handler's first fetch is taken all the same. A processor that can do nothing more by itself (a
/// jump to itself without interrupts, an exception in the first instruction of the exception handler) is halted instead
/// of spinning.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/ni/coded_words.h"
#include "hw/ni/processor.h"
#include "hw/riscv/csr.h"
#include "hw/riscv/observer.h"
#include "hw/riscv/program.h"

namespace polycast::hw::riscv {

struct iss_options {
    std::uint32_t hart = 0;     ///< mhartid
    cycle run_ahead = 4096;     ///< cycles
    cycle debug_poll = 100000;  ///< cycles between looks at the debugger while the processor sleeps
    format::protection protect = format::protection::none;  ///< code of data memory
};

class iss final : public ni::processor {
public:
    /// \param bus must outlive this. The processor is reset at cycle 0.
    iss(std::shared_ptr<const program> firmware, ni::processor_bus& bus, iss_options options = {});

    void reset(cycle now) override;
    cycle run(cycle until, bool interrupt) override;
    void hold(cycle last) override { hold_ = last; }
    void upset(std::uint32_t word, std::uint32_t bit) override;
    std::uint64_t corrected() const override { return codes_.corrected(); }
    ni::processor_probe probe() const override;
    unsigned step_cost() const override { return 100; }

    /// At most one of each; nullptr removes it. Neither is owned.
    void attach(iss_observer* observer) { observer_ = observer; }
    void attach(iss_debugger* debugger);

    const program& firmware() const { return *program_; }
    /// Asleep in cycle `when`; it may have computed ahead to a sleep that begins later.
    bool asleep(cycle when) const { return sleeping_ && now_ <= when; }

    // What a debugger looks at, between instructions.
    std::uint32_t pc() const { return pc_; }
    void set_pc(std::uint32_t pc);
    std::uint32_t reg(unsigned index) const { return index == 0 ? 0 : registers_[index]; }
    void set_reg(unsigned index, std::uint32_t value) {
        if (index != 0) registers_[index] = value;
    }
    std::optional<std::uint32_t> read_csr(std::uint32_t number) const { return csrs_.read(number, inputs(0)); }
    void write_csr(std::uint32_t number, std::uint32_t value) { csrs_.write(number, value, inputs(0)); }
    std::span<std::uint8_t> data_memory() { return data_; }
    std::span<const std::uint8_t> data_memory() const { return data_; }
    /// One byte as loads see it; nothing if there is none, and for registers, whose reads have effects.
    std::optional<std::uint8_t> peek(std::uint32_t address) const;
    /// \returns false where there is no byte to write: instruction memory is shared, registers have effects.
    bool poke(std::uint32_t address, std::uint8_t value);
    /// The first cycle of the next instruction.
    cycle now() const { return now_; }
    /// Counts what has been executed, one by one while a debugger is attached: instructions, traps, changes of pc.
    std::uint64_t steps() const { return steps_; }
    /// The last data access; bytes = 0 when the last instruction made none. Only with an observer or debugger.
    const data_access& last_access() const { return access_; }

private:
    /// Why execute() returned.
    enum class stop : std::uint8_t { limit, blocked, outside, system, far_jump, self_jump, fetch_fault, data_fault };

    enum class outcome : std::uint8_t { done, blocked, fault };
    struct elsewhere {
        outcome result = outcome::done;
        std::uint32_t value = 0;
        std::uint32_t cycles = 0;
    };

    /// Interprets from pc_, which is in instruction memory. `single`: one instruction, of which `access_` and
    /// `empty_` tell. Otherwise until a jump or branch ends later than `limit`, or anything that is not plain.
    template <bool single>
    stop execute(cycle until, cycle limit);

    elsewhere load_elsewhere(std::uint32_t address, unsigned bytes, cycle when, cycle until);
    elsewhere store_elsewhere(std::uint32_t address, unsigned bytes, std::uint32_t value, cycle when, cycle until);
    template <typename access_part>
    elsewhere access_in_parts(std::uint32_t address, unsigned bytes, cycle when, cycle until, access_part part);
    bool load_part(std::uint32_t address, unsigned bytes, cycle when, std::uint32_t& value);
    bool store_part(std::uint32_t address, unsigned bytes, cycle when, std::uint32_t value);

    /// The interrupt line in the cycles of one call of run().
    struct line_levels {
        cycle until = 0;
        bool before = false;  ///< in cycles before `until`
        bool now = false;     ///< in cycle `until`

        bool at(cycle when) const { return when < until ? before : now; }
    };

    /// One step of the processor: an instruction, an interrupt, many instructions. \returns false when it can go no
    /// further before `resume_`.
    bool advance(const line_levels& line);
    bool high(const line_levels& line, cycle when) const { return line.at(when) && rose_ <= when; }
    bool wake(const line_levels& line);
    bool finish(stop why, const line_levels& line);
    bool system_instruction(const line_levels& line);
    bool csr_instruction(const instruction& decoded, const line_levels& line);
    void far_jump();
    void retire(std::uint32_t next_pc, std::uint32_t cycles);
    void raise(std::uint32_t mcause, std::uint32_t mtval, std::uint32_t cycles);
    void take_interrupt(std::uint32_t cycles);
    void tell_retired(cycle start, std::uint32_t pc);

    /// The clock starts one cycle after the reset: mcycle counts from there.
    static constexpr cycle clock_off_at_reset = 1;
    csr_inputs inputs(std::uint32_t later) const {
        return {now_ + later - start_ - slept_ - clock_off_at_reset, instructions_ + (later != 0 ? 1 : 0), line_};
    }

    std::shared_ptr<const program> program_;
    ni::processor_bus* bus_;
    iss_options options_;
    iss_observer* observer_ = nullptr;
    iss_debugger* debugger_ = nullptr;

    std::uint32_t pc_ = boot_pc;
    cycle now_ = 0;  ///< first cycle of the instruction at pc_; while asleep the first cycle asleep
    std::uint64_t instructions_ = 0;
    std::uint64_t steps_ = 0;
    std::array<std::uint32_t, 33> registers_{};  ///< and the one that takes what is written to x0
    csr_file csrs_;
    std::vector<std::uint8_t> data_;
    ni::coded_words codes_;

    bool line_ = false;  ///< level of the interrupt line in the last cycle that is known
    bool sleeping_ = false;
    bool halted_ = false;
    cycle rose_ = 0;                ///< when it last rose
    cycle hold_ = engine::never;    ///< nothing behind this cycle is computed ahead
    cycle called_ = engine::never;  ///< the last cycle that run() was called for
    std::uint32_t empty_ = 0;       ///< cycles just before now_ in which ID/EX was empty
    cycle start_ = 0;               ///< of the reset
    cycle slept_ = 0;               ///< cycles asleep since then
    cycle resume_ = 0;
    std::uint32_t fault_address_ = 0;
    std::uint32_t fault_cause_ = 0;
    std::uint32_t fault_cycles_ = 0;
    data_access access_;
};

}  // namespace polycast::hw::riscv
