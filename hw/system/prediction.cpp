// SPDX-License-Identifier: Apache-2.0
#include "hw/system/prediction.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>
#include <utility>

#include "hw/collectives/k_binomial.h"
#include "hw/system/worm_route.h"

namespace polycast::hw::system {

namespace {

using collectives::transmission;
using engine::cycle;
using traffic::forwarding;

/// Own packets that the firmware has between the start of their transfer and their last copy: firmware/state.h, WINDOW.
constexpr unsigned own_packets = 4;

/// A transmission with what the network makes of it.
struct route {
    const transmission* sent = nullptr;
    unsigned header_flits = 1;
    std::vector<unsigned> passed;           ///< switches, by host
    std::vector<std::size_t> participants;  ///< places in the plan, by host
};

/// A send call: `routes` are served packet by packet (first packet first served), or one after the other.
struct message {
    std::vector<std::size_t> routes;
    std::uint32_t fetched = 0;      ///< packets whose transfer has begun
    std::uint32_t transferred = 0;  ///< and has ended
};

/// A packet to be copied by an interface.
struct job {
    std::size_t message = 0;
    std::uint32_t packet = 0;
    std::size_t next = 0;  ///< of its routes
    bool own = false;
};

enum class operation : std::uint8_t { none, send, receive, command, fetch, end };

/// One time line of an interface's processor.
struct lane {
    operation busy_with = operation::none;
    cycle ends = 0;
    job about;
    std::size_t route = 0;
};

struct participant_state {
    std::uint32_t host = 0;
    cycle processor_free = 0;  ///< of the host
    cycle bus_free = 0;
    cycle link_free = 0;
    cycle switch_free = 0;  ///< earliest head at the switch behind the packet before
    std::vector<message> messages;
    std::vector<lane> lanes;

    // The firmware's queues, and events that it has not noted yet.
    struct event {
        enum class kind : std::uint8_t { command, transferred, arrived };
        kind what;
        job about;
    };
    std::deque<event> events;
    std::deque<std::size_t> commands;
    std::deque<std::size_t> fetching;
    std::deque<std::size_t> ended;
    std::deque<job> fetched;
    std::deque<job> arrived;
    std::deque<job> jobs;
    std::deque<std::pair<std::size_t, job>> train;  ///< first child first served: routes behind the first, in order
    std::vector<job> copied;                        ///< first child first served: packets that the first child has
    unsigned window = 0;
    std::uint32_t received = 0;
    bool woken = false;  ///< a look of its processor is scheduled for now
};

/// Carries out the plan of one multicast.
class model {
public:
    model(const system_plan& plan, const collectives::multicast_plan& multicast, forwarding how, std::uint32_t bytes);

    prediction run();

private:
    struct due {
        cycle when;
        bool late;  ///< what comes over a link is seen after all else that happens in its cycle
        std::uint64_t order;
        enum class kind : std::uint8_t { doorbell, transferred, arrived, wake, delivered } what;
        std::size_t participant;
        job about;

        bool operator>(const due& other) const {
            if (when != other.when) return when > other.when;
            return late != other.late ? late : order > other.order;
        }
    };
    using event = participant_state::event;

    bool by_interfaces() const { return traffic::by_interfaces(how_); }
    std::uint32_t bytes_of(std::uint32_t packet) const {
        return packet + 1 == packets_ ? bytes_ - packet * payload_ : payload_;
    }
    cycle bus_cycles(std::uint32_t bytes) const;
    cycle cost(ni_operation which) const { return plan_.params.firmware_times.cycles[which]; }

    void schedule(cycle when, due::kind what, std::size_t who, const job& about = {}, bool late = false);
    void wake(cycle now, std::size_t who);
    void send_calls(cycle now, std::size_t who);
    void work(cycle now, std::size_t who);
    bool step(cycle now, participant_state& at, lane& which, bool sends, bool receives);
    bool choose(participant_state& at, lane& which, bool sends, bool receives);
    bool choose_copy(participant_state& at, lane& which) const;
    bool note(participant_state& at);
    void finish(cycle now, std::size_t who, lane& which);
    void push(cycle now, std::size_t who, std::size_t index, const job& about);
    void receive(cycle now, std::size_t who, std::uint32_t packet);

