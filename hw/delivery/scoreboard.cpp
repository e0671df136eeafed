// SPDX-License-Identifier: Apache-2.0
#include "hw/delivery/scoreboard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hw/format/check_word.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

namespace {

std::string list(const std::vector<std::uint32_t>& hosts) {
    std::string text = hosts.size() == 1 ? "host " : "hosts ";
    constexpr std::size_t most = 8;
    for (std::size_t index = 0; index < std::min(hosts.size(), most); ++index)
        text += (index == 0 ? "" : ", ") + std::to_string(hosts[index]);
    if (hosts.size() > most) text += " and " + std::to_string(hosts.size() - most) + " more";
    return text;
}

const char* name_of(message_kind kind, format::packet_kind packets) {
    if (kind == message_kind::group) return "group";
    switch (packets) {
        case format::packet_kind::unicast: return "unicast";
        case format::packet_kind::tree: return "tree";
        case format::packet_kind::ssr: return "SSR";
        case format::packet_kind::path: return "path";
        case format::packet_kind::broadcast: return "broadcast";
        case format::packet_kind::pipelined: return "pipelined";
        case format::packet_kind::lid: return "LID";
    }
    return "?";
}

/// Null where the host is none of them.
template <typename list>
auto find_receiver(list& receivers, std::uint32_t host) -> decltype(&receivers.front()) {
    const auto place = std::ranges::lower_bound(receivers, host, {}, [](const auto& each) { return each.host; });
    return place == receivers.end() || place->host != host ? nullptr : &*place;
}

std::string name_of(std::uint32_t source, std::uint32_t number) {
    return "message " + std::to_string(number) + " of host " + std::to_string(source);
}

}  // namespace

copy_counts& copy_counts::operator+=(const copy_counts& more) {
    expected += more.expected;
    delivered += more.delivered;
    missing += more.missing;
    duplicated += more.duplicated;
    corrupted += more.corrupted;
    misdelivered += more.misdelivered;
    return *this;
}

reliable_counts& reliable_counts::operator+=(const reliable_counts& more) {
    acknowledged += more.acknowledged;
    failed += more.failed;
    broken += more.broken;
    receipts += more.receipts;
    probes += more.probes;
    declines += more.declines;
    repairs += more.repairs;
    repeated += more.repeated;
    return *this;
}

delivery_counts& delivery_counts::operator+=(const delivery_counts& more) {
    copy_counts::operator+=(more);
    misordered += more.misordered;
    overtaken += more.overtaken;
    lost += more.lost;
    worms += more.worms;
    worms_duplicated += more.worms_duplicated;
    told += more.told;
    reliable += more.reliable;
    messages += more.messages;
    return *this;
}

/// Multicasts by unicasts have receivers behind it.
bool scoreboard::is_lost(std::uint32_t source, const message& message) const {
    if (!facts_.lost || facts_.reliable || message.all_copies() != 1) return false;
    const std::uint32_t dlid =
        message.stops.empty() ? facts_.lids->to(message.destinations.front(), source).dlid : message.stops.front().chip;
    return facts_.lost->contains({source, dlid});
}

