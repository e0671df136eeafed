// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/calibration.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "hw/programs/program_builder.h"

namespace polycast::hw::programs {

namespace {

constexpr std::uint32_t far = ~std::uint32_t{0};

/// [switch] links from one switch.
std::vector<std::uint32_t> links_from(const topology::graph& network, std::uint32_t from) {
    std::vector<std::uint32_t> links(network.switches.size(), far);
    std::vector<std::uint32_t> reached{from};
    links[from] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const topology::port_end& each : network.switches[reached[i]].ports) {
            if (each.kind != topology::port_end::leads_to::chip || links[each.index] != far) continue;
            links[each.index] = links[reached[i]] + 1;
            reached.push_back(each.index);
        }
    return links;
}

/// Operations one after the other, over ranks: what a rank does next waits for what it did before, and where another
/// goes on it is told by a message.
class relay {
public:
    explicit relay(std::uint32_t ranks) : builder_(ranks), last_(ranks) {}

    operation_id send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
        return add(from, {.length = bytes, .peer = static_cast<std::uint16_t>(to), .kind = operation_kind::send});
    }
    operation_id receive(std::uint32_t at, std::uint32_t from, std::uint64_t bytes) {
        return add(at, {.length = bytes, .peer = static_cast<std::uint16_t>(from), .kind = operation_kind::receive});
    }
    /// The rank goes on from here when all these of it have ended.
    void join(std::uint32_t rank, std::vector<std::uint32_t> all) { last_[rank] = std::move(all); }
    const std::vector<std::uint32_t>& last(std::uint32_t rank) const { return last_[rank]; }

    /// Goes on at `rank`.
    void pass(std::uint32_t rank) {
        if (holder_ && *holder_ != rank) {
            send(*holder_, rank, 1);
            receive(rank, *holder_, 1);
        }
        holder_ = rank;
    }
    program finish() { return builder_.finish(); }

private:
    operation_id add(std::uint32_t rank, const operation& what) {
        const std::uint32_t index = builder_.add(rank, what);
        for (const std::uint32_t each : last_[rank]) builder_.require(rank, index, each);
        last_[rank] = {index};
        return {rank, index};
    }

    program_builder builder_;
    std::vector<std::vector<std::uint32_t>> last_;  ///< [rank]
    std::optional<std::uint32_t> holder_;
};

std::uint64_t mean(std::uint64_t sum, std::uint64_t count) {
    return count == 0 ? 0 : (sum + count / 2) / count;
}

}  // namespace

std::vector<rank_pair> pairs_of(const topology::graph& network, std::span<const std::uint32_t> host_of,
                                std::uint32_t most) {
    const auto ranks = static_cast<std::uint32_t>(host_of.size());
    std::map<std::uint32_t, std::vector<rank_pair>> by_distance;
    std::map<std::uint32_t, std::vector<std::uint32_t>> links;  // by switch
    // Every rank begins one pair of each distance before any begins a second: pairs differ by round, which is how far
    // the other rank is. Ranks are visited in steps that share no factor with their number.
    std::uint32_t step = ranks / 2 + 1;
    while (std::gcd(step, ranks) != 1) ++step;
    for (std::uint32_t round = 1; round < ranks; ++round)
        for (std::uint32_t i = 0; i < ranks; ++i) {
            const auto from = static_cast<std::uint32_t>((std::uint64_t{i} * step) % ranks),
                       to = (from + round) % ranks;
            const std::uint32_t chip = network.hosts[host_of[from]].chip;
            std::vector<std::uint32_t>& there = links[chip];
            if (there.empty()) there = links_from(network, chip);
            std::vector<rank_pair>& own = by_distance[there[network.hosts[host_of[to]].chip]];
            if (own.size() < most) own.push_back({from, to, there[network.hosts[host_of[to]].chip]});
        }
    std::vector<rank_pair> all;
    for (const auto& [distance, own] : by_distance) all.insert(all.end(), own.begin(), own.end());
    return all;
}

