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

TEST(random_stream, skips) {
    random_stream stream(1234567);
    stream.skip(4);
    EXPECT_EQ(stream(), 16408922859458223821u);
}

TEST(fill_payload, depends_on_seed_and_transfer_and_on_nothing_else) {
    const auto payload = [](std::uint64_t seed, std::uint64_t transfer, std::size_t bytes) {
        std::vector<std::uint8_t> data(bytes);
        fill_payload(seed, transfer, data);
        return data;
    };
    const std::vector<std::uint8_t> reference = payload(1, 2, 64);
    EXPECT_EQ(payload(1, 2, 64), reference);
    EXPECT_NE(payload(2, 2, 64), reference);
    EXPECT_NE(payload(1, 3, 64), reference);
    EXPECT_NE(payload(1, 2 | std::uint64_t{1} << 40, 64), reference);
    // Shorter payloads are prefixes: cutting a packet short does not look like another packet.
    EXPECT_EQ(payload(1, 2, 13), std::vector<std::uint8_t>(reference.begin(), reference.begin() + 13));
}

// Any part can be made alone, at any alignment.
TEST(fill_payload, parts_are_those_of_the_whole) {
    std::vector<std::uint8_t> whole(100);
    fill_payload(5, 7, whole);
    for (std::size_t offset = 0; offset <= whole.size(); ++offset) {
        for (std::size_t bytes = 0; bytes <= whole.size() - offset; ++bytes) {
            std::vector<std::uint8_t> part(bytes);
            fill_payload(5, 7, part, offset);
            const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(offset);
            ASSERT_EQ(part, std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(bytes)))
                << offset << " " << bytes;
        }
    }
}

TEST(fill_payload, words_in_little_endian_order) {
    std::vector<std::uint8_t> bytes(12);
    fill_payload(1, 3, bytes);
    random_stream stream(1, 3);
    const std::uint64_t words[] = {stream(), stream()};
    for (std::size_t index = 0; index < bytes.size(); ++index)
        EXPECT_EQ(bytes[index], static_cast<std::uint8_t>(words[index / 8] >> index % 8 * 8));
    const std::uint64_t far = std::uint64_t{1} << 40;
    fill_payload(1, 3, bytes, far);
    stream.skip(far / 8 - 2);
    EXPECT_EQ(bytes[0], static_cast<std::uint8_t>(stream()));
}

}  // namespace
}  // namespace polycast::hw::traffic
