// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/loggops.h"

#include <algorithm>

#include "hw/input_error.h"
#include "hw/programs/loggops_queue.h"
#include "hw/programs/loggops_table_costs.h"
#include "hw/programs/matching.h"
#include "hw/programs/stuck.h"

namespace polycast::hw::programs {
namespace {

constexpr std::uint64_t watched_events = 1'000'000;
/// Times are refused beyond it, so that sums of one time and what parameters and lengths add stay below 2^64.
constexpr std::uint64_t most_reached = std::uint64_t{1} << 62;

/// A message that came before its receive, or whose receive is posted.
struct arrived {
    operation_id send;
    std::uint64_t time = 0;  ///< when its overhead was paid
};

/// Times of LogGOPS, from one g and G for all lengths.
class parameter_costs {
public:
    explicit parameter_costs(const loggops_parameters& parameters) : p_(parameters) {}

    std::uint64_t send_busy(const operation& of) const { return p_.o + beyond_first(of) * p_.O; }
    std::uint64_t send_gap(const operation& of) const { return p_.g + beyond_first(of) * p_.G; }
    std::uint64_t arrives(const operation&) const { return p_.o + p_.L; }  ///< after the start of its send
    std::uint64_t receive_busy(const operation& of) const {
        return p_.o_receive + beyond_first(of) * std::max(p_.O, p_.G);
    }
    std::uint64_t receive_gap(const operation& of) const { return send_gap(of); }
    /// Copies and reductions are free.
    std::uint64_t work(const operation& of) const { return of.kind == operation_kind::calc ? of.length : 0; }
    static bool has_multicasts() { return false; }
    static multicast_times multicast_of(const program&, const multicast&) { return {}; }
    std::uint64_t eager() const { return p_.S; }
    static constexpr bool may_share = false;

private:
    static std::uint64_t beyond_first(const operation& of) { return of.length == 0 ? 0 : of.length - 1; }

    const loggops_parameters p_;
};

template <typename costs>
class machine {
public:
    machine(const program& run, const costs& of) : program_(run), p_(of) {}

    loggops_result run(const loggops_watch& watch, bool spans);

private:
    struct freed {
        std::uint32_t index;
        std::uint64_t time;  ///< the latest of what it waited for
    };

    void prepare();
    void refuse(std::uint32_t rank) const;
    void start(std::uint32_t rank, std::uint32_t index, std::uint64_t time);

    /// What an event of a rank waits for: a processor, or one with an interface in one direction.
    enum class waits_for : std::uint8_t { processor, departure, arrival };
    static std::uint64_t row_of(waits_for what, std::uint32_t rank, const operation& of) {
        const std::uint64_t interface = what == waits_for::processor ? 0 : of.channel;
        return std::uint64_t{rank} << 32 | interface << 16 | std::uint64_t{of.cpu} << 8 |
               static_cast<std::uint64_t>(what);
    }

    bool shared() const {
        if constexpr (costs::may_share) return p_.shares();
        return false;
    }

    // Each takes the event on top, or puts it back.
    bool place_at_shared(const loggops_event& one, const operation& sent);
    void take_message();
    void take_send();
    void send_multicast(operation_id first, std::uint64_t now);
    void take_receive();
    void take_calc();

    /// What waits for the start or the end of an operation learns the time. Those that wait for nothing more are freed.
    void tell(operation_id of, bool start, std::uint64_t time);
    void match(operation_id receive, operation_id send, std::uint64_t now, std::uint64_t end);
    void create_freed(std::uint32_t rank);
    void create_freed();
    void find_stuck();

    std::uint64_t& free(std::uint32_t rank, std::uint8_t cpu) { return free_[cpu_begin_[rank] + cpu]; }
    std::uint64_t& gap_send(std::uint32_t rank, std::uint8_t nic) { return gap_send_[nic_begin_[rank] + nic]; }
    std::uint64_t& gap_receive(std::uint32_t rank, std::uint8_t nic) { return gap_receive_[nic_begin_[rank] + nic]; }

