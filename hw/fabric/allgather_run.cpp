// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/allgather_run.h"

#include <algorithm>

namespace polycast::hw::fabric {

using engine::cycle;

allgather_run::allgather_run(const allgather_options& options, const collectives::network_coding& plan)
    : allgather_nodes(options, plan), fabric_(options.fabric), ends_(fabric_, 0, engine::never) {}

void allgather_run::send(cycle now, router_fabric& fabric) {
    for (; next_broadcast_ < broadcasts().size() && broadcasts()[next_broadcast_].first <= now; ++next_broadcast_)
        send_broadcast(now, broadcasts()[next_broadcast_].second);
    for (; !arrivals_.empty() && arrivals_.front().when <= now; arrivals_.pop()) receive(now, arrivals_.front().what);
    step_units(now);
    while (!jobs_.empty() && jobs_.top().first <= now) {
        const std::uint32_t node = jobs_.top().second;
        jobs_.pop();
        finish_jobs(now, node);
    }
    ends_.send_flits(fabric, [this, now](std::uint32_t terminal) {
        if (!replicates()) fed(now, terminal);
    });
}

cycle allgather_run::next(cycle now) const {
    if (!ends_.blocked()) return now;
    cycle when = units_.next(now);
    if (!arrivals_.empty()) when = std::min(when, std::max(now, arrivals_.front().when));
    if (!jobs_.empty()) when = std::min(when, std::max(now, jobs_.top().first));
    if (next_broadcast_ < broadcasts().size())
        when = std::min(when, std::max(now, broadcasts()[next_broadcast_].first));
    return when;
}

void allgather_run::arrive(cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
    const bool head = (info & chips::flit_info::head) != 0;
    const bool tail = (info & chips::flit_info::tail) != 0;
    if (result_.links) result_.links->into_terminal(terminal, info);
    const cargo what = cargo_[id];
    const std::uint32_t from = fabric_.packets()[id].source % nodes_;
    if (terminal >= nodes_) {
        if (!what.lost) units_.arrive(when, terminal - nodes_, vc, head, tail, what.operand);
    } else if (tail) {
        count_arrival(when, terminal, from, what);
        arrival arrived{terminal, what, from, {}};
        if (const auto message = messages_.find(id); message != messages_.end()) {
            arrived.message = std::move(message->second);
            messages_.erase(message);
        }
        if (what.lost) {
            for (const payload_id payload : arrived.message) payloads_.give_back(payload);
        } else {
            if (replicates()) arrived.what.payload = payloads_.share(what.payload);
            arrivals_.push({when, std::move(arrived)});
        }
    }
    if (tail && what.lost) {
        problem("lost on its way: " + numbers_.text(what.number) + " from node " + std::to_string(from) + " to " +
                (terminal < nodes_ ? "node " : "the coding unit of node ") + std::to_string(terminal % nodes_));
        if (what.payload != nothing) payloads_.give_back(what.payload);
    }
    ends_.arrive(when, terminal, vc, id, info);
}

void allgather_run::send(const departure& where, const cargo& what, std::vector<payload_id> message) {
    const packet_id id =
        ends_.queue({where.node, where.to, what.ready, where.flits, where.service_class, where.broadcast});
    cargo_of(id) = what;
    if (!message.empty()) messages_[id] = std::move(message);
}

packet_id allgather_run::begin_coded(std::uint32_t node, const chips::coding_packet& packet, const cargo& what) {
    const packet_id id = ends_.create({node + nodes_, packet.destination, what.ready, packet.flits, 1, false});
    cargo_of(id) = what;
    return id;
}

void allgather_run::leave(std::uint32_t node, packet_id id, unsigned vc, std::uint16_t ends) {
    if ((ends & chips::flit_info::head) != 0) fabric_.packets()[id].entry_vc = static_cast<std::uint8_t>(vc);
    fabric_.inject(node + nodes_, vc, id, ends);
}

/// Runs until nothing is left to do. \returns false if the limit came first, or somebody wants it to stop
bool allgather_run::run_fabric() {
    constexpr cycle slice = 1024;  // between two questions
    while (fabric_.now() < options_.limit) {
        if (options_.stop && options_.stop()) {
            result_.stopped = true;
            return false;
        }
        const cycle end = std::min(options_.limit, fabric_.now() + slice);
        fabric_.run(end, *this);
        if (fabric_.now() < end) return true;
    }
    result_.gave_up = ends_.missing() != 0 || next(fabric_.now()) != engine::never;
    return !result_.gave_up;
}

allgather_result allgather_run::run() {
    if (in_steps()) {
        begin_steps();
        for (bool going = true; going && begin_round(fabric_.now());) {
            going = run_fabric();
            end_round();
        }
    } else {
        if (replicates()) {
            begin_replication();
        } else {
            begin_freely();
        }
        run_fabric();
    }
    return finish({fabric_.now(), ends_.missing(), ends_.missing_packets(10), ends_.faults(), fabric_.flit_hops(),
                   sizeof *this + fabric_.memory_bytes() + ends_.memory_bytes() + cargo_.capacity() * sizeof(cargo)});
}

}  // namespace polycast::hw::fabric
