// SPDX-License-Identifier: Apache-2.0
// The fabric does what a network of chips does: the same cycle of arrival for every packet.
#include "hw/fabric/router_fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "hw/input_error.h"
#include "testbench/benchmarks/fabric_workloads.h"
#include "testbench/equivalence/golden_router.h"
#include "testbench/unit/hw/fabric/chip_network.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::chips;
using namespace hw::fabric;
using hw::engine::cycle;

struct setting {
    std::string name;
    unsigned dimensions = 2;
    unsigned radix = 4;
    unsigned wrap = 0;
    unsigned vcs = 4;
    unsigned vc_flits = 8;
    unsigned longest = 5;
    unsigned reserve = 1;
    router_allocator allocator = router_allocator::separable;
    unsigned iterations = 1;
    vc_policy policy = vc_policy::any;
    unsigned route_delay = 1;
    unsigned xbar_stages = 0;
    unsigned link_delay = 1;
    unsigned host_ports = 1;
};

std::ostream& operator<<(std::ostream& stream, const setting& setting) {
    return stream << setting.name << ": dimensions " << setting.dimensions << ", radix " << setting.radix << ", wrap "
                  << setting.wrap << ", VCs " << setting.vcs << " of " << setting.vc_flits << ", longest "
                  << setting.longest << ", reserve " << setting.reserve << ", islip "
                  << (setting.allocator == router_allocator::islip) << " x " << setting.iterations << ", keep "
                  << (setting.policy == vc_policy::keep) << ", delays " << setting.route_delay << ' '
                  << setting.xbar_stages << ' ' << setting.link_delay << ", host ports " << setting.host_ports;
}

fabric_params params_of(const setting& setting) {
    fabric_params params;
    params.router.dimensions = setting.dimensions;
    params.router.ports = 2 * setting.dimensions + setting.host_ports;
    params.router.radix = setting.radix;
    params.router.vcs = setting.vcs;
    params.router.vc_flits = setting.vc_flits;
    params.router.xbar_stages = setting.xbar_stages;
    params.tables.wrap = setting.wrap;
    params.tables.route_delay = setting.route_delay;
    params.tables.allocator = setting.allocator;
    params.tables.iterations = setting.iterations;
    params.tables.reserve = setting.reserve;
    params.tables.policy = setting.policy;
    params.tables.vc_sets = dateline_sets(setting.vcs, setting.wrap);
    // The last class keeps to the last VC where there are no rings.
    if (setting.wrap == 0) params.tables.vc_sets[1] = {0, static_cast<vc_set>(1u << (setting.vcs - 1))};
    params.link_delay = setting.link_delay;
    return params;
}

/// Packets at random times, to random terminals: crowded and quiet stretches in turn.
std::vector<send_order> random_orders(const setting& setting, const fabric_params& params, unsigned seed,
                                      std::size_t packets) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
    std::vector<send_order> orders(packets);
    for (send_order& order : orders) {
        order.source = below(params.terminals());
        order.destination = below(3) == 0 ? 0 : below(params.terminals());
        order.birth = below(4) * 300 + below(50);
        order.flits = static_cast<std::uint16_t>(1 + below(setting.longest));
        order.service_class = static_cast<std::uint8_t>(below(2));
    }
    std::ranges::stable_sort(orders, {}, &send_order::birth);
    return orders;
}

template <typename router>
arrival_map run_chips(const fabric_params& params, const std::vector<send_order>& orders) {
    arrival_map arrivals;
    hw::engine::network network;
    build_chips<router>(network, params, orders, arrivals);
    network.run(100000);
    EXPECT_EQ(network.error_count(), 0u);
    EXPECT_EQ(faults_of(network, params), 0u);
    return arrivals;
}

template <typename router = router_core>
void expect_equal(const setting& setting, unsigned seed) {
    const fabric_params params = params_of(setting);
    const auto orders = random_orders(setting, params, seed, std::size_t{params.terminals()} * 20);
    const arrival_map chips = run_chips<router>(params, orders);
    ASSERT_EQ(chips.size(), orders.size()) << "the network of chips has lost packets";
    router_fabric fabric(params);
    terminals ends(fabric, 0, hw::engine::never);
    listed_traffic traffic(fabric, ends, orders);
    fabric.run(hw::engine::never, traffic);
    EXPECT_EQ(traffic.arrivals, chips);
    EXPECT_TRUE(fabric.idle());
    EXPECT_EQ(ends.missing(), 0u);
    EXPECT_THAT(ends.faults(), testing::IsEmpty());
    EXPECT_EQ(ends.statistics().latency.count(), orders.size());
}

