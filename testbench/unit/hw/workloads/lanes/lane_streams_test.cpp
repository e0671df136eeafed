// SPDX-License-Identifier: Apache-2.0
// Parallel streams between sites: a window in a round trip each, until the line is full.
#include "hw/workloads/lanes/lane_streams.h"

#include <gmock/gmock.h>

#include "hw/collectives/lane_cost.h"
#include "testbench/unit/hw/workloads/lanes/lanes_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::lanes {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;
using testing::IsEmpty;

lane_stream_params short_streams(unsigned count, std::uint32_t window) {
    lane_stream_params params;
    params.network.sites = {2, 1};
    params.network.latency = 51;
    params.network.wide_latency = 50'000;
    params.network.payload_bytes = 1000;
    params.streams = count;
    params.window = window;
    return params;
}

double rate_of(const lane_stream_params& params) {
    const lane_result result = run_streams(params);
    EXPECT_EQ(result.outcome, lane_outcome::complete);
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_THAT(result.failures, IsEmpty());
    EXPECT_EQ(result.checked, std::uint64_t{params.streams} * params.window * (params.rounds + 4));
    return result.bytes_per_cycle;
}

/// From the fetch of a packet to that of the one that its acknowledgement lets go: bus, packet and acknowledgement on
/// their lines, bus at the receiver, and firmware at both ends.
double round_trip(const lane_stream_params& params) {
    const double payload = params.network.payload_bytes;
    return 2.0 * static_cast<double>(params.network.wide_latency) + 2 * payload +
           packet_bytes(params.network.payload_bytes) + packet_bytes(1);
}
constexpr double firmware_of_a_round_trip = 16 * 8;

TEST(lane_streams, one_carries_a_window_in_a_round_trip) {
    for (const std::uint32_t window : {1000u, 4000u, 4999u, 20'000u}) {
        SCOPED_TRACE(window);
        const lane_stream_params params = short_streams(1, window);
        const double whole_packets = window / 1000 * 1000;
        const double rate = rate_of(params);
        EXPECT_LE(rate, whole_packets / round_trip(params) * 1.001);
        EXPECT_GE(rate, whole_packets / (round_trip(params) + firmware_of_a_round_trip) * 0.999);
    }
}

TEST(lane_streams, several_carry_as_often_as_much_until_the_line_is_full) {
    const double one = rate_of(short_streams(1, 5000));
    const double line = 1000.0 / packet_bytes(1000);
    for (const unsigned count : {2u, 7u, 13u, 20u, 21u, 30u, 64u, 65u, 100u, 128u}) {
        SCOPED_TRACE(count);
        const double rate = rate_of(short_streams(count, 5000));
        const double expected = collectives::stream_bandwidth(5000, 5000 / one, count, line);
        EXPECT_LE(rate, 1.01 * expected);
        // Near the limit packets of several streams wait for each other.
        EXPECT_GE(rate, (count * one > 0.9 * line && count * one < 1.1 * line ? 0.93 : 0.98) * expected);
    }
}

TEST(lane_streams, are_the_same_again) {
    const lane_stream_params params = short_streams(70, 3000);
    EXPECT_EQ(rate_of(params), rate_of(params));
}

TEST(lane_streams, refuse_what_makes_no_sense) {
    const auto refusal_of = [](const lane_stream_params& params) { return refusal([&] { run_streams(params); }); };
    EXPECT_THAT(refusal_of(short_streams(0, 5000)), HasSubstr("1 to 128"));
    EXPECT_THAT(refusal_of(short_streams(129, 5000)), HasSubstr("1 to 128"));
    EXPECT_THAT(refusal_of(short_streams(1, 999)), HasSubstr("packets carry 1000"));
    EXPECT_THAT(refusal_of(short_streams(65, 400'000'000)), HasSubstr("region"));
    lane_stream_params params = short_streams(1, 5000);
    params.rounds = 0;
    EXPECT_THAT(refusal_of(params), HasSubstr("one round trip"));
    params = short_streams(1, 5000);
    params.network.sites = {2};
    EXPECT_THAT(refusal_of(params), HasSubstr("two of them"));
}

}  // namespace
}  // namespace polycast::hw::lanes
