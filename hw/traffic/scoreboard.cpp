// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/scoreboard.h"

#include <algorithm>

#include "hw/format/header.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

namespace {

constexpr std::size_t most_faults = 20;
constexpr std::uint64_t no_ticket = 0;

std::uint64_t packet_key(std::uint32_t source, std::uint32_t sequence) {
    return std::uint64_t{source} << 32 | sequence;
}

std::string list(const std::vector<std::uint32_t>& hosts) {
    std::string text = hosts.size() == 1 ? "host " : "hosts ";
    constexpr std::size_t most = 8;
    for (std::size_t index = 0; index < std::min(hosts.size(), most); ++index)
        text += (index == 0 ? "" : ", ") + std::to_string(hosts[index]);
    if (hosts.size() > most) text += " and " + std::to_string(hosts.size() - most) + " more";
    return text;
}

}  // namespace

void scoreboard::created(std::uint32_t source, const message& message) {
    const std::uint32_t sequence = next_sequence_[source]++;
    expected_packet expected;
    expected.transfer = message.transfer;
    expected.created = message.created;
    expected.kind = message.kind;
    expected.bytes = message.bytes;
    expected.destinations = message.destinations;
    std::ranges::sort(expected.destinations);
    expected.arrived.resize(expected.destinations.size());
    expected.open = expected.destinations.size();
    expected.flow = random_stream::mix(std::uint64_t{source} << 8 | static_cast<std::uint64_t>(message.kind));
    for (const std::uint32_t destination : expected.destinations)
        expected.flow = random_stream::mix(expected.flow + destination + 1);
    open_transfer& open = open_transfers_[message.transfer];
    if (open.record.copies == 0) {
        open.record.transfer = message.transfer;
        open.record.source = source;
        open.record.created = message.created;
    }
    const auto copies = static_cast<std::uint32_t>(expected.destinations.size());
    open.record.copies += copies;
    open.undelivered += copies;
    counts_.expected += copies;
    if (window_.contains(message.created)) {
        volume_.generated += message.bytes;
        volume_.wanted += std::uint64_t{message.bytes} * copies;
    }
    expected_.emplace(packet_key(source, sequence), std::move(expected));
}

bool scoreboard::intact(const expected_packet& expected, const received_packet& packet) const {
    const format::common_header header = format::read_common(packet.header.data());
    if (!packet.complete || header.kind != expected.kind || header.length != expected.bytes ||
        packet.payload.size() != expected.bytes)
        return false;
    // Behind its port a copy must name this host, and no host that was not asked for.
    if (expected.kind == format::packet_kind::unicast) {
        if (format::destination_of(packet.header.data()) != packet.host) return false;
    } else {
        const std::span<const std::uint8_t> string = packet.header.subspan(format::common_header_bytes);
        for (std::uint32_t host = 0; host < string.size() * 8; ++host) {
            const bool named = (string[host / 8] >> (host % 8) & 1) != 0;
            if (named != (host == packet.host)) return false;
        }
    }
    std::vector<std::uint8_t> payload(expected.bytes);
    fill_payload(payload_seed_, header.source, header.sequence, payload);
    return std::ranges::equal(payload, packet.payload) &&
           packet.check == format::check_word(packet.header.data(), packet.transport.data(), payload);
}

std::uint64_t scoreboard::arrived(engine::cycle now, const received_packet& packet) {
    if (packet.header.size() < format::common_header_bytes) {
        ++counts_.corrupted;
        fault(now, packet, "ends before its header");
        return no_ticket;
    }
    const format::common_header header = format::read_common(packet.header.data());
    const auto found = expected_.find(packet_key(header.source, header.sequence));
    if (found == expected_.end()) {
        const auto source = next_sequence_.find(header.source);
        const bool known = source != next_sequence_.end() && header.sequence < source->second;
        ++(known ? counts_.duplicated : counts_.corrupted);
        fault(now, packet, known ? "was delivered completely before" : "was never sent");
        return no_ticket;
    }
    expected_packet& expected = found->second;
    const auto place = std::ranges::lower_bound(expected.destinations, packet.host);
    if (place == expected.destinations.end() || *place != packet.host) {
        ++counts_.misdelivered;
        fault(now, packet, "was not for this host");
        return no_ticket;
    }
    const auto index = static_cast<std::size_t>(place - expected.destinations.begin());
    if (expected.arrived[index]) {
        ++counts_.duplicated;
        fault(now, packet, "came before");
        return no_ticket;
    }
    if (!intact(expected, packet)) {
        ++counts_.corrupted;
        fault(now, packet, "is damaged");
        return no_ticket;
    }
    std::uint32_t& last = last_of_flow_[random_stream::mix(expected.flow + packet.host)];
    if (header.sequence < last) ++counts_.misordered;
    last = std::max(last, header.sequence + 1);
    expected.arrived[index] = true;
    ++counts_.delivered;
    if (window_.contains(now)) volume_.accepted += expected.bytes;
    const std::uint64_t ticket = next_ticket_++;
    tickets_.emplace(ticket, expected.transfer);
    if (--expected.open == 0) expected_.erase(found);
    return ticket;
}

void scoreboard::delivered(engine::cycle when, std::uint64_t ticket) {
    const auto found = tickets_.find(ticket);
    if (found == tickets_.end()) return;
    const auto open = open_transfers_.find(found->second);
    tickets_.erase(found);
    open->second.record.completed = std::max(open->second.record.completed, when);
    if (--open->second.undelivered != 0) return;
    finished_.push_back(open->second.record);
    open_transfers_.erase(open);
}

delivery_counts scoreboard::counts() const {
    delivery_counts counts = counts_;
    counts.missing = counts.expected - counts.delivered;
    return counts;
}

std::vector<transfer_record> scoreboard::transfers() const {
    std::vector<transfer_record> sorted = finished_;
    std::ranges::sort(sorted, {}, &transfer_record::transfer);
    return sorted;
}

std::string scoreboard::oldest_missing() const {
    const auto oldest = std::ranges::min_element(
        expected_, {}, [](const auto& entry) { return std::pair(entry.second.created, entry.first); });
    if (oldest == expected_.end()) return {};
    const expected_packet& packet = oldest->second;
    std::vector<std::uint32_t> open;
    for (std::size_t index = 0; index < packet.destinations.size(); ++index) {
        if (!packet.arrived[index]) open.push_back(packet.destinations[index]);
    }
    return std::string(format::name_of(packet.kind)) + " packet " + std::to_string(oldest->first & 0xffffffff) +
           " of host " + std::to_string(oldest->first >> 32) + " to " + list(open) + ", created in cycle " +
           std::to_string(packet.created);
}

void scoreboard::fault(engine::cycle now, const received_packet& packet, const std::string& what) {
    if (faults_.size() >= most_faults) return;
    std::string name = "a packet";
    if (packet.header.size() >= format::common_header_bytes) {
        const format::common_header header = format::read_common(packet.header.data());
        name = "packet " + std::to_string(header.sequence) + " of host " + std::to_string(header.source);
    }
    faults_.push_back("cycle " + std::to_string(now) + ": " + name + " at host " + std::to_string(packet.host) + " " +
                      what);
}

}  // namespace polycast::hw::traffic