void scoreboard::created(std::uint32_t source, const message& message) {
    if (is_lost(source, message)) {
        counts_.lost += packets_of(message.bytes);
        lost_.emplace(message_id(source, message.number), message.destinations);
        return;
    }
    expected_message expected;
    expected.transfer = message.transfer;
    expected.created = message.created;
    expected.kind = message.kind;
    if (message.kind != message_kind::unicast) expected.packets = message.worm;
    if (message.kind == message_kind::worm) expected.stops = message.stops;
    const bool by_lid = expected.packets == format::packet_kind::lid;
    if (by_lid)
        expected.packets = message.stops.front().chip < format::first_multicast_lid ? format::packet_kind::unicast
                                                                                    : format::packet_kind::ssr;
    if (message.kind == message_kind::group || message.reliable) expected.group = message.group;
    if (message.kind == message_kind::group) expected.hops = message.hops;
    expected.reliable = message.reliable;
    if (message.reliable) tagged_[{source, message.tag}].push_back(message.number);
    expected.bytes = message.bytes;
    expected.tag = message.tag;
    expected.flow = random_stream::mix(std::uint64_t{source} << 8 | static_cast<std::uint64_t>(message.kind));
    std::vector<std::uint32_t> destinations = message.destinations;
    std::ranges::sort(destinations);
    for (const std::uint32_t destination : destinations) {
        expected.receivers.push_back({destination, 0, false, false, 0});
        expected.flow = random_stream::mix(expected.flow + destination + 1);
    }
    if (by_lid)  // other service levels have other lanes
        expected.flow =
            random_stream::mix(expected.flow + (message.stops.front().ports << 16 | message.stops.front().chip));
    const std::uint64_t packets = packets_of(message.bytes);
    expected.open = destinations.size() * (packets + 1);
    if (message.kind == message_kind::worm && expected.packets != format::packet_kind::unicast)
        counts_.worms += packets;
    const auto [open, first] = open_transfers_.try_emplace(message.transfer);
    if (first) {
        const std::uint32_t copies = message.all_copies();
        open->second = {{message.transfer, source, copies, message.created, 0}, copies, 0, 0, false};
        counts_.expected += packets * copies;
        counts_.messages.expected += copies;
        if (window_.contains(message.created)) {
            volume_.generated += message.bytes;
            volume_.wanted += std::uint64_t{message.bytes} * copies;
        }
    }
    open->second.asked += static_cast<std::uint32_t>(destinations.size());
    settle(open->second);
    expected_.add({source, message.number}, std::move(expected));
}

bool scoreboard::wants(const expected_message& expected, std::uint32_t host) const {
    return find_receiver(expected.receivers, host) != nullptr;
}

/// First packet that a source has not sent on one of the worms of a message.
std::uint32_t& scoreboard::sent_on(expected_message& message, std::uint32_t route) {
    const auto found = std::ranges::find(message.sent, route, &sent_worm::route);
    return found != message.sent.end() ? found->next : message.sent.emplace_back(route, 0).next;
}

/// What a source sends for the second time, or as a unicast though the message is none.
void scoreboard::departed(engine::cycle /*now*/, const ni::departed_packet& packet) {
    if (facts_.reliable) {
        if (!packet.reliable || packet.host != packet.source) return;
        const bool worm = packet.kind != format::packet_kind::unicast;
        const auto tagged = tagged_.find({packet.source, packet.tag});
        if (tagged == tagged_.end()) return;
        const std::uint32_t index = packet.offset / payload_bytes_;
        for (const std::uint32_t number : tagged->second) {
            expected_message* const found = expected_.find({packet.source, number});
            if (found == nullptr || found->group != packet.group) continue;
            receiver* const to = worm ? nullptr : find_receiver(found->receivers, packet.destination);
            if (!worm && to == nullptr) continue;
            const bool direct = found->kind != message_kind::unicast && packet.hops == 0;
            std::uint32_t& sent = worm ? sent_on(*found, packet.route) : to->sent;
            if (index < sent || (!worm && direct)) ++counts_.reliable.repairs;
            sent = std::max(sent, index + 1);
            return;
        }
        ++counts_.reliable.repairs;  // all is there: nothing else would be sent
        return;
    }
    if (!facts_.kept_vcs) return;
    const std::uint64_t pair = random_stream::mix(std::uint64_t{packet.host} << 32 | packet.destination);
    const std::uint64_t flow = random_stream::mix(pair + (std::uint64_t{packet.vc_class} << 8 | packet.vc));
    entered_[{packet.source, packet.message, packet.offset, packet.destination}] = {flow, ++entrances_};
}

