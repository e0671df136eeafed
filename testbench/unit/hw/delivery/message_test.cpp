// SPDX-License-Identifier: Apache-2.0
#include "hw/delivery/message.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "hw/topology/graph.h"

namespace polycast::hw::traffic {
namespace {

std::vector<std::uint32_t> chain_of(std::uint32_t hosts) {
    std::vector<std::uint32_t> chain(hosts);
    std::iota(chain.begin(), chain.end(), 0);
    return chain;
}

TEST(message, hops_are_those_of_the_longest_chain) {
    const std::vector<std::uint32_t> chain = chain_of(8);
    EXPECT_EQ(hops_of(collectives::tree_plan(chain[0], std::span(chain).subspan(1))), 1u);
    EXPECT_EQ(hops_of(collectives::forwarding_plan(chain, 1)), 7u);
    EXPECT_EQ(hops_of(collectives::forwarding_plan(chain, 3)), 3u) << "a binomial tree";
}

TEST(message, hops_of_a_chain_of_all_hosts_fit) {
    EXPECT_EQ(hops_of(collectives::forwarding_plan(chain_of(topology::max_hosts), 1)), topology::max_hosts - 1);
}

}  // namespace
}  // namespace polycast::hw::traffic
