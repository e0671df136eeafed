// SPDX-License-Identifier: Apache-2.0
// Packets with several branches inside one router (hw/chips/router/router.md, steps 3 to 5).
#include "testbench/unit/hw/chips/router/router_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::router_allocator;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// From the host of the node in the middle: to all four directions. Class 1 goes in VC 0.
byte_list from_here(unsigned service_class = 1) {
    return router_bench::broadcast_header(4, 0, service_class);
}
/// From the node at the left, on its way right: to the right, up, down and the host.
byte_list from_the_left(unsigned service_class = 1) {
    return router_bench::broadcast_header(3, 0, service_class);
}
constexpr unsigned right = 0, left = 1, up = 2, down = 3, host = 4, unit = 5;

/// A flit of `output` in VC 0 is on its way when the test begins: no credit is left there.
router_tables without_credits(unsigned output) {
    router_tables tables = mesh_tables();
    tables.credits[output] = 1;
    return tables;
}
void take_credit(router_bench& router, unsigned output) {
    // The nodes around number 4 in a 3x3 mesh; destinations 4 and 13 are its host and its unit.
    constexpr unsigned neighbour[] = {5, 3, 7, 1, 4, 13};
    router.send(0, unit, 1, {.id = 15, .destination = neighbour[output], .flits = 1, .service_class = 1});
}

struct copies : testing::TestWithParam<router_allocator> {
    router_tables with(router_tables tables, unsigned iterations = 1) const {
        tables.allocator = GetParam();
        tables.iterations = iterations;
        return tables;
    }
};

TEST_P(copies, all_branches_go_at_once_where_they_can) {
    router_bench router(mesh_params(), with(mesh_tables()));
    router.send(0, host, 1, from_here(), 1, 3);
    router.run(10);
    for (const unsigned port : {right, left, up, down})
        EXPECT_THAT(router.flits_of(port),
                    ElementsAre(out_flit{2, port, 0, 0x10}, out_flit{3, port, 0, 0x11}, out_flit{4, port, 0, 0x12}));
    EXPECT_THAT(router.flits_of(host), IsEmpty());
    EXPECT_THAT(router.flits_of(unit), IsEmpty());
    EXPECT_THAT(router.credits, ElementsAre(out_credit{2, host, 1}, out_credit{3, host, 1}, out_credit{4, host, 1}));
    EXPECT_TRUE(router.idle());
}

TEST_P(copies, branches_by_input_and_source) {
    router_bench router(mesh_params(), with(mesh_tables()));
    router.send(0, left, 0, from_the_left(), 1, 1);
    router.send(4, up, 0, router_bench::broadcast_header(7, 1, 1), 2, 1);
    router.run(10);
    EXPECT_THAT(router.flits, UnorderedElementsAre(out_flit{2, right, 0, 0x10}, out_flit{2, up, 0, 0x10},
                                                   out_flit{2, down, 0, 0x10}, out_flit{2, host, 0, 0x10},
                                                   out_flit{6, down, 0, 0x20}, out_flit{6, unit, 0, 0x20}));
}

TEST_P(copies, a_blocked_branch_holds_back_no_other) {
    router_bench router(mesh_params(), with(without_credits(up)));
    take_credit(router, up);
    router.send(10, left, 0, from_the_left(), 1, 4);
    router.run(30);
    for (const unsigned port : {right, down, host}) EXPECT_THAT(router.times_of(port), ElementsAre(12, 13, 14, 15));
    EXPECT_THAT(router.times_of(up), ElementsAre(2));
    // Nothing is free before all have read it.
    EXPECT_EQ(router.credits.size(), 1u);
    EXPECT_EQ(router.wakes.back(), hw::engine::never);
    EXPECT_EQ(router.probe().inputs[2].occupied, 4u);
    EXPECT_EQ(router.probe().inputs[2].waiting, 1u << up);
    EXPECT_EQ(router.probe().inputs[2].reading, 0u);
    for (cycle when = 30; when < 38; when += 2) router.credit(when, up, 0);
    router.run(50);
    EXPECT_THAT(router.times_of(up), ElementsAre(2, 32, 34, 36, 38));
    EXPECT_THAT(router.credits, ElementsAre(out_credit{2, unit, 1}, out_credit{32, left, 0}, out_credit{34, left, 0},
                                            out_credit{36, left, 0}, out_credit{38, left, 0}));
    EXPECT_TRUE(router.idle());
}

TEST_P(copies, a_late_flit_wakes_the_branches_that_wait_for_it) {
    router_bench router(mesh_params(), with(without_credits(up)));
    take_credit(router, up);
    router.flit(10, left, 0, from_the_left(), true, false, 0x10);
    router.flit(20, left, 0, {}, false, true, 0x11);
    router.run(30);
    EXPECT_EQ(router.wakes[19], hw::engine::never);
    for (const unsigned port : {right, down, host}) EXPECT_THAT(router.times_of(port), ElementsAre(12, 22));
}

TEST_P(copies, the_header_of_a_broadcast_has_eleven_bytes) {
    router_params params = mesh_params();
    params.flit_bytes = 11;
    router_bench router(params, with(mesh_tables()));
    router.send(0, left, 0, from_the_left(), 1, 1);
    router.run(10);
    for (const unsigned port : {right, up, down, host}) EXPECT_THAT(router.times_of(port), ElementsAre(2));
    EXPECT_THAT(router.errors, IsEmpty());
}

