// SPDX-License-Identifier: Apache-2.0
// Step 3 of hw/chips/router/router.md: who sends when several want to, and where the pointers go.
#include "testbench/unit/hw/chips/router/router_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::router_allocator;
using testing::ElementsAre;
using testing::IsEmpty;

router_tables islip_tables(unsigned iterations) {
    router_tables tables = table_tables();
    tables.allocator = router_allocator::islip;
    tables.iterations = iterations;
    return tables;
}

/// Enough credits that only allocation matters.
router_tables plenty(router_tables tables) {
    tables.credits.assign(4, 1000);
    return tables;
}

/// Single-flit packets of numbers `id` and on, one per cycle from `when`.
void stream(router_bench& router, cycle when, unsigned port, unsigned vc, unsigned destination, unsigned id,
            unsigned packets) {
    for (unsigned index = 0; index < packets; ++index)
        router.send(when + index, port, vc, {.id = id, .destination = destination});
}

TEST(router_separable, outputs_go_round_their_inputs) {
    router_bench router(table_params(), plenty(table_tables()));
    for (const unsigned port : {0u, 1u, 3u}) stream(router, 0, port, 0, 2, port + 1, 2);
    router.run(20);
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x20, 0x40, 0x10, 0x20, 0x40));
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST(router_separable, an_output_pointer_stands_behind_its_last_winner) {
    router_bench router(table_params(), plenty(table_tables()));
    stream(router, 0, 1, 0, 2, 1, 1);  // pointer of output 2 to input 2
    stream(router, 5, 0, 0, 2, 2, 1);
    stream(router, 5, 3, 0, 2, 3, 1);  // comes first, and moves the pointer to 0
    stream(router, 9, 0, 0, 2, 4, 1);
    stream(router, 9, 1, 0, 2, 5, 1);
    router.run(20);
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x30, 0x20, 0x50, 0x40));
}

TEST(router_separable, an_input_bids_for_one_of_its_vcs) {
    router_bench router(table_params(), plenty(table_tables()));
    router.send(0, 0, 0, {.id = 1, .destination = 2});
    router.send(1, 0, 1, {.id = 2, .destination = 3});
    router.send(1, 3, 0, {.id = 3, .destination = 2, .flits = 1});
    router.send(2, 0, 0, {.id = 4, .destination = 2});
    router.run(20);
    // In 1 VC 0 of input 0 is read, its pointer goes to VC 1.
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 2, 0, 0x10}, out_flit{3, 2, 1, 0x30}, out_flit{3, 3, 0, 0x20},
                                          out_flit{4, 2, 0, 0x40}));
}

// A gate lets many packets bid for the first time in one cycle: outputs 0 to 2 have no credit for VC 0 from cycle 24 to
// 40 and all pointers of outputs stand at 0. From cycle 41 on heads of class 1 can go.

router_tables gated(router_tables tables) {
    tables.credits.assign(4, 8);
    return tables;
}

void close_gate(router_bench& router) {
    for (unsigned output = 0; output < 3; ++output)
        router.send(8 * output, 3, 0, {.id = 0, .destination = output, .flits = 8, .service_class = 1});
}

void open_gate(router_bench& router) {
    for (cycle when = 40; when < 48; ++when)
        for (unsigned output = 0; output < 3; ++output) router.credit(when, output, 0);
}

test_packet single_to(unsigned output, unsigned id) {
    return {.id = id, .destination = output, .flits = 1, .service_class = 1};
}

std::vector<out_flit> after_gate(const router_bench& router, unsigned port) {
    std::vector<out_flit> flits = router.flits_of(port);
    std::erase_if(flits, [](const out_flit& flit) { return flit.when <= 41; });
    return flits;
}

TEST(router_separable, a_vc_pointer_moves_only_by_a_read) {
    router_bench router(table_params(), gated(table_tables()));
    close_gate(router);
    router.send(24, 0, 0, single_to(1, 1));
    router.send(25, 0, 1, single_to(2, 2));
    router.send(26, 0, 0, single_to(1, 3));
    router.send(27, 0, 1, single_to(2, 4));
    router.send(24, 1, 0, single_to(1, 5));
    router.send(24, 2, 0, single_to(1, 6));
    open_gate(router);
    router.run(60);
    // In 43 input 0 bids with VC 0 and loses to input 2: it does so again in 44, and VC 1 waits until 45.
    EXPECT_THAT(after_gate(router, 1), ElementsAre(out_flit{42, 1, 0, 0x10}, out_flit{43, 1, 0, 0x50},
                                                   out_flit{44, 1, 0, 0x60}, out_flit{45, 1, 0, 0x30}));
    EXPECT_THAT(after_gate(router, 2), ElementsAre(out_flit{43, 2, 0, 0x20}, out_flit{46, 2, 0, 0x40}));
}