    const program& program_;
    const costs p_;
    loggops_queue queue_;
    std::vector<std::uint32_t> cpu_begin_, nic_begin_;  ///< [rank] in the vectors below: each has what messages and
                                                        ///< operations of it name
    std::vector<std::uint64_t> free_, gap_send_, gap_receive_;
    std::vector<std::uint64_t> interface_;  ///< where shared: until when it has work, of both directions
    std::vector<bool> worked_;  ///< [number] sends whose message has its place at a shared interface of the receiver
    std::vector<std::uint32_t> waits_;                 ///< [number] dependencies that are not met
    std::vector<std::uint64_t> latest_;                ///< [number] of those that are met
    std::vector<waiting_list<std::uint32_t>> posted_;  ///< [rank] receives
    std::vector<waiting_list<arrived>> unexpected_;    ///< [rank]
    std::uint32_t here_ = 0;                           ///< rank whose operations are in freed_here_
    std::vector<freed> freed_here_, freed_there_;      ///< by the event that is taken; there: of another rank
    std::uint32_t there_ = 0;
    std::uint64_t ended_ = 0;  ///< operations
    loggops_result made_;
};

template <typename costs>
void machine<costs>::refuse(std::uint32_t rank) const {
    const auto operations = program_.of_rank(rank);
    for (std::uint32_t i = 0; i < operations.size(); ++i)
        if (operations[i].kind == operation_kind::collective)
            throw input_error(program_.describe({rank, i}) + ": collectives have to be made into messages before");
    const auto multicasts = program_.multicasts();
    if (!multicasts.empty() && !p_.has_multicasts())
        throw input_error(program_.describe({multicasts.front().rank, multicasts.front().first}) +
                              ": the LogGOPS model has no multicasts of switches and interfaces",
                          "take 'machine: model', or an algorithm of messages alone");
}

template <typename costs>
void machine<costs>::prepare() {
    const std::uint32_t ranks = program_.ranks();
    std::vector<std::uint8_t> cpus(ranks), nics(ranks);  // the largest
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        refuse(rank);
        for (const operation& one : program_.of_rank(rank)) {
            cpus[rank] = std::max(cpus[rank], one.cpu);
            nics[rank] = std::max(nics[rank], one.channel);
            if (one.kind != operation_kind::send) continue;
            cpus[one.peer] = std::max(cpus[one.peer], one.cpu);
            nics[one.peer] = std::max(nics[one.peer], one.channel);
        }
    }
    cpu_begin_.assign(ranks + 1, 0);
    nic_begin_.assign(ranks + 1, 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        cpu_begin_[rank + 1] = cpu_begin_[rank] + cpus[rank] + 1;
        nic_begin_[rank + 1] = nic_begin_[rank] + nics[rank] + 1;
    }
    free_.assign(cpu_begin_[ranks], 0);
    gap_send_.assign(nic_begin_[ranks], 0);
    gap_receive_.assign(nic_begin_[ranks], 0);
    if (shared()) {
        interface_.assign(nic_begin_[ranks], 0);
        worked_.assign(program_.operations(), false);
    }
    posted_.resize(ranks);
    unexpected_.resize(ranks);
    waits_.resize(program_.operations());
    latest_.assign(program_.operations(), 0);
    made_.finish.resize(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::vector<std::uint32_t> counts = program_.counts_of_dependencies(rank);
        std::ranges::copy(counts, waits_.begin() + (counts.empty() ? 0 : program_.number({rank, 0})));
        freed_here_.clear();
        for (std::uint32_t i = 0; i < counts.size(); ++i)
            if (counts[i] == 0) freed_here_.push_back({i, 0});
        here_ = rank;
        create_freed(rank);
    }
}

template <typename costs>
void machine<costs>::start(std::uint32_t rank, std::uint32_t index, std::uint64_t time) {
    queue_.push(time, rank, index);
}

template <typename costs>
void machine<costs>::tell(operation_id of, bool start, std::uint64_t time) {
    const std::uint32_t first = program_.number({of.rank, 0});
    if (!start) ++ended_;
    if (!made_.spans.empty()) (start ? made_.spans[first + of.index].begin : made_.spans[first + of.index].end) = time;
    for (const dependent& one : program_.dependents(of)) {
        if (one.on_start() != start) {
            if (start) return;  // those that wait for the end come last
            continue;
        }
        const std::uint32_t number = first + one.index();
        latest_[number] = std::max(latest_[number], time);
        if (--waits_[number] == 0)
            (of.rank == here_ ? freed_here_ : freed_there_).push_back({one.index(), latest_[number]});
    }
}

/// What the event has freed, as events: sends, receives, then the others.
template <typename costs>
void machine<costs>::create_freed(std::uint32_t rank) {
    std::vector<freed>& list = rank == here_ ? freed_here_ : freed_there_;
    for (int group = 0; group < 3 && !list.empty(); ++group)
        for (const freed& one : list) {
            const operation& made = program_.at({rank, one.index});
            const int own = made.kind == operation_kind::send ? 0 : made.kind == operation_kind::receive ? 1 : 2;
            if (own != group) continue;
            if (made.multicast && program_.first_of({rank, one.index}).index != one.index) continue;
            std::uint64_t time = std::max(one.time, free(rank, made.cpu));
            if (own == 0) time = std::max(time, gap_send(rank, made.channel));
            start(rank, one.index, time);
        }
    list.clear();
}

template <typename costs>
void machine<costs>::create_freed() {
    if (freed_there_.empty()) {
        create_freed(here_);
        return;
    }
    const std::uint32_t here = here_, there = there_;
    create_freed(std::min(here, there));
    create_freed(std::max(here, there));
}

/// \param now of the event that matched \param end of the receive
template <typename costs>
void machine<costs>::match(operation_id receive, operation_id send, std::uint64_t now, std::uint64_t end) {
    const operation& sent = program_.at(send);
    if (sent.length != program_.at(receive).length)
        throw input_error("lengths differ: " + program_.describe(send) + " and " + program_.describe(receive));
    ++made_.matched;
    tell(receive, false, end);
    if (!asks(sent, p_.eager())) return;
    std::uint64_t& busy = free(send.rank, sent.cpu);
    busy = std::max(busy, now);
    std::uint64_t& gap = gap_send(send.rank, sent.channel);
    gap = std::max(gap, now);
    there_ = send.rank;
    tell(send, false, now);
}

/// An interface that sends and receives in turn: the work for a message would have been done when it is there, and
/// takes its place behind what the interface has to do before. \returns whether the message has been put back for that
template <typename costs>
bool machine<costs>::place_at_shared(const loggops_event& one, const operation& sent) {
    if (!shared()) return false;
    const std::uint32_t number = program_.number({one.rank, one.index});
    if (worked_[number]) return false;
    worked_[number] = true;
    const std::uint64_t work = p_.receive_gap(sent);
    std::uint64_t& taken = interface_[nic_begin_[sent.peer] + sent.channel];
    taken = std::max(taken, one.time - std::min(work, one.time)) + work;
    if (taken <= one.time) return false;
    queue_.put_back(taken);
    return true;
}

template <typename costs>
void machine<costs>::take_message() {
    const loggops_event one = queue_.top();
    const operation& sent = program_.at({one.rank, one.index});
    const std::uint32_t rank = sent.peer;
    here_ = rank;
    std::uint64_t &busy = free(rank, sent.cpu), &gap = gap_receive(rank, sent.channel);
    if (place_at_shared(one, sent)) return;
    const std::uint64_t row = row_of(waits_for::arrival, rank, sent);
    if (const std::uint64_t ready = std::max(busy, gap); ready > one.time) return queue_.wait(ready, row);
    queue_.take(row);
    busy = one.time + p_.receive_busy(sent);
    if (!shared()) gap = one.time + p_.receive_gap(sent);
    const operation_id send{one.rank, one.index};
    const envelope message = envelope_of_send(sent, one.rank);
    if (const auto receive = posted_[rank].take_for_message(message)) {
        match({rank, *receive}, send, one.time, busy);
    } else {
        unexpected_[rank].push(message, {send, busy});
        made_.unexpected_peak = std::max<std::uint64_t>(made_.unexpected_peak, unexpected_[rank].size());
    }
}

template <typename costs>
void machine<costs>::take_send() {
    const loggops_event one = queue_.top();
    const operation& sent = program_.at({one.rank, one.index});
    std::uint64_t &busy = free(one.rank, sent.cpu), &gap = gap_send(one.rank, sent.channel);
    const std::uint64_t row = row_of(waits_for::departure, one.rank, sent);
    if (const std::uint64_t ready = std::max(busy, gap); ready > one.time) return queue_.wait(ready, row);
    queue_.take(row);
    if (sent.multicast) return send_multicast({one.rank, one.index}, one.time);
    busy = one.time + p_.send_busy(sent);
    std::uint64_t late = 0;
    if (shared()) {
        std::uint64_t& taken = interface_[nic_begin_[one.rank] + sent.channel];
        taken = std::max(taken, busy);
        late = taken - busy;
        taken += p_.receive_gap(sent);
    } else {
        gap = one.time + p_.send_gap(sent);
    }
    queue_.push(one.time + p_.arrives(sent) + late, one.rank, one.index, true);
    ++made_.messages;
    made_.bytes += sent.length;
    tell({one.rank, one.index}, true, one.time);
    if (!asks(sent, p_.eager())) tell({one.rank, one.index}, false, busy);
}

/// The first of its sends stands for all: they are free at the same time.
template <typename costs>
void machine<costs>::send_multicast(operation_id first, std::uint64_t now) {
    const operation& sent = program_.at(first);
    const multicast& all = program_.multicasts()[program_.multicast_of(first)];
    const multicast_times times = p_.multicast_of(program_, all);
    std::uint64_t& busy = free(first.rank, sent.cpu);
    busy = now + times.calls * p_.send_busy(sent);
    std::uint64_t late = 0;
    if (shared()) {
        std::uint64_t& taken = interface_[nic_begin_[first.rank] + sent.channel];
        taken = std::max(taken, now + p_.send_busy(sent));
        late = taken - (now + p_.send_busy(sent));
        taken += times.calls * p_.receive_gap(sent);
    } else {
        gap_send(first.rank, sent.channel) = now + times.calls * p_.send_gap(sent);
    }
    for (std::uint32_t i = 0; i < all.count; ++i)
        queue_.push(now + times.arrives[i] + late, first.rank, first.index + i, true);
    ++made_.messages;
    made_.bytes += sent.length;
    for (std::uint32_t i = 0; i < all.count; ++i) tell({first.rank, first.index + i}, true, now);
    for (std::uint32_t i = 0; i < all.count; ++i) tell({first.rank, first.index + i}, false, busy);
}

template <typename costs>
void machine<costs>::take_receive() {
    const loggops_event one = queue_.top();
    queue_.pop();
    const operation& posted = program_.at({one.rank, one.index});
    tell({one.rank, one.index}, true, one.time);
    if (const auto message = unexpected_[one.rank].take_for_receive(envelope_of_receive(posted)))
        match({one.rank, one.index}, message->send, one.time, std::max(one.time, message->time));
    else
        posted_[one.rank].push(envelope_of_receive(posted), one.index);
}

/// Copies and reductions of no time wait for their processor all the same; `none` holds nothing.
template <typename costs>
void machine<costs>::take_calc() {
    const loggops_event one = queue_.top();
    const operation& done = program_.at({one.rank, one.index});
    std::uint64_t end = one.time;
    if (done.kind == operation_kind::none) {
        queue_.pop();
    } else {
        std::uint64_t& busy = free(one.rank, done.cpu);
        const std::uint64_t row = row_of(waits_for::processor, one.rank, done);
        if (busy > one.time) return queue_.wait(busy, row);
        queue_.take(row);
        end = busy = one.time + p_.work(done);
    }
    tell({one.rank, one.index}, true, one.time);
    tell({one.rank, one.index}, false, end);
}

/// No event is left: what has not started, posted receives, and sends that wait for one are stuck.
template <typename costs>
void machine<costs>::find_stuck() {
    for (const std::uint32_t one : waits_) made_.waiting += one != 0;
    const auto asking = [this](const arrived& one) { return asks(program_.at(one.send), p_.eager()); };
    for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank) {
        made_.waiting += posted_[rank].size();
        unexpected_[rank].for_each([&](const envelope&, const arrived& one) { made_.waiting += asking(one); });
    }
    if (made_.waiting == 0) return;
    made_.stuck = true;
    run_state state;
    state.started.resize(waits_.size());
    for (std::size_t i = 0; i < waits_.size(); ++i) state.started[i] = waits_[i] == 0;
    state.ended = state.matched = state.started;
    for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank) {
        posted_[rank].for_each([&](const envelope&, std::uint32_t index) {
            const std::uint32_t number = program_.number({rank, index});
            state.ended[number] = state.matched[number] = false;
        });
        unexpected_[rank].for_each([&](const envelope&, const arrived& one) {
            const std::uint32_t number = program_.number(one.send);
            state.matched[number] = false;
            if (asking(one)) state.ended[number] = false;
        });
    }
    made_.report = describe_stuck(program_, state, p_.eager());
}

