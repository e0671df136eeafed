// SPDX-License-Identifier: Apache-2.0
/// \file One direction of the wire between two link ends, and what spoils it.
#pragma once

#include <algorithm>
#include <utility>

#include "hw/chips/link/link_symbol.h"

namespace polycast::hw::chips {

/// Faults of one direction. Cycles are those of the receiving end's input pins.
class wire_faults {
public:
    virtual ~wire_faults() = default;
    /// Spoils what is on the pins in cycle `now`; asked once a cycle at most, in the order of cycles.
    virtual void apply(engine::cycle now, link_symbol& symbol, bool& signal) = 0;
    /// The first cycle behind `now` (never: from 0 on) in which apply() changes an idle symbol, or a signal that is as
    /// it was.
    virtual engine::cycle next(engine::cycle now) const = 0;
};

class link_wire {
public:
    explicit link_wire(unsigned delay) : delay_(delay) {}

    /// \param faults outlives the wire; null: none
    void attach(wire_faults* faults) { faults_ = faults; }
    void reset() {
        symbols_.clear();
        signal_ = true;
    }

    /// A symbol that was chosen in cycle `now`.
    void send(engine::cycle now, link_symbol&& symbol) {
        if (symbol.kind != symbol_kind::idle) symbols_.emplace_back(now + 1 + delay_, std::move(symbol));
    }
    /// Nothing arrives in cycle `now`, and nobody could spoil that.
    bool quiet(engine::cycle now) const {
        return faults_ == nullptr && (symbols_.empty() || symbols_.front().first != now);
    }
    /// The input pins of the other end in cycle `now`. \returns true if they say something
    bool arrive(engine::cycle now, link_symbol& symbol, bool& signal) {
        if (!symbols_.empty() && symbols_.front().first == now) {
            symbol = std::move(symbols_.front().second);
            symbols_.pop_front();
        } else {
            symbol = {};
        }
        bool level = signal_;
        if (faults_ != nullptr) faults_->apply(now, symbol, level);
        const bool changed = level != signal_;
        signal = signal_ = level;
        return changed || symbol.kind != symbol_kind::idle;
    }
    /// What was sent in cycle `now`, the last one; null: nothing. Valid until the next arrive().
    const link_symbol* sent(engine::cycle now) const {
        const bool fresh = !symbols_.empty() && symbols_.back().first == now + 1 + delay_;
        return fresh ? &symbols_.back().second : nullptr;
    }
    /// In the last cycle.
    bool signal() const { return signal_; }
    bool holds_flits() const {
        return std::any_of(symbols_.begin(), symbols_.end(),
                           [](const auto& each) { return each.second.kind == symbol_kind::flit; });
    }
    engine::cycle wake(engine::cycle now) const {
        const engine::cycle next = faults_ != nullptr ? faults_->next(now) : engine::never;
        return symbols_.empty() ? next : std::min(next, symbols_.front().first);
    }

private:
    unsigned delay_;
    wire_faults* faults_ = nullptr;
    symbol_queue<std::pair<engine::cycle, link_symbol>> symbols_;  ///< with the cycle of their arrival
    bool signal_ = true;                                           ///< in the last cycle
};

}  // namespace polycast::hw::chips
