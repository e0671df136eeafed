// SPDX-License-Identifier: Apache-2.0
// Every error of hw/chips/router/router.md: what raises it, in which cycle, and what happens to the packet.
#include "testbench/unit/hw/chips/router/router_bench.h"

namespace polycast::testbench::unit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(router_errors, a_flit_of_a_vc_that_does_not_exist) {
    router_params params = table_params();
    params.vcs = 3;
    router_bench router(params, table_tables());
    router.send(0, 1, 3, {.id = 1, .destination = 2, .flits = 2});
    router.flit(2, 1, 15, {}, false, false);  // whatever else is wrong with it
    router.send(3, 1, 2, {.id = 2, .destination = 2});
    router.run(10);
    EXPECT_THAT(router.errors, ElementsAre(out_error{1, 1, chip_error::bad_vc}, out_error{2, 1, chip_error::bad_vc},
                                           out_error{3, 1, chip_error::bad_vc}));
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x20));
    EXPECT_TRUE(router.idle());
}

TEST(router_errors, a_credit_of_a_vc_that_does_not_exist) {
    router_bench router(table_params(), table_tables());
    router.send(0, 0, 0, {.id = 1, .destination = 2, .service_class = 1});
    router.credit(5, 2, 2);
    router.run(10);
    EXPECT_THAT(router.errors, ElementsAre(out_error{6, 2, chip_error::bad_vc}));
    EXPECT_EQ(router.probe().outputs[4].credits, 3u);
}

TEST(router_errors, missing_head_per_vc) {
    router_bench router(table_params(), table_tables());
    router.flit(0, 0, 0, router_bench::unicast_header(2), true, false, 0x10);
    router.flit(1, 0, 1, {}, false, false);  // a packet is begun in the other VC only
    router.flit(2, 0, 1, {}, false, true);
    router.flit(3, 0, 0, {}, false, true, 0x11);
    router.flit(4, 0, 0, {}, false, true);
    router.run(10);
    EXPECT_THAT(router.errors,
                ElementsAre(out_error{2, 0, chip_error::missing_head}, out_error{3, 0, chip_error::missing_head},
                            out_error{5, 0, chip_error::missing_head}));
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x11));
    EXPECT_EQ(router.credits.size(), 2u);
    EXPECT_TRUE(router.idle());
}

TEST(router_errors, missing_tail_goes_on_as_a_body_flit) {
    router_bench router(table_params(), table_tables());
    router.flit(0, 0, 0, router_bench::unicast_header(2), true, false, 0x10);
    router.flit(1, 0, 0, router_bench::unicast_header(3), true, false, 0x20);
    router.flit(2, 0, 0, {}, false, true, 0x21);
    router.run(10);
    EXPECT_THAT(router.errors, ElementsAre(out_error{2, 0, chip_error::missing_tail}));
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x20, 0x21));
    EXPECT_THAT(router.ids_of(3), IsEmpty());
    EXPECT_TRUE(router.idle());
}

TEST(router_errors, overflow_kills_the_vc_until_reset) {
    router_tables tables = table_tables();
    tables.credits.assign(4, 0);
    tables.credits[2] = 4;
    tables.credits[3] = 1;
    router_bench router(table_params(), tables);
    router.send(0, 0, 0,
                {.id = 1, .destination = 3, .flits = 6});  // one leaves in 1, four stay, the sixth finds no room
    router.send(10, 0, 0, {.id = 2, .destination = 2});    // dead
    router.flit(11, 0, 0, {}, false, false);
    router.send(12, 0, 1, {.id = 3, .destination = 2});  // the other VC lives
    router.run(20);
    EXPECT_THAT(router.errors, ElementsAre(out_error{6, 0, chip_error::overflow}));
    EXPECT_THAT(router.flits, ElementsAre(out_flit{2, 3, 0, 0x10}, out_flit{14, 2, 0, 0x30}));
    // What is buffered leaves when it can; its tail never comes.
    for (cycle when = 20; when < 28; when += 2) router.credit(when, 3, 0);
    router.run(40);
    EXPECT_THAT(router.ids_of(3), ElementsAre(0x10, 0x11, 0x12, 0x13, 0x14));
    EXPECT_TRUE(router.probe().outputs[6].held);
    EXPECT_FALSE(router.idle());
    router.reset();
    EXPECT_TRUE(router.idle());
    router.send(40, 0, 0, {.id = 4, .destination = 3});
    router.run(50);
    EXPECT_EQ(router.ids_of(3).back(), 0x40u);
    EXPECT_EQ(router.errors.size(), 1u);
}

