// SPDX-License-Identifier: Apache-2.0
#include "hw/system/plan.h"

#include <gmock/gmock.h>

#include <bit>
#include <functional>

#include "hw/topology/irregular.h"
#include "testbench/unit/hw/topology/small_networks.h"

namespace polycast::hw::system {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

system_params with(const std::function<void(system_params&)>& change) {
    system_params params;
    change(params);
    return params;
}

constexpr traffic_needs everything{
    .unicast_payload = 128, .tree_payload = 128, .ssr_payload = 128, .path_payload = 128};

TEST(plan, headers_have_the_shape_of_the_network) {
    const format::header_shape shape{32, 8, 8};
    EXPECT_EQ(header_shape_of(topology::make_irregular({}), 8), shape);
    EXPECT_EQ(header_shape_of(topology::make_linked(3, 9, {{0, 1}, {1, 2}}), 5), (format::header_shape{27, 16, 5}));
    const system_plan plan =
        make_plan(topology::make_linked(3, 9, {{0, 1}, {1, 2}}), with([](system_params& p) { p.header_stops = 5; }));
    EXPECT_EQ(plan.header_shape(), (format::header_shape{27, 16, 5}));
    for (std::uint32_t index = 0; index < plan.switch_count(); ++index) {
        const chips::switch_params& chip = plan.switch_at(index).params;
        EXPECT_EQ(chip.header_ports, 16u) << "the same in switches of ten and of eleven ports";
        EXPECT_EQ(chip.header_stops, 5u);
        EXPECT_EQ(chip.max_switches, 32u);
    }
    // Worms of 128 bytes: 24 + 4 around the payload; a stop has 2 + 1 bytes.
    EXPECT_EQ(packet_flits(format::packet_kind::unicast, 128, {shape, 1, false}), 13u + 156);
    EXPECT_EQ(packet_flits(format::packet_kind::tree, 128, {shape, 1, false}), 14u + 156);
    EXPECT_EQ(packet_flits(format::packet_kind::ssr, 128, {shape, 1, false}), 13u + 156);
    EXPECT_EQ(packet_flits(format::packet_kind::path, 128, {shape, 1, false}), 36u + 156);
    EXPECT_EQ(packet_flits(format::packet_kind::path, 128, {shape, 8, false}), 5u + 20);
    EXPECT_EQ(packet_flits(format::packet_kind::path, 128, {shape, 1, true}), 128u);
    // A job word lies in front of the payload, wherever the header is.
    EXPECT_EQ(packet_flits(format::packet_kind::unicast, 128, {shape, 1, false, true}), 13u + 160);
    EXPECT_EQ(packet_flits(format::packet_kind::tree, 128, {shape, 8, false, true}), 2u + 20);
    EXPECT_EQ(packet_flits(format::packet_kind::path, 128, {shape, 1, true, true}), 132u);
    EXPECT_EQ(packet_flits(format::packet_kind::path, 128, {shape, 8, true, true}), 17u);
}

TEST(plan, is_a_list_of_chips_cables_and_hosts) {
    const system_plan one = make_plan(topology::make_linked(3, 9, {{0, 1}, {1, 2}}), {});
    ASSERT_EQ(one.chips.size(), 3u + 27);
    EXPECT_EQ(one.cables.size(), 2u + 27);
    EXPECT_TRUE(one.forwards(2) && one.is_host(3));
    EXPECT_EQ(one.hosts[26], 29u);
    EXPECT_EQ(one.ports(0), 10u);
    const auto peers = one.peers();
    for (const planned_cable& cable : one.cables) {
        EXPECT_EQ(peers[cable.a.chip][cable.a.port], cable.b);
        EXPECT_EQ(peers[cable.b.chip][cable.b.port], cable.a);
    }
    EXPECT_EQ(one.port_text({one.hosts[5], 0}), one.network.hosts[5].name);
    EXPECT_EQ(one.neighbourhoods()[one.hosts[26]], 2u);
    // The same network again, with a second attachment of each host.
    system_plan two = one;
    two.host.interfaces = 2;
    EXPECT_EQ(two.add_network("other.", 1), 30u);
    for (engine::chip_id id = 0; id < 3; ++id) two.chips[30 + id].is = one.chips[id].is;
    EXPECT_EQ(two.chips[31].name, "other." + one.chips[1].name);
    EXPECT_EQ(two.cables.size(), 2 * one.cables.size());
    EXPECT_EQ(two.peers()[two.hosts[7]][1].chip, two.peers()[two.hosts[7]][0].chip + 30);
    EXPECT_EQ(two.port_text({two.hosts[5], 1}), one.network.hosts[5].name + ":1");
}

TEST(plan, settings_of_worms_reach_every_switch) {
    const topology::graph graph = topology::make_irregular({});
    const system_plan usual = make_plan(graph, {});
    const system_plan strict = make_plan(graph, with([](system_params& p) {
                                             p.up_selection = format::selection::round_robin;
                                             p.rewrite = false;
                                             p.worms = routing::worm_links::spanning_tree;
                                         }));
    unsigned fewer = 0;
    for (std::uint32_t s = 0; s < usual.switch_count(); ++s) {
        EXPECT_EQ(usual.switch_at(s).tables.tree_up, ~std::uint64_t{0});
        EXPECT_TRUE(usual.switch_at(s).tables.rewrite);
        EXPECT_EQ(usual.switch_at(s).tables.up_selection, format::selection::least_loaded);
        EXPECT_EQ(std::popcount(strict.switch_at(s).tables.tree_up), s == strict.root ? 0 : 1);
        EXPECT_FALSE(strict.switch_at(s).tables.rewrite);
        EXPECT_EQ(strict.switch_at(s).tables.up_selection, format::selection::round_robin);
        // All but tree worms are as they were.
        EXPECT_EQ(strict.switch_at(s).tables.selection, usual.switch_at(s).tables.selection);
        EXPECT_EQ(strict.switch_at(s).tables.port_direction, usual.switch_at(s).tables.port_direction);
        EXPECT_EQ(strict.switch_at(s).tables.unicast_up, usual.switch_at(s).tables.unicast_up);
        EXPECT_EQ(strict.switch_at(s).tables.switch_up, usual.switch_at(s).tables.switch_up);
        EXPECT_EQ(strict.switch_at(s).tables.switch_down, usual.switch_at(s).tables.switch_down);
        fewer += strict.switch_at(s).tables.reach_total != usual.switch_at(s).tables.reach_total ? 1 : 0;
    }
    EXPECT_GT(fewer, 0u);
}

TEST(plan, every_kind_of_worm_passes_the_static_checks) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        for (const bool rewrite : {false, true})
            for (const routing::worm_links links : {routing::worm_links::updown, routing::worm_links::spanning_tree}) {
                const system_plan plan =
                    make_plan(topology::make_irregular({.seed = seed}), with([&](system_params& p) {
                                  p.rewrite = rewrite;
                                  p.worms = links;
                              }));
                EXPECT_THAT(check_plan(plan, everything).problems, IsEmpty()) << seed;
            }
}

TEST(plan, the_longest_worm_is_told_to_the_checks) {
    const system_plan plan =
        make_plan(topology::make_irregular({}), with([](system_params& p) { p.packet_limit = 180; }));
    EXPECT_TRUE(check_plan(plan, {.unicast_payload = 128, .tree_payload = 128, .ssr_payload = 128}).good());
    EXPECT_THAT(check_plan(plan, everything).problems,
                Contains(HasSubstr("cuts packets at 180 flits, but the workload sends a path worm of 192 flits")));
    EXPECT_THAT(check_plan(plan, {.ssr_payload = 140}).problems,
                Contains(HasSubstr("but the workload sends an SSR worm of 181 flits")));
}

TEST(plan, packets_with_jobs_are_longer) {
    system_params params = with([](system_params& p) { p.packet_limit = 170; });
    EXPECT_TRUE(check_plan(make_plan(topology::make_irregular({}), params), {.tree_payload = 128}).good());
    params.host.interface.jobs = true;
    EXPECT_THAT(check_plan(make_plan(topology::make_irregular({}), params), {.tree_payload = 128}).problems,
                Contains(HasSubstr("but the workload sends a tree worm of 174 flits")));
}

TEST(plan, only_what_is_sent_is_checked) {
    system_plan plan = make_plan(topology::make_irregular({}), {});
    plan.switch_at(2).tables.switch_up.edit().assign(plan.switch_at(2).tables.switch_up.size(), 0);
    EXPECT_TRUE(check_plan(plan, {.unicast_payload = 128, .tree_payload = 128}).good());
    EXPECT_THAT(check_plan(plan, {.ssr_payload = 128}).problems,
                Contains(HasSubstr("the table of switch 'switch2' has no port")));
    EXPECT_FALSE(check_plan(plan, {.path_payload = 128}).good());
}

TEST(plan, forwarded_worms_that_do_not_fit_the_memory_are_refused) {
    system_params params;
    params.host.interface.receive_slots = 4;
    const system_plan plan = make_plan(topology::make_irregular({}), params);
    EXPECT_TRUE(check_plan(plan, {.path_payload = 128, .forwarded = 4}).good());
    EXPECT_THAT(check_plan(plan, {.path_payload = 128, .forwarded = 5}).problems,
                Contains(HasSubstr("memory of host")));
    EXPECT_FALSE(check_plan(plan, {.ssr_payload = 128, .forwarded = 5}).good());
}

}  // namespace
}  // namespace polycast::hw::system
