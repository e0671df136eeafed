// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/partial_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "testbench/unit/hw/collectives/example_network.h"

namespace polycast::hw::collectives {
namespace {

using routing::updown;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::vector<std::uint32_t>> switches_of(const std::vector<switch_chain>& chains) {
    std::vector<std::vector<std::uint32_t>> found;
    for (const switch_chain& one : chains) {
        found.emplace_back();
        for (const chain_switch& here : one) found.back().push_back(here.chip);
    }
    return found;
}

/// Is there a way from one switch to another by links of the graph that lead a level down?
bool lies_below(const updown& routes, std::uint32_t from, std::uint32_t to) {
    if (from == to) return true;
    for (const topology::port_end& end : routes.network().switches[from].ports)
        if (end.kind == topology::port_end::leads_to::chip && routes.level(end.index) > routes.level(from) &&
            lies_below(routes, end.index, to))
            return true;
    return false;
}

TEST(partial_order, example) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    const std::vector<switch_chain> chains = partially_ordered_chains(routes, example_source, example_destinations());
    EXPECT_THAT(switches_of(chains),
                ElementsAre(ElementsAre(5, 3, 9), ElementsAre(1, 7), ElementsAre(4, 8), ElementsAre(2)));
    EXPECT_THAT(chains[0][1].hosts, ElementsAre(6, 7));
}

TEST(partial_order, source_counts_as_a_participant) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    // Below 5 are 3 and, with the source, 10: of equal weights the lowest, and 10's chain holds only the source.
    const std::vector<std::uint32_t> three{10, 6};
    EXPECT_THAT(switches_of(partially_ordered_chains(routes, example_source, three)), ElementsAre(ElementsAre(5, 3)));
    // 21 is on the source's own switch, which thereby is heavier than 3.
    const std::vector<std::uint32_t> own{10, 6, 21};
    const std::vector<switch_chain> chains = partially_ordered_chains(routes, example_source, own);
    EXPECT_THAT(switches_of(chains), ElementsAre(ElementsAre(5, 10), ElementsAre(3)));
    EXPECT_THAT(chains[0][1].hosts, ElementsAre(20, 21));
    // In the middle of a chain the source stays, as the only participant of its switch.
    EXPECT_THAT(switches_of(partially_ordered_chains(routes, 6, std::vector<std::uint32_t>{10, 18})),
                ElementsAre(ElementsAre(5, 3, 9)));
}

TEST(partial_order, switches_without_participants_join_their_parents_to_their_children) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    // 6 has a participant; 5, 3 and 1 have none.
    EXPECT_THAT(switches_of(partially_ordered_chains(routes, 12, std::vector<std::uint32_t>{18, 19, 14})),
                ElementsAre(ElementsAre(6, 9), ElementsAre(7)));
}

TEST(partial_order, cross_links_between_levels_count_and_links_on_a_level_do_not) {
    // 0 above 1 and 2, which are linked; 3 hangs on both.
    const topology::graph network = topology::make_linked(4, 1, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}});
    const updown routes(network);
    // 1 and 2 weigh 2 each, although 3 is counted once in 0's weight: 1 takes it.
    EXPECT_THAT(switches_of(partially_ordered_chains(routes, 0, std::vector<std::uint32_t>{1, 2, 3})),
                ElementsAre(ElementsAre(0, 1, 3), ElementsAre(2)));
    EXPECT_THAT(switches_of(partially_ordered_chains(routes, 1, std::vector<std::uint32_t>{2, 3})),
                ElementsAre(ElementsAre(1, 3), ElementsAre(2)));
    EXPECT_THAT(switches_of(partially_ordered_chains(routes, 0, std::vector<std::uint32_t>{2, 3})),
                ElementsAre(ElementsAre(0, 2, 3)));
}

TEST(partial_order, descendants_count_once_and_weights_stay) {
    // 3 is below 1 and 2, both below 0; 4 with three hosts below 2 alone would be lighter were 3 counted twice.
    topology::graph network;
    for (const char* name : {"0", "1", "2", "3", "4"}) network.add_switch(name, 8);
    unsigned number = 0;
    const auto attach = [&](std::uint32_t chip, unsigned count) {
        for (unsigned host = 0; host < count; ++host)
            network.attach_host("h" + std::to_string(number++), chip, 7 - host);
    };
    attach(0, 1);  // 0
    attach(1, 1);  // 1
    attach(2, 1);  // 2
    attach(3, 2);  // 3 on port 7, 4 on port 6
    attach(4, 1);  // 5
    network.connect(0, 0, 1, 0);
    network.connect(0, 1, 2, 0);
    network.connect(1, 1, 3, 0);
    network.connect(2, 1, 3, 1);
    network.connect(0, 2, 4, 0);
    const updown routes(network);
    const std::vector<switch_chain> chains =
        partially_ordered_chains(routes, 0, std::vector<std::uint32_t>{1, 2, 3, 4, 5});
    // Once 3 is gone with 1, 2 still weighs 3 and comes before 4.
    EXPECT_THAT(switches_of(chains), ElementsAre(ElementsAre(0, 1, 3), ElementsAre(2), ElementsAre(4)));
    EXPECT_THAT(chains[0][2].hosts, ElementsAre(4, 3)) << "by port";
}

TEST(partial_order, every_multicast_of_small_networks) {
    std::size_t longest = 0;
    for_all_multicasts([&](const updown& routes, std::uint32_t source, const std::vector<std::uint32_t>& destinations) {
        std::multiset<std::uint32_t> hosts;
        std::set<std::uint32_t> chips;
        for (const switch_chain& one : partially_ordered_chains(routes, source, destinations)) {
            ASSERT_THAT(one, testing::Not(IsEmpty()));
            longest = std::max(longest, one.size());
            for (std::size_t place = 0; place < one.size(); ++place) {
                ASSERT_TRUE(chips.insert(one[place].chip).second);
                hosts.insert(one[place].hosts.begin(), one[place].hosts.end());
                for (const std::uint32_t host : one[place].hosts)
                    ASSERT_EQ(routes.network().hosts[host].chip, one[place].chip);
                if (place != 0) {
                    ASSERT_TRUE(lies_below(routes, one[place - 1].chip, one[place].chip));
                }
            }
        }
        hosts.insert(source);
        std::multiset<std::uint32_t> wanted(destinations.begin(), destinations.end());
        wanted.insert(source);
        if (hosts.count(source) == 2) wanted.insert(source);
        ASSERT_EQ(hosts, wanted);
    });
    EXPECT_GE(longest, 3u);
}

}  // namespace
}  // namespace polycast::hw::collectives
