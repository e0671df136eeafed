// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace polycast::hw::programs {
namespace {

/// The rules, word by word: a list in which one looks from the oldest on.
template <typename test>
std::optional<int> take_first(std::vector<std::pair<envelope, int>>& list, const test& fits) {
    const auto found = std::ranges::find_if(list, [&](const auto& one) { return fits(one.first); });
    if (found == list.end()) return std::nullopt;
    const int value = found->second;
    list.erase(found);
    return value;
}

class random_envelopes {
public:
    explicit random_envelopes(unsigned kinds) : kinds_(kinds) {}
    envelope message() {
        return {static_cast<std::uint32_t>(draw_() % kinds_), static_cast<std::uint32_t>(draw_() % kinds_),
                static_cast<std::uint16_t>(draw_() % 2), false, false};
    }
    envelope receive() {
        envelope made = message();
        made.any_source = draw_() % 4 == 0;
        made.any_tag = draw_() % 4 == 0;
        return made;
    }
    bool flip() { return draw_() % 2 == 0; }

private:
    std::mt19937_64 draw_{1};
    unsigned kinds_;
};

TEST(matching, the_oldest_posted_receive_that_fits_is_taken) {
    for (const unsigned kinds : {1u, 3u, 40u}) {
        random_envelopes draw(kinds);
        waiting_list<int> posted;
        std::vector<std::pair<envelope, int>> expected;
        for (int step = 0; step < 4000; ++step) {
            if (draw.flip()) {
                const envelope one = draw.receive();
                posted.push(one, step);
                expected.emplace_back(one, step);
            } else {
                const envelope one = draw.message();
                const auto wanted = take_first(expected, [&](const envelope& receive) { return receive.fits(one); });
                ASSERT_EQ(posted.take_for_message(one), wanted) << "step " << step;
            }
            ASSERT_EQ(posted.size(), expected.size());
        }
    }
}

TEST(matching, the_oldest_unexpected_message_that_fits_is_taken) {
    for (const unsigned kinds : {1u, 3u, 40u}) {
        random_envelopes draw(kinds);
        waiting_list<int> unexpected;
        std::vector<std::pair<envelope, int>> expected;
        for (int step = 0; step < 4000; ++step) {
            if (draw.flip()) {
                const envelope one = draw.message();
                unexpected.push(one, step);
                expected.emplace_back(one, step);
            } else {
                const envelope one = draw.receive();
                const auto wanted = take_first(expected, [&](const envelope& message) { return one.fits(message); });
                ASSERT_EQ(unexpected.take_for_receive(one), wanted) << "step " << step;
            }
        }
        std::vector<int> left;
        unexpected.for_each([&](const envelope&, int value) { left.push_back(value); });
        ASSERT_EQ(left.size(), expected.size());
        for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i], expected[i].second);
    }
}

}  // namespace
}  // namespace polycast::hw::programs
