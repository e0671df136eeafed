// SPDX-License-Identifier: Apache-2.0
// A machine is found again from what it takes, and other sizes then take what they took.
#include "hw/collectives/fit.h"

#include <gtest/gtest.h>

namespace polycast::hw::collectives {
namespace {

constexpr std::uint64_t kib = 1024, mib = 1024 * kib;

TEST(fit, finds_overhead_and_link_again) {
    collective made;
    made.kind = collective_kind::allgather;
    made.ranks = 8;
    for (const char* name : {"direct", "ring"}) {
        const algorithm& by = *find_algorithm(made.kind, name);
        const fitted_machine wanted{.overhead = 780, .link = 246, .reduce = 0};
        const auto took = [&](std::uint64_t bytes) {
            return measured_time{bytes, nanoseconds_of(by, made, bytes, wanted)};
        };
        const fitted_machine found = fit(by, made, took(kib), took(256 * mib), std::nullopt);
        EXPECT_NEAR(static_cast<double>(found.overhead), 780, 2) << name;
        EXPECT_NEAR(found.link, 246, 1) << name;
        EXPECT_NEAR(nanoseconds_of(by, made, mib, found), took(mib).nanoseconds, 0.01 * took(mib).nanoseconds) << name;
    }
}

TEST(fit, finds_the_rate_of_reductions_where_the_link_is_known) {
    collective made;
    made.ranks = 8;
    const algorithm& by = *find_algorithm(made.kind, "two_shot");
    const fitted_machine wanted{.overhead = 500, .link = 100, .reduce = 50};
    const auto took = [&](std::uint64_t bytes) {
        return measured_time{bytes, nanoseconds_of(by, made, bytes, wanted)};
    };
    const fitted_machine found = fit(by, made, took(kib), took(64 * mib), 100.0);
    EXPECT_EQ(found.link, 100);
    EXPECT_NEAR(found.reduce, 50, 1);
}

}  // namespace
}  // namespace polycast::hw::collectives
