// SPDX-License-Identifier: Apache-2.0
// Multicast by the firmware of the network interfaces and by hosts' programs: steps, buffer times, latencies of the
// papers, out of the running firmware.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/collectives/k_binomial.h"
#include "hw/system/switch_network.h"
#include "hw/topology/irregular.h"
#include "hw/traffic/workload.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::system {
namespace {

using collectives::forwarding_order;
using engine::cycle;
using testing::IsEmpty;
using traffic::forwarding;
using traffic::multicast_scheme;

constexpr cycle step = cycle{1} << 20;

/// Everything but the sending of a copy takes next to no time.
system_params step_preset() {
    system_params params;
    params.header_free = true;
    params.host.send_overhead = params.host.receive_overhead = 0;
    params.host.interface.bus_cycles_per_byte = 0;
    params.firmware_times = paper_costs(step, 0);
    return params;
}

/// One switch with `hosts` hosts.
topology::graph star(unsigned hosts) {
    topology::graph graph;
    graph.add_switch("switch", hosts);
    for (unsigned host = 0; host < hosts; ++host) graph.attach_host("host" + std::to_string(host), 0, host);
    return graph;
}

struct result {
    cycle latency = 0;
    interface_totals totals;
    std::vector<ni::ni_statistics> interfaces;  ///< [host]
    traffic::delivery_counts counts;
};

/// Runs a workload that must come through whole.
result simulate(const topology::graph& graph, const system_params& params, traffic::workload_params work) {
    system_plan plan = make_plan(graph, params);
    fit(plan, work);
    work.hosts = static_cast<std::uint32_t>(graph.hosts.size());
    work.payload_bytes = params.host.interface.payload_bytes;
    traffic::workload workload(work);
    traffic::scoreboard board(work.seed, {}, work.payload_bytes);
    switch_network network(plan, make_core, workload_hosts(native(), workload, board, work.seed), board);
    const run_outcome outcome = network.run({});
    EXPECT_EQ(outcome.ended, run_outcome::kind::complete) << outcome.diagnosis;
    EXPECT_TRUE(board.counts().exactly_once());
    EXPECT_EQ(network.network().error_count(), 0u);
    EXPECT_THAT(network.failures(), IsEmpty());
    EXPECT_THAT(board.faults(), IsEmpty());
    result got;
    if (!board.transfers().empty()) got.latency = board.transfers().front().latency();
    got.totals = network.totals();
    got.counts = board.counts();
    for (std::uint32_t host = 0; host < work.hosts; ++host) {
        got.interfaces.push_back(network.host(host).interface().statistics());
        EXPECT_TRUE(network.host(host).idle()) << host;
    }
    return got;
}

/// From host 0 to all others, `packets` packets.
traffic::workload_params to_all(unsigned nodes, unsigned packets, unsigned k, forwarding how) {
    traffic::workload_params work;
    work.scheme = how == forwarding::programs ? multicast_scheme::software : multicast_scheme::ni;
    if (how != forwarding::programs) work.how = how;
    work.source = 0;
    for (std::uint32_t host = 1; host < nodes; ++host) work.destinations.push_back(host);
    work.bytes = packets * 128;
    work.fanout = k;
    return work;
}

std::uint64_t steps(unsigned nodes, unsigned packets, unsigned k, forwarding how, const system_params& params) {
    return simulate(star(nodes), params, to_all(nodes, packets, k, how)).latency / step;
}

TEST(forwarding, steps_of_the_examples) {
    const system_params params = step_preset();
    EXPECT_EQ(steps(4, 3, 2, forwarding::fpfs, params), 6u);  // 3 packets to 3 destinations, binomial
    EXPECT_EQ(steps(4, 3, 1, forwarding::fpfs, params), 5u);  // linear
    EXPECT_EQ(steps(8, 3, 3, forwarding::fpfs, params), 9u);  // to 7 destinations, binomial
}

TEST(forwarding, steps_are_those_of_the_formula_where_the_tree_is_full) {
    const system_params params = step_preset();
    for (unsigned k = 1; k <= 4; ++k) {
        for (unsigned s = k; collectives::reach(s, k) <= 33; ++s) {
            const auto nodes = static_cast<unsigned>(collectives::reach(s, k));
            for (const unsigned packets : {1u, 2u, 5u}) {
                EXPECT_EQ(steps(nodes, packets, k, forwarding::fpfs, params), s + (packets - 1) * k)
                    << nodes << " nodes, k = " << k << ", " << packets << " packets";
            }
        }
    }
}

TEST(forwarding, steps_of_all_trees_and_orders) {
    const system_params params = step_preset();
    for (const unsigned nodes : {2u, 3u, 6u, 11u, 16u, 27u}) {
        for (const unsigned k : {1u, 2u, 3u, 5u}) {
            const collectives::forwarding_tree tree = collectives::k_binomial_tree(nodes, k);
            for (const unsigned packets : {1u, 2u, 7u}) {
                const std::string which =
                    std::to_string(nodes) + " nodes, " + std::to_string(k) + ", " + std::to_string(packets);
                EXPECT_EQ(steps(nodes, packets, k, forwarding::fpfs, params),
                          collectives::count_steps(tree, packets, forwarding_order::fpfs))
                    << which;
                EXPECT_EQ(steps(nodes, packets, k, forwarding::fcfs, params),
                          collectives::count_steps(tree, packets, forwarding_order::fcfs))
                    << which;
                EXPECT_EQ(steps(nodes, packets, k, forwarding::programs, params),
                          collectives::count_steps(tree, packets, forwarding_order::whole))
                    << which;
            }
        }
    }
}

TEST(forwarding, buffer_times_of_fpfs) {
    // Packets arrive at least k steps apart, and stay for as many as the node has children.
    for (const unsigned k : {2u, 3u, 4u}) {
        const unsigned nodes = 1u << k;
        const collectives::forwarding_tree tree = collectives::k_binomial_tree(nodes, k);
        const result got = simulate(star(nodes), step_preset(), to_all(nodes, 6, k, forwarding::fpfs));
        for (unsigned node = 1; node < nodes; ++node) {
            EXPECT_EQ(got.interfaces[node].residency_max / step, tree[node].size())
                << "node " << node << " of " << nodes;
            EXPECT_EQ(got.interfaces[node].residency_count, 6u);
            EXPECT_EQ(got.interfaces[node].receive_slots_peak, 1u);
        }
    }
}

// All nodes at depth 1 get their packets one step apart. Of p packets, packet i waits (p - i + 1) for the first child's
// turn to end, (c - 2) p for those in the middle, and i in the last: (c - 1) p + 1 with its arrival.
TEST(forwarding, buffer_times_of_fcfs) {
    constexpr unsigned packets = 5;
    for (const unsigned k : {2u, 3u, 4u}) {
        const unsigned nodes = 1u << k;
        const collectives::forwarding_tree tree = collectives::k_binomial_tree(nodes, k);
        const result got = simulate(star(nodes), step_preset(), to_all(nodes, packets, k, forwarding::fcfs));
        for (const std::uint32_t node : tree[0]) {
            const std::size_t c = tree[node].size();
            const std::uint64_t expected = c == 0 ? 0 : (c - 1) * packets + 1;
            EXPECT_EQ(got.interfaces[node].residency_max / step, expected) << "node " << node << " of " << nodes;
            if (c >= 2) {
                EXPECT_EQ(got.interfaces[node].receive_slots_peak, packets) << node;
                // All packets stay equally long.
                EXPECT_EQ(got.interfaces[node].residency_cycles / step, packets * expected) << node;
            }
        }
    }
}

// Three nodes in a line, t_nr = t_ns. One processor receives and sends in turn; two do both at once.
TEST(forwarding, overlapped_receiving_costs_the_sending_side_nothing) {
    for (const unsigned packets : {1u, 2u, 8u}) {
        system_params params = step_preset();
        params.firmware_times = paper_costs(step, step, true);
        EXPECT_EQ(steps(3, packets, 1, forwarding::fpfs, params), packets + 3) << packets;
        params.firmware_times.overlapped = false;
        EXPECT_EQ(steps(3, packets, 1, forwarding::fpfs, params), 2 * packets + 2) << packets;
    }
}

// Spec: 32 nodes, one packet, t_hs = t_hr = t_ns = t_nr = 1000, header free: about 6465 cycles to 3 destinations and
// 10736 to 15, best k.
TEST(forwarding, latencies_of_the_papers) {
    for (const auto& [degree, expected] : {std::pair{3u, 6465.0}, std::pair{15u, 10736.0}}) {
        double sum = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            topology::irregular_params shape;
            shape.seed = seed;
            system_params params;
            params.header_free = true;
            traffic::workload_params work;
            work.scheme = multicast_scheme::ni;
            work.degree = degree;
            work.seed = seed;
            sum += static_cast<double>(simulate(topology::make_irregular(shape), params, work).latency);
        }
        EXPECT_NEAR(sum / 10, expected, expected * 0.01);
    }
}