calibration_program::calibration_program(std::uint32_t ranks, std::vector<rank_pair> pairs, std::uint64_t packet_bytes)
    : pairs_(std::move(pairs)), lengths_{1, packet_bytes, 2 * packet_bytes, 16 * packet_bytes} {
    if (packet_bytes == 1) lengths_.erase(lengths_.begin());
    relay made(ranks);
    for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) {
        const auto [a, b, distance] = pairs_[pair];
        made.pass(a);
        for (std::uint32_t length = 0; length < lengths_.size(); ++length)
            for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
                const operation_id sent = made.send(from, to, lengths_[length]);
                probes_.push_back({sent, made.receive(to, from, lengths_[length]), length, pair});
            }
    }
    // Messages of a burst are ready at once; the next thing waits for all of them.
    const auto stream = [&](std::uint32_t from, std::uint32_t to, std::uint32_t length, bool both) {
        const std::vector<std::uint32_t> before_send = made.last(from), before_receive = made.last(to);
        std::vector<std::uint32_t> sends, receives;
        train own{.length = length, .both = both};
        for (std::uint32_t i = 0; i < burst; ++i) {
            made.join(from, before_send);
            sends.push_back(made.send(from, to, lengths_[length]).index);
            made.join(to, before_receive);
            own.last = made.receive(to, from, lengths_[length]);
            receives.push_back(own.last.index);
            if (i == 0) own.first = own.last;
        }
        trains_.push_back(own);
        made.join(from, sends);
        made.join(to, receives);
    };
    for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) {
        const auto [a, b, distance] = pairs_[pair];
        if (pair != 0 && pairs_[pair - 1].distance == distance) continue;
        for (std::uint32_t length = 0; length < lengths_.size(); ++length) {
            made.pass(a);
            stream(a, b, length, false);
            made.pass(b);
        }
        // Both begin when they have heard of each other.
        made.pass(a);
        made.pass(b);
        const std::vector<std::uint32_t> after_a = made.last(a), before_b = made.last(b);
        const auto longest = static_cast<std::uint32_t>(lengths_.size() - 1);
        stream(a, b, longest, true);
        const std::vector<std::uint32_t> ends_a = made.last(a), ends_b = made.last(b);
        made.join(a, after_a);
        made.join(b, before_b);
        stream(b, a, longest, true);
        std::vector<std::uint32_t> all_a = made.last(a), all_b = made.last(b);
        all_a.insert(all_a.end(), ends_a.begin(), ends_a.end());
        all_b.insert(all_b.end(), ends_b.begin(), ends_b.end());
        made.join(a, all_a);
        made.join(b, all_b);
        made.pass(a);  // when both have ended
    }
    made_ = made.finish();
}

calibration calibration::of(const calibration_program& ran, std::span<const std::vector<operation_times>> times) {
    const auto at = [&](operation_id id) -> const operation_times& { return times[id.rank][id.index]; };
    calibration found;
    const std::size_t lengths = ran.lengths().size();
    std::vector<std::uint64_t> sums(lengths), counts(lengths);
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_distance;  // sums, then counts
    for (const std::uint64_t bytes : ran.lengths()) found.lengths.push_back({.bytes = bytes, .least = far});
    for (const calibration_program::probe& each : ran.probes_) {
        const std::uint64_t way = at(each.receive).pay_begin - at(each.send).handed;
        length& own = found.lengths[each.length];
        own.least = std::min(own.least, way);
        own.most = std::max(own.most, way);
        sums[each.length] += way;
        ++counts[each.length];
        std::vector<std::uint64_t>& row = by_distance[ran.pairs()[each.pair].distance];
        row.resize(2 * lengths);
        row[each.length] += way;
        ++row[lengths + each.length];
    }
    for (std::size_t i = 0; i < lengths; ++i) found.lengths[i].way = mean(sums[i], counts[i]);
    for (const auto& [links, row] : by_distance) {
        distance own{.links = links};
        for (std::size_t i = 0; i < lengths; ++i) own.way.push_back(mean(row[i], row[lengths + i]));
        own.pairs = static_cast<std::uint32_t>(row[lengths] / 2);
        found.distances.push_back(std::move(own));
    }
    std::vector<std::uint64_t> gaps(lengths), trains(lengths);
    std::uint64_t both = 0, both_trains = 0;
    for (const calibration_program::train& each : ran.trains_) {
        const std::uint64_t took = at(each.last).arrived - at(each.first).arrived;
        (each.both ? both : gaps[each.length]) += took;
        ++(each.both ? both_trains : trains[each.length]);
    }
    constexpr std::uint64_t between = calibration_program::burst - 1;
    for (std::size_t i = 0; i < lengths; ++i) found.lengths[i].gap = mean(gaps[i], trains[i] * between);
    found.gap_both = mean(both, both_trains * between);
    // In turn, twice as long; side by side, as long: half way between the two tells them apart.
    found.shared = 2 * found.gap_both >= 3 * found.lengths.back().gap;
    return found;
}

loggops_tables calibration::tables(loggops_tables known, std::uint64_t control) const {
    std::vector<time_table::point> ways, gaps;
    for (const length& each : lengths) {
        ways.push_back({each.bytes, std::max(each.way, ways.empty() ? 0 : ways.back().time)});
        gaps.push_back({each.bytes, std::max(each.gap, gaps.empty() ? 0 : gaps.back().time)});
    }
    known.way = time_table(std::move(ways));
    known.gap = time_table(std::move(gaps));
    known.shared = shared;
    known.ask = 2 * (known.o + known.way.at(control) + known.o_receive);
    return known;
}

}  // namespace polycast::hw::programs
