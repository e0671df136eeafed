// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/program.h"

#include <algorithm>
#include <utility>

namespace polycast::hw::programs {

operation_id program::id_of(std::uint32_t number) const {
    // order_ has the ranks by their first operation; ranks without operations share theirs with the next one.
    const auto after = std::ranges::upper_bound(order_, number, {}, [this](std::uint32_t rank) {
        return static_cast<std::uint32_t>(parts_[rank].first_operation);
    });
    const std::uint32_t rank = *(after - 1);
    return {rank, number - static_cast<std::uint32_t>(parts_[rank].first_operation)};
}

std::vector<std::uint32_t> program::counts_of_dependencies(std::uint32_t rank) const {
    const part& own = parts_[rank];
    std::vector<std::uint32_t> counts(own.operations);
    for (std::uint32_t i = 0; i < own.dependents; ++i) ++counts[dependents_[own.first_dependent + i].index()];
    return counts;
}

std::uint32_t program::multicast_of(operation_id send) const {
    const auto behind = std::ranges::upper_bound(multicasts_, std::pair(send.rank, send.index), {},
                                                 [](const multicast& one) { return std::pair(one.rank, one.first); });
    return static_cast<std::uint32_t>(behind - multicasts_.begin() - 1);
}

std::optional<operation_id> program::send_to(const multicast& of, std::uint32_t peer) const {
    const std::span<const operation> sends = of_rank(of.rank).subspan(of.first, of.count);
    const auto found = std::ranges::lower_bound(sends, peer, {}, &operation::peer);
    if (found == sends.end() || found->peer != peer) return std::nullopt;
    return operation_id{of.rank, of.first + static_cast<std::uint32_t>(found - sends.begin())};
}

operation_id program::first_of(operation_id send) const {
    if (!at(send).multicast) return send;
    return {send.rank, multicasts_[multicast_of(send)].first};
}

operation_name program::name(operation_id id) const {
    if (!has_names()) return {};
    const std::uint32_t at = number(id);
    const std::uint32_t begin = at == 0 ? 0 : label_ends_[at - 1];
    return {std::string_view(labels_).substr(begin, label_ends_[at] - begin), lines_[at]};
}

std::string program::describe(operation_id id) const {
    const operation_name called = name(id);
    std::string text = "rank " + std::to_string(id.rank);
    text += called.line != 0 ? " line " + std::to_string(called.line) : " operation " + std::to_string(id.index);
    text += " '";
    if (!called.label.empty()) text += std::string(called.label) + ": ";
    return text + operation_text(at(id)) + "'";
}

bool program::operator==(const program& other) const {
    if (ranks() != other.ranks() || operations() != other.operations() || dependencies() != other.dependencies() ||
        groups_ != other.groups_ || interfaces_ != other.interfaces_ || has_buffers() != other.has_buffers() ||
        buffers_ != other.buffers_ || computes_ != other.computes_ || multicasts_ != other.multicasts_ ||
        wire_ != other.wire_)
        return false;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        const part &a = parts_[rank], &b = other.parts_[rank];
        if (a.operations != b.operations || a.dependents != b.dependents) return false;
        const auto same = [&](const auto& own, const auto& theirs, std::uint64_t from, std::uint64_t at,
                              std::uint32_t count) {
            return std::equal(own.data() + from, own.data() + from + count, theirs.data() + at);
        };
        if (!same(operations_, other.operations_, a.first_operation, b.first_operation, a.operations) ||
            !same(dependents_, other.dependents_, a.first_dependent, b.first_dependent, a.dependents))
            return false;
        if (has_buffers() && !same(places_, other.places_, a.first_operation, b.first_operation, a.operations))
            return false;
    }
    return true;
}

std::string operation_text(const operation& of) {
    const std::string bytes = std::to_string(of.length) + "b";
    const std::string peer = of.any_source ? "any" : std::to_string(of.peer);
    switch (of.kind) {
        case operation_kind::send: return "send " + bytes + " to " + peer;
        case operation_kind::receive: return "recv " + bytes + " from " + peer;
        case operation_kind::calc: return "calc " + std::to_string(of.length);
        case operation_kind::copy:
        case operation_kind::reduce:
        case operation_kind::collective: return std::string(name_in(operation_kinds, of.kind)) + " " + bytes;
        case operation_kind::none: break;
    }
    return "none";
}

}  // namespace polycast::hw::programs
