// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/team.h"

#include <algorithm>
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace polycast::hw::engine {

namespace {

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
}

/// Waits until `value` differs from `old`. Spinning alone would stand still for a time slice whenever there are more
/// threads than free processors.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
    constexpr unsigned spins = 300;
    constexpr unsigned yields = 20;
    for (unsigned count = 0; count < spins + yields; ++count) {
        const std::uint32_t now = value.load(std::memory_order_acquire);
        if (now != old) return now;
        if (count < spins) {
            pause();
        } else {
            std::this_thread::yield();
        }
    }
    value.wait(old, std::memory_order_acquire);
    return value.load(std::memory_order_acquire);
}

}  // namespace

void team_mode::took(std::chrono::nanoseconds time) {
    spent_ += time;
    ++windows_;
    // A trial that is four times as slow as usual has lost; waiting for its end could take a time slice each window.
    const bool lost = trial_ && static_cast<double>(spent_.count()) > 4 * usual_ * windows_ && spent_ > batch_time / 4;
    if (spent_ < batch_time && !lost) return;
    const double each = static_cast<double>(spent_.count()) / windows_;
    spent_ = {};
    windows_ = 0;
    end_batch(each);
}

void team_mode::end_batch(double each) {
    if (trial_) {
        trial_ = false;
        if (each < usual_) {
            usual_ = each;
            patience_ = 4;
        } else {
            together_ = !together_;
            patience_ = std::min(2 * patience_, most_batches);
        }
        batches_ = 0;
    } else {
        usual_ = each;
        if (++batches_ == patience_) {
            trial_ = true;
            together_ = !together_;
        }
    }
}

team::team(unsigned members, bool always) : always_(always) {
    for (unsigned member = 1; member < members; ++member) others_.emplace_back([this, member] { serve(member); });
}

team::~team() {
    window_.fetch_add(1, std::memory_order_release);
    window_.notify_all();
}

void team::serve(unsigned member) {
    std::uint32_t seen = 0;
    while (true) {
        seen = wait_for_change(window_, seen);
        if ((seen & 1) != 0) return;
        (*work_)(member);
        if (at_work_.fetch_sub(1, std::memory_order_acq_rel) == 1) at_work_.notify_one();
    }
}

void team::each(const std::function<void(unsigned)>& work) {
    ++windows_;
    const auto begin = std::chrono::steady_clock::now();
    if ((always_ || mode_.together()) && !others_.empty()) {
        ++together_;
        work_ = &work;
        at_work_.store(static_cast<std::uint32_t>(others_.size()), std::memory_order_relaxed);
        window_.fetch_add(2, std::memory_order_release);
        window_.notify_all();
        work(0);
        for (std::uint32_t left = at_work_.load(std::memory_order_acquire); left != 0;)
            left = wait_for_change(at_work_, left);
    } else {
        for (unsigned member = 0; member < members(); ++member) work(member);
    }
    if (!others_.empty()) mode_.took(std::chrono::steady_clock::now() - begin);
}

}  // namespace polycast::hw::engine
