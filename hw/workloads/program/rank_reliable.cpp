// SPDX-License-Identifier: Apache-2.0
// Reliable messages of a rank. Firmware gives every receiver a message once, whatever the network loses; it numbers
// them by flow, so their tags say what they are.
#include <utility>

#include "hw/workloads/messages/workload_program.h"
#include "hw/workloads/program/program_run.h"
#include "hw/workloads/program/rank.h"

namespace polycast::hw::programs {

void rank::make_reliable(const outgoing& next, host::send_order& made) {
    made.reliable = true;
    made.context = next_context_++;
    unanswered one{time_.now(), std::nullopt, next.peer, next.part};
    if (next.part) {
        made.tag = reliable_tag{0, reliable_tag::first_multicast + next.part->multicast}.word();
    } else if (!next.what) {
        made.tag = reliable_tag{next.sequence, next.operation}.word();
        one.send = next.operation;
    }
    unanswered_.emplace(made.context, one);
}

void rank::unacknowledged(std::span<const host::lacking_host> hosts) {
    lacking_.assign(hosts.begin(), hosts.end());
}

/// All receivers have it, or it has failed: then the program cannot end any more.
void rank::answered(std::uint64_t context, ni_status status) {
    const auto found = unanswered_.extract(context);
    const unanswered one = found.mapped();
    const bool well = status == NI_STATUS_OK;
    told_answered_(time_.now() - one.given, well);
    if (well) {
        ++report_.acknowledged;
        if (one.send) told_acknowledged_(number_, *one.send);
        if (one.part) {
            const std::uint32_t root = rules_.of->multicasts()[one.part->multicast].rank;
            for (const std::uint32_t send : sends_of(*one.part)) told_acknowledged_(root, send);
        }
        if (one.send && asks(operations_[*one.send], rules_.eager)) ended(*one.send);
        return;
    }
    std::string what = "a request, grant or credits to rank " + std::to_string(one.peer);
    if (one.send) what = rules_.of->describe({number_, *one.send});
    if (one.part) {
        const multicast& all = rules_.of->multicasts()[one.part->multicast];
        what = "the multicast of " + rules_.of->describe({all.rank, all.first});
    }
    what += " was not delivered: " + std::string(traffic::words_of(status));
    for (const host::lacking_host& each : std::exchange(lacking_, {}))
        what += "; it lacks at host " + std::to_string(each.host) +
                (each.why == status ? "" : " (" + std::string(traffic::words_of(each.why)) + ")");
    fail(what);
}

/// An eager message, or the data of a long one that was granted.
void rank::receive_reliable(unsigned queue, std::uint32_t source, const host::delivery& message) {
    const reliable_tag tag = reliable_tag::of(message.tag);
    if (const std::optional<std::uint32_t> multicast = tag.multicast())
        return receive_reliable_multicast(queue, source, message, *multicast);
    const std::span<const operation> theirs = rules_.of->of_rank(source);
    if (tag.operation >= theirs.size() || theirs[tag.operation].kind != operation_kind::send ||
        theirs[tag.operation].multicast || theirs[tag.operation].peer != number_)
        return refuse(queue, message, "has the tag of no send");
    told_came_(source, tag.operation);
    if (asks(theirs[tag.operation], rules_.eager)) {
        const auto granted = granted_.extract(std::uint64_t{source} << 32 | tag.operation);
        if (granted.empty()) return refuse(queue, message, "has not been granted");
        slots_[granted.mapped()].buffer = message;
        return data_came(granted.mapped());
    }
    // None is behind those that have been taken: each comes once.
    const std::uint16_t next = next_taken_[source];
    const std::uint32_t ahead = (tag.sequence - next) % reliable_tag::sequences;
    arrive(new_slot({.send = {source, tag.operation},
                     .queue = queue,
                     .sequence = static_cast<std::uint16_t>(next + ahead),
                     .buffer = message}));
    look_at_waits();
}

/// From its root, or from a host that passes it on.
void rank::receive_reliable_multicast(unsigned queue, std::uint32_t source, const host::delivery& message,
                                      std::uint32_t number) {
    const std::span<const multicast> known = rules_.of->multicasts();
    if (number >= known.size()) return refuse(queue, message, "has the tag of no multicast");
    const multicast& all = known[number];
    const bool passed_on = rules_.multicasts->of(number).how == traffic::forwarding::programs;
    const std::optional<operation_id> send = rules_.of->send_to(all, number_);
    if (!send || (all.rank != source && !passed_on)) return refuse(queue, message, "is a multicast of others");
    told_came_(all.rank, send->index);
    admit(new_slot({.send = *send, .queue = queue, .multicast = true, .buffer = message}));
    look_at_waits();
}

}  // namespace polycast::hw::programs
