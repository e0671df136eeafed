// SPDX-License-Identifier: Apache-2.0
/// \file The results of pipelined broadcasts. Times are in steps or cycles, as the timing of the run is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

/// The nodes that take part at one moment.
struct broadcast_sample {
    std::uint64_t time = 0;
    std::uint64_t moved = 0;             ///< packets (cycles: flits) over links since the sample before
    std::vector<std::uint64_t> holders;  ///< [number of packets] nodes that hold so many
    std::string cells;                   ///< [cell] packets that its nodes hold on average, 255: all
};

/// A broadcast over time. Large networks are seen in blocks: cell = sum of (coordinate i / block) x side^i.
struct broadcast_wave {
    unsigned block = 1;  ///< nodes along each dimension of a cell
    unsigned side = 1;   ///< cells along each dimension
    std::uint64_t every = 1;
    std::vector<broadcast_sample> samples;
};

struct broadcast_round {
    std::uint32_t source = 0;
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> units;  ///< until every node has every packet; nothing: it was not done
    std::optional<std::uint64_t> hosts;  ///< until every host has, in cycles
};

struct broadcast_part {
    std::uint64_t nodes = 0;  ///< that take part
    std::uint64_t links = 0;  ///< directions of cables between them
    std::vector<broadcast_round> rounds;
    std::uint64_t sends = 0;                  ///< packets over links, all rounds
    std::uint64_t duplicates = 0;             ///< of them, that the receiver had
    std::uint64_t stale = 0;                  ///< of these, that came when the receiver's round had ended
    std::optional<std::uint64_t> most_sends;  ///< of a direction of a cable, all rounds
    std::uint64_t verified_bytes = 0;         ///< that nodes got and that are right
    broadcast_wave wave;                      ///< of the first round
};

}  // namespace polycast::tlm::sim
