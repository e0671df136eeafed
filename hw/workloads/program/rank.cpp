// SPDX-License-Identifier: Apache-2.0
// Operations and processors; rank_messages.cpp has what comes and goes.
#include "hw/workloads/program/rank.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <utility>

#include "hw/workloads/program/flags.h"
#include "hw/workloads/program/program_run.h"

namespace polycast::hw::programs {

namespace {

constexpr unsigned step_shift = 56;
constexpr std::uint64_t index_mask = (std::uint64_t{1} << step_shift) - 1;

}  // namespace

cycle time_of(std::uint64_t amount, const boost::rational<std::int64_t>& each) {
    // In 128 bits: a time of 2^53 units by a clock of few hertz does not fit 64.
    const boost::multiprecision::uint128_t exact = boost::multiprecision::uint128_t(amount) * each.numerator();
    const std::int64_t divisor = each.denominator();
    return ((exact + divisor - 1) / divisor).convert_to<cycle>();
}

std::uint32_t rank_rules::sent_bytes(const operation& of_send) const {
    return static_cast<std::uint32_t>(with_flags(bytes_on_wire(of_send), wire));
}

std::vector<std::uint64_t> rank_report::packed(std::span<const operation> own) const {
    std::vector<std::uint64_t> all{finish,           rendezvous, reordered,   credit_waits, unexpected_messages,
                                   unexpected_bytes, open,       acknowledged};
    all.insert(all.end(), cycles.begin(), cycles.end());
    all.push_back(states.size());
    all.push_back(times.size());
    const std::size_t first = all.size();
    all.resize(first + (states.size() + 7) / 8);
    for (std::size_t i = 0; i < states.size(); ++i) all[first + i / 8] |= std::uint64_t{states[i]} << i % 8 * 8;
    for (std::size_t i = 0; i < times.size(); ++i) times[i].packed(all, own[i].kind);
    return all;
}

rank_report rank_report::of(std::span<const std::uint64_t> packed, std::span<const operation> own) {
    rank_report made;
    constexpr std::size_t scalars = 8, head = scalars + rank_states + 2;
    if (packed.size() < head) return made;
    made.finish = packed[0];
    made.rendezvous = packed[1];
    made.reordered = packed[2];
    made.credit_waits = packed[3];
    made.unexpected_messages = packed[4];
    made.unexpected_bytes = packed[5];
    made.open = packed[6];
    made.acknowledged = packed[7];
    std::ranges::copy(packed.subspan(scalars, rank_states), made.cycles.begin());
    made.states.resize(packed[scalars + rank_states]);
    const std::span<const std::uint64_t> words = packed.subspan(head);
    for (std::size_t i = 0; i < made.states.size(); ++i)
        made.states[i] = static_cast<std::uint8_t>(words[i / 8] >> i % 8 * 8);
    const std::span<const std::uint64_t> rest = words.subspan((made.states.size() + 7) / 8);
    for (std::size_t i = 0; i < packed[head - 1]; ++i)
        made.times.push_back(
            operation_times::of(rest.subspan(i * operation_times::words).first<operation_times::words>(), own[i].kind));
    return made;
}

rank::rank(program_run& run, std::uint32_t number, const host::host_context& context)
    : run_(run),
      rules_(run.rules()),
      number_(number),
      operations_(rules_.of->of_rank(number)),
      time_(context.time),
      processors_(context.processors),
      account_(processors_.size()),
      left_(rules_.of->counts_of_dependencies(number)),
      states_(operations_.size()),
      times_(rules_.times ? operations_.size() : 0),
      open_(operations_.size()),
      buffers_(*rules_.of, number, rules_.type, rules_.payload_seed),
      told_sent_(context.told,
                 [&run](std::uint32_t from, std::uint32_t index) {
                     run.check().sent({from, index});
                 }),
      told_posted_(context.told,
                   [&run](std::uint32_t at, std::uint32_t index) {
                       run.check().posted({at, index});
                   }),
      told_acknowledged_(context.told,
                         [&run](std::uint32_t from, std::uint32_t index) {
                             run.check().acknowledged({from, index});
                         }),
      told_came_(context.told,
                 [&run](std::uint32_t from, std::uint32_t index) {
                     run.check().came({from, index});
                 }),
      told_arrived_(context.told,
                    [&run](std::uint32_t at, std::uint32_t from, std::uint32_t index) {
                        run.check().arrived(at, {from, index});
                    }),
      told_matched_(context.told,
                    [&run](std::uint32_t at, std::uint32_t receive, std::uint32_t from, std::uint32_t index) {
                        run.check().matched({at, receive}, {from, index});
                    }),
      told_delivered_(context.told,
                      [&run](cycle when, std::uint32_t at, std::uint32_t receive, std::uint32_t from,
                             std::uint32_t index, std::span<const std::uint8_t> bytes) {
                          run.delivered(when, {at, receive}, {from, index}, bytes);
                      }),
      told_buffer_(context.told, [&run](std::uint32_t at, std::uint32_t buffer,
                                        std::span<const std::uint8_t> bytes) { run.check().left(at, buffer, bytes); }),
      told_ended_(context.told, [&run](std::uint32_t operations) { run.ended(operations); }),
      told_finished_(context.told, [&run](std::uint32_t at, cycle when) { run.finished(at, when); }),
      told_answered_(context.told, [&run](cycle took, bool well) { run.answered(took, well); }) {}

void rank::start() {
    if (rules_.place_bytes != 0)
        for (const queue_state& each : queues_)
            each.own->open_region(std::uint64_t{rules_.place_bytes} * rules_.places);
    if (rules_.multicasts) join_groups();
    account_.begin(rules_.start);
    if (open_ == 0) return tell_end(rules_.start);
    for (std::uint32_t index = 0; index < left_.size(); ++index)
        if (left_[index] == 0) {
            ready_.push(index);
            if (operation_times* const own = times_of(index)) own->ready = own->credited = rules_.start;
        }
    awake_ = true;
    schedule(std::max(rules_.start, time_.now()), step::ready, 0);
}

bool rank::finished() const {
    return scheduled_ == 0 && unanswered_.empty() && std::ranges::all_of(queues_, [](const queue_state& each) {
               return each.sending == 0 && each.waiting.empty();
           });
}

void rank::schedule(cycle when, step what, std::uint64_t index) {
    ++scheduled_;
    time_.schedule(when, *this, std::uint64_t{static_cast<std::uint8_t>(what)} << step_shift | index);
}

void rank::due(cycle when, std::uint64_t tag) {
    --scheduled_;
    const auto index = static_cast<std::uint32_t>(tag & index_mask);
    if (static_cast<step>(tag >> step_shift) != step::ready) account_.advance(when);
    switch (static_cast<step>(tag >> step_shift)) {
        case step::ready:
            // Messages of this cycle take the processors first, in the order of their completion entries.
            if (time_.next() <= when) return schedule(when, step::ready, 0);
            start_ready();
            break;
        case step::started: started(index); break;
        case step::ended:
            if (operations_[index].kind != operation_kind::calc && buffers_.any()) buffers_.act(index);
            ended(index);
            break;
        case step::paid: send_paid(index); break;
        case step::own_message: admit(index); break;
        case step::arrival_paid: arrival_paid(index); break;
        case step::grant_paid: {
            const arrival& of = slots_[index];
            give(of.queue, {.peer = of.send.rank,
                            .what = control{.kind = control_kind::grant,
                                            .operation = of.send.index,
                                            .credits = take_owed(of.send.rank, of.queue)}});
            break;
        }
        case step::control_paid: control_paid(index); break;
        case step::data_paid:
            give(queue_of(index), {.peer = operations_[index].peer, .operation = index, .content = taken(index)});
            break;
        case step::landing_paid: landing_paid(index); break;
        case step::multicast_started: multicast_started(index); break;
        case step::multicast_paid: multicast_paid(multicast_call::of(tag & index_mask)); break;
        case step::passed_on: {
            auto waited = passing_.extract(index);
            give(waited.mapped().first, std::move(waited.mapped().second));
            break;
        }
        case step::credit_paid: {
            const auto peer = static_cast<std::uint32_t>((tag & index_mask) >> 8);
            const auto queue = static_cast<unsigned>(tag & 0xff);
            exchange& between = with(peer, queue);
            between.returning = false;
            // Meanwhile others may have taken them along; the peer has room for messages of half a window each.
            if (between.owed >= credits_of_answer(rules_.credits.window[number_]))
                give(queue, {.peer = peer, .what = control{.credits = take_owed(peer, queue)}});
            break;
        }
    }
    look_at_waits();
}

void rank::look_at_waits() {
    account_.waits_for(credit_waiting_ != 0   ? rank_state::credit
                       : grants_waiting_ != 0 ? rank_state::grant
                                              : rank_state::message);
}

/// What is ready is looked at when all else of this cycle has happened.
void rank::wake() {
    if (std::exchange(awake_, true)) return;
    schedule(time_.now(), step::ready, 0);
}

void rank::freed(std::uint32_t index, std::uint32_t cause, bool on_start) {
    if (--left_[index] != 0) return;
    if (operation_times* const own = times_of(index)) {
        own->ready = own->credited = time_.now();
        own->cause = cause;
        own->cause_start = on_start;
    }
    ready_.push(index);
    wake();
}

void rank::start_ready() {
    awake_ = false;
    account_.advance(time_.now());
    while (!ready_.empty()) {
        const std::uint32_t index = ready_.top();
        ready_.pop();
        begin(index);
    }
}

void rank::begin(std::uint32_t index) {
    const operation& own = operations_[index];
    switch (own.kind) {
        case operation_kind::send: return begin_send(index);
        case operation_kind::receive: return post(index);
        case operation_kind::calc: return take_processor(index, time_of(own.length, rules_.unit), rank_state::compute);
        case operation_kind::copy:
        case operation_kind::reduce: {
            const auto& rate = own.kind == operation_kind::copy ? rules_.copy : rules_.reduce;
            const cycle time = rate ? time_of(own.length, 1 / *rate) : 0;
            return take_processor(index, time, rank_state::move);
        }
        case operation_kind::none:
        case operation_kind::collective: break;
    }
    started(index);
    ended(index);
}

void rank::started(std::uint32_t index) {
    note(operation_started, index);
    if (operation_times* const own = times_of(index)) own->begin = time_.now();
    for (const dependent& each : rules_.of->dependents({number_, index}))
        if (each.on_start()) freed(each.index(), index, true);
}

void rank::ended(std::uint32_t index) {
    note(operation_ended, index);
    if (operation_times* const own = times_of(index)) own->end = time_.now();
    for (const dependent& each : rules_.of->dependents({number_, index}))
        if (!each.on_start()) freed(each.index(), index, false);
    finish_ = time_.now();
    --open_;
    // Some thirty reports of a short rank, and few of a long one.
    const std::size_t at_once = std::clamp<std::size_t>(operations_.size() / 32, 1, 64);
    if (++unreported_ >= at_once || open_ == 0) told_ended_(std::exchange(unreported_, 0));
    if (open_ != 0) return;
    report_.cycles = account_.cycles();  // up to now: credits may still come
    tell_end(finish_);
}

void rank::tell_end(cycle when) {
    for (std::uint32_t buffer = 0; buffer < buffers_.count(); ++buffer) {
        const std::span<const std::byte> bytes = buffers_.buffer(buffer);
        told_buffer_(number_, buffer, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    }
    told_finished_(number_, when);
}

cycle rank::overhead(cycle each, std::uint64_t bytes) const {
    return rules_.packet_bytes == 0 || bytes == 0 ? each : each * ((bytes - 1) / rules_.packet_bytes + 1);
}

cycle rank::work(std::size_t processor, cycle duration, rank_state what) {
    const cycle end = processors_[processor].work(time_.now(), duration);
    account_.serve(processor, end - duration, end, what);
    return end;
}

cycle rank::pay_send(std::size_t processor, std::uint64_t bytes, std::uint32_t number) {
    const cycle duration = overhead(rules_.send_overhead, bytes);
    const cycle end =
        processors_[processor].serve(time_.now(), duration, host::overhead::send, rules_.host_of[number_], number);
    account_.serve(processor, end - duration, end, rank_state::send);
    return end;
}

cycle rank::pay_receive(std::size_t processor, std::uint64_t bytes, std::uint32_t source, std::uint32_t number) {
    const cycle duration = overhead(rules_.receive_overhead, bytes);
    const cycle end =
        processors_[processor].serve(time_.now(), duration, host::overhead::receive, rules_.host_of[source], number);
    account_.serve(processor, end - duration, end, rank_state::receive);
    return end;
}

/// It starts when the processor takes it, and ends when that is free again.
void rank::take_processor(std::uint32_t index, cycle duration, rank_state what) {
    const cycle end = work(processor_of(index), duration, what);
    if (end - duration == time_.now()) {
        started(index);
    } else {
        schedule(end - duration, step::started, index);
    }
    schedule(end, step::ended, index);
}

rank_report rank::report() const {
    rank_report made = report_;
    made.open = open_;
    made.finish = std::max(open_ == 0 ? finish_ : time_.now(), rules_.start) - rules_.start;
    if (open_ == 0) {
        made.times = times_;
        return made;
    }
    time_account so_far = account_;
    so_far.advance(rules_.start + made.finish);
    made.cycles = so_far.cycles();
    made.states = states_;
    return made;
}

void rank::fail(const std::string& what) {
    failures_.add("cycle " + std::to_string(time_.now()) + ", rank " + std::to_string(number_) + ": " + what);
}

}  // namespace polycast::hw::programs
