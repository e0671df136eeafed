// SPDX-License-Identifier: Apache-2.0
// Broadcasts over lanes from beginning to end: every byte everywhere, in the time of the contention-free model, and
// what the scoreboard says where something is wrong.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>

#include "hw/collectives/lane_cost.h"
#include "testbench/unit/hw/workloads/lanes/lanes_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::lanes {
namespace {

using collectives::lane_algorithm;
using collectives::lane_plan;
using collectives::make_lane_plan;
using testbench::unit::refusal;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct lane_case {
    std::vector<std::uint32_t> sites;
    std::uint64_t bytes = 0;
    std::uint64_t piece = 0;
};

class every_algorithm : public testing::TestWithParam<lane_algorithm> {};

TEST_P(every_algorithm, brings_every_byte_to_every_node) {
    const std::vector<lane_case> cases{
        {{2}, 1, 64},           {{3}, 20'001, 2048},      {{4}, 9999, 512},       {{5}, 777, 100},
        {{13}, 12'345, 1000},   {{31}, 20'000, 2048},     {{32}, 20'001, 4096},   {{40}, 10'007, 3000},
        {{1, 1}, 5000, 512},    {{16, 16}, 20'001, 2048}, {{3, 7}, 12'001, 1536}, {{1, 9}, 12'001, 100'000},
        {{4, 5, 6}, 9001, 777}, {{11, 1, 3}, 3001, 512}};
    for (const unsigned lanes : {1u, 2u})
        for (const lane_case& what : cases) {
            SCOPED_TRACE(lane_text(what.sites) + " nodes, " + std::to_string(lanes) + " lanes, " +
                         std::to_string(what.bytes) + " bytes");
            lane_broadcast_params params = short_broadcast(GetParam(), what.sites, what.bytes, lanes);
            params.driver.piece = what.piece;
            const lane_result result = run_broadcast(params);
            EXPECT_EQ(result.outcome, lane_outcome::complete);
            EXPECT_THAT(result.faults, IsEmpty());
            EXPECT_THAT(result.failures, IsEmpty());
            EXPECT_EQ(result.checked, (params.network.nodes() - 1) * what.bytes);
            EXPECT_EQ(result.completed, *std::ranges::max_element(result.nodes));
        }
}

/// What the model says of a broadcast in a network that adds `hop` cycles to a hop.
double modelled(const lane_broadcast_params& params, double hop, double wide_hop, double rate) {
    const collectives::lane_network network{rate, static_cast<double>(params.network.latency) + hop,
                                            static_cast<double>(params.network.wide_latency) + wide_hop, 0, 1};
    return time_plan(make_lane_plan(params.algorithm, params.network.sites), network, params.driver.bytes,
                     params.driver.piece)
        .seconds;
}

/// Most messages that a node sends on one lane.
std::size_t most_messages(const lane_plan& plan, const lane_broadcast_params& params) {
    std::vector<std::size_t> counts(2 * plan.nodes());
    for (const lane_message& message : lane_messages(plan, params.driver.bytes, params.driver.piece))
        ++counts[2 * message.parent + message.lane];
    return *std::ranges::max_element(counts);
}

/// A packet is over the bus and gone, or come and over the bus; firmware has received it, counted it, fetched it and
/// sent it, each behind an operation for another packet at most.
constexpr double operations_of_a_hop = 8;
constexpr double operation = 8;
/// Packets that firmware fetches before the first of them is on the link.
constexpr double packets_ahead = 4;

/// With other numbers of nodes than powers of two and between sites, messages of van_de_geijn meet at a receiver or on
/// a wide-area link, which the contention-free model does not know.
bool contention_free(lane_algorithm how, const std::vector<std::uint32_t>& sites) {
    std::uint32_t nodes = 0;
    for (const std::uint32_t each : sites) nodes += each;
    return how != lane_algorithm::van_de_geijn || std::has_single_bit(nodes);
}

TEST_P(every_algorithm, takes_the_time_of_the_contention_free_model) {
    for (const std::vector<std::uint32_t>& sites :
         std::vector<std::vector<std::uint32_t>>{{3}, {8}, {16}, {31}, {32}, {8, 8}, {16, 16}, {4, 4, 4}}) {
        SCOPED_TRACE(lane_text(sites));
        lane_broadcast_params params = short_broadcast(GetParam(), sites, 200'000);
        params.driver.piece = 8192;
        params.network.wide_cycles_per_byte = {1, 64};
        const lane_plan plan = make_lane_plan(GetParam(), sites);
        const std::uint32_t payload = params.network.payload_bytes;
        const double packet = packet_bytes(payload);
        const double overhead = packet - payload;
        const double rate = 2 * payload / packet;  // full packets on both lanes
        const lane_result result = run_broadcast(params);
        ASSERT_TRUE(result.good());
        const auto taken = static_cast<double>(result.completed);
        EXPECT_GE(taken, modelled(params, 0, 0, rate));
        if (!contention_free(GetParam(), sites)) continue;
        // A short packet at the end of each message, and the wait in front of a fast link.
        const double hop = 2 * payload + operations_of_a_hop * operation + overhead;
        const double framing = static_cast<double>(most_messages(plan, params)) * overhead;
        EXPECT_LE(taken, modelled(params, hop, hop + packet, rate) + framing);
    }
}

TEST_P(every_algorithm, with_one_interface_is_at_least_as_fast_as_two_queues_that_share_it) {
    for (const std::vector<std::uint32_t>& sites : std::vector<std::vector<std::uint32_t>>{{3}, {16}, {31}}) {
        SCOPED_TRACE(lane_text(sites));
        lane_broadcast_params params = short_broadcast(GetParam(), sites, 200'000, 1);
        params.driver.piece = 8192;
        const lane_plan plan = make_lane_plan(GetParam(), sites);
        const double payload = params.network.payload_bytes;
        const double packet = packet_bytes(params.network.payload_bytes);
        const lane_result result = run_broadcast(params);
        ASSERT_TRUE(result.good());
        const auto taken = static_cast<double>(result.completed);
        EXPECT_GE(taken, modelled(params, 0, 0, 2 * payload / packet));  // each as if it were alone
        if (!contention_free(GetParam(), sites)) continue;
        // Packets of the other queue may be in front of any.
        const double hop = (2 + packets_ahead) * packet + operations_of_a_hop * operation;
        const double framing = 2 * static_cast<double>(most_messages(plan, params)) * (packet - payload);
        EXPECT_LE(taken, modelled(params, hop, 0, payload / packet) + framing);
    }
}

TEST_P(every_algorithm, takes_as_long_flit_by_flit) {
    lane_broadcast_params params = short_broadcast(GetParam(), {8}, 20'001);
    params.network.latency = 40;
    const lane_result events = run_broadcast(params);
    params.network.events = false;
    const lane_result flits = run_broadcast(params);
    ASSERT_TRUE(events.good());
    ASSERT_TRUE(flits.good());
    EXPECT_EQ(events.nodes, flits.nodes);
}

TEST_P(every_algorithm, with_one_interface_is_little_slower_flit_by_flit) {
    lane_broadcast_params params = short_broadcast(GetParam(), {8}, 20'001, 1);
    params.network.latency = 40;
    const lane_result events = run_broadcast(params);
    params.network.events = false;
    const lane_result flits = run_broadcast(params);
    ASSERT_TRUE(events.good());
    ASSERT_TRUE(flits.good());
    // Where messages meet, heads wait behind others in the router's buffers.
    EXPECT_LE(events.completed, flits.completed);
    EXPECT_LT(static_cast<double>(flits.completed), 1.2 * static_cast<double>(events.completed));
}

INSTANTIATE_TEST_SUITE_P(lanes, every_algorithm, testing::ValuesIn(collectives::lane_algorithms),
                         [](const auto& what) { return std::string(name_of(what.param)); });

TEST(lane_broadcast, is_the_same_again) {
    const lane_broadcast_params params = short_broadcast(lane_algorithm::van_de_geijn, {7, 6}, 30'001);
    EXPECT_EQ(run_broadcast(params).nodes, run_broadcast(params).nodes);
}

TEST(lane_broadcast, a_window_holds_up_what_goes_between_sites) {
    lane_broadcast_params params = short_broadcast(lane_algorithm::pipelined_chain, {2, 2}, 100'000);
    const cycle free = run_broadcast(params).completed;
    params.driver.window = 1024;
    const lane_result narrow = run_broadcast(params);
    ASSERT_TRUE(narrow.good());
    // 50,000 bytes on each lane, two packets in a round trip of 10,000 cycles.
    EXPECT_GT(narrow.completed, 24 * 10'000u);
    params.driver.streams = 4;
    const lane_result streams = run_broadcast(params);
    ASSERT_TRUE(streams.good());
    EXPECT_NEAR(static_cast<double>(narrow.completed) / static_cast<double>(streams.completed), 4, 0.4);
    params.driver.streams = 100;
    // Now nothing waits, but acknowledgements of 98 packets take the line of the node that sends the message on.
    const lane_result wide = run_broadcast(params);
    ASSERT_TRUE(wide.good());
    EXPECT_GE(wide.completed, free);
    EXPECT_LE(wide.completed, free + 98 * packet_bytes(1) + 64);
}

/// A run of a job that a test has changed.
struct tampered_run {
    tampered_run(const lane_broadcast_params& params, const std::function<void(lane_job&)>& change,
                 std::uint64_t scoreboard_seed = 1)
        : scores(scoreboard_seed, params.network.nodes(), params.driver.bytes) {
        auto job = std::make_shared<lane_job>(*make_lane_job(make_lane_plan(params.algorithm, params.network.sites),
                                                             params.driver, params.network.lanes));
        change(*job);
        lane_network net(params.network, [&](std::uint32_t) {
            return std::vector<host::application_factory>{drive_lanes(job, scores)};
        });
        outcome = net.run({.patience = 1'000'000}, [this] { return scores.complete(); });
        failures = net.failures();
    }
    lane_scoreboard scores;
    lane_outcome outcome;
    std::vector<std::string> failures;
};

TEST(lane_broadcast, says_what_is_missing_where_a_message_is_not_sent) {
    const lane_broadcast_params params = short_broadcast(lane_algorithm::multi_lane, {7}, 10'000);
    const tampered_run run(params, [](lane_job& job) {
        // A leaf that feeds one node of the other tree.
        const auto one_child = [&](const std::vector<std::uint32_t>& sends) {
            return !sends.empty() && std::ranges::all_of(sends, [&](std::uint32_t number) {
                return job.messages[number].child == job.messages[sends.front()].child;
            });
        };
        const auto sender = std::ranges::find_if(job.sends, one_child);
        ASSERT_NE(sender, job.sends.end());
        sender->clear();
    });
    EXPECT_EQ(run.outcome, lane_outcome::stuck);
    EXPECT_FALSE(run.scores.complete());
    EXPECT_TRUE(run.scores.good());
    EXPECT_THAT(run.scores.missing(), HasSubstr("lacks 5000 bytes"));
}

TEST(lane_broadcast, finds_wrong_bytes) {
    const lane_broadcast_params params = short_broadcast(lane_algorithm::binary, {4}, 10'000);
    const tampered_run run(
        params, [](lane_job&) {}, 2);  // the scoreboard makes others
    EXPECT_FALSE(run.scores.good());
    EXPECT_FALSE(run.scores.complete());
    EXPECT_THAT(run.scores.faults(), Contains(HasSubstr("byte 0 is wrong")));
}

TEST(lane_broadcast, finds_a_wrong_plan) {
    const lane_broadcast_params params = short_broadcast(lane_algorithm::binomial, {4}, 10'000, 2);
    // Node 1 sends node 3 the first half in the place of the second one.
    const tampered_run run(params, [](lane_job& job) {
        for (lane_message& message : job.messages)
            if (message.child == 3 && message.lane == 1) message.range.first = 0;
    });
    EXPECT_FALSE(run.scores.good());
    EXPECT_FALSE(run.scores.complete());
}

TEST(lane_broadcast, says_that_a_run_was_cut_off) {
    const lane_broadcast_params params = short_broadcast(lane_algorithm::chain, {4}, 10'000);
    const lane_result limited = run_broadcast(params, {.cycles = 105'000});
    EXPECT_EQ(limited.outcome, lane_outcome::limit);
    EXPECT_THAT(limited.faults, Contains(HasSubstr("lacks")));
    EXPECT_FALSE(limited.good());
}

/// Node 0 sends every part to node 1 by an edge of its own, which sends it to node 2; all on lane 0.
lane_plan many_edges(std::uint32_t parts) {
    lane_plan plan{lane_algorithm::multi_lane, {3}, parts, {}};
    for (const std::uint32_t parent : {0u, 1u})
        for (std::uint32_t part = 0; part < parts; ++part)
            plan.edges.push_back({parent, parent + 1, collectives::lane_choice::first, part, 1, true, false});
    return plan;
}

TEST(lane_broadcast, an_edge_that_is_not_pipelined_waits_for_pieces_too) {
    const lane_broadcast_params params = short_broadcast(lane_algorithm::multi_lane, {3}, 100'000);
    for (const bool pipelined : {false, true}) {
        lane_plan plan = many_edges(1);
        plan.edges[1].pipelined = pipelined;
        lane_scoreboard scores(1, 3, params.driver.bytes);
        const auto job = make_lane_job(plan, params.driver, 2);
        lane_network net(params.network, [&](std::uint32_t) {
            return std::vector<host::application_factory>{drive_lanes(job, scores)};
        });
        EXPECT_EQ(net.run(lane_limits(), [&] { return scores.complete(); }), lane_outcome::complete);
        const cycle taken = scores.completed()[2] - params.driver.start;
        EXPECT_EQ(taken > 2 * params.driver.bytes, !pipelined);
    }
}

TEST(lane_broadcast, more_messages_than_firmware_sends_at_once_wait) {
    for (const unsigned lanes : {1u, 2u}) {
        const lane_broadcast_params params = short_broadcast(lane_algorithm::multi_lane, {3}, 30'001, lanes);
        lane_scoreboard scores(1, 3, params.driver.bytes);
        const auto job = make_lane_job(many_edges(256), params.driver, lanes);
        lane_network net(params.network, [&](std::uint32_t) {
            return std::vector<host::application_factory>{drive_lanes(job, scores)};
        });
        EXPECT_EQ(net.run(lane_limits(), [&] { return scores.complete(); }), lane_outcome::complete);
        EXPECT_TRUE(scores.good());
        EXPECT_THAT(net.failures(), IsEmpty());
    }
}

TEST(lane_broadcast, refuses_what_interfaces_have_no_room_for) {
    lane_broadcast_params params = short_broadcast(lane_algorithm::chain, {3}, 30'000);
    const auto refusal_of = [&](const lane_plan& plan, unsigned interfaces) {
        return refusal([&] { make_lane_job(plan, params.driver, interfaces); });
    };
    EXPECT_THAT(refusal_of(many_edges(257), 2), HasSubstr("node 1 needs 257 counters"));
    EXPECT_THAT(refusal_of(many_edges(1001), 2), HasSubstr("node 1 expects 1001 messages"));
    // The largest of all algorithms.
    EXPECT_EQ(refusal_of(make_lane_plan(lane_algorithm::van_de_geijn, {4095}), 1), "accepted");
    const lane_plan plan = make_lane_plan(lane_algorithm::chain, {3});
    EXPECT_THAT(refusal_of(plan, 3), HasSubstr("1 or 2"));
    params.driver.streams = 0;
    EXPECT_THAT(refusal_of(plan, 1), HasSubstr("no stream"));
    params.driver.streams = 1;
    params.driver.window = 511;
    EXPECT_THAT(refusal([&] { run_broadcast(params); }), HasSubstr("packets carry 512"));
}

}  // namespace
}  // namespace polycast::hw::lanes
