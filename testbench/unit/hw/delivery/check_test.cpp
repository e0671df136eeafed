// SPDX-License-Identifier: Apache-2.0
// What all checks of deliveries share.
#include "hw/delivery/check.h"

#include <gmock/gmock.h>

#include "hw/traffic/random.h"

namespace polycast::hw::delivery {
namespace {

struct byte_check : check {
    byte_check() : check(7) {}
    using check::fault;
    using check::first_wrong;
};

TEST(delivery_check, keeps_the_first_faults_and_counts_all) {
    byte_check board;
    unsigned made = 0;
    for (unsigned number = 0; number < 25; ++number) board.fault([&] { return std::to_string(made++); });
    board.fault("as a text");
    EXPECT_EQ(board.fault_count(), 26u);
    EXPECT_EQ(board.faults().size(), fault_list::most);
    EXPECT_EQ(board.faults().back(), "19");
    EXPECT_EQ(made, 20u) << "a text that nobody reads is not made";
}

TEST(delivery_check, finds_the_first_wrong_byte_wherever_it_is) {
    const byte_check board;
    std::vector<std::uint8_t> bytes(9000);
    traffic::fill_payload(7, 3, bytes, 5);
    EXPECT_EQ(board.first_wrong(3, 5, bytes), std::nullopt);
    EXPECT_EQ(board.first_wrong(3, 5 + 4090, std::span(bytes).subspan(4090, 10)), std::nullopt);
    EXPECT_EQ(board.first_wrong(3, 6, bytes), 0u);
    EXPECT_EQ(board.first_wrong(2, 5, bytes), 0u);
    for (const std::size_t place : {8999u, 4096u, 4095u, 0u}) {
        bytes[place] ^= 4;
        EXPECT_EQ(board.first_wrong(3, 5, bytes), place);
    }
}

TEST(delivery_check, the_end_of_the_shorter_one_is_a_difference) {
    const std::vector<std::uint8_t> bytes{1, 2, 3}, others{1, 5, 3};
    EXPECT_EQ(first_difference(bytes, bytes), std::nullopt);
    EXPECT_EQ(first_difference(bytes, others), 1u);
    EXPECT_EQ(first_difference(bytes, std::span(bytes).first(2)), 2u);
    EXPECT_EQ(first_difference({}, bytes), 0u);
}

struct wanted {
    std::uint64_t created;
};

TEST(expected_items, knows_what_is_missing_and_what_was_asked_for) {
    expected_items<unsigned, wanted> all;
    EXPECT_EQ(all.oldest(), nullptr);
    all.add({4, 0}, {20});
    all.add({4, 1}, {10});
    all.add({2, 7}, {10});
    EXPECT_EQ(all.oldest()->first, std::pair(2u, 7u)) << "of the same age, by source";
    all.erase({2, 7});
    EXPECT_EQ(all.oldest()->first, std::pair(4u, 1u));
    EXPECT_EQ(all.find({2, 7}), nullptr);
    EXPECT_TRUE(all.known({2, 7}));
    EXPECT_FALSE(all.known({2, 8}));
    EXPECT_FALSE(all.known({3, 0}));
    EXPECT_EQ(all.find({4, 0})->created, 20u);
    EXPECT_FALSE(all.empty());
}

TEST(order_check, compares_packets_of_one_source_and_channel_at_one_sink) {
    order_check order;
    EXPECT_TRUE(order.arrived(0, 0, 0, 5) && order.arrived(0, 0, 0, 4)) << "nothing is watched";
    order.watch(2, 3, 2);
    EXPECT_TRUE(order.arrived(1, 2, 1, 5));
    EXPECT_TRUE(order.arrived(1, 2, 0, 4));
    EXPECT_TRUE(order.arrived(1, 1, 1, 4));
    EXPECT_TRUE(order.arrived(0, 2, 1, 4));
    EXPECT_FALSE(order.arrived(1, 2, 1, 4));
}

}  // namespace
}  // namespace polycast::hw::delivery
