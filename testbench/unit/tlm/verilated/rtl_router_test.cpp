// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::tlm {
namespace {

using hw::chips::router_params;
using hw::chips::router_tables;
using hw::engine::cycle;
using hw::engine::pins;
using testing::ElementsAre;

/// Node (1, 1) of an 8 x 8 mesh; port 4 leads to its host.
router_tables tables(const router_params& params) {
    router_tables tables;
    tables.node = 9;
    tables.credits.assign(params.ports, 8);
    for (auto& sides : tables.vc_sets) sides = {0xf, 0xc};
    return tables;
}

/// What is on the output pins, one entry for each flit and for each credit.
struct event {
    cycle at;
    unsigned port;
    unsigned vc;

    bool operator==(const event&) const = default;
};

class rtl_router_test : public testing::Test {
protected:
    /// A packet of `length` flits into virtual channel 2 of port 0 from cycle 0 on.
    void send(hw::engine::chip& chip, hw::format::packet_kind kind, std::uint32_t number, unsigned length) {
        pins in(chip.shape());
        pins out(chip.shape());
        hw::format::common_header common;
        common.kind = kind;
        common.source = number;
        for (cycle now = 0; now < 20; ++now) {
            in.clear();
            if (now < length) {
                in.valid = 1;
                in.head = now == 0;
                in.tail = now + 1 == length;
                in.vc[0] = 2;
                hw::format::write_common(common, in.data.data());
                if (kind == hw::format::packet_kind::unicast)
                    hw::format::write_field<hw::format::destination_field>(in.data.data(), number);
            }
            out.clear();
            const cycle next = chip.step(now, in, out);
            for (unsigned port = 0; port < chip.shape().ports; ++port) {
                if ((out.valid >> port & 1) != 0) flits.push_back({now + 1, port, out.vc[port]});
                if ((out.credit >> port & 1) != 0) credits.push_back({now + 1, port, out.credit_vc[port]});
            }
            if (now + 1 >= length && chip.idle()) {
                EXPECT_EQ(next, hw::engine::never);
                return;
            }
        }
        ADD_FAILURE() << "the router does not become idle";
    }

    model_library models;
    router_params params;
    std::vector<event> flits;
    std::vector<event> credits;
};

TEST_F(rtl_router_test, a_hop_takes_what_the_page_says) {
    rtl_router chip(params, tables(params), models);
    // To (3, 1): up dimension 0, which is no ring, so side 1: the first of virtual channels 2 and 3.
    send(chip, hw::format::packet_kind::unicast, 11, 2);
    EXPECT_THAT(flits, ElementsAre(event{2, 0, 2}, event{3, 0, 2}));
    EXPECT_THAT(credits, ElementsAre(event{2, 0, 2}, event{3, 0, 2}));
    hw::engine::chip_probe state;
    chip.probe(state);
    ASSERT_EQ(state.outputs.size(), 20u);
    EXPECT_EQ(state.outputs[2].credits, 6u);
    EXPECT_EQ(state.outputs[3].credits, 8u);
}

TEST_F(rtl_router_test, broadcasts_are_copied) {
    rtl_router chip(params, tables(params), models);
    // From (2, 1), in by port 0: on its way down dimension 0, to both directions of dimension 1, and to the host.
    send(chip, hw::format::packet_kind::broadcast, 10, 1);
    EXPECT_THAT(flits, ElementsAre(event{2, 1, 2}, event{2, 2, 2}, event{2, 3, 2}, event{2, 4, 0}));
    EXPECT_THAT(credits, ElementsAre(event{2, 0, 2}));
}

TEST_F(rtl_router_test, reset_drops_the_traffic_and_keeps_the_registers) {
    rtl_router chip(params, tables(params), models);
    pins in(chip.shape());
    pins out(chip.shape());
    in.valid = in.head = 1;
    chip.step(0, in, out);
    EXPECT_FALSE(chip.idle());
    chip.reset();
    EXPECT_TRUE(chip.idle());
    send(chip, hw::format::packet_kind::unicast, 9, 1);
    EXPECT_THAT(flits, ElementsAre(event{2, 4, 0}));
}

TEST_F(rtl_router_test, driving_it_against_its_contract_is_reported) {
    rtl_router chip(params, tables(params), models);
    pins in(chip.shape());
    pins out(chip.shape());
    in.tail = 1;  // without valid
    EXPECT_THROW(
        {
            chip.step(0, in, out);
            chip.step(1, in, out);
        },
        rtl_assertion_error);
    router_tables few = tables(params);
    few.credits.pop_back();
    EXPECT_THROW(rtl_router(params, few, models), std::invalid_argument);
    router_tables chooses = tables(params);
    chooses.select = hw::chips::route_select::random;
    EXPECT_THROW(rtl_router(params, chooses, models), std::invalid_argument);
}

TEST(model_library_test, names_of_routers_say_every_parameter) {
    router_params params;
    params.ports = 7;
    params.vcs = 3;
    params.vc_flits = 9;
    params.flit_bytes = 5;
    params.dimensions = 3;
    params.radix = 6;
    params.max_nodes = 40;
    params.xbar_stages = 2;
    for (const bool header_free : {false, true}) {
        for (const bool copies : {false, true}) {
            params.header_free = header_free;
            params.copies = copies;
            EXPECT_EQ(params_of_model<hw::chips::router_params>(model_name(params)), params) << model_name(params);
        }
    }
    EXPECT_EQ(model_name(params), "router_p7_v3x9_f5_d3x6_n40_x2_c1_free");
    params.adaptive = true;
    EXPECT_EQ(model_name(params), "router_p7_v3x9_f5_d3x6_n40_x2_c1_adaptive_free");
    EXPECT_EQ(params_of_model<hw::chips::router_params>(model_name(params)), params);
    EXPECT_THROW(params_of_model<hw::chips::router_params>("router_p7_v3x9_f5_d3x6_n40_x2_adaptive_c1_free"),
                 hw::input_error);
    EXPECT_EQ(model_name(router_params{}), "router_p5_v4x8_f16_d2x8_n0_x0_c1_inline");
    EXPECT_THROW(params_of_model<hw::chips::router_params>("router_p7_v3x9_f5_d3x6_n40_x2_c1"), hw::input_error);
    EXPECT_THROW(params_of_model<hw::chips::router_params>("router_p7_v3x9_f5_d3x6_n40_x2_c2_free"), hw::input_error);
    EXPECT_THROW(params_of_model<hw::chips::switch_params>(model_name(params)), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm
