// SPDX-License-Identifier: Apache-2.0
// What nodes have, and what they do with it.
#include "hw/fabric/allgather_run.h"

#include <algorithm>

#include "hw/traffic/random.h"

namespace polycast::hw::fabric {

using engine::cycle;

/// B and D are followed by more than E and F are, so they go first.
unsigned allgather_run::class_of(std::uint32_t step) const {
    return collectives::class_of_step(steps_[step].letter);
}

/// True if the node makes this chain packet.
bool allgather_run::codes(std::uint32_t node, std::uint32_t number) const {
    if (numbers_.is_datum(number) || numbers_.is_message(number)) return false;
    const unsigned level = numbers_.level_of(number);
    return numbers_.group(level, node) == numbers_.group(level, numbers_.parcel(number).first);
}

void allgather_run::send(cycle now, router_fabric& fabric) {
    now_ = now;
    for (; next_broadcast_ < broadcasts_.size() && broadcasts_[next_broadcast_].first <= now; ++next_broadcast_) {
        const std::uint32_t node = broadcasts_[next_broadcast_].second;
        const packet_id id = ends_.queue({node, 0, now, static_cast<std::uint16_t>(options_.flits), 0, true});
        cargo& what = cargo_of(id);
        what = {};
        what.number = node;
        what.payload = at(node, node);
        what.step = 0;
        what.ready = now;
    }
    for (; !arrivals_.empty() && arrivals_.front().when <= now; arrivals_.pop()) receive(arrivals_.front());
    units_.step(now);
    while (!jobs_.empty() && jobs_.top().ready <= now) {
        const host_job job = jobs_.top();
        jobs_.pop();
        ++host_xors_[job.node];
        hold_chain(job.node, numbers_.chain(job.level, job.first),
                   payloads_.take_xor(at(job.node, job.first), at(job.node, numbers_.next(job.level, job.first))));
    }
    ends_.send_flits(fabric, [this](std::uint32_t terminal) {
        if (options_.method == allgather_method::replication) return;
        hosts_[terminal].fed = false;
        feed(terminal);
    });
}

cycle allgather_run::next(cycle now) const {
    if (!ends_.blocked()) return now;
    cycle when = units_.next(now);
    if (!arrivals_.empty()) when = std::min(when, std::max(now, arrivals_.front().when));
    if (!jobs_.empty()) when = std::min(when, std::max(now, jobs_.top().ready));
    if (next_broadcast_ < broadcasts_.size()) when = std::min(when, std::max(now, broadcasts_[next_broadcast_].first));
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
        last_arrival_ = std::max(last_arrival_, when);
        if (what.step != no_step) {
            allgather_step& step = result_.steps[what.step];
            if (what.first == 0) ++step.packets;
            step.hops += std::uint64_t{what.data} * plan_.distance(from, terminal);
            step.cycles = std::max(step.cycles, when);
            const cycle latency = when - what.ready;
            latency_[what.step] += latency;
            result_.latency.add(latency);
            result_.latency_min = result_.packets == 0 ? latency : std::min(result_.latency_min, latency);
            result_.latency_max = std::max(result_.latency_max, latency);
            ++result_.packets;
        }
        arrival arrived{when, terminal, what, from, {}};
        if (const auto message = messages_.find(id); message != messages_.end()) {
            arrived.message = std::move(message->second);
            messages_.erase(message);
        }
        if (!what.lost) {
            arrivals_.push(std::move(arrived));
        } else {
            for (const payload_id payload : arrived.message) payloads_.give_back(payload);
        }
    }
    if (tail && what.lost) {
        problem("lost on its way: " + numbers_.text(what.number) + " from node " + std::to_string(from) + " to " +
                (terminal < nodes_ ? "node " : "the coding unit of node ") + std::to_string(terminal % nodes_));
        if (what.payload != nothing) payloads_.give_back(what.payload);
    }
    ends_.arrive(when, terminal, vc, id, info);
}

/// The payload as it is without the last flit.
payload_id allgather_run::cut(payload_id payload) {
    const payload_id shorter = payloads_.take();
    std::ranges::copy(payloads_[payload], payloads_[shorter].begin());
    const std::size_t flit = fabric_.params().router.flit_bytes;
    std::ranges::fill(payloads_[shorter].last(std::min(flit, payloads_[shorter].size())), std::uint8_t{0});
    payloads_.give_back(payload);
    return shorter;
}

