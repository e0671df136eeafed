// SPDX-License-Identifier: Apache-2.0
#include "hw/format/config_words.h"

#include <gtest/gtest.h>

#include "hw/format/packet_format.h"

namespace polycast::hw::format {
namespace {

// The words as numbers: a field that moves would break RTL that users have written.
TEST(config_words, fields_lie_where_the_chips_read_them) {
    const auto region = [](config_region which) { return static_cast<std::uint32_t>(which); };
    EXPECT_EQ(config_address(region(config_region::reach_port), reach_index(63, 511)), 0x073f01ffu);
    EXPECT_EQ(config_address(region(config_region::neighbour), 6), 0x0d000006u);
    EXPECT_EQ(config_address(static_cast<std::uint32_t>(coding_region::context),
                             context_index(15, static_cast<std::uint32_t>(coding_register::vc_class))),
              0x020000fbu);
    EXPECT_EQ(neighbour(3, 1023), 0x000303ffu);
}

}  // namespace
}  // namespace polycast::hw::format
