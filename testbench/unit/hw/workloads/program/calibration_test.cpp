// SPDX-License-Identifier: Apache-2.0
// The reference machine measured on one switch gives the times of program.md, and what it predicts for collectives.
#include "hw/workloads/program/calibration.h"

#include <gmock/gmock.h>

#include "hw/collectives/advice.h"
#include "testbench/unit/hw/workloads/program/program_bench.h"

namespace polycast::hw::programs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> linear(std::uint32_t ranks) {
    std::vector<std::uint32_t> hosts(ranks);
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
}

calibration measured(const topology::graph& network, std::uint32_t ranks, std::uint32_t pairs) {
    const calibration_program probes(ranks, pairs_of(network, linear(ranks), pairs), 128);
    const ran got = run_on(network, probes.made(), {.eager = 1 << 20, .credits = credit_rule::none});
    EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::complete) << got.outcome.diagnosis;
    EXPECT_THAT(got.faults, IsEmpty());
    std::vector<std::vector<operation_times>> times;
    for (const rank_report& each : got.ranks) times.push_back(each.times);
    return calibration::of(probes, times);
}

const loggops_tables& one_switch_tables() {
    static const loggops_tables tables = measured(one_switch(8), 8, 32).tables({}, control_bytes);
    return tables;
}

TEST(calibration, one_switch_gives_its_closed_form) {
    const calibration found = measured(one_switch(8), 8, 32);
    ASSERT_EQ(found.lengths.size(), 4u);
    const std::uint64_t ways[] = {2006, 2323, 3323, 17323}, gaps[] = {1001, 1096, 2027, 16000};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found.lengths[i].way, ways[i]);
        EXPECT_EQ(found.lengths[i].least, ways[i]) << "all pairs are alike";
        EXPECT_EQ(found.lengths[i].most, ways[i]);
        EXPECT_EQ(found.lengths[i].gap, gaps[i]);
    }
    ASSERT_EQ(found.distances.size(), 1u);
    EXPECT_EQ(found.distances[0].pairs, 32u);
    EXPECT_TRUE(found.shared) << "an interface has one processor for both directions";
}

TEST(calibration, pairs_are_of_all_distances) {
    topology::graph line;
    for (unsigned chip = 0; chip < 3; ++chip) line.add_switch("switch" + std::to_string(chip), 4);
    line.connect(0, 0, 1, 0);
    line.connect(1, 1, 2, 0);
    for (unsigned host = 0; host < 6; ++host) line.attach_host("host" + std::to_string(host), host / 2, 2 + host % 2);
    std::vector<std::uint32_t> distances;
    for (const rank_pair& each : pairs_of(line, linear(6), 3)) {
        EXPECT_NE(each.from, each.to);
        distances.push_back(each.distance);
    }
    EXPECT_THAT(distances, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2));
    const calibration found = measured(line, 6, 2);
    ASSERT_EQ(found.distances.size(), 3u);
    EXPECT_LT(found.distances[0].way[1], found.distances[1].way[1]);
    EXPECT_LT(found.distances[1].way[1], found.distances[2].way[1]);
    EXPECT_EQ(found.lengths[1].least, found.distances[0].way[1]);
}

// All of the table of program.md but the message that asks.
TEST(calibration, predictions_on_one_switch_are_the_closed_forms) {
    collective made;
    made.ranks = 8;
    const auto predicted = [&](collective_kind kind, const char* name, std::uint64_t bytes) {
        made.kind = kind;
        made.combined.type = kind == collective_kind::barrier ? element_type::u8 : element_type::f32;
        made.elements = bytes / made.element_bytes();
        return run_with_tables(make_program(*collectives::find_algorithm(kind, name), made), one_switch_tables())
            .latest();
    };
    constexpr cycle one = 4323, shortest = 4006;
    EXPECT_EQ(predicted(collective_kind::barrier, "dissemination", 1), 3 * shortest);
    EXPECT_EQ(predicted(collective_kind::broadcast, "binomial", 128), 3 * one);
    EXPECT_EQ(predicted(collective_kind::allreduce, "doubling", 128), 3 * one);
    EXPECT_EQ(predicted(collective_kind::allgather, "ring", 8 * 128), 7 * one);
}

TEST(advice, all_algorithms_that_can_do_it_the_fastest_first) {
    collective made;
    made.ranks = 6;
    made.elements = 32;
    const auto all = collectives::predict(made, one_switch_tables());
    EXPECT_EQ(all.size(), 6u);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].cycles, all[i].cycles);
    made.kind = collective_kind::allgather;
    for (const auto& each : collectives::predict(made, one_switch_tables())) EXPECT_NE(each.by->name, "doubling");
}

TEST(advice, crossovers_are_bisected) {
    const collectives::algorithm* const ring = collectives::find_algorithm(collective_kind::allreduce, "ring");
    const collectives::algorithm* const doubling = collectives::find_algorithm(collective_kind::allreduce, "doubling");
    const auto found = collectives::crossovers(
        {16, 1024, 65536}, [&](std::uint64_t elements) { return elements < 5000 ? doubling : ring; });
    ASSERT_EQ(found.size(), 1u);
    EXPECT_GE(found[0].elements, 5000u);
    EXPECT_LE(found[0].elements, 5500u);
    EXPECT_EQ(found[0].before, doubling);
    EXPECT_EQ(found[0].after, ring);
}

}  // namespace
}  // namespace polycast::hw::programs
