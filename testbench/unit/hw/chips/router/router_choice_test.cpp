// SPDX-License-Identifier: Apache-2.0
// The section on choice of hw/chips/router/router.md, on a router of its own; golden models beside it do the same.
#include "hw/chips/router/router_choice.h"

#include <numeric>
#include <set>

#include "hw/input_error.h"
#include "testbench/unit/hw/chips/router/router_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::route_select;
using hw::chips::router_core;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Four ports, two virtual channels; node 0 is behind ports 1 to 3, node 1 behind 2 and 3, node p + 2 behind port p.
router_params choice_params() {
    router_params params = table_params();
    params.adaptive = true;
    return params;
}

router_tables choice_tables(route_select select) {
    router_tables tables = table_tables();
    tables.select = select;
    tables.seed = 0x1234;
    tables.credits.assign(4, 60000);
    tables.route = {0b1110, 0b1100, 1, 2, 4, 8};
    return tables;
}

/// Ports that flits left by, in their order.
std::vector<unsigned> ports_of(const router_bench& router) {
    std::vector<unsigned> ports;
    for (const out_flit& flit : router.flits) ports.push_back(flit.port);
    return ports;
}

/// The port that the page gives to packet number `index` of an input, of `count` ports from `first` on.
unsigned drawn(unsigned seed, unsigned input, unsigned index, unsigned first, unsigned count) {
    std::uint32_t state = 1 + (seed + 40503 * input) % 65535;
    for (unsigned shift = 0; shift < 8 * index; ++shift)
        state = (state << 1 & 0xffff) | ((state >> 15 ^ state >> 14 ^ state >> 12 ^ state >> 3) & 1);
    return first + state * count / 65536;
}

TEST(router_choice, random_numbers_pass_through_all_states) {
    std::uint16_t number = 1;
    unsigned period = 0;
    do {
        number = hw::chips::next_random(number);
        ++period;
    } while (number != 1 && period < 65536);
    EXPECT_EQ(period, 65535u);
}

TEST(router_choice, random_numbers_begin_apart_and_never_at_zero) {
    for (unsigned seed = 0; seed < 65536; ++seed) {
        std::set<std::uint16_t> begun;
        for (unsigned input = 0; input < 32; ++input)
            begun.insert(hw::chips::first_random(static_cast<std::uint16_t>(seed), input));
        ASSERT_EQ(begun.size(), 32u) << seed;
        ASSERT_NE(*begun.begin(), 0) << seed;
    }
}

TEST(router_choice, random_takes_what_the_page_says) {
    router_bench router(choice_params(), choice_tables(route_select::random));
    std::vector<unsigned> expected;
    for (unsigned index = 0; index < 40; ++index) {
        // Other packets between them do not count: one port, one that is possible, none.
        const bool fewer = index % 2 == 0;
        router.send(10 * index, 0, 0, {.id = 1, .destination = fewer ? 1u : 0u});
        router.send(10 * index + 3, 0, 1, {.id = 2, .destination = 4});
        router.send(10 * index + 4, 0, 1, {.id = 2, .destination = 0, .service_class = 3});
        router.send(10 * index + 5, 2, 1, {.id = 2, .destination = 0});
        expected.push_back(fewer ? drawn(0x1234, 0, index, 2, 2) : drawn(0x1234, 0, index, 1, 3));
        expected.push_back(2);
        expected.push_back(drawn(0x1234, 2, index, 1, 3));
    }
    router.run(410);
    EXPECT_EQ(ports_of(router), expected);
    EXPECT_EQ(router.errors.size(), 40u);
}

TEST(router_choice, random_is_even) {
    for (const unsigned destination : {0u, 1u}) {
        router_bench router(choice_params(), choice_tables(route_select::random));
        constexpr unsigned packets = 6000;
        for (unsigned index = 0; index < packets; ++index)
            router.send(index, 0, 0, {.id = 0, .destination = destination});
        router.run(packets + 10);
        const unsigned ports = destination == 0 ? 3 : 2;
        const std::vector<unsigned> taken = ports_of(router);
        for (unsigned port = 4 - ports; port < 4; ++port) {
            EXPECT_NEAR(static_cast<double>(router.flits_of(port).size()), double{packets} / ports, 120);
            std::array<unsigned, 4> after{};
            for (unsigned index = 1; index < taken.size(); ++index)
                if (taken[index - 1] == port) ++after[taken[index]];
            for (unsigned next = 4 - ports; next < 4; ++next)
                EXPECT_NEAR(after[next], double{packets} / ports / ports, 120) << port << " then " << next;
        }
    }
}