void allgather_run::receive(arrival& arrived) {
    const cargo& what = arrived.what;
    if (options_.method == allgather_method::replication)
        return learn(arrived.node, what.number, payloads_.share(what.payload));
    if (what.cut)
        problem("one flit short: " + numbers_.text(what.number) + " from node " + std::to_string(arrived.from) +
                " to node " + std::to_string(arrived.node));
    if (numbers_.is_message(what.number)) return receive_message(arrived);
    const payload_id payload = what.cut ? cut(what.payload) : what.payload;
    if (numbers_.is_datum(what.number)) {
        learn(arrived.node, what.number, payload);
    } else {
        hold_chain(arrived.node, what.number, payload);
    }
}

void allgather_run::receive_message(arrival& arrived) {
    const cargo& what = arrived.what;
    const std::vector<std::uint32_t> data = plan_.contents(numbers_.parcel(what.number));
    if (what.cut) arrived.message.back() = cut(arrived.message.back());
    for (unsigned i = 0; i < what.data; ++i) learn(arrived.node, data[what.first + i], arrived.message[i]);
    std::uint32_t& received = message_data_[{arrived.node, what.number}];
    received += what.data;
    if (received < data.size() || known(arrived.node, what.number)) return;
    at(arrived.node, what.number) = forgotten;  // it has no payload of its own
    offer(arrived.node, what.number);
}

/// A node gets a datum. It makes everything of it that it can: data along its chains, packets to others.
void allgather_run::learn(std::uint32_t node, std::uint32_t source, payload_id payload) {
    check_.compare(node, source, payloads_[payload]);
    if (known(node, source)) return payloads_.give_back(payload);
    at(node, source) = payload;
    last_learnt_ = now_;
    const bool chains = options_.plan.method == collectives::coding_method::coded ||
                        options_.plan.method == collectives::coding_method::every_node;
    learning_.push_back(source);
    while (!learning_.empty()) {
        const std::uint32_t one = learning_.back();
        learning_.pop_back();
        offer(node, one);
        if (options_.pace == allgather_pace::free_running)
            for (const coder& which : coders_[node]) offer_to_coder(node, which, one);
        complete_messages(node, one);
        for (unsigned level = 0; chains && level < numbers_.levels(); ++level) {
            const std::uint32_t next = numbers_.next(level, one), previous = numbers_.previous(level, one);
            if (next != parcel_numbers::none && held(node, numbers_.chain(level, one))) derive(node, level, one, next);
            if (previous != parcel_numbers::none && held(node, numbers_.chain(level, previous)))
                derive(node, level, one, previous);
        }
        if (!chains) continue;
        forget(node, one);
        for (const std::uint32_t beside : {numbers_.next(0, one), numbers_.previous(0, one)})
            if (beside != parcel_numbers::none) forget(node, beside);
    }
}

/// The neighbour `to` of datum `from` follows from the chain packet of both.
void allgather_run::derive(std::uint32_t node, unsigned level, std::uint32_t from, std::uint32_t to) {
    if (known(node, to)) return;
    const std::uint32_t first = numbers_.next(level, from) == to ? from : to;
    const payload_id payload = payloads_.take_xor(at(node, from), at(node, numbers_.chain(level, first)));
    ++result_.decode_xors;
    check_.compare(node, to, payloads_[payload]);
    at(node, to) = payload;
    learning_.push_back(to);
}

void allgather_run::hold_chain(std::uint32_t node, std::uint32_t number, payload_id payload) {
    if (known(node, number)) return payloads_.give_back(payload);
    at(node, number) = payload;
    offer(node, number);
    const collectives::parcel what = numbers_.parcel(number);
    const bool first = held(node, what.first), second = held(node, what.second);
    if (first == second) return;
    const std::uint32_t from = first ? what.first : what.second;
    const std::uint32_t to = first ? what.second : what.first;
    if (known(node, to)) return;
    const payload_id derived = payloads_.take_xor(at(node, from), payload);
    ++result_.decode_xors;
    learn(node, to, derived);
    forget(node, from);
}

/// Data of other groups are needed no more once both neighbours are known.
void allgather_run::forget(std::uint32_t node, std::uint32_t source) {
    if (!held(node, source) || numbers_.group(0, node) == numbers_.group(0, source)) return;
    for (const std::uint32_t beside : {numbers_.next(0, source), numbers_.previous(0, source)})
        if (beside != parcel_numbers::none && !known(node, beside)) return;
    payloads_.give_back(at(node, source));
    at(node, source) = forgotten;
}