constexpr auto islip = router_allocator::islip;
const std::vector<setting> settings{
    {.name = "mesh"},
    {.name = "mesh_islip", .allocator = islip, .iterations = 2},
    {.name = "mesh_one_vc", .radix = 3, .vcs = 1, .vc_flits = 4},
    {.name = "mesh_cut_through", .longest = 8, .reserve = 8},
    {.name = "mesh_cut_through_again", .longest = 5, .reserve = 5, .iterations = 2},
    {.name = "mesh_cut_through_deep", .vc_flits = 20, .longest = 20, .reserve = 20},
    {.name = "mesh_deep_wormhole", .vc_flits = 20, .longest = 40, .iterations = 2},
    {.name = "mesh_islip_cut_through", .longest = 3, .reserve = 3, .allocator = islip},
    {.name = "mesh_islip_deep", .vc_flits = 17, .longest = 17, .reserve = 17, .allocator = islip, .iterations = 2},
    {.name = "mesh_keep", .radix = 5, .policy = vc_policy::keep},
    {.name = "mesh_long_packets", .longest = 64},
    {.name = "mesh_slow", .route_delay = 3, .xbar_stages = 2, .link_delay = 3},
    {.name = "torus", .wrap = 3},
    {.name = "torus_islip", .radix = 5, .wrap = 3, .allocator = islip, .iterations = 3},
    {.name = "torus_cut_through", .wrap = 3, .longest = 4, .reserve = 4},
    {.name = "half_torus_keep", .wrap = 2, .policy = vc_policy::keep},
    {.name = "ring_of_two", .dimensions = 1, .radix = 2, .wrap = 1, .vcs = 2},
    {.name = "cube", .dimensions = 3, .radix = 3, .wrap = 5, .host_ports = 2},
};

TEST(router_fabric, default_shape_has_compiled_rules) {
    for (const benchmarks::fabric_workload& what : benchmarks::fabric_workloads)
        EXPECT_NE(router_fabric(benchmarks::mesh_or_torus(what.radix, what.torus, what.flits)).rules_name(), "generic")
            << what.name;
    for (const unsigned flits : {1u, 2u, 8u, 16u, 17u, 64u})
        for (const unsigned wrap : {0u, 1u, 3u})
            for (const auto allocator : {router_allocator::separable, islip})
                for (const unsigned iterations : {1u, 2u})
                    for (const auto policy : {vc_policy::any, vc_policy::keep})
                        for (const unsigned reserve : {1u, flits}) {
                            const setting what{.name = "default shape",
                                               .wrap = wrap,
                                               .vc_flits = std::max(flits, 8u),
                                               .longest = flits,
                                               .reserve = reserve,
                                               .allocator = allocator,
                                               .iterations = iterations,
                                               .policy = policy};
                            EXPECT_NE(router_fabric(params_of(what)).rules_name(), "generic") << what;
                        }
    EXPECT_EQ(router_fabric(params_of({.name = ""})).rules_name(), "separable");
    EXPECT_EQ(router_fabric(params_of({.name = "", .reserve = 5, .allocator = islip})).rules_name(),
              "islip_cut_through");
    EXPECT_EQ(router_fabric(params_of({.name = "", .vc_flits = 17})).rules_name(), "separable_deep");
    EXPECT_EQ(router_fabric(params_of({.name = "", .vcs = 8})).rules_name(), "generic");
}

struct equal_to_chips : testing::TestWithParam<setting> {};

TEST_P(equal_to_chips, every_packet_arrives_in_the_same_cycle) {
    for (unsigned seed = 1; seed <= 3; ++seed) expect_equal(GetParam(), seed);
}

// They share no code with the fabric.
TEST_P(equal_to_chips, every_packet_arrives_in_the_same_cycle_as_with_golden_routers) {
    expect_equal<equivalence::golden_router>(GetParam(), 4);
}