TEST(router_choice, a_reset_begins_random_numbers_again) {
    router_bench router(choice_params(), choice_tables(route_select::random));
    for (const cycle start : {0u, 100u})
        for (unsigned index = 0; index < 20; ++index) router.send(start + index, 1, 0, {.id = 1, .destination = 0});
    router.run(50);
    const std::vector<unsigned> first = ports_of(router);
    router.reset();
    router.flits.clear();
    router.run(150);
    EXPECT_EQ(ports_of(router), first);
    EXPECT_GT(std::set(first.begin(), first.end()).size(), 1u);
}

TEST(router_choice, ports_that_are_open_or_closed_to_the_class_are_not_possible) {
    for (const route_select select : {route_select::least_loaded, route_select::random}) {
        router_tables tables = choice_tables(select);
        tables.credits[1] = tables.credits[3] = 0;
        router_bench router(choice_params(), tables);
        for (unsigned index = 0; index < 10; ++index) router.send(index, 0, 0, {.id = index, .destination = 0});
        router.send(20, 0, 0, {.id = 1, .destination = 0, .service_class = 3});
        router.run(30);
        EXPECT_THAT(ports_of(router), Each(2));
        EXPECT_EQ(router.flits.size(), 10u);
        EXPECT_THAT(router.errors, ElementsAre(out_error{21, 0, chip_error::no_route}));
    }
}

TEST(router_choice, least_loaded_keeps_away_from_a_blocked_port) {
    router_tables tables = choice_tables(route_select::least_loaded);
    tables.credits[2] = 1;  // for each VC; none comes back
    router_bench router(choice_params(), tables);
    // Two packets of two flits: their tails cannot leave by port 2.
    router.send(0, 1, 0, {.id = 1, .destination = 4, .flits = 2});
    router.send(0, 3, 1, {.id = 2, .destination = 4, .flits = 2});
    for (unsigned index = 0; index < 12; ++index) router.send(10 + 3 * index, 0, 0, {.id = index, .destination = 0});
    router.run(60);
    EXPECT_EQ(router.flits_of(2).size(), 2u);
    EXPECT_EQ(router.flits_of(1).size() + router.flits_of(3).size(), 12u);
    EXPECT_GT(router.flits_of(1).size(), 0u);
    EXPECT_GT(router.flits_of(3).size(), 0u);
}

TEST(router_choice, load_counts_packets_from_their_routing_to_their_tail) {
    router_tables tables = choice_tables(route_select::least_loaded);
    tables.route[0] = 0b0110;
    tables.credits[1] = 50000;  // else port 1 would never be first
    tables.route_delay = 3;
    router_params params = choice_params();
    params.vc_flits = 8;
    router_bench router(params, tables);
    // A long packet for port 2 is routed in cycle 2; port 2 reads it in cycles 4 to 11, behind the first probe.
    router.send(0, 3, 0, {.id = 1, .destination = 4, .flits = 8});
    const auto probe = [&](unsigned port, cycle when, unsigned id) {
        router.send(when, port, 1, {.id = id, .destination = 0});
    };
    probe(0, 0, 2);   // routed in 2, too: sees no load, and port 2 has more credits
    probe(0, 1, 3);   // 3: sees it
    probe(0, 9, 4);   // 11: still does
    probe(0, 10, 5);  // 12: does not
    router.run(20);
    EXPECT_THAT(router.ids_of(1), ElementsAre(0x30, 0x40));
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x20, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x50));
}

