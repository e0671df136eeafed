// SPDX-License-Identifier: Apache-2.0
/// \file A processor's cycles by function.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "hw/riscv/call_tracker.h"

namespace polycast::hw::riscv {

struct function_profile {
    std::string name;  ///< "?" for code without a symbol
    std::uint64_t calls = 0;
    std::uint64_t instructions = 0;
    std::uint64_t exclusive_cycles = 0;  ///< in the function itself, not asleep
    std::uint64_t inclusive_cycles = 0;  ///< and in what it called; interrupts within it count, recursion counts once
};

/// Continues counting after resets.
class profiler final : public call_tracker {
public:
    explicit profiler(const program& firmware);

    void retired(const iss& cpu, const retired_instruction& what) override;
    void trapped(const iss& cpu, const trap& what) override;
    void slept(const iss& cpu, cycle from, cycle to) override;

    /// Functions that ran, those with the most exclusive cycles first. Running ones are counted up to now.
    std::vector<function_profile> functions() const;
    std::uint64_t cycles() const { return awake_; }
    std::uint64_t cycles_asleep() const { return asleep_; }
    std::uint64_t exceptions() const { return exceptions_; }
    std::uint64_t interrupts() const { return interrupts_; }

    /// A table.
    void write(std::ostream& out) const;

private:
    void enter(frame& made, cycle when) override;
    void leave(const frame& ended, cycle when) override;
    std::size_t row(function_index function) const;

    std::vector<function_profile> rows_;  ///< one per function, and one for no_function
    std::vector<unsigned> active_;        ///< frames of each
    std::uint64_t awake_ = 0, asleep_ = 0;
    std::uint64_t exceptions_ = 0, interrupts_ = 0;
};

}  // namespace polycast::hw::riscv