INSTANTIATE_TEST_SUITE_P(settings, equal_to_chips, testing::ValuesIn(settings),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(router_fabric, equals_chips_of_random_settings) {
    std::mt19937 random(1);
    const auto from_to = [&](unsigned least, unsigned most) {
        return least + static_cast<unsigned>(random()) % (most - least + 1);
    };
    for (unsigned seed = 0; seed < 40; ++seed) {
        setting drawn{.name = "random " + std::to_string(seed)};
        drawn.dimensions = from_to(1, 3);
        drawn.radix = from_to(2, drawn.dimensions == 3 ? 3 : 5);
        drawn.wrap = from_to(0, (1u << drawn.dimensions) - 1);
        drawn.vcs = from_to(drawn.wrap == 0 ? 1 : 2, 6);
        drawn.vc_flits = from_to(1, 10);
        drawn.longest = from_to(1, 12);
        drawn.reserve = drawn.longest <= drawn.vc_flits && from_to(0, 1) == 1 ? drawn.longest : 1;
        drawn.allocator = from_to(0, 1) == 0 ? router_allocator::separable : islip;
        drawn.iterations = from_to(1, 4);
        drawn.policy = from_to(0, 1) == 0 ? vc_policy::any : vc_policy::keep;
        drawn.route_delay = from_to(0, 2) == 0 ? from_to(2, 15) : 1;
        drawn.xbar_stages = from_to(0, 2) == 0 ? from_to(1, 15) : 0;
        drawn.link_delay = from_to(0, 1) == 0 ? from_to(2, 9) : 1;
        drawn.host_ports = from_to(1, 3);
        SCOPED_TRACE(drawn);
        expect_equal(drawn, seed);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(router_fabric, latency_without_load_is_five_cycles_and_three_per_hop) {
    const fabric_params params = params_of({.name = "mesh", .radix = 8});
    for (const std::uint32_t destination : {0u, 1u, 9u, 63u}) {
        router_fabric fabric(params);
        terminals ends(fabric, 0, hw::engine::never);
        const std::vector<send_order> orders{{.source = 0, .destination = destination, .birth = 100}};
        listed_traffic traffic(fabric, ends, orders);
        fabric.run(hw::engine::never, traffic);
        const unsigned hops = destination % 8 + destination / 8;
        EXPECT_EQ((traffic.arrivals[{0, 0, destination}]), 100 + 5 + 3 * hops);
        EXPECT_EQ(fabric.flit_hops(), hops);
        EXPECT_EQ(fabric.router_steps(), hops + 1) << "only routers with something to do are looked at";
    }
}

TEST(router_fabric, stopping_and_going_on_changes_nothing) {
    const setting setting{.name = "torus", .wrap = 3};
    const fabric_params params = params_of(setting);
    const auto orders = random_orders(setting, params, 7, 300);
    std::vector<arrival_map> arrivals;
    for (const cycle piece : {cycle{1}, cycle{37}, cycle{100000}}) {
        router_fabric fabric(params);
        terminals ends(fabric, 0, hw::engine::never);
        listed_traffic traffic(fabric, ends, orders);
        for (cycle end = piece; end < 100000 + piece; end += piece) fabric.run(end, traffic);
        EXPECT_EQ(traffic.arrivals.size(), orders.size());
        arrivals.push_back(traffic.arrivals);
    }
    EXPECT_EQ(arrivals[0], arrivals[2]);
    EXPECT_EQ(arrivals[1], arrivals[2]);
}

TEST(router_fabric, refuses_what_it_cannot_be) {
    const fabric_params good = params_of({.name = "mesh"});
    EXPECT_NO_THROW(check(good));
    fabric_params bad = good;
    bad.tables.table = true;
    EXPECT_THROW(check(bad), hw::input_error);
    bad = good;
    bad.router.flit_bytes = 8;
    EXPECT_THROW(check(bad), hw::input_error);
    bad.router.header_free = true;
    EXPECT_NO_THROW(check(bad));
    bad = good;
    bad.link_delay = 0;
    EXPECT_THROW(check(bad), hw::input_error);
    bad = good;
    bad.router.ports = 4;
    EXPECT_THROW(check(bad), hw::input_error);
    bad = good;
    bad.router.vcs = 17;
    EXPECT_THROW(router_fabric{bad}, hw::input_error);
}

}  // namespace
}  // namespace polycast::testbench::unit
