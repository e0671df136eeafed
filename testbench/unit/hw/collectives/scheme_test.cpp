// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/scheme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "hw/input_error.h"
#include "testbench/unit/hw/collectives/example_network.h"

namespace polycast::hw::collectives {
namespace {

using format::packet_kind;
using routing::updown;
using testing::ElementsAre;
using testing::HasSubstr;

const std::span<const scheme> all_schemes = schemes();

scheme_options options_of(scheme how, phasing phases = phasing::less_greedy, unsigned fanout = 2) {
    scheme_options options;
    options.how = how;
    options.phases = phases;
    options.fanout = fanout;
    return options;
}

TEST(scheme, are_found_by_name) {
    EXPECT_THAT(schemes_that([](const scheme_kind&) { return true; }),
                ElementsAre("tree", "path", "ssr", "ni", "hybrid", "software", "unicasts"));
    for (const scheme how : all_schemes) EXPECT_EQ(scheme_of(how->name), how);
    EXPECT_THROW(scheme_of("trees"), input_error);
    EXPECT_EQ(schemes_of_unicasts(), "'ni', 'software' or 'unicasts'");
    EXPECT_EQ(scheme_options{}.how, scheme_of("tree"));
}

TEST(scheme, steps_of_the_example) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    const std::vector<std::uint32_t> destinations = example_destinations();
    const auto steps = [&](scheme how, phasing phases, unsigned fanout = 1) {
        const multicast_plan plan = make_plan(routes, options_of(how, phases, fanout), example_source, destinations);
        EXPECT_EQ(find_problem(plan, routes, destinations), std::nullopt);
        return plan.steps;
    };
    EXPECT_EQ(steps(scheme_of("ssr"), phasing::greedy), 3u);
    EXPECT_EQ(steps(scheme_of("ssr"), phasing::less_greedy), 4u);
    EXPECT_EQ(steps(scheme_of("path"), phasing::greedy), 2u);
    EXPECT_EQ(steps(scheme_of("path"), phasing::less_greedy), 2u);
    EXPECT_EQ(steps(scheme_of("tree"), phasing::greedy), 1u);
    EXPECT_EQ(steps(scheme_of("unicasts"), phasing::greedy), 16u);
    EXPECT_EQ(steps(scheme_of("ni"), phasing::greedy, 5), 5u) << "17 nodes, binomial";
    EXPECT_EQ(steps(scheme_of("software"), phasing::greedy, 1), 16u);
}

TEST(scheme, worms_of_the_example) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    const multicast_plan plan =
        make_plan(routes, options_of(scheme_of("path")), example_source, example_destinations());
    ASSERT_EQ(plan.participants[0].sends.size(), 2u);
    const transmission& first = plan.participants[0].sends[0];
    EXPECT_EQ(first.kind, packet_kind::path);
    EXPECT_THAT(first.stops, ElementsAre(format::stop{5, 3}, format::stop{3, 3}, format::stop{9, 3}));
    EXPECT_THAT(first.hosts, ElementsAre(10, 11, 6, 7, 18, 19));
    EXPECT_THAT(plan.participants[0].sends[1].stops, ElementsAre(format::stop{1, 3}, format::stop{7, 3}));
    // In step 2 the source goes first, then 10 of switch 5, then 6 of switch 3.
    EXPECT_EQ(plan.participants[1].host, 10u);
    EXPECT_THAT(plan.participants[1].sends.at(0).stops, ElementsAre(format::stop{4, 3}, format::stop{8, 3}));
    EXPECT_EQ(plan.participants[3].host, 6u);
    EXPECT_THAT(plan.participants[3].sends.at(0).stops, ElementsAre(format::stop{2, 3}));
}

TEST(scheme, hybrid_has_the_worms_it_is_told) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    const std::vector<std::uint32_t> destinations = example_destinations();
    scheme_options options = options_of(scheme_of("hybrid"));
    EXPECT_EQ(make_plan(routes, options, example_source, destinations),
              make_plan(routes, options_of(scheme_of("path")), example_source, destinations));
    options.worms = packet_kind::ssr;
    EXPECT_EQ(make_plan(routes, options, example_source, destinations),
              make_plan(routes, options_of(scheme_of("ssr")), example_source, destinations));
}

