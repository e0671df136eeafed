// SPDX-License-Identifier: Apache-2.0
// Hosts with interfaces at dragonflies of virtual-channel routers: what the check of routes says, deliveries, and
// loads.
#include "hw/system/dragonfly_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/system/scheme_run.h"

namespace polycast::hw::system {
namespace {

using topology::dragonfly;
using topology::dragonfly_params;
using topology::dragonfly_routing;
constexpr auto minimal = dragonfly_routing::minimal;
constexpr auto valiant = dragonfly_routing::valiant;

constexpr unsigned payload = 124, flit_bytes = 4, packet_flits_of_payload = payload / flit_bytes;

/// Virtual channels that two packets fit into, so that a link is never idle for want of credits: a credit is back
/// within 8 cycles.
system_plan plan_of(const dragonfly_params& params, unsigned vcs, chips::vc_policy policy = chips::vc_policy::keep) {
    const dragonfly shape(params);
    fabric::fabric_params routers;
    routers.router.vcs = vcs;
    routers.router.vc_flits = 2 * packet_flits_of_payload + 8;
    routers.router.flit_bytes = flit_bytes;
    routers.router.header_free = true;
    routers.tables.reserve = routers.tables.packet_limit = packet_flits_of_payload;
    routers.tables.policy = policy;
    routers.tables.seed = 1;
    routers.tables.vc_sets = dragonfly_vc_sets(shape, vcs);
    system_params hosts;
    hosts.host.send_overhead = hosts.host.receive_overhead = 1;
    hosts.host.interface.payload_bytes = payload;
    hosts.host.interface.bus_cycles_per_byte = {1, 8};
    hosts.firmware_times = paper_costs(1, 1);
    return make_plan(shape, routers, hosts);
}

routing::route_check_result check(const dragonfly_params& params, unsigned vcs,
                                  chips::vc_policy policy = chips::vc_policy::keep) {
    traffic_needs needs;
    needs.unicast_payload = payload;
    needs.classes = dragonfly_classes(dragonfly(params));
    return check_plan(plan_of(params, vcs, policy), needs);
}

const std::vector<dragonfly_params> shapes{{2, 4, 2, 0}, {1, 2, 1, 0}, {1, 3, 1, 0},
                                           {2, 3, 2, 5}, {1, 2, 3, 0}, {1, 1, 4, 0}};

TEST(dragonfly_network, two_channels_free_minimal_routes_of_circles_and_one_does_not) {
    for (const dragonfly_params& params : shapes) {
        EXPECT_EQ(dragonfly_vcs(dragonfly(params)), 2u);
        for (const unsigned vcs : {2u, 3u, 4u, 5u}) EXPECT_THAT(check(params, vcs).problems, testing::IsEmpty());
        if (params.routers == 1) continue;  // one hop: nothing to wait for
        EXPECT_THAT(check(params, 1).cycle, testing::Not(testing::IsEmpty())) << dragonfly(params).name();
        EXPECT_THAT(check(params, 2, chips::vc_policy::any).cycle, testing::Not(testing::IsEmpty()));
    }
}

TEST(dragonfly_network, three_channels_free_valiant_routes_of_circles_and_two_do_not) {
    for (dragonfly_params params : shapes) {
        params.routing = valiant;
        EXPECT_EQ(dragonfly_vcs(dragonfly(params)), 3u);
        for (const unsigned vcs : {3u, 4u, 6u, 7u}) EXPECT_THAT(check(params, vcs).problems, testing::IsEmpty());
        EXPECT_THAT(check(params, 2).cycle, testing::Not(testing::IsEmpty())) << dragonfly(params).name();
        if (params.routers == 1) continue;  // no local link between global ones
        EXPECT_THAT(check(params, 3, chips::vc_policy::any).cycle, testing::Not(testing::IsEmpty()));
    }
}

TEST(dragonfly_network, classes_of_valiant_routes_matter) {
    dragonfly_params params{2, 4, 2, 0};
    params.routing = valiant;
    system_plan plan = plan_of(params, 3);
    traffic_needs needs;
    needs.unicast_payload = payload;
    needs.classes = 2;
    EXPECT_THAT(check_plan(plan, needs).problems, testing::IsEmpty());
    // Packets that begin on a channel of global links hold it while they wait for these.
    plan.host.interface.class_vcs.fill(7);
    EXPECT_THAT(check_plan(plan, needs).cycle, testing::Not(testing::IsEmpty()));
}

TEST(dragonfly_network, everything_arrives_whole_everywhere) {
    for (dragonfly_params params : shapes) {
        for (const dragonfly_routing routing : {minimal, valiant}) {
            params.routing = routing;
            const dragonfly shape(params);
            traffic::workload_params work;
            work.kind = traffic::workload_kind::unicast;
            work.pattern.name = "each_to_each";
            work.bytes = 300;
            const scheme_result got = run_scheme(plan_of(params, dragonfly_vcs(shape)), work, {});
            EXPECT_EQ(got.problem(), "") << shape.name();
            EXPECT_EQ(got.counts.delivered, 3 * std::uint64_t{shape.hosts()} * (shape.hosts() - 1));
        }
    }
}

/// Every host sends messages of one packet to its place in the next group: the worst that minimal routing can meet.
class to_next_group final : public traffic::message_source {
public:
    to_next_group(const dragonfly& shape, unsigned messages)
        : shape_(shape), messages_(messages), sent_(shape.hosts()) {}