TEST(router_errors, an_overflowing_head_begins_no_packet) {
    router_params params = table_params();
    params.vc_flits = 1;
    router_tables tables = table_tables();
    tables.credits[3] = 1;
    router_bench router(params, tables);
    router.send(0, 0, 0, {.id = 1, .destination = 3});
    router.send(2, 0, 0, {.id = 2, .destination = 3, .service_class = 1});  // no credit
    router.send(4, 0, 0, {.id = 3, .destination = 3});
    router.run(10);
    EXPECT_THAT(router.errors, ElementsAre(out_error{5, 0, chip_error::overflow}));
    router.credit(10, 3, 0);
    router.run(20);
    EXPECT_THAT(router.ids_of(3), ElementsAre(0x10, 0x20));
    EXPECT_TRUE(router.idle());
}

TEST(router_errors, a_flit_freed_in_a_cycle_is_free_in_the_next) {
    router_params params = table_params();
    params.vc_flits = 1;
    for (const cycle gap : {1u, 2u}) {
        router_bench router(params, table_tables());
        router.flit(0, 0, 0, router_bench::unicast_header(2), true, false, 0x10);
        router.flit(gap, 0, 0, {}, false, true, 0x11);  // the head is read, and freed, in 1
        router.run(20);
        if (gap == 1) {
            EXPECT_THAT(router.errors, ElementsAre(out_error{2, 0, chip_error::overflow}));
        } else {
            EXPECT_THAT(router.errors, IsEmpty());
            EXPECT_THAT(router.times_of(2), ElementsAre(2, 4));
        }
    }
}

TEST(router_errors, too_long_is_cut_and_the_rest_dropped) {
    router_tables tables = table_tables();
    tables.packet_limit = 3;
    router_bench router(table_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 6});
    router.flit(6, 0, 0, {}, true, false, 0x20);  // a packet
    router.flit(7, 0, 0, {}, true, true, 0x21);   // its tail is marked as a head
    router.run(20);
    EXPECT_THAT(router.errors,
                ElementsAre(out_error{3, 0, chip_error::too_long}, out_error{8, 0, chip_error::missing_tail}));
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x10, 0x11, 0x12));
    EXPECT_FALSE(router.probe().outputs[4].held);
    EXPECT_TRUE(router.idle());
    router.send(20, 0, 0, {.id = 3, .destination = 3, .flits = 3});  // as long as may be
    router.run(30);
    EXPECT_THAT(router.ids_of(3), ElementsAre(0x30, 0x31, 0x32));
    EXPECT_EQ(router.errors.size(), 2u);
}

TEST(router_errors, what_is_discarded_needs_no_room_and_ends_with_a_tail) {
    router_tables tables = table_tables();
    tables.packet_limit = 1;
    router_bench router(table_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 2, .flits = 12});
    router.run(6);
    EXPECT_FALSE(router.idle());  // begun and being discarded
    EXPECT_EQ(router.wakes.back(), hw::engine::never);
    router.flit(12, 0, 0, {}, false, false);
    router.run(20);
    EXPECT_THAT(router.errors,
                ElementsAre(out_error{1, 0, chip_error::too_long}, out_error{13, 0, chip_error::missing_head}));
    EXPECT_TRUE(router.idle());
}

TEST(router_errors, short_header) {
    router_params params = table_params();
    params.flit_bytes = 4;
    for (const unsigned delay : {1u, 3u}) {
        for (const unsigned count : {1u, 3u}) {
            router_tables tables = table_tables();
            tables.route_delay = delay;
            router_bench router(params, tables);
            router.send(0, 0, 0, router_bench::unicast_header(2), 1, count);
            router.run(30);
            EXPECT_THAT(router.errors, ElementsAre(out_error{count, 0, chip_error::short_header}));
            EXPECT_THAT(router.flits, IsEmpty());
            // Read by nobody, a flit in a cycle, from the cycle on after it has been routed.
            ASSERT_EQ(router.credits.size(), count);
            for (unsigned index = 0; index < count; ++index)
                EXPECT_EQ(router.credits[index], (out_credit{count + delay + index, 0, 0}));
            EXPECT_TRUE(router.idle());
        }
    }
}

