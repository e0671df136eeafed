// SPDX-License-Identifier: Apache-2.0
// hw/chips/event/event_switch.md: where packets go, when, and behind whom.
#include "hw/chips/event/event_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "hw/chips/port_set.h"
#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::chips {
namespace {

using engine::cycle;
using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const engine::packet_bytes> packet_to(std::uint32_t host, std::uint8_t mark = 0) {
    engine::packet_bytes bytes;
    bytes.flits.assign(format::unicast_header_bytes + 1, mark);
    format::write_common({format::packet_kind::unicast, true, 0, 0, 1, 0}, bytes.flits.data());
    format::write_field<format::destination_field>(bytes.flits.data(), host);
    return std::make_shared<const engine::packet_bytes>(std::move(bytes));
}

/// Steps a switch through the cycles that it asks for.
struct driver {
    struct departure {
        cycle when;
        unsigned port;
        int mark;
        std::uint32_t cycles;
        bool operator==(const departure&) const = default;
    };

    explicit driver(const event_switch_params& params)
        : chip(params), in(params.pin_shape()), out(params.pin_shape()) {}

    /// Packets on the input pins in cycle `when`, later than those of all calls before.
    void arrive(cycle when, const std::map<unsigned, engine::whole_packet>& packets) {
        run(when);
        in.clear();
        for (const auto& [port, packet] : packets) {
            in.packet |= bit(port);
            in.packets[port] = packet;
        }
        step(when);
    }
    void run(cycle end) {
        while (next < end) {
            in.clear();
            step(next);
        }
    }
    void step(cycle now) {
        out.clear();
        next = chip.step(now, in, out);
        for (unsigned port = 0; port < chip.shape().ports; ++port) {
            if ((out.packet >> port & 1) != 0)
                sent.push_back({now + 1, port, out.packets[port].bytes->flits.back(), out.packets[port].cycles});
            if ((out.error >> port & 1) != 0) errors.emplace_back(port, out.errors[port]);
        }
    }
    std::vector<departure> finish() {
        run(engine::never);
        EXPECT_TRUE(chip.idle());
        return sent;
    }

