// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_scoreboard.h"

#include <gmock/gmock.h>

#include <thread>

#include "hw/traffic/random.h"

namespace polycast::hw::broadcast {
namespace {

using testing::HasSubstr;

/// A broadcast of 40 packets of 3 bytes from node 1 to nodes 0, 2 and 3, in which everything went well.
struct delivered {
    static constexpr unsigned packets = 40, bytes = 3;
    std::vector<std::pair<std::uint32_t, unsigned>> receipts;  ///< node and packet
    std::vector<std::uint8_t> memories = std::vector<std::uint8_t>(std::size_t{4} * packets * bytes);

    delivered() {
        for (std::uint32_t node = 0; node < 4; ++node) {
            for (unsigned packet = 0; packet < packets; ++packet) {
                traffic::fill_payload(7, packet, std::span(memories).subspan((node * packets + packet) * bytes, bytes));
                if (node != 1 && !(node == 2 && packet == 35)) receipts.emplace_back(node, packet);
            }
        }
    }

    std::string said() const {
        broadcast_scoreboard board{4, 1, packets, bytes, 7};
        return said(board);
    }
    std::string said(broadcast_scoreboard& board) const {
        for (const auto& [node, packet] : receipts) board.received(node, packet);
        try {
            board.compare(memories);
        } catch (const delivery_error& error) {
            return error.what();
        }
        return "good";
    }
};

TEST(broadcast_scoreboard, missing_and_repeated_packets) {
    delivered run;
    EXPECT_EQ(run.said(), "broadcast: 1 fault: node 2: packet 35 never came");
    run.receipts.emplace_back(2, 35);
    EXPECT_EQ(run.said(), "good");
    run.receipts.emplace_back(0, 39);
    EXPECT_EQ(run.said(), "broadcast: 1 fault: node 0: packet 39 came more than once");
    run.receipts.emplace_back(1, 4);
    EXPECT_THAT(run.said(),
                HasSubstr("2 faults: node 0: packet 39 came more than once, node 1: packet 4 came to the source"));
}

TEST(broadcast_scoreboard, every_byte_counts) {
    delivered run;
    run.receipts.emplace_back(2, 35);
    for (std::size_t index = 0; index < run.memories.size(); ++index) {
        run.memories[index] ^= 0x10;
        const std::size_t node = index / (run.packets * run.bytes);
        EXPECT_EQ(run.said(), "broadcast: 1 fault: node " + std::to_string(node) + ": packet " +
                                  std::to_string(index / run.bytes % run.packets) + " has wrong bytes");
        run.memories[index] ^= 0x10;
    }
    run.memories.pop_back();
    EXPECT_THAT(run.said(), HasSubstr("another size"));
}

TEST(broadcast_scoreboard, messages_differ_by_seed_and_packet) {
    std::array<std::uint8_t, 8> one{}, two{};
    traffic::fill_payload(7, 0, one);
    traffic::fill_payload(7, 1, two);
    EXPECT_NE(one, two);
    traffic::fill_payload(8, 0, two);
    EXPECT_NE(one, two);
}

TEST(broadcast_scoreboard, many_faults_are_counted_and_the_first_ones_shown) {
    delivered run;
    std::ranges::fill(run.memories, 0);
    const std::string said = run.said();
    EXPECT_THAT(said, HasSubstr(" faults: node 0: packet 0 has wrong bytes"));
    EXPECT_LT(said.size(), 300u);
}

TEST(broadcast_scoreboard, threads_report_repeated_packets) {
    delivered run;
    run.receipts.emplace_back(2, 35);
    broadcast_scoreboard board{4, 1, run.packets, run.bytes, 7};
    std::thread other([&board] { board.received(0, 1); });
    board.received(3, 2);
    other.join();
    EXPECT_THAT(run.said(board), HasSubstr("2 faults: node 0: packet 1 came more than once, node 3: packet 2"));
}

}  // namespace
}  // namespace polycast::hw::broadcast
