// SPDX-License-Identifier: Apache-2.0
/// \file Look-up tables of the step engine: the links of a receiver in the order in which it visits them, and the
/// packets that each link may carry.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/workloads/broadcast/step_engine.h"

namespace polycast::hw::broadcast {

/// A link of a receiver. Ports are 2i up and 2i + 1 down dimension i of the broadcast, then the bypasses up and down.
struct step_link {
    std::int32_t offset;  ///< of the sender's number
    std::uint8_t port;    ///< of the receiver
    std::uint8_t rule;    ///< column of step_tables::allowed
};

/// The links of one dimension, in the order of their senders.
struct line_links {
    std::uint8_t below = 0;  ///< how many senders have lower numbers than the receiver
    std::uint8_t count = 0;
    std::array<step_link, 4> links{};
};

struct step_tables {
    static constexpr unsigned most_rules = 6 * topology::bypass_torus::most_dimensions;
    static constexpr unsigned most_ports = 2 * topology::bypass_torus::most_dimensions + 2;
    using packet_set = std::uint64_t;

    /// \throws input_error
    step_tables(const topology::bypass_torus& network, const broadcast_params& params);

    unsigned dimensions;  ///< of the broadcast
    std::uint32_t radix;
    std::uint32_t nodes;   ///< that take part; the number of one is the sum of coordinate i x radix^i
    std::uint32_t source;  ///< likewise
    std::uint64_t links;   ///< in both directions
    unsigned packets;
    unsigned ports;
    unsigned variants;  ///< of the links in one dimension: without bypasses, then with those of each length
    std::array<std::uint32_t, topology::bypass_torus::most_dimensions> source_place{};

    std::vector<line_links> lines;  ///< [(dimension * variants + variant) * radix + coordinate]

    /// Bypasses of a node.
    struct bypass {
        std::uint8_t dimension;  ///< `dimensions`: none that the broadcast uses
        std::uint8_t variant;
    };
    std::vector<std::uint16_t> residues;  ///< [coordinate] modulo classes
    std::vector<bypass> bypasses;         ///< [sum of the residues of the coordinates]

    /// [dimensions in which the receiver differs from the source][rule]: a rule is a kind of link, 2 x kind, and 1 more
    /// where the sender has the source's coordinate in the link's dimension. Kinds are the ports of the torus, then the
    /// bypasses of each dimension.
    std::array<std::array<packet_set, most_rules>, 16> allowed{};
    std::array<bool, most_ports> reversed{};  ///< [port of the receiver] of the links from the source

private:
    void make_lines(const topology::bypass_torus& network);
    void make_bypasses(const topology::bypass_torus& network, const broadcast_params& params);
    void make_rules(const broadcast_params& params);
    void make_patterns(const topology::bypass_torus& network, const broadcast_params& params);
};

}  // namespace polycast::hw::broadcast
