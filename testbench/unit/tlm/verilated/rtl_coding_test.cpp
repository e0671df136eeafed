// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_coding.h"

#include "hw/input_error.h"
#include "testbench/unit/hw/chips/coding/coding_bench.h"

namespace polycast::tlm {
namespace {

using hw::chips::coding_params;
using hw::chips::coding_registers;
using hw::engine::chip_event;
using hw::engine::cycle;
using hw::engine::pins;
using testbench::unit::byte_list;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A set of the equivalence tests, whose model it shares.
constexpr const char* model_set = "coding_v3x2_f2_k5_s7x3_i5_d9_l2_free";

model_options quickly_built() {
    model_options options = model_options::defaults();
    options.optimize = "-O1";
    return options;
}

class rtl_coding_test : public testing::Test {
protected:
    rtl_coding_test() {
        registers.latency = 2;
        registers.vc_sets.fill(6);
    }

    /// An operand of one flit into virtual channel 0; then `cycles` cycles.
    void send(hw::engine::chip& chip, std::uint32_t index, const byte_list& payload, unsigned cycles) {
        const testbench::unit::link_bytes packet =
            testbench::unit::to_link(params, testbench::unit::operand(0, index, payload));
        pins in(chip.shape());
        pins out(chip.shape());
        in.valid = in.head = in.tail = 1;
        in.data = packet.flits;
        in.header = packet.header;
        for (const cycle end = now + cycles; now < end; ++now) {
            out.clear();
            chip.step(now, in, out);
            in.clear();
            for (const chip_event& event : out.events) events.push_back(event);
            if (out.valid == 0) continue;
            results.push_back(testbench::unit::from_link(params, {out.header, out.data}));
            results.back().head = now + 1;
            results.back().vc = out.vc[0];
        }
    }

    model_library models{quickly_built()};
    coding_params params = params_of_model<hw::chips::coding_params>(model_set);
    coding_registers registers = testbench::unit::one_context(hw::chips::coding_mode::encode, 2, {9});
    cycle now = 0;
    std::vector<testbench::unit::coding_message> results;
    std::vector<chip_event> events;
};

TEST_F(rtl_coding_test, a_pair_takes_what_the_page_says) {
    rtl_coding chip(params, registers, models);
    send(chip, 0, {0x12, 0x34}, 10);
    EXPECT_FALSE(chip.idle());
    send(chip, 1, {0x0f, 0xf0}, 10);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_EQ(results[0].head, 10u + 4 + 2);
    EXPECT_EQ(results[0].vc, 1u);
    EXPECT_TRUE(results[0].intact);
    EXPECT_EQ(results[0].destination, 9u);
    EXPECT_THAT(results[0].payload, ElementsAre(0x1d, 0xc4));
    EXPECT_THAT(events, IsEmpty());
    EXPECT_TRUE(chip.idle());
    hw::engine::chip_probe state;
    chip.probe(state);
    ASSERT_THAT(state.outputs, SizeIs(3));
    EXPECT_EQ(state.outputs[1].credits, 7u);
}

TEST_F(rtl_coding_test, events_leave_by_their_pins) {
    registers.patience = 20;
    rtl_coding chip(params, registers, models);
    send(chip, 1, {1}, 5);
    send(chip, 1, {2}, 5);
    send(chip, 7, {3}, 40);
    EXPECT_THAT(events,
                ElementsAre(chip_event{0, static_cast<std::uint8_t>(hw::chips::coding_event::duplicate), 0, 1, 77},
                            chip_event{0, static_cast<std::uint8_t>(hw::chips::coding_event::bad_index), 0, 7, 77},
                            chip_event{2, static_cast<std::uint8_t>(hw::chips::coding_event::missing), 0, 0, 0}));
    EXPECT_TRUE(chip.idle());
}

TEST_F(rtl_coding_test, reset_drops_operands_and_keeps_the_registers) {
    rtl_coding chip(params, registers, models);
    send(chip, 0, {1}, 10);
    chip.reset();
    EXPECT_TRUE(chip.idle());
    send(chip, 1, {2}, 10);
    EXPECT_THAT(results, IsEmpty());
    send(chip, 0, {4}, 10);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_THAT(results[0].payload, ElementsAre(6));
    EXPECT_THAT(events, IsEmpty());
}

TEST(model_library_test, names_of_coding_units_say_every_parameter) {
    coding_params params;
    params.vcs = 3;
    params.vc_flits = 9;
    params.flit_bytes = 5;
    params.contexts = 7;
    params.slots = 11;
    params.slot_flits = 13;
    params.indices = 6;
    params.destinations = 12;
    params.max_latency = 2;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        EXPECT_EQ(params_of_model<hw::chips::coding_params>(model_name(params)), params) << model_name(params);
    }
    EXPECT_EQ(model_name(params), "coding_v3x9_f5_k7_s11x13_i6_d12_l2_free");
    EXPECT_EQ(model_name(coding_params{}), "coding_v4x8_f16_k16_s64x8_i64_d64_l64_inline");
    EXPECT_THROW(params_of_model<hw::chips::coding_params>("coding_v3x9_f5_k7_s11x13_i6_d12_l2"), hw::input_error);
    EXPECT_THROW(params_of_model<hw::chips::switch_params>(model_name(params)), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm
