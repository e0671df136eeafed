// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/summary.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "hw/programs/event_graph.h"

namespace polycast::hw::programs {
namespace {

balance balance_of(const std::vector<std::uint64_t>& each) {
    balance made{each.front(), each.front(), 0};
    for (const std::uint64_t one : each) {
        made.least = std::min(made.least, one);
        made.most = std::max(made.most, one);
        made.sum += one;
    }
    return made;
}

std::optional<std::uint64_t> longest_chain(const program& of) {
    using event = event_graph::event;
    const pairing pairs = pair_messages(of);
    const event_graph graph(of, pairs, std::numeric_limits<std::uint64_t>::max());
    std::vector<std::uint32_t> before = graph.before_starts();
    std::vector<std::uint8_t> before_end(of.operations());
    std::vector<event> taken;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        std::uint32_t number = of.number({rank, 0});
        for (const operation& one : of.of_rank(rank)) {
            before_end[number] = graph.before_end(number, one);
            if (before[number] == 0) taken.push_back(event{number} * 2);
            ++number;
        }
    }
    // The messages before each start; those before an end are in `ends`.
    std::vector<std::uint32_t> starts(of.operations()), ends(of.operations());
    std::uint64_t happened = 0;
    std::uint32_t longest = 0;
    while (!taken.empty()) {
        const event one = taken.back();
        taken.pop_back();
        ++happened;
        const std::uint32_t from = event_graph::operation_of(one);
        const std::uint32_t chain = event_graph::is_end(one) ? ends[from] : starts[from];
        longest = std::max(longest, chain);
        graph.for_each_waiting(one, [&](event next, bool message) {
            const std::uint32_t to = event_graph::operation_of(next);
            const bool end = event_graph::is_end(next);
            std::uint32_t& its = end ? ends[to] : starts[to];
            its = std::max(its, chain + message);
            if ((end ? --before_end[to] : --before[to]) == 0) taken.push_back(next);
        });
    }
    if (happened != graph.events()) return std::nullopt;
    return longest;
}

}  // namespace

summary summarise(const program& of) {
    summary made;
    made.ranks = of.ranks();
    made.operations = of.operations();
    made.dependencies = of.dependencies();
    made.cpus = of.largest_cpu() + 1u;
    made.channels = of.largest_channel() + 1u;
    std::vector<std::uint64_t> operations(of.ranks()), sent(of.ranks()), received(of.ranks()), time(of.ranks());
    made.shortest = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        operations[rank] = of.of_rank(rank).size();
        for (const operation& one : of.of_rank(rank)) {
            ++made.by_kind[static_cast<std::size_t>(one.kind)];
            if (one.kind == operation_kind::calc) time[rank] += one.length;
            if (one.kind == operation_kind::receive) made.from_any += one.any_source || one.any_tag;
            if (one.kind != operation_kind::send) continue;
            received[one.peer] += one.length;
            made.to_itself += one.peer == rank;
            if (!one.multicast) sent[rank] += one.length;
            made.shortest = std::min(made.shortest, one.length);
            made.longest = std::max(made.longest, one.length);
            ++made.lengths[std::bit_floor(one.length)];
        }
    }
    made.multicasts = of.multicasts().size();
    for (const multicast& one : of.multicasts()) sent[one.rank] += of.at({one.rank, one.first}).length;
    for (const std::uint64_t one : sent) made.bytes += one;
    if (made.lengths.empty()) made.shortest = 0;
    made.operations_of_rank = balance_of(operations);
    made.sent_by_rank = balance_of(sent);
    made.received_by_rank = balance_of(received);
    made.time_of_rank = balance_of(time);
    made.longest_chain = longest_chain(of);
    return made;
}

}  // namespace polycast::hw::programs