/// Groups whose message the node sends, and has now.
void allgather_run::complete_messages(std::uint32_t node, std::uint32_t source) {
    if (options_.plan.method != collectives::coding_method::combining) return;
    for (unsigned level = 0; level < numbers_.levels(); ++level) {
        const std::uint32_t group = numbers_.group(level, node);
        if (numbers_.group(level, source) != group || plan_.intermediate_node(level, group) != node) continue;
        const std::uint32_t number = numbers_.message(level, group);
        const std::vector<std::uint32_t>& data = plan_.levels()[level].sources[group];
        if (known(node, number) || ++message_data_[{node, number}] < data.size()) continue;
        at(node, number) = forgotten;
        offer(node, number);
    }
}

/// A host has a parcel: it goes into the queues of the classes of its steps.
void allgather_run::offer(std::uint32_t node, std::uint32_t number) {
    const auto begin = sends_.begin() + static_cast<std::ptrdiff_t>(sends_of_[node]);
    const auto end = sends_.begin() + static_cast<std::ptrdiff_t>(sends_of_[node + 1]);
    if (begin == end || number < begin->number || number > std::prev(end)->number) return;  // as most are
    auto first = std::lower_bound(begin, end, number,
                                  [](const outgoing& one, std::uint32_t wanted) { return one.number < wanted; });
    while (first != end && first->number == number) {
        auto last = first;
        const unsigned service_class = class_of(first->step);
        while (last != end && last->number == number && class_of(last->step) == service_class) ++last;
        std::uint64_t packets = static_cast<std::uint64_t>(last - first);
        if (numbers_.is_message(number)) {
            const collectives::parcel what = numbers_.parcel(number);
            const std::size_t data = plan_.levels()[what.second].sources[what.first].size();
            packets *= (data + data_per_packet_ - 1) / data_per_packet_;
        }
        enqueue(node, service_class,
                {static_cast<std::uint32_t>(first - sends_.begin()),
                 static_cast<std::uint32_t>(last - sends_.begin()),
                 {},
                 now_,
                 0},
                packets);
        first = last;
    }
}

void allgather_run::offer_to_coder(std::uint32_t node, const coder& which, std::uint32_t source) {
    if (numbers_.group(which.level, source) != which.group) return;
    if (options_.coder == allgather_coder::host) {
        for (const std::uint32_t first : {numbers_.previous(which.level, source), source})
            if (first != parcel_numbers::none) begin_job(node, which, first);
        return;
    }
    const std::vector<std::uint32_t>& data = plan_.levels()[which.level].sources[which.group];
    const auto place = std::ranges::lower_bound(data, source);
    if (place == data.end() || *place != source) return;
    unit_operand operand;
    operand.payload = payloads_.share(at(node, source));
    operand.source = node;
    operand.context = static_cast<std::uint16_t>(which.level);
    operand.index = static_cast<std::uint16_t>(place - data.begin());
    operand.flits = static_cast<std::uint16_t>(options_.flits);
    operand.bytes = static_cast<std::uint16_t>(datum_bytes(options_));
    enqueue(node, 0, {0, 0, operand, now_, 0}, 1);
}

/// Software makes one chain packet after the other, of neighbours that are both there.
void allgather_run::begin_job(std::uint32_t node, const coder& which, std::uint32_t first) {
    const std::uint32_t second = numbers_.next(which.level, first);
    if (second == parcel_numbers::none || !held(node, first) || !held(node, second)) return;
    host_state& host = hosts_[node];
    const cycle start = std::max(now_, host.free);
    host.free = start + options_.host_gap;
    jobs_.push({start + options_.host_overhead, node, which.level, first});
}

void allgather_run::enqueue(std::uint32_t node, unsigned service_class, const queued& what, std::uint64_t packets) {
    host_state& host = hosts_[node];
    host.lanes[service_class].entries.push_back(what);
    host.waiting += packets;
    result_.longest_queue = std::max(result_.longest_queue, host.waiting);
    feed(node);
}