TEST(router_choice, equal_loads_go_by_the_credits_of_the_candidates) {
    for (const hw::chips::vc_policy policy : {hw::chips::vc_policy::any, hw::chips::vc_policy::keep}) {
        router_tables tables = choice_tables(route_select::least_loaded);
        tables.credits = {9, 9, 9, 9};
        tables.policy = policy;
        router_bench router(choice_params(), tables);
        // Three credits of VC 0 of port 1, four of VC 1 of port 2, two and one of port 3 are gone.
        const auto spend = [&](unsigned port, unsigned service_class, unsigned flits, cycle when) {
            for (unsigned flit = 0; flit < flits; ++flit)
                router.send(when + flit, 0, 0, {.id = 0, .destination = port + 2, .service_class = service_class});
        };
        spend(1, 1, 3, 0);
        spend(2, 2, 4, 10);
        spend(3, 1, 2, 20);
        spend(3, 2, 1, 30);
        router.run(40);
        router.flits.clear();
        router.send(40, 0, 1, {.id = 1, .destination = 0, .service_class = 1});  // VC 0: 6, 9, 7
        router.send(50, 0, 0, {.id = 2, .destination = 0, .service_class = 2});  // VC 1: 9, 5, 8
        router.send(60, 0, 0, {.id = 3, .destination = 0});                      // both: 14, 13, 15; kept VC 0: 6, 8, 7
        router.run(70);
        EXPECT_THAT(ports_of(router), ElementsAre(2, 1, policy == hw::chips::vc_policy::any ? 3 : 2));
    }
}

TEST(router_choice, ties_go_at_random) {
    router_bench router(choice_params(), choice_tables(route_select::least_loaded));
    std::vector<unsigned> expected;
    // Every packet and its credit are gone before the next one comes, so all ports are always equal.
    for (unsigned index = 0; index < 30; ++index) {
        const unsigned port = drawn(0x1234, 3, index, 1, 3);
        router.send(10 * index, 3, 0, {.id = 1, .destination = 0, .service_class = 1});
        router.credit(10 * index + 4, port, 0);
        expected.push_back(port);
    }
    router.run(310);
    EXPECT_EQ(ports_of(router), expected);
    EXPECT_THAT(router.errors, IsEmpty());
}

TEST(router_choice, a_packet_that_has_chosen_stays) {
    router_tables tables = choice_tables(route_select::least_loaded);
    tables.credits = {4, 1, 2, 0};
    tables.route[0] = 0b0110;
    router_bench router(choice_params(), tables);
    router.send(0, 0, 0, {.id = 1, .destination = 0, .flits = 4, .service_class = 1});  // port 2 has more credits
    router.credit(20, 2, 0);
    router.credit(22, 2, 0);
    router.run(30);
    EXPECT_THAT(router.times_of(2), ElementsAre(2, 3, 22, 24));
    EXPECT_THAT(router.ids_of(1), IsEmpty());
}

TEST(router_choice, packets_routed_in_one_cycle_do_not_see_each_other) {
    router_tables tables = choice_tables(route_select::least_loaded);
    tables.route[0] = 0b1100;
    tables.credits[2] = 59999;
    router_bench router(choice_params(), tables);
    for (const unsigned port : {0u, 1u, 2u}) router.send(0, port, 0, {.id = port, .destination = 0});
    router.send(1, 3, 0, {.id = 3, .destination = 0});
    router.run(10);
    EXPECT_THAT(router.ids_of(3), ElementsAre(0x00, 0x10, 0x20));
    EXPECT_THAT(router.ids_of(2), ElementsAre(0x30));
}

TEST(router_choice, sleeping_changes_nothing) {
    router_bench router(choice_params(), choice_tables(route_select::random));
    router.send(0, 0, 0, {.id = 1, .destination = 0});
    router.send(500, 0, 0, {.id = 2, .destination = 0});
    router.run(500);
    EXPECT_EQ(router.wakes.back(), hw::engine::never);
    router.run(510);
    EXPECT_THAT(ports_of(router), ElementsAre(drawn(0x1234, 0, 0, 1, 3), drawn(0x1234, 0, 1, 1, 3)));
}

TEST(router_choice, has_to_be_there) {
    router_params params = choice_params();
    params.adaptive = false;
    EXPECT_THROW(router_core(params, choice_tables(route_select::random)), hw::input_error);
    router_tables lowest = choice_tables(route_select::lowest);
    EXPECT_NO_THROW(router_core(params, lowest));
    params.adaptive = true;
    EXPECT_THROW(router_core(params, choice_tables(static_cast<route_select>(3))), hw::input_error);
    params.ports = 6;
    params.max_nodes = 0;
    lowest.table = false;
    lowest.credits.assign(6, 4);
    lowest.route.clear();
    EXPECT_THROW(router_core(params, lowest), hw::input_error);
}

}  // namespace
}  // namespace polycast::testbench::unit
