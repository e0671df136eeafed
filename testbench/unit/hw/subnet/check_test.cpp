// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/check.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "hw/subnet/table_maker.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/subnet/small_fabric.h"

namespace polycast::hw::subnet {
namespace {

using testbench::unit::exchange;
using testbench::unit::formatted;
using testbench::unit::ring;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const std::string data = std::string(POLYCAST_DATA_DIR) + "/fabric/";

struct checked {
    fabric of;
    check_result result;

    std::string cycle(const std::vector<channel>& channels) const {
        std::string text;
        for (const channel& one : channels)
            text += (text.empty() ? "" : " > ") + channel_text(of, one, result.channels_by_vl.size() > 1);
        return text;
    }
};

checked check_files(const std::vector<std::string>& files, const join_options& join = {},
                    const check_options& options = {}) {
    std::vector<std::string> paths;
    for (const std::string& one : files) paths.push_back(data + one);
    checked made;
    made.of = read_fabric(paths, join);
    made.result = check(made.of, options);
    return made;
}

TEST(fabric_check, minhop_on_a_random_network_has_a_circle) {
    const checked one = check_files({"irr8s1.minhop"});
    EXPECT_EQ(one.result.pairs, 992U);
    EXPECT_EQ(one.result.reached, 992U);
    EXPECT_THAT(one.result.cables, ElementsAre(Pair(2, 108), Pair(3, 288), Pair(4, 476), Pair(5, 120)));
    EXPECT_NEAR(one.result.mean_cables(), 3.6129, 5e-5);
    EXPECT_EQ(one.result.unicast_dependencies, 338U);
    EXPECT_THAT(one.result.unicast.components, ElementsAre(7));
    EXPECT_EQ(one.cycle(one.result.unicast.shortest),
              "switch0:1 > switch7:6 > switch2:2 > switch1:4 > switch6:6 > switch3:7");
    EXPECT_EQ(one.result.balance.directions, 28U);
    EXPECT_EQ(one.result.balance.most, 18U);
    EXPECT_FALSE(one.result.good());
}

TEST(fabric_check, a_multicast_tree_closes_circles_that_unicasts_do_not) {
    const checked one = check_files({"irr8s3.updn.mcast"});
    EXPECT_THAT(one.result.cables,
                ElementsAre(Pair(2, 114), Pair(3, 244), Pair(4, 274), Pair(5, 216), Pair(6, 84), Pair(7, 60)));
    EXPECT_EQ(one.result.unicast_dependencies, 313U);
    EXPECT_THAT(one.result.unicast.components, IsEmpty());
    EXPECT_EQ(one.result.added, 4U);
    EXPECT_THAT(one.result.all.components, ElementsAre(6, 6));
    EXPECT_EQ(one.cycle(one.result.all.shortest),
              "switch0:1 > switch2:1 > switch4:7 > switch5:8 > switch7:3 > switch1:7");
    EXPECT_THAT(one.result.only_multicast, ElementsAre(4)) << "switch7:3 > switch1:7";
    ASSERT_EQ(one.result.groups.size(), 1U);
    const check_result::group& group = one.result.groups.front();
    EXPECT_EQ(group.mlid, 0xc001U);
    EXPECT_EQ(group.members, 6U);
    EXPECT_EQ(group.switches, 5U);
    EXPECT_EQ(group.missed + group.duplicates, 0U);
    EXPECT_FALSE(group.loop);
}

TEST(fabric_check, lanes_break_the_circles_of_a_ring) {
    const checked plain = check_files({"ring6.minhop"});
    EXPECT_THAT(plain.result.cables, ElementsAre(Pair(3, 12), Pair(4, 12), Pair(5, 6)));
    EXPECT_EQ(plain.result.unicast_dependencies, 36U);
    EXPECT_THAT(plain.result.unicast.components, ElementsAre(6, 6));
    EXPECT_EQ(plain.cycle(plain.result.unicast.shortest), "ring0:2 > ring1:3 > ring2:3 > ring3:3 > ring4:3 > ring5:3");
    const std::string place = "ring6.dfsssp/";
    const std::vector<std::string> tables{place + "opensm-subnet.lst", place + "opensm.fdbs"};
    EXPECT_THAT(check_files(tables).result.unicast.components, ElementsAre(6, 6)) << "one lane";
    for (const std::vector<const char*>& more : std::vector<std::vector<const char*>>{
             {"psl"}, {"psl", "slvl"}, {"psl", "opensm-sl2vl.dump"}, {"psl", "slvl", "opensm-sl2vl.dump"}}) {
        std::vector<std::string> files = tables;
        for (const char* file : more) files.push_back(place + file);
        const checked one = check_files(files);
        EXPECT_EQ(one.result.unicast_dependencies, 76U);
        EXPECT_THAT(one.result.unicast.components, IsEmpty());
        EXPECT_TRUE(one.result.good());
    }
}

TEST(fabric_check, a_second_lid_of_each_port_brings_circles) {
    const checked one = check_files({"parallel.lmc1"});
    EXPECT_EQ(one.of.lmc, 1U);
    EXPECT_EQ(one.result.pairs, 420U);
    EXPECT_THAT(one.result.cables, ElementsAre(Pair(2, 60), Pair(3, 252), Pair(4, 108)));
    EXPECT_EQ(one.result.unicast_dependencies, 223U);
    EXPECT_THAT(one.result.unicast.components, ElementsAre(4, 8));
    EXPECT_EQ(one.cycle(one.result.unicast.shortest), "p0:10 > p2:6 > p3:7 > p4:8");
    EXPECT_THAT(one.result.ways, ElementsAre(Pair(1, 66), Pair(2, 144)));
    const std::vector<std::string> tables{"parallel.lmc1/opensm-subnet.lst", "parallel.lmc1/opensm.fdbs"};
    EXPECT_THAT(check_files(tables).result.unicast.components, IsEmpty()) << "LMC 0";
    join_options lmc1;
    lmc1.lmc = 1;
    EXPECT_EQ(check_files(tables, lmc1).result.unicast_dependencies, 223U);
}

TEST(fabric_check, kinds_of_files_tell_the_same) {
    const std::string place = "ring6.minhop/";
    for (const char* tables : {"opensm.fdbs", "opensm-lfts.dump", "dump_lfts.txt"}) {
        const checked one = check_files({place + "opensm-subnet.lst", place + tables});
        EXPECT_EQ(one.result.unicast_dependencies, 36U) << tables;
    }
    for (const char* tables : {"opensm.mcfdbs", "dump_mfts.txt"})
        for (const char* topology : {"opensm-subnet.lst", "net.ibnetdiscover"}) {
            const std::string other = "irr8s3.updn.mcast/";
            const checked one = check_files({other + topology, other + "opensm.fdbs", other + tables});
            EXPECT_EQ(one.result.added, 4U) << tables << " " << topology;
        }
}

TEST(fabric_check, the_ring_as_it_is) {
    const check_result result = ring().check();
    EXPECT_EQ(result.pairs, 12U);
    EXPECT_THAT(result.cables, ElementsAre(Pair(3, 4), Pair(4, 4), Pair(5, 4)));
    EXPECT_EQ(result.longer, 4U) << "three switches on when one back would do";
    EXPECT_THAT(result.unicast.components, ElementsAre(4));
    EXPECT_EQ(result.channels, 12U);
    EXPECT_EQ(result.lost.size(), 0U);
}

TEST(fabric_check, all_has_switches_as_sources_and_destinations) {
    ring one;
    one.options.all = true;
    const check_result result = one.check();
    EXPECT_EQ(result.pairs, 12U + 2 * 16U + 12U);
    EXPECT_EQ(result.reached, result.pairs);
    EXPECT_THAT(result.cables, ElementsAre(Pair(1, 12), Pair(2, 12), Pair(3, 16), Pair(4, 12), Pair(5, 4)));
}

/// Each: what is exchanged in the fdbs, and the first lost pair.
struct loss {
    const char* what;
    const char* by;
    const char* reason;
    const char* at;
    const char* place;
    std::uint64_t lost;
};

TEST(fabric_check, lost_pairs_have_a_reason_and_a_place) {
    // Rows of switch 1 (line 11 on), to host 3, LID 8: from hosts 0 and 1; host 2 is behind it.
    for (const loss& one :
         {loss{"0x0008 : 003  : 03   : yes", "0x0008 : UNREACHABLE", "no entry", "ring1", "fdbs:20:10: ", 2},
          loss{"0x0008 : 003  : 03   : yes", "0x0008 : 004  : 03   : yes", "an entry to an uncabled port", "ring1",
               "fdbs:20:10: ", 2},
          loss{"0x0008 : 003  : 03   : yes", "0x0008 : 000  : 03   : yes",
               "an entry to port 0 of a switch that does not own the LID", "ring1", "fdbs:20:10: ", 2},
          loss{"0x0008 : 003  : 03   : yes", "0x0008 : 001  : 03   : yes", "ends at another host", "ring1:1",
               "fdbs:20:10: ", 2},
          loss{"0x0008 : 003  : 03   : yes", "0x0008 : 002  : 03   : yes", "back to the port of arrival", "ring1:2",
               "fdbs:20:10: ", 2}}) {
        ring changed;
        exchange(changed.fdbs, one.what, one.by);
        const check_result result = changed.check();
        EXPECT_EQ(result.pairs - result.reached, one.lost) << one.reason;
        ASSERT_FALSE(result.lost.empty()) << one.reason;
        EXPECT_EQ(result.lost.front().source, "node0");
        EXPECT_EQ(result.lost.front().dlid, 8U);
        EXPECT_EQ(result.lost.front().reason, one.reason);
        EXPECT_EQ(result.lost.front().at, one.at);
        EXPECT_THAT(changed.problems(),
                    HasSubstr(std::string(one.place) + "LID 8 is not reached from switch 'ring0': " + one.reason));
    }
}

TEST(fabric_check, a_way_that_goes_round) {
    ring changed;
    // At switch 3 the entry of its own host goes up.
    const std::size_t last = changed.fdbs.rfind("0x0008 : 001  : 01");
    ASSERT_NE(last, std::string::npos);
    changed.fdbs.replace(last, 18, "0x0008 : 003  : 01");
    const check_result result = changed.check();
    EXPECT_EQ(result.pairs - result.reached, 3U);
    EXPECT_EQ(result.lost.front().reason, "goes round");
    EXPECT_EQ(result.lost.front().at, "ring0:3") << "the lowest switch of the round";
    EXPECT_THAT(result.unicast.components, ElementsAre(4));
    // Each direction up has the LIDs of three hosts, and that from switch 3 the one that goes round besides, once.
    EXPECT_THAT(result.balance.histogram, ElementsAre(Pair(3, 3), Pair(4, 1)));
}

TEST(fabric_check, packets_back_to_their_own_host_are_dropped_and_wait_for_nothing) {
    ring lost, returned;
    exchange(lost.fdbs, "0x0008 : 003  : 03   : yes", "0x0008 : UNREACHABLE");
    exchange(returned.fdbs, "0x0008 : 003  : 03   : yes", "0x0008 : 001  : 03   : yes");
    const check_result result = returned.check();
    ASSERT_EQ(result.lost.size(), 2U);
    EXPECT_EQ(result.lost[0].reason, "ends at another host") << "from node0, to node1";
    EXPECT_EQ(result.lost[1].source, "node1");
    EXPECT_EQ(result.lost[1].reason, "back to the port of arrival");
    // What comes from node0 waits as packets for node1 do, and what node1 sends waits for nothing.
    EXPECT_EQ(result.unicast_dependencies, lost.check().unicast_dependencies);
}

TEST(fabric_check, a_switch_without_a_table) {
    ring changed;
    changed.fdbs.resize(changed.fdbs.find("dump_ucast_routes: Switch 0x0000000000000203"));
    EXPECT_THAT(changed.problems(), HasSubstr("list:"));
    EXPECT_THAT(changed.problems(), HasSubstr("switch 'ring3' has no unicast table"));
    EXPECT_THAT(changed.problems(), HasSubstr("the switch has no table at ring3"));
}

TEST(fabric_check, a_host_with_lid_0) {
    ring changed;
    while (changed.list.find("LID:0008") != std::string::npos) exchange(changed.list, "LID:0008", "LID:0000");
    EXPECT_THAT(changed.problems(), HasSubstr("list:13:1: host 'node3' has LID 0"));
    EXPECT_EQ(changed.check().pairs, 6U);
    EXPECT_THAT(changed.warnings(), HasSubstr("fdbs:10:10: nobody owns LID 8 (and 3 more like this)"));
}

TEST(fabric_check, warnings) {
    ring one;
    exchange(one.fdbs, "0x0008 : 003  : 03", "0x0008 : 003  : 09");
    exchange(one.fdbs, "0x0002 : 003  : 01   : yes", "0x0002 : UNREACHABLE");
    EXPECT_THAT(one.warnings(), HasSubstr("fdbs:20:10: the row says 9 hops, and the way has 3"));
    EXPECT_THAT(one.warnings(), HasSubstr("switch 'ring0' has no entry for LID 2 of switch 'ring1'"));
    EXPECT_THAT(one.warnings(), HasSubstr("4 of 12 ways are longer than the shortest"));
}

/// Switch rows of a group of all four hosts, the tree 0 - 1 - 2 - 3.
const std::string chain =
    "Switch 0x0000000000000200\nLID    : Out Port(s)\n0xC000 : 0x001  0x003 \n\n"
    "Switch 0x0000000000000201\nLID    : Out Port(s)\n0xC000 : 0x001  0x002  0x003 \n\n"
    "Switch 0x0000000000000202\nLID    : Out Port(s)\n0xC000 : 0x001  0x002  0x003 \n\n"
    "Switch 0x0000000000000203\nLID    : Out Port(s)\n0xC000 : 0x001  0x002 \n";

TEST(fabric_check, a_group_that_reaches_all) {
    ring one;
    one.more = chain;
    const check_result result = one.check();
    ASSERT_EQ(result.groups.size(), 1U);
    EXPECT_EQ(result.groups[0].members, 4U);
    EXPECT_EQ(result.groups[0].missed + result.groups[0].duplicates, 0U);
    EXPECT_FALSE(result.groups[0].loop);
    EXPECT_EQ(result.added, 8U) << "downwards, and to the hosts that they lead to";
}

TEST(fabric_check, groups_with_faults) {
    ring half;
    half.more = chain;
    exchange(half.more, "0x001  0x002 \n", "0x001 \n");
    EXPECT_THAT(half.problems(), HasSubstr("more:11:1: group 0xc000 at switch 'ring2': the cable at port 3 is in the "
                                           "tree, and not at its other end, ring3:2"));
    EXPECT_THAT(half.problems(), HasSubstr("group 0xc000: 3 of 12 pairs of a sender and another member are missed"));
    ring open;
    open.more = chain;
    exchange(open.more, "0x001  0x003 \n", "0x001  0x003  0x004 \n");
    EXPECT_THAT(open.problems(),
                HasSubstr("more:3:1: group 0xc000 at switch 'ring0': port 4 is in the row and not cabled"));
    ring round;
    round.more = chain;
    exchange(round.more, "0x001  0x003 \n", "0x001  0x002  0x003 \n");
    exchange(round.more, "0x001  0x002 \n", "0x001  0x002  0x003 \n");
    EXPECT_THAT(round.problems(), HasSubstr("group 0xc000: a flood comes back to a port where it has been"));
    EXPECT_TRUE(round.check().groups[0].loop);
    EXPECT_GT(round.check().groups[0].duplicates, 0U);
}

TEST(fabric_check, members_of_the_dump_and_of_the_tables) {
    ring one;
    one.more = chain;
    const fabric tables = one.read();
    ring dumped;
    dumped.more =
        "MC Group 0xc000 : mgid=0xff:0x1 mlid=0xc000 sl_flow_hop=0x20000000\n\n"
        "mcm_port: port_gid=0xfe80000000000000:0x0000000000000101 scope_state=0x21 proxy_join=0x0\n"
        "mcm_port: port_gid=0xfe80000000000000:0x0000000000000103 scope_state=0x24 proxy_join=0x0\n";
    const fabric members = dumped.read();
    EXPECT_EQ(members.groups.at(0xc000).service_levels, 1U << 2);
    EXPECT_THAT(dumped.warnings(),
                HasSubstr("more:1:1: 'node0' is a member of group 0xc000, and the tables do not have it"));
    EXPECT_THAT(dumped.warnings(), testing::Not(HasSubstr("'node1'"))) << "it sends only";
}

std::string lane_rows(const std::string& switches, const std::string& hosts) {
    std::string text;
    for (unsigned s = 0; s < 4; ++s)
        for (unsigned in = 0; in < 4; ++in)
            for (unsigned out = 1; out < 4; ++out)
                text += formatted("0x%016x %u %u %s\n", 0x200 + s, in, out, switches.c_str());
    for (unsigned h = 0; h < 4; ++h) text += formatted("0x%016x 0 0 %s\n", 0x100 + 2 * h, hosts.c_str());
    return text;
}

const std::string identity = "0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef";

TEST(fabric_check, lanes_by_tables_of_switches) {
    ring one;
    one.more = lane_rows(identity, identity);
    EXPECT_THAT(one.check().unicast.components, ElementsAre(4));
    // From switch 3 up, SL 0 is VL 1, whatever the port of arrival: the circle goes over that lane.
    exchange(one.more, "0x0000000000000203 1 3 0x01", "0x0000000000000203 1 3 0x11");
    exchange(one.more, "0x0000000000000203 2 3 0x01", "0x0000000000000203 2 3 0x11");
    const checked both{one.read(), one.check()};
    EXPECT_EQ(both.result.reached, 12U);
    EXPECT_EQ(both.cycle(both.result.unicast.shortest), "ring0:3/vl0 > ring1:3/vl0 > ring2:3/vl0 > ring3:3/vl1");
    // Only what comes from the host there: what passes stays on VL 0.
    exchange(one.more, "0x0000000000000203 2 3 0x11", "0x0000000000000203 2 3 0x01");
    const checked own{one.read(), one.check()};
    EXPECT_EQ(own.cycle(own.result.unicast.shortest), "ring0:3/vl0 > ring1:3/vl0 > ring2:3/vl0 > ring3:3/vl0");
    EXPECT_EQ(own.result.unicast_dependencies, 14U) << "as before, and two more where VL 1 ends, at switch 0";
}

TEST(fabric_check, lanes_that_are_not_there) {
    ring fifteen;
    fifteen.more = lane_rows(identity, identity);
    exchange(fifteen.more, "0x0000000000000203 2 3 0x01", "0x0000000000000203 2 3 0xf1");
    EXPECT_EQ(fifteen.check().reached, 12U - 3U) << "ways that go on at switch 3";
    EXPECT_THAT(fifteen.problems(), HasSubstr("are lost at ring3:3: the table says VL 15"));
    ring above;
    above.more = lane_rows(identity, "0x31 0x23 0x45 0x67 0x89 0xab 0xcd 0xef");
    EXPECT_EQ(above.check().reached, 12U);
    above.options.vls = 3;
    EXPECT_EQ(above.check().reached, 0U);
    EXPECT_THAT(above.problems(), HasSubstr("are lost at node1: the table says a VL above the operational ones"));
    ring missing;
    missing.more = lane_rows(identity, identity);
    exchange(missing.more, "0x0000000000000203 2 3 " + identity + "\n", "");
    EXPECT_EQ(missing.check().reached, 9U);
    EXPECT_THAT(missing.problems(), HasSubstr("the switch has no SL2VL row for these ports"));
    ring adapter;
    adapter.more = lane_rows(identity, identity);
    exchange(adapter.more, "0x0000000000000104 0 0 " + identity + "\n", "");
    EXPECT_EQ(adapter.check().reached, 9U);
    EXPECT_THAT(adapter.problems(),
                HasSubstr("packets from 'node2' to LID 5 on SL 0 are lost at node2: the adapter has no SL2VL row"));
}

TEST(fabric_check, path_sls_without_sl2vl_are_lanes) {
    ring one;
    // Ways over the cable from switch 3 to switch 0 on SL 1, and the one from switch 1 on SL 2.
    for (unsigned s = 0; s < 4; ++s)
        for (unsigned d = 0; d < 4; ++d)
            if (s != d) one.more += formatted("0x%x %u %u\n", 0x100 + 2 * s, d + 5, d > s ? 0 : s == 1 ? 2 : 1);
    const check_result result = one.check();
    EXPECT_THAT(result.unicast.components, IsEmpty());
    one.options.vls = 1;
    EXPECT_EQ(one.check().reached, 6U);
}

TEST(fabric_check, a_path_sl_of_a_base_lid_holds_for_the_others) {
    fabric of = make_tables(topology::make_irregular({4, 6, 8, 0.8, 1, {}}), {table_engine::updn, 1, {}});
    of.has_path_sls = true;
    for (host_state& source : of.hosts)
        for (const host_state& target : of.hosts) source.path_sl.set(target.self.lid, 3);
    const auto lanes = check(of, {}).channels_by_vl;
    EXPECT_EQ(lanes.size(), 1U);
    EXPECT_TRUE(lanes.contains(3));
}

TEST(fabric_check, shortest_cycle_of_several) {
    // Two parts of a graph: three switches in a ring on VL 0 and two that send to each other over two cables.
    topology::graph network;
    network.first_port = 1;
    for (int s = 0; s < 5; ++s) network.add_switch("s" + std::to_string(s), 4, static_cast<std::uint64_t>(s + 1));
    for (unsigned s = 0; s < 3; ++s) network.connect(s, 1, (s + 1) % 3, 0);
    network.connect(3, 0, 4, 0);
    network.connect(3, 1, 4, 1);
    dependencies edges(network);
    for (unsigned s = 0; s < 3; ++s) edges.add(s, 1, 0, 1, 0);
    EXPECT_THAT(edges.find_cycles().components, ElementsAre(3));
    // s3:1 -> s4:2 -> s3:1
    edges.add(4, 1, 0, 1, 0);
    edges.add(3, 2, 0, 0, 0);
    const dependencies::cycles found = edges.find_cycles();
    EXPECT_THAT(found.components, ElementsAre(2, 3));
    EXPECT_THAT(found.shortest, ElementsAre(channel{3, 0, 0}, channel{4, 1, 0}));
    EXPECT_EQ(edges.size(), 5U);
}

}  // namespace
}  // namespace polycast::hw::subnet
