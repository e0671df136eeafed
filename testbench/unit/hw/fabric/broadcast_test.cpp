// SPDX-License-Identifier: Apache-2.0
// Broadcasts on the fabric arrive when those of a network of chips do; everybody hears everybody, in little more time
// than a node needs to take it all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "hw/fabric/replication.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/fabric/chip_network.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::chips;
using namespace hw::fabric;
using hw::engine::never;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Cut-through for packets of up to `flits`, which is what broadcasts need.
fabric_params params_of(unsigned dimensions, unsigned radix, unsigned wrap, unsigned flits, unsigned vc_flits) {
    fabric_params params;
    params.router.dimensions = dimensions;
    params.router.radix = radix;
    params.router.ports = 2 * dimensions + 1;
    params.router.vc_flits = vc_flits;
    params.tables.wrap = wrap;
    params.tables.reserve = flits;
    params.tables.packet_limit = flits;
    params.tables.vc_sets = dateline_sets(params.router.vcs, wrap);
    params.broadcasts = true;
    return params;
}

arrival_map run_chips(const fabric_params& params, const std::vector<send_order>& orders) {
    arrival_map arrivals;
    hw::engine::network network;
    build_chips(network, params, orders, arrivals);
    network.run(100000);
    EXPECT_EQ(network.error_count(), 0u);
    EXPECT_EQ(faults_of(network, params), 0u);
    return arrivals;
}

TEST(fabric_broadcast, arrives_when_it_does_on_chips) {
    std::mt19937 random(1);
    const auto from_to = [&](unsigned least, unsigned most) {
        return least + static_cast<unsigned>(random()) % (most - least + 1);
    };
    for (unsigned seed = 0; seed < 40; ++seed) {
        const unsigned dimensions = from_to(1, 3);
        const unsigned longest = from_to(1, 6);
        fabric_params params = params_of(dimensions, from_to(2, dimensions == 3 ? 3 : 5),
                                         from_to(0, (1u << dimensions) - 1), longest, longest + from_to(0, 6));
        params.router.ports += from_to(0, 1);
        params.router.vcs = from_to(params.tables.wrap == 0 ? 1 : 2, 6);
        params.router.xbar_stages = from_to(0, 2) == 0 ? from_to(1, 15) : 0;
        params.tables.vc_sets = dateline_sets(params.router.vcs, params.tables.wrap);
        params.tables.route_delay = from_to(0, 1) == 0 ? from_to(2, 15) : 1;
        params.tables.policy = from_to(0, 1) == 0 ? vc_policy::any : vc_policy::keep;
        params.tables.allocator = from_to(0, 1) == 0 ? router_allocator::separable : router_allocator::islip;
        params.tables.iterations = from_to(1, 4);
        params.link_delay = from_to(1, 3);
        std::vector<send_order> orders(std::size_t{params.terminals()} * 6);
        std::size_t expected = 0;
        for (send_order& order : orders) {
            order.source = from_to(0, params.terminals() - 1);
            order.broadcast = from_to(0, 2) != 0;
            order.destination = from_to(0, (order.broadcast ? params.host_ports() : params.terminals()) - 1);
            order.birth = from_to(0, 3) * 300 + from_to(0, 49);
            order.flits = static_cast<std::uint16_t>(from_to(1, longest));
            expected += order.broadcast ? params.router.nodes() - 1 : 1;
        }
        std::ranges::stable_sort(orders, {}, &send_order::birth);
        const arrival_map chips = run_chips(params, orders);
        ASSERT_THAT(chips, SizeIs(expected)) << "the network of chips has lost packets, seed " << seed;
        router_fabric fabric(params);
        terminals ends(fabric, 0, never);
        listed_traffic traffic(fabric, ends, orders);
        fabric.run(never, traffic);
        EXPECT_EQ(traffic.arrivals, chips) << "seed " << seed;
        EXPECT_THAT(ends.faults(), IsEmpty());
        EXPECT_EQ(ends.missing(), 0u);
        EXPECT_TRUE(fabric.idle());
    }
}

