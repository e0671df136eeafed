// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/link_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "testbench/unit/tlm/protocol/link_rig.h"

namespace polycast::tlm::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Chunks of 2 flits, 3 of them.
link_shape chunks() {
    return {{1, sc_core::SC_NS}, 4, rig_header_bytes, 2, 3};
}

/// 4 virtual channels of 2 flits.
link_shape channels() {
    return {{1, sc_core::SC_NS}, 4, rig_header_bytes, 1, 2, 4};
}

/// SystemC elaborates once: a link_rig of each kind for every test is made before the first.
class link_checker_test : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        for (int number = 0; number < ::testing::UnitTest::GetInstance()->total_test_count(); ++number) {
            rigs().push_back(std::make_unique<link_rig>(("rig" + std::to_string(number)).c_str(), chunks()));
            vc_rigs().push_back(std::make_unique<link_rig>(("vc_rig" + std::to_string(number)).c_str(), channels()));
        }
        refuses_links_that_cannot_be();
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    void SetUp() override {
        rig_ = std::move(rigs().back());
        rigs().pop_back();
        vc_rig_ = std::move(vc_rigs().back());
        vc_rigs().pop_back();
    }

    link_rig& on() { return *rig_; }
    /// With virtual channels.
    link_rig& on_vcs() { return *vc_rig_; }

private:
    static void refuses_links_that_cannot_be() {
        link_shape shape = channels();
        shape.vcs = 0;
        EXPECT_THROW(link_checker("no_vcs", shape), hw::input_error);
        shape.vcs = 17;
        EXPECT_THROW(link_checker("too_many_vcs", shape), hw::input_error);
        shape = channels();
        shape.chunk_flits = 2;
        EXPECT_NO_THROW(link_checker("chunks", shape));
    }
    static std::vector<std::unique_ptr<link_rig>>& vc_rigs() {
        static std::vector<std::unique_ptr<link_rig>> all;
        return all;
    }
    static std::vector<std::unique_ptr<link_rig>>& rigs() {
        static std::vector<std::unique_ptr<link_rig>> all;
        return all;
    }

    std::unique_ptr<link_rig> rig_;
    std::unique_ptr<link_rig> vc_rig_;
};

TEST_F(link_checker_test, passes_legal_traffic_on_unchanged) {
    on().flit(1, true, false);
    on().flit(2, false, false);
    on().flit(3, false, true);  // second chunk, cut short by the tail
    on().flit(4, true, true);   // third
    on().credit(6);
    on().flit(7, true, true);  // the credit of cycle 6 allows a flit on the pins in 7
    on().credit(7);
    on().credit(8);
    EXPECT_FALSE(on().checker.at_rest());
    on().credit(9);
    EXPECT_THAT(on().found(), IsEmpty());
    EXPECT_TRUE(on().checker.at_rest());
    EXPECT_EQ(on().checker.flits(), 5u);
    EXPECT_EQ(on().checker.credits(), 4u);
    EXPECT_EQ(on().received, 9u);
}

TEST_F(link_checker_test, finds_a_flit_without_a_credit) {
    for (const unsigned cycle : {1, 2, 3}) on().flit(cycle, true, true);
    on().flit(4, true, true);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::no_credit));
}

TEST_F(link_checker_test, finds_a_flit_that_uses_a_credit_in_the_cycle_of_its_arrival) {
    for (const unsigned cycle : {1, 2, 3}) on().flit(cycle, true, true);
    on().credit(5);
    on().flit(5, true, true);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::no_credit));
}

TEST_F(link_checker_test, finds_a_long_packet_that_runs_out_of_credits) {
    for (unsigned cycle = 1; cycle <= 6; ++cycle) on().flit(cycle, cycle == 1, false);
    EXPECT_THAT(on().found(), IsEmpty());
    on().flit(7, false, true);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::no_credit));
}

TEST_F(link_checker_test, finds_a_credit_too_many) {
    on().flit(1, true, true);
    on().credit(3);
    on().credit(4);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::credit_overrun));
}

TEST_F(link_checker_test, finds_a_missing_head) {
    on().flit(1, true, true);
    on().flit(2, false, true);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::head));
}

TEST_F(link_checker_test, finds_a_missing_tail) {
    on().flit(1, true, false);
    on().flit(2, true, true);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::tail));
}

TEST_F(link_checker_test, passes_packets_of_several_vcs_that_alternate) {
    on_vcs().flit_of(0, 1, true, false);
    on_vcs().flit_of(3, 2, true, false);
    on_vcs().flit_of(0, 3, false, true);
    on_vcs().flit_of(3, 4, false, false);
    on_vcs().credit_of(3, 5);
    on_vcs().flit_of(1, 5);
    on_vcs().flit_of(3, 6, false, true);
    EXPECT_FALSE(on_vcs().checker.at_rest());
    for (const unsigned vc : {0, 0, 1, 3}) on_vcs().credit_of(vc, 10 + on_vcs().checker.credits());
    EXPECT_FALSE(on_vcs().checker.at_rest());
    on_vcs().credit_of(3, 20);
    EXPECT_THAT(on_vcs().found(), IsEmpty());
    EXPECT_TRUE(on_vcs().checker.at_rest());
    EXPECT_EQ(on_vcs().checker.flits(), 6u);
    EXPECT_EQ(on_vcs().checker.credits(), 6u);
}

