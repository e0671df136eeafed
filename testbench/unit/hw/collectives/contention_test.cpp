// SPDX-License-Identifier: Apache-2.0
// Do two transmissions of one step of a k-binomial tree share a directed link? Never on a mesh in dimension order; on
// irregular networks partially ordered chains only make it rare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "hw/collectives/dimension_order.h"
#include "hw/collectives/scheme.h"
#include "hw/topology/irregular.h"

namespace polycast::hw::collectives {
namespace {

using directed_link = std::pair<std::uint32_t, std::uint32_t>;

/// Transmissions that share a link with an earlier one of their step. `route(from, to)` lists the directed links.
template <typename router>
std::size_t count_conflicts(const multicast_plan& plan, router route) {
    std::map<unsigned, std::set<directed_link>> used;
    std::size_t conflicts = 0;
    for (const participant& one : plan.participants) {
        for (const transmission& sent : one.sends) {
            bool met = false;
            for (const directed_link& link : route(one.host, sent.hosts.front()))
                met = !used[sent.step].insert(link).second || met;
            conflicts += met ? 1 : 0;
        }
    }
    return conflicts;
}

constexpr std::uint32_t columns = 6, rows = 5;

std::vector<directed_link> mesh_route(std::uint32_t from, std::uint32_t to) {
    std::vector<directed_link> links;
    const auto go = [&](std::uint32_t next) {
        links.emplace_back(from, next);
        from = next;
    };
    while (from / rows != to / rows) go(from / rows < to / rows ? from + rows : from - rows);
    while (from != to) go(from < to ? from + 1 : from - 1);
    return links;
}

/// Of k-binomial trees from random nodes of the mesh to random sets.
std::size_t mesh_conflicts(bool ordered) {
    std::mt19937_64 generator(7);
    std::size_t conflicts = 0;
    for (unsigned round = 0; round < 2000; ++round) {
        std::vector<std::uint32_t> nodes(columns * rows);
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
            nodes[node] = node;
            std::swap(nodes[node], nodes[topology::draw_below(generator, node + 1)]);
        }
        nodes.resize(2 + topology::draw_below(generator, nodes.size() - 1));
        std::vector<std::vector<std::uint32_t>> places;
        for (const std::uint32_t node : nodes) places.push_back({node / rows, node % rows});
        std::vector<std::uint32_t> chain;
        for (const std::uint32_t index : dimension_order(places, 0)) chain.push_back(nodes[index]);
        for (const unsigned k : {1u, 2u, 3u, 5u})
            conflicts += count_conflicts(forwarding_plan(ordered ? chain : nodes, k), mesh_route);
    }
    return conflicts;
}

TEST(contention, none_on_a_mesh_in_dimension_order) {
    EXPECT_EQ(mesh_conflicts(true), 0u);
    EXPECT_GT(mesh_conflicts(false), 1000u);
}

/// Conflicts and transmissions of trees to 15 hosts on the papers' default networks, each route by the lowest port.
std::pair<std::size_t, std::size_t> irregular_conflicts(chain_order order) {
    std::size_t conflicts = 0, transmissions = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const topology::graph network = topology::make_irregular({8, 8, 32, 0.8, seed});
        const routing::updown routes(network);
        std::vector<routing::routes_to> ways(network.switches.size());
        for (std::uint32_t chip = 0; chip < ways.size(); ++chip) routes.find_routes(chip, ways[chip]);
        const auto route = [&](std::uint32_t source, std::uint32_t target) {
            std::vector<directed_link> links;
            const std::uint32_t to = network.hosts[target].chip;
            bool up = true;
            for (std::uint32_t at = network.hosts[source].chip; at != to;) {
                const auto port =
                    static_cast<unsigned>(std::countr_zero((up ? ways[to].ports_up : ways[to].ports_down)[at]));
                links.emplace_back(at, port);
                up = routes.direction(at, port) == format::direction::up;
                at = network.switches[at].ports[port].index;
            }
            return links;
        };
        std::mt19937_64 generator(seed);
        for (unsigned round = 0; round < 100; ++round) {
            std::vector<std::uint32_t> hosts(32);
            for (std::uint32_t host = 0; host < hosts.size(); ++host) {
                hosts[host] = host;
                std::swap(hosts[host], hosts[topology::draw_below(generator, host + 1)]);
            }
            hosts.resize(16);
            for (const unsigned k : {1u, 2u, 4u}) {
                scheme_options options;
                options.how = scheme_of("ni");
                options.order = order;
                options.fanout = k;
                const multicast_plan plan = make_plan(routes, options, hosts[0], std::span(hosts).subspan(1));
                conflicts += count_conflicts(plan, route);
                transmissions += 15;
            }
        }
    }
    return {conflicts, transmissions};
}

TEST(contention, rare_on_irregular_networks_along_chains) {
    const auto [chains, transmissions] = irregular_conflicts(chain_order::chains);
    const std::size_t number = irregular_conflicts(chain_order::number).first;
    const std::size_t listed = irregular_conflicts(chain_order::listed).first;
    EXPECT_LT(chains * 2, number);
    EXPECT_LT(number * 2, listed);
    EXPECT_LT(chains * 50, transmissions);  // 1.9 %; by number 5.3 %, at random 16 %
}

}  // namespace
}  // namespace polycast::hw::collectives
