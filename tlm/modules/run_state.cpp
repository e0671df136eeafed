// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/run_state.h"

#include <algorithm>
#include <stdexcept>

namespace polycast::tlm::modules {

run_state::run_state(const sc_core::sc_module_name& name)
    : sc_module(name), bell_("bell"), became_quiet_("became_quiet") {
    SC_METHOD(ring);
    sensitive << bell_;
    dont_initialize();
}

std::size_t run_state::enroll(sc_core::sc_event& wake) {
    wake_.push_back(&wake);
    due_.push_back(no_time);
    planned_.push_back(hw::engine::never);
    return planned_.size() - 1;
}

void run_state::wake(std::size_t member, const sc_core::sc_time& at) {
    const std::uint64_t time = at.value();
    due_[member] = time;
    if (next_.empty() || time < next_at_) {
        for (const std::size_t other : next_) later_.push({next_at_, other});
        next_.assign(1, member);
        next_at_ = time;
        set_bell();
    } else if (time == next_at_) {
        next_.push_back(member);
    } else {
        later_.push({time, member});
        set_bell();
    }
}

/// For the earliest alarm.
void run_state::set_bell() {
    std::uint64_t earliest = next_.empty() ? no_time : next_at_;
    if (!later_.empty()) earliest = std::min(earliest, later_.top().at);
    if (earliest >= bell_at_) return;
    bell_at_ = earliest;
    bell_.notify(sc_core::sc_time::from_value(earliest) - sc_core::sc_time_stamp());
}

/// Unless the member has been woken earlier, or its alarm is in the list twice.
void run_state::ring_member(std::size_t member, std::uint64_t now) {
    if (due_[member] != now) return;
    due_[member] = no_time;
    wake_[member]->notify();
}

void run_state::ring() {
    const std::uint64_t now = bell_at_;
    bell_at_ = no_time;
    if (!next_.empty() && next_at_ == now) {
        ringing_.swap(next_);
        for (const std::size_t member : ringing_) ring_member(member, now);
        ringing_.clear();
    }
    while (!later_.empty() && later_.top().at <= now) {
        ring_member(later_.top().member, now);
        later_.pop();
    }
    set_bell();
}

sc_core::sc_time run_state::next_alarm() {
    std::erase_if(next_, [this](std::size_t member) { return due_[member] != next_at_; });
    while (!later_.empty() && due_[later_.top().member] != later_.top().at) later_.pop();
    std::uint64_t earliest = next_.empty() ? no_time : next_at_;
    if (!later_.empty()) earliest = std::min(earliest, later_.top().at);
    return sc_core::sc_time::from_value(earliest);
}

void run_state::plan(std::size_t member, cycle when) {
    cycle& planned = planned_[member];
    const bool was_awake = planned != hw::engine::never;
    planned = when;
    const bool awake = when != hw::engine::never;
    if (was_awake == awake) return;
    if (awake) {
        ++awake_;
    } else if (--awake_ == 0) {
        became_quiet_.notify(sc_core::SC_ZERO_TIME);
    }
}

run_state::cycle run_state::earliest_of_others(std::size_t member) const {
    cycle earliest = hw::engine::never;
    for (std::size_t other = 0; other < planned_.size(); ++other) {
        if (other != member) earliest = std::min(earliest, planned_[other]);
    }
    return earliest;
}

void run_state::stepped_ahead(std::uint64_t steps, cycle last) {
    chip_steps_ += steps;
    now_ = std::max(now_, last + 1);
}

void run_state::flits_sent(std::uint64_t hops, cycle last) {
    flit_hops_ += hops;
    last_flit_ = std::max(last_flit_, last);
}

void run_state::rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
}

void run_state::fail(std::exception_ptr failure) {
    if (failure_) return;
    failure_ = std::move(failure);
    over_ = true;
    if (sc_core::sc_get_status() != sc_core::SC_STOPPED) sc_core::sc_stop();
}

void run_state::fail(const std::string& message) {
    fail(std::make_exception_ptr(std::runtime_error(message)));
}

}  // namespace polycast::tlm::modules
