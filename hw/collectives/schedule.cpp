// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/schedule.h"

#include <algorithm>
#include <utility>

namespace polycast::hw::collectives {

using programs::operation;
using programs::operation_kind;

step_schedule::step_schedule(programs::program_builder& to, const collective& made, std::uint32_t tag)
    : to_(to), of_(made), tag_(tag), ranks_(made.ranks), members_(made.ranks) {
    for (std::uint32_t rank = 0; rank < made.ranks; ++rank) {
        members_[rank].rank = rank;
        to.add_buffer(rank, made.buffer_bytes(rank, collective_buffer::input));
        to.add_buffer(rank, made.buffer_bytes(rank, collective_buffer::output));
        to.add_buffer(rank, 0);
    }
}

step_schedule::step_schedule(programs::program_builder& to, const collective& made, std::uint32_t tag,
                             std::vector<member> members, std::uint16_t communicator)
    : to_(to),
      of_(made),
      tag_(tag),
      ranks_(made.ranks),
      members_(std::move(members)),
      communicator_(communicator),
      buffers_(false) {
    for (std::uint32_t rank = 0; rank < made.ranks; ++rank) ranks_[rank].before = {members_[rank].entry};
}

std::vector<std::uint32_t> step_schedule::ends(std::uint32_t rank) const {
    return ranks_[rank].now.empty() ? ranks_[rank].before : ranks_[rank].now;
}

void step_schedule::begin(const collective& next, std::uint32_t tag) {
    of_ = next;
    tag_ = tag;
    for (progress& one : ranks_) one.scratch = one.kept;
}

void step_schedule::keep_scratch() {
    for (progress& one : ranks_) one.kept = one.scratch;
}

void step_schedule::add(std::uint32_t rank, operation_kind kind, std::uint32_t peer, std::uint32_t tag,
                        const programs::operand_places& at, std::uint64_t bytes) {
    const member& where = members_[rank];
    operation added;
    added.kind = kind;
    added.tag = tag;
    added.length = bytes;
    added.cpu = where.cpu;
    if (kind == operation_kind::send || kind == operation_kind::receive) {
        added.peer = static_cast<std::uint16_t>(members_[peer].rank);
        added.communicator = communicator_;
        added.channel = where.channel;
    }
    progress& own = ranks_[rank];
    const std::uint32_t index = to_.add(where.rank, added);
    if (buffers_) to_.put(where.rank, at);
    for (const std::uint32_t one : own.before) to_.require(where.rank, index, one);
    own.now.push_back(index);
}

void step_schedule::send(std::uint32_t rank, std::uint32_t to, const region& from) {
    add(rank, operation_kind::send, to, tag_, {from.at, {}}, from.bytes);
}

void step_schedule::multicast(std::uint32_t rank, const region& from) {
    if (of_.ranks == 1) return;
    std::vector<std::uint32_t> others;
    for (std::uint32_t other = 0; other < of_.ranks; ++other)
        if (other != rank) others.push_back(other);
    std::ranges::sort(others, {}, [this](std::uint32_t other) { return members_[other].rank; });
    const std::uint32_t real = members_[rank].rank, first = to_.operations(real);
    for (const std::uint32_t other : others) send(rank, other, from);
    to_.make_multicast(real, first, of_.ranks - 1, scheme_);
}

void step_schedule::receive(std::uint32_t rank, std::uint32_t from, const region& to) {
    add(rank, operation_kind::receive, from, tag_, {{}, to.at}, to.bytes);
}

void step_schedule::copy(std::uint32_t rank, const region& to, const region& from) {
    if (from.bytes == 0 || to == from) return;
    add(rank, operation_kind::copy, 0, 0, {from.at, to.at}, from.bytes);
}

void step_schedule::reduce(std::uint32_t rank, const region& to, const region& from) {
    if (from.bytes == 0) return;
    add(rank, operation_kind::reduce, 0, of_.combined.tag(), {from.at, to.at}, from.bytes);
}

void step_schedule::step(std::uint32_t rank) {
    progress& own = ranks_[rank];
    if (own.now.empty()) return;
    own.before = std::exchange(own.now, {});
    if (own.before.size() < 4) return;
    // One operation stands for many, so that steps of many operations do not take many times many dependencies.
    operation join;
    join.cpu = members_[rank].cpu;
    const std::uint32_t joined = to_.add(members_[rank].rank, join);
    for (const std::uint32_t one : own.before) to_.require(members_[rank].rank, joined, one);
    own.before = {joined};
}

void step_schedule::step() {
    for (std::uint32_t rank = 0; rank < of_.ranks; ++rank) step(rank);
}

void step_schedule::pass(std::uint32_t from, const region& source, std::uint32_t to, const region& destination) {
    send(from, to, source);
    receive(to, from, destination);
    step(from);
    step(to);
}

region step_schedule::scratch(std::uint32_t rank, std::uint64_t bytes) {
    region made{{}, bytes};
    made.at.buffer = static_cast<std::uint64_t>(collective_buffer::scratch);
    made = made.part({ranks_[rank].scratch, bytes});
    ranks_[rank].scratch += bytes;
    ranks_[rank].most = std::max(ranks_[rank].most, ranks_[rank].scratch);
    if (buffers_) to_.resize_buffer(rank, static_cast<std::uint32_t>(collective_buffer::scratch), ranks_[rank].most);
    return made;
}

}  // namespace polycast::hw::collectives