void scoreboard::check_entrance(engine::cycle now, const ni::received_packet& packet, const message_id& id) {
    const auto found = entered_.find({id.first, id.second, packet.transport.offset, packet.host});
    if (found == entered_.end()) return;
    std::uint64_t& last = last_entered_[found->second.flow];
    if (found->second.number < last) {
        ++counts_.overtaken;
        packet_fault(now, packet, "came behind a later one of its virtual channel");
    }
    last = std::max(last, found->second.number);
    entered_.erase(found);
}

void scoreboard::arrived(engine::cycle now, const ni::received_packet& packet) {
    if (packet.header.size() < format::common_header_bytes) {
        ++counts_.corrupted;
        packet_fault(now, packet, "ends before its header");
        return;
    }
    const format::common_header header = format::read_common(packet.header.data());
    if (facts_.reliable && !packet.transport.reliable) return control(packet);
    const message_id id(header.source, facts_.reliable ? number_of(header.source, packet.transport.tag, packet.host)
                                                       : packet.transport.message);
    expected_message* const found = expected_.find(id);
    const auto lost = lost_.find(id);
    if (lost != lost_.end()) {
        if (std::ranges::find(lost->second, packet.host) == lost->second.end()) return;
        ++counts_.misdelivered;
        packet_fault(now, packet, "came though the tables lead it nowhere");
        return;
    }
    if (found == nullptr) {
        if (expected_.known(id)) return duplicate(now, packet, "came after its message was complete");
        ++counts_.corrupted;
        packet_fault(now, packet, "was never sent");
        return;
    }
    expected_message& expected = *found;
    receiver* const at = find_receiver(expected.receivers, packet.host);
    if (at == nullptr) {
        ++counts_.misdelivered;
        packet_fault(now, packet, "was not for this host");
        return;
    }
    const std::uint32_t index = packet.transport.offset / payload_bytes_;
    if (index < at->next || expected.early.contains({packet.host, index})) {
        return duplicate(now, packet, "came before");
    }
    if (!intact(expected, packet)) {
        ++counts_.corrupted;
        packet_fault(now, packet, "is damaged");
        return;
    }
    const std::uint64_t place = (std::uint64_t{id.second} << 32 | index) + 1;
    std::uint64_t& last = last_of_flow_[random_stream::mix(expected.flow + packet.host)];
    if (place < last && !facts_.reliable) ++counts_.misordered;
    last = std::max(last, place);
    check_entrance(now, packet, id);
    if (index == at->next) {
        ++at->next;
        while (expected.early.erase({packet.host, at->next}) != 0) ++at->next;
    } else {
        expected.early.emplace(packet.host, index);
    }
    ++counts_.delivered;
    if (window_.contains(now)) volume_.accepted += packet.payload.size();
    close(id, expected);
}

/// Number of the reliable message of a tag that goes to a host, or of any that has the tag, or none.
std::uint32_t scoreboard::number_of(std::uint32_t source, std::uint32_t tag, std::uint32_t host) const {
    const auto tagged = tagged_.find({source, tag});
    if (tagged == tagged_.end()) return ~0u;
    for (const std::uint32_t number : tagged->second) {
        const expected_message* const found = expected_.find({source, number});
        if (found != nullptr && wants(*found, host)) return number;
    }
    return tagged->second.front();
}

/// A packet between two firmwares, or one that is damaged, which its receiver will drop.
void scoreboard::control(const ni::received_packet& packet) {
    constexpr unsigned receipt = 32, probe = 33, declined = 34;  // firmware/control.h
    std::array<std::uint8_t, format::transport_bytes> bytes;
    format::write_transport(packet.transport, bytes.data());
    if (!packet.complete || packet.transport.op != format::transport_op::control ||
        packet.check != format::check_word(facts_.check, packet.header, bytes.data(), packet.body()))
        return;
    const unsigned word = packet.transport.group & 0xff;
    counts_.reliable.receipts += word == receipt ? 1 : 0;
    counts_.reliable.probes += word == probe ? 1 : 0;
    counts_.reliable.declines += word == declined ? 1 : 0;
}

