// SPDX-License-Identifier: Apache-2.0
// What nodes have, and what they do with it.
#include "hw/fabric/allgather_nodes.h"

#include <algorithm>

#include "hw/traffic/random.h"

namespace polycast::hw::fabric {

using engine::cycle;

/// B and D are followed by more than E and F are, so they go first.
unsigned allgather_nodes::class_of(std::uint32_t step) const {
    return collectives::class_of_step(steps_[step].letter);
}

/// True if the node makes this chain packet.
bool allgather_nodes::codes(std::uint32_t node, std::uint32_t number) const {
    if (numbers_.is_datum(number) || numbers_.is_message(number)) return false;
    const unsigned level = numbers_.level_of(number);
    return numbers_.group(level, node) == numbers_.group(level, numbers_.parcel(number).first);
}

void allgather_nodes::send_broadcast(cycle now, std::uint32_t node) {
    cargo what;
    what.number = node;
    what.payload = at(node, node);
    what.step = 0;
    what.ready = now;
    open_ += nodes_ - 1;
    send({node, 0, static_cast<std::uint16_t>(options_.flits), 0, true}, what, {});
}

void allgather_nodes::count_arrival(cycle when, std::uint32_t node, std::uint32_t from, const cargo& what) {
    --open_;
    last_arrival_ = std::max(last_arrival_, when);
    if (what.step == no_step) return;
    allgather_step& step = result_.steps[what.step];
    if (what.first == 0) ++step.packets;
    step.hops += std::uint64_t{what.data} * plan_.distance(from, node);
    step.cycles = std::max(step.cycles, when);
    const cycle latency = when - what.ready;
    latency_[what.step] += latency;
    result_.latency.add(latency);
    result_.latency_min = result_.packets == 0 ? latency : std::min(result_.latency_min, latency);
    result_.latency_max = std::max(result_.latency_max, latency);
    ++result_.packets;
}

void allgather_nodes::finish_jobs(cycle now, std::uint32_t node) {
    now_ = now;
    auto& jobs = hosts_[node].jobs;
    while (!jobs.empty() && jobs.top().ready <= now) {
        const host_job job = jobs.top();
        jobs.pop();
        --jobs_;
        --open_;
        ++host_xors_[node];
        hold_chain(node, numbers_.chain(job.level, job.first),
                   payloads_.take_xor(at(node, job.first), at(node, numbers_.next(job.level, job.first))));
    }
}

/// The payload as it is without the last flit.
payload_id allgather_nodes::cut(payload_id payload) {
    const payload_id shorter = payloads_.take();
    std::ranges::copy(payloads_[payload], payloads_[shorter].begin());
    const std::size_t flit = options_.fabric.router.flit_bytes;
    std::ranges::fill(payloads_[shorter].last(std::min(flit, payloads_[shorter].size())), std::uint8_t{0});
    payloads_.give_back(payload);
    return shorter;
}

void allgather_nodes::receive(cycle now, arrival& arrived) {
    now_ = now;
    const cargo& what = arrived.what;
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

void allgather_nodes::receive_message(arrival& arrived) {
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
void allgather_nodes::learn(std::uint32_t node, std::uint32_t source, payload_id payload) {
    check_.compare(node, source, payloads_[payload]);
    if (known(node, source)) return payloads_.give_back(payload);
    at(node, source) = payload;
    last_learnt_ = std::max(last_learnt_, now_);
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
void allgather_nodes::derive(std::uint32_t node, unsigned level, std::uint32_t from, std::uint32_t to) {
    if (known(node, to)) return;
    const std::uint32_t first = numbers_.next(level, from) == to ? from : to;
    const payload_id payload = payloads_.take_xor(at(node, from), at(node, numbers_.chain(level, first)));
    ++result_.decode_xors;
    check_.compare(node, to, payloads_[payload]);
    at(node, to) = payload;
    learning_.push_back(to);
}

void allgather_nodes::hold_chain(std::uint32_t node, std::uint32_t number, payload_id payload) {
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
void allgather_nodes::forget(std::uint32_t node, std::uint32_t source) {
    if (!held(node, source) || numbers_.group(0, node) == numbers_.group(0, source)) return;
    for (const std::uint32_t beside : {numbers_.next(0, source), numbers_.previous(0, source)})
        if (beside != parcel_numbers::none && !known(node, beside)) return;
    payloads_.give_back(at(node, source));
    at(node, source) = forgotten;
}

/// Groups whose message the node sends, and has now.
void allgather_nodes::complete_messages(std::uint32_t node, std::uint32_t source) {
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
void allgather_nodes::offer(std::uint32_t node, std::uint32_t number) {
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

void allgather_nodes::offer_to_coder(std::uint32_t node, const coder& which, std::uint32_t source) {
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
void allgather_nodes::begin_job(std::uint32_t node, const coder& which, std::uint32_t first) {
    const std::uint32_t second = numbers_.next(which.level, first);
    if (second == parcel_numbers::none || !held(node, first) || !held(node, second)) return;
    host_state& host = hosts_[node];
    const cycle start = std::max(now_, host.free);
    host.free = start + options_.host_gap;
    host.jobs.push({start + options_.host_overhead, which.level, first});
    ++jobs_;
    ++open_;
    job_begun(start + options_.host_overhead, node);
}

void allgather_nodes::enqueue(std::uint32_t node, unsigned service_class, const queued& what, std::uint64_t packets) {
    host_state& host = hosts_[node];
    host.lanes[service_class].entries.push_back(what);
    host.waiting += packets;
    if (what.begin != what.end) open_ += packets;  // an operand is counted with what its unit sends
    result_.longest_queue = std::max(result_.longest_queue, host.waiting);
    feed(node);
}

/// Gives the terminal the host's next packet, if none waits there.
void allgather_nodes::feed(std::uint32_t node) {
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
            what.operand.bytes = static_cast<std::uint16_t>(what.operand.bytes - options_.fabric.router.flit_bytes);
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
    send({node, to, static_cast<std::uint16_t>(flits), static_cast<std::uint8_t>(lane_number), false}, what,
         std::move(message_payloads));
}

void allgather_nodes::mark_faults(cargo& what, char letter, std::uint32_t from, std::uint32_t to, bool by_host) {
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

packet_id allgather_nodes::begin(std::uint32_t node, const chips::coding_packet& packet, payload_id payload) {
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
    if (!in_steps()) ++open_;  // begin_round() has counted them
    return begin_coded(node, packet, what);
}

void allgather_nodes::event(std::uint32_t node, const engine::chip_event& what) {
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

void allgather_nodes::problem(const std::string& text) {
    if (result_.problems.size() < 100) result_.problems.push_back(text);
}

}  // namespace polycast::hw::fabric
