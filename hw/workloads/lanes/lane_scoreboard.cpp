// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_scoreboard.h"

namespace polycast::hw::lanes {

namespace {

std::string text_of(std::uint64_t first, std::uint64_t end) {
    return "bytes " + std::to_string(first) + ".." + std::to_string(end - 1);
}

}  // namespace

lane_scoreboard::lane_scoreboard(std::uint64_t payload_seed, std::uint32_t nodes, std::uint64_t bytes)
    : check(payload_seed),
      bytes_(bytes),
      there_(nodes),
      count_(nodes, 0),
      completed_(nodes, engine::never),
      missing_nodes_(nodes - 1) {
    there_[0][0] = bytes;
    count_[0] = bytes;
    completed_[0] = 0;
}

void lane_scoreboard::landed(cycle when, std::uint32_t node, std::uint64_t first, std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return;
    const auto wrong = [&](const std::string& what) {
        fault("cycle " + std::to_string(when) + ", node " + std::to_string(node) + ": " + what);
    };
    const std::uint64_t end = first + bytes.size();
    if (node >= there_.size() || end > bytes_)
        return wrong(text_of(first, end) + " came, which the broadcast does not have");
    checked_ += bytes.size();
    if (const auto place = first_wrong(broadcast_transfer, first, bytes))
        return wrong("byte " + std::to_string(first + *place) + " is wrong");

    // Ranges in the map touch no others.
    std::map<std::uint64_t, std::uint64_t>& there = there_[node];
    auto next = there.lower_bound(first);
    if ((next != there.end() && next->first < end) || (next != there.begin() && std::prev(next)->second > first))
        return wrong(text_of(first, end) + " came, of which some were there");
    std::uint64_t last = end;
    if (next != there.end() && next->first == end) {
        last = next->second;
        next = there.erase(next);
    }
    if (next != there.begin() && std::prev(next)->second == first) {
        std::prev(next)->second = last;
    } else {
        there.emplace(first, last);
    }
    count_[node] += bytes.size();
    if (count_[node] != bytes_) return;
    completed_[node] = when;
    --missing_nodes_;
}

std::string lane_scoreboard::missing() const {
    for (std::size_t node = 0; node < there_.size(); ++node) {
        if (count_[node] == bytes_) continue;
        std::uint64_t first = 0;
        const auto begin = there_[node].begin();
        if (begin != there_[node].end() && begin->first == 0) first = begin->second;
        const auto next = there_[node].lower_bound(first);
        return "node " + std::to_string(node) + " lacks " + std::to_string(bytes_ - count_[node]) + " bytes, first " +
               text_of(first, next == there_[node].end() ? bytes_ : next->first);
    }
    return {};
}

}  // namespace polycast::hw::lanes
