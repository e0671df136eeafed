// SPDX-License-Identifier: Apache-2.0
/// \file Events of the reference machine, by time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polycast::hw::programs {

/// An event is an operation that becomes ready, or the message of a send at its receiver.
struct loggops_event {
    std::uint64_t time = 0;
    std::uint64_t number = 0;  ///< given once, kept when the event is put back
    std::uint32_t rank = 0;    ///< of the operation; of a message that of the send
    std::uint32_t index : 31 = 0;
    std::uint32_t message : 1 = 0;

    bool before(const loggops_event& other) const {
        return time != other.time ? time < other.time : number < other.number;
    }
};

/// A heap with four children a node: half the levels of a binary one, and children share a cache line and a half.
class loggops_queue {
public:
    bool empty() const { return heap_.empty(); }
    const loggops_event& top() const { return heap_.front(); }

    void push(const loggops_event& one) {
        heap_.emplace_back();
        rise(heap_.size() - 1, one);
    }

    void pop() {
        const loggops_event last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) sink(last);
    }

    /// The event on top again, at a later time.
    void put_back(std::uint64_t time) {
        loggops_event again = heap_.front();
        again.time = time;
        sink(again);
    }

private:
    void rise(std::size_t at, const loggops_event& one) {
        while (at != 0 && one.before(heap_[(at - 1) / 4])) {
            heap_[at] = heap_[(at - 1) / 4];
            at = (at - 1) / 4;
        }
        heap_[at] = one;
    }

    /// Puts an event on top, and down to where it belongs.
    void sink(const loggops_event& one) {
        const std::size_t size = heap_.size();
        std::size_t at = 0;
        for (;;) {
            const std::size_t first = at * 4 + 1;
            if (first >= size) break;
            std::size_t least = first;
            for (std::size_t child = first + 1; child < std::min(first + 4, size); ++child)
                if (heap_[child].before(heap_[least])) least = child;
            if (!heap_[least].before(one)) break;
            heap_[at] = heap_[least];
            at = least;
        }
        heap_[at] = one;
    }

    std::vector<loggops_event> heap_;
};

}  // namespace polycast::hw::programs
