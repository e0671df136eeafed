// SPDX-License-Identifier: Apache-2.0
/// \file The processors of a rank's host, and what becomes of every cycle of the rank up to its finish.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::hw::programs {

using engine::cycle;

/// What a rank does in a cycle: the first of these that any of its processors does, or else what it waits for.
enum class rank_state : std::uint8_t {
    compute,  ///< calc
    send,     ///< t_hs
    receive,  ///< t_hr
    move,     ///< copy and reduce
    credit,   ///< a send waits for one
    grant,    ///< a long send waits for its receive
    message,  ///< a message, or what the interface and the network do with one
};
inline constexpr std::size_t rank_states = 7;

/// Adds up to the finish exactly: every cycle belongs to one state.
class time_account {
public:
    explicit time_account(std::size_t processors) : served_(processors) {}

    /// A processor is to do `what` from `begin` to `end`; not before what it is to do already, nor before now.
    void serve(std::size_t processor, cycle begin, cycle end, rank_state what) {
        if (begin < end) served_[processor].push_back({begin, end, what});
    }
    /// Goes on to `now`. Call it before what a rank waits for changes.
    void advance(cycle now) {
        while (last_ < now) {
            rank_state what = waiting_;
            cycle until = now;
            for (std::deque<interval>& each : served_) {
                while (!each.empty() && each.front().end <= last_) each.pop_front();
                if (each.empty()) continue;
                const interval& next = each.front();
                if (next.begin <= last_) {
                    what = std::min(what, next.what);
                    until = std::min(until, next.end);
                } else {
                    until = std::min(until, next.begin);
                }
            }
            cycles_[static_cast<std::size_t>(what)] += until - last_;
            last_ = until;
        }
    }
    /// From now on, while no processor does anything.
    void waits_for(rank_state what) { waiting_ = what; }
    /// Nothing before counts.
    void begin(cycle now) { last_ = now; }

    const std::array<cycle, rank_states>& cycles() const { return cycles_; }

private:
    struct interval {
        cycle begin, end;
        rank_state what;
    };
    std::vector<std::deque<interval>> served_;  ///< [processor] in order of time
    std::array<cycle, rank_states> cycles_{};
    cycle last_ = 0;
    rank_state waiting_ = rank_state::message;
};

}  // namespace polycast::hw::programs
