// SPDX-License-Identifier: Apache-2.0
#include "hw/shell_word.h"

#include <gtest/gtest.h>

namespace polycast::hw {
namespace {

TEST(shell_word, quotes_what_needs_it) {
    EXPECT_EQ(shell_word("results/a-1_b.yaml"), "results/a-1_b.yaml");
    EXPECT_EQ(shell_word("trace.chips=[switch1]"), "'trace.chips=[switch1]'");
    EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace polycast::hw
