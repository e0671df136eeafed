// SPDX-License-Identifier: Apache-2.0
// Lists of messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hw/workloads/messages/workload.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::traffic {
namespace {

using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<message>> all_of(const workload_params& params) {
    workload work(params);
    std::vector<std::vector<message>> messages(params.hosts);
    for (std::uint32_t host = 0; host < params.hosts; ++host)
        while (std::optional<message> next = work.next(host)) messages[host].push_back(std::move(*next));
    return messages;
}

workload_params listed(std::vector<listed_message> list) {
    workload_params params;
    params.kind = workload_kind::list;
    params.hosts = 4;
    params.list = std::move(list);
    return params;
}

TEST(workload, a_list_is_sent_in_order_of_time) {
    const format::stop address{9, 3};
    const auto messages = all_of(listed({{.at = 50, .source = 2, .destinations = {1}, .bytes = 7},
                                         {.at = 20, .source = 2, .destinations = {3}, .bytes = 8, .address = address},
                                         {.at = 50, .source = 2, .destinations = {0}, .bytes = 9},
                                         {.at = 1, .source = 0, .destinations = {2}, .bytes = 4}}));
    ASSERT_EQ(messages[2].size(), 3u);
    ASSERT_EQ(messages[0].size(), 1u);
    EXPECT_THAT(messages[1], testing::IsEmpty());
    const auto is = [](const message& one, engine::cycle at, std::uint32_t to, std::uint32_t bytes) {
        return one.created == at && one.destinations == std::vector{to} && one.bytes == bytes;
    };
    EXPECT_TRUE(is(messages[2][0], 20, 3, 8));
    EXPECT_TRUE(is(messages[2][1], 50, 1, 7)) << "in one cycle in the order of the list";
    EXPECT_TRUE(is(messages[2][2], 50, 0, 9));
    EXPECT_TRUE(is(messages[0][0], 1, 2, 4));
    EXPECT_EQ(messages[2][0].worm, format::packet_kind::lid);
    EXPECT_THAT(messages[2][0].stops, ElementsAre(address));
    EXPECT_EQ(messages[2][1].kind, message_kind::unicast);
    std::set<std::uint64_t> transfers;
    for (const auto& of_host : messages)
        for (const message& one : of_host) transfers.insert(one.transfer);
    EXPECT_EQ(transfers.size(), 4u);
}

TEST(workload, a_list_with_what_cannot_be_is_refused) {
    const auto refused = [](listed_message one) { return refusal([&] { workload work(listed({std::move(one)})); }); };
    EXPECT_THAT(refused({.at = 1, .source = 1, .destinations = {1}, .bytes = 1}), HasSubstr("cannot go to host 1"));
    EXPECT_THAT(refused({.at = 1, .source = 1, .destinations = {4}, .bytes = 1}), HasSubstr("another of 0..3"));
    EXPECT_THAT(refused({.at = 1, .source = 4, .destinations = {1}, .bytes = 1}), HasSubstr("does not exist"));
    EXPECT_THAT(refused({.at = 1, .source = 1, .destinations = {2}}), HasSubstr("no byte"));
    EXPECT_THAT(refused({.at = 1, .source = 1, .destinations = {2, 3}, .bytes = 1}), HasSubstr("address of a group"));
    EXPECT_THAT(refusal([] { workload work(listed({})); }), HasSubstr("no messages"));
}

}  // namespace
}  // namespace polycast::hw::traffic