TEST(router_errors, a_packet_cut_inside_its_header_is_short_too) {
    router_params params = table_params();
    params.flit_bytes = 4;
    router_tables tables = table_tables();
    tables.packet_limit = 2;
    router_bench router(params, tables);
    router.send(0, 0, 0, router_bench::unicast_header(2), 1, 6);
    router.run(30);
    EXPECT_THAT(router.errors,
                ElementsAre(out_error{2, 0, chip_error::too_long}, out_error{2, 0, chip_error::short_header}));
    EXPECT_EQ(router.credits.size(), 2u);
    EXPECT_TRUE(router.idle());
}

struct dropped_packet {
    byte_list header;
    chip_error error;
};

TEST(router_errors, packets_without_a_way_are_dropped_when_they_are_routed) {
    const auto kind = [](unsigned code) { return byte_list{static_cast<std::uint8_t>(code)}; };
    const std::vector<dropped_packet> cases{
        {router_bench::unicast_header(4), chip_error::no_route},         // behind the end of the table
        {router_bench::unicast_header(0xffffff), chip_error::no_route},  // further behind
        {router_bench::unicast_header(2, 3), chip_error::no_route},      // a class without VCs
        {router_bench::unicast_header(0), chip_error::no_route},         // an open port
        {router_bench::unicast_header(1), chip_error::no_route},         // an empty mask
        {router_bench::broadcast_header(1, 0), chip_error::no_route},    // by table there is no tree
        {kind(1), chip_error::bad_kind},
        {kind(2), chip_error::bad_kind},
        {kind(3), chip_error::bad_kind},
        {kind(15), chip_error::bad_kind},
    };
    for (const dropped_packet& packet : cases) {
        for (const unsigned delay : {1u, 4u}) {
            router_tables tables = table_tables();
            tables.route_delay = delay;
            tables.credits[0] = 0;
            tables.route[1] = 0;
            router_bench router(table_params(), tables);
            router.send(0, 1, 1, packet.header, 1, 3);
            router.send(3, 1, 1, {.id = 2, .destination = 3});
            router.run(30);
            EXPECT_THAT(router.errors, ElementsAre(out_error{delay, 1, packet.error}));
            EXPECT_THAT(router.ids_of(3), ElementsAre(0x20));
            const auto credit = [&](unsigned index) { return out_credit{delay + 1 + index, 1, 1}; };
            EXPECT_THAT(router.credits, ElementsAre(credit(0), credit(1), credit(2), credit(3)));
            EXPECT_TRUE(router.idle());
        }
    }
}

TEST(router_errors, broadcasts_are_of_a_bad_kind_without_copies) {
    router_params params = mesh_params();
    params.copies = false;
    params.flit_bytes = 8;  // the header still has two flits
    router_bench router(params, mesh_tables());
    router.send(0, 4, 0, router_bench::broadcast_header(4, 0), 1, 2);
    router.run(10);
    EXPECT_THAT(router.errors, ElementsAre(out_error{2, 4, chip_error::bad_kind}));
    EXPECT_THAT(router.flits, IsEmpty());
}

TEST(router_errors, credit_overflow_looks_at_registered_credits) {
    router_bench router(table_params(), table_tables());
    router.send(0, 0, 0, {.id = 1, .destination = 2, .service_class = 1});
    router.credit(1, 2, 0);  // the head is read in this cycle: none is outstanding yet
    router.credit(2, 2, 0);
    router.credit(3, 2, 0);
    router.run(10);
    EXPECT_THAT(router.errors, ElementsAre(out_error{2, 2, chip_error::credit_overflow},
                                           out_error{4, 2, chip_error::credit_overflow}));
    EXPECT_EQ(router.probe().outputs[4].credits, 4u);
}

TEST(router_errors, several_errors_of_a_port_come_together) {
    router_bench router(table_params(), table_tables());
    router.flit(0, 2, 0, {}, false, true);
    router.credit(0, 2, 1);
    router.run(3);
    EXPECT_THAT(router.errors,
                ElementsAre(out_error{1, 2, chip_error::missing_head}, out_error{1, 2, chip_error::credit_overflow}));
}

}  // namespace
}  // namespace polycast::testbench::unit
