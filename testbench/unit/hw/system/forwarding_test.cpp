// SPDX-License-Identifier: Apache-2.0
// Multicast by the firmware of the network interfaces and by hosts' programs: steps, buffer times, latencies of the
// papers, out of the running firmware.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/collectives/k_binomial.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/collectives/count_steps.h"
#include "testbench/unit/hw/system/scheme_run.h"

namespace polycast::hw::system {
namespace {

using collectives::forwarding_order;
using collectives::scheme;
using collectives::scheme_of;
using engine::cycle;

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

/// Runs a workload that must come through whole.
scheme_result simulate(const topology::graph& graph, const system_params& params, const traffic::workload_params& work,
                       const multicast_choice& choice) {
    const scheme_result got = run_scheme(graph, params, work, choice);
    EXPECT_EQ(got.problem(), "");
    return got;
}

/// Who sends on, and in which order.
enum class order : std::uint8_t { fpfs, fcfs, whole };

multicast_choice tree_by(order how, unsigned k) {
    multicast_choice choice = by(how == order::whole ? scheme_of("software") : scheme_of("ni"));
    choice.fcfs = how == order::fcfs;
    choice.fanout = multicast_choice::fanout_choice::given;
    choice.scheme.fanout = k;
    choice.scheme.order = collectives::chain_order::number;
    return choice;
}

/// From host 0 to all others, `packets` packets.
traffic::workload_params to_all(unsigned nodes, unsigned packets) {
    traffic::workload_params work;
    work.source = 0;
    for (std::uint32_t host = 1; host < nodes; ++host) work.destinations.push_back(host);
    work.bytes = packets * 128;
    return work;
}

scheme_result run_tree(unsigned nodes, unsigned packets, unsigned k, order how, const system_params& params) {
    return simulate(star(nodes), params, to_all(nodes, packets), tree_by(how, k));
}

std::uint64_t steps(unsigned nodes, unsigned packets, unsigned k, order how, const system_params& params) {
    return run_tree(nodes, packets, k, how, params).latency() / step;
}

TEST(forwarding, steps_of_the_examples) {
    const system_params params = step_preset();
    EXPECT_EQ(steps(4, 3, 2, order::fpfs, params), 6u);  // 3 packets to 3 destinations, binomial
    EXPECT_EQ(steps(4, 3, 1, order::fpfs, params), 5u);  // linear
    EXPECT_EQ(steps(8, 3, 3, order::fpfs, params), 9u);  // to 7 destinations, binomial
}

TEST(forwarding, steps_are_those_of_the_formula_where_the_tree_is_full) {
    const system_params params = step_preset();
    for (unsigned k = 1; k <= 4; ++k) {
        for (unsigned s = k; collectives::reach(s, k) <= 33; ++s) {
            const auto nodes = static_cast<unsigned>(collectives::reach(s, k));
            for (const unsigned packets : {1u, 2u, 5u}) {
                EXPECT_EQ(steps(nodes, packets, k, order::fpfs, params), s + (packets - 1) * k)
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
                EXPECT_EQ(steps(nodes, packets, k, order::fpfs, params),
                          collectives::count_steps(tree, packets, forwarding_order::fpfs))
                    << which;
                EXPECT_EQ(steps(nodes, packets, k, order::fcfs, params),
                          collectives::count_steps(tree, packets, forwarding_order::fcfs))
                    << which;
                EXPECT_EQ(steps(nodes, packets, k, order::whole, params),
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
        const scheme_result got = run_tree(nodes, 6, k, order::fpfs, step_preset());
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
        const scheme_result got = run_tree(nodes, packets, k, order::fcfs, step_preset());
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
        EXPECT_EQ(steps(3, packets, 1, order::fpfs, params), packets + 3) << packets;
        params.firmware_times.overlapped = false;
        EXPECT_EQ(steps(3, packets, 1, order::fpfs, params), 2 * packets + 2) << packets;
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
    for (const scheme how :
         {scheme_of("ni"), scheme_of("software"), scheme_of("path"), scheme_of("ssr"), scheme_of("hybrid")}) {
        const scheme_result got = simulate(graph, params, work, by(how));
        EXPECT_GT(got.counts.messages.delivered, 3000u);
        EXPECT_EQ(got.totals.dropped, 0u);
    }
}

// Beyond saturation everything is late, and still there: with one processor for both sides, and with two, where
// commands have to be taken up in time although copies wait.
TEST(forwarding, overload_loses_nothing) {
    const topology::graph graph = topology::make_irregular({});
    for (const scheme how :
         {scheme_of("tree"), scheme_of("path"), scheme_of("ni"), scheme_of("hybrid"), scheme_of("software")}) {
        for (const bool overlapped : {false, true}) {
            system_params params;
            params.host.interface.group_entries = 2048;
            params.firmware_times.overlapped = overlapped;
            traffic::workload_params work;
            work.degree = 7;
            work.gap = 5000;
            work.end = 100000;
            const scheme_result got = simulate(graph, params, work, by(how));
            EXPECT_GT(got.counts.messages.delivered, 3000u);
        }
    }
}

TEST(forwarding, a_long_message_through_a_tree) {
    const scheme_result got = run_tree(8, 8192, 2, order::fpfs, {});  // 1 MiB
    EXPECT_EQ(got.counts.delivered, 7u * 8192);
}

// Interfaces that forward and have little memory can wait for each other in a circle.
TEST(forwarding, finite_receive_memory_is_part_of_the_deadlock_check) {
    system_params params;
    params.host.interface.receive_slots = 4;
    const system_plan plan = make_plan(star(4), params);
    EXPECT_TRUE(check_plan(plan, {.unicast_payload = 128}).good());
    EXPECT_TRUE(check_plan(plan, {.unicast_payload = 128, .forwarded = 4}).good());  // all that can come fits
    const routing::route_check_result refused = check_plan(plan, {.unicast_payload = 128, .forwarded = 5});
    ASSERT_EQ(refused.problems.size(), 1u);
    EXPECT_THAT(refused.problems[0], testing::HasSubstr("memory of host 'host0'"));
    params.host.interface.receive_slots = 0;
    EXPECT_TRUE(check_plan(make_plan(star(4), params), {.unicast_payload = 128, .forwarded = 1000000}).good());
}

}  // namespace
}  // namespace polycast::hw::system
