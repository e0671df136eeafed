// SPDX-License-Identifier: Apache-2.0
/// \file Up*/down* routing: every cable has an upper end, and a route takes zero or more links up, then zero or more
/// down. After Schroeder et al., "Autonet" (1991), as used in OSU-CISRC-10/98-TR41.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hw/chips/switch/switch_config.h"
#include "hw/format/packet_format.h"
#include "hw/topology/graph.h"

namespace polycast::hw::routing {

struct updown_options {
    enum class root_choice : std::uint8_t {
        lowest_id,  ///< switch 0, or the lowest GUID with `by_guid`
        given,      ///< `root` and `more_roots`
        best,       ///< the one with the smallest mean legal path length between different hosts; ties to the lowest id
    };
    updown_options() = default;
    updown_options(root_choice how, std::uint32_t first = 0, bool guids = false, std::vector<std::uint32_t> others = {})
        : choice(how), root(first), by_guid(guids), more_roots(std::move(others)) {}

    root_choice choice = root_choice::lowest_id;
    std::uint32_t root = 0;
    bool by_guid = false;  ///< order switches of equal level by GUID, as InfiniBand's OpenSM does, not by index
    std::vector<std::uint32_t> more_roots;  ///< beside `root`: levels count from the nearest root
};

/// "No legal path": cannot happen from a switch that may still go up.
inline constexpr std::uint32_t unreachable = UINT32_MAX;

/// Minimal legal routes from every switch to one switch.
struct routes_to {
    std::uint32_t destination = 0;             ///< switch
    std::vector<std::uint32_t> distance_up;    ///< [switch] links of the shortest legal path while up links are allowed
    std::vector<std::uint32_t> distance_down;  ///< [switch] the same going down only; `unreachable` if there is none
    std::vector<std::uint64_t> ports_up;       ///< [switch] ports that start such a path; 0 at the destination
    std::vector<std::uint64_t> ports_down;
};

/// The links that tree worms use.
enum class worm_links : std::uint8_t {
    updown,         ///< any up link, then all down links
    spanning_tree,  ///< only links of the breadth-first tree
};

/// Reachability strings of a switch.
struct reachability {
    chips::bit_string total;                    ///< hosts behind its down ports
    std::vector<chips::bit_string> restricted;  ///< [port]; empty where worms do not go down
};

/// Levels and directions of a network. Refers to the graph, which must outlive it and stay as it is.
class updown {
public:
    /// \param network connected (topology::validate)
    /// \throws input_error when a given root does not exist, when by_guid is requested and switches have no GUIDs, or
    /// when several roots leave hosts without a route
    explicit updown(const topology::graph& network, const updown_options& options = {});

    const topology::graph& network() const { return *network_; }
    std::uint32_t root() const { return roots_.front(); }
    const std::vector<std::uint32_t>& roots() const { return roots_; }  ///< as given; all are on level 0
    std::uint32_t level(std::uint32_t chip) const { return level_[chip]; }

    /// True when `a` is nearer to the top than `b`: by level, then by id (GUID). A total order, so no cycle of up links
    /// exists.
    bool above(std::uint32_t a, std::uint32_t b) const { return rank_[a] < rank_[b]; }

    /// Switches from the roots downwards in that order; for each switch all its upper neighbours come before it.
    const std::vector<std::uint32_t>& top_down() const { return order_; }

    format::direction direction(std::uint32_t chip, unsigned port) const;

    /// The port of the cable to the parent in the breadth-first tree; nothing at the top. The parent is the first
    /// neighbour on the level above, by level and id (GUID); of several cables to it, the one on the lowest port here.
    std::optional<unsigned> parent_port(std::uint32_t chip) const;

    /// Distances and all minimal legal next ports towards `destination`. Time: the ports of the network.
    void find_routes(std::uint32_t destination, routes_to& result) const;

    /// The total and restricted strings of every switch, bottom-up; `words` 64-bit words each (at least (hosts + 63) /
    /// 64). Restricted: where several down ports reach a host, the highest-numbered keeps it; in the spanning tree only
    /// one does.
    std::vector<reachability> find_reachability(std::size_t words, worm_links links = worm_links::updown) const;

    /// Mean over ordered pairs of different hosts of the links between their switches on a shortest legal path.
    double mean_legal_distance() const;

private:
    void set_roots(std::vector<std::uint32_t> roots);
    void check_tops() const;
    std::uint64_t total_legal_distance() const;  ///< over ordered pairs of hosts

    const topology::graph* network_;
    bool by_guid_ = false;
    std::vector<std::uint32_t> roots_;
    std::vector<std::uint32_t> level_, rank_, order_;
    std::vector<std::uint64_t> up_ports_, down_ports_;
};

}  // namespace polycast::hw::routing
