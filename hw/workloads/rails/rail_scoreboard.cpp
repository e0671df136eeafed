// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_scoreboard.h"

#include <algorithm>

namespace polycast::hw::rails {

namespace {

std::string name_of(process_id who) {
    return "host " + std::to_string(who.host) + ", process " + std::to_string(who.process);
}

}  // namespace

void rail_scoreboard::add(std::vector<std::uint64_t>& series, cycle when, std::uint64_t bytes) const {
    const std::size_t index = when / interval_;
    if (series.size() <= index) series.resize(index + 1);
    series[index] += bytes;
}

void rail_scoreboard::created(process_id from, const rail_message& message) {
    ++counts_.created;
    add(offered_, message.created, message.bytes);
    open_.add({from, message.number}, {message.to, message.created, message.bytes});
}

void rail_scoreboard::delivered(cycle when, process_id at, process_id from, std::uint32_t number,
                                std::span<const std::uint8_t> bytes) {
    const std::string what = "message " + std::to_string(number) + " of " + name_of(from);
    const expected* const wanted = open_.find({from, number});
    if (wanted == nullptr) {
        const bool known = open_.known({from, number});
        ++(known ? counts_.duplicated : counts_.misdelivered);
        return fault(what + (known ? " came again" : ", which was never sent, came") + " to " + name_of(at) +
                     " in cycle " + std::to_string(when));
    }
    if (wanted->to != at) {
        ++counts_.misdelivered;
        return fault(what + " for " + name_of(wanted->to) + " came to " + name_of(at));
    }
    const std::size_t both = std::min<std::size_t>(bytes.size(), wanted->bytes);
    const std::size_t good = first_wrong(transfer_of(from, number), 0, bytes.first(both)).value_or(both);
    if (good != wanted->bytes || bytes.size() != good) {
        ++counts_.corrupted;
        return fault(what + ": " + std::to_string(bytes.size()) + " of " + std::to_string(wanted->bytes) +
                     " bytes came, byte " + std::to_string(good) + " is the first wrong one");
    }
    ++counts_.delivered;
    add(accepted_, when, wanted->bytes);
    finished_.push_back({from, number, wanted->created, when, wanted->bytes});
    open_.erase({from, number});
}

std::vector<rail_scoreboard::finished_message> rail_scoreboard::unfinished() const {
    std::vector<finished_message> all;
    for (const auto& [what, wanted] : open_)
        all.push_back({what.first, what.second, wanted.created, engine::never, wanted.bytes});
    return all;
}

std::string rail_scoreboard::oldest_missing() const {
    const auto* const oldest = open_.oldest();
    if (oldest == nullptr) return {};
    return "message " + std::to_string(oldest->first.second) + " of " + name_of(oldest->first.first) + " to " +
           name_of(oldest->second.to) + ", created in cycle " + std::to_string(oldest->second.created);
}

}  // namespace polycast::hw::rails