    const system_plan& plan_;
    forwarding how_;
    std::uint32_t bytes_;
    std::uint32_t payload_;
    std::uint32_t packets_;
    std::vector<route> routes_;
    std::vector<std::vector<std::size_t>> sends_;  ///< [participant] routes
    std::vector<participant_state> states_;
    std::priority_queue<due, std::vector<due>, std::greater<>> queue_;
    std::uint64_t order_ = 0;
    prediction result_;
};

model::model(const system_plan& plan, const collectives::multicast_plan& multicast, forwarding how, std::uint32_t bytes)
    : plan_(plan),
      how_(how),
      bytes_(bytes),
      payload_(plan.host.interface.payload_bytes),
      packets_((bytes - 1) / payload_ + 1) {
    std::vector<std::size_t> place_of(plan.network.hosts.size());
    for (std::size_t place = 0; place < multicast.participants.size(); ++place)
        place_of[multicast.participants[place].host] = place;
    const unsigned lanes = plan.params.firmware_times.overlapped ? 2 : 1;
    for (const collectives::participant& one : multicast.participants) {
        participant_state& state = states_.emplace_back();
        state.host = one.host;
        state.lanes.resize(lanes);
        sends_.emplace_back();
        for (const transmission& sent : one.sends) {
            sends_.back().push_back(routes_.size());
            route& made = routes_.emplace_back();
            made.sent = &sent;
            made.header_flits = header_flits_of(plan, sent);
            made.passed = switches_passed(plan, one.host, sent);
            for (const std::uint32_t host : sent.hosts) made.participants.push_back(place_of[host]);
        }
    }
    result_.delivered.resize(states_.size());
}

prediction model::run() {
    send_calls(0, 0);
    while (!queue_.empty()) {
        const due next = queue_.top();
        queue_.pop();
        participant_state& at = states_[next.participant];
        switch (next.what) {
            case due::kind::doorbell: at.events.push_back({event::kind::command, next.about}); break;
            case due::kind::transferred: at.events.push_back({event::kind::transferred, next.about}); break;
            case due::kind::arrived: at.events.push_back({event::kind::arrived, next.about}); break;
            case due::kind::delivered:
                result_.delivered[next.participant] = next.when;
                result_.latency = std::max(result_.latency, next.when);
                if (!by_interfaces()) send_calls(next.when, next.participant);
                continue;
            case due::kind::wake:
                at.woken = false;
                work(next.when, next.participant);
                continue;
        }
        wake(next.when, next.participant);
    }
    return std::move(result_);
}

cycle model::bus_cycles(std::uint32_t bytes) const {
    const auto& rate = plan_.host.interface.bus_cycles_per_byte;
    return static_cast<cycle>((rate.numerator() * static_cast<std::int64_t>(bytes) + rate.denominator() - 1) /
                              rate.denominator());
}

void model::schedule(cycle when, due::kind what, std::size_t who, const job& about, bool late) {
    queue_.push({when, late, order_++, what, who, about});
}

void model::wake(cycle now, std::size_t who) {
    if (std::exchange(states_[who].woken, true)) return;
    schedule(now, due::kind::wake, who);
}

/// The program of a host that has the message calls send.
void model::send_calls(cycle now, std::size_t who) {
    participant_state& at = states_[who];
    const cycle overhead = plan_.host.send_overhead * (plan_.host.overheads_per_packet ? packets_ : 1);
    const auto call = [&](std::vector<std::size_t> routes) {
        at.processor_free = std::max(at.processor_free, now) + overhead;
        schedule(at.processor_free, due::kind::doorbell, who, {at.messages.size(), 0, 0, true});
        at.messages.push_back({std::move(routes)});
    };
    if (by_interfaces()) {
        call(sends_[who]);
    } else {
        for (const std::size_t index : sends_[who]) call({index});
    }
}

void model::work(cycle now, std::size_t who) {
    participant_state& at = states_[who];
    const bool two = at.lanes.size() == 2;
    for (lane& which : at.lanes)
        if (which.busy_with != operation::none && which.ends <= now) finish(now, who, which);
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t index = 0; index < at.lanes.size(); ++index) {
            lane& which = at.lanes[index];
            if (which.busy_with != operation::none || !step(now, at, which, !two || index == 1, !two || index == 0))
                continue;
            progress = true;
            if (which.ends == now) {
                finish(now, who, which);
            } else {
                schedule(which.ends, due::kind::wake, who);
            }
        }
    }
}

/// Begins an operation. \returns false where there is none
bool model::step(cycle now, participant_state& at, lane& which, bool sends, bool receives) {
    while (!choose(at, which, sends, receives))
        if (!note(at)) return false;
    switch (which.busy_with) {
        case operation::send: which.ends = now + cost(NI_OPERATION_SEND); break;
        case operation::receive: which.ends = now + cost(NI_OPERATION_RECEIVE); break;
        case operation::command: which.ends = now + cost(NI_OPERATION_COMMAND); break;
        default: which.ends = now + cost(NI_OPERATION_KEEP);
    }
    return true;
}

/// The firmware's order of work: firmware/step.c.
bool model::choose(participant_state& at, lane& which, bool sends, bool receives) {
    const auto take = [&](operation what, auto& from) {
        which.busy_with = what;
        from.pop_front();
        return true;
    };
    const auto take_command = [&] {
        which.about = {at.commands.front(), 0, 0, true};
        at.fetching.push_back(at.commands.front());
        return take(operation::command, at.commands);
    };
    if (sends != receives && !at.commands.empty()) return take_command();
    if (sends) {
        for (; !at.fetched.empty(); at.fetched.pop_front()) {
            message& whole = at.messages[at.fetched.front().message];
            at.jobs.push_back(at.fetched.front());
            if (++whole.transferred == packets_) at.ended.push_back(at.fetched.front().message);
        }
        if (!at.ended.empty()) return take(operation::end, at.ended);
        if (choose_copy(at, which)) return true;
    }
    if (receives && !at.arrived.empty()) {
        which.about = at.arrived.front();
        return take(operation::receive, at.arrived);
    }
    if (!sends) return false;
    if (!at.commands.empty()) return take_command();
    if (at.fetching.empty() || at.window == own_packets) return false;
    message& whole = at.messages[at.fetching.front()];
    which.about = {at.fetching.front(), whole.fetched, 0, true};
    ++at.window;
    if (++whole.fetched < packets_) {
        which.busy_with = operation::fetch;
        return true;
    }
    return take(operation::fetch, at.fetching);
}