TEST_F(link_checker_test, finds_a_vc_that_does_not_exist) {
    on_vcs().flit_of(4, 1);
    on_vcs().credit_of(200, 3);
    EXPECT_THAT(on_vcs().found(), ElementsAre(link_rule::vc, link_rule::vc));
    EXPECT_TRUE(on_vcs().checker.at_rest()) << "of no channel that exists";
    on().flit_of(1, 1);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::vc));
}

TEST_F(link_checker_test, finds_a_flit_without_a_credit_of_its_vc) {
    on_vcs().flit_of(2, 1);
    on_vcs().flit_of(2, 2);
    on_vcs().credit_of(1, 3);  // of another channel, where none is missing
    on_vcs().flit_of(1, 4);    // has two of its own
    on_vcs().flit_of(2, 5);
    EXPECT_THAT(on_vcs().found(), ElementsAre(link_rule::credit_overrun, link_rule::no_credit));
    EXPECT_NE(on_vcs().checker.violations().back().message.find("of VC 2"), std::string::npos);
}

TEST_F(link_checker_test, finds_a_credit_used_in_the_cycle_of_its_arrival_in_a_vc) {
    on_vcs().flit_of(2, 1);
    on_vcs().flit_of(2, 2);
    on_vcs().credit_of(2, 5);
    on_vcs().flit_of(2, 5);
    EXPECT_THAT(on_vcs().found(), ElementsAre(link_rule::no_credit));
    on_vcs().flit_of(2, 6);
    EXPECT_EQ(on_vcs().checker.violation_count(), 1u);
}

TEST_F(link_checker_test, finds_a_credit_too_many_in_a_vc) {
    on_vcs().flit_of(0, 1);
    on_vcs().flit_of(1, 2);
    on_vcs().credit_of(0, 4);
    on_vcs().credit_of(0, 5);
    EXPECT_THAT(on_vcs().found(), ElementsAre(link_rule::credit_overrun));
    EXPECT_NE(on_vcs().checker.violations().back().message.find("of VC 0"), std::string::npos);
}

TEST_F(link_checker_test, finds_broken_packets_within_a_vc) {
    on_vcs().flit_of(0, 1, true, false);
    on_vcs().flit_of(1, 2, false, true);  // no packet in this channel
    on_vcs().flit_of(0, 3, true, true);   // one is not over
    EXPECT_THAT(on_vcs().found(), ElementsAre(link_rule::head, link_rule::tail));
}

TEST_F(link_checker_test, finds_two_flits_in_a_cycle_whatever_their_vcs) {
    on_vcs().flit_of(0, 1);
    on_vcs().flit_of(1, 1);
    on_vcs().credit_of(0, 4);
    on_vcs().credit_of(1, 4);
    EXPECT_THAT(on_vcs().found(), ElementsAre(link_rule::rate, link_rule::rate));
}

TEST_F(link_checker_test, finds_wrong_phases_in_both_directions) {
    on().flit(1, true, true, {}, ::tlm::BEGIN_REQ);
    on().credit(3, {}, flit_phase);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::phase, link_rule::phase));
}

TEST_F(link_checker_test, finds_a_missing_extension) {
    ::tlm::tlm_generic_payload bare;
    payload_pool pool(4, rig_header_bytes);
    bare.set_mm(&pool);
    bare.acquire();
    ::tlm::tlm_phase phase = flit_phase;
    sc_core::sc_time delay;
    on().sender->nb_transport_fw(bare, phase, delay);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::extension));
    EXPECT_EQ(on().received, 1u);
}

TEST_F(link_checker_test, finds_a_credit_on_the_way_forward_and_a_flit_on_the_way_back) {
    const auto swap = [](::tlm::tlm_generic_payload& trans) {
        auto* extension = trans.get_extension<link_extension>();
        extension->what = extension->what == link_extension::content::flit ? link_extension::content::credit
                                                                           : link_extension::content::flit;
    };
    on().flit(1, true, true, swap);
    on().credit(3, swap);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::content, link_rule::content));
}

