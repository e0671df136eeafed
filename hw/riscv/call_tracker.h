// SPDX-License-Identifier: Apache-2.0
/// \file Tracks the running functions: calls, returns, tail calls and traps, found in the instructions as they retire.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/riscv/observer.h"
#include "hw/riscv/program.h"

namespace polycast::hw::riscv {

/// Number of a function in image::functions; `no_function` if the symbol table has none.
using function_index = std::uint32_t;
inline constexpr function_index no_function = ~0u;

/// Follows the standard calling convention: a call writes ra (or t0), a return jumps to it. A jump into another
/// function replaces the running one (a tail call). A return that fits an outer call closes all within.
class call_tracker : public iss_observer {
public:
    explicit call_tracker(const program& firmware) : program_(&firmware) {}

    void restarted(const iss& cpu, cycle first) override;
    void retired(const iss& cpu, const retired_instruction& what) override;
    void trapped(const iss& cpu, const trap& what) override;

protected:
    struct frame {
        function_index function = no_function;
        std::uint32_t return_address = 0;
        bool handler = false;  ///< entered by a trap, left by mret
        cycle entered = 0;
        std::uint64_t mark = 0;  ///< for derived classes
    };

    /// Deepest nesting that is tracked; deeper calls, mostly exceptions in exception handlers, start anew.
    static constexpr std::size_t deepest = 256;

    /// `made` is the last of frames().
    virtual void enter(frame& made, cycle when) = 0;
    /// `ended` is the last of frames(), about to be removed.
    virtual void leave(const frame& ended, cycle when) = 0;

    /// From the outermost on; empty before the first reset was seen.
    const std::vector<frame>& frames() const { return frames_; }
    const program& firmware() const { return *program_; }

    function_index index_at(std::uint32_t pc) const;

private:
    bool runs_in_current(std::uint32_t pc) const;
    void push(std::uint32_t pc, std::uint32_t return_address, bool handler, cycle when);
    void pop(cycle when);
    void replace(std::uint32_t pc, cycle when);
    /// Closes the innermost frame that `which` accepts and all within. \returns false when there is none
    template <typename predicate>
    bool close(predicate which, cycle when);

    const program* program_;
    std::vector<frame> frames_;
};

}  // namespace polycast::hw::riscv
