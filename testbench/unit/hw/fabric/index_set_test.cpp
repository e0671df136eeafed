// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/index_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace polycast::testbench::unit {
namespace {

/// Beyond 4,096 the words that are in use fill more than one word themselves.
TEST(index_set, holds_what_a_set_holds) {
    std::mt19937 random(1);
    for (const std::uint32_t end : {1u, 64u, 65u, 4096u, 4097u, 20000u}) {
        hw::fabric::index_set found(end);
        std::set<std::uint32_t> expected;
        const auto expect_equal = [&] {
            std::vector<std::uint32_t> seen;
            found.for_each([&](std::uint32_t index) { seen.push_back(index); });
            EXPECT_EQ(seen, std::vector<std::uint32_t>(expected.begin(), expected.end())) << end;
            EXPECT_EQ(found.empty(), expected.empty()) << end;
        };
        for (unsigned round = 0; round < 50; ++round) {
            expect_equal();
            for (unsigned turn = 0; turn < 20; ++turn) {
                const auto in = static_cast<std::uint32_t>(random() % end),
                           out = static_cast<std::uint32_t>(random() % end);
                found.insert(in);
                expected.insert(in);
                found.erase(out);
                expected.erase(out);
            }
            expect_equal();
            const std::uint32_t kept = round % 3;  // of three
            std::size_t announced = 0, visited = 0;
            found.keep_if([&](std::size_t more) { announced += more; },
                          [&](std::uint32_t index) {
                              EXPECT_LT(visited, announced);
                              ++visited;
                              return index % 3 < kept;
                          });
            EXPECT_EQ(announced, expected.size());
            EXPECT_EQ(visited, expected.size());
            std::erase_if(expected, [&](std::uint32_t index) { return index % 3 >= kept; });
        }
    }
}

}  // namespace
}  // namespace polycast::testbench::unit
