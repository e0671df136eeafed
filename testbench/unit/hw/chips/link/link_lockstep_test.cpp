// SPDX-License-Identifier: Apache-2.0
// Link ends of the core and of the golden model in lockstep, between random chips and faults.
#include <gtest/gtest.h>

#include <cstdlib>

#include "testbench/equivalence/link_end_run.h"

namespace polycast::testbench::unit {
namespace {

using namespace equivalence;

/// POLYCAST_LINK_SEED=n repeats one run, POLYCAST_LINK_RUNS=n makes more of them.
TEST(link_lockstep, core_and_golden_are_the_same) {
    const char* seed = std::getenv("POLYCAST_LINK_SEED");
    const char* runs = std::getenv("POLYCAST_LINK_RUNS");
    const std::uint64_t first = seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0;
    const std::uint64_t count = seed != nullptr ? 1 : runs != nullptr ? std::strtoull(runs, nullptr, 10) : 500;
    std::map<std::string, std::uint64_t> seen;
    unsigned failures = 0;
    for (std::uint64_t number = first; number < first + count && failures < 5; ++number) {
        const link_end_outcome outcome = run(draw_link_end_run(number, 2000));
        EXPECT_EQ(outcome.failure, "") << (++failures, "");
        for (const auto& [name, times] : outcome.seen) seen[name] += times;
    }
    if (count < 500) return;
    for (const auto& [name, times] : seen) RecordProperty(name, std::to_string(times));
    seen.erase("cbfc_sender_credits_used");  // at the end
    for (const auto& [name, times] : seen) EXPECT_GE(times, 5u) << name;
    EXPECT_GE(seen.size(), 42u);
    EXPECT_GE(seen["cycles"], 1000000u);
}

}  // namespace
}  // namespace polycast::testbench::unit
