// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/lane_trees.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "hw/input_error.h"

namespace polycast::hw::collectives {

namespace {

using numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t most_block_nodes = 4096;

lane_choice only(unsigned lane) {
    return lane == 0 ? lane_choice::first : lane_choice::second;
}

std::string text_of(const numbers& sites) {
    std::string text = sites.size() == 1 ? "site of " : "sites of ";
    for (std::size_t i = 0; i < sites.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(sites[i]);
    return text + " nodes";
}

void check_sites(lane_algorithm how, const numbers& sites) {
    const std::uint32_t most = how == lane_algorithm::van_de_geijn ? most_block_nodes : most_lane_nodes;
    const std::uint64_t nodes = std::accumulate(sites.begin(), sites.end(), std::uint64_t{0});
    if (nodes > most) {
        throw input_error("a broadcast by " + std::string(name_of(how)) + " goes to at most " + std::to_string(most) +
                              " nodes, not " + std::to_string(nodes),
                          "fewer nodes, or another algorithm");
    }
    if (sites.empty()) throw input_error("a broadcast without sites", "one site or more, of 1 or more nodes each");
    if (std::ranges::find(sites, 0u) != sites.end())
        throw input_error(text_of(sites) + ": a site without nodes", "every site has 1 or more");
    if (nodes < 2) throw input_error("a broadcast from one node to none", "2 nodes or more");
}

/// [site] its first node.
numbers heads_of(const numbers& sites) {
    numbers heads(sites.size());
    std::exclusive_scan(sites.begin(), sites.end(), heads.begin(), 0u);
    return heads;
}

numbers owners_of(const numbers& sites) {
    numbers owners;
    for (std::uint32_t site = 0; site < sites.size(); ++site) owners.insert(owners.end(), sites[site], site);
    return owners;
}

void add_chain(lane_plan& plan, bool pipelined) {
    const numbers owner = owners_of(plan.sites);
    for (std::uint32_t node = 1; node < owner.size(); ++node) {
        plan.edges.push_back({node - 1, node, lane_choice::both, 0, 1, pipelined, owner[node] != owner[node - 1]});
    }
}

void add_binary(lane_plan& plan) {
    const numbers heads = heads_of(plan.sites);
    for (std::size_t site = 0; site < heads.size(); ++site) {
        const std::uint32_t head = heads[site];
        // The next site comes before the own one, and gets the whole bandwidth.
        if (site + 1 < heads.size()) plan.edges.push_back({head, heads[site + 1], lane_choice::both, 0, 1, true, true});
        for (std::uint32_t i = 1; i < plan.sites[site]; ++i)
            plan.edges.push_back({head + (i - 1) / 2, head + i, only((i - 1) % 2), 0, 1, true, false});
    }
}

/// `nodes` in rounds: the first 1, 2, 4, ... send to the next as many.
void add_binomial(lane_plan& plan, const numbers& nodes, bool wide) {
    for (std::size_t i = 1; i < nodes.size(); ++i)
        plan.edges.push_back({nodes[i - std::bit_floor(i)], nodes[i], lane_choice::both, 0, 1, false, wide});
}

void add_binomial(lane_plan& plan) {
    const numbers heads = heads_of(plan.sites);
    add_binomial(plan, heads, true);
    for (std::size_t site = 0; site < heads.size(); ++site) {
        numbers nodes(plan.sites[site]);
        std::iota(nodes.begin(), nodes.end(), heads[site]);
        add_binomial(plan, nodes, false);
    }
}

/// Blocks that come to a node in the scatter: its own and those that it passes on; the root has all.
bool has_from_scatter(std::uint32_t node, std::uint32_t block) {
    return node == 0 || (block >= node && block - node < (node & (~node + 1)));
}

/// One message of the allgather: `count` blocks from `first` on, beyond the last one those from 0 on, without what the
/// receiver has from the scatter.
void add_blocks(lane_plan& plan, lane_edge edge, std::uint32_t first, std::uint32_t count) {
    edge.parts = 0;
    const auto finish = [&] {
        if (edge.parts != 0) plan.edges.push_back(edge);
        edge.parts = 0;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t block = (first + i) % plan.parts;
        if (block == 0 || has_from_scatter(edge.child, block)) finish();
        if (has_from_scatter(edge.child, block)) continue;
        if (edge.parts++ == 0) edge.first_part = block;
    }
    finish();
}

void add_van_de_geijn(lane_plan& plan) {
    const numbers owner = owners_of(plan.sites);
    const auto nodes = static_cast<std::uint32_t>(owner.size());
    const bool doubles = std::has_single_bit(nodes);
    plan.parts = nodes;
    for (std::uint32_t apart = std::bit_ceil(nodes) / 2; apart >= 1; apart /= 2) {
        for (std::uint32_t from = 0; from + apart < nodes; from += 2 * apart) {
            const std::uint32_t to = from + apart;
            plan.edges.push_back(
                {from, to, lane_choice::both, to, std::min(apart, nodes - to), false, owner[from] != owner[to]});
        }
    }
    for (std::uint32_t apart = 1; apart < nodes; apart *= 2) {
        for (std::uint32_t to = 0; to < nodes; ++to) {
            // Recursive doubling where the number of nodes is a power of two, else the dissemination that fits any.
            const std::uint32_t from = doubles ? to ^ apart : (to + apart) % nodes;
            const std::uint32_t first = doubles ? from / apart * apart : from;
            add_blocks(plan, {from, to, lane_choice::both, 0, 1, false, owner[from] != owner[to]}, first,
                       std::min(apart, nodes - apart));
        }
    }
}

/// A sending lane that nothing uses.
struct idle_lane {
    std::uint32_t node = 0;
    unsigned lane = 0;
};

/// One of the two trees of a site, in heap order: node k has children 2k and 2k + 1, one lane each.
struct half_tree {
    std::uint32_t half;   ///< of the message, that it carries
    std::uint32_t first;  ///< node k is first + k - 1
    std::uint32_t nodes;
    unsigned even_lane;  ///< on which nodes with even k get it; the others on the other one

    std::uint32_t node(std::uint32_t k) const { return first + k - 1; }
    unsigned lane_into(std::uint32_t k) const { return k % 2 == 0 ? even_lane : 1 - even_lane; }

    void add_edges(lane_plan& plan) const {
        for (std::uint32_t k = 2; k <= nodes; ++k)
            plan.edges.push_back({node(k / 2), node(k), only(lane_into(k)), half, 1, true, false});
    }

    /// [lane] nodes that do not send on it, the first to have the half first.
    std::array<numbers, broadcast_lanes> idle() const {
        std::array<numbers, broadcast_lanes> found;
        for (std::uint32_t k = 1; k <= nodes; ++k) {
            for (const std::uint32_t child : {2 * k, 2 * k + 1})
                if (child > nodes) found[lane_into(child)].push_back(node(k));
        }
        return found;
    }

    /// Its idle lanes bring its half to the nodes of the other tree, each by the lane that the node's own half leaves
    /// free. \returns the lanes that are left
    std::vector<idle_lane> feed(lane_plan& plan, const half_tree& other) const {
        const std::array<numbers, broadcast_lanes> lanes = idle();
        std::array<std::size_t, broadcast_lanes> used{};
        for (std::uint32_t k = 1; k <= other.nodes; ++k) {
            const unsigned lane = 1 - other.lane_into(k);
            plan.edges.push_back({lanes[lane][used[lane]++], other.node(k), only(lane), half, 1, true, false});
        }
        std::vector<idle_lane> left;
        for (unsigned lane = 0; lane < broadcast_lanes; ++lane)
            for (std::size_t i = used[lane]; i < lanes[lane].size(); ++i) left.push_back({lanes[lane][i], lane});
        return left;
    }
};

/// \param from [half] what brings it to these nodes; the lanes differ \returns the same for the next site
std::array<idle_lane, 2> add_trees(lane_plan& plan, std::uint32_t first, std::uint32_t nodes,
                                   std::array<idle_lane, 2> from, bool wide) {
    const std::uint32_t a_nodes = (nodes + 1) / 2;
    const half_tree a{0, first, a_nodes, 1 - from[0].lane};
    const half_tree b{1, first + a_nodes, nodes - a_nodes, 1 - from[1].lane};
    plan.edges.push_back({from[0].node, a.node(1), only(from[0].lane), 0, 1, true, wide});
    if (b.nodes == 0) {
        plan.edges.push_back({from[1].node, a.node(1), only(from[1].lane), 1, 1, true, wide});
        return {{{a.node(1), 0}, {a.node(1), 1}}};
    }
    plan.edges.push_back({from[1].node, b.node(1), only(from[1].lane), 1, 1, true, wide});
    a.add_edges(plan);
    b.add_edges(plan);
    const std::vector<idle_lane> left_of_a = a.feed(plan, b);
    const std::vector<idle_lane> left_of_b = b.feed(plan, a);
    // Trees of one size have one lane left each; else a leaf of the larger one has both, and gets both halves.
    return {left_of_a.front(), left_of_b.empty() ? left_of_a.back() : left_of_b.front()};
}

void add_multi_lane(lane_plan& plan) {
    plan.parts = 2;
    std::array<idle_lane, 2> from{{{0, 0}, {0, 1}}};
    std::uint32_t first = 1;
    for (std::size_t site = 0; site < plan.sites.size(); ++site) {
        const std::uint32_t nodes = plan.sites[site] - (site == 0 ? 1 : 0);
        if (nodes != 0) from = add_trees(plan, first, nodes, from, site != 0);
        first += nodes;
    }
}

/// Which node has which part, while the edges of a plan are gone through in order.
class holdings {
public:
    explicit holdings(const lane_plan& plan) : parts_(plan.parts), hops_(std::size_t{plan.nodes()} * plan.parts, none) {
        std::fill_n(hops_.begin(), parts_, 0);
    }

    static constexpr std::uint32_t none = ~0u;
    std::uint32_t& hops(std::uint32_t node, std::uint32_t part) { return hops_[std::size_t{node} * parts_ + part]; }
    const std::vector<std::uint32_t>& all() const { return hops_; }

private:
    std::uint32_t parts_;
    std::vector<std::uint32_t> hops_;
};

/// What is wrong with an edge alone.
std::optional<std::string> find_problem(const lane_plan& plan, const numbers& owner, const lane_edge& edge) {
    for (const std::uint32_t node : {edge.parent, edge.child})
        if (node >= owner.size()) return "there is no node " + std::to_string(node);
    if (edge.parts == 0 || edge.first_part >= plan.parts || edge.parts > plan.parts - edge.first_part) {
        return "node " + std::to_string(edge.parent) + " sends parts that do not exist";
    }
    if (edge.wide != (owner[edge.parent] != owner[edge.child])) {
        return "whether nodes " + std::to_string(edge.parent) + " and " + std::to_string(edge.child) +
               " are on one site is wrong";
    }
    return std::nullopt;
}

/// Two edges on one lane.
std::optional<std::string> find_shared_lane(const lane_plan& plan) {
    const std::vector<lane_table> tables = lane_tables(plan);
    for (std::uint32_t node = 0; node < tables.size(); ++node) {
        for (unsigned lane = 0; lane < broadcast_lanes; ++lane) {
            const std::string where = " two nodes on lane " + std::to_string(lane);
            if (tables[node].sends[lane].size() > 1) return "node " + std::to_string(node) + " sends to" + where;
            if (tables[node].receives[lane].size() > 1)
                return "node " + std::to_string(node) + " receives from" + where;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(lane_algorithm how) {
    switch (how) {
        case lane_algorithm::chain: return "chain";
        case lane_algorithm::pipelined_chain: return "pipelined_chain";
        case lane_algorithm::binary: return "binary";
        case lane_algorithm::binomial: return "binomial";
        case lane_algorithm::van_de_geijn: return "van_de_geijn";
        case lane_algorithm::multi_lane: break;
    }
    return "multi_lane";
}

std::uint32_t lane_plan::nodes() const {
    return std::accumulate(sites.begin(), sites.end(), 0u);
}

lane_plan make_lane_plan(lane_algorithm how, const std::vector<std::uint32_t>& sites) {
    check_sites(how, sites);
    lane_plan plan{how, sites, 1, {}};
    switch (how) {
        case lane_algorithm::chain: add_chain(plan, false); break;
        case lane_algorithm::pipelined_chain: add_chain(plan, true); break;
        case lane_algorithm::binary: add_binary(plan); break;
        case lane_algorithm::binomial: add_binomial(plan); break;
        case lane_algorithm::van_de_geijn: add_van_de_geijn(plan); break;
        case lane_algorithm::multi_lane: add_multi_lane(plan); break;
    }
    return plan;
}

std::vector<std::uint32_t> equal_sites(std::uint32_t nodes, std::uint32_t sites) {
    if (sites == 0) throw input_error("a broadcast without sites", "one site or more, of 1 or more nodes each");
    if (sites > nodes) {
        throw input_error(std::to_string(nodes) + " nodes on " + std::to_string(sites) + " sites: a site without nodes",
                          "at most as many sites as nodes");
    }
    numbers sizes(sites, nodes / sites);
    for (std::uint32_t site = 0; site < nodes % sites; ++site) ++sizes[site];
    return sizes;
}

byte_range part_of(std::uint64_t bytes, std::uint32_t parts, std::uint32_t part) {
    const std::uint64_t least = bytes / parts, longer = bytes % parts;
    return {part * least + std::min<std::uint64_t>(part, longer), least + (part < longer ? 1 : 0)};
}

std::vector<lane_table> lane_tables(const lane_plan& plan) {
    std::vector<lane_table> tables(plan.nodes());
    for (std::uint32_t number = 0; number < plan.edges.size(); ++number) {
        const lane_edge& edge = plan.edges[number];
        for (unsigned lane = 0; lane < broadcast_lanes; ++lane) {
            if (!edge.uses(lane)) continue;
            tables[edge.parent].sends[lane].push_back(number);
            tables[edge.child].receives[lane].push_back(number);
        }
    }
    return tables;
}

unsigned depth_of(const lane_plan& plan) {
    holdings held(plan);
    unsigned depth = 0;
    for (const lane_edge& edge : plan.edges) {
        for (std::uint32_t part = edge.first_part; part < edge.first_part + edge.parts; ++part) {
            const std::uint32_t hops = held.hops(edge.parent, part) + 1;
            held.hops(edge.child, part) = hops;
            depth = std::max(depth, hops);
        }
    }
    return depth;
}

std::optional<std::string> find_problem(const lane_plan& plan) {
    const numbers owner = owners_of(plan.sites);
    holdings held(plan);
    for (const lane_edge& edge : plan.edges) {
        if (auto problem = find_problem(plan, owner, edge)) return problem;
        for (std::uint32_t part = edge.first_part; part < edge.first_part + edge.parts; ++part) {
            const auto says = [part](std::uint32_t node, const char* verb, const char* rest) {
                return "node " + std::to_string(node) + verb + "part " + std::to_string(part) + rest;
            };
            if (held.hops(edge.parent, part) == holdings::none)
                return says(edge.parent, " sends ", " before it has it");
            if (held.hops(edge.child, part) != holdings::none) return says(edge.child, " gets ", " twice");
            held.hops(edge.child, part) = 0;
        }
    }
    const auto missing = std::ranges::find(held.all(), holdings::none);
    if (missing != held.all().end()) {
        const auto place = static_cast<std::size_t>(missing - held.all().begin());
        return "node " + std::to_string(place / plan.parts) + " never gets part " + std::to_string(place % plan.parts);
    }
    if (plan.algorithm == lane_algorithm::multi_lane) return find_shared_lane(plan);
    return std::nullopt;
}

}  // namespace polycast::hw::collectives
