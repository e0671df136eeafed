// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/packet_pool.h"

#include <algorithm>
#include <new>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::fabric {

std::size_t packet_pool::live() const {
    std::int64_t all = 0;
    for (const user_state& user : users_) all += user.taken;
    return static_cast<std::size_t>(all);
}

void packet_pool::refill(user_state& own) {
    const std::scoped_lock lock(all_);
    if (free_.empty()) {
        if (next_ == most)
            throw input_error("fabric: more than " + std::to_string(most) + " packets wait", "lower the load");
        records<packet>& packets = packets_[next_ / chunk];
        records<packet_target>& targets = targets_[next_ / chunk];
        if (packets == nullptr) {
            packets.reset(static_cast<packet*>(std::malloc(chunk * sizeof(packet))));
            targets.reset(static_cast<packet_target*>(std::malloc(chunk * sizeof(packet_target))));
            if (packets == nullptr || targets == nullptr) throw std::bad_alloc();
        }
        std::uninitialized_value_construct_n(packets.get() + next_ % chunk, batch);
        std::uninitialized_value_construct_n(targets.get() + next_ % chunk, batch);
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
    bytes += packets_.capacity() * (sizeof(records<packet>) + sizeof(records<packet_target>)) +
             (next_ - first_handle) * (sizeof(packet) + sizeof(packet_target));
    return bytes;
}

}  // namespace polycast::hw::fabric
