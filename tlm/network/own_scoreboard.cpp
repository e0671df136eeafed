// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/own_scoreboard.h"

#include <algorithm>

#include "hw/input_error.h"

namespace polycast::tlm::network {

void own_scoreboard::sending(std::uint32_t source, std::uint32_t number, const std::vector<std::uint32_t>& hosts,
                             std::span<const std::uint8_t> bytes) {
    const std::string what = "host " + std::to_string(source) + " cannot send a message " + std::to_string(number);
    if (!own_.contains(source)) throw hw::input_error(what, "only own hosts are expected here");
    const std::set<std::uint32_t> to(hosts.begin(), hosts.end());
    const bool fresh = messages_.insert({{source, number}, {{bytes.begin(), bytes.end()}, to, to}}).second;
    if (!fresh) throw hw::input_error(what + " twice", "count its messages");
    counts_.expected += to.size();
}

void own_scoreboard::delivered(cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                               std::span<const std::uint8_t> data) {
    if (!own_.contains(source)) {
        if (others_ != nullptr) others_->delivered(when, host, source, number, data);
        return;
    }
    const message_id id{source, number};
    const auto found = messages_.find(id);
    if (found == messages_.end() || !found->second.hosts.contains(host)) {
        ++counts_.misdelivered;
        return fault(when, host, id, "nobody has sent it there");
    }
    expected& wanted = found->second;
    if (wanted.missing.erase(host) == 0) {
        ++counts_.duplicated;
        return fault(when, host, id, "it came again");
    }
    until_ = std::max(until_, when + 1);
    const auto differ = hw::delivery::first_difference(data, wanted.bytes);
    ++(differ ? counts_.corrupted : counts_.delivered);
    if (!differ) return;
    fault(when, host, id,
          std::to_string(data.size()) + " bytes came for " + std::to_string(wanted.bytes.size()) +
              ", the first that differs is byte " + std::to_string(*differ));
}

void own_scoreboard::created(std::uint32_t source, const hw::traffic::message& message) {
    if (others_ != nullptr) others_->created(source, message);
}

void own_scoreboard::departed(cycle now, const hw::ni::departed_packet& packet) {
    if (others_ != nullptr && !own_.contains(packet.source)) others_->departed(now, packet);
}

void own_scoreboard::arrived(cycle now, const hw::ni::received_packet& packet) {
    if (others_ == nullptr) return;
    // A header that did not come whole is the others' to complain about.
    const bool readable = packet.header.size() >= hw::format::common_header_bytes;
    if (readable && own_.contains(hw::format::read_common(packet.header.data()).source)) return;
    others_->arrived(now, packet);
}

hw::traffic::copy_counts own_scoreboard::counts() const {
    hw::traffic::copy_counts counts = counts_;
    for (const auto& [id, message] : messages_) counts.missing += message.missing.size();
    return counts;
}

std::vector<std::string> own_scoreboard::faults() const {
    std::vector<std::string> all = faults_.first();
    if (others_ != nullptr) all.insert(all.end(), others_->faults().begin(), others_->faults().end());
    all.resize(std::min(all.size(), hw::delivery::fault_list::most));
    return all;
}

bool own_scoreboard::passed() const {
    return counts().exactly_once() && (others_ == nullptr || others_->counts().exactly_once());
}

bool own_scoreboard::complete() const {
    return counts().missing == 0 && (others_ == nullptr || others_->complete());
}

own_scoreboard::cycle own_scoreboard::delivered_until() const {
    return others_ == nullptr ? until_ : std::max(until_, others_->delivered_until());
}

std::string own_scoreboard::oldest_missing() const {
    for (const auto& [id, message] : messages_) {
        if (message.missing.empty()) continue;
        return "message " + std::to_string(id.second) + " of own host " + std::to_string(id.first) + " to host " +
               std::to_string(*message.missing.begin());
    }
    return others_ == nullptr ? "" : others_->oldest_missing();
}

void own_scoreboard::fault(cycle when, std::uint32_t host, const message_id& id, const std::string& what) {
    faults_.add("cycle " + std::to_string(when) + ", host " + std::to_string(host) + ": message " +
                std::to_string(id.second) + " of own host " + std::to_string(id.first) + ": " + what);
}

}  // namespace polycast::tlm::network
