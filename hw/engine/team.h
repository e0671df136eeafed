// SPDX-License-Identifier: Apache-2.0
/// \file Threads that work side by side for short windows of time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace polycast::hw::engine {

/// Chooses whether a team works side by side or its first member does everything: whatever takes less time. It begins
/// alone and tries the other way now and then, the more seldom the more often it was worse, and gives a bad trial up
/// early; so a team on a busy machine, or with little to do, loses little against a single thread.
class team_mode {
public:
    bool together() const { return together_; }
    /// A window took so long.
    void took(std::chrono::nanoseconds time);

private:
    static constexpr std::chrono::nanoseconds batch_time = std::chrono::milliseconds(2);
    static constexpr unsigned most_batches = 256;

    void end_batch(double each);

    bool together_ = false;
    bool trial_ = false;
    unsigned windows_ = 0;
    std::chrono::nanoseconds spent_{0};
    double usual_ = 0;       ///< nanoseconds of a window in the last batch that was no trial
    unsigned batches_ = 0;   ///< since the last trial
    unsigned patience_ = 1;  ///< batches before the next trial
};

/// A fixed number of threads, the caller's among them. Between windows the others spin for some microseconds, then
/// sleep.
class team {
public:
    /// `always`: side by side, however long it takes.
    explicit team(unsigned members, bool always = false);
    ~team();
    team(const team&) = delete;
    team& operator=(const team&) = delete;

    unsigned members() const { return static_cast<unsigned>(others_.size()) + 1; }

    /// Calls work(0), work(1), ..., each once, and returns when all have returned. `work` must not throw.
    void each(const std::function<void(unsigned member)>& work);

    /// Calls of each() that were done side by side, and all, for benchmarks.
    std::uint64_t windows_together() const { return together_; }
    std::uint64_t windows() const { return windows_; }

private:
    void serve(unsigned member);

    bool always_;
    team_mode mode_;
    std::uint64_t together_ = 0, windows_ = 0;
    const std::function<void(unsigned)>* work_ = nullptr;
    alignas(64) std::atomic<std::uint32_t> window_ = 0;  ///< number of the one that members work in; odd: the end
    alignas(64) std::atomic<std::uint32_t> at_work_ = 0;
    std::vector<std::jthread> others_;
};

}  // namespace polycast::hw::engine