TEST(forwarding, every_scheme_delivers_everything_on_ten_topologies) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        topology::irregular_params shape;
        shape.seed = seed;
        const topology::graph graph = topology::make_irregular(shape);
        traffic::workload_params work;
        work.seed = seed;
        work.messages = 6;
        work.degree = 12;
        work.bytes = 1000;
        for (const auto scheme :
             {multicast_scheme::tree, multicast_scheme::unicasts, multicast_scheme::ni, multicast_scheme::software}) {
            work.scheme = scheme;
            for (const auto how : {forwarding::fpfs, forwarding::fcfs}) {
                if (how == forwarding::fcfs && scheme != multicast_scheme::ni) continue;
                work.how = how;
                const result got = simulate(graph, {}, work);
                EXPECT_EQ(got.counts.messages.delivered, 6u * 12);
                EXPECT_EQ(got.counts.delivered, 6u * 12 * 8);
            }
        }
    }
}

TEST(forwarding, load_of_groups_is_delivered_exactly_once) {
    topology::irregular_params shape;
    shape.seed = 4;
    const topology::graph graph = topology::make_irregular(shape);
    system_params params;
    params.host.send_overhead = params.host.receive_overhead = 100;
    params.firmware_times = paper_costs(50, 50);
    traffic::workload_params work;
    work.degree = 7;
    work.bytes = 300;
    work.gap = 20000;
    work.end = 400000;
    for (const auto scheme : {multicast_scheme::ni, multicast_scheme::software}) {
        work.scheme = scheme;
        const result got = simulate(graph, params, work);
        EXPECT_GT(got.counts.messages.delivered, 3000u);
        EXPECT_EQ(got.totals.dropped, 0u);
    }
}

