// SPDX-License-Identifier: Apache-2.0
// A network does the same on any number of threads and with any partition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>

#include "hw/engine/effects.h"
#include "hw/engine/network.h"
#include "hw/engine/partition.h"
#include "hw/engine/team.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/engine/babble.h"

namespace polycast::hw::engine {
namespace {

using testing::ElementsAre;

class threads : public testing::TestWithParam<pin_shape> {};

TEST_P(threads, chips_that_do_anything_do_the_same_in_any_partition) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const bool watched = seed % 2 == 0;
        const babble reference = run_babble(seed, GetParam(), {}, watched);
        EXPECT_GT(reference.all.size(), 500u);
        std::mt19937_64 random(seed);
        for (const unsigned count : {2u, 3u, 5u}) {
            SCOPED_TRACE(std::to_string(count) + " threads");
            EXPECT_EQ(difference(run_babble(seed, GetParam(), {count, {}, true}, watched), reference), "")
                << "a partition of its own";
            EXPECT_EQ(
                difference(run_babble(seed, GetParam(), random_parts(babblers(), count, random), watched), reference),
                "")
                << "a random partition";
        }
    }
}

TEST_P(threads, the_first_failure_ends_the_run_and_nothing_behind_it_is_told) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        for (const cycle when : {cycle{0}, cycle{1}, cycle{40}}) {
            const babble reference = run_babble(seed, GetParam(), {}, false, when);
            std::mt19937_64 random(seed);
            const babble same = run_babble(seed, GetParam(), random_parts(babblers(), 3, random), false, when);
            EXPECT_EQ(same.records, reference.records) << "seed " << seed;
            EXPECT_EQ(same.all, reference.all) << "seed " << seed;
            EXPECT_EQ(same.numbers, reference.numbers) << "seed " << seed;
        }
    }
}

TEST(threads, chips_with_a_shared_object_follow_the_first_of_them) {
    story all;
    network net({2, {{"a", 1}, {"b", 0}, {"c", 0}, {"d", 1}}, true});
    for (const char* name : {"a", "b", "c", "d"}) {
        auto chip = std::make_unique<babbler>(0, wide_shape(), all);
        if (*name == 'a' || *name == 'c') chip->common = &all;
        net.add(std::move(chip), name);
    }
    net.run(1);
    EXPECT_THAT(net.part_of(), ElementsAre(1, 0, 1, 1));
}

INSTANTIATE_TEST_SUITE_P(shapes, threads, testing::Values(wide_shape(), side_shape(), packet_shape()));

TEST(threads, hosts_and_scoreboards_see_the_same) {
    topology::irregular_params shape;
    shape.seed = 4;
    system::system_params params;
    params.host.send_overhead = params.host.receive_overhead = 20;
    params.firmware_times = system::paper_costs(20, 20);
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), params);
    std::vector<std::string> chips;
    for (const system::planned_chip& chip : plan.chips) chips.push_back(chip.name);
    std::mt19937_64 random(1);
    for (const char* scheme : {"tree", "ni", "hybrid", "software", "unicasts"}) {
        for (const std::uint64_t board : {std::uint64_t{1}, std::uint64_t{2}}) {
            SCOPED_TRACE(std::string(scheme) + ", board " + std::to_string(board));
            const host_run reference = run_hosts(plan, scheme, board, {});
            EXPECT_EQ(reference.counts.exactly_once(), board == 1);
            EXPECT_EQ(reference.faults.empty(), board == 1);
            EXPECT_TRUE(run_hosts(plan, scheme, board, {2, {}, true}) == reference);
            EXPECT_TRUE(run_hosts(plan, scheme, board, random_parts(chips, 3, random)) == reference);
        }
    }
}

TEST(effect_log, everything_is_done_in_the_order_of_cycles_and_chips) {
    std::vector<int> done;
    std::array<effect_log, 2> logs;
    const auto add = [&](effect_log& log, cycle when, std::uint32_t chip, int what) {
        log.begin(when, chip);
        log.add([&done, what] { done.push_back(what); });
    };
    add(logs[0], 1, 7, 2);
    add(logs[0], 3, 0, 4);
    add(logs[0], 3, 0, 5);
    add(logs[1], 1, 2, 1);
    add(logs[1], 2, 9, 3);
    add(logs[1], 3, 1, 6);
    const std::array<effect_log*, 2> both{&logs[0], &logs[1]};
    effect_log::act(both, {}, {}, 3, 0);
    EXPECT_THAT(done, ElementsAre(1, 2, 3, 4, 5)) << "not what is behind chip 0 in cycle 3";
    EXPECT_TRUE(logs[0].empty());
    EXPECT_TRUE(logs[1].empty());
}

/// A row of chips, each joined to the next.
partition_input row(std::size_t chips) {
    partition_input input;
    input.weight.assign(chips, 10);
    input.together.assign(chips, nullptr);
    for (std::uint32_t chip = 0; chip + 1 < chips; ++chip) input.cables.push_back({chip, chip + 1, 1});
    return input;
}

std::vector<std::uint64_t> weights_of(const partition_input& input, const std::vector<std::uint32_t>& part_of,
                                      unsigned parts) {
    std::vector<std::uint64_t> sums(parts);
    for (std::size_t chip = 0; chip < part_of.size(); ++chip) sums[part_of[chip]] += input.weight[chip];
    return sums;
}

