// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/payload_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tlm/protocol/cycle_grid.h"

namespace polycast::tlm::protocol {
namespace {

TEST(payload_pool, makes_no_more_payloads_than_are_out_at_once) {
    payload_pool pool(4, 7);
    for (unsigned round = 0; round < 1000; ++round) {
        ::tlm::tlm_generic_payload& first = pool.take_flit();
        ::tlm::tlm_generic_payload& second = pool.take_flit();
        ::tlm::tlm_generic_payload& credit = pool.take_credit();
        EXPECT_NE(first.get_data_ptr(), second.get_data_ptr());
        EXPECT_EQ(pool.in_use(), 3u);
        credit.release();
        first.release();
        second.release();
        EXPECT_EQ(pool.in_use(), 0u);
    }
    EXPECT_EQ(pool.made(), 3u);
}

TEST(payload_pool, gives_a_payload_back_only_when_its_last_user_has_released_it) {
    payload_pool pool(1, 0);
    ::tlm::tlm_generic_payload& held = pool.take_flit();
    held.acquire();
    held.release();
    EXPECT_EQ(pool.in_use(), 1u);
    EXPECT_NE(&pool.take_flit(), &held);
    held.release();
    EXPECT_EQ(pool.in_use(), 1u);
    EXPECT_EQ(&pool.take_flit(), &held);
}

TEST(payload_pool, hands_out_fresh_serials_and_no_old_marks) {
    payload_pool pool(4, 7);
    std::set<std::uint64_t> serials;
    for (unsigned round = 0; round < 10; ++round) {
        ::tlm::tlm_generic_payload& trans = round % 2 == 0 ? pool.take_flit() : pool.take_credit();
        auto* extension = trans.get_extension<link_extension>();
        EXPECT_TRUE(serials.insert(extension->serial).second);
        EXPECT_FALSE(extension->head);
        EXPECT_FALSE(extension->tail);
        EXPECT_EQ(extension->vc, 0u);
        EXPECT_EQ(extension->what, round % 2 == 0 ? link_extension::content::flit : link_extension::content::credit);
        EXPECT_EQ(extension->header.size(), round % 2 == 0 ? 7u : 0u);
        EXPECT_EQ(trans.is_write(), round % 2 == 0);
        EXPECT_EQ(trans.get_data_length(), round % 2 == 0 ? 4u : 0u);
        extension->head = extension->tail = true;
        extension->vc = 3;
        trans.release();
    }
}

TEST(link_extension, is_copied_with_the_payload) {
    payload_pool pool(4, 7);
    ::tlm::tlm_generic_payload& trans = pool.take_flit();
    auto* extension = trans.get_extension<link_extension>();
    extension->head = true;
    extension->vc = 3;
    extension->header[6] = 42;
    ::tlm::tlm_generic_payload copy;
    std::array<std::uint8_t, 4> data{};
    copy.set_data_ptr(data.data());
    copy.deep_copy_from(trans);
    trans.release();
    const auto* copied = copy.get_extension<link_extension>();
    ASSERT_NE(copied, nullptr);
    ASSERT_NE(copied, extension);
    EXPECT_TRUE(copied->head);
    EXPECT_FALSE(copied->tail);
    EXPECT_EQ(copied->vc, 3u);
    EXPECT_EQ(copied->header[6], 42);
    EXPECT_EQ(copied->what, link_extension::content::flit);
    EXPECT_EQ(copied->serial, extension->serial);
}

TEST(payload_pool, uses_payloads_of_side_wires_again_without_what_they_showed) {
    payload_pool pool(4, 7);
    ::tlm::tlm_generic_payload& first = pool.take_side();
    auto* extension = first.get_extension<link_extension>();
    EXPECT_EQ(extension->what, link_extension::content::side);
    EXPECT_EQ(first.get_command(), ::tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(first.get_data_length(), 0u);
    extension->side = {0x8000000000000001, 3};
    ::tlm::tlm_generic_payload copy;
    copy.deep_copy_from(first);
    EXPECT_EQ(copy.get_extension<link_extension>()->side, (hw::engine::side_state{0x8000000000000001, 3}));
    const std::uint64_t serial = extension->serial;
    first.release();
    EXPECT_EQ(pool.in_use(), 0u);
    EXPECT_NE(&pool.take_credit(), &first);
    EXPECT_EQ(&pool.take_side(), &first);
    EXPECT_EQ(extension->side, hw::engine::side_state{});
    EXPECT_NE(extension->serial, serial);
    EXPECT_EQ(pool.in_use(), 2u);
}

TEST(cycle_grid, samples_in_the_middle_of_a_cycle) {
    const cycle_grid grid({10, sc_core::SC_NS});
    const auto at = [&](double time) { return grid.cycle_at({time, sc_core::SC_NS}); };
    EXPECT_EQ(at(0), 0u);
    EXPECT_EQ(at(4.999), 0u);
    EXPECT_EQ(at(5), 1u);
    EXPECT_EQ(at(10), 1u);
    EXPECT_EQ(at(14.999), 1u);
    EXPECT_EQ(at(15), 2u);
    EXPECT_EQ(grid.start_of(3), sc_core::sc_time(30, sc_core::SC_NS));
    EXPECT_EQ(grid.sampling_of(3), sc_core::sc_time(35, sc_core::SC_NS));
    EXPECT_EQ(grid.period(), sc_core::sc_time(10, sc_core::SC_NS));
}

TEST(cycle_grid, refuses_a_period_without_a_middle) {
    EXPECT_THROW(cycle_grid({0, sc_core::SC_NS}), hw::input_error);
    EXPECT_THROW(cycle_grid({1, sc_core::SC_PS}), hw::input_error);
    EXPECT_NO_THROW(cycle_grid({2, sc_core::SC_PS}));
    EXPECT_THROW(cycle_grid({1.001, sc_core::SC_NS}), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm::protocol
