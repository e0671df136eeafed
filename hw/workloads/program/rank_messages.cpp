// SPDX-License-Identifier: Apache-2.0
// What a rank sends and receives: matching, long messages, credits.
#include <algorithm>
#include <utility>

#include "hw/workloads/messages/workload_program.h"
#include "hw/workloads/program/flags.h"
#include "hw/workloads/program/program_check.h"
#include "hw/workloads/program/program_run.h"
#include "hw/workloads/program/rank.h"

namespace polycast::hw::programs {

namespace {

/// Of all queues together, as firmware's tables are finite; what is more waits in the host.
constexpr unsigned most_sends = 48;
/// Context of a send whose end nobody waits for.
constexpr std::uint64_t no_operation = ~std::uint64_t{0};

}  // namespace

// Sends.

void rank::begin_send(std::uint32_t index) {
    const operation& own = operations_[index];
    const bool credited = (states_[index] & operation_credited) != 0;
    if (own.peer != number_ && !credited && !take_credit(own.peer, queue_of(index), {false, index})) return;
    if (own.multicast) return begin_multicast(index);
    const bool request = own.peer != number_ && asks(own, rules_.eager);
    const std::uint64_t bytes = request ? control_bytes : rules_.sent_bytes(own);
    const cycle end = pay_send(processor_of(index), bytes, index);
    const cycle begin = end - overhead(rules_.send_overhead, bytes);
    if (begin == time_.now()) {
        started(index);
    } else {
        schedule(begin, step::started, index);
    }
    schedule(end, step::paid, index);
}

void rank::send_paid(std::uint32_t index) {
    const operation& own = operations_[index];
    if (operation_times* const times = times_of(index)) times->handed = time_.now();
    told_sent_(number_, index);
    if (own.peer == number_) {
        const std::uint32_t slot = new_slot({.send = {number_, index}, .own = true, .copied = taken(index)});
        schedule(time_.now() + 1, step::own_message, slot);
        return ended(index);
    }
    const unsigned queue = queue_of(index);
    const std::uint16_t sequence = next_sent_[own.peer]++;
    const bool eager = !asks(own, rules_.eager);
    const std::uint32_t credits = eager && rules_.reliable ? 0 : take_owed(own.peer, queue);
    if (eager) {
        give(queue,
             {.peer = own.peer, .operation = index, .sequence = sequence, .credits = credits, .content = taken(index)});
        return ended(index);
    }
    ++report_.rendezvous;
    ++grants_waiting_;
    give(queue, {.peer = own.peer,
                 .what = control{
                     .kind = control_kind::request, .operation = index, .sequence = sequence, .credits = credits}});
}

void rank::grant_came(std::uint32_t index) {
    --grants_waiting_;
    const operation& own = operations_[index];
    const std::uint32_t bytes = rules_.sent_bytes(own);
    const cycle paid = pay_send(processor_of(index), bytes, index);
    if (operation_times* const times = times_of(index)) {
        times->granted = time_.now();
        times->data_begin = paid - overhead(rules_.send_overhead, bytes);
        times->data_handed = paid;
    }
    schedule(paid, step::data_paid, index);
}

void rank::give(unsigned queue, outgoing&& what) {
    queues_[queue].waiting.push_back(std::move(what));
    give_waiting(queue);
}

void rank::give_waiting(unsigned queue) {
    queue_state& through = queues_[queue];
    const unsigned most = std::max<unsigned>(1, most_sends / rules_.queues);
    while (!through.waiting.empty() && through.sending < most) {
        const outgoing next = std::move(through.waiting.front());
        through.waiting.pop_front();
        host::send_order order;
        order.to = rules_.host_of[next.peer];
        order.process = queue;
        order.context = no_operation;
        ++through.sending;
        if (next.part) {
            through.own->send(order_of(next), next.content);
            continue;
        }
        if (next.what) {
            order.number = new_control_number();
            order.tag = control_tag;
            if (rules_.reliable) make_reliable(next, order);
            const control::bytes bytes = next.what->packed();
            through.own->send(order, bytes);
            continue;
        }
        const operation& own = operations_[next.operation];
        order.number = next.operation;
        order.tag = eager_tag{next.sequence, next.credits}.word();
        if (own.length > rules_.eager) order.context = next.operation;
        if (next.content.empty()) {
            content_.resize(bytes_on_wire(own));
            traffic::fill_payload(rules_.payload_seed, content_of({number_, next.operation}), content_);
        }
        if (rules_.reliable) make_reliable(next, order);
        const std::span<const std::uint8_t> bytes = next.content.empty() ? content_ : next.content;
        if (rules_.wire == wire_format::plain)
            through.own->send(order, bytes);
        else
            through.own->send(order, flagged(bytes, rules_.wire, next.operation + 1));
    }
}

void rank::sent(unsigned queue, std::uint64_t context, ni_status status) {
    account_.advance(time_.now());
    --queues_[queue].sending;
    if (rules_.reliable)
        answered(context, status);
    else if (status != NI_STATUS_OK)
        fail("a message was not sent: " + std::string(traffic::words_of(status)));
    else if (context != no_operation)
        ended(static_cast<std::uint32_t>(context));
    give_waiting(queue);
}

// Arrivals.

std::uint32_t rank::new_slot(arrival&& of) {
    if (free_slots_.empty()) {
        slots_.push_back(std::move(of));
        slots_.back().came = time_.now();
        return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = std::move(of);
    slots_[slot].came = time_.now();
    return slot;
}

void rank::received(unsigned queue, const host::delivery& message) {
    account_.advance(time_.now());
    const std::uint32_t source =
        message.source < rules_.rank_of.size() ? rules_.rank_of[message.source] : rank_rules::no_rank;
    if (source == rank_rules::no_rank) return refuse(queue, message, "that has no rank");
    if (message.tag >= control_tag) {
        const std::optional<control> what = control::of(queues_[queue].own->bytes(message, content_));
        const auto sends = [&](std::uint32_t from, std::uint32_t to) {
            const std::span<const operation> all = rules_.of->of_rank(from);
            return what->operation < all.size() && all[what->operation].kind == operation_kind::send &&
                   all[what->operation].peer == to;
        };
        const bool known = what && (what->kind == control_kind::request ? sends(source, number_)
                                    : what->kind == control_kind::grant ? sends(number_, source)
                                                                        : what->kind == control_kind::credit);
        if (!known) return refuse(queue, message, "is no request, grant or credits");
        return receive_control(queue, source, message, *what);
    }
    if (rules_.reliable) return receive_reliable(queue, source, message);
    if (const std::optional<operation_id> send = multicast_send(source, message)) {
        const std::uint32_t slot = new_slot({.send = *send, .queue = queue, .multicast = true, .buffer = message});
        admit(slot);
        return look_at_waits();
    }
    const std::span<const operation> theirs = rules_.of->of_rank(source);
    if (message.number >= theirs.size() || theirs[message.number].kind != operation_kind::send ||
        theirs[message.number].multicast)
        return refuse(queue, message, "has the number of no send");
    const eager_tag tag = eager_tag::of(message.tag);
    arrive(new_slot({.send = {source, message.number},
                     .queue = queue,
                     .sequence = tag.sequence,
                     .credits = tag.credits,
                     .buffer = message}));
    look_at_waits();
}

void rank::refuse(unsigned queue, const host::delivery& message, const std::string& what) {
    fail("a message of host " + std::to_string(message.source) + " " + what);
    queues_[queue].own->release(message);
}

void rank::receive_control(unsigned queue, std::uint32_t source, const host::delivery& message, const control& what) {
    arrival of{.send = {source, what.operation},
               .queue = queue,
               .sequence = what.sequence,
               .credits = what.credits,
               .request = true,
               .buffer = message};
    if (what.kind == control_kind::request) {
        arrive(new_slot(std::move(of)));
        return look_at_waits();
    }
    // The interface may have the buffer again when t_hr is paid.
    const std::size_t processor = what.kind == control_kind::grant ? processor_of(what.operation) : 0;
    const cycle paid = pay_receive(processor, message.bytes, source, message.number);
    of.grant = what.kind == control_kind::grant;
    of.request = false;
    schedule(paid, step::control_paid, new_slot(std::move(of)));
}

void rank::control_paid(std::uint32_t slot) {
    arrival& of = slots_[slot];
    const arrival done = std::move(of);
    of = {};
    free_slots_.push_back(slot);
    queues_[done.queue].own->release(*done.buffer);
    credited(done.send.rank, done.queue, done.credits);
    if (!done.grant) return;
    owe(done.send.rank, done.queue);
    grant_came(done.send.index);
}

/// Messages of a pair are matched in the order in which they were sent.
void rank::arrive(std::uint32_t slot) {
    const arrival& of = slots_[slot];
    const std::uint32_t source = of.send.rank;
    std::uint16_t& next = next_taken_[source];
    if (of.sequence != next) {
        ++report_.reordered;
        early_.emplace(std::pair{source, of.sequence}, slot);
        return pay_arrival(slot, 0);
    }
    ++next;
    admit(slot);
    for (auto found = early_.find({source, next}); found != early_.end(); found = early_.find({source, next})) {
        const std::uint32_t waited = found->second;
        early_.erase(found);
        ++next;
        admit(waited);
    }
}

void rank::admit(std::uint32_t slot) {
    arrival& of = slots_[slot];
    const operation& send = rules_.of->at(of.send);
    told_arrived_(number_, of.send.rank, of.send.index);
    const std::optional<std::uint32_t> receive = posted_.take_for_message(envelope_of_send(send, of.send.rank));
    if (receive) {
        take(*receive, slot);
    } else {
        unexpected_.push(envelope_of_send(send, of.send.rank), slot);
        report_.unexpected_messages = std::max(report_.unexpected_messages, ++kept_messages_);
    }
    if (!of.paying)
        pay_arrival(slot, of.receive ? processor_of(*of.receive) : 0);
    else if (of.paid && of.receive)
        deliver(slot);
}

void rank::pay_arrival(std::uint32_t slot, std::size_t processor) {
    arrival& of = slots_[slot];
    of.paying = true;
    const std::uint64_t bytes = of.request ? control_bytes : rules_.sent_bytes(rules_.of->at(of.send));
    const std::uint32_t number = of.buffer ? of.buffer->number : of.send.index;
    of.paid_at = pay_receive(processor, bytes, of.send.rank, number);
    of.pay_begin = of.paid_at - overhead(rules_.receive_overhead, bytes);
    schedule(of.paid_at, step::arrival_paid, slot);
}

void rank::arrival_paid(std::uint32_t slot) {
    arrival& of = slots_[slot];
    of.paid = true;
    if (of.buffer) {
        credited(of.send.rank, of.queue, of.credits);
        owe(of.send.rank, of.queue);
    }
    if (of.multicast) pass_on(slot);
    if (of.receive) return deliver(slot);
    // Nobody wants it yet: it is copied out, and its buffer is the interface's again.
    if (!of.buffer || of.request) {
        if (of.buffer) queues_[of.queue].own->release(*std::exchange(of.buffer, std::nullopt));
        return;
    }
    host::process& own = *queues_[of.queue].own;
    const std::span<const std::uint8_t> bytes = own.bytes(*of.buffer, content_);
    of.copied.assign(bytes.begin(), bytes.end());
    kept_bytes_ += of.copied.size();
    report_.unexpected_bytes = std::max(report_.unexpected_bytes, kept_bytes_);
    own.release(*std::exchange(of.buffer, std::nullopt));
}

void rank::post(std::uint32_t index) {
    started(index);
    told_posted_(number_, index);
    const envelope wanted = envelope_of_receive(operations_[index]);
    const std::optional<std::uint32_t> slot = unexpected_.take_for_receive(wanted);
    if (!slot) return posted_.push(wanted, index);
    --kept_messages_;
    take(index, *slot);
    if (slots_[*slot].paid) deliver(*slot);
}

void rank::take(std::uint32_t index, std::uint32_t slot) {
    arrival& of = slots_[slot];
    of.receive = index;
    note(operation_matched, index);
    told_matched_(number_, index, of.send.rank, of.send.index);
}

/// All is paid: an eager message is where it belongs, a long one may come.
void rank::deliver(std::uint32_t slot) {
    arrival& of = slots_[slot];
    if (of.request) return grant(slot);
    const std::uint32_t receive = *of.receive;
    std::span<const std::uint8_t> bytes = of.copied;
    if (of.buffer) {
        bytes = queues_[of.queue].own->bytes(*of.buffer, content_);
    } else if (of.own && !buffers_.any()) {
        content_.resize(bytes_on_wire(operations_[of.send.index]));
        traffic::fill_payload(rules_.payload_seed, content_of(of.send), content_);
        bytes = content_;
    }
    note_arrival(receive, of);
    delivered(receive, of.send, bytes);
    if (!of.own) kept_bytes_ -= of.copied.size();
    if (of.buffer) queues_[of.queue].own->release(*of.buffer);
    of = {};
    free_slots_.push_back(slot);
    ended(receive);
}

void rank::note_arrival(std::uint32_t receive, const arrival& of) {
    operation_times* const own = times_of(receive);
    if (own == nullptr) return;
    own->arrived = of.came;
    own->pay_begin = of.pay_begin;
    own->paid = of.paid_at;
    own->partner = of.send;
}

void rank::delivered(std::uint32_t receive, operation_id send, std::span<const std::uint8_t> bytes) {
    std::optional<std::vector<std::uint8_t>> plain;
    if (rules_.wire != wire_format::plain && send.rank != number_) {
        plain = unflagged(bytes, bytes_on_wire(rules_.of->at(send)), rules_.wire, send.index + 1);
        if (!plain) return fail("flags of " + rules_.of->describe(send) + " are not those of the message");
        bytes = *plain;
    }
    if (buffers_.any()) buffers_.store(receive, bytes);
    told_delivered_(time_.now(), number_, receive, send.rank, send.index, bytes);
}

// Long messages.

void rank::grant(std::uint32_t slot) {
    arrival& of = slots_[slot];
    if (of.buffer) queues_[of.queue].own->release(*std::exchange(of.buffer, std::nullopt));
    queue_state& through = queues_[of.queue];
    if (through.free_places.empty() && through.next_place == rules_.places) {
        through.ungranted.push_back(slot);
        return;
    }
    if (through.free_places.empty()) {
        of.place = through.next_place++;
    } else {
        of.place = through.free_places.back();
        through.free_places.pop_back();
    }
    if (rules_.reliable) {
        granted_.emplace(std::uint64_t{of.send.rank} << 32 | of.send.index, slot);
        if (take_credit(of.send.rank, of.queue, {true, slot})) grant_credited(slot);
        return;
    }
    host::landing_order order;
    order.source = rules_.host_of[of.send.rank];
    order.process = of.queue;
    order.number = of.send.index;
    order.offset = std::uint64_t{of.place} * rules_.place_bytes;
    order.bytes = rules_.sent_bytes(rules_.of->at(of.send));
    order.context = slot;
    through.own->expect(order);
    if (take_credit(of.send.rank, of.queue, {true, slot})) grant_credited(slot);
}

void rank::grant_credited(std::uint32_t slot) {
    schedule(pay_send(processor_of(*slots_[slot].receive), control_bytes, next_control_), step::grant_paid, slot);
}

void rank::landed(unsigned queue, std::uint64_t context, ni_status status) {
    account_.advance(time_.now());
    const auto slot = static_cast<std::uint32_t>(context);
    arrival& of = slots_[slot];
    if (status != NI_STATUS_OK)
        return fail("the rest of " + rules_.of->describe(of.send) + " of queue " + std::to_string(queue) +
                    " did not come: " + std::string(traffic::words_of(status)));
    data_came(slot);
}

/// A long message is there, and its overhead is paid.
void rank::data_came(std::uint32_t slot) {
    arrival& of = slots_[slot];
    const std::uint64_t bytes = rules_.sent_bytes(rules_.of->at(of.send));
    of.came = time_.now();
    of.paid_at = pay_receive(processor_of(*of.receive), bytes, of.send.rank, of.send.index);
    of.pay_begin = of.paid_at - overhead(rules_.receive_overhead, bytes);
    schedule(of.paid_at, step::landing_paid, slot);
}

void rank::landing_paid(std::uint32_t slot) {
    arrival& of = slots_[slot];
    queue_state& through = queues_[of.queue];
    const std::uint32_t bytes = rules_.sent_bytes(rules_.of->at(of.send));
    const std::uint64_t offset = std::uint64_t{of.place} * rules_.place_bytes;
    const std::uint32_t receive = *of.receive;
    note_arrival(receive, of);
    if (of.buffer) {
        delivered(receive, of.send, through.own->bytes(*of.buffer, content_));
        through.own->release(*of.buffer);
    } else {
        delivered(receive, of.send, through.own->region(offset, bytes, content_));
        through.own->release_region(offset, rules_.place_bytes);
    }
    through.free_places.push_back(of.place);
    of = {};
    free_slots_.push_back(slot);
    ended(receive);
    if (through.ungranted.empty()) return;
    const std::uint32_t next = through.ungranted.front();
    through.ungranted.pop_front();
    grant(next);
}

void rank::failed(const host::ni_report& report) {
    if (report.status == NI_STATUS_DUPLICATE) return;
    const bool own = report.source == host::ni_report::no_source;
    if (own && (report.status == NI_STATUS_UNREACHABLE || report.status == NI_STATUS_DECLINED)) return;  // sent()
    fail((own ? std::string("the interface refused something")
              : "the interface dropped a packet of message " + std::to_string(report.message) + " of host " +
                    std::to_string(report.source)) +
         ": " + std::string(traffic::words_of(report.status)));
}

}  // namespace polycast::hw::programs
