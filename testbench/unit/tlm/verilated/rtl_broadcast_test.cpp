// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_broadcast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/workloads/broadcast/broadcast_network.h"
#include "testbench/unit/hw/workloads/broadcast/broadcast_bench.h"

namespace polycast::tlm {
namespace {

using hw::chips::broadcast_params;
using hw::chips::broadcast_registers;
using hw::engine::chip_event;
using hw::engine::cycle;
using hw::engine::pins;
using hw::engine::side_state;
using testing::ElementsAre;
using testing::IsEmpty;

/// A set of the equivalence tests, whose model it shares: a line of 16 nodes, port 2 to the host, port 3 around.
constexpr const char* model_set = "broadcast_p4_v2x2_f2_d1x16_n0_x2_c1_s9x3_i3_free";
constexpr unsigned source = 4;

model_options quickly_built() {
    model_options options = model_options::defaults();
    options.optimize = "-O1";
    return options;
}

class rtl_broadcast_test : public testing::Test {
protected:
    rtl_broadcast_test() {
        registers.router.node = 5;
        registers.router.credits.assign(params.router.ports, 0);
        registers.open = 0b1011;
        registers.dimension.assign(params.router.ports, 0);
        registers.there = {6, 4, 0, 9};
        registers.maps = true;
    }

    /// The only packet of a message, one flit, comes in at these ports; then `cycles` cycles.
    void send(hw::engine::chip& chip, std::uint64_t ports, unsigned cycles) {
        pins in(chip.shape());
        pins out(chip.shape());
        in.valid = in.head = in.tail = ports;
        for (unsigned port = 0; port < params.router.ports; ++port) {
            in.vc[port] = static_cast<std::uint8_t>(params.unit_vc());
            std::uint8_t* header = &in.header[std::size_t{port} * chip.shape().header_bytes];
            hw::format::write_common({.kind = hw::format::packet_kind::pipelined, .source = source, .length = 2},
                                     header);
            hw::format::write_pipelined({.packet = 0, .last_packet = 0, .colour = 0, .round = 0}, header);
        }
        for (const cycle end = now + cycles; now < end; ++now) {
            out.clear();
            chip.step(now, in, out);
            in.clear();
            for (const chip_event& event : out.events) events.push_back(event);
            if (out.side != 0) {
                EXPECT_EQ(out.side, registers.open);
                shown.push_back(out.sides[0]);
            }
            if (out.valid != 0) sent.emplace_back(now + 1, out.valid);
        }
    }
    /// All neighbours show this.
    void neighbours(hw::engine::chip& chip, const side_state& state) {
        pins in(chip.shape());
        pins out(chip.shape());
        in.side = registers.open;
        in.sides.assign(params.router.ports, state);
        chip.step(now++, in, out);
    }

    model_library models{quickly_built()};
    broadcast_params params = params_of_model<hw::chips::broadcast_params>(model_set);
    broadcast_registers registers;
    cycle now = 0;
    std::vector<chip_event> events;
    std::vector<side_state> shown;
    std::vector<std::pair<cycle, std::uint64_t>> sent;
};

TEST_F(rtl_broadcast_test, a_packet_goes_on_and_side_wires_show_it) {
    rtl_broadcast chip(params, registers, models);
    send(chip, 0b0010, 10);
    EXPECT_THAT(sent, ElementsAre(std::pair<cycle, std::uint64_t>{2, 0b1101}));
    EXPECT_THAT(events, IsEmpty());
    EXPECT_THAT(shown, ElementsAre(side_state{1, 0}, side_state{0, 1}));
    EXPECT_TRUE(chip.idle());
}

TEST_F(rtl_broadcast_test, what_neighbours_have_is_not_sent) {
    rtl_broadcast chip(params, registers, models);
    neighbours(chip, {1, 0});
    send(chip, 0b0010, 10);
    EXPECT_THAT(sent, ElementsAre(std::pair<cycle, std::uint64_t>{3, 0b0100}));
}

TEST_F(rtl_broadcast_test, a_round_waits_for_neighbours_and_duplicates_are_events) {
    rtl_broadcast chip(params, registers, models);
    neighbours(chip, {0, 3});
    send(chip, 0b1010, 10);
    EXPECT_THAT(events,
                ElementsAre(chip_event{3, static_cast<std::uint8_t>(hw::chips::broadcast_event::duplicate), 0, 0, 0}));
    EXPECT_THAT(sent, ElementsAre(std::pair<cycle, std::uint64_t>{3, 0b0100}));
    EXPECT_THAT(shown, ElementsAre(side_state{1, 0}));
    EXPECT_FALSE(chip.idle());
    chip.reset();
    EXPECT_TRUE(chip.idle());
    shown.clear();
    sent.clear();
    send(chip, 0b0010, 10);
    EXPECT_THAT(sent, ElementsAre(std::pair<cycle, std::uint64_t>{now - 10 + 2, 0b1101}));
}

TEST_F(rtl_broadcast_test, a_ring_carries_unicasts_beside_broadcasts) {
    hw::broadcast::router_network_params ring;
    ring.topology = {16, 1, {}};
    ring.chip = params;
    ring.tables.policy = hw::chips::vc_policy::keep;
    const std::vector<hw::broadcast::broadcast_job> jobs{{3, {9}, 3, 0}, {12, {5}, 1, 0}};
    hw::broadcast::broadcast_traffic_params traffic;
    traffic.unicasts = {.rate = 0.02, .flits = 4, .seed = 2};
    const auto run = [&](const hw::broadcast::broadcast_router_factory& make) {
        // Compares every byte that a host gets.
        return hw::broadcast::broadcast_network(ring, jobs, traffic, hw::broadcast::chips_by(make)).run();
    };
    const auto rtl = run([this](const broadcast_params& chip, const broadcast_registers& of_node) {
        return std::make_unique<rtl_broadcast>(chip, of_node, models);
    });
    const auto core = run(hw::broadcast::core_routers());
    EXPECT_GT(rtl.unicasts, 20u);
    EXPECT_EQ(rtl.unicasts, core.unicasts);
    EXPECT_EQ(rtl.flit_hops, core.flit_hops);
    EXPECT_EQ(rtl.jobs[1].at_hosts, core.jobs[1].at_hosts);
}

TEST(model_library_test, names_of_broadcast_routers_say_every_parameter) {
    broadcast_params params;
    params.router = {.ports = 9,
                     .vcs = 3,
                     .vc_flits = 5,
                     .flit_bytes = 14,
                     .dimensions = 3,
                     .radix = 6,
                     .max_nodes = 7,
                     .xbar_stages = 1,
                     .copies = false};
    params.slots = 11;
    params.slot_flits = 12;
    params.inject_flits = 13;
    for (const bool header_free : {false, true}) {
        params.router.header_free = header_free;
        EXPECT_EQ(params_of_model<hw::chips::broadcast_params>(model_name(params)), params) << model_name(params);
    }
    EXPECT_EQ(model_name(params), "broadcast_p9_v3x5_f14_d3x6_n7_x1_c0_s11x12_i13_free");
    EXPECT_THROW(params_of_model<hw::chips::broadcast_params>("broadcast_p9_v3x5_f14_d3x6_n7_x1_c0_s11x12_i13"),
                 hw::input_error);
    EXPECT_THROW(params_of_model<hw::chips::switch_params>(model_name(params)), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm
