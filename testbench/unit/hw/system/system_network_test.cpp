// SPDX-License-Identifier: Apache-2.0
#include "hw/system/system_network.h"

#include <gtest/gtest.h>

#include "hw/delivery/scoreboard.h"
#include "hw/format/header.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::system {
namespace {

/// A chain of `count` 4-port switches with one host at each end.
topology::graph chain(unsigned count) {
    topology::graph graph;
    for (unsigned index = 0; index < count; ++index) graph.add_switch("switch" + std::to_string(index), 4);
    for (unsigned index = 0; index + 1 < count; ++index) graph.connect(index, 1, index + 1, 0);
    graph.attach_host("first", 0, 2);
    graph.attach_host("last", count - 1, 3);
    return graph;
}

struct result {
    run_outcome outcome;
    traffic::delivery_counts counts;
    traffic::traffic_volume volume;
    std::vector<traffic::transfer_record> transfers;
    std::uint64_t errors;
    interface_totals totals;
    std::vector<std::string> failures;
};

result simulate(const topology::graph& graph, const system_params& params, traffic::workload_params work,
                std::uint64_t payload_seed = 1) {
    const system_plan plan = make_plan(graph, params);
    work.hosts = static_cast<std::uint32_t>(graph.hosts.size());
    traffic::workload workload(work);
    traffic::scoreboard board(payload_seed, {}, params.host.interface.payload_bytes);
    system_network network(plan, make_core, workload_hosts(native(), workload, board, 1), board);
    const run_outcome outcome = network.run({});
    return {outcome,          board.counts(),    board.volume(), board.transfers(), network.network().error_count(),
            network.totals(), network.failures()};
}

traffic::workload_params unicast_to(std::uint32_t source) {
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.source = source;
    return work;
}

// The spec's formula: t_hs + DMA + t_ns + (1 + 3h + 127) + t_nr + DMA + t_hr.
TEST(system_network, latency_of_a_packet_over_h_switches_equals_the_formula) {
    for (unsigned switches = 1; switches <= 9; ++switches) {
        system_params params;
        params.header_free = true;
        const result got = simulate(chain(switches), params, unicast_to(0));
        ASSERT_EQ(got.outcome.ended, run_outcome::kind::complete) << got.outcome.diagnosis;
        ASSERT_EQ(got.transfers.size(), 1u);
        EXPECT_EQ(got.transfers[0].latency(), 1000u + 96 + 1000 + (1 + 3 * switches + 127) + 1000 + 96 + 1000)
            << switches << " switches";
    }
}

TEST(system_network, delays_add_to_every_hop) {
    system_params params;
    params.header_free = true;
    params.route_delay = 4;
    params.crossbar_delay = 3;
    params.link_delay = 5;
    const result got = simulate(chain(3), params, unicast_to(1));
    ASSERT_EQ(got.transfers.size(), 1u);
    EXPECT_EQ(got.transfers[0].latency(), 4192u + 5 + 3 * (4 + 3 + 5) + 127);
}

// In the flits, the switches' header delays the first flit by its own length at each switch and lengthens the packet,
// as do the transport header and the check word.
TEST(system_network, header_in_the_flits_costs_what_it_is_long) {
    system_params params;
    const result got = simulate(chain(3), params, unicast_to(0));
    ASSERT_EQ(got.transfers.size(), 1u);
    constexpr unsigned header = format::unicast_header_bytes;
    EXPECT_EQ(got.transfers[0].latency(),
              4192u + 1 + 3 * (3 + header - 1) + (header + format::transport_bytes + 128 + format::check_bytes - 1));
}

// The switches' header takes whole flits; what follows it is packed.
TEST(system_network, packet_lengths) {
    using format::packet_kind;
    EXPECT_EQ(packet_flits(packet_kind::unicast, 128, {{.hosts = 32}, 1, false}), 13u + 24 + 128 + 4);
    EXPECT_EQ(packet_flits(packet_kind::tree, 128, {{.hosts = 32}, 1, false}), 14u + 24 + 128 + 4);
    EXPECT_EQ(packet_flits(packet_kind::unicast, 128, {{.hosts = 32}, 8, false}), 2u + 20);  // 156 bytes: 19.5 flits
    EXPECT_EQ(packet_flits(packet_kind::tree, 1, {{.hosts = 32}, 64, false}), 1u + 1);
    EXPECT_EQ(packet_flits(packet_kind::tree, 37, {{.hosts = 32}, 64, false}), 1u + 2);  // 65 bytes
    EXPECT_EQ(packet_flits(packet_kind::tree, 128, {{.hosts = 32}, 1, true}), 128u);
    EXPECT_EQ(packet_flits(packet_kind::unicast, 129, {{.hosts = 32}, 8, true}), 17u);
}

TEST(system_network, a_tree_worm_reaches_every_destination_once_on_ten_topologies) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        topology::irregular_params shape;
        shape.seed = seed;
        const topology::graph graph = topology::make_irregular(shape);
        for (const bool header_free : {false, true}) {
            system_params params;
            params.header_free = header_free;
            traffic::workload_params work;
            work.degree = 15;
            work.seed = seed;
            const result tree = simulate(graph, params, work);
            ASSERT_EQ(tree.outcome.ended, run_outcome::kind::complete) << tree.outcome.diagnosis;
            EXPECT_TRUE(tree.counts.exactly_once()) << "seed " << seed;
            EXPECT_EQ(tree.counts.delivered, 15u);
            EXPECT_EQ(tree.errors, 0u);
        }
    }
}

TEST(system_network, load_is_delivered_exactly_once_with_wide_flits_and_narrow_buffers) {
    topology::irregular_params shape;
    shape.seed = 3;
    const topology::graph graph = topology::make_irregular(shape);
    const unsigned longest = packet_flits(format::packet_kind::tree, traffic::workload_params{}.bytes,
                                          {.hosts = static_cast<unsigned>(graph.hosts.size())}, 1, false);
    for (const unsigned flit_bytes : {1u, 4u, 16u}) {
        system_params params;
        params.flit_bytes = flit_bytes;
        params.chunk_flits = 4;
        // As little as takes the longest worm, in whole chunks.
        params.buffer_flits = params.chunk_flits * format::header_flits(longest, params.chunk_flits);
        params.read_ports = 2;
        params.crossbar_delay = 2;
        params.host.send_overhead = params.host.receive_overhead = 10;
        params.firmware_times = paper_costs(10, 10);
        params.host.interface.bus_cycles_per_byte = 0;
        traffic::workload_params work;
        work.degree = 5;
        work.gap = 2000;
        work.end = 30000;
        const result got = simulate(graph, params, work);
        ASSERT_EQ(got.outcome.ended, run_outcome::kind::complete) << got.outcome.diagnosis;
        EXPECT_TRUE(got.counts.exactly_once());
        EXPECT_GT(got.counts.delivered, 1500u);
        EXPECT_EQ(got.errors, 0u);
    }
}

TEST(system_network, a_scoreboard_with_another_seed_finds_every_packet_corrupted) {
    const result got = simulate(chain(2), {}, unicast_to(0), 2);
    EXPECT_EQ(got.counts.corrupted, 1u);
    EXPECT_EQ(got.counts.delivered, 0u);
    EXPECT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_NE(got.outcome.diagnosis.find("packet 0 of message 0 of host 0 to host 1"), std::string::npos)
        << got.outcome.diagnosis;
}

}  // namespace
}  // namespace polycast::hw::system
