// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "hw/topology/irregular.h"
#include "testbench/unit/hw/topology/small_networks.h"

namespace polycast::hw::routing {
namespace {

using topology::graph;
using topology::port_end;

/// Follows tree worms through the tables, as hw/chips/switch/switch.md decodes them. One word of hosts is enough here.
class worm_walk {
public:
    worm_walk(const graph& network, const std::vector<chips::switch_tables>& tables, bool rewrite = true)
        : network_(network), tables_(tables), rewrite_(rewrite) {}

    /// Sends to `hosts` from host `source`, once for every way of choosing up ports. \returns false when some way does
    /// not deliver exactly one copy to each
    bool every_choice_delivers(std::uint32_t source, std::uint64_t hosts) {
        return rise(network_.hosts[source].chip, hosts, 0);
    }

    std::uint64_t walks() const { return walks_; }
    std::uint64_t walks_with_duplicates() const { return walks_with_duplicates_; }

private:
    bool rise(std::uint32_t s, std::uint64_t hosts, unsigned depth) {
        if (depth > network_.switches.size()) return false;
        const chips::switch_tables& table = tables_[s];
        bool any_up = false, good = true;
        if ((hosts & ~table.reach_total[0]) != 0)
            for (unsigned p = 0; p < table.port_direction.size(); ++p)
                if (table.port_direction[p] == format::direction::up && (table.tree_up >> p & 1) != 0) {
                    any_up = true;
                    good = good && rise(network_.switches[s].ports[p].index, hosts, depth + 1);
                }
        if (any_up) return good;
        ++walks_;
        copies_.assign(network_.hosts.size(), 0);
        if (!fall(s, hosts, 0)) return false;
        bool once = true;
        for (std::uint32_t h = 0; h < network_.hosts.size(); ++h) {
            const std::uint64_t wanted = hosts >> h & 1;
            if (copies_[h] < wanted || (wanted == 0 && copies_[h] != 0)) return false;
            once = once && copies_[h] == wanted;
        }
        walks_with_duplicates_ += once ? 0 : 1;
        return once || !rewrite_;
    }

    bool fall(std::uint32_t s, std::uint64_t hosts, unsigned depth) {
        if (depth > network_.switches.size()) return false;
        const chips::switch_tables& table = tables_[s];
        std::uint64_t covered = 0;
        for (unsigned p = 0; p < table.port_direction.size(); ++p) {
            if (table.port_direction[p] != format::direction::down) continue;
            const std::uint64_t rest = hosts & table.reach_port[p][0];
            if (rest == 0) continue;
            covered |= rest;
            const port_end& end = network_.switches[s].ports[p];
            if (end.kind == port_end::leads_to::host) {
                ++copies_[end.index];
                if (rest != std::uint64_t{1} << end.index) return false;
            } else if (!fall(end.index, rewrite_ ? rest : hosts, depth + 1)) {
                return false;
            }
        }
        return !rewrite_ || covered == hosts;
    }

    const graph& network_;
    const std::vector<chips::switch_tables>& tables_;
    const bool rewrite_;
    std::vector<std::uint64_t> copies_;
    std::uint64_t walks_ = 0;
    std::uint64_t walks_with_duplicates_ = 0;
};

/// Follows worms to one stop through the tables, as hw/chips/switch/switch.md decodes them. \returns the longest way
/// that any choice takes, nothing where some choice does not get there
std::optional<unsigned> longest_way(const graph& network, const std::vector<chips::switch_tables>& tables,
                                    std::uint32_t s, bool up, std::uint32_t stop, unsigned depth = 0) {
    if (tables[s].switch_number == stop) return 0;
    if (depth > 2 * network.switches.size()) return std::nullopt;
    const std::uint64_t mask = (up ? tables[s].switch_up : tables[s].switch_down)[stop];
    std::optional<unsigned> longest;
    for (unsigned p = 0; p < 64; ++p) {
        if ((mask >> p & 1) == 0) continue;
        const format::direction direction = tables[s].port_direction.at(p);
        const port_end& end = network.switches[s].ports[p];
        if (end.kind != port_end::leads_to::chip || (direction == format::direction::up && !up)) return std::nullopt;
        const auto rest = longest_way(network, tables, end.index, direction == format::direction::up, stop, depth + 1);
        if (!rest) return std::nullopt;
        longest = std::max(longest.value_or(0), *rest + 1);
    }
    return longest;
}

TEST(tables, tree_worms_deliver_once_for_every_set_and_every_up_port) {
    std::uint64_t walks = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const unsigned switches = 3 + static_cast<unsigned>(seed % 5);
        const graph network = topology::make_irregular({switches, 5, 7, 1.0, seed});
        for (std::uint32_t root = 0; root < switches; ++root) {
            const auto tables = make_tables(updown(network, {updown_options::root_choice::given, root}));
            worm_walk walk(network, tables);
            for (std::uint32_t source = 0; source < 7; ++source)
                for (std::uint64_t hosts = 1; hosts < 128; ++hosts)
                    ASSERT_TRUE(walk.every_choice_delivers(source, hosts)) << "seed " << seed << " root " << root;
            walks += walk.walks();
        }
    }
    EXPECT_GT(walks, 260000U);
}

TEST(tables, tree_worms_deliver_once_below_several_roots) {
    const graph network = topology::make_leaf_spine(4, 3, 2);
    const auto tables = make_tables(updown(network, {updown_options::root_choice::given, 4, false, {5, 6}}));
    worm_walk walk(network, tables);
    for (std::uint32_t source = 0; source < 8; ++source)
        for (std::uint64_t hosts = 1; hosts < 256; ++hosts)
            ASSERT_TRUE(walk.every_choice_delivers(source, hosts)) << "from " << source << " to " << hosts;
}

TEST(tables, tree_worms_deliver_once_in_the_papers_networks) {
    std::mt19937_64 generator(1);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const graph network = topology::make_irregular({.seed = seed});
        const auto tables = make_tables(updown(network));
        worm_walk walk(network, tables);
        for (unsigned i = 0; i < 2000; ++i) {
            const std::uint64_t hosts = generator() & generator() & 0xffffffffU;
            if (hosts != 0) {
                ASSERT_TRUE(walk.every_choice_delivers(static_cast<std::uint32_t>(generator() % 32), hosts));
            }
        }
    }
}

