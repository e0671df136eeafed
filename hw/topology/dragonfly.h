// SPDX-License-Identifier: Apache-2.0
/// \file Dragonflies: groups of routers that are all cabled to each other, and one cable between any two groups. Kim,
/// Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008.
///
/// Router r of group g has number g x a + r, host x is at router x div p.
/// - Ports 0 .. h - 1 are its global links, numbers r x h + port of the group's; link l of group g leads to group
///   g + l + 1 (modulo the groups), where it has number groups - 2 - l. Links from groups - 1 on are open.
/// - From local_port() on, which is even, a port for each other router of the group, in order; then one for each host.
///
/// A packet's address also gives its path: host + k x hosts leads through the group k after that of the host, and k = 0
/// leads directly to the host. Every router can tell from the address alone whether that group is still ahead, so route
/// tables suffice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

enum class dragonfly_routing : std::uint8_t {
    minimal,
    valiant  ///< packets for another group go through a third one, drawn for each packet
};

struct dragonfly_params {
    unsigned hosts = 2;    ///< p: of each router
    unsigned routers = 4;  ///< a: of each group
    unsigned links = 2;    ///< h: global links of each router, 1..8
    unsigned groups = 0;   ///< 2 .. a x h + 1; 0: a x h + 1
    dragonfly_routing routing = dragonfly_routing::minimal;

    bool operator==(const dragonfly_params&) const = default;
};

class dragonfly {
public:
    /// A parameter that is wrong, by its name in dragonfly_params.
    struct bad_parameter {
        std::string name, message, proposal;
    };
    static std::optional<bad_parameter> find_problem(const dragonfly_params& params);

    /// \throws input_error with the text of find_problem
    explicit dragonfly(const dragonfly_params& params);

    const dragonfly_params& params() const { return params_; }
    unsigned groups() const { return params_.groups; }
    bool valiant() const { return params_.routing == dragonfly_routing::valiant; }
    std::uint32_t routers() const { return params_.groups * params_.routers; }
    std::uint32_t group_hosts() const { return params_.routers * params_.hosts; }
    std::uint32_t hosts() const { return groups() * group_hosts(); }
    /// Addresses that route tables have.
    std::uint32_t addresses() const { return valiant() ? hosts() * groups() : hosts(); }

    unsigned local_port() const { return (params_.links + 1) / 2 * 2; }
    unsigned host_port() const { return local_port() + params_.routers - 1; }
    unsigned ports() const { return host_port() + params_.hosts; }
    /// What a port leads to.
    port_end neighbour(std::uint32_t router, unsigned port) const;

    /// The output port of a router for an address.
    unsigned route(std::uint32_t router, std::uint32_t address) const;

    /// "dragonfly-p2-a4-h2-g9".
    std::string name() const;

private:
    /// Port of router `from` of a group to router `to` of it.
    unsigned port_to(unsigned from, unsigned to) const { return local_port() + (to < from ? to : to - 1); }

    dragonfly_params params_;
};

/// Switch "router5" has number 5, "host5" is host 5.
graph make_dragonfly(const dragonfly& shape);

/// Distances are links between routers by minimal routes, over ordered pairs of different hosts.
struct dragonfly_description {
    std::uint64_t local_links = 0;
    std::uint64_t global_links = 0;
    unsigned diameter = 0;
    double mean_distance = 0;
};
dragonfly_description describe(const dragonfly& shape);

/// Graphviz DOT: groups as clusters.
std::string write_dot(const dragonfly& shape, const graph& network);

}  // namespace polycast::hw::topology
