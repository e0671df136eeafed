// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/table_maker.h"

#include <gmock/gmock.h>

#include "hw/routing/updown.h"
#include "hw/subnet/check.h"
#include "hw/subnet/dump_writer.h"
#include "hw/subnet/fabric_files.h"
#include "hw/topology/folded_clos.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::subnet {
namespace {

using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string text_of(const auto& writer, const fabric& of) {
    std::string text;
    writer(of, [&](std::string_view part) { text += part; });
    return text;
}

topology::graph ring_of(unsigned switches) {
    topology::graph network;
    for (unsigned s = 0; s < switches; ++s) network.add_switch("ring" + std::to_string(s), 3);
    for (unsigned s = 0; s < switches; ++s) network.connect(s, 1, (s + 1) % switches, 2);
    for (unsigned s = 0; s < switches; ++s) network.attach_host("node" + std::to_string(s), s, 0);
    return network;
}

TEST(table_maker, dmodk_on_a_folded_clos_network_is_balanced) {
    const fabric made = make_tables(topology::make_folded_clos({36, 2}), {table_engine::dmodk, 0, {}});
    const check_result found = check(made, {});
    EXPECT_EQ(found.reached, 648U * 647);
    EXPECT_THAT(found.cables, ElementsAre(Pair(2, 11016U), Pair(4, 408240U)));
    // As OpenSM's ftree on this network.
    EXPECT_EQ(found.unicast_dependencies, 46008U);
    EXPECT_EQ(found.balance.directions, 1296U);
    EXPECT_TRUE(found.unicast.components.empty());
    // Up from a leaf 630 hosts go over 18 ports.
    std::uint64_t up = 0;
    for (const auto& [load, directions] : found.balance.histogram) up += load == 35 ? directions : 0;
    EXPECT_GE(up, 648U);
    EXPECT_TRUE(found.good());
}

TEST(table_maker, dmodk_takes_another_port_up_for_each_digit) {
    const topology::graph network = topology::make_folded_clos({4, 3});
    const fabric made = make_tables(network, {table_engine::dmodk, 0, {}});
    // From switch 0 to hosts 8 to 15, in the other half: by the lowest digit; above it by the next one.
    for (unsigned h = 8; h < 16; ++h) {
        EXPECT_EQ(made.switches[0].port_for(made.hosts[h].self.lid), 3 + h % 2);
        EXPECT_EQ(made.switches[8].port_for(made.hosts[h].self.lid), 3 + h / 2 % 2);
    }
    EXPECT_EQ(check(made, {}).longer, 0U);
}

TEST(table_maker, lids_are_those_of_hosts_by_guid_then_switches) {
    topology::graph network = ring_of(3);
    network.hosts[0].guid = 0x50;
    network.hosts[1].guid = 0x40;
    network.hosts[2].guid = 0x30;
    const fabric made = make_tables(network, {table_engine::updn, 1, {}});
    std::vector<std::pair<std::string, unsigned>> found;
    for (std::size_t h = 0; h < 3; ++h) found.emplace_back(made.network.hosts[h].name, made.hosts[h].self.lid);
    EXPECT_THAT(found, ElementsAre(Pair("node2", 2U), Pair("node1", 4U), Pair("node0", 6U)));
    EXPECT_EQ(made.switches[0].self.lid, 8U);
    EXPECT_EQ(made.switches[2].self.lid, 10U);
    EXPECT_EQ(made.lmc, 1U);
}

TEST(table_maker, updn_is_free_and_reaches_all_on_any_network) {
    for (unsigned seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const topology::graph network = topology::make_irregular({8, 8, 32, 0.8, seed, {}});
        for (const table_engine engine : {table_engine::updn, table_engine::dmodk, table_engine::minhop}) {
            const check_result found = check(make_tables(network, {engine, seed % 3, {}}), {});
            EXPECT_EQ(found.reached, found.pairs);
            if (engine == table_engine::minhop)
                EXPECT_EQ(found.longer, 0U);
            else
                EXPECT_TRUE(found.unicast.components.empty());
        }
    }
    EXPECT_FALSE(check(make_tables(ring_of(6), {table_engine::minhop, 0, {}}), {}).unicast.components.empty());
}

TEST(table_maker, no_path_turns_from_down_to_up) {
    unsigned longer = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const topology::graph network = topology::make_irregular({32, 5, 40, 1.0, seed, {}});
        const std::uint32_t root = seed % 32;
        const fabric made = make_tables(network, {seed % 2 == 0 ? table_engine::updn : table_engine::dmodk, 0, {root}});
        const routing::updown order(made.network, {routing::updown_options::root_choice::given, root, true});
        for (const host_state& target : made.hosts)
            for (const topology::host_node& source : made.network.hosts) {
                bool down = false;
                for (std::uint32_t s = source.chip;;) {
                    const std::uint8_t port = made.switches[s].port_for(target.self.lid);
                    const topology::port_end& end = made.network.switches[s].ports[port - 1u];
                    if (end.kind != topology::port_end::leads_to::chip) break;
                    ASSERT_FALSE(down && order.above(end.index, s));
                    down = order.above(s, end.index);
                    s = end.index;
                }
            }
        longer += check(made, {}).longer > 0;
    }
    EXPECT_GT(longer, 0U);
}

