// SPDX-License-Identifier: Apache-2.0
// The reference machine with tables over the length: points, lines between them, overheads, interfaces of both kinds.
#include <gmock/gmock.h>

#include "hw/input_error.h"
#include "hw/programs/loggops.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::HasSubstr;

TEST(time_table, is_exact_at_points_and_straight_between_and_beyond) {
    const time_table table({{1, 2006}, {128, 2323}, {256, 3323}, {2048, 17323}});
    for (const time_table::point& each : table.points()) EXPECT_EQ(table.at(each.bytes), each.time);
    EXPECT_EQ(table.at(32), 2083u);  // 2,083.4
    EXPECT_EQ(table.at(192), 2823u);
    EXPECT_EQ(table.at(4096), 33323u);
    EXPECT_EQ(table.at(1 << 20), 8193323u);  // 14,000 cycles for 1,792 bytes
    EXPECT_EQ(time_table({{100, 7}}).at(1), 7u) << "one point is for all lengths";
    EXPECT_EQ(time_table({{10, 5}, {20, 105}}).at(1), 0u) << "never below 0";
}

TEST(time_table, refuses_what_is_no_table) {
    EXPECT_THAT(refusal([] { time_table(std::vector<time_table::point>{}); }), HasSubstr("a point at least"));
    EXPECT_THAT(refusal([] { time_table({{2, 1}, {2, 3}}); }), HasSubstr("have to rise"));
    EXPECT_THAT(refusal([] { time_table({{2, 4}, {3, 3}}); }), HasSubstr("must not fall"));
    EXPECT_THAT(refusal([] { time_table({{1, most_loggops + 1}}); }), HasSubstr("at most"));
}

loggops_tables tables() {
    loggops_tables made;
    made.way = time_table({{1, 2006}, {128, 2323}, {256, 3323}, {2048, 17323}});
    made.gap = time_table({{1, 1000}, {128, 1000}, {256, 2000}, {2048, 16000}});
    return made;
}

program two(const std::string& first, const std::string& second) {
    return goal("num_ranks 2\nrank 0 {\n" + first + "}\nrank 1 {\n" + second + "}\n");
}

program ping_pong(const std::string& size) {
    return two("a: send " + size + " to 1\nb: recv " + size + " from 1\nb requires a\n",
               "a: recv " + size + " from 0\nb: send " + size + " to 0\nb requires a\n");
}

TEST(loggops_tables, take_the_way_and_both_overheads) {
    EXPECT_EQ(run_with_tables(ping_pong("128b"), tables()).latest(), 2 * 4323u);
    EXPECT_EQ(run_with_tables(ping_pong("0b"), tables()).latest(), 2 * 4006u) << "0 bytes travel as 1";
    loggops_tables by_packet = tables();
    by_packet.packet_bytes = 128;
    EXPECT_EQ(run_with_tables(ping_pong("256b"), by_packet).latest(), 2 * (2 * 2000u + 3323u));
}

TEST(loggops_tables, longer_messages_ask) {
    loggops_tables asks = tables();
    asks.S = 127;
    asks.ask = 8000;
    EXPECT_EQ(run_with_tables(ping_pong("128b"), asks).latest(), 2 * 12323u);
    EXPECT_EQ(run_with_tables(ping_pong("127b"), asks).latest(), run_with_tables(ping_pong("127b"), tables()).latest());
}

TEST(loggops_tables, messages_of_a_burst_are_a_gap_apart) {
    const std::string sends = "send 256b to 1\nsend 256b to 1\nsend 256b to 1\n";
    const std::string receives = "recv 256b from 0\nrecv 256b from 0\nrecv 256b from 0\n";
    EXPECT_EQ(run_with_tables(two(sends, receives), tables()).latest(), 5323u + 2 * 2000u);
    loggops_tables shared = tables();
    shared.shared = true;
    EXPECT_EQ(run_with_tables(two(sends, receives), shared).latest(), 5323u + 2 * 2000u);
}

// In both directions at once each interface has twice the work.
TEST(loggops_tables, a_shared_interface_does_one_thing_at_a_time) {
    const program exchange = two("send 2048b to 1\nrecv 2048b from 1\n", "send 2048b to 0\nrecv 2048b from 0\n");
    EXPECT_EQ(run_with_tables(exchange, tables()).latest(), 19323u);
    loggops_tables shared = tables();
    shared.shared = true;
    EXPECT_EQ(run_with_tables(exchange, shared).latest(), 1000u + 2 * 16000u + 1000u);
    EXPECT_EQ(run_with_tables(ping_pong("2048b"), shared).latest(), 2 * 19323u)
        << "one after the other nothing changes";
}

TEST(loggops_tables, calculations_count_cycles) {
    loggops_tables slow = tables();
    slow.unit = {1, 5};
    EXPECT_EQ(run_with_tables(two("calc 1001\n", "calc 1\n"), slow).latest(), 201u);
}

}  // namespace
}  // namespace polycast::hw::programs
