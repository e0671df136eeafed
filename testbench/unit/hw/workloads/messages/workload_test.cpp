// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/messages/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::traffic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

/// Up to `most` messages of every host, in the order of hosts.
std::vector<std::vector<message>> draw(const workload_params& params, std::size_t most = 1000000,
                                       const planner& plan = {}) {
    workload work(params, plan);
    std::vector<std::vector<message>> messages(params.hosts);
    for (std::uint32_t host = 0; host < params.hosts; ++host) {
        while (messages[host].size() < most) {
            std::optional<message> next = work.next(host);
            if (!next) break;
            messages[host].push_back(std::move(*next));
        }
    }
    return messages;
}

std::uint64_t hash_of(const std::vector<std::vector<message>>& messages) {
    std::uint64_t hash = 0;
    const auto add = [&hash](std::uint64_t value) { hash = random_stream::mix(hash * 31 + value + 1); };
    for (std::size_t host = 0; host < messages.size(); ++host) {
        for (const message& message : messages[host]) {
            add(host);
            add(message.created);
            add(message.transfer);
            add(static_cast<std::uint64_t>(message.kind));
            add(message.bytes);
            for (const std::uint32_t destination : message.destinations) add(destination);
        }
    }
    return hash;
}

workload_params loaded(std::string_view pattern) {
    workload_params params;
    params.kind = workload_kind::unicast;
    params.pattern.name = pattern;
    params.hosts = 16;
    params.gap = 50;
    params.end = 20000;
    params.seed = 11;
    return params;
}

TEST(workload, uniform_reaches_everybody_but_oneself_evenly) {
    const auto messages = draw(loaded("uniform"));
    std::map<std::uint32_t, unsigned> counts;
    unsigned total = 0;
    for (std::uint32_t host = 0; host < 16; ++host) {
        EXPECT_NEAR(static_cast<double>(messages[host].size()), 400, 100);
        engine::cycle last = 0;
        for (const message& message : messages[host]) {
            ASSERT_EQ(message.destinations.size(), 1u);
            EXPECT_NE(message.destinations[0], host);
            EXPECT_LT(message.destinations[0], 16u);
            EXPECT_GE(message.created, last);
            EXPECT_LT(message.created, 20000u);
            last = message.created;
            ++counts[message.destinations[0]];
            ++total;
        }
    }
    for (const auto& [host, count] : counts) EXPECT_NEAR(count, total / 16.0, total / 16.0 * 0.25) << host;
}

/// The variance of a count is that of a renewal process, count times the squared coefficient of variation of its gaps:
/// (2 * 8 - 1) * (1 - 1 / 4)^2, see bursty.cpp. 5 standard deviations.
TEST(workload, bursts_come_at_the_same_rate) {
    const auto messages = draw(loaded("bursty"));
    std::size_t count = 0, close = 0;
    for (const std::vector<message>& of_host : messages) {
        count += of_host.size();
        for (std::size_t i = 1; i < of_host.size(); ++i)
            close += of_host[i].created - of_host[i - 1].created <= 13 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(count), 6400, 5 * std::sqrt(6400 * 15 * 0.5625));
    EXPECT_GT(static_cast<double>(close), 0.8 * static_cast<double>(count)) << "7 of 8 gaps are a fourth of the mean";
}

TEST(workload, permutation_is_one_to_one_without_fixed_points) {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
        workload_params params = loaded("permutation");
        params.hosts = 7;
        params.seed = seed;
        std::set<std::uint32_t> targets;
        const auto messages = draw(params, 20);
        for (std::uint32_t host = 0; host < 7; ++host) {
            const std::uint32_t target = messages[host].front().destinations[0];
            EXPECT_NE(target, host);
            targets.insert(target);
            for (const message& message : messages[host]) EXPECT_THAT(message.destinations, ElementsAre(target));
        }
        EXPECT_EQ(targets.size(), 7u);
    }
}

