// SPDX-License-Identifier: Apache-2.0
/// \file Events of the reference machine, by time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

namespace polycast::hw::programs {

/// An event is an operation that becomes ready, or the message of a send at its receiver.
struct loggops_event {
    std::uint64_t time = 0;
    std::uint64_t leads : 1 = 0;    ///< others of its row wait until it has been taken
    std::uint64_t number : 63 = 0;  ///< given once, kept when the event is put back
    std::uint32_t rank = 0;         ///< of the operation; of a message that of the send
    std::uint32_t index : 31 = 0;
    std::uint32_t message : 1 = 0;

    bool before(const loggops_event& other) const {
        return time != other.time ? time < other.time : number < other.number;
    }
};

/// A heap with four children a node: half the levels of a binary one, and children share a cache line and a half.
///
/// Events that wait for the same processor and interface are a row, of which the one with the smallest number leads. It
/// lies in the heap, and for as long as it has to be put back, the others cannot be taken either: they wait behind it
/// when they have been looked at once. So thousands of messages that are sent at once are put back once each, and not
/// each time when one of them is taken. That changes no result: what a row waits for is never free earlier than it was
/// said to be, so an event is taken when what it waits for is free for the first time, in the order of the numbers,
/// however often it was looked at before.
class loggops_queue {
public:
    bool empty() const { return heap_.empty(); }
    const loggops_event& top() const { return heap_.front(); }

    /// An event with the next number.
    void push(std::uint64_t time, std::uint32_t rank, std::uint32_t index, bool message = false) {
        add({time, 0, numbers_++ & ~(std::uint64_t{1} << 63), rank, index & 0x7fffffffu, message});
    }

    /// The event on top has been taken: the next one of its row is looked at now.
    void take(std::uint64_t row) {
        const loggops_event one = top();
        pop();
        if (!one.leads) return;
        waiting& all = rows_.at(row);
        if (all.leader != one.number) return;  // one with a smaller number leads by now
        all.led = !all.behind.empty();
        if (!all.led) return;
        loggops_event next = all.behind.top();
        all.behind.pop();
        all.leader = next.number;
        next.time = one.time;
        next.leads = 1;
        add(next);
    }

    /// The event on top waits with its row, until `ready` at least.
    void wait(std::uint64_t ready, std::uint64_t row) {
        loggops_event one = top();
        one.time = ready;
        waiting& all = rows_[row];
        if (all.led && one.number > all.leader) {
            pop();
            one.leads = 0;
            all.behind.push(one);
            return;
        }
        all.led = true;
        all.leader = one.number;
        one.leads = 1;
        sink(one);
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
    struct by_number {
        bool operator()(const loggops_event& a, const loggops_event& b) const { return a.number > b.number; }
    };
    struct waiting {
        bool led = false;
        std::uint64_t leader = 0;  ///< its number; those behind have larger ones, and one that led before may have
        std::priority_queue<loggops_event, std::vector<loggops_event>, by_number> behind;
    };

    void add(const loggops_event& one) {
        heap_.emplace_back();
        rise(heap_.size() - 1, one);
    }

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
    std::unordered_map<std::uint64_t, waiting> rows_;
    std::uint64_t numbers_ = 0;
};

}  // namespace polycast::hw::programs
