// SPDX-License-Identifier: Apache-2.0
// Messages from stripes, and from stripes that lie: what is delivered is whole, and nothing is kept that has not come.
#include "hw/workloads/rails/stripe_assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace polycast::hw::rails {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr process_id sender{4, 1};
constexpr stripe_limits limits{.longest = 1000, .messages = 3, .life = 500};

std::vector<std::uint8_t> bytes_of(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint8_t> made(count);
    std::iota(made.begin(), made.end(), static_cast<std::uint8_t>(first));
    return made;
}

struct fixture {
    stripe_assembly::outcome add(cycle now, std::uint32_t total, std::uint32_t offset, std::uint32_t count,
                                 std::uint32_t message = 7, process_id from = sender) {
        const std::vector<std::uint8_t> content = bytes_of(offset, count);
        return all.add(now, {from, message, total, offset, content});
    }
    /// Why it is refused; nothing else changes.
    std::string_view refused(std::uint32_t total, std::uint32_t offset, std::uint32_t count,
                             std::uint32_t message = 7) {
        const std::uint64_t bytes = all.bytes();
        const std::size_t messages = all.messages();
        const stripe_assembly::outcome made = add(0, total, offset, count, message);
        EXPECT_EQ(all.bytes(), bytes);
        EXPECT_EQ(all.messages(), messages);
        EXPECT_FALSE(made.whole || made.lost);
        return made.refused;
    }

    stripe_assembly all{limits};
};

TEST(stripe_assembly, puts_stripes_together_in_any_order) {
    std::vector<std::uint32_t> offsets{0, 30, 70, 90};
    do {
        fixture f;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const std::uint32_t end = offsets[i] == 90 ? 100 : offsets[i] == 70 ? 90 : offsets[i] == 30 ? 70 : 30;
            const auto made = f.add(i, 100, offsets[i], end - offsets[i]);
            EXPECT_THAT(made.refused, IsEmpty());
            ASSERT_EQ(made.whole.has_value(), i + 1 == offsets.size());
            EXPECT_EQ(made.whole.value_or(bytes_of(0, 100)), bytes_of(0, 100));
        }
        EXPECT_EQ(f.all.messages(), 0u);
        EXPECT_EQ(f.all.bytes(), 0u);
    } while (std::ranges::next_permutation(offsets).found);
}

TEST(stripe_assembly, a_message_of_one_stripe_is_whole_at_once) {
    fixture f;
    EXPECT_EQ(f.add(0, 1000, 0, 1000).whole, bytes_of(0, 1000));
    EXPECT_EQ(f.all.messages(), 0u);
}

// 13 bytes that speak of 4 GiB take nothing.
TEST(stripe_assembly, a_total_that_no_buffer_holds_is_refused_before_anything_is_kept) {
    fixture f;
    EXPECT_EQ(f.refused(0xffffffff, 0, 1), "is of a message that no receive buffer holds");
    EXPECT_EQ(f.refused(1001, 0, 1), "is of a message that no receive buffer holds");
    EXPECT_THAT(f.add(0, 1000, 0, 1).refused, IsEmpty());
    EXPECT_EQ(f.all.bytes(), 1u) << "no more than has come";
}

TEST(stripe_assembly, a_stripe_that_is_not_inside_its_message_is_refused) {
    fixture f;
    EXPECT_EQ(f.refused(100, 0, 0), "is too short");
    EXPECT_EQ(f.refused(100, 101, 1), "does not fit its message");
    EXPECT_EQ(f.refused(100, 100, 1), "does not fit its message");
    EXPECT_EQ(f.refused(100, 99, 2), "does not fit its message");
    EXPECT_EQ(f.refused(100, 0xffffffff, 1), "does not fit its message");
    EXPECT_EQ(f.refused(0, 0, 1), "does not fit its message");
    f.add(0, 100, 0, 50);
    EXPECT_EQ(f.refused(99, 50, 10), "does not fit the others");
}

// Counted, these bytes would make the message whole with a hole in it.
TEST(stripe_assembly, a_stripe_that_overlaps_another_is_refused) {
    fixture f;
    f.add(0, 100, 40, 20);
    EXPECT_EQ(f.refused(100, 40, 20), "overlaps another") << "the same again";
    EXPECT_EQ(f.refused(100, 45, 5), "overlaps another") << "inside";
    EXPECT_EQ(f.refused(100, 30, 40), "overlaps another") << "around";
    EXPECT_EQ(f.refused(100, 59, 1), "overlaps another") << "its last byte";
    EXPECT_EQ(f.refused(100, 0, 41), "overlaps another") << "its first byte";
    EXPECT_THAT(f.add(0, 100, 60, 40).refused, IsEmpty());
    EXPECT_EQ(f.add(0, 100, 0, 40).whole, bytes_of(0, 100));
}

TEST(stripe_assembly, what_is_incomplete_expires) {
    fixture f;
    EXPECT_EQ(f.all.next(), engine::never);
    f.add(100, 100, 0, 10, 1);
    f.add(200, 100, 0, 20, 2);
    f.add(300, 100, 10, 10, 1);
    EXPECT_EQ(f.all.next(), 700u) << "counted from the last stripe";
    EXPECT_THAT(f.all.expire(699), IsEmpty());
    EXPECT_THAT(f.all.expire(700), ElementsAre(incomplete_message{sender, 2, 20, 100}));
    EXPECT_EQ(f.all.next(), 800u);
    EXPECT_THAT(f.all.expire(800), ElementsAre(incomplete_message{sender, 1, 20, 100}));
    EXPECT_EQ(f.all.bytes(), 0u);
    EXPECT_EQ(f.all.next(), engine::never);
}

TEST(stripe_assembly, a_sender_has_its_share_and_no_other_one_loses_by_it) {
    fixture f;
    const process_id before{4, 0}, behind{4, 2};
    f.add(0, 100, 0, 10, 9, before);
    f.add(0, 100, 0, 10, 9, behind);
    for (std::uint32_t message = 0; message < 3; ++message) f.add(10 + message, 100, 0, 10, message);
    f.add(20, 100, 10, 10, 0);  // heard of last
    const auto made = f.add(30, 100, 0, 10, 3);
    EXPECT_EQ(made.lost, (incomplete_message{sender, 1, 10, 100})) << "the one that has been silent for longest";
    EXPECT_EQ(f.all.messages(), 5u);
    for (std::uint32_t message = 0; message < 1000; ++message) f.add(40, 1000, 0, 999, 100 + message);
    EXPECT_EQ(f.all.messages(), 5u);
    EXPECT_EQ(f.all.bytes(), 2u * 10 + 3 * 999);
    EXPECT_TRUE(f.add(50, 100, 10, 90, 9, before).whole);
    EXPECT_TRUE(f.add(50, 100, 10, 90, 9, behind).whole);
}

// Anything at all: a message that is whole is what a map of its bytes says.
TEST(stripe_assembly, random_stripes_never_make_a_message_with_a_hole) {
    std::minstd_rand random(5);
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    fixture f;
    std::vector<bool> there(16);
    unsigned whole = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        const std::uint32_t offset = below(16), count = 1 + below(5);
        const bool fits = count <= 16 - offset && std::none_of(there.begin() + offset, there.begin() + offset + count,
                                                               [](bool one) { return one; });
        const auto made = f.add(i, 16, offset, count);
        ASSERT_EQ(made.refused.empty(), fits) << i;
        if (fits) std::fill_n(there.begin() + offset, count, true);
        ASSERT_EQ(made.whole.has_value(), std::ranges::count(there, false) == 0) << i;
        if (!made.whole) continue;
        ASSERT_EQ(*made.whole, bytes_of(0, 16));
        there.assign(16, false);
        ++whole;
    }
    EXPECT_GT(whole, 100u);
}

}  // namespace
}  // namespace polycast::hw::rails