TEST(workload, hotspots_get_their_fraction) {
    workload_params params = loaded("hotspot");
    params.pattern.hosts = {3, 5};
    params.pattern.numbers["fraction"] = 0.5;
    unsigned hot = 0;
    unsigned total = 0;
    const auto messages = draw(params);
    for (std::uint32_t host = 0; host < 16; ++host) {
        for (const message& message : messages[host]) {
            EXPECT_NE(message.destinations[0], host);
            hot += message.destinations[0] == 3 || message.destinations[0] == 5 ? 1 : 0;
            ++total;
        }
    }
    // Half directly, and 2 of 16 of the other half.
    EXPECT_NEAR(static_cast<double>(hot) / total, 0.56, 0.04);
}

TEST(workload, each_to_each_covers_all_pairs_once) {
    workload_params params;
    params.kind = workload_kind::unicast;
    params.pattern.name = "each_to_each";
    params.hosts = 9;
    const auto messages = draw(params);
    for (std::uint32_t host = 0; host < 9; ++host) {
        ASSERT_EQ(messages[host].size(), 8u);
        for (std::uint32_t step = 0; step < 8; ++step)
            EXPECT_EQ(messages[host][step].destinations[0], (host + step + 1) % 9);
    }
}

TEST(workload, single_multicasts) {
    workload_params params;
    params.hosts = 32;
    params.degree = 15;
    params.messages = 40;
    const auto messages = draw(params);
    std::size_t total = 0;
    std::set<std::vector<std::uint32_t>> sets;
    std::set<std::uint64_t> transfers;
    for (std::uint32_t host = 0; host < 32; ++host) {
        for (const message& message : messages[host]) {
            ++total;
            EXPECT_EQ(message.created, 1u);
            EXPECT_EQ(message.kind, message_kind::worm);
            EXPECT_EQ(message.worm, format::packet_kind::tree);
            EXPECT_EQ(message.destinations.size(), 15u);
            EXPECT_TRUE(std::ranges::is_sorted(message.destinations));
            EXPECT_EQ(std::ranges::adjacent_find(message.destinations), message.destinations.end());
            EXPECT_FALSE(std::ranges::binary_search(message.destinations, host));
            sets.insert(message.destinations);
            transfers.insert(message.transfer);
        }
    }
    EXPECT_EQ(total, 40u);
    EXPECT_EQ(sets.size(), 40u);
    EXPECT_EQ(transfers.size(), 40u);
}

// Schemes are compared on the same work: sources, destinations and times are the same, only the form differs.
TEST(workload, schemes_differ_in_form_only) {
    workload_params params;
    params.hosts = 32;
    params.degree = 7;
    params.gap = 500;
    params.end = 10000;
    params.seed = 3;
    const auto worms = draw(params);
    const auto copies = draw(params, 1000000, collectives::unicasts_plan);
    for (std::uint32_t host = 0; host < 32; ++host) {
        ASSERT_EQ(copies[host].size(), worms[host].size() * 7);
        for (std::size_t index = 0; index < worms[host].size(); ++index) {
            for (std::size_t copy = 0; copy < 7; ++copy) {
                const message& single = copies[host][index * 7 + copy];
                EXPECT_EQ(single.kind, message_kind::unicast);
                EXPECT_EQ(single.created, worms[host][index].created);
                EXPECT_EQ(single.transfer, worms[host][index].transfer);
                EXPECT_THAT(single.destinations, ElementsAre(worms[host][index].destinations[copy]));
            }
        }
    }
}

/// All that the hosts are told of groups.
std::vector<std::vector<group_setup>> draw_groups(const workload_params& params, const planner& plan) {
    workload work(params, plan);
    std::vector<std::vector<group_setup>> groups(params.hosts);
    for (std::uint32_t host = 0; host < params.hosts; ++host) {
        while (std::optional<group_setup> next = work.next_group(host)) groups[host].push_back(std::move(*next));
    }
    return groups;
}

collectives::transmission to(std::uint32_t host) {
    return {format::packet_kind::unicast, {host}, {}, 1};
}

collectives::transmission worm(std::vector<std::uint32_t> hosts, std::vector<format::stop> stops) {
    return {format::packet_kind::path, std::move(hosts), std::move(stops), 1};
}