/// One copy of the oldest packet; with first child first served, all packets to one child before the next.
bool model::choose_copy(participant_state& at, lane& which) const {
    if (!at.train.empty()) {
        std::tie(which.route, which.about) = at.train.front();
        at.train.pop_front();
        which.busy_with = operation::send;
        return true;
    }
    if (at.jobs.empty()) return false;
    job& first = at.jobs.front();
    const std::vector<std::size_t>& routes = at.messages[first.message].routes;
    which.busy_with = operation::send;
    which.about = first;
    which.route = routes[first.next++];
    const bool by_child = how_ == forwarding::fcfs && packets_ > 1 && routes.size() > 1;
    if (!by_child && first.next < routes.size()) return true;
    if (first.own) --at.window;
    if (by_child) {
        at.copied.push_back(first);
        for (std::size_t child = 1; at.copied.size() == packets_ && child < routes.size(); ++child)
            for (const job& one : at.copied) at.train.emplace_back(routes[child], one);
    }
    at.jobs.pop_front();
    return true;
}

bool model::note(participant_state& at) {
    if (at.events.empty()) return false;
    const event next = at.events.front();
    at.events.pop_front();
    switch (next.what) {
        case event::kind::command: at.commands.push_back(next.about.message); break;
        case event::kind::transferred: at.fetched.push_back(next.about); break;
        case event::kind::arrived: at.arrived.push_back(next.about); break;
    }
    return true;
}

/// What an operation has pushed takes effect.
void model::finish(cycle now, std::size_t who, lane& which) {
    participant_state& at = states_[who];
    switch (std::exchange(which.busy_with, operation::none)) {
        case operation::send: push(now, who, which.route, which.about); break;
        case operation::receive: receive(now, who, which.about.packet); break;
        case operation::fetch:
            at.bus_free = std::max(at.bus_free, now) + bus_cycles(bytes_of(which.about.packet));
            schedule(at.bus_free, due::kind::transferred, who, which.about);
            break;
        default: break;
    }
}

/// A packet goes to the link.
void model::push(cycle now, std::size_t who, std::size_t index, const job& about) {
    participant_state& at = states_[who];
    const route& way = routes_[index];
    const system_params& params = plan_.params;
    const unsigned flits = flits_of(plan_, *way.sent, bytes_of(about.packet));
    const cycle begins = std::max(now, at.link_free);
    at.link_free = begins + flits;
    // The switch routes a packet when the one before has left its buffer.
    const cycle head = std::max(begins, at.switch_free);
    at.switch_free = head + flits + params.route_delay;
    const cycle hop = params.route_delay + params.crossbar_delay + params.link_delay + way.header_flits - 1;
    for (std::size_t host = 0; host < way.participants.size(); ++host) {
        const cycle tail = head + params.link_delay + way.passed[host] * hop + flits - 1;
        schedule(tail, due::kind::arrived, way.participants[host], {0, about.packet, 0, false}, true);
    }
}

/// A packet has been looked at: its transfer to the host, and its copies.
void model::receive(cycle now, std::size_t who, std::uint32_t packet) {
    participant_state& at = states_[who];
    at.bus_free = std::max(at.bus_free, now) + bus_cycles(bytes_of(packet));
    if (by_interfaces() && !sends_[who].empty()) {
        if (at.messages.empty()) at.messages.push_back({sends_[who]});
        at.jobs.push_back({0, packet, 0, false});
    }
    if (++at.received < packets_) return;
    if (plan_.host.interface.charge_completions) at.bus_free += bus_cycles(ni::completion_bytes);
    const cycle overhead = plan_.host.receive_overhead * (plan_.host.overheads_per_packet ? packets_ : 1);
    at.processor_free = std::max(at.processor_free, at.bus_free) + overhead;
    schedule(at.processor_free, due::kind::delivered, who);
}

}  // namespace

prediction predict(const system_plan& plan, const collectives::multicast_plan& multicast, forwarding how,
                   std::uint32_t bytes) {
    return model(plan, multicast, how, bytes).run();
}

unsigned best_k_by_timing(const system_plan& plan, std::span<const std::uint32_t> chain, forwarding how,
                          std::uint32_t bytes) {
    unsigned best = 1;
    cycle least = engine::never;
    for (unsigned k = 1; k <= collectives::binomial_k(static_cast<std::uint32_t>(chain.size())); ++k) {
        const cycle latency = predict(plan, collectives::forwarding_plan(chain, k), how, bytes).latency;
        if (latency > least) continue;
        least = latency;
        best = k;
    }
    return best;
}

}  // namespace polycast::hw::system
