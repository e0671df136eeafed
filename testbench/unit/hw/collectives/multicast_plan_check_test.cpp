// SPDX-License-Identifier: Apache-2.0
// Plans that are broken in one place each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hw/collectives/scheme.h"
#include "testbench/unit/hw/collectives/example_network.h"

namespace polycast::hw::collectives {
namespace {

using format::packet_kind;
using testing::HasSubstr;

class multicast_plan_check : public testing::Test {
protected:
    multicast_plan_check() : network_(example_network()), routes_(network_, example_root()) {}

    /// What is said of a path plan of the example after `change`.
    std::string after(const std::function<void(multicast_plan&)>& change) {
        scheme_options options;
        options.how = scheme_of("path");
        multicast_plan plan = make_plan(routes_, options, example_source, example_destinations());
        EXPECT_EQ(find_problem(plan, routes_, example_destinations()), std::nullopt);
        change(plan);
        return find_problem(plan, routes_, example_destinations()).value_or("nothing");
    }

    static transmission& first(multicast_plan& plan) { return plan.participants[0].sends[0]; }

    topology::graph network_;
    routing::updown routes_;
};

TEST_F(multicast_plan_check, hosts) {
    EXPECT_THAT(after([](multicast_plan& plan) { plan.participants[3].sends.clear(); }),
                HasSubstr("comes before whoever sends"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    plan.participants[3].sends.clear();
                    plan.participants.erase(plan.participants.end() - 2, plan.participants.end());
                }),
                HasSubstr("never gets the message"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    plan.participants[2].sends.push_back({packet_kind::unicast, {4}, {}, 2});
                }),
                HasSubstr("h2a gets the message twice"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    plan.participants[2].sends.push_back({packet_kind::unicast, {example_source}, {}, 2});
                }),
                HasSubstr("h10a gets the message twice"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    plan.participants[2].sends.push_back({packet_kind::unicast, {0}, {}, 2});
                }),
                HasSubstr("h0a gets the message and is no destination"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    plan.participants[2].sends.push_back({packet_kind::unicast, {22}, {}, 2});
                }),
                HasSubstr("host 22 does not exist"));
    EXPECT_THAT(after([](multicast_plan& plan) { plan.participants.pop_back(); }), HasSubstr("is no participant"));
    EXPECT_THAT(after([](multicast_plan& plan) { plan.participants.push_back(plan.participants[2]); }),
                HasSubstr("is a participant twice"));
    EXPECT_THAT(after([](multicast_plan& plan) { plan.participants.clear(); }), HasSubstr("nobody"));
}

TEST_F(multicast_plan_check, order_of_sending) {
    EXPECT_THAT(
        after([](multicast_plan& plan) { std::swap(plan.participants[0].sends[0], plan.participants[0].sends[1]); }),
        HasSubstr("and another in step 2"));
    EXPECT_THAT(after([](multicast_plan& plan) { plan.participants[1].sends[0].step = 1; }),
                HasSubstr("h5a sends in step 1, but gets the message in step 1"));
    EXPECT_THAT(after([](multicast_plan& plan) { plan.participants[1].sends.swap(plan.participants.back().sends); }),
                HasSubstr("comes before"));
    EXPECT_THAT(after([](multicast_plan& plan) { plan.steps = 3; }), HasSubstr("the last step is 2, not 3"));
}

TEST_F(multicast_plan_check, worms) {
    EXPECT_THAT(after([](multicast_plan& plan) {
                    std::swap(first(plan).stops[0], first(plan).stops[2]);
                    first(plan).hosts = {18, 19, 6, 7, 10, 11};
                }),
                HasSubstr("no legal route from 9 to 3"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).stops[1].ports = 1; }),
                HasSubstr("do not lead to its hosts"));
    EXPECT_THAT(after([](multicast_plan& plan) { std::swap(first(plan).hosts[0], first(plan).hosts[1]); }),
                HasSubstr("do not lead to its hosts"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).stops[1].ports = 7; }),
                HasSubstr("names port 3:2, which leads to no host"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).stops[1].ports |= std::uint64_t{1} << 63; }),
                HasSubstr("leads to no host"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).stops[1].chip = 99; }),
                HasSubstr("switch 99 does not exist"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).stops.clear(); }), HasSubstr("has no stop"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).kind = packet_kind::ssr; }),
                HasSubstr("has not one stop"));
    EXPECT_THAT(after([](multicast_plan& plan) { first(plan).kind = packet_kind::tree; }), HasSubstr("needs no stops"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    first(plan).kind = packet_kind::unicast;
                    first(plan).stops.clear();
                }),
                HasSubstr("several destinations"));
    EXPECT_THAT(after([](multicast_plan& plan) {
                    plan.participants[2].sends.push_back({packet_kind::path, {}, {{5, 0}}, 2});
                }),
                HasSubstr("sends to nobody"));
}

// Up*/down* allows more orders than chains give: up links before down links, but only where every route that a switch
// may choose leaves the way up open.
TEST(multicast_plan_check_routes, orders_that_are_no_chains) {
    const topology::graph network = example_network();
    const routing::updown routes(network, example_root());
    const auto along = [&](const std::vector<std::uint32_t>& chips) {
        transmission worm{packet_kind::path, {}, {}};
        std::vector<std::uint32_t> destinations;
        for (const std::uint32_t chip : chips) {
            worm.stops.push_back({chip, 1});
            worm.hosts.push_back(2 * chip);
            destinations.push_back(2 * chip);
        }
        multicast_plan plan{{{example_source, {worm}}}, 1};
        for (const std::uint32_t host : destinations) plan.participants.push_back({host, {}});
        return find_problem(plan, routes, destinations).value_or("");
    };
    EXPECT_EQ(along({5, 6, 2}), "") << "up, up, down";
    EXPECT_EQ(along({5, 1, 7}), "") << "up to 6 unnamed, then down";
    EXPECT_EQ(along({5, 2}), "");
    EXPECT_THAT(along({2, 5}), HasSubstr("no legal route from 2 to 5"));
    EXPECT_THAT(along({3, 5}), HasSubstr("no legal route from 3 to 5"));
    EXPECT_EQ(along({6, 1, 2}), "") << "from 1 down to 2, on one level";
    EXPECT_THAT(along({6, 2, 1}), HasSubstr("no legal route from 2 to 1"));
}

TEST(multicast_plan_check_routes, a_worm_must_go_on_whatever_route_switches_choose) {
    // 4 hangs on 1 and 3; 1, 2 and 3 are on one level in a row. From 4 to 2 it is up and up by 3, or up and down by 1.
    const topology::graph network =
        topology::make_linked(5, 1, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {1, 4}, {3, 4}});
    const routing::updown routes(network);
    const auto along = [&](std::uint32_t source, const std::vector<std::uint32_t>& chips) {
        transmission worm{packet_kind::path, chips, {}};
        for (const std::uint32_t chip : chips) worm.stops.push_back({chip, 1});
        multicast_plan plan{{{source, {worm}}}, 1};
        for (const std::uint32_t host : chips) plan.participants.push_back({host, {}});
        return find_problem(plan, routes, chips).value_or("");
    };
    EXPECT_EQ(along(3, {2, 0}), "") << "all up";
    EXPECT_EQ(along(4, {3, 2, 0}), "") << "all up by name";
    EXPECT_THAT(along(4, {2, 0}), HasSubstr("no legal route from 2 to 0"));
}

}  // namespace
}  // namespace polycast::hw::collectives
