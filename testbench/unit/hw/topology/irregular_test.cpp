// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/irregular.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;

/// FNV-1a over every cable.
std::uint64_t fingerprint(const graph& network) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3U; };
    for (const switch_node& node : network.switches)
        for (const port_end& end : node.ports) {
            add(static_cast<std::uint64_t>(end.kind));
            add(end.index);
            add(end.port);
        }
    return hash;
}

std::string refused(const irregular_params& params) {
    return refusal([&] { make_irregular(params); });
}

unsigned cabled_to_switches(const graph& network) {
    return static_cast<unsigned>(2 * network.links().size());
}

TEST(irregular, default_networks_never_change) {
    // Results of earlier runs and published figures refer to these ten networks.
    std::vector<std::uint64_t> found;
    for (std::uint64_t seed = 0; seed < 10; ++seed) found.push_back(fingerprint(make_irregular({.seed = seed})));
    EXPECT_THAT(found,
                testing::ElementsAre(0xa9e182e5a182ef5dU, 0xf5f21b565a7ba4feU, 0x85720a7a39249c88U, 0xa325c2b517de5199U,
                                     0x64fd0b95b43fd00bU, 0xb58b6c83e2757868U, 0x7f7ff7e5e5cf4cdaU, 0x2bcd45e50867503cU,
                                     0x8a1eeb40681edc0aU, 0x80afb35bc8370aadU));
}

TEST(irregular, network_of_seed_0) {
    const graph network = make_irregular({});
    std::string text;
    for (const link& one : network.links())
        text += network.port_text(one.a.chip, one.a.port) + "-" + network.port_text(one.b.chip, one.b.port) + " ";
    EXPECT_EQ(text,
              "switch0:0-switch4:4 switch0:1-switch6:2 switch1:1-switch3:5 switch1:3-switch3:6 switch1:6-switch2:4 "
              "switch2:0-switch4:2 switch2:6-switch3:1 switch2:7-switch4:1 switch3:0-switch5:7 switch3:2-switch5:4 "
              "switch3:7-switch6:1 switch6:7-switch7:7 ");
}

TEST(irregular, follows_the_parameters) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const graph network = make_irregular({.seed = seed});
        EXPECT_EQ(find_problem(network), std::nullopt);
        EXPECT_EQ(network.switches.size(), 8U);
        EXPECT_EQ(network.hosts.size(), 32U);
        EXPECT_EQ(cabled_to_switches(network), 24U);  // 0.8 * 32 = 25.6, rounded down to an even number
        for (std::size_t h = 1; h < 32; ++h) {
            const host_node &before = network.hosts[h - 1], &here = network.hosts[h];
            EXPECT_TRUE(before.chip < here.chip || (before.chip == here.chip && before.port < here.port));
        }
    }
    EXPECT_NE(make_irregular({.seed = 1}), make_irregular({.seed = 2}));
    EXPECT_EQ(cabled_to_switches(make_irregular({2, 16, 12, 0.7, 1})), 14U);  // 0.7 * 20 in binary is below 14
    EXPECT_EQ(cabled_to_switches(make_irregular({.connectivity = 1.0})), 32U);
}

TEST(irregular, covers_the_papers_sizes) {
    for (const irregular_params& params :
         {irregular_params{64, 8, 256}, irregular_params{16, 8, 64, 0.8}, irregular_params{2, 32, 32},
          irregular_params{16, 4, 32, 1.0, 5, host_placement::even}, irregular_params{1, 16, 16},
          irregular_params{2, 2, 2, 1.0}})
        EXPECT_EQ(find_problem(make_irregular(params)), std::nullopt) << params.switches;
}

TEST(irregular, spreads_hosts_evenly_on_request) {
    const graph network = make_irregular({1024, 8, 4099, 0.8, 1, host_placement::even});
    std::vector<unsigned> hosts(1024);
    for (const host_node& host : network.hosts) ++hosts[host.chip];
    EXPECT_EQ(std::count(hosts.begin(), hosts.end(), 5U), 3);
    EXPECT_EQ(std::count(hosts.begin(), hosts.end(), 4U), 1021);
}

TEST(irregular, refuses_the_impossible) {
    EXPECT_EQ(refused({.switches = 0}), "irregular network: switches = 0; it must be 1 to 65536");
    EXPECT_EQ(refused({.ports = 65}), "irregular network: ports = 65; it must be 2 to 64");
    EXPECT_EQ(refused({.hosts = 1}), "irregular network: hosts = 1; it must be 2 to 65536");
    EXPECT_EQ(refused({.hosts = 65}), "irregular network: 65 hosts do not fit on 64 ports");
    EXPECT_EQ(refused({.connectivity = 1.5}), "irregular network: connectivity = 1.500000; it must be 0 to 1");
    EXPECT_THAT(refused({.connectivity = std::numeric_limits<double>::quiet_NaN()}),
                testing::HasSubstr("connectivity"));
    EXPECT_EQ(refused({.hosts = 48}),
              "irregular network: 8 switches need 14 ports to be connected, but only 12 are cabled to "
              "switches; raise connectivity or ports, or lower hosts");
    EXPECT_THAT(refused({200, 6, 600, 0.7, 0}), testing::AllOf(testing::HasSubstr("none of 10000 draws was connected"),
                                                               testing::HasSubstr("host_placement: even")));
}

TEST(irregular, draws_are_unbiased_and_portable) {
    std::mt19937_64 generator(7);
    std::vector<unsigned> count(6);
    for (unsigned i = 0; i < 60000; ++i) ++count[draw_below(generator, 6)];
    for (const unsigned c : count) EXPECT_NEAR(c, 10000, 400);
    EXPECT_EQ(draw_below(generator, 1), 0U);
    // Two thirds of 2^64: a plain remainder would put half of all draws into the lower half of the lower half.
    const std::uint64_t bound = 0xAAAAAAAAAAAAAAAAU;
    unsigned low = 0;
    for (unsigned i = 0; i < 30000; ++i) low += draw_below(generator, bound) < bound / 2 ? 1 : 0;
    EXPECT_NEAR(low, 15000, 500);
}

}  // namespace
}  // namespace polycast::hw::topology
