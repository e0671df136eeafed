// SPDX-License-Identifier: Apache-2.0
/// \file A queue that allocates no memory before its first use, and none after it has reached its maximum length.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <utility>

namespace polycast::hw::ni {

/// First in, first out.
template <typename value>
class growing_queue {
public:
    void push(value item) {
        if (items_.full()) items_.set_capacity(items_.empty() ? 4 : 2 * items_.capacity());
        items_.push_back(std::move(item));
    }
    /// Oldest entry. Not on an empty queue.
    value& front() { return items_.front(); }
    const value& front() const { return items_.front(); }
    value& back() { return items_.back(); }
    void pop() { items_.pop_front(); }
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    void clear() { items_.clear(); }
    std::size_t memory_bytes() const { return items_.capacity() * sizeof(value); }

private:
    boost::circular_buffer<value> items_;
};

}  // namespace polycast::hw::ni
