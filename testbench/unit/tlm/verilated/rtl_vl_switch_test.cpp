// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_vl_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::tlm {
namespace {

using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::engine::cycle;
using hw::engine::pins;
using testing::ElementsAre;
using testing::IsEmpty;

/// A set of the equivalence tests, whose model it shares: a header takes four flits, a chunk has four.
constexpr const char* model_set = "vl_switch_p4_v2_f4_c16x4_l40_g8_r4_x0_inline";
constexpr unsigned header_flits = 4;

model_options quickly_built() {
    model_options options = model_options::defaults();
    options.optimize = "-O1";
    return options;
}

/// LIDs 1..4 are behind ports 0..3, group 0 is all of them; service level s goes on lane s % 2.
vl_switch_tables tables(const vl_switch_params& params) {
    vl_switch_tables tables;
    tables.packet_limit = 16;
    const std::size_t lanes = std::size_t{params.ports} * params.vls;
    tables.vl_chunks.assign(lanes, params.chunks);
    tables.credits.assign(lanes, 4);
    tables.lft = {255, 1, 2, 3, 4};
    tables.mft = {0xf};
    tables.sl2vl = std::make_shared<hw::chips::sl_to_vl>(std::size_t{params.ports} * params.ports, 0x1010101010101010);
    return tables;
}

/// What is on the output pins, one entry for each flit, credit, error and wait.
struct event {
    cycle at;
    unsigned port;
    unsigned value;  ///< lane, or error bits

    bool operator==(const event&) const = default;
};

class rtl_vl_switch_test : public testing::Test {
protected:
    /// A packet of `length` flits into lane 1 of port 0 from cycle 0 on; ends when the switch is idle, or after
    /// `cycles`.
    void send(rtl_vl_switch& chip, std::uint32_t dlid, unsigned sl, unsigned length, unsigned cycles = 40) {
        std::vector<std::uint8_t> bytes(64);
        hw::format::write_common({.kind = hw::format::packet_kind::lid}, bytes.data());
        hw::format::write_field<hw::format::dlid_field>(bytes.data(), dlid);
        bytes[hw::format::sl_field.offset / 8] = static_cast<std::uint8_t>(sl);
        pins in(chip.shape());
        pins out(chip.shape());
        for (cycle now = 0; now < cycles; ++now) {
            in.clear();
            if (now < length) {
                in.valid = 1;
                in.head = now == 0;
                in.tail = now + 1 == length;
                in.vc[0] = 1;
                std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(4 * now), 4, in.data.begin());
            }
            out.clear();
            const cycle next = chip.step(now, in, out);
            for (unsigned port = 0; port < chip.shape().ports; ++port) {
                if ((out.valid >> port & 1) != 0) flits.push_back({now + 1, port, out.vc[port]});
                if ((out.credit >> port & 1) != 0) credits.push_back({now + 1, port, out.credit_vc[port]});
                if ((out.error >> port & 1) != 0) errors.push_back({now + 1, port, out.errors[port]});
                if ((chip.xmit_wait() >> port & 1) != 0) waits.push_back({now + 1, port, 0});
            }
            if (now + 1 >= length && chip.idle()) {
                EXPECT_EQ(next, hw::engine::never);
                return;
            }
        }
    }

    model_library models{quickly_built()};
    vl_switch_params params = params_of_model<vl_switch_params>(model_set);
    std::vector<event> flits;
    std::vector<event> credits;
    std::vector<event> errors;
    std::vector<event> waits;
};

TEST_F(rtl_vl_switch_test, a_hop_takes_what_the_page_says) {
    rtl_vl_switch chip(params, tables(params), models);
    send(chip, 3, 4, header_flits + 1);
    EXPECT_TRUE(chip.idle());
    EXPECT_THAT(flits, ElementsAre(event{5, 2, 0}, event{6, 2, 0}, event{7, 2, 0}, event{8, 2, 0}, event{9, 2, 0}));
    EXPECT_THAT(credits, ElementsAre(event{8, 0, 1}, event{9, 0, 1}));
    EXPECT_THAT(errors, IsEmpty());
    EXPECT_THAT(waits, IsEmpty());
    hw::engine::chip_probe state;
    chip.probe(state);
    ASSERT_EQ(state.outputs.size(), 8u);
    EXPECT_EQ(state.outputs[4].credits, 2u);
    EXPECT_EQ(state.outputs[5].credits, 4u);
}

