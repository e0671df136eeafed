// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/messages/ideal_unicasts.h"

#include <algorithm>
#include <utility>

#include "hw/format/header.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

using engine::cycle;

ideal_unicasts::ideal_unicasts(const fabric::fabric_params& params, ideal_traffic traffic, cycle from, cycle to,
                               std::uint64_t payload_seed)
    : packet_check(params.router.nodes(), params.router.vcs, payload_seed),
      params_(params),
      hosts_(params.router.nodes()),
      from_(from),
      to_(to),
      payload_seed_(payload_seed),
      traffic_(std::move(traffic)),
      sources_(hosts_) {
    if (params.tables.policy == chips::vc_policy::keep && hosts_ <= fabric::terminals::most_ordered)
        order_.watch(hosts_, hosts_, params.router.vcs);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
        if (traffic_.load) births_.push_back(traffic_.load->begin(host));
        if (traffic_.each_to_each != 0) queue_next(host);
    }
    for (const fabric::send_order& order : traffic_.orders) sources_[order.source].orders.push_back(order);
}

void ideal_unicasts::queue(const fabric::send_order& order) {
    source& from = sources_[order.source];
    const key packet = key_of(order.source, from.born++);
    live_.emplace(packet, record{order.destination, order.flits, order.service_class, 0, order.birth});
    from.queue.push_back(packet);
    if (order.birth >= from_ && order.birth < to_) statistics_.born += order.flits;
    for (cut& each : cuts_) each.born += order.birth < each.born_before ? 1 : 0;
}

/// A packet's record is made when the one before it leaves, so that queues take no memory.
void ideal_unicasts::queue_next(std::uint32_t host) {
    const std::uint32_t ahead = ++sources_[host].ahead;
    if (ahead < hosts_) queue({host, (host + ahead) % hosts_, 0, static_cast<std::uint16_t>(traffic_.each_to_each), 0});
}

cycle ideal_unicasts::act(cycle now, std::uint32_t host) {
    std::deque<fabric::send_order>& orders = sources_[host].orders;
    for (; !orders.empty() && orders.front().birth <= now; orders.pop_front()) queue(orders.front());
    if (!orders.empty()) return orders.front().birth;
    if (!traffic_.load || traffic_.load->silent(host)) return engine::never;
    fabric::node_births& births = births_[host];
    while (births.next < static_cast<double>(now + 1)) {
        if (static_cast<cycle>(births.next) >= traffic_.load->until()) return engine::never;
        const fabric::send_order order = traffic_.load->draw(host, births);
        last_birth_ = std::max(last_birth_.value_or(0), order.birth);
        if (order.destination != order.source) queue(order);
    }
    const auto next = static_cast<cycle>(births.next);
    return next < traffic_.load->until() ? next : engine::never;
}

std::optional<unsigned> ideal_unicasts::waiting(std::uint32_t host) const {
    const std::deque<key>& queue = sources_[host].queue;
    if (queue.empty()) return {};
    return live_.at(queue.front()).service_class;
}

void ideal_unicasts::depart(cycle, std::uint32_t host, unsigned vc, engine::packet_bytes& packet) {
    source& from = sources_[host];
    const key which = from.queue.front();
    from.queue.pop_front();
    record& what = live_.at(which);
    what.entry_vc = static_cast<std::uint8_t>(vc);
    packet.flits.resize(std::size_t{what.flits} * params_.router.flit_bytes);
    fill_payload(payload_seed_, which, packet.flits);
    const auto number = static_cast<std::uint32_t>(which);
    host::write_header({host, what.destination, number, what.service_class, false, {.message = number}},
                       params_.router.pin_shape().header_bytes, packet);
    if (traffic_.each_to_each != 0) queue_next(host);
}

void ideal_unicasts::arrived(cycle now, std::uint32_t host, const engine::flit& flit) {
    arriving* const into = add(host, flit);
    if (into == nullptr) return;
    const std::size_t bytes = params_.router.flit_bytes;
    into->good =
        into->good && !first_wrong(into->packet, std::uint64_t{into->flits - 1} * bytes, std::span(flit.data, bytes));
    ++statistics_.flits;
    if (now >= from_ && now < to_) ++statistics_.accepted;
    if (!flit.tail) return;
    finish(now, host, *into);
    into->packet = no_packet;
}

void ideal_unicasts::finish(cycle now, std::uint32_t host, const arriving& packet) {
    const auto found = live_.find(packet.packet);
    if (found == live_.end()) return fault(packet.packet, "arrives twice, or was never sent");
    const record& what = found->second;
    if (what.destination != host) fault(packet.packet, "arrives at terminal " + std::to_string(host));
    if (what.flits != packet.flits) fault(packet.packet, "arrives with " + std::to_string(packet.flits) + " flits");
    if (!packet.good) fault(packet.packet, "arrives with other bytes");
    if (!order_.arrived(host, packet.packet >> 32, what.entry_vc, static_cast<std::uint32_t>(packet.packet)))
        fault(packet.packet, "arrives behind a later one");
    if (what.birth >= from_ && what.birth < to_) statistics_.latency.add(now - what.birth);
    ++statistics_.packets;
    statistics_.last = std::max(statistics_.last, now);
    for (cut& each : cuts_) each.arrived += now < each.arrived_before ? 1 : 0;
    if (on_arrival) on_arrival(what.birth, now);
    live_.erase(found);
}

std::string ideal_unicasts::name(key packet) const {
    const std::string text = packet_check::name(packet);
    const auto found = live_.find(packet);
    if (found == live_.end()) return text;
    return text + " to terminal " + std::to_string(found->second.destination) + " (" +
           std::to_string(found->second.flits) + " flits)";
}

std::vector<std::string> ideal_unicasts::missing_packets(std::size_t most) const {
    std::vector<std::pair<cycle, key>> all;
    for (const auto& [packet, what] : live_) all.emplace_back(what.birth, packet);
    std::ranges::sort(all);
    std::vector<std::string> names;
    for (std::size_t index = 0; index < std::min(most, all.size()); ++index) names.push_back(name(all[index].second));
    return names;
}

}  // namespace polycast::hw::traffic
