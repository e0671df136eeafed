// SPDX-License-Identifier: Apache-2.0
// Latencies of sites and between them, whatever switches are in the way, and what a network refuses.
#include "hw/workloads/lanes/lane_network.h"

#include <gmock/gmock.h>

#include "hw/format/header.h"
#include "testbench/unit/hw/workloads/lanes/lanes_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::lanes {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;

/// Tells when a packet begins at its sender and ends at its receiver.
struct packet_times final : ni::observer {
    void arrived(cycle now, const ni::received_packet& packet) override {
        end = now;
        flits = packet.flits;
    }
    void departed(cycle now, const ni::departed_packet&) override { begin = now; }
    cycle begin = 0, end = 0;
    std::size_t flits = 0;
};

/// Sends one message of one packet over an interface.
class one_sender final : public host::application {
public:
    one_sender(const host::host_context& context, std::uint32_t to, unsigned interface)
        : context_(context), to_(to), interface_(interface) {}
    void start() override {
        host::send_order order;
        order.to = to_;
        const std::vector<std::uint8_t> content(100, 1);
        context_.everywhere[interface_]->send(order, content);
    }
    bool finished() const override { return done_; }
    void sent(cycle, std::uint64_t, ni_status) override { done_ = true; }
    void received(cycle, const host::delivery&) override {}
    host::process_client* client(unsigned) override { return this; }

private:
    host::host_context context_;
    std::uint32_t to_;
    unsigned interface_;
    bool done_ = false;
};

class one_receiver final : public host::application {
public:
    void start() override {}
    bool finished() const override { return true; }
    void sent(cycle, std::uint64_t, ni_status) override {}
    void received(cycle, const host::delivery&) override { ++count; }
    host::process_client* client(unsigned) override { return this; }
    int count = 0;
};

/// Cycles from the first byte on the sender's pins to the first one on the receiver's.
cycle latency_of(const lane_network_params& params, std::uint32_t from, std::uint32_t to, unsigned interface = 0) {
    packet_times times;
    const auto programs = [&](std::uint32_t node) -> std::vector<host::application_factory> {
        if (node == from)
            return {[&](const host::host_context& context) {
                return std::make_unique<one_sender>(context, to, interface);
            }};
        return {[](const host::host_context&) { return std::make_unique<one_receiver>(); }};
    };
    lane_network net(params, programs, &times);
    EXPECT_EQ(net.run(lane_limits(), [&] { return times.end != 0; }), lane_outcome::complete);
    EXPECT_EQ(times.flits, packet_bytes(100));
    EXPECT_TRUE(net.failures().empty());
    return times.end - (times.flits - 1) - times.begin;
}

lane_network_params places(const std::vector<std::uint32_t>& sites, cycle latency, cycle wide = 1000) {
    lane_network_params params;
    params.sites = sites;
    params.latency = latency;
    params.wide_latency = wide;
    return params;
}

TEST(lane_network, a_site_has_its_latency_and_the_way_between_sites_its_own) {
    for (const cycle latency : {3u, 4u, 50u, 51u, 240'000u}) {
        EXPECT_EQ(latency_of(places({4}, latency), 0, 3), latency);
        const lane_network_params three = places({2, 3, 1}, latency, 600'000);
        EXPECT_EQ(latency_of(three, 0, 1), latency);
        EXPECT_EQ(latency_of(three, 4, 2, 1), latency);
        for (const auto& [from, to] : {std::pair{0u, 2u}, {1u, 4u}, {0u, 5u}, {3u, 1u}, {4u, 5u}, {5u, 0u}, {5u, 3u}})
            EXPECT_EQ(latency_of(three, from, to, 1), 600'000u) << from << " to " << to;
    }
}

TEST(lane_network, flit_by_flit_a_site_has_its_latency) {
    for (const cycle latency : {50u, 51u, 2000u}) {
        lane_network_params params = places({5}, latency);
        params.events = false;
        EXPECT_EQ(latency_of(params, 0, 4), latency);
        EXPECT_EQ(latency_of(params, 3, 1, 1), latency);
    }
}

TEST(lane_network, a_large_site_has_a_tree_of_switches) {
    const lane_network_params large = places({150, 2}, 51, 1000);
    const cycle packet = packet_bytes(100);
    EXPECT_EQ(latency_of(large, 0, 62), 51u);
    EXPECT_EQ(latency_of(large, 149, 126), 51u);
    // Two switches and two links more, and it waits in front of the fast link until its tail can follow.
    EXPECT_EQ(latency_of(large, 0, 63), 51 + 2 + 2 + packet - 1);
    EXPECT_EQ(latency_of(large, 150, 151), 51u);
    EXPECT_EQ(latency_of(large, 151, 149), 1000 + packet - 1);
    EXPECT_EQ(latency_of(large, 10, 150), 1000 + packet - 1);
}

TEST(lane_network, a_packet_waits_in_front_of_a_fast_link) {
    lane_network_params params = places({2, 2}, 51, 1000);
    params.wide_cycles_per_byte = {1, 10};
    const cycle packet = packet_bytes(100);
    EXPECT_EQ(latency_of(params, 0, 2), 1000 + packet - (packet + 9) / 10);
    params.wide_cycles_per_byte = {2, 1};
    EXPECT_EQ(latency_of(params, 0, 2), 1000 + packet);  // a slow one: it is there when its tail can be
}

TEST(lane_network, refuses_what_cannot_be_built) {
    const auto refusal_of = [](const lane_network_params& params) { return refusal([&] { make_sites(params); }); };
    EXPECT_THAT(refusal_of(places({}, 50)), HasSubstr("without sites"));
    EXPECT_THAT(refusal_of(places({2, 0}, 50)), HasSubstr("without nodes"));
    EXPECT_THAT(refusal_of(places({1}, 50)), HasSubstr("one node"));
    EXPECT_THAT(refusal_of(places({2}, 2)), HasSubstr("3 cycles or more"));
    EXPECT_THAT(refusal_of(places({2, 2}, 50, 52)), HasSubstr("the sites themselves take"));
    EXPECT_THAT(refusal_of(places(std::vector<std::uint32_t>(66, 1), 50)), HasSubstr("ports in the middle"));
    lane_network_params params = places({2}, 50);
    params.lanes = 3;
    EXPECT_THAT(refusal_of(params), HasSubstr("1 or 2"));
    params = places({17}, 50);
    params.events = false;
    EXPECT_THAT(refusal_of(params), HasSubstr("at most 16 nodes"));
    params.sites = {4, 4};
    EXPECT_THAT(refusal_of(params), HasSubstr("one site"));
    params.sites = {4};
    params.latency = 3000;
    EXPECT_THAT(refusal_of(params), HasSubstr("cycles, not 3000"));
}

}  // namespace
}  // namespace polycast::hw::lanes
