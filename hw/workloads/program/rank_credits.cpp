// SPDX-License-Identifier: Apache-2.0
// Credits of a rank: messages that others have room for.
#include <algorithm>
#include <utility>

#include "hw/workloads/program/program_run.h"
#include "hw/workloads/program/rank.h"

namespace polycast::hw::programs {

namespace {

/// Messages of nothing but credits that so many may come back in, at most.
std::uint32_t answers_to(std::uint32_t outstanding, std::uint32_t window) {
    return outstanding / credits_of_answer(window);
}

}  // namespace

bool rank::take_credit(std::uint32_t peer, unsigned queue, applicant who) {
    const std::uint32_t window = rules_.credits.window[peer];
    if (window == 0) return true;
    exchange& between = with(peer, queue);
    const bool first = between.waiting.empty() && between.outstanding < window;
    if (first && has_room_for_answer(between, window, queue)) {
        count_out(between, window, queue);
        return true;
    }
    between.waiting.push_back(who);
    if (first) wait_for_answers(peer, queue);
    ++credit_waiting_;
    ++report_.credit_waits;
    look_at_waits();
    return false;
}

/// Whether a rank that sends to many has a buffer for what comes back. It has one in the end, as what it has sent is
/// received, wanted or not, and whoever has got half of a window gives that back.
bool rank::has_room_for_answer(const exchange& between, std::uint32_t window, unsigned queue) const {
    const std::uint32_t most = rules_.credits.answers[number_];
    return most == 0 || queues_[queue].answers < most ||
           answers_to(between.outstanding + 1, window) == answers_to(between.outstanding, window);
}

void rank::count_out(exchange& between, std::uint32_t window, unsigned queue) {
    queues_[queue].answers -= answers_to(between.outstanding, window);
    queues_[queue].answers += answers_to(++between.outstanding, window);
}

void rank::wait_for_answers(std::uint32_t peer, unsigned queue) {
    exchange& between = with(peer, queue);
    if (std::exchange(between.listed, true)) return;
    queues_[queue].unanswered.push_back(peer);
}

void rank::owe(std::uint32_t peer, unsigned queue) {
    const std::uint32_t window = rules_.credits.window[number_];
    if (window == 0) return;
    exchange& between = with(peer, queue);
    ++between.owed;
    if (between.owed < credits_of_answer(window) || between.returning) return;
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
    const std::uint32_t window = rules_.credits.window[peer];
    if (window == 0) return;
    queues_[queue].answers -= answers_to(between.outstanding, window);
    between.outstanding -= std::min(between.outstanding, count);
    queues_[queue].answers += answers_to(between.outstanding, window);
    // First those who have waited for room longer.
    if (!between.waiting.empty()) wait_for_answers(peer, queue);
    std::deque<std::uint32_t>& listed = queues_[queue].unanswered;
    while (!listed.empty()) {
        const std::uint32_t next = listed.front();
        exchange& its = with(next, queue);
        if (!serve_waiting(next, its, queue)) break;
        listed.pop_front();
        its.listed = false;
    }
    look_at_waits();
}

/// Gives credits to those that wait for one. \returns whether nobody waits for room for an answer
bool rank::serve_waiting(std::uint32_t peer, exchange& between, unsigned queue) {
    const std::uint32_t window = rules_.credits.window[peer];
    while (!between.waiting.empty() && between.outstanding < window) {
        if (!has_room_for_answer(between, window, queue)) return false;
        const applicant next = between.waiting.front();
        between.waiting.pop_front();
        --credit_waiting_;
        count_out(between, window, queue);
        if (next.grant) {
            grant_credited(next.index);
            continue;
        }
        note(operation_credited, next.index);
        if (operation_times* const own = times_of(next.index)) own->credited = time_.now();
        ready_.push(next.index);
        wake();
    }
    return true;
}

}  // namespace polycast::hw::programs
