// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/folded_clos.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;

/// Links from a switch to the farthest one with a host.
unsigned farthest_host(const graph& network, std::uint32_t from) {
    std::vector<unsigned> found(network.switches.size(), ~0u);
    std::vector<std::uint32_t> queue{from};
    found[from] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const port_end& end : network.switches[queue[next]].ports) {
            if (end.kind != port_end::leads_to::chip || found[end.index] != ~0u) continue;
            found[end.index] = found[queue[next]] + 1;
            queue.push_back(end.index);
        }
    unsigned most = 0;
    for (const host_node& one : network.hosts) most = std::max(most, found[one.chip]);
    return most;
}

TEST(folded_clos, has_the_known_sizes) {
    const graph small = make_folded_clos({36, 2}), large = make_folded_clos({36, 3});
    EXPECT_EQ(small.hosts.size(), 648U);
    EXPECT_EQ(small.switches.size(), 54U);
    EXPECT_EQ(large.hosts.size(), 11664U);
    EXPECT_EQ(large.switches.size(), 1620U);
    EXPECT_EQ(large.links().size(), 2U * 11664);
}

TEST(folded_clos, every_port_is_cabled_and_paths_are_short) {
    for (const folded_clos_params& params : std::vector<folded_clos_params>{{8, 1}, {4, 2}, {4, 4}, {8, 3}, {6, 3}}) {
        const graph network = make_folded_clos(params);
        EXPECT_FALSE(find_problem(network));
        for (const switch_node& one : network.switches)
            for (const port_end& end : one.ports) EXPECT_NE(end.kind, port_end::leads_to::nowhere);
        EXPECT_EQ(farthest_host(network, 0), 2 * (params.levels - 1));
        // The top is as far from every host.
        EXPECT_EQ(farthest_host(network, static_cast<std::uint32_t>(network.switches.size() - 1)), params.levels - 1);
    }
}

TEST(folded_clos, sizes_that_are_refused) {
    EXPECT_THAT(refusal([] { make_folded_clos({7, 2}); }), HasSubstr("an even number of ports, 4 to 64, not 7"));
    EXPECT_THAT(refusal([] { make_folded_clos({2, 2}); }), HasSubstr("not 2"));
    EXPECT_THAT(refusal([] { make_folded_clos({66, 2}); }), HasSubstr("not 66"));
    EXPECT_THAT(refusal([] { make_folded_clos({36, 0}); }), HasSubstr("one level or more"));
    EXPECT_THAT(refusal([] { make_folded_clos({36, 4}); }), HasSubstr("more than 65536 hosts or switches"));
    EXPECT_THAT(refusal([] { make_folded_clos({36, 4000000}); }), HasSubstr("take fewer levels"));
}

}  // namespace
}  // namespace polycast::hw::topology