template <typename costs>
loggops_result machine<costs>::run(const loggops_watch& watch, bool spans) {
    prepare();
    if (spans) made_.spans.resize(program_.operations());
    while (!queue_.empty()) {
        const loggops_event& next = queue_.top();
        if (next.time > most_reached) throw input_error("the program takes longer than 2^62 units of time");
        if (++made_.events % watched_events == 0 && watch && !watch(ended_, next.time)) {
            made_.stopped = true;
            break;
        }
        here_ = next.rank;
        if (next.message) {
            take_message();
        } else {
            switch (program_.at({next.rank, next.index}).kind) {
                case operation_kind::send: take_send(); break;
                case operation_kind::receive: take_receive(); break;
                default: take_calc(); break;
            }
        }
        create_freed();
    }
    for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank)
        made_.finish[rank] = *std::max_element(free_.begin() + cpu_begin_[rank], free_.begin() + cpu_begin_[rank + 1]);
    if (!made_.stopped) find_stuck();
    return std::move(made_);
}

}  // namespace

std::uint64_t loggops_result::latest() const {
    return *std::ranges::max_element(finish);
}

std::uint32_t loggops_result::last_rank() const {
    return static_cast<std::uint32_t>(std::ranges::max_element(finish) - finish.begin());
}

std::uint64_t loggops_result::sum() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : finish)
        if (__builtin_add_overflow(sum, one, &sum)) throw input_error("the sum of finish times is beyond 64 bits");
    return sum;
}

loggops_result run_loggops(const program& run, const loggops_parameters& parameters, const loggops_watch& watch,
                           bool spans) {
    for (const std::uint64_t one :
         {parameters.L, parameters.o, parameters.o_receive, parameters.g, parameters.G, parameters.O})
        if (one > most_loggops) throw input_error("parameters of LogGOPS are at most " + std::to_string(most_loggops));
    return machine(run, parameter_costs(parameters)).run(watch, spans);
}

loggops_result run_with_tables(const program& run, const loggops_tables& tables) {
    return machine(run, table_costs(tables)).run({}, false);
}

}  // namespace polycast::hw::programs