TEST_P(copies, packets_longer_than_the_buffer_pass) {
    router_tables tables = with(mesh_tables());
    tables.credits.assign(6, 20);
    router_bench router(mesh_params(), tables);
    router.send(0, left, 0, from_the_left(), 1, 13);
    router.run(30);
    for (const unsigned port : {right, up, down, host}) EXPECT_EQ(router.times_of(port).size(), 13u);
    EXPECT_EQ(router.credits.size(), 13u);
    EXPECT_THAT(router.errors, IsEmpty());
    EXPECT_TRUE(router.idle());
}

TEST_P(copies, branches_at_the_lowest_position_take_part_and_the_others_wait) {
    router_tables tables = with(mesh_tables());
    tables.credits[up] = 1;
    router_bench router(mesh_params(), tables);
    take_credit(router, up);
    router.send(10, left, 0, from_the_left(), 1, 2);
    router.credit(11, up, 0);  // its head can go in 12, when the others could read flit 1
    router.credit(13, up, 0);
    router.run(30);
    EXPECT_THAT(router.times_of(right), ElementsAre(12, 14));
    EXPECT_THAT(router.times_of(up), ElementsAre(2, 13, 15));
}

TEST_P(copies, a_branch_waits_for_its_own_vc_only) {
    router_bench router(mesh_params(), with(mesh_tables()));
    router.flit(0, unit, 1, router_bench::unicast_header(7, 1), true, false, 0x20);  // holds VC 0 of port up
    router.send(4, left, 0, from_the_left(), 1, 2);
    router.flit(10, unit, 1, {}, false, true, 0x21);
    router.run(30);
    EXPECT_THAT(router.times_of(right), ElementsAre(6, 7));
    EXPECT_THAT(router.flits_of(up), ElementsAre(out_flit{2, up, 0, 0x20}, out_flit{12, up, 0, 0x21},
                                                 out_flit{13, up, 0, 0x10}, out_flit{14, up, 0, 0x11}));
    EXPECT_THAT(router.flits_of(host), ElementsAre(out_flit{6, host, 0, 0x10}, out_flit{7, host, 0, 0x11}));
}

TEST_P(copies, each_branch_has_a_vc_of_its_own) {
    router_bench router(mesh_params(), with(mesh_tables()));
    router.flit(0, unit, 1, router_bench::unicast_header(7), true, false, 0x20);  // VC 0 of port up
    router.send(4, left, 0, from_the_left(0), 1, 2);
    router.run(20);
    EXPECT_THAT(router.flits_of(up),
                ElementsAre(out_flit{2, up, 0, 0x20}, out_flit{6, up, 1, 0x10}, out_flit{7, up, 1, 0x11}));
    EXPECT_THAT(router.flits_of(right), ElementsAre(out_flit{6, right, 0, 0x10}, out_flit{7, right, 0, 0x11}));
}

TEST_P(copies, the_next_packet_starts_when_all_have_read_the_tail) {
    router_bench router(mesh_params(), with(without_credits(up)));
    take_credit(router, up);
    router.send(10, left, 0, from_the_left(), 1, 1);
    router.send(11, left, 0, {.id = 2, .destination = 5, .service_class = 1});
    router.credit(20, up, 0);
    router.run(30);
    EXPECT_THAT(router.flits_of(up), ElementsAre(out_flit{2, up, 0, 0xf0}, out_flit{22, up, 0, 0x10}));
    EXPECT_THAT(router.flits_of(right), ElementsAre(out_flit{12, right, 0, 0x10}, out_flit{23, right, 0, 0x20}));
}

TEST_P(copies, two_broadcasts_share_their_outputs) {
    router_tables tables = with(mesh_tables(), 2);
    tables.credits.assign(6, 100);
    router_bench router(mesh_params(), tables);
    router.send(0, left, 0, from_the_left(0), 1, 4);                          // right, up, down, host
    router.send(0, right, 0, router_bench::broadcast_header(5, 0, 0), 2, 4);  // left, up, down, host
    router.run(40);
    for (const unsigned port : {up, down, host}) EXPECT_EQ(router.times_of(port).size(), 8u);
    EXPECT_EQ(router.times_of(right).size(), 4u);
    EXPECT_EQ(router.times_of(left).size(), 4u);
    EXPECT_TRUE(router.idle());
    EXPECT_EQ(router.credits.size(), 8u);
}

TEST_P(copies, partial_route_drops_the_branches_that_have_no_way) {
    router_tables tables = with(mesh_tables());
    tables.credits[up] = 0;
    for (const unsigned delay : {1u, 3u}) {
        tables.route_delay = delay;
        router_bench router(mesh_params(), tables);
        router.send(0, left, 0, from_the_left(), 1, 2);
        router.run(20);
        EXPECT_THAT(router.errors, ElementsAre(out_error{delay, left, chip_error::partial_route}));
        EXPECT_EQ(router.flits.size(), 6u);
        EXPECT_THAT(router.flits_of(up), IsEmpty());
        EXPECT_EQ(router.credits.size(), 2u);
        EXPECT_TRUE(router.idle());
    }
}

TEST_P(copies, a_broadcast_to_no_host_port_or_without_vcs_is_dropped) {
    router_bench router(mesh_params(), with(mesh_tables()));
    router.send(0, left, 0, router_bench::broadcast_header(3, 2, 1), 1, 2);
    router.send(4, left, 0, from_the_left(5), 2, 1);  // class 5 has no VCs
    router.run(20);
    EXPECT_THAT(router.errors,
                ElementsAre(out_error{1, left, chip_error::no_route}, out_error{5, left, chip_error::no_route}));
    EXPECT_THAT(router.flits, IsEmpty());
    EXPECT_EQ(router.credits.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(allocators, copies, testing::Values(router_allocator::separable, router_allocator::islip),
                         [](const auto& tested) {
                             return tested.param == router_allocator::islip ? "islip" : "separable";
                         });

}  // namespace
}  // namespace polycast::testbench::unit
