// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/ni/parameters.h"

namespace polycast::hw::ni {
namespace {

TEST(ni_statistics, of_several_interfaces) {
    ni_statistics one{.packets_in = 1,
                      .packets_out = 2,
                      .transfers_refused = 3,
                      .completions_lost = 4,
                      .commands_refused = 5,
                      .errors = 0b0011,
                      .panic = 0,
                      .receive_slots_peak = 7,
                      .send_slots_peak = 8,
                      .residency_cycles = 9,
                      .residency_count = 10,
                      .residency_max = 11,
                      .corrected = 14,
                      .bus_busy = 12,
                      .link_busy = 13};
    const ni_statistics other{.packets_in = 100,
                              .packets_out = 200,
                              .transfers_refused = 300,
                              .completions_lost = 400,
                              .commands_refused = 500,
                              .errors = 0b0110,
                              .panic = 6,
                              .receive_slots_peak = 70,
                              .send_slots_peak = 4,
                              .residency_cycles = 900,
                              .residency_count = 1000,
                              .residency_max = 5,
                              .corrected = 1400,
                              .bus_busy = 1200,
                              .link_busy = 1300};
    const ni_statistics both{.packets_in = 101,
                             .packets_out = 202,
                             .transfers_refused = 303,
                             .completions_lost = 404,
                             .commands_refused = 505,
                             .errors = 0b0111,
                             .panic = 6,
                             .receive_slots_peak = 70,
                             .send_slots_peak = 8,
                             .residency_cycles = 909,
                             .residency_count = 1010,
                             .residency_max = 11,
                             .corrected = 1414,
                             .bus_busy = 1212,
                             .link_busy = 1313};
    one += other;
    EXPECT_EQ(one, both);
    one += ni_statistics{.panic = 9};
    EXPECT_EQ(one, both) << "the first reason stays";
}

}  // namespace
}  // namespace polycast::hw::ni