TEST_F(link_checker_test, finds_a_payload_that_nobody_manages) {
    ::tlm::tlm_generic_payload own;
    std::array<std::uint8_t, 4> data{};
    own.set_write();
    own.set_data_ptr(data.data());
    own.set_data_length(4);
    own.set_streaming_width(4);
    auto extension = std::make_unique<link_extension>();
    extension->head = extension->tail = true;
    extension->header.resize(rig_header_bytes);
    own.set_extension(extension.release());
    ::tlm::tlm_phase phase = flit_phase;
    sc_core::sc_time delay;
    on().sender->nb_transport_fw(own, phase, delay);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::memory_manager));
}

TEST_F(link_checker_test, finds_every_wrong_attribute) {
    using payload = ::tlm::tlm_generic_payload;
    std::array<std::uint8_t, 4> enables{};
    const std::vector<link_rig::spoiler> spoilers{
        [](payload& trans) { trans.set_read(); },
        [](payload& trans) { trans.set_data_length(3); },
        [](payload& trans) { trans.set_data_ptr(nullptr); },
        [](payload& trans) { trans.set_streaming_width(1); },
        [&](payload& trans) { trans.set_byte_enable_ptr(enables.data()); },
        [](payload& trans) { trans.set_dmi_allowed(true); },
        [](payload& trans) { trans.get_extension<link_extension>()->header.resize(1); },
    };
    payload_pool pool(4, rig_header_bytes);
    for (std::size_t index = 0; index < spoilers.size(); ++index) {
        payload& trans = pool.take_flit();  // never given back: it is spoilt
        auto* extension = trans.get_extension<link_extension>();
        extension->head = extension->tail = true;
        spoilers[index](trans);
        ::tlm::tlm_phase phase = flit_phase;
        sc_core::sc_time delay(static_cast<double>(2 * index + 1), sc_core::SC_NS);
        on().sender->nb_transport_fw(trans, phase, delay);
        on().credit(2 * index + 1);
        EXPECT_EQ(on().checker.violation_count(), index + 1);
        EXPECT_EQ(on().found().back(), link_rule::attributes);
    }
}

TEST_F(link_checker_test, finds_a_payload_sent_again_before_it_was_given_back) {
    payload_pool pool(4, rig_header_bytes);
    ::tlm::tlm_generic_payload& trans = pool.take_flit();
    auto* extension = trans.get_extension<link_extension>();
    extension->head = extension->tail = true;
    for (const unsigned cycle : {1, 2}) {
        ::tlm::tlm_phase phase = flit_phase;
        sc_core::sc_time delay(cycle, sc_core::SC_NS);
        on().sender->nb_transport_fw(trans, phase, delay);
    }
    trans.release();
    EXPECT_THAT(on().found(), ElementsAre(link_rule::reuse));
}

TEST_F(link_checker_test, finds_time_that_goes_backwards) {
    on().flit(5, true, false);
    on().flit(4, false, true);
    on().credit(9);
    on().credit(8);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::time, link_rule::time, link_rule::credit_overrun));
}

TEST_F(link_checker_test, finds_two_flits_and_two_credits_in_a_cycle) {
    on().flit(1, true, true);
    on().flit(2, true, true);
    on().flit(2, true, true);
    on().credit(5);
    on().credit(5);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::rate, link_rule::rate));
}

TEST_F(link_checker_test, finds_wrong_answers) {
    on().answer = ::tlm::TLM_COMPLETED;
    on().flit(1, true, true);
    on().answer = ::tlm::TLM_ACCEPTED;
    on().added_delay = {1, sc_core::SC_NS};
    on().credit(3);
    EXPECT_THAT(on().found(), ElementsAre(link_rule::answer, link_rule::answer));
}

TEST_F(link_checker_test, finds_transport_that_is_not_of_the_protocol) {
    ::tlm::tlm_generic_payload trans;
    sc_core::sc_time delay;
    on().sender->b_transport(trans, delay);
    on().sender->transport_dbg(trans);
    ::tlm::tlm_dmi dmi;
    on().sender->get_direct_mem_ptr(trans, dmi);
    on().receiver->invalidate_direct_mem_ptr(0, 1);
    EXPECT_THAT(on().found(),
                ElementsAre(link_rule::transport, link_rule::transport, link_rule::transport, link_rule::transport));
    EXPECT_EQ(on().received, 1u);
}

TEST_F(link_checker_test, says_where_and_what) {
    on().flit(7, false, true);
    ASSERT_EQ(on().checker.violations().size(), 1u);
    const std::string& message = on().checker.violations().front().message;
    EXPECT_NE(message.find(".checker"), std::string::npos) << message;
    EXPECT_NE(message.find("body flit outside a packet"), std::string::npos) << message;
    EXPECT_EQ(name_of(link_rule::head), "head");
}

TEST_F(link_checker_test, keeps_a_hundred_violations_and_counts_all) {
    for (unsigned count = 0; count < 150; ++count) on().credit(count);
    EXPECT_EQ(on().checker.violations().size(), 100u);
    EXPECT_EQ(on().checker.violation_count(), 150u);
}

}  // namespace
}  // namespace polycast::tlm::protocol
