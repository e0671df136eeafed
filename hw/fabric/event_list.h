// SPDX-License-Identifier: Apache-2.0
/// \file A list whose additions cost a store: room is made for many of them before.
#pragma once

#include <cstddef>
#include <vector>

namespace polycast::hw::fabric {

template <typename event>
class event_list {
public:
    /// Lets `more` events be added.
    void make_room(std::size_t more) {
        if (size_ + more > events_.size()) events_.resize(size_ + more);
    }
    /// There is room.
    void add(const event& what) { events_[size_++] = what; }
    void clear() { size_ = 0; }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const event* begin() const { return events_.data(); }
    const event* end() const { return events_.data() + size_; }
    std::size_t memory_bytes() const { return events_.capacity() * sizeof(event); }

private:
    std::vector<event> events_;
    std::size_t size_ = 0;
};

}  // namespace polycast::hw::fabric
