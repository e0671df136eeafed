// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/network_path.h"

#include <algorithm>

#include "hw/format/header.h"
#include "hw/workloads/program/wire.h"
#include "tlm/workloads/packet_logs.h"

namespace polycast::tlm::sim {

using hw::ni::resource;
using hw::ni::span_record;
using hw::programs::operation_id;
using hw::programs::path_segment;

namespace {

std::uint64_t key_of(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
}

}  // namespace

void network_recorder::arrived(hw::ni::cycle now, const hw::ni::received_packet& packet) {
    if (other_ != nullptr) other_->arrived(now, packet);
    if (packet.header.size() < hw::format::common_header_bytes) return;
    const hw::format::common_header header = hw::format::read_common(packet.header.data());
    contents_[key_of(header.source, header.sequence)] = {header.source, packet.transport.message,
                                                         packet.transport.offset};
}

void network_recorder::used(const span_record& span) {
    if (other_ != nullptr && other_->wants_spans()) other_->used(span);
    if (span.where != resource::host_processor && span.source != ~0u) spans_.push_back(span);
}

void network_recorder::add(const trace::logged_packet& packet) {
    packets_.push_back({key_of(packet.source, packet.sequence), packet.header});
}

network_path::network_path(const network_recorder& seen, const hw::system::system_plan& plan,
                           const hw::programs::rank_rules& rules)
    : seen_(seen), plan_(plan), rules_(rules), network_(described(plan, "", "")) {
    for (std::uint32_t chip = 0; chip < network_.chips.size(); ++chip)
        for (const trace::logged_chip::cable& each : network_.chips[chip].cables)
            cables_.emplace(std::pair{chip, each.port}, each);
    for (const span_record& each : seen.spans_) of_message_[key_of(each.source, each.message)].push_back(&each);
    for (auto& [message, spans] : of_message_)
        std::ranges::stable_sort(spans, {}, [](const span_record* each) { return std::pair(each->end, each->where); });
    for (std::uint32_t number = 0; number < seen.packets_.size(); ++number)
        if (const auto found = seen.contents_.find(seen.packets_[number].header); found != seen.contents_.end())
            packet_of_.emplace(found->second, number);
    of_packet_.resize(seen.packets_.size());
    for (const trace::passage& each : seen.passages_) {
        of_packet_[each.packet].push_back(&each);
        of_port_[{each.chip, each.port}].push_back(&each);
    }
    const auto by_head = [](const trace::passage* each) { return each->head; };
    for (auto& passages : of_packet_) std::ranges::stable_sort(passages, {}, by_head);
    for (auto& [port, passages] : of_port_) std::ranges::stable_sort(passages, {}, by_head);
}

std::vector<program_part::segment> network_path::refined(const std::vector<path_segment>& path) const {
    std::vector<segment> all;
    for (const path_segment& each : path) {
        stretch own{each, rules_.host_of[each.of.rank], rules_.host_of[rules_.of->at(each.of).peer], each.to};
        if (each.what != step::network || rules_.of->at(each.of).multicast) {
            add(own, each.from, each.what, plan_.network.hosts[own.source].name);
        } else {
            // A long send ends when its data have left host memory; all else is over at the receiver.
            const bool left = each.data_left;
            if (!left) receive(own);
            send(own);
        }
        std::ranges::reverse(own.backwards);
        for (segment& part : own.backwards) all.push_back(std::move(part));
    }
    return all;
}

void network_path::add(stretch& own, cycle from, step what, const std::string& place, const std::string& behind) const {
    from = std::max(from, own.of.from);
    if (from >= own.at) return;
    if (!own.backwards.empty()) {
        segment& last = own.backwards.back();
        if (last.what == static_cast<std::uint8_t>(what) && last.place == place && last.behind == behind) {
            last.from = own.at = from;
            return;
        }
    }
    own.backwards.push_back(
        {from, own.at, static_cast<std::uint8_t>(what), own.of.of.rank, own.of.of.index, "", place, behind});
    own.at = from;
}

/// The last thing that a host's interface did for the message before `at`.
const span_record* network_path::latest(const stretch& own, std::uint32_t host, bool sending) const {
    const auto spans = of_message_.find(key_of(own.source, own.of.of.index));
    if (spans == of_message_.end()) return nullptr;
    const auto& all = spans->second;
    // A tail is used in the cycle in which it comes, which ends one later.
    auto next = std::ranges::upper_bound(all, own.at + 1, {}, [](const span_record* each) { return each->end; });
    while (next != all.begin()) {
        const span_record& each = **--next;
        if (each.end <= own.of.from) return nullptr;
        if (each.end > own.at && each.where != resource::link_in) continue;
        const bool other_side = each.where == (sending ? resource::link_in : resource::link_out);
        if (each.host == host && !other_side && each.begin < own.at) return &each;
    }
    return nullptr;
}

/// From the host that gets it back to the link that it came by, and over the network.
void network_path::receive(stretch& own) const {
    const std::string& name = plan_.network.hosts[own.destination].name;
    for (step what = step::bus; own.at > own.of.from;) {
        const span_record* const last = latest(own, own.destination, false);
        if (last == nullptr) return;
        const step is = last->where == resource::bus ? step::bus : step::ni_receive;
        // What it waits for is what comes next: the bus, or the interface's processor.
        add(own, last->end, what, name);
        if (last->where == resource::link_in) return cross(own, *last);
        add(own, last->begin, is, name);
        what = is;
    }
}

/// From the link back to the host that sends it.
void network_path::send(stretch& own) const {
    const std::string& name = plan_.network.hosts[own.source].name;
    const hw::engine::chip_id chip = plan_.host_chip(own.source);
    for (step what = step::link_wait; own.at > own.of.from;) {
        const span_record* const last = latest(own, own.source, true);
        if (last == nullptr) break;
        if (what == step::link_wait && last->end < own.at) {
            trace::passage next;
            next.chip = chip;
            next.head = own.at;
            add(own, last->end, what, name, behind(next, last->end));
        }
        add(own, last->end, what, name);
        const step is = last->where == resource::link_out ? step::link
                        : last->where == resource::bus    ? step::bus
                                                          : step::ni_send;
        add(own, last->begin, is, name);
        what = is == step::link ? step::link_wait : is;
    }
    // The command on its way to the firmware.
    add(own, own.of.from, step::ni_send, name);
}

const trace::passage* network_path::after(const trace::passage& passed, std::uint32_t chip) const {
    for (const trace::passage* each : of_packet_[passed.packet])
        if (each->chip == chip && each->head > passed.head) return each;
    return nullptr;
}

/// What was on a port while a packet waited for it.
std::string network_path::behind(const trace::passage& waiting, cycle since) const {
    const auto port = of_port_.find({waiting.chip, waiting.port});
    if (port == of_port_.end()) return "";
    const auto& all = port->second;
    const auto next =
        std::ranges::lower_bound(all, waiting.head, {}, [](const trace::passage* each) { return each->head; });
    if (next == all.begin()) return "";
    const trace::passage& before = **std::prev(next);
    if (before.tail < since) return "";
    const auto content = seen_.contents_.find(seen_.packets_[before.packet].header);
    if (content == seen_.contents_.end()) return "";
    const std::uint32_t rank = rules_.rank_of[content->second.source];
    if (content->second.message >= hw::programs::first_control_number)
        return "a request, grant or credits of rank " + std::to_string(rank);
    return rules_.of->describe({rank, content->second.message});
}

/// A packet's way from the first cycle of its head on the link of its host to its last flit at the other end.
void network_path::cross(stretch& own, const span_record& in) const {
    const auto number = packet_of_.find({own.source, own.of.of.index, in.offset});
    if (number == packet_of_.end() || of_packet_[number->second].empty()) return;
    struct part {
        cycle to;
        step what;
        std::string place, behind{};
    };
    std::vector<part> parts;
    const cycle header = seen_.packets_[number->second].header_flits;
    const trace::passage* here = of_packet_[number->second].front();
    const cycle first = here->head;
    const trace::passage* slow = here->tail - here->head + 1 > here->flits ? here : nullptr;
    cycle delay = 0;
    while (true) {
        const auto cable = cables_.find({here->chip, here->port});
        if (cable == cables_.end()) break;
        delay = cable->second.delay;
        const trace::passage* const next = after(*here, cable->second.to_chip);
        if (next == nullptr) break;
        const std::string link = plan_.port_text({here->chip, here->port});
        const std::uint32_t pipeline = network_.chips[next->chip].pipeline;
        const cycle least = here->head + delay + (pipeline == 0 ? 0 : pipeline + header - 1);
        if (pipeline != 0 && next->head > least) {
            parts.push_back({least, step::link, link});
            parts.push_back(
                {next->head, step::link_wait, plan_.port_text({next->chip, next->port}), behind(*next, least)});
        } else {
            parts.push_back({next->head, step::link, link});
        }
        if (slow == nullptr && next->tail - next->head + 1 > next->flits) slow = next;
        here = next;
    }
    // One flit a cycle behind the head; what is more was lost where they began to fall behind.
    const cycle arrives = here->head + delay + here->flits;
    if (arrives < own.at) {
        const std::string link = plan_.port_text({here->chip, here->port});
        parts.push_back({arrives, step::link, link});
        parts.push_back({own.at, step::link_wait, slow == nullptr ? link : plan_.port_text({slow->chip, slow->port})});
    } else {
        parts.push_back({own.at, step::link, plan_.port_text({here->chip, here->port})});
    }
    for (std::size_t i = parts.size(); i-- != 0;)
        add(own, i == 0 ? first : parts[i - 1].to, parts[i].what, parts[i].place, parts[i].behind);
}

}  // namespace polycast::tlm::sim
