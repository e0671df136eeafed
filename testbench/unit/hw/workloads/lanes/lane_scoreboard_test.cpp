// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_scoreboard.h"

#include <gmock/gmock.h>

#include "hw/traffic/random.h"

namespace polycast::hw::lanes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t seed = 5;
constexpr std::uint64_t all_bytes = 1000;

std::vector<std::uint8_t> payload_of(std::uint64_t first, std::size_t bytes) {
    std::vector<std::uint8_t> content(bytes);
    traffic::fill_payload(seed, broadcast_transfer, content, first);
    return content;
}

TEST(lane_scoreboard, says_when_each_node_has_everything) {
    lane_scoreboard scores(seed, 3, all_bytes);
    scores.landed(10, 1, 500, payload_of(500, 500));
    scores.landed(11, 2, 0, payload_of(0, 1000));
    EXPECT_THAT(scores.completed(), ElementsAre(0, engine::never, 11));
    EXPECT_FALSE(scores.complete());
    EXPECT_THAT(scores.missing(), HasSubstr("node 1 lacks 500 bytes, first bytes 0..499"));
    scores.landed(12, 1, 0, payload_of(0, 300));
    EXPECT_THAT(scores.missing(), HasSubstr("lacks 200 bytes, first bytes 300..499"));
    scores.landed(13, 1, 300, payload_of(300, 200));
    EXPECT_THAT(scores.completed(), ElementsAre(0, 13, 11));
    EXPECT_TRUE(scores.complete());
    EXPECT_TRUE(scores.good());
    EXPECT_THAT(scores.missing(), IsEmpty());
    EXPECT_EQ(scores.checked(), 2 * all_bytes);
}

TEST(lane_scoreboard, finds_a_wrong_byte) {
    for (const std::size_t wrong : {0u, 77u, 999u}) {
        lane_scoreboard scores(seed, 2, all_bytes);
        std::vector<std::uint8_t> content = payload_of(0, all_bytes);
        content[wrong] ^= 1;
        scores.landed(1, 1, 0, content);
        EXPECT_FALSE(scores.good());
        EXPECT_FALSE(scores.complete());
        ASSERT_EQ(scores.faults().size(), 1u);
        EXPECT_THAT(scores.faults()[0], HasSubstr("node 1: byte " + std::to_string(wrong) + " is wrong"));
    }
}

TEST(lane_scoreboard, finds_bytes_that_come_twice_or_belong_to_nobody) {
    lane_scoreboard scores(seed, 2, all_bytes);
    scores.landed(1, 1, 100, payload_of(100, 100));
    scores.landed(2, 1, 300, payload_of(300, 100));
    scores.landed(3, 1, 199, payload_of(199, 2));
    scores.landed(4, 1, 50, payload_of(50, 51));
    scores.landed(5, 1, 150, payload_of(150, 300));
    scores.landed(6, 0, 0, payload_of(0, 1));  // the root has everything
    EXPECT_EQ(scores.fault_count(), 4u);
    scores.landed(7, 1, 999, payload_of(999, 2));
    scores.landed(8, 2, 0, payload_of(0, 1));
    EXPECT_EQ(scores.fault_count(), 6u);
    scores.landed(9, 1, 0, payload_of(0, 100));
    scores.landed(10, 1, 200, payload_of(200, 100));
    EXPECT_EQ(scores.fault_count(), 6u);
    EXPECT_FALSE(scores.complete());
    scores.landed(11, 1, 400, payload_of(400, 600));
    EXPECT_TRUE(scores.complete());
    EXPECT_FALSE(scores.good());
}

}  // namespace
}  // namespace polycast::hw::lanes