TEST(fabric_broadcast, sinks_know_whom_a_broadcast_is_for) {
    const fabric_params params = params_of(2, 2, 0, 2, 8);
    router_fabric fabric(params);
    terminals ends(fabric, 0, never);
    const packet_id id = ends.queue({.source = 1, .flits = 2, .broadcast = true});
    const auto deliver = [&](std::uint32_t terminal) {
        ends.arrive(1, terminal, 0, id, flit_info::head);
        ends.arrive(2, terminal, 0, id, flit_info::tail);
    };
    deliver(0);
    EXPECT_THAT(ends.faults(), IsEmpty());
    deliver(0);
    deliver(1);
    EXPECT_THAT(ends.faults(), testing::ElementsAre(HasSubstr("twice at terminal 0"), HasSubstr("at terminal 1")));
    EXPECT_THAT(ends.missing_packets(5), testing::ElementsAre(HasSubstr("terminal 1 to host port 0 of all nodes")));
    deliver(2);
    EXPECT_EQ(ends.missing(), 1u);
    deliver(3);
    EXPECT_EQ(ends.missing(), 0u);
    EXPECT_EQ(ends.fault_count(), 2u);
}

TEST(fabric_broadcast, is_refused_where_nothing_can_copy_it) {
    fabric_params params = params_of(2, 2, 0, 1, 8);
    router_fabric fabric(params);
    EXPECT_THROW(fabric.broadcast_target_of(0, 1, 0), hw::input_error);
    EXPECT_THROW(fabric.broadcast_target_of(4, 0, 0), hw::input_error);
    params.broadcasts = false;
    EXPECT_THROW(router_fabric(params).broadcast_target_of(0, 0, 0), hw::input_error);
    params.broadcasts = true;
    params.router.copies = false;
    EXPECT_THROW(router_fabric{params}, hw::input_error);
}

/// Cycle in which the last node has the last packet.
std::uint64_t replication_cycles(const fabric_params& params, unsigned flits, unsigned gap) {
    router_fabric fabric(params);
    terminals ends(fabric, 0, never);
    replication source(ends, fabric.nodes(), params.router.radix, static_cast<std::uint16_t>(flits), gap);
    fabric.run(1'000'000, source);
    const std::uint64_t nodes = fabric.nodes();
    EXPECT_EQ(ends.statistics().packets, nodes * (nodes - 1));
    EXPECT_EQ(fabric.flit_hops(), nodes * (nodes - 1) * flits);
    EXPECT_EQ(ends.missing(), 0u);
    EXPECT_THAT(ends.faults(), IsEmpty());
    return ends.statistics().last;
}

TEST(replication, takes_little_more_than_what_a_node_has_to_take) {
    // A node in the middle hears nothing new for as long as the last packet is on its way to the ends.
    EXPECT_EQ(replication_cycles(params_of(2, 32, 0, 1, 12), 1, 0), 1023u + 7 + 3 * 15);
    EXPECT_LE(replication_cycles(params_of(2, 16, 0, 1, 8), 1, 0), 255u + 7 + 3 * 7);
    EXPECT_LE(replication_cycles(params_of(2, 32, 0, 1, 8), 1, 31), 1090u);  // the default buffers, throttled
}

TEST(replication, never_stops_on_meshes_and_tori) {
    for (const unsigned wrap : {0u, 1u, 3u}) {
        for (const unsigned radix : {5u, 8u}) {
            for (const unsigned flits : {1u, 3u, 16u}) {
                for (const auto policy : {vc_policy::any, vc_policy::keep}) {
                    fabric_params params = params_of(2, radix, wrap, flits, std::max(8u, flits));
                    params.tables.policy = policy;
                    const std::uint64_t floor = std::uint64_t{radix * radix - 1} * flits;
                    EXPECT_LT(replication_cycles(params, flits, 0), 2 * floor + 100);
                    EXPECT_LT(replication_cycles(params, flits, radix * flits), 2 * floor + 100);
                }
            }
        }
    }
    EXPECT_LT(replication_cycles(params_of(3, 4, 7, 2, 8), 2, 0), 2u * 63 * 2 + 100);
}

}  // namespace
}  // namespace polycast::testbench::unit