/// Gives the terminal the host's next packet, if none waits there.
void allgather_run::feed(std::uint32_t node) {
    host_state& host = hosts_[node];
    if (host.fed) return;
    const auto chosen = std::ranges::find_if(host.lanes, [](const lane& one) { return !one.empty(); });
    if (chosen == host.lanes.end()) return;
    lane& from = *chosen;
    queued& entry = from.entries[from.head];
    cargo what;
    what.ready = entry.ready;
    unsigned flits = options_.flits;
    bool done = true;
    std::uint32_t to = node + nodes_;
    std::vector<payload_id> message_payloads;
    if (entry.begin == entry.end) {
        what.operand = entry.operand;
        what.payload = entry.operand.payload;
        what.number = plan_.levels()[entry.operand.context]
                          .sources[numbers_.group(entry.operand.context, node)][entry.operand.index];
        mark_faults(what, 'C', node, node, true);
        if (what.cut) {
            what.operand.flits = static_cast<std::uint16_t>(--flits);
            what.operand.bytes = static_cast<std::uint16_t>(what.operand.bytes - fabric_.params().router.flit_bytes);
        }
    } else {
        const outgoing& next = sends_[entry.begin];
        to = next.to;
        what.number = next.number;
        what.step = next.step;
        if (numbers_.is_message(next.number)) {
            const collectives::parcel message = numbers_.parcel(next.number);
            const std::vector<std::uint32_t> contents = plan_.contents(message);
            const std::size_t data = contents.size();
            what.first = entry.first;
            what.data = static_cast<std::uint16_t>(std::min<std::size_t>(data_per_packet_, data - entry.first));
            for (unsigned i = 0; i < what.data; ++i)
                message_payloads.push_back(payloads_.share(at(node, contents[what.first + i])));
            flits *= what.data;
            entry.first = static_cast<std::uint16_t>(entry.first + what.data);
            done = entry.first == data;
        } else {
            what.payload = payloads_.share(at(node, next.number));
        }
        mark_faults(what, steps_[next.step].letter, node, to, true);
        if (what.cut) --flits;
        if (done) {
            entry.first = 0;
            done = ++entry.begin == entry.end;
        }
    }
    const unsigned lane_number = static_cast<unsigned>(chosen - host.lanes.begin());
    if (done && ++from.head == from.entries.size()) {
        from.entries.clear();
        from.head = 0;
    }
    --host.waiting;
    host.fed = true;
    const packet_id id = ends_.queue(
        {node, to, what.ready, static_cast<std::uint16_t>(flits), static_cast<std::uint8_t>(lane_number), false});
    cargo_of(id) = what;
    if (!message_payloads.empty()) messages_[id] = std::move(message_payloads);
}

void allgather_run::mark_faults(cargo& what, char letter, std::uint32_t from, std::uint32_t to, bool by_host) {
    if (drop_.empty() && shorten_.empty()) return;
    const packet_name name{letter, from, to, numbers_.parcel(what.number)};
    const auto injected = [&](std::vector<packet_name>& faults) {
        const auto found = std::ranges::find(faults, name);
        if (found == faults.end()) return false;
        faults.erase(found);
        return true;
    };
    what.lost = injected(drop_);
    what.cut = !what.lost && by_host && injected(shorten_);
}

packet_id allgather_run::begin(std::uint32_t node, const chips::coding_packet& packet, payload_id payload) {
    const unsigned level = packet.context;
    const std::uint32_t first = plan_.levels()[level].sources[numbers_.group(level, node)][packet.index];
    cargo what;
    what.number = numbers_.chain(level, first);
    what.payload = payload;
    what.ready = now_;
    if (packet.destination != node) {
        for (std::uint32_t step = 0; step < steps_.size(); ++step)
            if (steps_[step].letter == 'D' && steps_[step].level == level) what.step = step;
        mark_faults(what, 'D', node, packet.destination, false);
    }
    const packet_id id =
        ends_.create({node + nodes_, packet.destination, now_, packet.flits, static_cast<std::uint8_t>(1), false});
    cargo_of(id) = what;
    return id;
}

void allgather_run::event(std::uint32_t node, const engine::chip_event& what) {
    const std::string where =
        "coding unit of node " + std::to_string(node) + ", context " + std::to_string(what.context) + ": ";
    const std::vector<std::uint32_t>& data = plan_.levels()[what.context].sources[numbers_.group(what.context, node)];
    if (what.code == static_cast<std::uint8_t>(chips::coding_event::unequal) && what.index + 1 < data.size()) {
        problem(where + "operands " + std::to_string(what.index) + " and " + std::to_string(what.index + 1) +
                " (data of nodes " + std::to_string(data[what.index]) + " and " + std::to_string(data[what.index + 1]) +
                ") from terminal " + std::to_string(what.source) + " have unequal lengths");
    } else {
        problem(where + "event " + std::to_string(what.code) + " of operand " + std::to_string(what.index) +
                " from terminal " + std::to_string(what.source));
    }
}

void allgather_run::problem(const std::string& text) {
    if (result_.problems.size() < 100) result_.problems.push_back(text);
}

}  // namespace polycast::hw::fabric
