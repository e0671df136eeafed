// SPDX-License-Identifier: Apache-2.0
// A network does the same on any number of ranks, with any partition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>

#include "testbench/unit/hw/engine/babble.h"
#include "testbench/unit/hw/engine/thread_ranks.h"

namespace polycast::hw::engine {
namespace {

class ranks : public testing::TestWithParam<pin_shape> {};

babble babble_on_ranks(unsigned count, std::uint64_t seed, const pin_shape& shape, const threading& how, bool watched,
                       cycle failing = never, cycle warned = 0) {
    return on_ranks<babble>(count, [&](std::shared_ptr<rank_group> group) {
        threading own = how;
        own.ranks = std::move(group);
        return run_babble(seed, shape, own, watched, failing, warned);
    });
}

TEST_P(ranks, chips_that_do_anything_do_the_same_in_any_partition) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const bool watched = seed % 2 == 0;
        const babble reference = run_babble(seed, GetParam(), {}, watched);
        std::mt19937_64 random(seed);
        for (const unsigned count : {2u, 3u, 7u}) {
            SCOPED_TRACE(std::to_string(count) + " ranks");
            EXPECT_EQ(difference(babble_on_ranks(count, seed, GetParam(), {}, watched), reference), "")
                << "a partition of its own";
            for (const unsigned threads : {1u, 2u})
                EXPECT_EQ(
                    difference(babble_on_ranks(count, seed, GetParam(),
                                               random_parts(babblers(), threads, random, threads * count), watched),
                               reference),
                    "")
                    << "a random partition, threads: " << threads;
        }
    }
}

TEST_P(ranks, the_first_failure_ends_the_run_and_nothing_behind_it_is_told) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        for (const cycle when : {cycle{0}, cycle{1}, cycle{40}}) {
            const babble reference = run_babble(seed, GetParam(), {}, false, when);
            std::mt19937_64 random(seed);
            const babble same =
                babble_on_ranks(3, seed, GetParam(), random_parts(babblers(), 1, random, 3), false, when);
            EXPECT_EQ(same.records, reference.records) << "seed " << seed;
            EXPECT_EQ(same.all, reference.all) << "seed " << seed;
            EXPECT_EQ(same.numbers, reference.numbers) << "seed " << seed;
        }
    }
}

TEST_P(ranks, a_failure_that_is_announced_leaves_everything_as_in_one_process) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const bool watched = seed % 2 == 0;
        const cycle warned = 1 + seed * 2;
        const babble reference = run_babble(seed, GetParam(), {}, watched, 60, warned);
        EXPECT_GT(reference.numbers.size(), 1u);
        std::mt19937_64 random(seed);
        for (const unsigned threads : {1u, 2u}) {
            const threading how = random_parts(babblers(), threads, random, threads * 3);
            EXPECT_EQ(difference(babble_on_ranks(3, seed, GetParam(), how, watched, 60, warned), reference), "");
            const threading alone = random_parts(babblers(), 3, random);
            EXPECT_EQ(difference(run_babble(seed, GetParam(), alone, watched, 60, warned), reference), "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(shapes, ranks, testing::Values(wide_shape(), side_shape(), packet_shape()));

TEST(ranks, hosts_and_scoreboards_see_the_same) {
    topology::irregular_params shape;
    shape.seed = 4;
    system::system_params params;
    params.host.send_overhead = params.host.receive_overhead = 20;
    params.firmware_times = system::paper_costs(20, 20);
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), params);
    for (const char* scheme : {"tree", "ni", "hybrid", "software", "unicasts"}) {
        for (const std::uint64_t board : {std::uint64_t{1}, std::uint64_t{2}}) {
            SCOPED_TRACE(std::string(scheme) + ", board " + std::to_string(board));
            const host_run reference = run_hosts(plan, scheme, board, {});
            for (const unsigned count : {2u, 3u}) {
                const host_run same = on_ranks<host_run>(count, [&](std::shared_ptr<rank_group> group) {
                    return run_hosts(plan, scheme, board, {1, {}, true, std::move(group)});
                });
                EXPECT_TRUE(same == reference) << count;
            }
        }
    }
}

traffic::workload_params short_work() {
    traffic::workload_params work;
    work.end = 100;
    return work;
}

