// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_scoreboard.h"

#include <algorithm>

#include "hw/traffic/random.h"

namespace polycast::hw::broadcast {

broadcast_scoreboard::broadcast_scoreboard(std::uint32_t nodes, std::uint32_t source, unsigned packets, unsigned bytes,
                                           std::uint64_t seed)
    : check(seed),
      nodes_(nodes),
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
    again_.emplace_back(node, packet);
}

void broadcast_scoreboard::compare(std::span<const std::uint8_t> memories) {
    const std::size_t size = message_.size();
    if (memories.size() != nodes_ * size) throw delivery_error("the memories of the nodes have another size");
    std::ranges::sort(again_);
    auto again = again_.begin();
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        const std::span<const std::uint8_t> memory = memories.subspan(node * size, size);
        const bool same = std::ranges::equal(memory, message_);
        for (unsigned packet = 0; packet < packets_; ++packet) {
            const auto found = [&](const char* what) {
                fault(
                    [&] { return "node " + std::to_string(node) + ": packet " + std::to_string(packet) + " " + what; });
            };
            for (; again != again_.end() && *again == std::pair(node, packet); ++again) found("came more than once");
            const std::uint32_t word = receipts_[std::size_t{node} * words_ + packet / 32];
            const bool came = (word >> packet % 32 & 1) != 0;
            if (came == (node == source_)) found(came ? "came to the source" : "never came");
            if (!same && first_wrong(packet, 0, memory.subspan(std::size_t{packet} * bytes_, bytes_)))
                found("has wrong bytes");
        }
    }
    if (fault_count() == 0) return;
    constexpr std::size_t shown = 5;
    std::string text = "broadcast: " + std::to_string(fault_count()) + (fault_count() == 1 ? " fault" : " faults");
    for (std::size_t index = 0; index < std::min(shown, faults().size()); ++index)
        text += (index == 0 ? ": " : ", ") + faults()[index];
    throw delivery_error(text);
}

std::size_t broadcast_scoreboard::memory_bytes() const {
    return sizeof *this + message_.capacity() + receipts_.capacity() * sizeof(std::uint32_t);
}

}  // namespace polycast::hw::broadcast
