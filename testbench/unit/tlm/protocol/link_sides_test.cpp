// SPDX-License-Identifier: Apache-2.0
// Side wires at a link checker: each rule, and something that breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "testbench/unit/tlm/protocol/link_rig.h"

namespace polycast::tlm::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 4 virtual channels of 2 flits.
link_shape channels() {
    return {{1, sc_core::SC_NS}, 4, rig_header_bytes, 1, 2, 4};
}

/// With side wires beside the last of them; the first has a flit more.
link_shape side_channels() {
    return {{1, sc_core::SC_NS}, 4, rig_header_bytes, 1, 9, 4, 3, {3, 2, 2, 2}};
}

/// SystemC elaborates once: two rigs for every test are made before the first.
class link_sides_test : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        for (int number = 0; number < ::testing::UnitTest::GetInstance()->total_test_count(); ++number) {
            rigs().push_back(std::make_unique<link_rig>(("rig" + std::to_string(number)).c_str(), side_channels()));
            bare_rigs().push_back(std::make_unique<link_rig>(("bare" + std::to_string(number)).c_str(), channels()));
        }
        link_shape shape = side_channels();
        shape.side_vc = 4;
        EXPECT_THROW(link_checker("side_vc", shape), hw::input_error);
        shape = side_channels();
        shape.vc_credits.pop_back();
        EXPECT_THROW(link_checker("vc_credits", shape), hw::input_error);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    void SetUp() override {
        rig_ = std::move(rigs().back());
        rigs().pop_back();
        bare_rig_ = std::move(bare_rigs().back());
        bare_rigs().pop_back();
    }

    link_rig& on() { return *rig_; }
    /// Without side wires.
    link_rig& without() { return *bare_rig_; }

private:
    static std::vector<std::unique_ptr<link_rig>>& rigs() {
        static std::vector<std::unique_ptr<link_rig>> all;
        return all;
    }
    static std::vector<std::unique_ptr<link_rig>>& bare_rigs() {
        static std::vector<std::unique_ptr<link_rig>> all;
        return all;
    }

    std::unique_ptr<link_rig> rig_;
    std::unique_ptr<link_rig> bare_rig_;
};

TEST_F(link_sides_test, passes_what_side_wires_show_through_the_rounds) {
    unsigned when = 0;
    for (const auto& [have, round] :
         {std::pair{1u, 0u}, {0x81u, 0u}, {0u, 1u}, {2u, 1u}, {0u, 2u}, {0u, 3u}, {0u, 0u}, {7u, 0u}})
        on().side(++when, have, round);
    EXPECT_THAT(on().found(), IsEmpty());
    EXPECT_EQ(on().checker.sides(), 8u);
    EXPECT_EQ(on().received, 8u);
    EXPECT_EQ(on().checker.flits(), 0u);
    EXPECT_TRUE(on().checker.at_rest());
}

TEST_F(link_sides_test, asks_for_no_credits_in_the_vc_beside_side_wires) {
    for (unsigned cycle = 1; cycle <= 20; ++cycle) on().flit_of(3, cycle, cycle == 1, cycle == 20);
    EXPECT_THAT(on().found(), IsEmpty());
    EXPECT_TRUE(on().checker.at_rest());
    on().credit_of(3, 22);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::credit_overrun));
    on().flit_of(3, 23, false, true);
    EXPECT_EQ(on().found().back(), link_rule::head);
}

TEST_F(link_sides_test, counts_credits_of_vcs_that_have_different_numbers) {
    for (const unsigned cycle : {1, 2, 3}) on().flit_of(0, cycle);
    for (const unsigned cycle : {4, 5}) on().flit_of(1, cycle);
    EXPECT_THAT(on().found(), IsEmpty());
    on().flit_of(0, 6);
    on().flit_of(1, 7);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::no_credit, link_rule::no_credit));
}

TEST_F(link_sides_test, finds_side_wires_where_there_are_none) {
    without().side(1, 1, 0);
    EXPECT_THAT(without().found(), ElementsAre(link_rule::side));
}

TEST_F(link_sides_test, finds_rounds_that_do_not_follow_each_other) {
    on().side(1, 0, 2);
    on().side(2, 0, 1);
    on().side(3, 0, 4);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::side_round, link_rule::side_round, link_rule::side_round));
    EXPECT_NE(on().checker.violations().front().message.find("round 2 after round 0"), std::string::npos);
}

TEST_F(link_sides_test, finds_packets_taken_back_and_too_early) {
    on().side(1, 6, 0);
    on().side(2, 10, 0);
    on().side(3, 8, 1);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::side_have, link_rule::side_have));
    EXPECT_NE(on().checker.violations().front().message.find("packet 2 is taken back"), std::string::npos);
}

TEST_F(link_sides_test, finds_side_wires_that_change_to_what_they_were) {
    on().side(1, 0, 0);
    on().side(2, 6, 0);
    on().side(3, 6, 0);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::side_change, link_rule::side_change));
}

TEST_F(link_sides_test, finds_changes_of_side_wires_at_wrong_times) {
    on().side(3, 1, 0);
    on().side(3, 3, 0);
    on().side(2, 7, 0);
    on().flit_of(0, 2);  // by itself
    EXPECT_THAT(on().found(), ElementsAre(link_rule::rate, link_rule::time));
}

TEST_F(link_sides_test, finds_side_wires_that_are_flits_and_flits_that_are_side_wires) {
    on().side(1, 1, 0, [](::tlm::tlm_generic_payload& trans) {
        trans.get_extension<link_extension>()->what = link_extension::content::flit;
    });
    on().flit(2, true, true, [](::tlm::tlm_generic_payload& trans) {
        trans.get_extension<link_extension>()->what = link_extension::content::side;
    });
    EXPECT_THAT(on().found(), ElementsAre(link_rule::content, link_rule::content));
}

TEST_F(link_sides_test, finds_data_where_there_is_none) {
    std::array<std::uint8_t, 1> data{};
    const auto command = [](::tlm::tlm_generic_payload& trans) { trans.set_write(); };
    const auto bytes = [&](::tlm::tlm_generic_payload& trans) {
        trans.set_data_ptr(data.data());
        trans.set_data_length(1);
    };
    on().flit_of(0, 1);
    on().flit_of(0, 2);
    on().credit(4, command);
    on().credit(5, bytes);
    on().side(4, 1, 0, command);
    on().side(5, 3, 0, bytes);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::attributes, link_rule::attributes, link_rule::attributes,
                                          link_rule::attributes));
}

}  // namespace
}  // namespace polycast::tlm::protocol