/// 5 sends to 9, which sends to 14 and 3; 14 sends to 7.
collectives::multicast_plan tree_of_five(std::uint32_t source, std::span<const std::uint32_t> destinations) {
    EXPECT_EQ(source, 5u);
    EXPECT_THAT(destinations, ElementsAre(9, 3, 14, 7));  // as given
    return {{{5, {to(9)}}, {9, {to(14), to(3)}}, {14, {to(7)}}, {3, {}}, {7, {}}}, 3};
}

/// 5 sends a worm to 9 and 3 and a second one to 14; 3 sends one to 7.
collectives::multicast_plan worms_of_five(std::uint32_t, std::span<const std::uint32_t>) {
    return {{{5, {worm({9, 3}, {{1, 2}, {2, 4}}), worm({14}, {{0, 1}})}},
             {9, {}},
             {3, {worm({7}, {{4, 8}})}},
             {14, {}},
             {7, {}}},
            2};
}

workload_params from_five(forwarding how) {
    workload_params params;
    params.hosts = 20;
    params.destinations = {9, 3, 14, 7};
    params.source = 5;
    params.how = how;
    return params;
}

TEST(workload, participants_of_a_group_learn_their_part) {
    const workload_params params = from_five(forwarding::fcfs);
    const auto messages = draw(params, 10, tree_of_five);
    ASSERT_EQ(messages[5].size(), 1u);
    const message& sent = messages[5][0];
    EXPECT_EQ(sent.kind, message_kind::group);
    EXPECT_EQ(sent.worm, format::packet_kind::unicast);
    EXPECT_THAT(sent.destinations, UnorderedElementsAre(3, 7, 9, 14));
    EXPECT_EQ(sent.copies, 4u);
    EXPECT_EQ(sent.group, 0u);
    EXPECT_EQ(sent.hops, 3u);  // 5, 9, 14, 7
    const auto groups = draw_groups(params, tree_of_five);
    for (std::uint32_t host = 0; host < 20; ++host) {
        const bool takes_part = host == 5 || host == 9 || host == 3 || host == 14 || host == 7;
        ASSERT_EQ(groups[host].size(), takes_part ? 1u : 0u) << host;
        if (!takes_part) continue;
        const group_setup& part = groups[host][0];
        EXPECT_EQ(part.when, 1u);
        EXPECT_EQ(part.root, 5u);
        EXPECT_EQ(part.group, 0u);
        EXPECT_EQ(part.member, host != 5);
        EXPECT_EQ(part.how, forwarding::fcfs);
        EXPECT_EQ(part.transfer, sent.transfer);
    }
    EXPECT_THAT(groups[5][0].sends, ElementsAre(to(9)));
    EXPECT_THAT(groups[9][0].sends, ElementsAre(to(14), to(3)));
    EXPECT_THAT(groups[14][0].sends, ElementsAre(to(7)));
    EXPECT_TRUE(groups[3][0].sends.empty());
    EXPECT_TRUE(groups[7][0].sends.empty());
}

TEST(workload, interfaces_may_forward_worms) {
    const workload_params params = from_five(forwarding::fpfs);
    const auto messages = draw(params, 10, worms_of_five);
    ASSERT_EQ(messages[5].size(), 1u);
    EXPECT_EQ(messages[5][0].kind, message_kind::group);
    EXPECT_EQ(messages[5][0].worm, format::packet_kind::path);
    EXPECT_EQ(messages[5][0].hops, 2u);
    const auto groups = draw_groups(params, worms_of_five);
    ASSERT_EQ(groups[5].size(), 1u);
    EXPECT_EQ(groups[5][0].sends.size(), 2u);
    EXPECT_THAT(groups[3].at(0).sends, ElementsAre(worm({7}, {{4, 8}})));
}

