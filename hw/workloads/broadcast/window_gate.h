// SPDX-License-Identifier: Apache-2.0
/// \file Where the threads of a broadcast in steps meet between two steps.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::hw::broadcast {

class window_gate {
public:
    struct vote {
        engine::cycle next = engine::never;  ///< first cycle in which the voter has something to do
        bool failed = false;
    };

    explicit window_gate(std::size_t threads) : votes_(threads) {}

    /// Waits for all threads. `turn`: 0 and 1 by turns. \returns the earliest cycle, and whether any thread has failed;
    /// the same in all of them
    vote agree(std::size_t thread, unsigned turn, const vote& own) {
        votes_[thread].of[turn] = own;
        wait();
        vote all;
        for (const box& one : votes_) all = {std::min(all.next, one.of[turn].next), all.failed || one.of[turn].failed};
        return all;
    }

private:
    /// Of a thread; a slow one may still read the votes of one window while a fast one gives those of the next.
    struct alignas(64) box {
        std::array<vote, 2> of;
    };

    // Spinning alone would stand still for a time slice whenever there are more threads than free processors.
    void wait() {
        const unsigned phase = phase_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == votes_.size()) {
            arrived_.store(0, std::memory_order_relaxed);
            phase_.store(phase + 1, std::memory_order_release);
            return;
        }
        for (unsigned spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins)
            if (spins > 300) std::this_thread::yield();
    }

    std::vector<box> votes_;
    alignas(64) std::atomic<std::size_t> arrived_ = 0;
    alignas(64) std::atomic<unsigned> phase_ = 0;
};

}  // namespace polycast::hw::broadcast
