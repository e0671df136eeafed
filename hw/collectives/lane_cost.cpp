// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/lane_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "hw/input_error.h"

namespace polycast::hw::collectives {

namespace {

using numbers = std::vector<std::uint32_t>;

/// Between two sites, over both lanes.
double wide_rate(const lane_network& network) {
    return network.rate({0, 1, lane_choice::both, 0, 1, true, true});
}

bool are_equal(const numbers& sites) {
    return std::ranges::all_of(sites, [&](std::uint32_t other) { return other == sites.front(); });
}

double chain_cost(const numbers& sites, const lane_network& n, double bytes, bool pipelined) {
    double local = 0;
    for (const std::uint32_t nodes : sites) local += nodes - 1;
    const auto wide = static_cast<double>(sites.size() - 1);
    const double latency = local * n.latency + wide * n.wide_latency;
    if (!pipelined) return latency + local * bytes / n.bandwidth + wide * bytes / wide_rate(n);
    return latency + bytes / (wide > 0 ? wide_rate(n) : n.bandwidth);
}

double binary_cost(const numbers& sites, const lane_network& n, double bytes) {
    double latest = 0;
    for (std::size_t site = 0; site < sites.size(); ++site) {
        const double begin = static_cast<double>(site) * n.wide_latency;
        const double has_all = begin + (site == 0 ? 0 : bytes / wide_rate(n));
        const double free = begin + (site + 1 == sites.size() ? 0 : bytes / wide_rate(n));
        const unsigned levels = static_cast<unsigned>(std::bit_width(sites[site])) - 1;
        const double served = levels == 0 ? has_all : std::max(free + 2 * bytes / n.bandwidth, has_all);
        latest = std::max(latest, served + levels * n.latency);
    }
    return latest;
}

/// When a node of a binomial tree has the message: it is sent once for each bit of the number up to its highest, and
/// goes one hop for each 1.
double binomial_time(std::uint32_t node, double latency, double sending) {
    return std::popcount(node) * latency + static_cast<unsigned>(std::bit_width(node)) * sending;
}

double binomial_cost(const numbers& sites, const lane_network& n, double bytes) {
    const auto count = static_cast<std::uint32_t>(sites.size());
    const double wide = bytes / wide_rate(n);
    double latest = 0;
    for (std::uint32_t site = 0; site < count; ++site) {
        double inside = 0;
        for (std::uint32_t node = 1; node < sites[site]; ++node)
            inside = std::max(inside, binomial_time(node, n.latency, bytes / n.bandwidth));
        unsigned sends = 0;
        for (std::uint64_t apart = std::bit_ceil(std::uint64_t{site} + 1); site + apart < count; apart *= 2) ++sends;
        const double has_all = binomial_time(site, n.wide_latency, wide);
        latest = std::max(latest, has_all + (inside > 0 ? sends * wide + inside : 0));
    }
    return latest;
}

/// All nodes in step: a round ends when the slowest of its messages has arrived.
double van_de_geijn_cost(const lane_plan& plan, const lane_network& n, double bytes) {
    const std::uint32_t nodes = plan.nodes();
    const bool doubles = std::has_single_bit(nodes);
    // Distances of rounds, as bits, in which something goes from site to site. The edges of the scatter come first, one
    // for each node but the root.
    std::uint32_t wide_scatter = 0, wide_gather = 0;
    for (std::size_t i = 0; i < plan.edges.size(); ++i) {
        const lane_edge& edge = plan.edges[i];
        if (!edge.wide) continue;
        if (i < nodes - 1) {
            wide_scatter |= edge.child - edge.parent;
        } else {
            wide_gather |= doubles ? edge.parent ^ edge.child : (edge.parent + nodes - edge.child) % nodes;
        }
    }
    const auto round = [&](double sent, bool wide) {
        return wide ? n.wide_latency + sent / wide_rate(n) : n.latency + sent / n.bandwidth;
    };
    double seconds = 0;
    for (std::uint32_t apart = 1; apart < nodes; apart *= 2) {
        const double sent = bytes * std::min(apart, nodes - apart) / nodes;
        seconds += round(sent, (wide_scatter & apart) != 0) + round(sent, (wide_gather & apart) != 0);
    }
    return seconds;
}

/// Each half flows at the rate of the slowest edge on its way.
double multi_lane_cost(const lane_plan& plan, const lane_network& n, std::uint64_t bytes) {
    struct way {
        double latency = 0;
        double rate = std::numeric_limits<double>::infinity();
    };
    std::vector<way> ways(std::size_t{plan.nodes()} * plan.parts);
    double latest = 0;
    for (const lane_edge& edge : plan.edges) {
        const way& from = ways[std::size_t{edge.parent} * plan.parts + edge.first_part];
        way& to = ways[std::size_t{edge.child} * plan.parts + edge.first_part];
        to = {from.latency + n.delay(edge), std::min(from.rate, n.rate(edge))};
        const byte_range part = part_of(bytes, plan.parts, edge.first_part);
        if (part.bytes != 0) latest = std::max(latest, to.latency + static_cast<double>(part.bytes) / to.rate);
    }
    return latest;
}

/// The bytes of one part, cut into pieces, among the pieces of all parts.
struct part_pieces {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;
};

}  // namespace

double lane_network::rate(const lane_edge& edge) const {
    const double lanes = edge.lanes == lane_choice::both ? 1 : 0.5;
    const double line = lanes * bandwidth;
    if (!edge.wide || window == 0) return line;
    // Of `streams` on each of two lanes.
    return std::min(line, 2 * lanes * stream_bandwidth(window, 2 * wide_latency, streams, line));
}

void check(const lane_network& network) {
    const auto is_time = [](double seconds) { return seconds >= 0 && std::isfinite(seconds); };
    if (!(network.bandwidth > 0) || !std::isfinite(network.bandwidth))
        throw input_error("lanes without bandwidth", "more than 0 bytes a second");
    if (!is_time(network.latency) || !is_time(network.wide_latency))
        throw input_error("a latency is 0 seconds or more");
    if (!is_time(network.window)) throw input_error("a window is 0 bytes, for none, or more");
    if (network.streams == 0) throw input_error("no stream between sites", "1 or more");
}

double stream_bandwidth(double window, double round_trip, unsigned streams, double line) {
    if (round_trip == 0) return line;
    return std::min(line, streams * window / round_trip);
}

std::optional<double> derived_cost(lane_algorithm how, const std::vector<std::uint32_t>& sites, const lane_network& n,
                                   std::uint64_t bytes) {
    if (how != lane_algorithm::multi_lane || sites.size() < 2 || !are_equal(sites)) return std::nullopt;
    const double count = static_cast<double>(sites.size());
    const double tree = sites.front() / 2.0 + 1;  // sites of (n - 1) + (n - 1) nodes
    return (2 + count * (std::log2(tree) - 1)) * n.latency + (count - 1) * n.wide_latency +
           static_cast<double>(bytes) / n.bandwidth;
}

std::optional<double> printed_cost(lane_algorithm how, const std::vector<std::uint32_t>& sites, const lane_network& n,
                                   std::uint64_t bytes) {
    const double nodes = sites.front();  // of each site
    const double count = static_cast<double>(sites.size());
    const double l = n.latency, wide = n.wide_latency, sending = static_cast<double>(bytes) / n.bandwidth;
    const double rounds = std::log2(nodes);
    if (!are_equal(sites)) return std::nullopt;
    if (count == 2) {
        switch (how) {
            case lane_algorithm::pipelined_chain: return 2 * (nodes - 1) * l + wide + sending;
            case lane_algorithm::binary: return rounds * l + wide + 3 * sending;
            case lane_algorithm::binomial: return wide + sending + rounds * (l + sending);
            default: break;
        }
    }
    if (count > 1) return std::nullopt;
    switch (how) {
        case lane_algorithm::chain: return (nodes - 1) * (l + sending);
        case lane_algorithm::pipelined_chain: return (nodes - 1) * l + sending;
        case lane_algorithm::binary: return rounds * l + 2 * sending;
        case lane_algorithm::binomial: return rounds * (l + sending);
        case lane_algorithm::van_de_geijn: return 2 * rounds * l + 2 * nodes / (nodes - 1) * sending;
        case lane_algorithm::multi_lane: break;
    }
    return rounds * l + sending;
}

double corrected_cost(lane_algorithm how, const std::vector<std::uint32_t>& sites, const lane_network& network,
                      std::uint64_t bytes) {
    check(network);
    const lane_plan plan = make_lane_plan(how, sites);
    const auto all = static_cast<double>(bytes);
    switch (how) {
        case lane_algorithm::chain: return chain_cost(sites, network, all, false);
        case lane_algorithm::pipelined_chain: return chain_cost(sites, network, all, true);
        case lane_algorithm::binary: return binary_cost(sites, network, all);
        case lane_algorithm::binomial: return binomial_cost(sites, network, all);
        case lane_algorithm::van_de_geijn: return van_de_geijn_cost(plan, network, all);
        case lane_algorithm::multi_lane: break;
    }
    return multi_lane_cost(plan, network, bytes);
}

lane_times time_plan(const lane_plan& plan, const lane_network& network, std::uint64_t bytes, std::uint64_t piece) {
    check(network);
    if (bytes == 0) throw input_error("a broadcast of no bytes", "1 or more");
    if (piece == 0) throw input_error("pieces of no bytes", "1 or more");
    std::vector<part_pieces> parts(plan.parts);
    std::uint64_t pieces = 0;
    for (std::uint32_t i = 0; i < plan.parts; ++i) {
        parts[i] = {pieces, part_of(bytes, plan.parts, i).bytes};
        if (parts[i].bytes != 0) pieces += (parts[i].bytes - 1) / piece + 1;
    }
    const std::uint32_t nodes = plan.nodes();
    if (pieces > most_lane_pieces / nodes) {
        throw input_error(
            std::to_string(pieces) + " pieces to " + std::to_string(nodes) + " nodes are too many",
            "larger pieces, such as " + std::to_string(bytes / (most_lane_pieces / nodes / 2) + 1) + " bytes");
    }

    std::vector<double> arrival(nodes * pieces, 0);  // [node * pieces + piece]
    std::vector<std::array<double, broadcast_lanes>> free(nodes);
    lane_times times{0, std::vector<double>(nodes, 0)};
    for (const lane_edge& edge : plan.edges) {
        const double* const there = &arrival[edge.parent * pieces];
        double* const here = &arrival[edge.child * pieces];
        const double rate = network.rate(edge), delay = network.delay(edge);
        double now = 0;
        for (unsigned lane = 0; lane < broadcast_lanes; ++lane)
            if (edge.uses(lane)) now = std::max(now, free[edge.parent][lane]);
        const auto last = edge.first_part + edge.parts;
        const auto end = last == plan.parts ? pieces : parts[last].first;
        if (!edge.pipelined && end > parts[edge.first_part].first)
            now = std::max(now, *std::max_element(there + parts[edge.first_part].first, there + end));
        for (std::uint32_t i = edge.first_part; i < last; ++i) {
            std::uint64_t at = parts[i].first;
            for (std::uint64_t left = parts[i].bytes; left != 0; ++at) {
                const std::uint64_t length = std::min(piece, left);
                left -= length;
                now = std::max(now, there[at]) + static_cast<double>(length) / rate;
                here[at] = now + delay;
                times.complete[edge.child] = std::max(times.complete[edge.child], here[at]);
            }
        }
        for (unsigned lane = 0; lane < broadcast_lanes; ++lane)
            if (edge.uses(lane)) free[edge.parent][lane] = now;
    }
    times.seconds = *std::ranges::max_element(times.complete);
    return times;
}

}  // namespace polycast::hw::collectives
