// SPDX-License-Identifier: Apache-2.0
// Messages that reserve interfaces: refusals and withdrawals.
#include <gtest/gtest.h>

#include <stdexcept>

#include "testbench/unit/hw/host/process_bench.h"

namespace polycast::hw::host {
namespace {

TEST(process, a_message_with_a_ticket_may_be_refused_and_is_no_error) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    interface.hold = true;
    interface.commands.clear();
    send_order order = unicast_to(1, 7);
    order.ticket = 0xfffffff0;
    order.urgent = true;
    order.context = 42;
    hosts.at(0).send(order, process_bytes(8));
    order.urgent = false;
    order.context = 43;
    hosts.at(0).send(order, process_bytes(8));
    hosts.network.time.run(1000);
    ASSERT_EQ(interface.commands.size(), 2u);
    const auto& words = interface.commands[0].words;
    EXPECT_EQ(words[NI_COMMAND_OPERATION] >> 16, unsigned{NI_SEND_RESERVE} | unsigned{NI_SEND_URGENT});
    EXPECT_EQ(words[NI_COMMAND_GROUP], 0xfffffff0u);
    EXPECT_EQ(interface.commands[1].words[NI_COMMAND_OPERATION] >> 16, unsigned{NI_SEND_RESERVE});
    const auto busy = [&](std::size_t command, std::uint32_t kept) {
        interface.complete(1000, 0,
                           {NI_COMPLETION_FAILED | NI_STATUS_BUSY << 8,
                            interface.commands[command].words[NI_COMMAND_COOKIE], 0xffffff, 7, 8, 0, kept});
    };
    busy(0, 1);
    busy(1, 0);
    ASSERT_EQ(hosts.clients[0]->refusals.size(), 2u);
    EXPECT_EQ(hosts.clients[0]->refusals[0].context, 42u);
    EXPECT_TRUE(hosts.clients[0]->refusals[0].kept);
    EXPECT_EQ(hosts.clients[0]->refusals[1].context, 43u);
    EXPECT_FALSE(hosts.clients[0]->refusals[1].kept);
    EXPECT_TRUE(hosts.clients[0]->sends.empty());
    EXPECT_TRUE(hosts.clients[0]->reports.empty());
    EXPECT_EQ(hosts.at(0).statistics().refused, 2u);
    EXPECT_EQ(hosts.at(0).statistics().errors[NI_STATUS_BUSY], 0u);
    EXPECT_TRUE(hosts.at(0).idle());
    busy(0, 0);  // once more
    EXPECT_EQ(hosts.at(0).statistics().bad_completions, 1u);
    order.to = 0;
    EXPECT_THROW(hosts.at(0).send(order, process_bytes(8)), std::invalid_argument);
    order = {};
    order.kind = send_kind::group;
    order.ticket = 1;
    EXPECT_THROW(hosts.at(0).send(order, process_bytes(8)), std::invalid_argument);
}

TEST(process, a_withdrawal_is_asked_for_until_the_interface_has_room) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    interface.hold = true;
    interface.commands.clear();
    hosts.at(0).withdraw(1, 77);
    EXPECT_FALSE(hosts.at(0).idle());
    ASSERT_EQ(interface.commands.size(), 1u);
    const std::uint32_t cookie = interface.commands[0].words[NI_COMMAND_COOKIE];
    EXPECT_EQ(interface.commands[0].words[NI_COMMAND_OPERATION], std::uint32_t{NI_COMMAND_WITHDRAW});
    EXPECT_EQ(interface.commands[0].words[NI_COMMAND_TO], 1u);
    EXPECT_EQ(interface.commands[0].words[NI_COMMAND_GROUP], 77u);
    interface.complete(10, 0, {NI_COMPLETION_FAILED | NI_STATUS_TABLE_FULL << 8, cookie, 0xffffff});
    hosts.network.time.run(2000);
    ASSERT_EQ(interface.commands.size(), 2u);
    EXPECT_EQ(interface.commands[1].words[NI_COMMAND_GROUP], 77u);
    interface.complete(2001, 0, {NI_COMPLETION_WITHDRAWN, cookie, 0xffffff});
    EXPECT_TRUE(hosts.at(0).idle());
    EXPECT_TRUE(hosts.clients[0]->reports.empty());
    EXPECT_THROW(hosts.at(0).withdraw(0, 1), std::invalid_argument);
    EXPECT_THROW(hosts.at(0).withdraw(2, 1), std::invalid_argument);
}

/// One that waits to be tried again is none that the interface has: it is tried after the restart, and no other one.
TEST(process, a_refused_withdrawal_outlives_a_restart) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    interface.hold = true;
    interface.commands.clear();
    hosts.at(0).withdraw(1, 77);
    ASSERT_EQ(interface.commands.size(), 1u);
    const std::uint32_t cookie = interface.commands[0].words[NI_COMMAND_COOKIE];
    interface.complete(10, 0, {NI_COMPLETION_FAILED | NI_STATUS_TABLE_FULL << 8, cookie, 0xffffff});
    hosts.at(0).hung(20);
    EXPECT_FALSE(hosts.at(0).idle()) << "it is still to be made";
    interface.commands.clear();
    hosts.at(0).command_space(30);
    hosts.network.time.run(2000);
    const auto withdrawals = [&interface] {
        std::vector<std::uint32_t> tickets;
        for (const fake_ni::command& each : interface.commands)
            if (each.words[NI_COMMAND_OPERATION] == NI_COMMAND_WITHDRAW)
                tickets.push_back(each.words[NI_COMMAND_GROUP]);
        return tickets;
    };
    EXPECT_THAT(withdrawals(), testing::ElementsAre(77u));
    // Given, it ends with the interface.
    hosts.at(0).hung(2100);
    EXPECT_TRUE(hosts.at(0).idle());
}

}  // namespace
}  // namespace polycast::hw::host
