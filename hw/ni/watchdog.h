// SPDX-License-Identifier: Apache-2.0
/// \file Notices that firmware stands still.
#pragma once

#include <cstdint>

#include "hw/ni/timeline.h"

namespace polycast::hw::ni {

/// Expires where firmware has something to do (an event waits, or an operation is under way) and ends no operation for
/// a number of cycles. Between expiry and restart the interface is down.
class watchdog final : private timeline::task {
public:
    /// What it watches, and what happens. Calls come from the timeline.
    class owner {
    public:
        virtual ~owner() = default;
        /// An event waits, or an operation is under way.
        virtual bool working() const = 0;
        virtual void expired(cycle now) = 0;
        virtual void restart(cycle now) = 0;
    };

    /// Both outlive it.
    watchdog(timeline& time, owner& of) : time_(time), of_(of) {}

    /// Cycles until it expires, 0: never; cycles from then to the restart, at least 1.
    void set_limit(std::uint32_t cycles) {
        limit_ = cycles;
        work_came();
    }
    void set_pause(std::uint32_t cycles) { pause_ = cycles; }
    std::uint32_t limit() const { return limit_; }
    std::uint32_t pause() const { return pause_; }
    bool on() const { return limit_ != 0; }
    bool down() const { return down_; }
    /// Restarts so far.
    std::uint32_t restarts() const { return down_ ? expiries_ - 1 : expiries_; }
    /// How often it has expired: each is followed by a restart.
    std::uint32_t expiries() const { return expiries_; }

    /// Firmware has ended an operation.
    void progressed() { since_ = time_.now(); }
    /// Firmware has something to do that had nothing.
    void work_came();
    /// Firmware has given up: it expires in this cycle.
    void give_up();
    /// As after construction, but for the limits.
    void reset();

private:
    void due(cycle when, std::uint64_t tag) override;
    void go_down(cycle now);

    timeline& time_;
    owner& of_;
    std::uint32_t limit_ = 0;
    std::uint32_t pause_ = 1;
    cycle since_ = 0;
    bool armed_ = false;
    bool down_ = false;
    bool gave_up_ = false;
    std::uint32_t expiries_ = 0;
    std::uint64_t epoch_ = 0;  ///< of what is on the timeline
};

}  // namespace polycast::hw::ni