    std::optional<traffic::message> next(std::uint32_t host) override {
        if (sent_[host] == messages_) return std::nullopt;
        traffic::message one;
        one.created = 1;
        one.transfer = std::uint64_t{host} << 32 | sent_[host]++;
        one.destinations = {(host + shape_.group_hosts()) % shape_.hosts()};
        one.bytes = payload;
        return one;
    }

private:
    const dragonfly& shape_;
    unsigned messages_;
    std::vector<unsigned> sent_;
};

/// Cycles until all is delivered.
double cycles_of(const dragonfly_params& params, unsigned messages) {
    const dragonfly shape(params);
    const system_plan plan = plan_of(params, dragonfly_vcs(shape));
    to_next_group source(shape, messages);
    traffic::scoreboard board(1, {}, payload, facts_of(plan));
    system_network network(plan, make_core, workload_hosts(native(), source, board, 1), board);
    EXPECT_EQ(network.run({}).ended, run_outcome::kind::complete);
    EXPECT_TRUE(board.faults().empty());
    EXPECT_TRUE(board.counts().exactly_once());
    EXPECT_EQ(board.counts().delivered, std::uint64_t{shape.hosts()} * messages);
    engine::cycle end = 0;
    for (const traffic::transfer_record& one : board.transfers()) end = std::max(end, one.completed);
    return static_cast<double>(end);
}

TEST(dragonfly_network, loads_between_neighbouring_groups_meet_the_bounds_of_their_links) {
    constexpr unsigned messages = 60;
    const dragonfly_params params{2, 4, 2, 0, minimal};
    const double ap = 4 * 2, groups = 9;
    const double flits = messages * packet_flits_of_payload;  // of each host
    // Minimal routes: the one cable between two groups carries what all a x p hosts of a group send, one flit a cycle.
    const double link = ap * flits;
    // The link is busy from the first packet on to the last: two packets fit into its buffer. Beside that there is the
    // way to it and from it, not longer than that of a packet alone.
    const double alone = cycles_of(params, 1);
    const double all = cycles_of(params, messages);
    EXPECT_GE(all, link);
    EXPECT_LE(all, link + 2 * alone);
    // Valiant's: 2 global hops for every flit, over the (groups - 2) cables of a group that a third group is behind.
    dragonfly_params detoured = params;
    detoured.routing = valiant;
    const double spread = cycles_of(detoured, messages);
    EXPECT_GE(spread, 2 * link / (groups - 2));
    EXPECT_LT(spread, link) << "more than any minimal routing can do";
}

}  // namespace
}  // namespace polycast::hw::system
