// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/dragonfly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using kind = port_end::leads_to;
using testbench::unit::refusal;
constexpr auto valiant = dragonfly_routing::valiant;

const std::vector<dragonfly_params> shapes{{2, 4, 2}, {1, 2, 1}, {1, 3, 1},   {2, 3, 2, 5},
                                           {3, 1, 4}, {1, 2, 3}, {2, 2, 2, 2}};

/// Distances from a router by a search that knows nothing of groups.
std::vector<unsigned> distances(const graph& network, std::uint32_t from) {
    std::vector<unsigned> found(network.switches.size(), ~0u);
    std::vector<std::uint32_t> queue{from};
    found[from] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
        for (const port_end& end : network.switches[queue[next]].ports) {
            if (end.kind != kind::chip || found[end.index] != ~0u) continue;
            found[end.index] = found[queue[next]] + 1;
            queue.push_back(end.index);
        }
    }
    return found;
}

TEST(dragonfly, groups_are_complete_and_one_cable_joins_any_two) {
    for (const dragonfly_params& params : shapes) {
        const dragonfly shape(params);
        const graph network = make_dragonfly(shape);
        EXPECT_FALSE(find_problem(network)) << shape.name();
        EXPECT_EQ(network.switches.size(), std::size_t{params.routers} * shape.groups());
        EXPECT_EQ(network.hosts.size(), shape.hosts());
        std::multiset<std::pair<std::uint32_t, std::uint32_t>> inside, between;
        for (const link& one : network.links()) {
            const std::uint32_t a = one.a.chip / params.routers, b = one.b.chip / params.routers;
            if (a == b) inside.insert({one.a.chip, one.b.chip});
            if (a != b) between.insert({std::min(a, b), std::max(a, b)});
        }
        EXPECT_EQ(inside.size(), std::size_t{shape.groups()} * params.routers * (params.routers - 1) / 2);
        EXPECT_EQ(std::set(inside.begin(), inside.end()).size(), inside.size());
        EXPECT_EQ(between.size(), std::size_t{shape.groups()} * (shape.groups() - 1) / 2);
        EXPECT_EQ(std::set(between.begin(), between.end()).size(), between.size());
    }
}

TEST(dragonfly, the_papers_example_has_its_sizes) {
    const dragonfly shape({2, 4, 2});
    EXPECT_EQ(shape.name(), "dragonfly-p2-a4-h2-g9");
    EXPECT_EQ(shape.hosts(), 72u);
    EXPECT_EQ(shape.ports(), 7u);
    EXPECT_EQ(describe(shape).diameter, 3u);
    EXPECT_EQ(describe(shape).global_links, 36u);
    EXPECT_EQ(describe(shape).local_links, 54u);
}

TEST(dragonfly, minimal_routes_take_one_global_link_and_arrive) {
    for (const dragonfly_params& params : shapes) {
        const dragonfly shape(params);
        const graph network = make_dragonfly(shape);
        double sum = 0;
        for (std::uint32_t from = 0; from < shape.routers(); ++from) {
            const std::vector<unsigned> shortest = distances(network, from);
            for (std::uint32_t host = 0; host < shape.hosts(); ++host) {
                unsigned hops = 0, global = 0;
                std::uint32_t at = from;
                port_end end = network.switches[at].ports[shape.route(at, host)];
                for (; end.kind == kind::chip && hops < 4; end = network.switches[at].ports[shape.route(at, host)]) {
                    global += end.index / params.routers != at / params.routers;
                    at = end.index;
                    ++hops;
                }
                ASSERT_EQ(end.kind, kind::host);
                ASSERT_EQ(end.index, host);
                const bool same = from / params.routers == at / params.routers;
                EXPECT_EQ(global, same ? 0u : 1u);
                EXPECT_GE(hops, shortest[at]);
                EXPECT_LE(hops, same ? 1u : 3u);
                sum += hops * params.hosts;
            }
        }
        const double pairs = static_cast<double>(shape.hosts()) * (shape.hosts() - 1);
        EXPECT_NEAR(describe(shape).mean_distance, sum / pairs, 1e-9) << shape.name();
    }
}

TEST(dragonfly, valiant_routes_visit_their_group) {
    for (dragonfly_params params : shapes) {
        params.routing = valiant;
        const dragonfly shape(params);
        const graph network = make_dragonfly(shape);
        EXPECT_EQ(shape.addresses(), shape.hosts() * shape.groups());
        for (std::uint32_t from = 0; from < shape.routers(); ++from) {
            for (std::uint32_t address = 0; address < shape.addresses(); ++address) {
                const std::uint32_t host = address % shape.hosts();
                const unsigned last = host / shape.group_hosts();
                const unsigned middle = (last + address / shape.hosts()) % shape.groups();
                std::set<unsigned> groups{from / params.routers};
                std::uint32_t at = from;
                unsigned hops = 0;
                port_end end = network.switches[at].ports[shape.route(at, address)];
                for (; end.kind == kind::chip && hops < 6; end = network.switches[at].ports[shape.route(at, address)]) {
                    at = end.index;
                    groups.insert(at / params.routers);
                    ++hops;
                }
                ASSERT_EQ(end.kind, kind::host);
                ASSERT_EQ(end.index, host);
                EXPECT_LE(hops, 5u);
                if (from / params.routers == last) {
                    EXPECT_EQ(groups.size(), 1u);
                } else {
                    EXPECT_TRUE(groups.contains(middle));
                }
            }
        }
    }
}

TEST(dragonfly, refusals_name_what_is_wrong) {
    const auto said = [](const dragonfly_params& params) {
        EXPECT_TRUE(dragonfly::find_problem(params));
        return dragonfly::find_problem(params).value_or(dragonfly::bad_parameter{}).name + ": " +
               refusal([&] { dragonfly{params}; });
    };
    EXPECT_EQ(said({2, 4, 9}), "links: a router of a dragonfly has 1..8 global links, not 9");
    EXPECT_EQ(said({0, 4, 2}), "hosts: a router has 1..32 hosts, not 0");
    EXPECT_EQ(said({2, 40, 2}), "routers: a group has 1..32 routers, not 40");
    EXPECT_EQ(
        said({9, 17, 8}),
        "routers: routers with 9 hosts, 16 others in the group and 8 global links have 33 ports, and there are at "
        "most 32; take fewer of them");
    EXPECT_EQ(said({2, 4, 2, 10}), "groups: 4 routers with 2 global links each join 2..9 groups, not 10; take 9");
    EXPECT_EQ(said({2, 4, 2, 1}), "groups: 4 routers with 2 global links each join 2..9 groups, not 1; take 2");
    EXPECT_FALSE(dragonfly::find_problem({8, 16, 8, 129})) << "16,512 hosts";
    EXPECT_EQ(
        said({8, 8, 8, 0, valiant}),
        "groups: Valiant routing of 4160 hosts over 65 groups takes 270400 entries of route tables, which have at "
        "most 65536; take fewer groups, or minimal routing");
}

}  // namespace
}  // namespace polycast::hw::topology
