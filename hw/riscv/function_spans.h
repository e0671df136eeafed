// SPDX-License-Identifier: Apache-2.0
/// \file When each function ran: bars for a Gantt chart and names for waves, in bounded memory.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "hw/riscv/call_tracker.h"

namespace polycast::hw::riscv {

/// One activation of a function, or one sleep, in cycles [begin, end).
struct function_span {
    cycle begin = 0;
    cycle end = 0;
    function_index function = no_function;
    std::uint16_t depth = 0;  ///< 0: outermost
    bool sleep = false;       ///< waiting for an interrupt; `function` is the one that sleeps
    bool handler = false;     ///< entered by an interrupt or exception

    bool operator==(const function_span&) const = default;
};

/// Keeps the last `capacity` activations that have ended, and those that are running.
class span_recorder final : public call_tracker {
public:
    explicit span_recorder(const program& firmware, std::size_t capacity = 65536)
        : call_tracker(firmware), capacity_(capacity) {}

    void retired(const iss& cpu, const retired_instruction& what) override;
    void trapped(const iss& cpu, const trap& what) override;
    void slept(const iss& cpu, cycle from, cycle to) override;

    /// All that touch cycles [from, to), cut to them, by begin and depth.
    std::vector<function_span> spans(cycle from = 0, cycle to = engine::never) const;
    /// Ended ones that did not fit any more.
    std::uint64_t dropped() const { return dropped_; }
    /// "?" where there is no symbol.
    std::string name_of(function_index function) const;

private:
    void enter(frame& made, cycle when) override;
    void leave(const frame& ended, cycle when) override;
    void keep(const function_span& span);

    std::size_t capacity_;
    std::deque<function_span> ended_;
    std::uint64_t dropped_ = 0;
    cycle last_ = 0;  ///< end of what was seen
};

}  // namespace polycast::hw::riscv
