// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_scoreboard.h"

#include <algorithm>

namespace polycast::hw::rails {

namespace {

constexpr std::size_t most_faults = 20;

std::string name_of(process_id who) {
    return "host " + std::to_string(who.host) + ", process " + std::to_string(who.process);
}

}  // namespace

void rail_scoreboard::fault(const std::string& what) {
    if (faults_.size() < most_faults) faults_.push_back(what);
}

void rail_scoreboard::add(std::vector<std::uint64_t>& series, cycle when, std::uint64_t bytes) const {
    const std::size_t index = when / interval_;
    if (series.size() <= index) series.resize(index + 1);
    series[index] += bytes;
}

void rail_scoreboard::created(process_id from, const rail_message& message) {
    ++counts_.created;
    add(offered_, message.created, message.bytes);
    open_[{from, message.number}] = {message.to, message.created, message.bytes};
    created_of_[from] = message.number + 1;
}

void rail_scoreboard::delivered(cycle when, process_id at, process_id from, std::uint32_t number,
                                std::span<const std::uint8_t> bytes) {
    const std::string what = "message " + std::to_string(number) + " of " + name_of(from);
    const auto found = open_.find({from, number});
    if (found == open_.end()) {
        const auto source = created_of_.find(from);
        const bool known = source != created_of_.end() && number < source->second;
        ++(known ? counts_.duplicated : counts_.misdelivered);
        return fault(what + (known ? " came again" : ", which was never sent, came") + " to " + name_of(at) +
                     " in cycle " + std::to_string(when));
    }
    const expected& wanted = found->second;
    if (wanted.to != at) {
        ++counts_.misdelivered;
        return fault(what + " for " + name_of(wanted.to) + " came to " + name_of(at));
    }
    scratch_.resize(wanted.bytes);
    traffic::fill_payload(payload_seed_, transfer_of(from, number), scratch_);
    if (!std::ranges::equal(scratch_, bytes)) {
        ++counts_.corrupted;
        const auto at_byte = std::ranges::mismatch(scratch_, bytes).in1 - scratch_.begin();
        return fault(what + ": " + std::to_string(bytes.size()) + " of " + std::to_string(wanted.bytes) +
                     " bytes came, byte " + std::to_string(at_byte) + " is the first wrong one");
    }
    ++counts_.delivered;
    add(accepted_, when, wanted.bytes);
    finished_.push_back({from, number, wanted.created, when, wanted.bytes});
    open_.erase(found);
}

std::vector<rail_scoreboard::finished_message> rail_scoreboard::unfinished() const {
    std::vector<finished_message> all;
    for (const auto& [what, wanted] : open_)
        all.push_back({what.first, what.second, wanted.created, engine::never, wanted.bytes});
    return all;
}

std::string rail_scoreboard::oldest_missing() const {
    const auto oldest = std::ranges::min_element(
        open_, [](const auto& a, const auto& b) { return a.second.created < b.second.created; });
    if (oldest == open_.end()) return {};
    return "message " + std::to_string(oldest->first.second) + " of " + name_of(oldest->first.first) + " to " +
           name_of(oldest->second.to) + ", created in cycle " + std::to_string(oldest->second.created);
}

}  // namespace polycast::hw::rails