TEST(tables, every_choice_leads_to_every_switch_by_a_shortest_legal_way) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const graph network = topology::make_irregular({.seed = seed});
        const updown routes(network, {updown_options::root_choice::given, static_cast<std::uint32_t>(seed % 8)});
        const auto tables = make_tables(routes);
        routes_to found;
        for (std::uint32_t stop = 0; stop < 8; ++stop) {
            routes.find_routes(stop, found);
            for (std::uint32_t s = 0; s < 8; ++s) {
                ASSERT_EQ(tables[s].switch_number, s);
                EXPECT_EQ(longest_way(network, tables, s, true, stop), found.distance_up[s]);
                if (found.distance_down[s] == unreachable)
                    EXPECT_EQ(tables[s].switch_down[stop], 0U);
                else
                    EXPECT_EQ(longest_way(network, tables, s, false, stop), found.distance_down[s]);
            }
        }
    }
}

TEST(tables, in_the_strict_spanning_tree_headers_need_no_rewriting) {
    std::uint64_t walks = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const unsigned switches = 3 + static_cast<unsigned>(seed % 5);
        const graph network = topology::make_irregular({switches, 5, 7, 1.0, seed});
        for (std::uint32_t root = 0; root < switches; ++root) {
            const updown routes(network, {updown_options::root_choice::given, root});
            const auto tables = make_tables(routes, 0, worm_links::spanning_tree);
            for (const bool rewrite : {false, true}) {
                worm_walk walk(network, tables, rewrite);
                for (std::uint32_t source = 0; source < 7; ++source)
                    for (std::uint64_t hosts = 1; hosts < 128; ++hosts)
                        ASSERT_TRUE(walk.every_choice_delivers(source, hosts)) << "seed " << seed << " root " << root;
                EXPECT_EQ(walk.walks_with_duplicates(), 0U);
                EXPECT_EQ(walk.walks(), 7U * 127) << "one up port each, so one way each";
                walks += walk.walks();
            }
        }
    }
    EXPECT_GT(walks, 130000U);
}

TEST(tables, over_all_down_links_headers_that_are_not_rewritten_bring_duplicates) {
    // Networks of the study: 8 switches, 32 hosts; 15 random destinations. The spec says: more than half of all worms.
    std::mt19937_64 generator(1);
    std::uint64_t walks = 0, with_duplicates = 0, rewritten = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const graph network = topology::make_irregular({.seed = seed});
        const auto tables = make_tables(updown(network));
        worm_walk walk(network, tables, false), clean(network, tables);
        for (unsigned i = 0; i < 500; ++i) {
            std::uint64_t hosts = 0;
            while (std::popcount(hosts) < 15) hosts |= std::uint64_t{1} << generator() % 32;
            const auto source = static_cast<std::uint32_t>(generator() % 32);
            ASSERT_TRUE(walk.every_choice_delivers(source, hosts)) << "each destination at least one copy";
            ASSERT_TRUE(clean.every_choice_delivers(source, hosts));
        }
        walks += walk.walks();
        with_duplicates += walk.walks_with_duplicates();
        rewritten += clean.walks_with_duplicates();
    }
    RecordProperty("worms_with_duplicates_percent", static_cast<int>(100 * with_duplicates / walks));
    EXPECT_GT(2 * with_duplicates, walks);
    EXPECT_EQ(rewritten, 0U);
}