TEST_F(rtl_vl_switch_test, groups_are_copied_but_not_back) {
    vl_switch_tables with_gap = tables(params);
    with_gap.credits[2] = with_gap.credits[3] = 0;  // port 1 is open
    rtl_vl_switch chip(params, with_gap, models);
    send(chip, 0xc000, 1, header_flits);
    EXPECT_THAT(flits, ElementsAre(event{5, 2, 1}, event{5, 3, 1}, event{6, 2, 1}, event{6, 3, 1}, event{7, 2, 1},
                                   event{7, 3, 1}, event{8, 2, 1}, event{8, 3, 1}));
    EXPECT_THAT(errors, ElementsAre(event{4, 0, static_cast<unsigned>(hw::format::chip_error::partial_route)}));
}

TEST_F(rtl_vl_switch_test, without_credits_it_waits_and_gives_up) {
    vl_switch_tables short_lived = tables(params);
    short_lived.hoq_life = 3;
    rtl_vl_switch chip(params, short_lived, models);
    send(chip, 2, 0, 16);  // takes all four credits
    flits.clear();
    waits.clear();
    send(chip, 2, 0, header_flits);
    EXPECT_TRUE(chip.idle());
    EXPECT_THAT(flits, IsEmpty());
    EXPECT_THAT(waits, ElementsAre(event{5, 1, 0}, event{6, 1, 0}, event{7, 1, 0}));
    EXPECT_THAT(errors, ElementsAre(event{7, 1, static_cast<unsigned>(hw::format::chip_error::hoq_dropped)}));
}

TEST_F(rtl_vl_switch_test, reset_drops_the_traffic_and_keeps_the_registers) {
    rtl_vl_switch chip(params, tables(params), models);
    pins in(chip.shape());
    pins out(chip.shape());
    in.valid = in.head = 1;
    chip.step(0, in, out);
    EXPECT_FALSE(chip.idle());
    chip.reset();
    EXPECT_TRUE(chip.idle());
    send(chip, 4, 0, header_flits);
    EXPECT_EQ(flits.size(), header_flits);
}

TEST_F(rtl_vl_switch_test, driving_it_against_its_contract_is_reported) {
    rtl_vl_switch chip(params, tables(params), models);
    pins in(chip.shape());
    pins out(chip.shape());
    in.tail = 1;  // without valid
    EXPECT_THROW(chip.step(0, in, out), rtl_assertion_error);
}

TEST_F(rtl_vl_switch_test, tables_that_do_not_fit_are_refused) {
    vl_switch_tables wrong = tables(params);
    wrong.credits.pop_back();
    EXPECT_THROW(rtl_vl_switch(params, wrong, models), std::invalid_argument);
    wrong = tables(params);
    wrong.lft.resize(params.max_lids + 1);
    EXPECT_THROW(rtl_vl_switch(params, wrong, models), std::invalid_argument);
    wrong = tables(params);
    wrong.policy = hw::chips::vl_policy::weighted;
    EXPECT_THROW(rtl_vl_switch(params, wrong, models), std::invalid_argument);
}

TEST(model_library_test, names_of_vl_switches_say_every_parameter) {
    vl_switch_params params;
    params.ports = 5;
    params.vls = 3;
    params.flit_bytes = 2;
    params.chunk_flits = 7;
    params.chunks = 9;
    params.max_lids = 11;
    params.max_groups = 13;
    params.read_ports = 4;
    params.xbar_stages = 1;
    for (const bool flag : {false, true}) {
        params.header_free = params.weighted = flag;
        EXPECT_EQ(params_of_model<vl_switch_params>(model_name(params)), params) << model_name(params);
    }
    EXPECT_EQ(model_name(params), "vl_switch_p5_v3_f2_c9x7_l11_g13_r4_x1_weighted_free");
    EXPECT_THROW(params_of_model<hw::chips::switch_params>(model_name(params)), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm
