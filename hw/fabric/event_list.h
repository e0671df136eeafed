// SPDX-License-Identifier: Apache-2.0
/// \file A list whose additions cost a store: room is made for many of them before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace polycast::hw::fabric {

template <typename event>
class event_list {
public:
    /// Lets `more` events be added.
    void make_room(std::size_t more) {
        if (size() + more > events_.size()) grow(more);
    }
    /// There is room.
    [[gnu::always_inline]] void add(event what) { *end_++ = what; }
    void clear() { end_ = events_.data(); }

    std::size_t size() const { return static_cast<std::size_t>(end_ - events_.data()); }
    bool empty() const { return end_ == events_.data(); }
    const event* begin() const { return events_.data(); }
    const event* end() const { return end_; }
    std::size_t memory_bytes() const { return events_.capacity() * sizeof(event); }

private:
    [[gnu::noinline]] void grow(std::size_t more) {
        const std::size_t size = this->size();
        events_.resize(std::max(size + more, 2 * events_.size()));
        end_ = events_.data() + size;
    }

    std::vector<event> events_;
    event* end_ = nullptr;
};

}  // namespace polycast::hw::fabric
