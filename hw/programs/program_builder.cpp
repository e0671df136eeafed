// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/program_builder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::programs {

void program_builder::open_rank::clear() {
    operations.clear();
    edges.clear();
    places.clear();
    lines.clear();
    label_ends.clear();
    labels.clear();
    multicasts.clear();
    forward = true;
}

program_builder::program_builder(std::uint32_t ranks, bool names) : names_(names) {
    if (ranks == 0 || ranks > most_ranks) throw std::invalid_argument("a program has 1 to 65,536 ranks");
    made_.parts_.resize(ranks);
    open_.resize(ranks);
}

void program_builder::reserve(std::uint64_t operations, std::uint64_t dependencies) {
    made_.operations_.reserve(operations);
    made_.dependents_.reserve(dependencies);
}

void program_builder::reserve_rank(std::uint32_t rank, std::uint64_t operations, std::uint64_t dependencies) {
    open_rank& to = take_spare(rank);
    to.operations.reserve(operations);
    to.edges.reserve(dependencies);
    if (!names_) return;
    to.lines.reserve(operations);
    to.label_ends.reserve(operations);
}

/// The rank, with the memory of one that is closed where it has none of its own.
program_builder::open_rank& program_builder::take_spare(std::uint32_t rank) {
    open_rank& to = open(rank);
    if (to.operations.capacity() == 0) {
        std::swap(to, spare_);
        to.closed = false;
    }
    return to;
}

program_builder::open_rank& program_builder::open(std::uint32_t rank) {
    if (rank >= open_.size() || open_[rank].closed)
        throw std::invalid_argument("rank " + std::to_string(rank) + " is not there, or is closed");
    return open_[rank];
}

std::uint32_t program_builder::operations(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(open_.at(rank).operations.size());
}

std::uint32_t program_builder::add(std::uint32_t rank, const operation& added) {
    open_rank& to = take_spare(rank);
    if (to.operations.size() == most_operations_of_rank ||
        made_.operations_.size() + to.operations.size() >= most_operations)
        throw input_error("a program of more than 4,294,967,294 operations, or 2,147,483,647 of a rank");
    to.operations.push_back(added);
    to.operations.back().first_dependent = 0;
    made_.largest_cpu_ = std::max(made_.largest_cpu_, added.cpu);
    made_.largest_channel_ = std::max(made_.largest_channel_, added.channel);
    if (names_) {
        to.lines.push_back(0);
        to.label_ends.push_back(static_cast<std::uint32_t>(to.labels.size()));
    }
    return static_cast<std::uint32_t>(to.operations.size() - 1);
}

void program_builder::name(std::uint32_t rank, std::string_view label, std::uint32_t line) {
    if (!names_) return;
    open_rank& to = open(rank);
    if (made_.labels_.size() + to.labels.size() + label.size() > std::numeric_limits<std::uint32_t>::max())
        throw input_error("labels of more than 4 GiB", "read the program without names");
    to.labels += label;
    to.lines.back() = line;
    to.label_ends.back() = static_cast<std::uint32_t>(to.labels.size());
}

void program_builder::depend(std::uint32_t rank, std::uint32_t waiting, std::uint32_t on, bool on_start) {
    open_rank& to = open(rank);
    if (waiting >= to.operations.size() || on >= to.operations.size())
        throw std::invalid_argument("a dependency of an operation that rank " + std::to_string(rank) +
                                    " does not have");
    if (to.edges.size() == std::numeric_limits<std::uint32_t>::max())
        throw input_error("more than 4,294,967,295 dependencies of a rank");
    to.edges.push_back({on, {waiting, on_start}});
    to.forward = to.forward && on < waiting;
}

void program_builder::make_multicast(std::uint32_t rank, std::uint32_t first, std::uint32_t count,
                                     std::string_view scheme) {
    open_rank& to = open(rank);
    if (count == 0 || to.operations.size() < std::uint64_t{first} + count)
        throw std::invalid_argument("a multicast of sends that rank " + std::to_string(rank) + " does not have");
    const operation model = to.operations[first];
    for (std::uint32_t i = first; i < first + count; ++i) {
        operation& one = to.operations[i];
        const bool same = one.kind == operation_kind::send && one.length == model.length && one.tag == model.tag &&
                          one.communicator == model.communicator && one.cpu == model.cpu &&
                          one.channel == model.channel && !one.multicast && one.peer != rank;
        if (!same || (i != first && one.peer <= to.operations[i - 1].peer) ||
            (i < to.places.size() && to.places[i] != to.places[first]))
            throw std::invalid_argument("sends of a multicast that differ in more than their peers, which rise");
        one.multicast = true;
    }
    to.multicasts.push_back({rank, first, count, scheme});
}

/// All sends of a multicast wait for the same, and so could be sent in the same cycle.
void program_builder::check_multicasts(const open_rank& of) {
    if (of.multicasts.empty()) return;
    std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, bool>>> waits;  // of sends of multicasts
    for (const edge& one : of.edges)
        if (of.operations[one.waiting.index()].multicast)
            waits[one.waiting.index()].emplace_back(one.on, one.waiting.on_start());
    for (auto& [send, on] : waits) std::ranges::sort(on);
    for (const multicast& one : of.multicasts)
        for (std::uint32_t i = one.first + 1; i < one.first + one.count; ++i)
            if (waits[i] != waits[one.first])
                throw std::invalid_argument("sends of a multicast that do not wait for the same");
}

std::uint32_t program_builder::add_buffer(std::uint32_t rank, std::uint64_t bytes) {
    open(rank);
    made_.buffers_.resize(made_.parts_.size());
    if (made_.buffers_[rank].size() == 256) throw std::invalid_argument("a rank has at most 256 buffers");
    made_.buffers_[rank].push_back(bytes);
    return static_cast<std::uint32_t>(made_.buffers_[rank].size() - 1);
}

void program_builder::resize_buffer(std::uint32_t rank, std::uint32_t buffer, std::uint64_t bytes) {
    open(rank);
    if (made_.buffers_.empty() || buffer >= made_.buffers_[rank].size())
        throw std::invalid_argument("rank " + std::to_string(rank) + " does not have this buffer");
    made_.buffers_[rank][buffer] = bytes;
}

void program_builder::put(std::uint32_t rank, const operand_places& places) {
    open_rank& to = open(rank);
    if (made_.buffers_.empty() ||
        made_.buffers_[rank].size() <= std::max(places.source.buffer, places.destination.buffer))
        throw std::invalid_argument("a place in a buffer that rank " + std::to_string(rank) + " does not have");
    to.places.resize(to.operations.size());
    to.places.back() = places;
}

std::uint16_t program_builder::add_group(std::vector<std::uint32_t> members, std::string_view name) {
    if (made_.groups_.size() == std::numeric_limits<std::uint16_t>::max())
        throw input_error("more than 65,535 groups of ranks");
    for (const std::uint32_t one : members)
        if (one >= open_.size()) throw std::invalid_argument("a member that is no rank");
    made_.groups_.push_back(std::move(members));
    made_.group_names_.emplace_back(name);
    return static_cast<std::uint16_t>(made_.groups_.size());
}

std::vector<std::uint32_t> program_builder::close(std::uint32_t rank) {
    open_rank& from = open(rank);
    check_multicasts(from);
    made_.multicasts_.insert(made_.multicasts_.end(), from.multicasts.begin(), from.multicasts.end());
    program::part& part = made_.parts_[rank];
    part = {made_.operations_.size(), made_.dependents_.size(), static_cast<std::uint32_t>(from.operations.size()),
            static_cast<std::uint32_t>(from.edges.size())};

    // A stable counting sort of the edges by what they wait on, those on the start first. While rows are filled,
    // first_dependent is where the next one goes; in the end it is where the row after this one begins.
    std::vector<operation>& operations = from.operations;
    for (const edge& one : from.edges) ++operations[one.on].first_dependent;
    std::uint32_t begin = 0;
    for (operation& one : operations) begin += std::exchange(one.first_dependent, begin);
    made_.dependents_.resize(made_.dependents_.size() + from.edges.size());
    const std::span rows(made_.dependents_.data() + part.first_dependent, from.edges.size());
    for (const bool on_start : {true, false})
        for (const edge& one : from.edges)
            if (one.waiting.on_start() == on_start) rows[operations[one.on].first_dependent++] = one.waiting;
    std::uint32_t end = 0;
    for (operation& one : operations) end = std::exchange(one.first_dependent, end);

    std::vector<std::uint32_t> cycle;
    if (!from.forward) cycle = shortest_cycle(operations, rows);

    made_.operations_.insert(made_.operations_.end(), operations.begin(), operations.end());
    if (!from.places.empty() || !made_.places_.empty()) {
        made_.places_.resize(part.first_operation);
        made_.places_.insert(made_.places_.end(), from.places.begin(), from.places.end());
        made_.places_.resize(made_.operations_.size());
    }
    if (names_) {
        const auto before = static_cast<std::uint32_t>(made_.labels_.size());
        made_.labels_ += from.labels;
        made_.lines_.insert(made_.lines_.end(), from.lines.begin(), from.lines.end());
        for (const std::uint32_t label_end : from.label_ends) made_.label_ends_.push_back(before + label_end);
    }
    made_.order_.push_back(rank);
    from.clear();
    std::swap(spare_, from);
    from = {};
    from.closed = true;
    return cycle;
}

program program_builder::finish() {
    for (std::uint32_t rank = 0; rank < open_.size(); ++rank)
        if (!open_[rank].closed && !close(rank).empty())
            throw std::invalid_argument("a cycle of dependencies in rank " + std::to_string(rank));
    open_.clear();
    std::ranges::sort(made_.multicasts_, {}, [](const multicast& one) { return std::pair(one.rank, one.first); });
    if (!made_.buffers_.empty()) made_.places_.resize(made_.operations_.size());
    return std::move(made_);
}

std::vector<std::uint32_t> shortest_cycle(std::span<const operation> operations,
                                          std::span<const dependent> dependents) {
    const auto count = static_cast<std::uint32_t>(operations.size());
    const auto row = [&](std::uint32_t of) {
        const std::size_t end = of + 1 == count ? dependents.size() : operations[of + 1].first_dependent;
        return dependents.subspan(operations[of].first_dependent, end - operations[of].first_dependent);
    };
    // What is left when operations that wait for nothing any more are taken away, again and again, has the cycles.
    std::vector<std::uint32_t> waits(count), taken;
    for (const dependent& one : dependents) ++waits[one.index()];
    for (std::uint32_t i = 0; i < count; ++i)
        if (waits[i] == 0) taken.push_back(i);
    for (std::size_t next = 0; next < taken.size(); ++next)
        for (const dependent& one : row(taken[next]))
            if (--waits[one.index()] == 0) taken.push_back(one.index());
    if (taken.size() == count) return {};

    // Breadth first from each that is left, never further than the best cycle. The work is bounded: a cycle is found in
    // any case, and is the shortest where the bound did not end the search.
    constexpr std::uint32_t nobody = ~std::uint32_t{0};
    std::uint64_t work_left = 50'000'000;
    std::vector<std::uint32_t> best, parent(count, nobody), reached, depth(count);
    for (std::uint32_t start = 0; start < count && (best.empty() || work_left != 0); ++start) {
        if (waits[start] == 0) continue;
        reached.assign(1, start);
        depth[start] = 0;
        bool found = false;
        for (std::size_t next = 0; next < reached.size() && !found; ++next) {
            const std::uint32_t here = reached[next];
            if (!best.empty() && depth[here] + 1 >= best.size()) break;
            for (const dependent& one : row(here)) {
                work_left -= work_left != 0;
                const std::uint32_t to = one.index();
                if (to == start) {
                    // Each waits for its parent.
                    best.clear();
                    for (std::uint32_t at = here; at != start; at = parent[at]) best.push_back(at);
                    best.insert(best.begin(), start);
                    found = true;
                    break;
                }
                if (waits[to] == 0 || parent[to] != nobody) continue;
                parent[to] = here;
                depth[to] = depth[here] + 1;
                reached.push_back(to);
            }
        }
        for (const std::uint32_t one : reached) parent[one] = nobody;
    }
    return best;
}

}  // namespace polycast::hw::programs
