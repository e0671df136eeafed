// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_scoreboard.h"

#include <algorithm>
#include <cstring>

#include "hw/traffic/random.h"

namespace polycast::hw::broadcast {

broadcast_scoreboard::broadcast_scoreboard(std::uint32_t nodes, std::uint32_t source, unsigned packets, unsigned bytes,
                                           std::uint64_t seed)
    : nodes_(nodes),
      source_(source),
      packets_(packets),
      bytes_(bytes),
      words_((packets + 31) / 32),
      message_(std::size_t{packets} * bytes),
      receipts_(std::size_t{nodes} * words_) {
    for (unsigned packet = 0; packet < packets; ++packet)
        traffic::fill_payload(seed, packet, std::span(message_).subspan(std::size_t{packet} * bytes, bytes));
}

void broadcast_scoreboard::received_again(std::uint32_t node, unsigned packet) {
    const std::lock_guard lock(mutex_);
    again_.push_back({node, packet, "came more than once"});
}

void broadcast_scoreboard::check(std::span<const std::uint8_t> memories) const {
    constexpr std::size_t shown = 5;
    std::vector<fault> faults = again_;
    std::uint64_t count = faults.size();
    const auto found = [&](std::uint32_t node, unsigned packet, const char* what) {
        if (++count <= shown) faults.push_back({node, packet, what});
    };
    const std::size_t size = message_.size();
    if (memories.size() != nodes_ * size) throw delivery_error("the memories of the nodes have another size");
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        const std::uint8_t* memory = memories.data() + node * size;
        const bool same = std::memcmp(memory, message_.data(), size) == 0;
        for (unsigned packet = 0; packet < packets_; ++packet) {
            const std::uint32_t word = receipts_[std::size_t{node} * words_ + packet / 32];
            const bool came = (word >> packet % 32 & 1) != 0;
            if (came == (node == source_)) found(node, packet, came ? "came to the source" : "never came");
            const std::size_t offset = std::size_t{packet} * bytes_;
            if (same || std::memcmp(memory + offset, message_.data() + offset, bytes_) == 0) continue;
            found(node, packet, "has wrong bytes");
        }
    }
    if (count == 0) return;
    std::ranges::stable_sort(faults, {}, [](const fault& one) { return std::pair(one.node, one.packet); });
    std::string text = "broadcast: " + std::to_string(count) + (count == 1 ? " fault" : " faults");
    for (std::size_t index = 0; index < std::min(shown, faults.size()); ++index) {
        const fault& one = faults[index];
        text += (index == 0 ? ": node " : ", node ") + std::to_string(one.node) + ": packet " +
                std::to_string(one.packet) + " " + one.what;
    }
    throw delivery_error(text);
}

std::size_t broadcast_scoreboard::memory_bytes() const {
    return sizeof *this + message_.capacity() + receipts_.capacity() * sizeof(std::uint32_t);
}

}  // namespace polycast::hw::broadcast
