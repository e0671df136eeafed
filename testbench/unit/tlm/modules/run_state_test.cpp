// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/run_state.h"

#include <gtest/gtest.h>

#include "hw/engine/chip.h"

namespace polycast::tlm::modules {
namespace {

TEST(run_state, knows_who_is_awake) {
    run_state state("state");
    sc_core::sc_event wake;
    const std::size_t first = state.enroll(wake);
    const std::size_t second = state.enroll(wake);
    EXPECT_TRUE(state.quiet());
    state.plan(first, 7);
    state.plan(second, 3);
    EXPECT_FALSE(state.quiet());
    EXPECT_EQ(state.earliest_of_others(first), 3u);
    EXPECT_EQ(state.earliest_of_others(second), 7u);
    state.plan(first, 9);
    state.plan(second, hw::engine::never);
    EXPECT_FALSE(state.quiet());
    EXPECT_EQ(state.earliest_of_others(first), hw::engine::never);
    state.plan(first, hw::engine::never);
    EXPECT_TRUE(state.quiet());
}

TEST(run_state, keeps_the_first_thousand_errors_in_order_however_they_come) {
    run_state state("state");
    for (unsigned count = 1500; count > 0; --count) state.error({count, {count % 3, 1}, 1});
    state.error({7, {0, 5}, 2});
    state.more_errors(10);
    const std::vector<hw::engine::error_event> errors = state.errors();
    EXPECT_EQ(state.error_count(), 1511u);
    ASSERT_EQ(errors.size(), 1000u);
    EXPECT_EQ(errors.front().when, 1u);
    EXPECT_EQ(errors.back().when, 999u);
    EXPECT_EQ(errors[6].where.port, 5u);  // chip 0 comes before chip 1
    EXPECT_EQ(errors[7].where.chip, 1u);
}

TEST(run_state, keeps_the_first_thousand_events_likewise) {
    run_state state("state");
    for (unsigned count = 1500; count > 0; --count) state.event({count, count % 3, {1, 2, 3, count, 4}});
    state.event({7, 1, {0, 5, 0, 0, 0}});
    state.more_events(10);
    const std::vector<hw::engine::event_record> events = state.events();
    EXPECT_EQ(state.event_count(), 1511u);
    ASSERT_EQ(events.size(), 1000u);
    EXPECT_EQ(events.front().event.index, 1u);
    EXPECT_EQ(events.back().when, 999u);
    EXPECT_EQ(events[6].event.code, 5u);  // pin 0 comes before pin 1
    EXPECT_EQ(events[7].event, (hw::engine::chip_event{1, 2, 3, 7, 4}));
    EXPECT_EQ(state.error_count(), 0u);
}

TEST(run_state, counts_what_engines_did_ahead) {
    run_state state("state");
    state.stepped(4);
    state.stepped_ahead(10, 20);
    state.stepped(11);
    state.flit_sent(5);
    state.flits_sent(3, 21);
    EXPECT_EQ(state.now(), 21u);
    EXPECT_EQ(state.chip_steps(), 12u);
    EXPECT_EQ(state.flit_hops(), 4u);
    EXPECT_EQ(state.last_flit(), 21u);
}

TEST(run_state, keeps_the_first_failure) {
    run_state state("state");
    EXPECT_NO_THROW(state.rethrow_failure());
    state.fail("first");
    state.fail("second");
    EXPECT_TRUE(state.failed());
    EXPECT_TRUE(state.over());
    try {
        state.rethrow_failure();
        FAIL();
    } catch (const std::exception& error) {
        EXPECT_STREQ(error.what(), "first");
    }
}

}  // namespace
}  // namespace polycast::tlm::modules
