// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/repair.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "hw/subnet/fabric_files.h"
#include "hw/subnet/table_maker.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/subnet/small_fabric.h"

namespace polycast::hw::subnet {
namespace {

using testbench::unit::exchange;
using testbench::unit::ring;
using testing::HasSubstr;

const std::string data = std::string(POLYCAST_DATA_DIR) + "/fabric/";

fabric sample(const std::string& name) {
    return read_fabric({data + name}, {});
}

/// Tree cables as texts, of one direction.
std::vector<std::string> cables_of(const fabric& of, unsigned mlid) {
    std::vector<std::string> found;
    for (std::uint32_t s = 0; s < of.switches.size(); ++s) {
        const auto row = of.switches[s].multicast.find(mlid);
        if (row == of.switches[s].multicast.end()) continue;
        for (unsigned p = 0; p < of.network.switches[s].ports.size(); ++p) {
            const topology::port_end& end = of.network.switches[s].ports[p];
            if ((row->second.ports >> p & 1) != 0 && end.kind == topology::port_end::leads_to::chip && s < end.index)
                found.push_back(of.network.port_text(s, p) + " " + of.network.port_text(end.index, end.port));
        }
    }
    return found;
}

TEST(fabric_repair, the_known_tree_of_the_order_of_its_root) {
    const fabric of = sample("irr8s3.updn.mcast");
    const repair_result found = repair(of, {of.network.switch_named("switch4"), {}});
    EXPECT_EQ(found.kind, repair_kind::trees);
    EXPECT_EQ(found.orders, 1U);
    ASSERT_EQ(found.groups.size(), 1U);
    EXPECT_EQ(found.groups[0].after.cables, 5U);
    EXPECT_EQ(found.groups[0].after.switches, 6U);
    EXPECT_EQ(found.groups[0].before.cables, 4U);
    EXPECT_TRUE(found.after.good());
    EXPECT_EQ(found.after.reached, 992U);
    EXPECT_EQ(found.after.groups[0].members, 6U);
    EXPECT_THAT(cables_of(found.repaired, 0xc001),
                testing::ElementsAre("switch0:1 switch2:8", "switch2:1 switch4:4", "switch3:2 switch7:1",
                                     "switch4:7 switch5:6", "switch5:8 switch7:6"));
}

TEST(fabric_repair, without_a_root_an_order_is_found) {
    const repair_result found = repair(sample("irr8s3.updn.mcast"), {});
    EXPECT_EQ(found.kind, repair_kind::trees);
    EXPECT_TRUE(found.after.good());
}

TEST(fabric_repair, circles_of_unicasts_get_lanes) {
    for (const char* name : {"irr8s1.minhop", "ring6.minhop", "parallel.lmc1"}) {
        SCOPED_TRACE(name);
        const fabric of = sample(name);
        const repair_result found = repair(of, {});
        EXPECT_EQ(found.kind, repair_kind::lanes);
        EXPECT_EQ(found.lanes, 2U);
        EXPECT_TRUE(found.after.good());
        EXPECT_EQ(found.after.channels_by_vl.rbegin()->first, 1U);
        const repair_result too_few = repair(of, {{}, 1});
        EXPECT_EQ(too_few.kind, repair_kind::none);
        EXPECT_EQ(too_few.why_not, "it takes 2 lanes, and there are 1; --vls says how many may be used");
        EXPECT_FALSE(too_few.repaired.has_lanes);
    }
}

TEST(fabric_repair, what_is_good_stays) {
    const repair_result found = repair(sample("ring6.dfsssp"), {});
    EXPECT_EQ(found.kind, repair_kind::unchanged);
    EXPECT_TRUE(found.after.good());
}

TEST(fabric_repair, groups_keep_a_lane_of_their_own) {
    ring one;
    one.more =
        "Switch 0x0000000000000200\nLID : Out Port(s)\n0xC000 : 0x000 0x001 0x003 \nSwitch 0x0000000000000201\nLID : "
        "Out Port(s)\n0xC000 : 0x001 0x002 \n";
    const repair_result found = repair(one.read(), {});
    EXPECT_EQ(found.kind, repair_kind::lanes);
    EXPECT_EQ(found.lanes, 3U) << "one of the group, and two of the ring";
    EXPECT_TRUE(found.after.good());
    EXPECT_TRUE(found.repaired.switches[0].multicast.at(0xc000).self);
    for (const host_state& host : found.repaired.hosts)
        for (unsigned lid = 5; lid < 9; ++lid) EXPECT_TRUE(lid == host.self.lid || host.path_sl[lid] >= 1U);
}

TEST(fabric_repair, lanes_of_the_files_are_the_limit) {
    fabric of = ring().read();
    of.hosts[2].operational_vls = 1;
    EXPECT_THAT(repair(of, {}).why_not, HasSubstr("it takes 2 lanes, and there are 1"));
    of.switches[1].operational_vls = {0, 0, 0, 4, 0};
    of.hosts[2].operational_vls = 0;
    EXPECT_EQ(repair(of, {}).kind, repair_kind::lanes);
}

TEST(fabric_repair, pairs_that_are_lost_stay_lost) {
    ring one;
    exchange(one.fdbs, "0x0006 : 003  : 02   : yes", "0x0006 : 004  : 02   : yes");
    const repair_result found = repair(one.read(), {});
    EXPECT_EQ(found.kind, repair_kind::none);
    EXPECT_THAT(found.why_not, HasSubstr("3 pairs lose their packets by the unicast tables"));
    EXPECT_THAT(found.why_not, HasSubstr("an entry to an uncabled port"));
}

/// Tables by minhop or updn on a random network, and groups on trees that no order has chosen.
fabric random_fabric(unsigned seed) {
    std::mt19937_64 draw(seed);
    const topology::irregular_params params{static_cast<unsigned>(4 + draw() % 6),
                                            6,
                                            static_cast<unsigned>(8 + draw() % 5),
                                            0.7 + 0.1 * (seed % 3),
                                            seed,
                                            {}};
    fabric made = make_tables(topology::make_irregular(params),
                              {seed % 2 == 0 ? table_engine::minhop : table_engine::updn, seed % 5 == 0 ? 1U : 0U, {}});
    const auto count = static_cast<std::uint32_t>(made.switches.size());
    for (unsigned mlid = 0xc000; mlid < 0xc000 + draw() % 4; ++mlid) {
        // A random tree over all switches.
        std::vector<std::uint32_t> inside{static_cast<std::uint32_t>(draw() % count)};
        std::vector<bool> has(count);
        has[inside[0]] = true;
        while (inside.size() < count) {
            const std::uint32_t s = inside[draw() % inside.size()];
            const auto p = static_cast<unsigned>(draw() % 6);
            const topology::port_end& end = made.network.switches[s].ports[p];
            if (end.kind != topology::port_end::leads_to::chip || has[end.index]) continue;
            has[end.index] = true;
            inside.push_back(end.index);
            made.switches[s].multicast[mlid].ports |= std::uint64_t{1} << p;
            made.switches[end.index].multicast[mlid].ports |= std::uint64_t{1} << end.port;
        }
        for (const topology::host_node& host : made.network.hosts)
            if (draw() % 2 == 0) made.switches[host.chip].multicast[mlid].ports |= std::uint64_t{1} << host.port;
    }
    return made;
}

TEST(fabric_repair, random_fabrics_are_free_afterwards) {
    std::map<repair_kind, unsigned> kinds;
    std::size_t most_orders = 0;
    std::vector<unsigned> seeds{472, 776, 1710, 3330};  // no order holds, in the last one a group without members
    for (unsigned seed = 0; seed < 300; ++seed) seeds.push_back(seed);
    for (const unsigned seed : seeds) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const fabric of = random_fabric(seed);
        const repair_result found = repair(of, {});
        ++kinds[found.kind];
        most_orders = std::max(most_orders, found.kind == repair_kind::trees ? found.orders : 0);
        ASSERT_NE(found.kind, repair_kind::none) << found.why_not;
        EXPECT_TRUE(found.after.all.components.empty());
        EXPECT_TRUE(found.after.good()) << found.after.problems.front();
        EXPECT_EQ(found.after.reached, found.before.reached);
        EXPECT_EQ(found.after.cables, found.before.cables) << "ports of unicasts stay";
        std::map<unsigned, std::uint32_t> members;
        for (const check_result::group& one : found.before.groups) members[one.mlid] = one.members;
        for (const check_result::group& one : found.after.groups) {
            EXPECT_EQ(one.members, members.at(one.mlid));
            EXPECT_EQ(one.missed + one.duplicates, 0U);
            members.erase(one.mlid);
        }
        for (const auto& [mlid, count] : members) EXPECT_EQ(count, 0U) << "rows of nobody are gone";
        for (const repair_result::group& one : found.groups)
            EXPECT_TRUE(found.kind == repair_kind::unchanged || one.after.switches == 0 ||
                        one.after.cables + 1 == one.after.switches)
                << "a tree";
    }
    EXPECT_GT(kinds[repair_kind::unchanged], 10U);
    EXPECT_GT(kinds[repair_kind::trees], 10U);
    EXPECT_GT(kinds[repair_kind::lanes], 10U);
    EXPECT_GT(most_orders, 1U);
    EXPECT_GE(kinds[repair_kind::grown], 3U);
}

/// Cables of the tree below a top, by sets; nothing where it does not reach all members.
std::optional<std::size_t> cables_below(const topology::graph& network, const routing::updown& order,
                                        const group_ends& group, std::uint32_t top) {
    std::map<std::uint32_t, std::uint32_t> parent{{top, top}};
    std::vector<std::uint32_t> level{top};
    while (!level.empty()) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t s : level)
            for (const topology::port_end& end : network.switches[s].ports)
                if (end.kind == topology::port_end::leads_to::chip && order.above(s, end.index) &&
                    parent.emplace(end.index, s).second)
                    next.push_back(end.index);
        level = next;
    }
    std::set<std::uint32_t> kept;
    for (std::uint32_t s : group.switches) {
        if (!parent.contains(s)) return std::nullopt;
        for (; s != top; s = parent.at(s)) kept.insert(s);
    }
    return kept.size();
}

