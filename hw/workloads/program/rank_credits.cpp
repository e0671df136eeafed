// SPDX-License-Identifier: Apache-2.0
// Credits of a rank: messages that others have room for.
#include <algorithm>

#include "hw/workloads/program/program_run.h"
#include "hw/workloads/program/rank.h"

namespace polycast::hw::programs {

bool rank::take_credit(std::uint32_t peer, unsigned queue, applicant who) {
    const std::uint32_t window = rules_.credits.window[peer];
    if (window == 0) return true;
    exchange& between = with(peer, queue);
    if (between.outstanding >= window) {
        between.waiting.push_back(who);
        ++credit_waiting_;
        ++report_.credit_waits;
        look_at_waits();
        return false;
    }
    ++between.outstanding;
    return true;
}

void rank::owe(std::uint32_t peer, unsigned queue) {
    const std::uint32_t window = rules_.credits.window[number_];
    if (window == 0) return;
    exchange& between = with(peer, queue);
    ++between.owed;
    if (between.owed < std::max(1u, window / 2) || between.returning) return;
    between.returning = true;
    schedule(pay_send(0, control_bytes, next_control_), step::credit_paid, std::uint64_t{peer} << 8 | queue);
}

std::uint32_t rank::take_owed(std::uint32_t peer, unsigned queue) {
    if (rules_.credits.window[number_] == 0) return 0;
    exchange& between = with(peer, queue);
    const std::uint32_t all = std::min(between.owed, most_credits);
    between.owed -= all;
    return all;
}

void rank::credited(std::uint32_t peer, unsigned queue, std::uint32_t count) {
    if (count == 0) return;
    exchange& between = with(peer, queue);
    if (count > between.outstanding)
        fail("rank " + std::to_string(peer) + " gives back " + std::to_string(count) + " credits, and has taken " +
             std::to_string(between.outstanding));
    between.outstanding -= std::min(between.outstanding, count);
    while (!between.waiting.empty() && between.outstanding < rules_.credits.window[peer]) {
        const applicant next = between.waiting.front();
        between.waiting.pop_front();
        --credit_waiting_;
        ++between.outstanding;
        if (next.grant) {
            grant_credited(next.index);
            continue;
        }
        note(operation_credited, next.index);
        if (operation_times* const own = times_of(next.index)) own->credited = time_.now();
        ready_.push(next.index);
        wake();
    }
    look_at_waits();
}

}  // namespace polycast::hw::programs