    event_switch chip;
    engine::pins in, out;
    cycle next = engine::never;
    std::vector<departure> sent;
    std::vector<std::pair<unsigned, unsigned>> errors;
};

using departure = driver::departure;

event_switch_params four_ports() {
    event_switch_params params;
    params.ports = 4;
    params.delay = 5;
    params.routes = {0b0001, 0b0010, 0b0100, 0b1000, 0b1100};
    return params;
}

TEST(event_switch, a_packet_alone_takes_the_delay) {
    driver d(four_ports());
    d.arrive(10, {{0, {100, 100, packet_to(3, 42)}}});
    EXPECT_THAT(d.finish(), ElementsAre(departure{15, 3, 42, 100}));
}

TEST(event_switch, packets_for_one_output_follow_each_other_without_a_gap) {
    driver d(four_ports());
    d.arrive(10, {{0, {100, 100, packet_to(3, 1)}}, {1, {50, 50, packet_to(3, 2)}}});
    d.arrive(60, {{1, {7, 7, packet_to(3, 3)}}, {2, {7, 7, packet_to(1, 4)}}});
    EXPECT_THAT(d.finish(), ElementsAre(departure{15, 3, 1, 100}, departure{65, 1, 4, 7}, departure{115, 3, 2, 50},
                                        departure{165, 3, 3, 7}));
    EXPECT_EQ(d.chip.output(3).busy, 157u);
    EXPECT_EQ(d.chip.output(3).waited, 100u + 100u);
    EXPECT_EQ(d.chip.output(3).queued_max, 2u);
    EXPECT_EQ(d.chip.output(1).waited, 0u);
}

TEST(event_switch, of_packets_that_come_together_each_input_is_first_in_turn) {
    driver d(four_ports());
    for (cycle round = 0; round < 4; ++round)
        d.arrive(10 + 1000 * round,
                 {{0, {10, 10, packet_to(3, 0)}}, {1, {10, 10, packet_to(3, 1)}}, {2, {10, 10, packet_to(3, 2)}}});
    std::vector<int> order;
    for (const departure& each : d.finish()) order.push_back(each.mark);
    EXPECT_THAT(order, ElementsAre(0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2));
}

TEST(event_switch, links_have_rates_of_their_own) {
    event_switch_params params = four_ports();
    params.cycles_per_flit = {1, 1, {5, 2}, {1, 4}};
    driver d(params);
    d.arrive(10, {{0, {10, 10, packet_to(2, 1)}}});
    d.arrive(20, {{0, {10, 10, packet_to(2, 2)}}});
    // The fast link begins so late that the tail, in on cycle 139, does not have to be waited for.
    d.arrive(100, {{0, {40, 40, packet_to(3, 3)}}});
    d.arrive(200, {{0, {1, 1, packet_to(3, 4)}}});
    EXPECT_THAT(d.finish(), ElementsAre(departure{15, 2, 1, 25}, departure{40, 2, 2, 25}, departure{135, 3, 3, 10},
                                        departure{205, 3, 4, 1}));
}

TEST(event_switch, chooses_the_output_that_is_free_first) {
    event_switch_params params = four_ports();
    params.select = format::route_select::least_loaded;
    driver d(params);
    d.arrive(10, {{0, {100, 100, packet_to(2, 1)}}});
    d.arrive(11, {{0, {90, 90, packet_to(4, 2)}}});
    d.arrive(12, {{1, {90, 90, packet_to(4, 3)}}});  // port 3 is free in cycle 106, port 2 in 115
    EXPECT_THAT(d.finish(), ElementsAre(departure{15, 2, 1, 100}, departure{16, 3, 2, 90}, departure{106, 3, 3, 90}));
}

TEST(event_switch, chooses_at_random_each_as_often_as_the_other) {
    for (const format::route_select select : {format::route_select::random, format::route_select::least_loaded}) {
        event_switch_params params = four_ports();
        params.select = select;
        params.routes = {0b1110};
        params.seed = 5;
        driver d(params);
        for (cycle when = 10; when < 90'010; when += 10) d.arrive(when, {{0, {1, 1, packet_to(0)}}});
        std::map<unsigned, int> counts;
        for (const departure& each : d.finish()) ++counts[each.port];
        // Of 9,000 draws: binomial, three times its deviation of 45. All are free, so none is loaded less.
        for (unsigned port = 1; port < 4; ++port) EXPECT_NEAR(counts[port], 3000, 135);
        EXPECT_EQ(counts.count(0), 0u);
    }
}

TEST(event_switch, drops_what_it_cannot_route_and_says_so) {
    driver d(four_ports());
    d.arrive(1, {{0, {10, 10, packet_to(9)}}});
    auto worm = std::make_shared<engine::packet_bytes>(*packet_to(1));
    format::write_common({format::packet_kind::tree, true, 0, 0, 1, 0}, worm->flits.data());
    d.arrive(20, {{2, {10, 10, worm}}});
    auto stump = std::make_shared<engine::packet_bytes>();
    stump->flits.resize(3);
    d.arrive(40, {{3, {3, 3, stump}}});
    EXPECT_THAT(d.finish(), IsEmpty());
    EXPECT_THAT(d.errors, ElementsAre(std::pair(0u, unsigned(format::chip_error::no_route)),
                                      std::pair(2u, unsigned(format::chip_error::bad_kind)),
                                      std::pair(3u, unsigned(format::chip_error::short_header))));
}

TEST(event_switch, refuses_what_makes_no_sense) {
    event_switch_params params = four_ports();
    params.ports = 3;  // the routes lead to port 3
    EXPECT_THROW(event_switch{params}, input_error);
    params = four_ports();
    params.delay = 0;
    EXPECT_THROW(event_switch{params}, input_error);
    params = four_ports();
    params.cycles_per_flit = {0};
    EXPECT_THROW(event_switch{params}, input_error);
}

}  // namespace
}  // namespace polycast::hw::chips