TEST(table_maker, roots_are_as_given) {
    const topology::graph network = ring_of(6);
    const fabric made = make_tables(network, {table_engine::updn, 0, {3}});
    // Ports: 2 to the next switch, 3 to the one before. From switch 0, opposite, up on the side of the lower number.
    EXPECT_EQ(made.switches[1].port_for(made.hosts[3].self.lid), 2U);
    EXPECT_EQ(made.switches[5].port_for(made.hosts[1].self.lid), 3U) << "over the root, not over switch 0";
    EXPECT_THAT(refusal([&] { make_tables(network, {table_engine::updn, 0, {0, 3}}); }), HasSubstr("root"));
}

TEST(table_maker, more_lids_than_there_are_are_refused) {
    EXPECT_THAT(refusal([] {
                    make_tables(topology::make_folded_clos({36, 2}), {table_engine::updn, 7, {}});
                }),
                HasSubstr("the network needs LIDs up to 83125, and there are 49151; take a smaller LMC"));
}

TEST(table_maker, what_is_written_is_read_back) {
    for (const table_engine engine : {table_engine::updn, table_engine::minhop}) {
        const fabric made = make_tables(topology::make_irregular({6, 12, 20, 0.8, 7, {}}), {engine, 2, {}});
        const std::string list = text_of(write_subnet_list, made), fdbs = text_of(write_fdbs, made),
                          lfts = text_of(write_lfts, made);
        const fabric both = read_fabric_texts({{"list", list}, {"fdbs", fdbs}, {"lfts", lfts}}, {});
        EXPECT_EQ(both.network, made.network);
        EXPECT_EQ(both.lmc, 2U) << "by the rows of the LFT dump";
        for (std::size_t h = 0; h < made.hosts.size(); ++h) EXPECT_EQ(both.hosts[h].self.lid, made.hosts[h].self.lid);
        for (std::size_t s = 0; s < made.switches.size(); ++s)
            for (unsigned lid = 0; lid < 200; ++lid) {
                EXPECT_EQ(both.switches[s].fdbs.ports[lid], made.switches[s].fdbs.ports[lid]);
                EXPECT_EQ(both.switches[s].hops[lid], made.switches[s].hops[lid]);
                const std::uint8_t port = made.switches[s].port_for(lid);
                EXPECT_EQ(both.switches[s].lfts.ports[lid], port == no_path ? no_row : port);
            }
        // Hops are right, or there were a warning.
        for (const std::string& one : check(both, {}).warnings) EXPECT_EQ(one.find("hops"), std::string::npos) << one;
    }
}

TEST(dump_writer, multicast_lanes_and_path_sls_are_read_back) {
    fabric made = make_tables(topology::make_irregular({6, 12, 20, 0.8, 7, {}}), {table_engine::updn, 0, {}});
    made.switches[0].multicast[0xc001] = {0x801, true, {}};
    made.switches[0].multicast[0xc123] = {0x2, false, {}};
    made.switches[3].multicast[0xc001] = {0xfff, false, {}};
    made.switches[1].lanes.set(0, 3, 0x7654321076543210, {});
    made.switches[1].lanes.set(12, 1, 0xf000000000000000, {});
    made.hosts[4].lanes = 0x1111111111111111;
    made.hosts[0].path_sl.set(7, 3);
    made.switches[2].path_sl.set(300, 14);
    const std::string list = text_of(write_subnet_list, made), fdbs = text_of(write_fdbs, made);
    const std::string mcfdbs = text_of(write_mcfdbs, made), mfts = text_of(write_mfts, made);
    const std::string lanes = text_of(write_lanes, made), psl = text_of(write_psl, made);
    const fabric both = read_fabric_texts(
        {{"list", list}, {"fdbs", fdbs}, {"mcfdbs", mcfdbs}, {"mfts", mfts}, {"lanes", lanes}, {"psl", psl}}, {});
    for (std::size_t s = 0; s < 6; ++s) {
        ASSERT_EQ(both.switches[s].multicast.size(), made.switches[s].multicast.size());
        for (const auto& [mlid, row] : made.switches[s].multicast) {
            EXPECT_EQ(both.switches[s].multicast.at(mlid).ports, row.ports);
            EXPECT_EQ(both.switches[s].multicast.at(mlid).self, row.self);
        }
    }
    EXPECT_EQ(both.switches[1].lanes.find(0, 3), 0x7654321076543210U);
    EXPECT_EQ(both.switches[1].lanes.find(12, 1), 0xf000000000000000U);
    EXPECT_EQ(both.switches[1].lanes.find(1, 1), std::nullopt);
    EXPECT_EQ(both.hosts[4].lanes, 0x1111111111111111U);
    EXPECT_EQ(both.hosts[0].path_sl[7], 3U);
    EXPECT_EQ(both.switches[2].path_sl[300], 14U);
    EXPECT_THAT(mfts, HasSubstr("                                1 1 1 \n     Ports: 0 1 2 3 4 5 6 7 8 9 0 1 2 \n"));
}

TEST(dump_writer, names_with_line_breaks_are_refused) {
    fabric made = make_tables(ring_of(3), {table_engine::updn, 0, {}});
    made.network.hosts[1].name = "two\nlines";
    EXPECT_THAT(refusal([&] { text_of(write_subnet_list, made); }), HasSubstr("cannot hold the name"));
}

}  // namespace
}  // namespace polycast::hw::subnet
