// SPDX-License-Identifier: Apache-2.0
/// \file Several observers of one network, and the time that they take.
#pragma once

#include <chrono>
#include <vector>

#include "hw/engine/network.h"

namespace polycast::tlm::trace {

/// Forwards to all of them, in the order in which they were added.
class observers final : public hw::engine::observer {
public:
    /// `one` must outlive this.
    void add(hw::engine::observer& one) { all_.push_back(&one); }
    bool empty() const { return all_.empty(); }

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override {
        for (hw::engine::observer* one : all_) one->stepped(id, now, in, out, chip);
    }

private:
    std::vector<hw::engine::observer*> all_;
};

/// Measures the time that an observer takes.
class timed_observer final : public hw::engine::observer {
public:
    /// `one` must outlive this.
    explicit timed_observer(hw::engine::observer& one) : one_(one) {}

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override {
        timed([&] { one_.stepped(id, now, in, out, chip); });
    }

    /// Measures any other work of the observer.
    template <typename work>
    void timed(work&& what) {
        const auto before = clock::now();
        what();
        spent_ += clock::now() - before;
    }

    double seconds() const { return std::chrono::duration<double>(spent_).count(); }

private:
    using clock = std::chrono::steady_clock;

    hw::engine::observer& one_;
    clock::duration spent_{};
};

}  // namespace polycast::tlm::trace
