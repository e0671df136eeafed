// SPDX-License-Identifier: Apache-2.0
/// \file Small observers: several at once, a trace of instructions as text, the depth of the stack.
#pragma once

#include <iosfwd>
#include <limits>
#include <vector>

#include "hw/riscv/observer.h"
#include "hw/riscv/program.h"

namespace polycast::hw::riscv {

/// Passes everything on, in the order of add().
class observer_list final : public iss_observer {
public:
    /// Not owned.
    void add(iss_observer& observer) { all_.push_back(&observer); }

    void restarted(const iss& cpu, cycle first) override;
    void retired(const iss& cpu, const retired_instruction& what) override;
    void trapped(const iss& cpu, const trap& what) override;
    void slept(const iss& cpu, cycle from, cycle to) override;

private:
    std::vector<iss_observer*> all_;
};

/// One line per instruction: cycle, pc, function and offset, assembler text, the register it wrote, its memory access.
class instruction_trace final : public iss_observer {
public:
    /// \param out must outlive this \param most lines; then one last line says that there would be more
    explicit instruction_trace(std::ostream& out, std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
        : out_(&out), left_(most) {}

    void restarted(const iss& cpu, cycle first) override;
    void retired(const iss& cpu, const retired_instruction& what) override;
    void trapped(const iss& cpu, const trap& what) override;
    void slept(const iss& cpu, cycle from, cycle to) override;

private:
    bool line();

    std::ostream* out_;
    std::uint64_t left_;
};

/// How much of the stack was used. The stack begins where the stack pointer first points into data memory.
class stack_meter final : public iss_observer {
public:
    void restarted(const iss& cpu, cycle first) override;
    void retired(const iss& cpu, const retired_instruction& what) override;

    std::uint32_t top() const { return top_; }        ///< address; 0 before the stack pointer is set
    std::uint32_t lowest() const { return lowest_; }  ///< address
    std::uint32_t bytes() const { return top_ - lowest_; }
    /// The function that ran at the lowest point: its address, for program::source().
    std::uint32_t lowest_pc() const { return lowest_pc_; }
    /// The stack reached into data or .bss.
    bool overflowed() const { return overflowed_; }

private:
    bool set_ = false;
    std::uint32_t top_ = 0, lowest_ = 0, lowest_pc_ = 0;
    bool overflowed_ = false;
};

}  // namespace polycast::hw::riscv