TEST(partition, parts_weigh_the_same) {
    partition_input input = row(200);
    for (std::size_t chip = 0; chip < 20; ++chip) input.weight[chip] = 1000;
    for (const unsigned parts : {2u, 3u, 8u, 20u}) {
        const std::vector<std::uint64_t> sums = weights_of(input, make_partition(input, parts), parts);
        const std::uint64_t mean = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) / parts;
        EXPECT_LE(std::ranges::max(sums), mean + 1000) << parts;
        EXPECT_GT(std::ranges::min(sums), 0u) << parts;
    }
}

TEST(partition, chips_with_a_shared_object_stay_together) {
    partition_input input = row(100);
    int shared = 0, other = 0;
    for (const std::size_t chip : {3u, 50u, 97u}) input.together[chip] = &shared;
    for (const std::size_t chip : {10u, 80u}) input.together[chip] = &other;
    const std::vector<std::uint32_t> parts = make_partition(input, 4);
    EXPECT_EQ(parts[3], parts[50]);
    EXPECT_EQ(parts[3], parts[97]);
    EXPECT_EQ(parts[10], parts[80]);
    EXPECT_EQ(std::set(parts.begin(), parts.end()).size(), 4u);
}

TEST(partition, long_cables_are_cut) {
    partition_input input = row(64);
    input.cables[30].delay = 100;  // not quite in the middle
    const std::vector<std::uint32_t> parts = make_partition(input, 2);
    for (std::size_t chip = 0; chip + 1 < 64; ++chip) EXPECT_EQ(parts[chip] == parts[chip + 1], chip != 30) << chip;
}

TEST(partition, fewer_chips_than_parts) {
    const std::vector<std::uint32_t> parts = make_partition(row(3), 8);
    EXPECT_EQ(std::set(parts.begin(), parts.end()).size(), 3u);
    EXPECT_LT(std::ranges::max(parts), 8u);
}

std::string refusal_of(std::string_view text) {
    const std::vector<std::string> chips{"switch0", "switch1", "host0"};
    try {
        read_partition("parts.txt", text, chips, 2);
    } catch (const input_error& refused) {
        return refused.what();
    }
    return "";
}

TEST(partition, a_file_names_every_chip_once) {
    const std::vector<std::string> chips{"switch0", "switch1", "host0"};
    EXPECT_EQ(read_partition("parts.txt", "# all\n\nswitch0 1 # here\n host0\t0\nswitch1 1\n", chips, 2),
              (std::map<std::string, std::uint32_t>{{"switch0", 1}, {"switch1", 1}, {"host0", 0}}));
    EXPECT_EQ(refusal_of("switch0 0\nswich1 0\n"),
              "parts.txt:2:1: there is no chip 'swich1' in the network; did you mean 'switch1'?");
    EXPECT_EQ(refusal_of("switch0 0\nswitch0 1\n"), "parts.txt:2:1: chip 'switch0' has a part already; name it once");
    EXPECT_EQ(refusal_of("switch0 0\nhost0 0\n"),
              "parts.txt: chip 'switch1' has no part; a line for each chip of the network");
    EXPECT_EQ(refusal_of("switch0 2\n"),
              "parts.txt:1:9: part 2 of 2; parts are 0..1, one for each of 'network.threads'");
    for (const char* text : {"switch0\n", "switch0 one\n", "switch0 0 1\n", "switch0 -1\n"})
        EXPECT_THAT(refusal_of(text), testing::HasSubstr("parts.txt:1:")) << text;
}

TEST(team, everybody_works_in_every_window) {
    for (const unsigned members : {1u, 2u, 5u}) {
        team some(members, true);
        std::vector<std::uint64_t> done(members);
        for (unsigned window = 0; window < 2000; ++window) some.each([&](unsigned member) { done[member] += window; });
        EXPECT_EQ(done, std::vector<std::uint64_t>(members, 2000 * 1999 / 2));
        EXPECT_EQ(some.windows_together(), members == 1 ? 0 : 2000u);
    }
}

/// Windows until `mode` has spent `time` in each mode; [together] how many.
std::array<unsigned, 2> windows_of(team_mode& mode, std::chrono::nanoseconds together, std::chrono::nanoseconds alone,
                                   unsigned windows) {
    std::array<unsigned, 2> count{};
    for (unsigned window = 0; window < windows; ++window) {
        ++count[mode.together()];
        mode.took(mode.together() ? together : alone);
    }
    return count;
}

TEST(team_mode, what_is_faster_is_used_and_the_other_tried_more_and_more_seldom) {
    using std::chrono::microseconds;
    team_mode idle;
    EXPECT_LT(windows_of(idle, microseconds(10), microseconds(18), 100000)[false], 3000u);
    team_mode busy;
    EXPECT_LT(windows_of(busy, microseconds(30), microseconds(18), 100000)[true], 3000u);
    // The machine becomes idle again.
    windows_of(busy, microseconds(10), microseconds(18), 100000);
    EXPECT_TRUE(busy.together());
}

TEST(team_mode, a_trial_that_stands_still_is_given_up) {
    using std::chrono::microseconds;
    team_mode busy;
    windows_of(busy, microseconds(30), microseconds(18), 100000);
    EXPECT_LT(windows_of(busy, std::chrono::milliseconds(4), microseconds(18), 100000)[true], 5u);
}

}  // namespace
}  // namespace polycast::hw::engine
