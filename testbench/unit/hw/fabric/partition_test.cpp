// SPDX-License-Identifier: Apache-2.0
// A fabric does the same in any number of partitions, packet by packet, and on as many threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "hw/fabric/each_to_each.h"
#include "hw/fabric/open_loop.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/fabric/partition_settings.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::chips;
using namespace hw::fabric;
using hw::engine::cycle;
using hw::engine::never;

struct outcome {
    arrival_map arrivals;
    latency_histogram latency;
    std::uint64_t flit_hops = 0;
    std::uint64_t router_steps = 0;
    cycle end = 0;

    bool operator==(const outcome&) const = default;
};

/// `piece`: cycles of a call of run().
outcome run_partitions(const setting& setting, const std::vector<send_order>& orders, unsigned partitions,
                       cycle piece) {
    router_fabric fabric(setting.params, partitions, true);
    std::vector<terminals> ends;
    std::vector<std::vector<send_order>> own(partitions);
    std::vector<listed_traffic> traffic;
    ends.reserve(partitions);
    for (unsigned part = 0; part < partitions; ++part) {
        const auto range = fabric.nodes_of(part);
        std::ranges::copy_if(orders, std::back_inserter(own[part]), [&](const send_order& order) {
            return order.source % fabric.nodes() - range.first < range.count;
        });
        ends.emplace_back(fabric, 0, never, part);
        traffic.emplace_back(fabric, ends.back(), own[part]);
    }
    cycle end = 0;
    do {
        end += piece;
        fabric.run(end, traffic);
    } while (end < 4000);
    outcome all;
    terminal_statistics statistics;
    for (unsigned part = 0; part < partitions; ++part) {
        EXPECT_THAT(ends[part].faults(), testing::IsEmpty());
        all.arrivals.merge(traffic[part].arrivals);
        statistics += ends[part].statistics();
    }
    EXPECT_EQ(all.arrivals.size(), orders.size());
    EXPECT_EQ(ends[0].missing(), 0u);
    EXPECT_TRUE(fabric.idle());
    EXPECT_EQ(statistics.packets, orders.size());
    all.latency = statistics.latency;
    all.flit_hops = fabric.flit_hops();
    all.router_steps = fabric.router_steps();
    all.end = fabric.now();
    return all;
}

struct partitions : testing::TestWithParam<setting> {};

TEST_P(partitions, any_number_of_them_gives_the_same) {
    const auto orders = random_orders(GetParam(), 3);
    const outcome one = run_partitions(GetParam(), orders, 1, 100000);
    for (const unsigned count : {2u, 3u, 4u})
        EXPECT_EQ(run_partitions(GetParam(), orders, count, 100000), one) << count << " partitions";
    EXPECT_EQ(run_partitions(GetParam(), orders, 3, 57), run_partitions(GetParam(), orders, 1, 57))
        << "stopped again and again";
}

INSTANTIATE_TEST_SUITE_P(settings, partitions, testing::ValuesIn(settings()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(partitions, open_loop_traffic_and_each_to_each_are_the_same) {
    const fabric_params params = mesh(8);
    std::vector<terminal_statistics> loaded(4);
    std::vector<terminal_statistics> broadcast(4);
    for (unsigned count = 1; count <= 4; ++count) {
        router_fabric fabric(params, count, true);
        router_fabric other(params, count, true);
        std::vector<terminals> ends;
        std::vector<terminals> other_ends;
        std::vector<open_loop> sources;
        std::vector<each_to_each> others;
        ends.reserve(count);
        other_ends.reserve(count);
        for (unsigned part = 0; part < count; ++part) {
            const auto uniform = pattern_on(params.router);
            sources.emplace_back(ends.emplace_back(fabric, 500, 2500, part), fabric.nodes_of(part), uniform,
                                 open_loop_params{.load = 0.5, .flits_max = 4, .until = 2500});
            others.emplace_back(other_ends.emplace_back(other, 0, 1, part), other.nodes(), std::uint16_t{1},
                                other.nodes_of(part));
        }
        fabric.run(never, sources);
        other.run(never, others);
        for (unsigned part = 0; part < count; ++part) {
            loaded[count - 1] += ends[part].statistics();
            broadcast[count - 1] += other_ends[part].statistics();
        }
        EXPECT_EQ(ends[0].missing() + other_ends[0].missing(), 0u);
        for (const auto* all : {&loaded, &broadcast}) {
            EXPECT_EQ((*all)[count - 1].latency, (*all)[0].latency) << count;
            EXPECT_EQ((*all)[count - 1].last, (*all)[0].last) << count;
            EXPECT_EQ((*all)[count - 1].accepted, (*all)[0].accepted) << count;
            EXPECT_EQ((*all)[count - 1].born, (*all)[0].born) << count;
        }
    }
    EXPECT_EQ(broadcast[0].packets, 64u * 63u);
}

/// Throws in a cycle.
struct failing_traffic {
    cycle when;

    void send(cycle now, router_fabric&) const {
        if (now >= when) throw std::runtime_error("broken");
    }
    void arrive(cycle, std::uint32_t, unsigned, packet_id, std::uint16_t) {}
    void credit(std::uint32_t, unsigned) {}
    cycle next(cycle now) const { return now; }
};

TEST(partitions, what_terminals_throw_ends_all_of_them) {
    router_fabric fabric(mesh(4), 3);
    std::vector<failing_traffic> traffic{{never}, {50}, {never}};
    EXPECT_THROW(fabric.run(1000, traffic), std::runtime_error);
    EXPECT_LE(fabric.now(), 54u);
}

/// Throws when it is asked for the first time.
struct silent_traffic {
    bool broken;

    void send(cycle, router_fabric&) const {}
    void arrive(cycle, std::uint32_t, unsigned, packet_id, std::uint16_t) {}
    void credit(std::uint32_t, unsigned) {}
    cycle next(cycle) const {
        if (broken) throw std::runtime_error("broken");
        return 20;
    }
};

TEST(partitions, what_terminals_throw_before_the_first_cycle_ends_all_of_them) {
    for (std::size_t at = 0; at < 3; ++at) {
        router_fabric fabric(mesh(4), 3);
        std::vector<silent_traffic> traffic(3);
        traffic[at].broken = true;
        EXPECT_THROW(fabric.run(1000, traffic), std::runtime_error);
    }
}

TEST(partitions, refuse_what_does_not_fit) {
    EXPECT_THROW(router_fabric(mesh(2), 0), hw::input_error);
    EXPECT_THROW(router_fabric(mesh(2), 5), hw::input_error);
    router_fabric fabric(mesh(2), 4);
    std::vector<failing_traffic> too_few(3, failing_traffic{never});
    EXPECT_THROW(fabric.run(10, too_few), hw::input_error);
    EXPECT_THROW(fabric.run(10, too_few.front()), hw::input_error);
}

}  // namespace
}  // namespace polycast::testbench::unit
