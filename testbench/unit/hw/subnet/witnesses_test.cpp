// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/witnesses.h"

#include <gmock/gmock.h>

#include "hw/subnet/fabric_files.h"
#include "testbench/unit/hw/subnet/small_fabric.h"

namespace polycast::hw::subnet {
namespace {

using testbench::unit::exchange;
using testbench::unit::formatted;
using testbench::unit::ring;
using testing::ElementsAre;

const std::string data = std::string(POLYCAST_DATA_DIR) + "/fabric/";

struct searched {
    fabric of;
    std::vector<dependencies::component_cycle> cycles;

    explicit searched(fabric read) : of(std::move(read)) {
        dependencies unicast(of.network), all(of.network);
        check(of, {}, unicast, all);
        cycles = all.cycles_of_components();
    }
    explicit searched(const std::string& name) : searched(read_fabric({data + name}, {})) {}

    std::vector<edge_witnesses> edges(std::size_t cycle = 0, sent_lids lids = sent_lids::all) const {
        return find_witnesses(of, cycles.at(cycle).shortest, {}, lids);
    }
    std::string text(const witness& one) const {
        return of.network.hosts[one.source].name + " " +
               (one.target ? of.network.hosts[*one.target].name : std::to_string(one.dlid)) + " front " +
               std::to_string(one.front) + " along " + std::to_string(one.along);
    }
    std::vector<std::string> texts(const chosen_witnesses& chosen) const {
        std::vector<std::string> made;
        for (const witness& one : chosen.of) made.push_back(text(one));
        return made;
    }
    std::vector<std::string> channels(const witness& one) const {
        std::vector<std::string> made;
        for (const channel& taken : channels_of(of, one, {})) made.push_back(channel_text(of, taken, false));
        return made;
    }
};

std::vector<std::uint64_t> counts(const std::vector<edge_witnesses>& edges) {
    std::vector<std::uint64_t> found;
    for (const edge_witnesses& one : edges) found.push_back(one.count);
    return found;
}

TEST(fabric_witnesses, each_source_at_the_switch_where_its_channel_begins) {
    const searched irregular("irr8s1.minhop");
    ASSERT_EQ(irregular.cycles.size(), 1U);
    EXPECT_EQ(irregular.cycles[0].size, 7U);
    const chosen_witnesses chosen = choose_nearest(irregular.edges());
    EXPECT_TRUE(chosen.complete());
    EXPECT_EQ(chosen.front, 0U);
    EXPECT_THAT(irregular.texts(chosen),
                ElementsAre("node014 node029 front 0 along 3", "node005 node011 front 0 along 2",
                            "node008 node001 front 0 along 2", "node011 node025 front 0 along 3",
                            "node001 node007 front 0 along 2", "node021 node006 front 0 along 2"));
}

TEST(fabric_witnesses, of_a_dependency_that_only_a_group_has) {
    const searched irregular("irr8s3.updn.mcast");
    ASSERT_EQ(irregular.cycles.size(), 2U);
    const std::vector<edge_witnesses> edges = irregular.edges();
    EXPECT_THAT(counts(edges), ElementsAre(102, 66, 20, 8, 2, 18));
    ASSERT_EQ(edges[4].nearest.size(), 2U);
    EXPECT_EQ(irregular.text(edges[4].nearest[0]), "node000 49153 front 1 along 3");
    EXPECT_EQ(irregular.text(edges[4].nearest[1]), "node014 49153 front 1 along 3");
    const chosen_witnesses chosen = choose_nearest(edges);
    EXPECT_TRUE(chosen.complete());
    EXPECT_EQ(chosen.front, 1U);
    EXPECT_EQ(chosen.of[4], edges[4].nearest[0]);
    // The one in front, then three of the cycle.
    EXPECT_THAT(irregular.channels(chosen.of[4]), ElementsAre("switch3:2", "switch7:3", "switch1:7", "switch0:1"));
}

TEST(fabric_witnesses, lids_that_sources_send_to) {
    const searched parallel("parallel.lmc1");
    ASSERT_EQ(parallel.cycles.size(), 2U);
    EXPECT_EQ(parallel.cycles[0].shortest.size(), 4U);
    EXPECT_EQ(parallel.cycles[1].size, 8U);
    const std::vector<edge_witnesses> all = parallel.edges(), base = parallel.edges(0, sent_lids::base),
                                      spread = parallel.edges(0, sent_lids::spread);
    for (std::size_t edge = 0; edge < all.size(); ++edge) {
        EXPECT_LE(base[edge].count, all[edge].count);
        for (const witness& one : base[edge].nearest) EXPECT_EQ(one.dlid, parallel.of.hosts[*one.target].self.lid);
        for (const witness& one : spread[edge].nearest)
            EXPECT_EQ(one.dlid, parallel.of.hosts[*one.target].self.lid + (one.source + *one.target) % 2);
    }
    EXPECT_FALSE(choose_nearest(base).complete());
    EXPECT_TRUE(choose_nearest(spread).complete());
    EXPECT_EQ(choose_nearest(spread).front, 0U);
}

TEST(fabric_witnesses, ways_along_a_ring) {
    const searched four(ring().read());
    ASSERT_EQ(four.cycles.size(), 1U);
    const std::vector<edge_witnesses> edges = four.edges();
    // From switch i two and three channels of the circle; those that begin before are of another edge.
    EXPECT_THAT(counts(edges), ElementsAre(2, 2, 2, 2));
    EXPECT_THAT(four.texts(choose_nearest(edges)),
                ElementsAre("node0 node3 front 0 along 3", "node1 node0 front 0 along 3", "node2 node1 front 0 along 3",
                            "node3 node2 front 0 along 3"));
    EXPECT_THAT(four.channels(choose_nearest(edges).of[0]), ElementsAre("ring0:3", "ring1:3", "ring2:3"));
    EXPECT_EQ(four.texts(choose_farthest(edges)), four.texts(choose_nearest(edges)));
}

TEST(fabric_witnesses, lanes_of_their_service_level) {
    ring lanes;
    // node0 sends on SL 1 to node3, on SL 0 elsewhere; the others on SL 0.
    lanes.more = formatted("0x%016x %u 1\n", 0x100, 8);
    for (unsigned h = 0; h < 4; ++h)
        for (unsigned t = 0; t < 4; ++t)
            if (h != t && (h != 0 || t != 3)) lanes.more += formatted("0x%016x %u 0\n", 0x100 + 2 * h, t + 5);
    const searched four(lanes.read());
    const std::vector<edge_witnesses> edges = four.edges();
    EXPECT_THAT(counts(edges), ElementsAre(1, 2, 2, 2));
    EXPECT_EQ(four.text(edges[0].nearest[0]), "node0 node2 front 0 along 2");
    EXPECT_EQ(edges[1].nearest[0].sl, 0U);
}

TEST(fabric_witnesses, a_service_level_of_a_base_lid_holds_for_the_other_lids) {
    searched parallel("parallel.lmc1");
    const std::vector<std::uint64_t> on_lane_zero = counts(parallel.edges());
    parallel.of.has_path_sls = true;
    for (host_state& source : parallel.of.hosts)
        for (const host_state& target : parallel.of.hosts) source.path_sl.set(target.self.lid, 1);
    EXPECT_THAT(counts(parallel.edges()), ElementsAre(0, 0, 0, 0));
    for (channel& one : parallel.cycles[0].shortest) one.vl = 1;
    EXPECT_EQ(counts(parallel.edges()), on_lane_zero);
}

TEST(fabric_witnesses, ports_of_one_node_do_not_send_to_each_other) {
    searched four(ring().read());
    four.of.hosts[3].self.node_guid = four.of.hosts[0].self.node_guid;
    // Without node0 to node3, and node3 to node0, which takes one channel only.
    EXPECT_THAT(counts(four.edges()), ElementsAre(1, 2, 2, 2));
}

/// A ring of three switches without hosts, around which only the packets of one host go: `hub` sends to each of them,
/// and they send on to a switch of their own with a host that answers by other ways.
fabric one_host() {
    fabric made;
    topology::graph& network = made.network;
    network.first_port = 1;
    for (unsigned i = 0; i < 3; ++i) network.add_switch("ring" + std::to_string(i), 4, 0x10 + i);
    network.add_switch("hub", 7, 0x20);
    for (unsigned i = 0; i < 3; ++i) network.add_switch("end" + std::to_string(i), 3, 0x30 + i);
    for (unsigned i = 0; i < 3; ++i) {
        network.connect(i, 0, (i + 1) % 3, 1);  // round
        network.connect(3, i, i, 2);            // from the hub
        network.connect(i, 3, 4 + i, 0);        // to the end
        network.connect(4 + i, 1, 3, 3 + i);    // back to the hub
    }
    network.attach_host("sender", 3, 6, 0x40);
    for (unsigned i = 0; i < 3; ++i) network.attach_host("host" + std::to_string(i), 4 + i, 2, 0x50 + i);
    made.switches.resize(7);
    made.hosts.resize(4);
    for (unsigned h = 0; h < 4; ++h) {
        made.hosts[h].self.lid = 1 + h;
        made.hosts[h].self.node_guid = made.hosts[h].self.port_guid = network.hosts[h].guid;
    }
    // From ring i two channels further, to end i + 2; answers go by way of the hub.
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned lid = 2 + (i + 2) % 3;
        const auto row = [&](std::uint32_t chip, unsigned port) {
            made.switches[chip].fdbs.told = true;
            made.switches[chip].fdbs.ports.set(lid, static_cast<std::uint8_t>(port));
        };
        row(3, 1 + i);
        row(i, 1);
        row((i + 1) % 3, 1);
        row((i + 2) % 3, 4);
        row(4 + (i + 2) % 3, 3);
    }
    for (unsigned i = 0; i < 3; ++i) made.switches[4 + i].fdbs.ports.set(1, 2);
    made.switches[3].fdbs.ports.set(1, 7);
    return made;
}

TEST(fabric_witnesses, of_one_host_are_shared) {
    const searched one(one_host());
    ASSERT_EQ(one.cycles.size(), 1U);
    const chosen_witnesses chosen = choose_nearest(one.edges());
    EXPECT_FALSE(chosen.complete());
    EXPECT_THAT(one.texts(chosen), ElementsAre("sender host2 front 1 along 2", "sender host0 front 1 along 2",
                                               "sender host1 front 1 along 2"));
    EXPECT_THAT(chosen.shared, testing::UnorderedElementsAre(false, true, true));
}

TEST(fabric_witnesses, lost_packets_count_as_far_as_they_go) {
    ring lost;
    // node0's packets to node3 end at switch 2, behind two channels of the circle.
    const std::string row = formatted("0x%04X : %03u ", 8, 3);
    std::size_t at = lost.fdbs.find(formatted("Switch 0x%016x", 0x202));
    at = lost.fdbs.find(row, at);
    lost.fdbs.replace(at, row.size(), formatted("0x%04X : %03u ", 8, 4));
    const searched four(lost.read());
    ASSERT_EQ(four.cycles.size(), 1U);
    const std::vector<edge_witnesses> edges = four.edges();
    EXPECT_THAT(counts(edges), ElementsAre(2, 1, 2, 2));
}

}  // namespace
}  // namespace polycast::hw::subnet
