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
        const std::size_t size = this->size();
        if (size + more <= events_.size()) return;
        events_.resize(std::max(size + more, 2 * events_.size()));
        end_ = events_.data() + size;
    }
    /// There is room.
    void add(const event& what) { *end_++ = what; }
    void clear() { end_ = events_.data(); }

    std::size_t size() const { return static_cast<std::size_t>(end_ - events_.data()); }
    bool empty() const { return end_ == events_.data(); }
    const event* begin() const { return events_.data(); }
    const event* end() const { return end_; }
    std::size_t memory_bytes() const { return events_.capacity() * sizeof(event); }

private:
    std::vector<event> events_;
    event* end_ = nullptr;
};

}  // namespace polycast::hw::fabric
