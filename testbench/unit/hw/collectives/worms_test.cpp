// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/worms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/collectives/example_network.h"

namespace polycast::hw::collectives {
namespace {

using format::packet_kind;
using format::stop;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::vector<stop>> stops_of(const std::vector<transmission>& worms) {
    std::vector<std::vector<stop>> found;
    for (const transmission& worm : worms) found.push_back(worm.stops);
    return found;
}

/// Worms to hosts of their own on switches of their own, the sizes given.
struct made_worms {
    topology::graph network;
    std::vector<transmission> worms;
};

made_worms make_worms(const std::vector<unsigned>& sizes) {
    made_worms made;
    made.network.add_switch("s", 8);
    made.network.attach_host("source", 0, 0);
    for (const unsigned size : sizes) {
        const std::uint32_t chip = made.network.add_switch("s", 8);
        transmission& worm = made.worms.emplace_back(transmission{packet_kind::ssr, {}, {{chip, 0}}});
        for (unsigned port = 0; port < size; ++port) {
            worm.hosts.push_back(made.network.attach_host("h", chip, port));
            worm.stops[0].ports |= std::uint64_t{1} << port;
        }
    }
    return made;
}

TEST(worms, of_chains) {
    const topology::graph network = topology::make_linked(4, 3, {{0, 1}, {1, 2}, {2, 3}});
    // The source is host 3; on switch 1 nobody else takes part.
    const std::vector<switch_chain> chains{{{0, {1, 2}}, {1, {3}}, {2, {8, 6}}}, {{3, {10}}}};
    const std::vector<transmission> path = path_worms(network, chains, 3, 8);
    EXPECT_THAT(stops_of(path), ElementsAre(ElementsAre(stop{0, 6}, stop{2, 5}), ElementsAre(stop{3, 2})));
    EXPECT_EQ(path[0].kind, packet_kind::path);
    EXPECT_THAT(path[0].hosts, ElementsAre(1, 2, 8, 6)) << "as the chain has them";
    const std::vector<transmission> ssr = ssr_worms(network, chains, 3);
    EXPECT_THAT(stops_of(ssr), ElementsAre(ElementsAre(stop{0, 6}), ElementsAre(stop{2, 5}), ElementsAre(stop{3, 2})));
    EXPECT_EQ(ssr[0].kind, packet_kind::ssr);
    EXPECT_THAT(ssr[1].hosts, ElementsAre(8, 6));
}

TEST(worms, long_chains_are_cut) {
    const topology::graph network = topology::make_linked(6, 1, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
    const std::vector<switch_chain> chains{{{0, {0}}, {1, {1}}, {2, {2}}, {3, {3}}, {4, {4}}}, {{5, {5}}}};
    const auto sizes = [&](unsigned most) {
        std::vector<std::size_t> found;
        for (const transmission& worm : path_worms(network, chains, 1, most)) found.push_back(worm.stops.size());
        return found;
    };
    EXPECT_THAT(sizes(8), ElementsAre(4, 1));
    EXPECT_THAT(sizes(4), ElementsAre(4, 1));
    EXPECT_THAT(sizes(3), ElementsAre(3, 1, 1));
    EXPECT_THAT(sizes(2), ElementsAre(2, 2, 1)) << "the source's switch, 1, is no stop";
    EXPECT_THAT(sizes(1), ElementsAre(1, 1, 1, 1, 1));
}

TEST(schedule, largest_first_and_every_host_sends) {
    const made_worms made = make_worms({1, 3, 1, 2, 1, 1, 1, 1});
    const multicast_plan plan = schedule(made.network, 0, made.worms, phasing::greedy);
    EXPECT_EQ(plan.steps, 3u);
    // Hosts: the first worm reaches 1; the second 2, 3, 4; the third 5; the fourth 6, 7; the others 8, 9, 10, 11.
    std::vector<std::uint32_t> order;
    for (const participant& one : plan.participants) order.push_back(one.host);
    EXPECT_THAT(order, ElementsAre(0, 2, 3, 4, 6, 7, 1, 5, 8, 9, 10, 11));
    const auto sent = [&](std::size_t who) {
        std::vector<std::pair<unsigned, std::uint32_t>> found;
        for (const transmission& worm : plan.participants[who].sends) found.emplace_back(worm.step, worm.hosts.front());
        return found;
    };
    EXPECT_THAT(sent(0), ElementsAre(std::pair{1u, 2u}, std::pair{2u, 6u}, std::pair{3u, 9u}));
    EXPECT_THAT(sent(1), ElementsAre(std::pair{2u, 1u}, std::pair{3u, 10u}));
    EXPECT_THAT(sent(2), ElementsAre(std::pair{2u, 5u}, std::pair{3u, 11u}));
    EXPECT_THAT(sent(3), ElementsAre(std::pair{2u, 8u})) << "all in the order in which they were covered";
    EXPECT_THAT(sent(4), IsEmpty());
}

TEST(schedule, less_greedy_has_one_sender_on_each_switch) {
    const made_worms made = make_worms({3, 2, 1, 1, 1, 1});
    const multicast_plan plan = schedule(made.network, 0, made.worms, phasing::less_greedy);
    EXPECT_EQ(plan.steps, 3u);
    std::vector<std::uint32_t> senders;
    for (const participant& one : plan.participants)
        if (!one.sends.empty()) senders.push_back(one.host);
    EXPECT_THAT(senders, ElementsAre(0, 1, 4)) << "the first hosts of the first two worms";
}

TEST(schedule, less_greedy_lets_nobody_but_the_source_send_on_its_switch) {
    made_worms made = make_worms({1, 1, 1});
    made.network.attach_host("neighbour", 0, 1);
    made.network.attach_host("neighbour", 0, 2);
    made.worms.push_back({packet_kind::ssr, {4, 5}, {{0, 6}}});
    const multicast_plan plan = schedule(made.network, 0, made.worms, phasing::less_greedy);
    EXPECT_EQ(plan.participants[1].host, 4u) << "the largest worm goes to the source's switch";
    EXPECT_THAT(plan.participants[1].sends, IsEmpty());
    EXPECT_EQ(plan.steps, 3u);
    EXPECT_EQ(schedule(made.network, 0, made.worms, phasing::greedy).steps, 2u);
}

TEST(schedule, without_worms) {
    const multicast_plan plan = schedule(make_worms({1}).network, 0, {}, phasing::greedy);
    EXPECT_EQ(plan.steps, 0u);
    EXPECT_EQ(plan.participants.size(), 1u);
}

}  // namespace
}  // namespace polycast::hw::collectives
