// SPDX-License-Identifier: Apache-2.0
/// \file Seconds that broadcasts over two lanes take: closed forms, as printed and corrected, and the contention-free
/// model they stand for, piece by piece. Chiba, Endo and Matsuoka, CCGrid 2007.
///
/// b is the bandwidth of both lanes of a node together, l the latency between nodes of a site, L that between sites, M
/// the message. An edge of one lane carries b/2, one of both lanes b.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/collectives/lane_trees.h"

namespace polycast::hw::collectives {

struct lane_network {
    double bandwidth = 250e6;     ///< b, bytes/s: lanes times that of one
    double latency = 1.92e-3;     ///< l, s
    double wide_latency = 10e-3;  ///< L, s, one way
    double window = 0;            ///< most bytes in flight of a stream between sites; 0: no limit
    unsigned streams = 1;         ///< between sites, parallel ones of each lane

    /// Bytes/s of an edge. Streams with a window carry window / (2 L) each.
    double rate(const lane_edge& edge) const;
    double delay(const lane_edge& edge) const { return edge.wide ? wide_latency : latency; }
};

/// \throws input_error for a bandwidth of 0, a negative latency or window, or no stream
void check(const lane_network& network);

/// Bytes/s of `streams` parallel streams with a window of `window` bytes each: streams * window / round_trip, at most
/// `line`, the bandwidth of the line in bytes/s. `round_trip` in s.
double stream_bandwidth(double window, double round_trip, unsigned streams, double line);

/// Seconds as the paper prints them, log2 not rounded; windows do not count. Nothing where it prints none: on several
/// sites for chain, van_de_geijn and multi_lane; for binary, binomial and pipelined_chain on any but two equal ones.
std::optional<double> printed_cost(lane_algorithm how, const std::vector<std::uint32_t>& sites,
                                   const lane_network& network, std::uint64_t bytes);

/// Seconds of multi_lane on C > 1 equal sites, which the paper describes but prints no cost for: derived from its
/// construction for full trees, (2 + C (log2 n - 1)) l + (C - 1) L + M/b with (n - 1) + (n - 1) nodes a site, log2 not
/// rounded. Nothing elsewhere.
std::optional<double> derived_cost(lane_algorithm how, const std::vector<std::uint32_t>& sites,
                                   const lane_network& network, std::uint64_t bytes);

/// Seconds in the limit of small pieces, for any sites: number of hops as in the plan, printing errors corrected,
/// windows. Exact but for van_de_geijn, where it is a bound: all nodes in step, blocks of M/p. \throws input_error as
/// make_lane_plan() and check()
double corrected_cost(lane_algorithm how, const std::vector<std::uint32_t>& sites, const lane_network& network,
                      std::uint64_t bytes);

/// The duration of a plan if edges share nothing but a parent's sending lane.
struct lane_times {
    double seconds = 0;            ///< until the last node has everything
    std::vector<double> complete;  ///< [node] s
};

/// Most (nodes x pieces) of a run.
inline constexpr std::uint64_t most_lane_pieces = std::uint64_t{1} << 27;

/// Sends every piece over every edge: it leaves when the parent has it and the lane is free, and has arrived after its
/// own length and the latency. Parts are cut into pieces of `piece` bytes, 1 or more; the last one is shorter.
/// \throws input_error as check(), and for an empty message or too many pieces
lane_times time_plan(const lane_plan& plan, const lane_network& network, std::uint64_t bytes, std::uint64_t piece);

}  // namespace polycast::hw::collectives