TEST(scheme, orders_of_chains) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    const std::vector<std::uint32_t> destinations{4, 21, 18, 11, 10};
    const auto ordered = [&](chain_order order) { return ordered_chain(routes, order, 20, destinations); };
    // Two participants on 5 and, with the source, on 10; one on 2 and on 9, which are chains of their own.
    EXPECT_THAT(ordered(chain_order::chains), ElementsAre(20, 10, 11, 21, 4, 18));
    EXPECT_THAT(ordered(chain_order::number), ElementsAre(20, 4, 10, 11, 18, 21));
    EXPECT_THAT(ordered(chain_order::listed), ElementsAre(20, 4, 21, 18, 11, 10));
    scheme_options options = options_of(scheme_of("ni"), phasing::greedy, 1);
    options.order = chain_order::listed;
    const multicast_plan plan = make_plan(routes, options, 20, destinations);
    std::vector<std::uint32_t> order;
    for (const participant& one : plan.participants) order.push_back(one.host);
    EXPECT_THAT(order, ElementsAre(20, 4, 21, 18, 11, 10));
    EXPECT_EQ(plan.participants[1].sends, (std::vector<transmission>{{packet_kind::unicast, {21}, {}, 2}}));
}

TEST(scheme, refuses_sets_that_are_none) {
    const topology::graph network = example_network();
    const updown routes(network, example_root());
    const auto refusal = [&](std::uint32_t source, const std::vector<std::uint32_t>& destinations) -> std::string {
        for (const scheme how : all_schemes) {
            try {
                make_plan(routes, options_of(how), source, destinations);
                ADD_FAILURE() << how->name;
            } catch (const input_error& error) {
                if (how == all_schemes.back()) return error.what();
            }
        }
        return "";
    };
    EXPECT_THAT(refusal(1, {}), HasSubstr("needs a destination"));
    EXPECT_THAT(refusal(1, {2, 1}), HasSubstr("source h0b is among the destinations"));
    EXPECT_THAT(refusal(1, {2, 3, 2}), HasSubstr("h1a is named twice"));
    EXPECT_THAT(refusal(1, {22}), HasSubstr("host 22 does not exist; the hosts are 0 to 21"));
    EXPECT_THAT(refusal(22, {1}), HasSubstr("host 22 does not exist"));
}

// All schemes, all ways to arrange them: nobody is left out or served twice, and all worms are legal. That worms keep
// to their longest list, and steps to what the number of senders allows, is counted here apart.
TEST(scheme, every_multicast_of_small_networks) {
    std::size_t multicasts = 0;
    for_all_multicasts([&](const updown& routes, std::uint32_t source, const std::vector<std::uint32_t>& destinations) {
        ++multicasts;
        for (const scheme how : all_schemes) {
            for (const phasing phases : {phasing::greedy, phasing::less_greedy}) {
                for (const unsigned most : {1u, 2u, 8u}) {
                    scheme_options options = options_of(how, phases, most);
                    options.most_stops = most;
                    options.worms = most == 2 ? packet_kind::ssr : packet_kind::path;
                    const multicast_plan plan = make_plan(routes, options, source, destinations);
                    const std::optional<std::string> problem = find_problem(plan, routes, destinations);
                    ASSERT_EQ(problem, std::nullopt) << how->name << ": " << *problem;
                    std::vector<unsigned> copies(routes.network().hosts.size());
                    for (const participant& one : plan.participants) {
                        for (const transmission& worm : one.sends) {
                            ASSERT_LE(worm.stops.size(), most == 1 || worm.kind != packet_kind::ssr ? most : 1);
                            for (const std::uint32_t host : worm.hosts) ++copies[host];
                        }
                    }
                    for (const std::uint32_t host : destinations) ASSERT_EQ(copies[host], 1u);
                    ASSERT_EQ(copies[source], 0u);
                    ASSERT_LE(plan.steps, destinations.size());
                }
            }
        }
    });
    EXPECT_GT(multicasts, 4000u);
}

}  // namespace
}  // namespace polycast::hw::collectives
