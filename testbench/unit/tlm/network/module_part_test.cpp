// SPDX-License-Identifier: Apache-2.0
// Chips of an engine's network do the same in SystemC modules, any of them, beside any number of threads.
#include "tlm/network/module_part.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "testbench/unit/hw/engine/babble.h"
#include "testbench/unit/tlm/in_child.h"

namespace polycast::tlm::network {
namespace {

using hw::engine::babble;
using hw::engine::cycle;
using hw::engine::never;
using testbench::unit::in_child;

/// Every chip is in a module with this probability.
hw::engine::threading modules_and(unsigned threads, double share, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<placement> places;
    for (std::size_t chip = 0; chip < hw::engine::babblers().size(); ++chip)
        places.push_back(std::bernoulli_distribution(share)(random) ? placement::module : placement::engine);
    hw::engine::threading how{threads, {}, true};
    how.foreign = in_modules({.where = [places](hw::engine::chip_id id) { return places[id]; }});
    return how;
}

class module_part : public testing::TestWithParam<hw::engine::pin_shape> {};

TEST_P(module_part, chips_that_do_anything_do_the_same_in_modules) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const bool watched = seed % 2 == 0;
        const babble reference = hw::engine::run_babble(seed, GetParam(), {}, watched);
        for (const unsigned threads : {1u, 2u})
            for (const double share : {1.0, 0.5, 0.1})
                in_child([&] {
                    SCOPED_TRACE("seed " + std::to_string(seed) + ", threads " + std::to_string(threads) + ", share " +
                                 std::to_string(share));
                    const babble same =
                        hw::engine::run_babble(seed, GetParam(), modules_and(threads, share, seed), watched);
                    EXPECT_EQ(difference(same, reference), "");
                });
    }
}

TEST_P(module_part, the_first_failure_ends_the_run_and_nothing_behind_it_is_told) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        for (const cycle when : {cycle{0}, cycle{1}, cycle{40}}) {
            const babble reference = hw::engine::run_babble(seed, GetParam(), {}, false, when);
            in_child([&] {
                const babble same = hw::engine::run_babble(seed, GetParam(), modules_and(1, 0.5, seed), false, when);
                ASSERT_EQ(same.records.size(), 1u);
                EXPECT_EQ(same.records.front().substr(same.records.front().find("chip ")), reference.records.front());
                EXPECT_EQ(same.all, reference.all) << "seed " << seed;
                EXPECT_EQ(same.numbers, reference.numbers) << "seed " << seed;
            });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(shapes, module_part,
                         testing::Values(hw::engine::wide_shape(), hw::engine::pin_shape{3, 1, 0, 2, 0x3, 1}));

}  // namespace
}  // namespace polycast::tlm::network