// Beyond saturation everything is late, and still there: with one processor for both sides, and with two, where
// commands have to be taken up in time although copies wait.
TEST(forwarding, overload_loses_nothing) {
    const topology::graph graph = topology::make_irregular({});
    for (const auto scheme : {multicast_scheme::tree, multicast_scheme::ni, multicast_scheme::software}) {
        for (const bool overlapped : {false, true}) {
            system_params params;
            params.host.interface.group_entries = 2048;
            params.firmware_times.overlapped = overlapped;
            traffic::workload_params work;
            work.scheme = scheme;
            work.degree = 7;
            work.gap = 5000;
            work.end = 100000;
            const result got = simulate(graph, params, work);
            EXPECT_GT(got.counts.messages.delivered, 3000u);
        }
    }
}

TEST(forwarding, a_long_message_through_a_tree) {
    const result got = simulate(star(8), {}, to_all(8, 8192, 2, forwarding::fpfs));  // 1 MiB
    EXPECT_EQ(got.counts.delivered, 7u * 8192);
}

// Interfaces that forward and have little memory can wait for each other in a circle.
TEST(forwarding, finite_receive_memory_is_part_of_the_deadlock_check) {
    system_params params;
    params.host.interface.receive_slots = 4;
    const system_plan plan = make_plan(star(4), params);
    EXPECT_TRUE(check_plan(plan, {128, 0, 0}).good());
    EXPECT_TRUE(check_plan(plan, {128, 0, 4}).good());  // all that can come fits
    const routing::route_check_result refused = check_plan(plan, {128, 0, 5});
    ASSERT_EQ(refused.problems.size(), 1u);
    EXPECT_THAT(refused.problems[0], testing::HasSubstr("memory of host 'host0'"));
    params.host.interface.receive_slots = 0;
    EXPECT_TRUE(check_plan(make_plan(star(4), params), {128, 0, 1000000}).good());
}

}  // namespace
}  // namespace polycast::hw::system
