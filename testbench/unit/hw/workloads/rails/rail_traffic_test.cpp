// SPDX-License-Identifier: Apache-2.0
// Traffic that is not the paper's: other lengths, destinations, all at once.
#include "hw/workloads/rails/rail_traffic.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "hw/input_error.h"

namespace polycast::hw::rails {
namespace {

using testing::SizeIs;

std::vector<rail_message> messages_of(rail_traffic& traffic, process_id from, std::size_t most = 1u << 20) {
    std::vector<rail_message> all;
    while (all.size() < most) {
        const std::optional<rail_message> next = traffic.next(from);
        if (!next) break;
        all.push_back(*next);
    }
    return all;
}

TEST(rail_traffic, fixed_lengths_are_all_alike) {
    rail_traffic traffic({.nodes = 4, .processes = 1, .bytes = 77, .fixed = true, .gap = 10, .end = 1000});
    for (const rail_message& each : messages_of(traffic, {0, 0})) EXPECT_EQ(each.bytes, 77u);
}

TEST(rail_traffic, at_once_is_so_many_at_the_start) {
    rail_traffic traffic({.nodes = 4, .processes = 1, .at_once = 9, .start = 5});
    const std::vector<rail_message> all = messages_of(traffic, {0, 0});
    EXPECT_THAT(all, SizeIs(9));
    for (const rail_message& each : all) EXPECT_EQ(each.created, 5u);
}

TEST(rail_traffic, each_to_each_reaches_every_other_process_once) {
    rail_traffic traffic({.nodes = 4, .processes = 3, .pattern = {"each_to_each"}});
    std::set<process_id> first;
    for (std::uint32_t host = 0; host < 4; ++host)
        for (unsigned process = 0; process < 3; ++process) {
            const std::vector<rail_message> all = messages_of(traffic, {host, process});
            EXPECT_THAT(all, SizeIs(9));
            std::set<process_id> to;
            for (const rail_message& each : all) {
                EXPECT_NE(each.to.host, host);
                EXPECT_LT(each.to.host, 4u);
                EXPECT_LT(each.to.process, 3u);
                to.insert(each.to);
            }
            EXPECT_THAT(to, SizeIs(9));
            first.insert(all.front().to);
        }
    EXPECT_GE(first.size(), 9u) << "not all to the same one first";
}

TEST(rail_traffic, a_fraction_goes_to_the_hotspots) {
    rail_traffic_params params{.nodes = 8, .processes = 2, .gap = 10, .end = 100'000};
    params.pattern.name = "hotspot";
    params.pattern.hosts = {2, 5};
    params.pattern.numbers["fraction"] = 0.5;
    rail_traffic traffic(params);
    std::map<std::uint32_t, int> hosts;
    const std::vector<rail_message> all = messages_of(traffic, {0, 1});
    for (const rail_message& each : all) ++hosts[each.to.host];
    // A quarter each, and a seventh of the other half.
    const auto count = static_cast<double>(all.size());
    for (const std::uint32_t hot : {2u, 5u}) EXPECT_NEAR(hosts[hot], count * (0.25 + 0.5 / 7), 300) << hot;
    EXPECT_NEAR(hosts[1], count * 0.5 / 7, 200);
    const std::vector<rail_message> own = messages_of(traffic, {5, 0});
    for (const rail_message& each : own) EXPECT_NE(each.to.host, 5u);
}

/// As in workload_test.cpp: 16 sources with 400 messages each.
TEST(rail_traffic, bursts_come_at_the_same_rate) {
    rail_traffic traffic({.nodes = 8, .processes = 2, .gap = 50, .pattern = {"bursty"}, .end = 20'001});
    double count = 0;
    for (std::uint32_t source = 0; source < 16; ++source)
        count += static_cast<double>(messages_of(traffic, {source / 2, source % 2}).size());
    EXPECT_NEAR(count, 6400, 5 * std::sqrt(6400 * 15 * 0.5625));
}

TEST(rail_traffic, coordinates_move_hosts_and_keep_processes) {
    rail_traffic traffic(
        {.nodes = 16, .processes = 3, .pattern = {.name = "transpose", .dimensions = 2, .radix = 4}, .at_once = 2});
    for (const rail_message& each : messages_of(traffic, {6, 2})) EXPECT_EQ(each.to, (process_id{9, 2}));
    EXPECT_THAT(messages_of(traffic, {5, 1}), SizeIs(0)) << "on the diagonal";
}

TEST(rail_traffic, hotspots_are_somewhere) {
    EXPECT_THROW(rail_traffic({.pattern = {"hotspot"}}), input_error);
}

}  // namespace
}  // namespace polycast::hw::rails
