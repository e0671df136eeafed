// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_watch.h"

#include <gmock/gmock.h>

#include <numeric>

namespace polycast::tlm::sim {
namespace {

using testing::ElementsAre;

TEST(broadcast_watch, a_small_network_is_seen_node_by_node) {
    broadcast_watch watch(2, 2, 1, 4);
    watch.note(1, 3, std::vector<std::uint8_t>{1, 4, 0, 2});
    watch.finish(2);
    const broadcast_wave& wave = watch.wave();
    EXPECT_EQ(wave.block, 1u);
    EXPECT_EQ(wave.side, 2u);
    ASSERT_EQ(wave.samples.size(), 3u);
    EXPECT_THAT(wave.samples[0].holders, ElementsAre(3, 0, 0, 0, 1));
    EXPECT_EQ(wave.samples[0].cells, std::string("\0\xff\0\0", 4));
    EXPECT_EQ(wave.samples[1].time, 1u);
    EXPECT_EQ(wave.samples[1].moved, 3u);
    EXPECT_THAT(wave.samples[1].holders, ElementsAre(1, 1, 1, 0, 1));
    EXPECT_EQ(wave.samples[1].cells, std::string("\x40\xff\0\x80", 4));
    EXPECT_THAT(wave.samples[2].holders, ElementsAre(0, 0, 0, 0, 4));
    EXPECT_EQ(wave.samples[2].cells, std::string(4, '\xff'));
}

TEST(broadcast_watch, a_large_one_in_blocks) {
    broadcast_watch watch(300, 2, 0, 1);
    const broadcast_wave& wave = watch.wave();
    EXPECT_EQ(wave.block, 3u);
    EXPECT_EQ(wave.side, 100u);
    // One node of nine has something, which is never shown as nothing.
    EXPECT_EQ(static_cast<unsigned char>(wave.samples[0].cells[0]), 28u);
    EXPECT_EQ(wave.samples[0].cells.find_first_not_of('\0', 1), std::string::npos);
    std::vector<std::uint8_t> held(300 * 300, 1);
    held[3 * 300 + 5] = 0;
    watch.note(1, 0, held);
    const std::string& cells = wave.samples[1].cells;
    EXPECT_EQ(static_cast<unsigned char>(cells[100 + 1]), 227u);
    EXPECT_EQ(std::ranges::count(cells, '\xff'), 9999);
}

TEST(broadcast_watch, blocks_that_do_not_divide_the_network_count_their_nodes) {
    broadcast_watch watch(10'001, 1, 10'000, 2);
    EXPECT_EQ(watch.wave().block, 2u);
    EXPECT_EQ(watch.wave().side, 5001u);
    EXPECT_EQ(watch.wave().samples[0].cells.back(), '\xff') << "the last block is the source alone";
}

TEST(broadcast_watch, long_broadcasts_are_thinned_out_and_lose_nothing_that_moved) {
    broadcast_watch watch(2, 1, 0, 1);
    for (std::uint64_t time = 1; time <= 1000; ++time)
        watch.note(time, 2, watch.wants(time) ? std::vector<std::uint8_t>{1, 0} : std::vector<std::uint8_t>{});
    watch.finish(1001);
    const broadcast_wave& wave = watch.wave();
    EXPECT_EQ(wave.every, 8u);
    EXPECT_LE(wave.samples.size(), 193u);
    EXPECT_EQ(wave.samples[1].time, 8u);
    EXPECT_EQ(wave.samples[1].moved, 16u);
    EXPECT_EQ(wave.samples.back().time, 1001u);
    const auto moved = std::accumulate(wave.samples.begin(), wave.samples.end(), std::uint64_t{0},
                                       [](std::uint64_t sum, const broadcast_sample& one) { return sum + one.moved; });
    EXPECT_EQ(moved, 2000u);
}

}  // namespace
}  // namespace polycast::tlm::sim