TEST(workload, programs_send_on_what_they_have) {
    const workload_params params = from_five(forwarding::programs);
    const auto messages = draw(params, 10, worms_of_five);
    ASSERT_EQ(messages[5].size(), 2u);
    for (const message& sent : messages[5]) {
        EXPECT_EQ(sent.kind, message_kind::worm);
        EXPECT_EQ(sent.worm, format::packet_kind::path);
        EXPECT_EQ(sent.copies, 4u);
        EXPECT_EQ(sent.group, format::no_group);
        EXPECT_EQ(sent.tag, messages[5][0].tag);
        EXPECT_EQ(sent.transfer, messages[5][0].transfer);
    }
    EXPECT_THAT(messages[5][0].destinations, ElementsAre(9, 3));
    EXPECT_THAT(messages[5][0].stops, ElementsAre(format::stop{1, 2}, format::stop{2, 4}));
    EXPECT_THAT(messages[5][1].destinations, ElementsAre(14));
    const auto groups = draw_groups(params, worms_of_five);
    for (std::uint32_t host = 0; host < 20; ++host) EXPECT_EQ(groups[host].size(), host == 3 ? 1u : 0u) << host;
    EXPECT_EQ(groups[3][0].how, forwarding::programs);
    EXPECT_EQ(groups[3][0].tag, messages[5][0].tag);
    EXPECT_EQ(groups[3][0].transfer, messages[5][0].transfer);
    EXPECT_THAT(groups[3][0].sends, ElementsAre(worm({7}, {{4, 8}})));
}

TEST(workload, a_plan_without_anybody_to_carry_it_out_is_an_error) {
    EXPECT_THROW(draw(from_five(forwarding::nobody), 10, worms_of_five), std::logic_error);
}

/// The lowest destination sends on to all others.
collectives::multicast_plan by_the_first(std::uint32_t source, std::span<const std::uint32_t> destinations) {
    collectives::multicast_plan plan{{{source, {to(destinations[0])}}, {destinations[0], {}}}, 2};
    for (const std::uint32_t host : destinations.subspan(1)) {
        plan.participants[1].sends.push_back(to(host));
        plan.participants.push_back({host, {}});
    }
    return plan;
}

TEST(workload, groups_under_load_come_in_order_of_time_and_match_the_messages) {
    workload_params params;
    params.hosts = 16;
    params.degree = 5;
    params.gap = 500;
    params.end = 20000;
    params.seed = 3;
    const auto worms = draw(params);
    params.how = forwarding::fpfs;
    const auto messages = draw(params, 1000000, by_the_first);
    const auto groups = draw_groups(params, by_the_first);
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::set<std::uint32_t>> members;
    for (std::uint32_t host = 0; host < 16; ++host) {
        EXPECT_TRUE(std::ranges::is_sorted(groups[host], {}, &group_setup::when));
        for (const group_setup& part : groups[host]) {
            const auto [place, fresh] = members[{part.root, part.group}].insert(host);
            EXPECT_TRUE(fresh);
            EXPECT_EQ(part.when, messages[part.root].at(part.group).created);
        }
    }
    for (std::uint32_t host = 0; host < 16; ++host) {
        ASSERT_EQ(messages[host].size(), worms[host].size());
        for (std::size_t index = 0; index < worms[host].size(); ++index) {
            const message& sent = messages[host][index];
            EXPECT_EQ(sent.created, worms[host][index].created);
            EXPECT_EQ(sent.destinations, worms[host][index].destinations);
            EXPECT_EQ(sent.transfer, worms[host][index].transfer);
            std::set<std::uint32_t> all(sent.destinations.begin(), sent.destinations.end());
            all.insert(host);
            EXPECT_EQ(members.at({host, sent.group}), all);
        }
    }
    // The same whoever asks first.
    workload backwards(params, by_the_first);
    for (std::uint32_t host = 16; host-- != 0;) {
        for (const group_setup& part : groups[host]) {
            const std::optional<group_setup> other = backwards.next_group(host);
            ASSERT_TRUE(other);
            EXPECT_EQ(other->transfer, part.transfer);
            EXPECT_EQ(other->sends, part.sends);
        }
        EXPECT_FALSE(backwards.next_group(host));
    }
}

TEST(workload, messages_that_programs_forward_can_be_told_apart) {
    workload_params params;
    params.hosts = 16;
    params.degree = 3;
    params.gap = 500;
    params.end = 20000;
    params.how = forwarding::programs;
    std::map<std::uint32_t, std::uint64_t> transfers;
    for (const auto& messages : draw(params, 1000000, by_the_first)) {
        for (const message& sent : messages) EXPECT_TRUE(transfers.emplace(sent.tag, sent.transfer).second);
    }
    for (const auto& groups : draw_groups(params, by_the_first)) {
        for (const group_setup& part : groups) EXPECT_EQ(transfers.at(part.tag), part.transfer);
    }
}