void scoreboard::duplicate(engine::cycle now, const ni::received_packet& packet, const char* what) {
    if (facts_.reliable) {
        ++counts_.reliable.repeated;
        return;
    }
    ++counts_.duplicated;
    const std::uint32_t source = format::read_common(packet.header.data()).source;
    const bool first =
        duplicated_worms_.emplace(source, packet.transport.message, packet.transport.offset / payload_bytes_).second;
    if (first) ++counts_.worms_duplicated;
    if (!facts_.count_duplicates) packet_fault(now, packet, what);
}

void scoreboard::delivered(engine::cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                           std::span<const std::uint8_t> data) {
    const message_id id(source, facts_.reliable ? number_of(source, number, host) : number);
    const std::string at = " at host " + std::to_string(host);
    expected_message* const found = expected_.find(id);
    if (found == nullptr) {
        const bool known = expected_.known(id);
        ++(known ? counts_.messages.duplicated : counts_.messages.corrupted);
        if (!known || !facts_.count_duplicates)
            fault(when, name_of(source, number) + at + (known ? " was complete before" : " was never sent"));
        return;
    }
    expected_message& expected = *found;
    receiver* const to = find_receiver(expected.receivers, host);
    if (to == nullptr) {
        ++counts_.messages.misdelivered;
        fault(when, name_of(source, number) + at + " was not for this host");
        return;
    }
    if (to->delivered) {
        ++counts_.messages.duplicated;
        if (!facts_.count_duplicates) fault(when, name_of(source, number) + at + " came before");
        return;
    }
    if (data.size() != expected.bytes || first_wrong(expected.transfer, 0, data)) {
        ++counts_.messages.corrupted;
        fault(when, name_of(source, number) + at + " is not what was sent");
        return;
    }
    to->delivered = true;
    ++counts_.messages.delivered;
    const auto open = open_transfers_.find(expected.transfer);
    const bool was_lost = std::exchange(to->lost, false);
    close(id, expected);
    if (was_lost) --counts_.told;
    if (open == open_transfers_.end()) return;
    open_transfer& transfer = open->second;
    transfer.record.completed = std::max(transfer.record.completed, when);
    --transfer.undelivered;
    if (was_lost) --transfer.lost;
    settle(transfer);
    if (transfer.undelivered != 0) return;
    finished_.push_back(open->second.record);
    open_transfers_.erase(open);
}

void scoreboard::lost(std::uint32_t host, std::uint32_t source, std::uint32_t number) {
    if (facts_.waits_for_lost) return;
    const bool tagged = facts_.reliable && host != source;
    expected_message* const found = expected_.find({source, tagged ? number_of(source, number, host) : number});
    if (found == nullptr) return;
    for (receiver& to : found->receivers)
        if (host == source || host == to.host) lose(*found, to);
}

void scoreboard::lose(const expected_message& expected, receiver& to) {
    if (to.delivered || to.lost) return;
    to.lost = true;
    ++counts_.told;
    const auto open = open_transfers_.find(expected.transfer);
    if (open == open_transfers_.end()) return;
    ++open->second.lost;
    settle(open->second);
}

/// What a host would send on that lacks the message is never sent.
void scoreboard::settle(open_transfer& transfer) {
    const std::uint32_t never = transfer.lost == 0 ? 0 : transfer.record.copies - transfer.asked;
    const bool waits = transfer.undelivered > transfer.lost + never;
    if (waits && !transfer.waits) ++waiting_;
    if (!waits && transfer.waits) --waiting_;
    transfer.waits = waits;
}

/// Copies that a host would have sent on which was told, as was the sender, that it lacks the message.
std::uint64_t scoreboard::never_sent() const {
    std::uint64_t count = 0;
    for (const auto& [number, open] : open_transfers_)
        if (open.lost != 0) count += open.record.copies - open.asked;
    return count;
}