// In 41 inputs 0, 1 and 2 take VC 0, all for output 1.
TEST(router_separable, an_input_that_lost_takes_another_vc_in_the_next_iteration) {
    for (const unsigned iterations : {1u, 2u}) {
        router_tables tables = gated(table_tables());
        tables.iterations = iterations;
        router_bench router(table_params(), tables);
        close_gate(router);
        for (const unsigned port : {0u, 1u, 2u}) router.send(24, port, 0, single_to(1, port + 1));
        router.send(25, 1, 1, single_to(2, 4));
        router.send(25, 2, 1, single_to(2, 5));
        open_gate(router);
        router.run(60);
        EXPECT_THAT(after_gate(router, 1),
                    ElementsAre(out_flit{42, 1, 0, 0x10}, out_flit{43, 1, 0, 0x20}, out_flit{44, 1, 0, 0x30}));
        if (iterations == 1) {
            EXPECT_THAT(after_gate(router, 2), ElementsAre(out_flit{44, 2, 0, 0x40}, out_flit{45, 2, 0, 0x50}));
        } else {
            // The VC pointer of input 1 stays: in 42 it bids for output 1 again, and input 2 gets output 2.
            EXPECT_THAT(after_gate(router, 2), ElementsAre(out_flit{42, 2, 0, 0x40}, out_flit{43, 2, 0, 0x50}));
        }
    }
}

TEST(router_separable, later_iterations_leave_the_pointers_of_outputs) {
    router_tables tables = gated(table_tables());
    tables.iterations = 2;
    router_bench router(table_params(), tables);
    close_gate(router);
    router.send(24, 0, 0, single_to(1, 1));
    router.send(24, 1, 0, single_to(1, 2));
    router.send(25, 1, 1, single_to(2, 3));
    router.send(41, 0, 1, single_to(2, 4));
    router.send(41, 2, 0, single_to(2, 5));
    open_gate(router);
    router.run(60);
    // Input 1 sends to output 2 in 41; in 42 its pointer is still at 0, so that input 0 goes before input 2.
    EXPECT_THAT(after_gate(router, 2),
                ElementsAre(out_flit{42, 2, 0, 0x30}, out_flit{43, 2, 0, 0x40}, out_flit{44, 2, 0, 0x50}));
}

struct both_allocators : testing::TestWithParam<router_allocator> {};

TEST_P(both_allocators, drops_take_the_turn_of_their_input) {
    router_tables tables = gated(table_tables());
    tables.allocator = GetParam();
    router_bench router(table_params(), tables);
    close_gate(router);
    router.send(24, 0, 0, {.id = 1, .destination = 1, .flits = 3, .service_class = 1});
    router.send(41, 0, 1, {.id = 2, .destination = 7, .flits = 2});  // no such destination
    open_gate(router);
    router.run(60);
    // Read in turns: VC 0 in 41, 43 and 45, the drop in 42 and 44.
    EXPECT_THAT(after_gate(router, 1),
                ElementsAre(out_flit{42, 1, 0, 0x10}, out_flit{44, 1, 0, 0x11}, out_flit{46, 1, 0, 0x12}));
    router.credits.erase(router.credits.begin(), router.credits.begin() + 24);  // of what closed the gate
    EXPECT_THAT(router.credits, ElementsAre(out_credit{42, 0, 0}, out_credit{43, 0, 1}, out_credit{44, 0, 0},
                                            out_credit{45, 0, 1}, out_credit{46, 0, 0}));
}

TEST_P(both_allocators, a_drop_whose_turn_it_is_not_waits) {
    router_tables tables = gated(table_tables());
    tables.allocator = GetParam();
    router_bench router(table_params(), tables);
    close_gate(router);
    router.send(24, 0, 1, {.id = 1, .destination = 1, .flits = 1, .service_class = 1});
    router.send(24, 1, 0, {.id = 2, .destination = 1, .flits = 1, .service_class = 1});
    router.send(40, 0, 0, {.id = 3, .destination = 7});  // read in 41, before VC 1: pointers stand at 0
    open_gate(router);
    router.run(60);
    EXPECT_THAT(after_gate(router, 1), ElementsAre(out_flit{42, 1, 0, 0x20}, out_flit{43, 1, 0, 0x10}));
}

INSTANTIATE_TEST_SUITE_P(allocators, both_allocators,
                         testing::Values(router_allocator::separable, router_allocator::islip), [](const auto& tested) {
                             return tested.param == router_allocator::islip ? "islip" : "separable";
                         });

TEST(router_separable, without_credits_an_input_does_not_bid_and_pointers_stay) {
    router_tables tables = table_tables();
    tables.credits = {9, 9, 1, 9};
    router_bench router(table_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 3, .service_class = 1});
    router.send(3, 0, 1, {.id = 2, .destination = 3, .flits = 3});
    router.run(12);
    EXPECT_THAT(router.times_of(3), ElementsAre(5, 6, 7));
    EXPECT_THAT(router.times_of(2), ElementsAre(2));
}

// iSLIP.