TEST(tables, unicast_routes_are_minimal_and_end_at_the_host) {
    const graph network = topology::make_irregular({.seed = 3});
    const updown routes(network);
    const auto tables = make_tables(routes);
    for (std::uint32_t d = 0; d < 32; ++d) {
        routes_to found;
        routes.find_routes(network.hosts[d].chip, found);
        for (std::uint32_t s = 0; s < 8; ++s) {
            const std::uint64_t own = s == network.hosts[d].chip ? std::uint64_t{1} << network.hosts[d].port : 0;
            EXPECT_EQ(tables[s].unicast_up[d], found.ports_up[s] | own);
            EXPECT_EQ(tables[s].unicast_down[d], found.ports_down[s] | own);
            EXPECT_NE(tables[s].unicast_up[d], 0U);
        }
    }
}

TEST(tables, share_routes_and_equal_strings_until_one_is_edited) {
    const graph network = topology::make_irregular({.seed = 3});
    std::vector<chips::switch_tables> tables = make_tables(updown(network));
    const chips::network_routes* const routes = tables[0].unicast_up.routes_from(0);
    ASSERT_NE(routes, nullptr);
    EXPECT_EQ(tables[5].switch_down.routes_from(5), routes);
    EXPECT_EQ(tables[5].unicast_up.routes_from(4), nullptr) << "those of another switch";
    std::vector<const chips::bit_string*> none;
    for (const chips::switch_tables& table : tables)
        for (const chips::shared_string& string : table.reach_port)
            if (string == chips::bit_string{0}) none.push_back(&*string);
    ASSERT_GT(none.size(), 1U);
    EXPECT_EQ(std::ranges::count(none, none.front()), static_cast<std::ptrdiff_t>(none.size()));

    const std::vector<chips::switch_tables> before = tables;
    tables[5].unicast_up.edit()[7] = 0;
    tables[5].reach_total.edit()[0] = 0;
    EXPECT_EQ(tables[5].unicast_up.routes_from(5), nullptr);
    EXPECT_EQ(tables[5].unicast_up[7], 0U);
    EXPECT_EQ(tables[5].unicast_up[8], before[5].unicast_up[8]);
    EXPECT_FALSE(tables[5].unicast_up == before[5].unicast_up);
    EXPECT_NE(before[5].reach_total[0], 0U);
    for (std::size_t s = 0; s < tables.size(); ++s) EXPECT_EQ(tables[s].unicast_down, before[s].unicast_down);
}

TEST(tables, take_a_byte_for_each_pair_of_switches_with_eight_ports) {
    topology::irregular_params params{.switches = 300, .hosts = 1200, .seed = 1};
    params.placement = topology::host_placement::even;
    const auto tables = make_tables(updown(topology::make_irregular(params)));
    EXPECT_LT(tables[0].unicast_up.routes_from(0)->memory_bytes(), 2U * 300 * 300 + 2 * 1200 * 8);
    for (const chips::switch_tables& table : tables) EXPECT_EQ(table.unicast_up.memory_bytes(), 0U);
}

TEST(tables, of_large_networks_have_no_bit_strings) {
    topology::irregular_params params{.switches = 400, .ports = 64, .hosts = 17000, .seed = 1};
    params.placement = topology::host_placement::even;
    const graph network = topology::make_irregular(params);
    const auto tables = make_tables(updown(network), 17024);
    EXPECT_EQ(tables[0].unicast_up.size(), 17024U);
    EXPECT_EQ(tables[399].unicast_up[16999], std::uint64_t{1} << network.hosts[16999].port);
    EXPECT_EQ(tables[0].unicast_up[17000], 0U);
    EXPECT_TRUE(tables[0].reach_total.empty());
    EXPECT_TRUE(tables[0].reach_port[0].empty());
}

TEST(tables, keeps_room_and_other_settings) {
    const graph network = topology::make_ring(3, 1);
    std::vector<chips::switch_tables> tables(3);
    tables[1].route_delay = 4;
    tables[1].port_direction.resize(8, format::direction::up);
    fill_tables(updown(network), tables, 70);
    EXPECT_EQ(tables[1].route_delay, 4U);
    EXPECT_EQ(tables[1].port_direction.size(), 8U);
    EXPECT_EQ(tables[1].port_direction[7], format::direction::open);
    EXPECT_EQ(tables[1].reach_port.size(), 8U);
    EXPECT_EQ(tables[1].reach_port[7], (chips::bit_string{0, 0}));
    EXPECT_EQ(tables[0].port_direction.size(), 3U);
    EXPECT_EQ(tables[0].unicast_up.size(), 70U);
    EXPECT_EQ(tables[0].reach_total, (chips::bit_string{7, 0}));
    EXPECT_THROW(fill_tables(updown(network), tables, 2), std::logic_error);
}

}  // namespace
}  // namespace polycast::hw::routing