void scoreboard::ended(const send_end& end) {
    if (end.status != NI_STATUS_OK) {
        ++counts_.reliable.failed;
        if (failed_sends_.size() < delivery::fault_list::most) failed_sends_.push_back(end);
        return;
    }
    ++counts_.reliable.acknowledged;
    if (expected_message* const found = expected_.find({end.source, end.number})) found->acknowledged = true;
}

std::vector<std::string> scoreboard::broken_promises() const {
    std::vector<std::string> all;
    for (const auto& [id, message] : expected_)
        for (const receiver& to : message.receivers)
            if (message.acknowledged && !to.delivered && all.size() < delivery::fault_list::most)
                all.push_back(name_of(id.first, id.second) +
                              ": its source is told DONE and a receiver lacks it, host " + std::to_string(to.host));
    return all;
}

/// One more of its packets or messages is there.
void scoreboard::close(const message_id& id, expected_message& expected) {
    if (--expected.open == 0) expected_.erase(id);
}

delivery_counts scoreboard::counts() const {
    delivery_counts counts = counts_;
    counts.missing = counts.expected - counts.delivered;
    counts.messages.missing = counts.messages.expected - counts.messages.delivered;
    if (!facts_.waits_for_lost) counts.told += never_sent();
    for (const auto& [id, message] : expected_)
        if (message.acknowledged)
            counts.reliable.broken +=
                static_cast<std::uint64_t>(std::ranges::count(message.receivers, false, &receiver::delivered));
    return counts;
}

std::vector<transfer_record> scoreboard::transfers() const {
    std::vector<transfer_record> sorted = finished_;
    std::ranges::sort(sorted, {}, &transfer_record::transfer);
    return sorted;
}

engine::cycle scoreboard::delivered_until() const {
    engine::cycle end = 0;
    for (const transfer_record& record : finished_) end = std::max(end, record.completed + 1);
    return end;
}

std::vector<transfer_record> scoreboard::unfinished() const {
    std::vector<transfer_record> sorted;
    for (const auto& [number, open] : open_transfers_) sorted.push_back(open.record);
    std::ranges::sort(sorted, {}, &transfer_record::transfer);
    return sorted;
}

std::string scoreboard::oldest_missing() const {
    const auto* const oldest = expected_.oldest();
    if (oldest == nullptr) return {};
    const expected_message& message = oldest->second;
    std::uint32_t packet = packets_of(message.bytes);
    for (const receiver& to : message.receivers) packet = std::min(packet, to.next);
    const bool on_the_way = packet < packets_of(message.bytes);
    std::vector<std::uint32_t> open;
    for (const receiver& to : message.receivers) {
        if (on_the_way ? to.next == packet : !to.delivered) open.push_back(to.host);
    }
    return std::string(name_of(message.kind, message.packets)) +
           (on_the_way ? " packet " + std::to_string(packet) + " of " : " ") +
           name_of(oldest->first.first, oldest->first.second) + " to " + list(open) + ", created in cycle " +
           std::to_string(message.created) + (on_the_way ? "" : ", whose packets are all there");
}

void scoreboard::fault(engine::cycle now, const std::string& what) {
    check::fault([&] { return "cycle " + std::to_string(now) + ": " + what; });
}

void scoreboard::packet_fault(engine::cycle now, const ni::received_packet& packet, const std::string& what) {
    check::fault([&] {
        std::string name = "a packet";
        if (packet.header.size() >= format::common_header_bytes)
            name = "packet " + std::to_string(packet.transport.offset / payload_bytes_) + " of " +
                   name_of(format::read_common(packet.header.data()).source, packet.transport.message);
        return "cycle " + std::to_string(now) + ": " + name + " at host " + std::to_string(packet.host) + " " + what;
    });
}

}  // namespace polycast::hw::traffic
