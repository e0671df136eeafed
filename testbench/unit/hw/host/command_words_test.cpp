// SPDX-License-Identifier: Apache-2.0
#include "hw/host/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace polycast::hw::host {
namespace {

using format::packet_kind;
using format::route;
using testing::ElementsAre;
using words = std::vector<std::uint32_t>;

/// Two hosts, stops of three bytes, lists of eight at most.
process_params two_hosts(unsigned command_bytes = 128) {
    process_params params;
    params.hosts = 2;
    params.command_bytes = command_bytes;
    return params;
}

send_order worm(const route& where) {
    send_order order;
    order.kind = send_kind::worm;
    order.route = where;
    return order;
}

group_order group_of(const std::vector<route>& worms) {
    group_order order;
    order.worms = worms;
    return order;
}

route path_of(unsigned stops, unsigned most = 8) {
    return format::path_route({2, 8, most}, std::vector<format::stop>(stops, format::stop{1, 1}));
}

words behind(const words& all) {
    return {all.begin() + NI_COMMAND_WORDS, all.end()};
}

TEST(command_words, routes_that_no_header_can_have_are_refused) {
    const route path{packet_kind::path, {2, 0, 1, 0, 4, 2, 0, 4}};
    const process_params params = two_hosts();
    const std::vector<route> bad{
        {packet_kind::unicast, {1, 0, 0}},
        {packet_kind::tree, {}},
        {packet_kind::tree, {0}},
        {packet_kind::tree, {4}},     // there are two hosts
        {packet_kind::tree, {1, 0}},  // too long
        {packet_kind::ssr, {1, 0}},
        {packet_kind::ssr, {1, 0, 4, 0}},
        {packet_kind::path, {}},
        {packet_kind::path, {0, 0}},
        {packet_kind::path, {9, 0}},                       // headers hold eight
        {packet_kind::path, {2, 1, 1, 0, 4, 2, 0, 4}},     // begun already
        {packet_kind::path, {2, 0, 1, 0, 4, 2, 0}},        // too short
        {packet_kind::path, {2, 0, 1, 0, 4, 2, 0, 4, 4}},  // too long
        {static_cast<packet_kind>(4), {1, 0, 0}},
    };
    for (const route& one : bad) {
        EXPECT_THROW(check_order(params, worm(one), 1), std::invalid_argument) << &one - bad.data();
        EXPECT_THROW(checked_order(params, group_of({path, one})), std::invalid_argument) << &one - bad.data();
    }
    for (const route& one : {path, path_of(8), route{packet_kind::tree, {2}}, route{packet_kind::ssr, {1, 0, 4}}}) {
        EXPECT_NO_THROW(check_order(params, worm(one), 1));
        EXPECT_NO_THROW(checked_order(params, group_of({one, one})));
    }
    EXPECT_THROW(checked_order(params, group_of({path, {packet_kind::ssr, {1, 0, 4}}})), std::invalid_argument)
        << "two kinds";
    group_order both = group_of({path});
    both.children = {1};
    EXPECT_THROW(checked_order(params, both), std::invalid_argument) << "hosts and worms";
    both.worms = {format::unicast_route(1)};
    EXPECT_THROW(checked_order(params, both), std::invalid_argument) << "hosts twice";
}

TEST(command_words, longest_routes) {
    // A command holds what is behind its eight words, an entry of the group table 34 stops of 3 bytes.
    process_params params = two_hosts(32 + 124);
    params.header_stops = 41;
    EXPECT_NO_THROW(check_order(params, worm(path_of(40, 41)), 1));
    EXPECT_THROW(check_order(params, worm(path_of(41, 41)), 1), std::invalid_argument);
    EXPECT_NO_THROW(checked_order(params, group_of({path_of(34, 41)})));
    EXPECT_THROW(checked_order(params, group_of({path_of(35, 41)})), std::invalid_argument);
    params.command_bytes = 32 + 100;
    EXPECT_THROW(checked_order(params, group_of({path_of(34, 41)})), std::invalid_argument);
}

TEST(command_words, of_messages_along_a_route) {
    const process_params params = two_hosts();
    const std::vector<format::stop> stops{{1, 4}, {2, 0x80}, {0x304, 1}};
    words all;
    compose_send(params, worm(format::path_route(params.header_shape(), stops)), 5, 0x100, 77, all);
    EXPECT_EQ(all[NI_COMMAND_OPERATION], NI_COMMAND_SEND_WORM | 5 << 8 | NI_ROUTE_PATH << 19);
    EXPECT_EQ(all[NI_COMMAND_OFFSET], 0x100u);
    EXPECT_EQ(all[NI_COMMAND_LENGTH], 77u);
    EXPECT_THAT(behind(all), ElementsAre(0x00010003u, 0x80000204u, 0x00010304u));
    compose_send(params, worm(format::ssr_route(params.header_shape(), stops[2])), 5, 0x100, 77, all);
    EXPECT_EQ(all[NI_COMMAND_OPERATION], NI_COMMAND_SEND_WORM | 5 << 8 | NI_ROUTE_SSR << 19);
    EXPECT_THAT(behind(all), ElementsAre(0x00010304u));
}

TEST(command_words, of_groups_of_worms) {
    const process_params params = two_hosts(32 + 4 * 6);  // room for two worms of three words
    const std::vector<format::stop> two{{1, 4}, {2, 0x80}};
    const std::vector<format::stop> three{{1, 4}, {2, 0x80}, {0x304, 1}};
    group_order group;
    group.fcfs = true;
    for (const auto& stops : {two, three, two}) group.worms.push_back(format::path_route(params.header_shape(), stops));
    EXPECT_EQ(commands_of(params, group), 2u);
    words all;
    compose_group(params, group, 0, all);
    EXPECT_EQ(all[NI_COMMAND_OPERATION], NI_COMMAND_SET_GROUP | (NI_GROUP_FCFS | NI_ROUTE_PATH << 3) << 16);
    EXPECT_EQ(all[NI_COMMAND_OFFSET], 3u) << "words of each";
    EXPECT_EQ(all[NI_COMMAND_LENGTH], 2u);
    EXPECT_THAT(behind(all), ElementsAre(0x00010002u, 0x80000204u, 0u, 0x00010003u, 0x80000204u, 0x00010304u));
    compose_group(params, group, 1, all);
    EXPECT_EQ(all[NI_COMMAND_OPERATION], std::uint32_t{NI_COMMAND_EXTEND_GROUP});
    EXPECT_EQ(all[NI_COMMAND_LENGTH], 1u);
    EXPECT_THAT(behind(all), ElementsAre(0x00010002u, 0x80000204u, 0u));
}

TEST(command_words, unicasts_of_a_group_are_hosts) {
    const process_params params = two_hosts();
    const group_order given = checked_order(params, group_of({format::unicast_route(1)}));
    EXPECT_THAT(given.children, ElementsAre(1u));
    EXPECT_THAT(given.worms, testing::IsEmpty());
    words all;
    compose_group(params, given, 0, all);
    EXPECT_EQ(all[NI_COMMAND_OPERATION], std::uint32_t{NI_COMMAND_SET_GROUP});
    EXPECT_THAT(behind(all), ElementsAre(1u));
    EXPECT_THROW(checked_order(params, group_of({format::unicast_route(2)})), std::invalid_argument) << "no such host";
}

}  // namespace
}  // namespace polycast::hw::host
