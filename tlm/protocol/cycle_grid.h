// SPDX-License-Identifier: Apache-2.0
/// \file Clock cycles in simulated time.
#pragma once

#include <cstdint>
#include <systemc>

#include "hw/engine/chip.h"
#include "hw/input_error.h"

namespace polycast::tlm::protocol {

/// Cycle t of a clock with period T lasts from t T to (t + 1) T. Pins change at t T; chips sample them, are stepped, in
/// the middle, at t T + T / 2: whatever is sent in that moment cannot arrive before the next cycle, so the order of
/// processes never matters, and no delta cycles are counted.
class cycle_grid {
public:
    using cycle = hw::engine::cycle;

    /// \throws input_error unless `period` is an even number, 2 or more, of SystemC's time resolution.
    explicit cycle_grid(const sc_core::sc_time& period) : period_(period.value()) {
        if (period_ < 2 || period_ % 2 != 0) {
            throw hw::input_error("a clock period of " + period.to_string() + " cannot be halved",
                                  "take an even number of " + sc_core::sc_get_time_resolution().to_string());
        }
    }

    /// First cycle that is sampled after `time`.
    cycle cycle_at(const sc_core::sc_time& time) const {
        // Nearly all times lie a few cycles after one asked for before, and divisions are slow.
        const std::uint64_t shifted = time.value() + period_ / 2;
        std::uint64_t rest = shifted - known_start_;
        if (shifted < known_start_ || rest >= far * period_) {
            known_ = shifted / period_;
            known_start_ = known_ * period_;
            return known_;
        }
        cycle found = known_;
        for (; rest >= period_; rest -= period_) ++found;
        return found;
    }

    /// When the pins of cycle `when` change.
    sc_core::sc_time start_of(cycle when) const { return sc_core::sc_time::from_value(when * period_); }

    /// When chips sample the pins of cycle `when`.
    sc_core::sc_time sampling_of(cycle when) const {
        return sc_core::sc_time::from_value(when * period_ + period_ / 2);
    }

    sc_core::sc_time cycles(cycle count) const { return sc_core::sc_time::from_value(count * period_); }
    sc_core::sc_time period() const { return cycles(1); }

    /// First cycle that SystemC's time cannot express.
    cycle limit() const { return ~std::uint64_t{0} / period_ - 1; }

private:
    static constexpr std::uint64_t far = 8;  // cycles

    std::uint64_t period_;
    mutable cycle known_ = 0;
    mutable std::uint64_t known_start_ = 0;  ///< of cycle known_, half a period early
};

}  // namespace polycast::tlm::protocol
