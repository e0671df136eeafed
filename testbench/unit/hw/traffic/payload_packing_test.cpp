// SPDX-License-Identifier: Apache-2.0
// Bytes that go to another process come out as they were; payloads take a few bytes on the way.
#include "hw/traffic/payload_packing.h"

#include <gtest/gtest.h>

#include <random>

#include "hw/engine/packing.h"

namespace polycast::hw::traffic {
namespace {

using bytes = std::vector<std::uint8_t>;

bytes payload(std::size_t size, std::uint64_t transfer = 7, std::uint64_t offset = 0) {
    bytes made(size);
    fill_payload(3, transfer, made, offset);
    return made;
}

std::size_t packed_size(const bytes& all) {
    const std::string there = engine::packed(packed_payload{all});
    EXPECT_EQ(engine::unpacked<packed_payload>(there).bytes, all) << all.size() << " bytes";
    return there.size();
}

TEST(payload_packing, payloads_of_any_length_from_any_word_are_short) {
    for (const std::size_t size : {9u, 15u, 16u, 17u, 100u, 4096u, 100000u})
        for (const std::uint64_t offset : {0u, 8u, 4096u}) EXPECT_LE(packed_size(payload(size, size, offset)), 16u);
}

TEST(payload_packing, other_bytes_stay_as_they_are) {
    for (std::size_t size = 0; size <= 9; ++size) packed_size(payload(size, 1, 3));
    EXPECT_GT(packed_size(payload(64, 1, 3)), 64u) << "not from a word's beginning";
    std::mt19937 random(1);
    bytes some(50);
    for (std::uint8_t& byte : some) byte = static_cast<std::uint8_t>(random());
    EXPECT_GT(packed_size(some), 50u);
}

TEST(payload_packing, a_single_wrong_byte_is_sent) {
    const bytes right = payload(300);
    for (std::size_t place = 0; place < right.size(); ++place) {
        bytes wrong = right;
        wrong[place] ^= 0x10;
        packed_size(wrong);
    }
}

}  // namespace
}  // namespace polycast::hw::traffic