TEST(ranks, the_others_make_only_what_they_step) {
    topology::irregular_params shape;
    shape.seed = 4;
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), {});
    std::array<std::atomic<std::size_t>, 3> switches{}, hosts{};
    on_ranks<bool>(3, [&](std::shared_ptr<rank_group> group) {
        const unsigned rank = group->rank();
        traffic::workload source(short_work());
        traffic::scoreboard board(1, {}, 128);
        const system::host_factory make = system::workload_hosts(system::native(), source, board, 1);
        system::system_network network(
            plan,
            [&](const system::system_plan& of, chip_id id) {
                ++switches[rank];
                return system::make_core(of, id);
            },
            [&](const system::system_plan& of, std::uint32_t host) {
                ++hosts[rank];
                return make(of, host);
            },
            board,
            [&](const system::system_plan&) { return std::make_unique<engine::network>(threading{.ranks = group}); });
        network.run({.cycles = 100});
        return true;
    });
    EXPECT_EQ(switches[0], plan.switch_count());
    EXPECT_EQ(hosts[0], plan.hosts.size());
    EXPECT_LE(switches[1] + switches[2], plan.switch_count());
    EXPECT_LT(hosts[1] + hosts[2], plan.hosts.size());
    for (const unsigned rank : {1u, 2u}) EXPECT_GT(switches[rank] + hosts[rank], 0u);
}

TEST(ranks, others_leave_if_the_first_one_cannot_build) {
    topology::irregular_params shape;
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), {});
    std::atomic<unsigned> left = 0;
    const auto build = [&](std::shared_ptr<rank_group> group) {
        traffic::workload source(short_work());
        traffic::scoreboard board(1, {}, 128);
        const bool first = group->first();
        const auto chips = [first](const system::system_plan& of, chip_id id) {
            if (first && id == 3) throw std::runtime_error("no model");
            return system::make_core(of, id);
        };
        try {
            const system::system_network network(
                plan, chips, system::workload_hosts(system::native(), source, board, 1), board,
                [&](const system::system_plan&) {
                    return std::make_unique<engine::network>(threading{.ranks = group});
                });
        } catch (const simulated_elsewhere&) {
            ++left;
            throw;
        }
        return true;
    };
    EXPECT_THROW(on_ranks<bool>(3, build), std::runtime_error);
    EXPECT_EQ(left, 2u);
}

TEST(ranks, chips_with_a_shared_object_are_of_the_first_one) {
    const auto part_of = [](std::shared_ptr<rank_group> group) {
        story all;
        threading how{1, {{"a", 1}, {"b", 0}, {"c", 0}, {"d", 1}}, true, std::move(group)};
        network net(how);
        for (const char* name : {"a", "b", "c", "d"}) {
            auto chip = std::make_unique<babbler>(0, wide_shape(), all);
            if (*name == 'a' || *name == 'c') chip->common = &all;
            net.add(std::move(chip), name);
        }
        net.run_slices({1, never, never}, [](bool) { return true; });
        return net.part_of();
    };
    EXPECT_THAT(on_ranks<std::vector<std::uint32_t>>(2, part_of), testing::ElementsAre(0, 0, 0, 2));
}

/// The first of two ranks; what it says to the other, which is not there.
class lone_rank final : public rank_group {
public:
    explicit lone_rank(std::string failing) : failing_(std::move(failing)) {}

    unsigned rank() const override { return 0; }
    unsigned size() const override { return 2; }
    std::vector<std::string> exchange(std::span<const unsigned>, std::span<const std::string>) override {
        said.emplace_back("exchange");
        if (failing_ == said.back()) throw std::runtime_error("no memory");
        return {""};
    }
    void least(std::span<std::uint64_t>) override {}
    std::vector<std::string> gather(const std::string& own) override { return {own}; }
    std::string spread(const std::string& own) override {
        said.emplace_back("spread");
        return own;
    }
    void abort(int) override {}

    std::vector<std::string> said;

private:
    std::string failing_;
};

/// \returns what was said after the failure of what two chips on two ranks do: `failing`, or the end of a slice
std::vector<std::string> said_after(const std::string& failing) {
    const auto group = std::make_shared<lone_rank>(failing);
    story all;
    network net({1, {{"a", 0}, {"b", 1}}, true, group});
    for (const char* name : {"a", "b"}) net.add(std::make_unique<babbler>(0, wide_shape(), all), name);
    net.connect({0, 0}, {1, 0}, {});
    std::size_t before = 0;
    const auto look = [&](bool) -> bool {
        before = group->said.size();
        throw std::runtime_error("no memory");
    };
    if (failing.empty()) {
        EXPECT_THROW(net.run_slices({never, 10, never}, look), std::runtime_error);
    } else {
        EXPECT_THROW(net.run_slices({never, 10, never}, look), out_of_step);
        before = static_cast<std::size_t>(std::ranges::find(group->said, failing) - group->said.begin()) + 1;
    }
    return {group->said.begin() + static_cast<std::ptrdiff_t>(before), group->said.end()};
}

TEST(ranks, a_rank_that_fails_tells_the_others_only_where_they_wait_for_it) {
    EXPECT_THAT(said_after("exchange"), testing::IsEmpty());
    EXPECT_THAT(said_after(""), testing::ElementsAre("spread")) << "that they are to end";
}

}  // namespace
}  // namespace polycast::hw::engine
