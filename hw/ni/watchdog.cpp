// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/watchdog.h"

#include <algorithm>

namespace polycast::hw::ni {

void watchdog::work_came() {
    since_ = time_.now();
    if (!on() || armed_ || down_ || gave_up_) return;
    armed_ = true;
    time_.schedule(since_ + limit_, *this, epoch_);
}

void watchdog::give_up() {
    if (!on() || down_) return;
    // Not in the middle of what firmware does.
    gave_up_ = true;
    time_.schedule(time_.now(), *this, ++epoch_);
}

void watchdog::reset() {
    armed_ = down_ = gave_up_ = false;
    since_ = time_.now();
    ++epoch_;
}

void watchdog::go_down(cycle now) {
    armed_ = gave_up_ = false;
    down_ = true;
    ++expiries_;
    time_.schedule(now + std::max(pause_, 1u), *this, ++epoch_);
    of_.expired(now);
}

void watchdog::due(cycle when, std::uint64_t tag) {
    if (tag != epoch_) return;
    if (down_) {
        down_ = false;
        of_.restart(when);
        if (of_.working()) work_came();
    } else if (gave_up_) {
        go_down(when);
    } else if (!on() || !of_.working()) {
        armed_ = false;  // until there is work again
    } else if (when < since_ + limit_) {
        time_.schedule(since_ + limit_, *this, epoch_);
    } else {
        go_down(when);
    }
}

}  // namespace polycast::hw::ni
