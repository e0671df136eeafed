// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/packet_pool.h"

#include <algorithm>

namespace polycast::hw::fabric {

std::size_t packet_pool::live() const {
    std::int64_t all = 0;
    for (const user_state& user : users_) all += user.taken;
    return static_cast<std::size_t>(all);
}

void packet_pool::refill(user_state& own) {
    const std::scoped_lock lock(all_);
    if (free_.empty()) {
        const unsigned highest = highest_bit(next_);
        if (segment& at = segments_[highest]; at.packets == nullptr) {
            at.packets = std::make_unique<packet[]>(std::size_t{1} << highest);
            at.targets = std::make_unique<packet_target[]>(std::size_t{1} << highest);
        }
        next_ += batch;
        for (packet_id id = next_; id-- > next_ - batch;) free_.push_back(id);  // the lowest is taken first
    }
    const auto from = free_.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(batch, free_.size()));
    own.free.insert(own.free.end(), from, free_.end());
    free_.erase(from, free_.end());
}

void packet_pool::spill(user_state& own) {
    const std::scoped_lock lock(all_);
    const auto from = own.free.end() - std::ptrdiff_t{batch};
    free_.insert(free_.end(), from, own.free.end());
    own.free.erase(from, own.free.end());
}

std::size_t packet_pool::memory_bytes() const {
    std::size_t bytes = sizeof *this + users_.capacity() * sizeof(user_state) + free_.capacity() * sizeof(packet_id);
    for (const user_state& user : users_) bytes += user.free.capacity() * sizeof(packet_id);
    for (std::size_t highest = 0; highest < segments_.size(); ++highest)
        if (segments_[highest].packets != nullptr) bytes += (sizeof(packet) + sizeof(packet_target)) << highest;
    return bytes;
}

}  // namespace polycast::hw::fabric
