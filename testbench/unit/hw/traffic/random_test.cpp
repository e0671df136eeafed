// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/random.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace polycast::hw::traffic {
namespace {

// The published sequence of SplitMix64 for seed 1234567.
TEST(random_stream, is_splitmix64) {
    random_stream stream(1234567);
    EXPECT_EQ(stream(), 6457827717110365317u);
    EXPECT_EQ(stream(), 3203168211198807973u);
    EXPECT_EQ(stream(), 9817491932198370423u);
    EXPECT_EQ(stream(), 4593380528125082431u);
    EXPECT_EQ(stream(), 16408922859458223821u);
}

TEST(random_stream, streams_of_a_family_differ) {
    std::set<std::uint64_t> first;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        for (std::uint64_t index = 0; index < 100; ++index) first.insert(random_stream(seed, index)());
    }
    EXPECT_EQ(first.size(), 3000u);
}

TEST(fill_payload, depends_on_seed_source_and_sequence_and_on_nothing_else) {
    const auto payload = [](std::uint64_t seed, std::uint32_t source, std::uint32_t sequence, std::size_t bytes) {
        std::vector<std::uint8_t> data(bytes);
        fill_payload(seed, source, sequence, data);
        return data;
    };
    const std::vector<std::uint8_t> reference = payload(1, 2, 3, 64);
    EXPECT_EQ(payload(1, 2, 3, 64), reference);
    EXPECT_NE(payload(2, 2, 3, 64), reference);
    EXPECT_NE(payload(1, 3, 3, 64), reference);
    EXPECT_NE(payload(1, 2, 4, 64), reference);
    // Shorter payloads are prefixes: cutting a packet short does not look like another packet.
    EXPECT_EQ(payload(1, 2, 3, 13), std::vector<std::uint8_t>(reference.begin(), reference.begin() + 13));
}

}  // namespace
}  // namespace polycast::hw::traffic