TEST(workload, a_given_set_leaves_the_sender_out) {
    workload_params params;
    params.hosts = 8;
    params.destinations = {6, 1, 4};
    params.source = 0;
    const auto messages = draw(params);
    ASSERT_EQ(messages[0].size(), 1u);
    EXPECT_THAT(messages[0][0].destinations, ElementsAre(6, 1, 4));  // in this order
    params.source.reset();
    params.gap = 100;
    params.end = 1000;
    const auto loaded_messages = draw(params);
    EXPECT_FALSE(loaded_messages[4].empty());
    for (const message& message : loaded_messages[4]) EXPECT_THAT(message.destinations, ElementsAre(6, 1));
}

TEST(workload, seeds_decide_and_hosts_do_not_disturb_each_other) {
    const workload_params params = loaded("uniform");
    const auto reference = draw(params);
    EXPECT_EQ(hash_of(draw(params)), hash_of(reference));
    workload_params other = params;
    other.seed = 12;
    EXPECT_NE(hash_of(draw(other)), hash_of(reference));
    // Asked alternately instead of one host after the other.
    workload work(params);
    for (std::size_t index = 0; index < 50; ++index) {
        for (std::uint32_t host = 16; host-- != 0;) EXPECT_EQ(work.next(host)->created, reference[host][index].created);
    }
}

// The same numbers on every platform and for ever: results of earlier versions stay comparable.
TEST(workload, golden_hashes) {
    EXPECT_EQ(hash_of(draw(loaded("uniform"), 100)), 5792197230674591618u);
    EXPECT_EQ(hash_of(draw(loaded("permutation"), 100)), 6688261056014241274u);
    workload_params multicast;
    multicast.gap = 1000;
    multicast.seed = 5;
    EXPECT_EQ(hash_of(draw(multicast, 100)), 9093053574400483195u);
}

TEST(workload, refuses_what_cannot_be) {
    const auto refused = [](const std::string& words, const std::function<void(workload_params&)>& change) {
        workload_params params;
        params.hosts = 8;
        params.degree = 3;
        change(params);
        EXPECT_THAT(testbench::unit::refusal([&] { const workload work(params); }), HasSubstr(words));
    };
    refused("host", [](workload_params& p) { p.hosts = 1; });
    refused("source 8 does not exist", [](workload_params& p) { p.source = 8; });
    refused("destination 9 does not exist", [](workload_params& p) { p.destinations = {1, 9}; });
    refused("given twice", [](workload_params& p) { p.destinations = {1, 1}; });
    refused("source 1 is among the destinations", [](workload_params& p) { p.source = 1, p.destinations = {1, 2}; });
    refused("8 destinations cannot be drawn", [](workload_params& p) { p.degree = 8; });
    refused("0 destinations cannot be drawn", [](workload_params& p) { p.degree = 0; });
    refused("all hosts are destinations", [](workload_params& p) { p.destinations = {0, 1, 2, 3, 4, 5, 6, 7}; });
    refused("at least one byte", [](workload_params& p) { p.bytes = 0; });
    refused("packet has at least one byte", [](workload_params& p) { p.payload_bytes = 0; });
    refused("at least one message", [](workload_params& p) { p.messages = 0; });
    refused("gap", [](workload_params& p) { p.gap = -1; });
    refused("hotspot", [](workload_params& p) { p.kind = workload_kind::unicast, p.pattern.name = "hotspot"; });
    refused("hotspot 8 does not exist", [](workload_params& p) {
        p.kind = workload_kind::unicast, p.pattern = {"hotspot", {8}};
    });
    refused("0..1", [](workload_params& p) {
        p.kind = workload_kind::unicast, p.pattern.name = "hotspot", p.pattern.hosts = {1},
        p.pattern.numbers["fraction"] = 1.5;
    });
}

}  // namespace
}  // namespace polycast::hw::traffic