TEST(router_islip, one_packet_is_as_fast_as_ever) {
    router_bench router(table_params(), islip_tables(2));
    router.send(10, 0, 1, {.id = 3, .destination = 2, .flits = 3});
    router.run(20);
    EXPECT_THAT(router.flits,
                ElementsAre(out_flit{12, 2, 0, 0x30}, out_flit{13, 2, 0, 0x31}, out_flit{14, 2, 0, 0x32}));
}

TEST(router_islip, more_iterations_match_what_the_first_left) {
    for (const unsigned iterations : {1u, 2u}) {
        router_bench router(table_params(), gated(islip_tables(iterations)));
        close_gate(router);
        router.send(24, 0, 0, single_to(1, 1));
        router.send(25, 0, 1, single_to(2, 2));
        router.send(24, 1, 0, single_to(2, 3));
        router.send(41, 2, 0, single_to(2, 4));
        open_gate(router);
        router.run(60);
        // Both outputs offer themselves to input 0, which takes output 1.
        EXPECT_THAT(after_gate(router, 1), ElementsAre(out_flit{42, 1, 0, 0x10}));
        if (iterations == 1) {
            EXPECT_THAT(after_gate(router, 2),
                        ElementsAre(out_flit{43, 2, 0, 0x20}, out_flit{44, 2, 0, 0x30}, out_flit{45, 2, 0, 0x40}));
        } else {
            // Output 2 goes to input 1, and its pointer stays at 0: before input 2 it serves input 0.
            EXPECT_THAT(after_gate(router, 2),
                        ElementsAre(out_flit{42, 2, 0, 0x30}, out_flit{43, 2, 0, 0x20}, out_flit{44, 2, 0, 0x40}));
        }
    }
}

TEST(router_islip, an_offer_that_is_turned_down_moves_no_pointer) {
    router_bench router(table_params(), gated(islip_tables(1)));
    close_gate(router);
    router.send(24, 0, 0, single_to(1, 1));
    router.send(25, 0, 1, single_to(2, 2));
    router.send(26, 1, 0, single_to(2, 3));
    open_gate(router);
    router.run(60);
    EXPECT_THAT(after_gate(router, 2), ElementsAre(out_flit{43, 2, 0, 0x20}, out_flit{44, 2, 0, 0x30}));
}

TEST(router_islip, an_accept_pointer_stands_behind_the_output_taken) {
    router_bench router(table_params(), gated(islip_tables(1)));
    close_gate(router);
    router.send(24, 0, 0, single_to(1, 1));
    router.send(25, 0, 0, single_to(1, 2));
    router.send(26, 0, 1, single_to(2, 3));
    router.send(27, 0, 1, single_to(2, 4));
    open_gate(router);
    router.run(60);
    EXPECT_THAT(after_gate(router, 1), ElementsAre(out_flit{42, 1, 0, 0x10}, out_flit{44, 1, 0, 0x20}));
    EXPECT_THAT(after_gate(router, 2), ElementsAre(out_flit{43, 2, 0, 0x30}, out_flit{45, 2, 0, 0x40}));
}

TEST(router_islip, vcs_of_an_input_take_turns_at_an_output) {
    router_bench router(table_params(), gated(islip_tables(1)));
    close_gate(router);
    router.send(24, 0, 0, single_to(1, 1));
    router.send(25, 0, 0, single_to(1, 2));
    router.send(26, 0, 1, single_to(1, 3));
    router.send(27, 0, 1, single_to(1, 4));
    open_gate(router);
    router.run(60);
    EXPECT_THAT(after_gate(router, 1), ElementsAre(out_flit{42, 1, 0, 0x10}, out_flit{43, 1, 0, 0x30},
                                                   out_flit{44, 1, 0, 0x20}, out_flit{45, 1, 0, 0x40}));
}

TEST(router_islip, a_second_iteration_moves_no_vc_pointer_and_no_accept_pointer) {
    router_bench router(table_params(), gated(islip_tables(2)));
    close_gate(router);
    router.send(24, 0, 0, single_to(0, 1));  // input 0 takes output 0 and leaves 1
    router.send(25, 0, 1, single_to(1, 2));
    router.send(24, 1, 0, single_to(1, 3));  // served by output 1 in the second iteration
    router.send(25, 1, 0, single_to(2, 4));
    router.send(26, 1, 1, single_to(1, 5));
    open_gate(router);
    router.run(60);
    // In 42 input 0 bids for output 1 and gets it (its pointer stands at 0). Input 1 bids for 2 with VC 0 and for 1
    // with VC 1; had its accept pointer moved it would still take 2. In 43 it takes what is left.
    EXPECT_THAT(after_gate(router, 0), ElementsAre(out_flit{42, 0, 0, 0x10}));
    EXPECT_THAT(after_gate(router, 1),
                ElementsAre(out_flit{42, 1, 0, 0x30}, out_flit{43, 1, 0, 0x20}, out_flit{44, 1, 0, 0x50}));
    EXPECT_THAT(after_gate(router, 2), ElementsAre(out_flit{43, 2, 0, 0x40}));
}

}  // namespace
}  // namespace polycast::testbench::unit
