// SPDX-License-Identifier: Apache-2.0
/// \file Future events inside one chip, in order of time.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::hw::ni {

using engine::cycle;

/// Shared by the parts of one chip. Equal times keep the order of scheduling.
class timeline {
public:
    /// An object that is called when its time has come.
    class task {
    public:
        virtual ~task() = default;
        virtual void due(cycle when, std::uint64_t tag) = 0;
    };

    /// `when` not before now(). `target` must outlive the timeline or clear().
    void schedule(cycle when, task& target, std::uint64_t tag = 0) { events_.push({when, order_++, &target, tag}); }

    /// Handles everything due up to and including cycle `until`, including what is scheduled meanwhile.
    void run(cycle until) {
        while (!events_.empty() && events_.top().when <= until) {
            const event next = events_.top();
            events_.pop();
            now_ = next.when;
            next.target->due(next.when, next.tag);
        }
        if (until > now_) now_ = until;
    }

    /// Cycle of the next event; never if there is none.
    cycle next() const { return events_.empty() ? engine::never : events_.top().when; }
    /// Cycle being handled.
    cycle now() const { return now_; }
    std::size_t size() const { return events_.size(); }
    void clear() { events_ = {}; }

private:
    struct event {
        cycle when;
        std::uint64_t order;
        task* target;
        std::uint64_t tag;
        bool operator>(const event& other) const {
            return when != other.when ? when > other.when : order > other.order;
        }
    };

    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t order_ = 0;
    cycle now_ = 0;
};

}  // namespace polycast::hw::ni
