// SPDX-License-Identifier: Apache-2.0
#include "hw/system/worm_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/collectives/example_network.h"

namespace polycast::hw::system {
namespace {

using collectives::transmission;
using format::packet_kind;
using testing::ElementsAre;

system_plan example_plan(const system_params& base = {}) {
    system_params params = base;
    params.routing = collectives::example_root();
    return make_plan(collectives::example_network(), params);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> switches_of(const system_plan& plan,
                                                                 const std::vector<topology::link::end>& links) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const topology::link::end& one : links)
        found.emplace_back(one.chip, plan.network.switches[one.chip].ports[one.port].index);
    return found;
}

TEST(worm_route, of_each_kind) {
    const system_plan plan = example_plan();
    const transmission unicast{packet_kind::unicast, {14}, {}};
    EXPECT_THAT(switches_passed(plan, 20, unicast), ElementsAre(5));  // 10 5 6 1 7
    EXPECT_THAT(switches_of(plan, links_taken(plan, 20, unicast)),
                ElementsAre(std::pair{1, 7}, std::pair{5, 6}, std::pair{6, 1}, std::pair{10, 5}));
    const transmission own{packet_kind::unicast, {21}, {}};
    EXPECT_THAT(switches_passed(plan, 20, own), ElementsAre(1));
    EXPECT_TRUE(links_taken(plan, 20, own).empty());
    const transmission ssr{packet_kind::ssr, {18, 19}, {{9, 3}}};
    EXPECT_THAT(switches_passed(plan, 20, ssr), ElementsAre(4, 4));  // 10 5 3 9
    const transmission path{packet_kind::path, {10, 11, 6, 18, 19}, {{5, 3}, {3, 1}, {9, 3}}};
    EXPECT_THAT(switches_passed(plan, 20, path), ElementsAre(2, 2, 3, 4, 4));
    EXPECT_THAT(switches_of(plan, links_taken(plan, 20, path)),
                ElementsAre(std::pair{3, 9}, std::pair{5, 3}, std::pair{10, 5}));
    // Up to the root, as 5 does not reach 2; down again by 5.
    const transmission tree{packet_kind::tree, {18, 4}, {}};
    EXPECT_THAT(switches_passed(plan, 20, tree), ElementsAre(6, 4));  // 10 5 6 5 3 9; 10 5 6 2
    EXPECT_THAT(switches_of(plan, links_taken(plan, 20, tree)),
                ElementsAre(std::pair{3, 9}, std::pair{5, 6}, std::pair{5, 3}, std::pair{6, 2}, std::pair{6, 5},
                            std::pair{10, 5}));
    const transmission below{packet_kind::tree, {20, 18}, {}};
    EXPECT_THAT(switches_passed(plan, 10, below), ElementsAre(2, 3)) << "5 reaches both: no way up";
}

TEST(worm_route, sizes_of_packets) {
    const transmission path{packet_kind::path, {10, 6}, {{5, 1}, {3, 1}}};
    const transmission tree{packet_kind::tree, {10, 6}, {}};
    const system_plan plan = example_plan();
    EXPECT_EQ(header_flits_of(plan, path), 10 + 2 + 2 * 3);
    EXPECT_EQ(header_flits_of(plan, tree), 10 + 3);
    EXPECT_EQ(flits_of(plan, path, 100), 18 + 24 + 100 + 4);
    system_params free;
    free.header_free = true;
    free.flit_bytes = 8;
    EXPECT_EQ(header_flits_of(example_plan(free), path), 1);
    EXPECT_EQ(flits_of(example_plan(free), path, 100), 13);
    system_params jobs;
    jobs.host.interface.jobs = true;
    EXPECT_EQ(flits_of(example_plan(jobs), path, 100), 18 + 24 + 4 + 100 + 4);
    free.host.interface.jobs = true;
    EXPECT_EQ(flits_of(example_plan(free), path, 101), 14) << "13 without";
}

}  // namespace
}  // namespace polycast::hw::system
