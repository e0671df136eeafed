// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/allgather/ideal_allgather.h"

#include <algorithm>
#include <utility>

#include "hw/format/header.h"

namespace polycast::hw::fabric {

using engine::cycle;

ideal_allgather::ideal_allgather(const allgather_options& options, const collectives::network_coding& plan)
    : allgather_nodes(options, plan),
      packet_check(nodes_, options.fabric.router.vcs, options.seed),
      unit_packets_(units().size() * options.fabric.router.vcs, no_packet),
      ports_(nodes_),
      broadcast_(nodes_, engine::never) {
    if (in_steps()) {
        begin_steps();
    } else {
        round_due_ = engine::never;
        if (replicates()) {
            begin_replication();
        } else {
            begin_freely();
        }
    }
    for (const auto& [when, node] : broadcasts()) broadcast_[node] = when;
}

cycle ideal_allgather::act(cycle now, std::uint32_t host) {
    if (now >= options_.limit) return engine::never;
    if (round_due_ <= now) next_round(now);
    if (broadcast_[host] <= now) {
        broadcast_[host] = engine::never;
        send_broadcast(now, host);
    }
    if (next_job(host) <= now) {
        finish_jobs(now, host);
        close_round(now);
    }
    const cycle next = std::min(broadcast_[host], next_job(host));
    if (!in_steps() || over_) return next;
    // A round begins everywhere at once, and nobody is told: hosts look for it as early as it may come.
    if (round_due_ != engine::never) return std::min(next, round_due_);
    return std::min(next, jobs() != 0 ? now + 1 : now + 2 + options_.fabric.link_delay);
}

/// In this cycle the last one of the round has ended, if it has.
void ideal_allgather::close_round(cycle now) {
    if (!in_steps() || over_ || round_due_ != engine::never || open() != 0) return;
    end_round();
    // Behind the cycle in which the last credit is back at its router: then all is as it was at the beginning.
    round_due_ = std::max(now + 1, last_tail_ + 2 + options_.fabric.link_delay);
}

void ideal_allgather::next_round(cycle begin) {
    round_due_ = engine::never;
    while (begin_round(begin)) {
        if (open() != 0) return;
        end_round();
    }
    over_ = true;
}

std::optional<unsigned> ideal_allgather::waiting(std::uint32_t host) const {
    const std::optional<key>& packet = ports_[host].waiting;
    if (!packet) return {};
    return live_.at(*packet).where.service_class;
}

void ideal_allgather::send(const departure& where, const cargo& what, std::vector<payload_id> message) {
    port& at = ports_[where.node];
    const key packet = key_of(where.node, at.sent++);
    record made{where, what, std::move(message), 1, {}};
    if (where.broadcast) {
        made.expected = nodes_ - 1;
        made.heard.resize(nodes_);
    }
    live_.emplace(packet, std::move(made));
    at.waiting = packet;
}

packet_id ideal_allgather::begin_coded(std::uint32_t node, const chips::coding_packet& packet, const cargo& what) {
    const departure where{node, packet.destination, packet.flits, 1, false};
    live_.emplace(key_of(node + nodes_, packet.sequence), record{where, what, {}, 1, {}});
    return 0;
}

void ideal_allgather::depart(cycle now, std::uint32_t host, unsigned, engine::packet_bytes& packet) {
    port& at = ports_[host];
    const key which = *std::exchange(at.waiting, std::nullopt);
    const record& what = live_.at(which);
    packet.flits.clear();
    const auto add = [&](payload_id payload) {
        const auto bytes = payloads_[payload];
        packet.flits.insert(packet.flits.end(), bytes.begin(), bytes.end());
    };
    if (what.message.empty()) {
        add(what.what.payload);
    } else {
        for (const payload_id payload : what.message) add(payload);
    }
    const auto number = static_cast<std::uint32_t>(which);
    host::ideal_header header{host, what.where.to, number, what.where.service_class, what.where.broadcast, {}};
    header.transport.message = what.what.number;
    if (!what.where.broadcast && what.where.to >= nodes_) {
        header.transport.op = format::transport_op::operand;
        header.transport.group = what.what.operand.context;
        header.transport.tag = what.what.operand.index;
    }
    host::write_header(header, options_.fabric.router.pin_shape().header_bytes, packet);
    if (!replicates()) fed(now, host);
}

void ideal_allgather::arrived(cycle now, std::uint32_t host, const engine::flit& flit) {
    arriving* const into = add(host, flit);
    if (into == nullptr) return;
    into->bytes.insert(into->bytes.end(), flit.data, flit.data + options_.fabric.router.flit_bytes);
    if (!flit.tail) return;
    finish_packet(now, host, *into);
    into->packet = no_packet;
}

void ideal_allgather::finish_packet(cycle now, std::uint32_t host, const arriving& packet) {
    const auto found = live_.find(packet.packet);
    if (found == live_.end()) return fault(packet.packet, "arrives twice, or was never sent");
    record& what = found->second;
    if (misplaced(host, packet.packet, what)) return;
    if (packet.flits != what.where.flits)
        fault(packet.packet, "arrives with " + std::to_string(packet.flits) + " flits");
    last_tail_ = std::max(last_tail_, now);
    count_arrival(now, host, what.where.node, what.what);
    if (now < options_.limit) {
        take(now, host, packet.packet, what, packet.bytes);
    } else {
        ++late_;
    }
    if (--what.expected == 0) {
        if (!what.where.broadcast && what.message.empty()) payloads_.give_back(what.what.payload);
        for (const payload_id payload : what.message) payloads_.give_back(payload);
        live_.erase(packet.packet);
    }
    close_round(now);
}

bool ideal_allgather::misplaced(std::uint32_t host, key packet, record& what) {
    if (!what.where.broadcast) {
        if (what.where.to == host) return false;
    } else if (host != what.where.node && !what.heard[host]) {
        what.heard[host] = true;
        return false;
    }
    fault(packet, "arrives at terminal " + std::to_string(host));
    return true;
}

/// What the host knows from then on are the bytes that came.
void ideal_allgather::take(cycle now, std::uint32_t host, key packet, const record& what,
                           std::span<const std::uint8_t> bytes) {
    const std::size_t size = datum_bytes(options_);
    const auto payload_at = [&](std::size_t first) {
        const payload_id made = payloads_.take();
        const std::span<std::uint8_t> to = payloads_[made];
        std::ranges::fill(to, std::uint8_t{0});
        if (first < bytes.size())
            std::ranges::copy(bytes.subspan(first, std::min(size, bytes.size() - first)), to.begin());
        return made;
    };
    arrival arrived{host, what.what, what.where.node, {}};
    if (what.message.empty()) {
        arrived.what.payload = payload_at(0);
    } else {
        for (std::size_t i = 0; i < what.message.size(); ++i) arrived.message.push_back(payload_at(i * size));
    }
    const bool coded = packet >> 32 >= nodes_;
    if (coded && !std::ranges::equal(payloads_[arrived.what.payload], payloads_[what.what.payload]))
        fault(packet, "is not the XOR of its operands");
    receive(now, arrived);
}

void ideal_allgather::step_units_before(cycle end) {
    for (cycle when = units_.next(units_now_); when < end; when = units_.next(units_now_)) {
        step_units(when);
        units_now_ = when + 1;
    }
}

void ideal_allgather::stepped(engine::chip_id id, cycle now, const engine::pins& in, const engine::pins& out,
                              const engine::chip&) {
    if (now >= options_.limit) return;
    const std::uint32_t node = units()[id].node;
    step_units_before(now);
    step_units(now);
    units_now_ = now;
    for (const engine::chip_event& event : out.events)
        problem("coding unit of node " + std::to_string(node) + " raises event " + std::to_string(event.code));
    if (in.valid != 0) {
        const unsigned vc = in.vc.empty() ? 0 : in.vc[0];
        key& packet = unit_packets_[id * options_.fabric.router.vcs + vc];
        if (in.head != 0) {
            const format::common_header header = format::read_common(in.header.data());
            packet = key_of(header.source, header.sequence);
        }
        const auto found = live_.find(packet);
        if (found == live_.end() || found->second.where.to != node + nodes_)
            return fault(packet, "arrives at the coding unit of node " + std::to_string(node));
        units_.arrive(now, node, vc, in.head != 0, in.tail != 0, found->second.what.operand);
        if (in.tail != 0) live_.erase(found);
    }
    if (in.credit != 0) units_.credit(now, node, in.credit_vc.empty() ? 0 : in.credit_vc[0]);
}

allgather_result ideal_allgather::finish(cycle end, bool stopped, std::uint64_t flit_hops,
                                         std::optional<link_counts> links) {
    step_units_before(std::min(end, options_.limit));
    result_.stopped = stopped;
    result_.gave_up = !stopped && end >= options_.limit && (!live_.empty() || late_ != 0 || jobs() != 0);
    if (in_steps() && !over_ && round_due_ == engine::never) end_round();
    if (links) result_.links = std::move(links);
    return allgather_nodes::finish({end, live_.size(), missing_packets(10), faults(), flit_hops, 0});
}

std::vector<std::string> ideal_allgather::missing_packets(std::size_t most) const {
    std::vector<key> left;
    for (const auto& [packet, what] : live_) left.push_back(packet);
    std::ranges::sort(left);
    std::vector<std::string> names;
    for (std::size_t index = 0; index < std::min(most, left.size()); ++index) names.push_back(name(left[index]));
    return names;
}

std::vector<unit_setup> units_of(const allgather_options& options) {
    const collectives::network_coding plan = plan_of(options);
    return ideal_allgather(options, plan).units();
}

}  // namespace polycast::hw::fabric