TEST(fabric_repair, trees_have_the_fewest_cables_of_all_tops) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const fabric of = random_fabric(2 * seed);
        const routing::updown order(of.network, {routing::updown_options::root_choice::lowest_id, 0, true});
        for (const group_ends& group : find_groups(of)) {
            const group_tree tree = find_tree(of.network, order, group);
            std::map<std::uint32_t, unsigned> parents;
            for (const group_tree::branch& one : tree.cables) {
                EXPECT_TRUE(order.above(one.upper, one.lower));
                EXPECT_EQ(++parents[one.lower], 1U) << "one neighbour above at most";
            }
            std::size_t fewest = SIZE_MAX;
            for (std::uint32_t top = 0; top < of.switches.size(); ++top)
                fewest = std::min(fewest, cables_below(of.network, order, group, top).value_or(SIZE_MAX));
            EXPECT_EQ(tree.cables.size(), fewest);
            fabric made = of;
            set_tree(made, group, tree);
            const tree_figures figures = measure(made, group.mlid);
            EXPECT_EQ(figures.cables, tree.cables.size());
            EXPECT_EQ(figures.switches, group.switches.empty() ? 0 : tree.cables.size() + 1);
            EXPECT_LE(figures.depth, 2 * tree.depth);
            for (std::uint32_t s = 0; s < of.switches.size(); ++s) {
                const auto row = made.switches[s].multicast.find(group.mlid);
                EXPECT_EQ(group.hosts[s],
                          row == made.switches[s].multicast.end() ? 0 : row->second.ports & group.hosts[s]);
            }
        }
    }
}

}  // namespace
}  // namespace polycast::hw::subnet
