// SPDX-License-Identifier: Apache-2.0
#include "hw/host/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/input_error.h"
#include "testbench/unit/hw/host/process_bench.h"

namespace polycast::hw::host {
namespace {

TEST(process, registers_its_windows_and_posts_buffers) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    EXPECT_EQ(interface.buffers(0), 4u);
    EXPECT_EQ(interface.granted(0, NI_HOST_GRANT_QUEUE_ENTRIES), 4u);
    EXPECT_EQ(interface.granted(0, NI_HOST_GRANT_RIGHTS) & NI_HOST_GRANT_RIGHTS_ENABLE_MASK, 1u);
    EXPECT_EQ(interface.reg(0, NI_HOST_PROCESS_QUEUE_INTERRUPT), 1u);
    const auto allow = [&](unsigned window) {
        return interface.granted(
            0, NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE + NI_HOST_GRANT_WINDOW_ALLOW);
    };
    EXPECT_EQ(allow(0), NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK);  // to be sent: not to be written
    EXPECT_EQ(allow(1), NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK);
    EXPECT_EQ(allow(2), NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK);
    EXPECT_EQ(allow(3), 0u);
    for (const fake_ni::command& each : interface.commands) {
        EXPECT_EQ(each.words[NI_COMMAND_OPERATION] & 0xff, NI_COMMAND_RECEIVE);
        EXPECT_EQ(each.words[NI_COMMAND_LENGTH], 3000u);
    }
}

TEST(process, overheads_are_paid_before_the_command_and_after_the_completion) {
    pair_of_hosts hosts;
    const auto data = process_bytes(200);
    hosts.network.at(50, [&] { hosts.at(0).send(unicast_to(1, 9), data); });
    hosts.network.time.run(1000);
    ASSERT_EQ(hosts.clients[0]->sends.size(), 1u);
    EXPECT_EQ(hosts.clients[0]->sends[0].when, 150u);  // the doorbell rings in the cycle in which t_hs ends
    ASSERT_EQ(hosts.clients[1]->messages.size(), 1u);
    const process_recorder::arrival& got = hosts.clients[1]->messages[0];
    EXPECT_EQ(got.when, 150u + 10 + 70);
    EXPECT_EQ(got.bytes, data);
    EXPECT_EQ(got.what.source, 0u);
    EXPECT_EQ(got.what.number, 9u);
    EXPECT_EQ(hosts.network.hosts[0]->processor.busy(), 100u);
    EXPECT_EQ(hosts.network.hosts[1]->processor.busy(), 70u);
}

TEST(process, one_processor_serves_sends_and_receives_in_order_of_request) {
    pair_of_hosts hosts;
    hosts.network.at(0, [&] {
        hosts.at(1).send(unicast_to(0), process_bytes(8));  // done at 100, there at 110
        hosts.at(0).send(unicast_to(1, 1), process_bytes(8));
    });
    hosts.network.at(109, [&] { hosts.at(0).send(unicast_to(1, 2), process_bytes(8)); });  // 109..209
    hosts.network.time.run(1000);
    ASSERT_EQ(hosts.clients[0]->messages.size(), 1u);
    EXPECT_EQ(hosts.clients[0]->messages[0].when, 209u + 70);
    EXPECT_EQ(hosts.clients[0]->sends[1].when, 209u);
    ASSERT_EQ(hosts.clients[1]->messages.size(), 2u);
    EXPECT_EQ(hosts.clients[1]->messages[0].when, 100u + 10 + 70);
    EXPECT_EQ(hosts.clients[1]->messages[1].when, 219u + 70);
}

TEST(process, millions_of_messages_do_not_make_memory_grow) {
    process_params params = small_process();
    params.send_overhead = params.receive_overhead = 0;
    pair_of_hosts hosts(params);
    const auto data = process_bytes(2000);
    std::size_t pages = 0;
    for (int round = 0; round < 20000; ++round) {
        for (std::uint32_t number = 0; number < 4; ++number) hosts.at(0).send(unicast_to(1, number), data);
        hosts.network.time.run(hosts.network.time.now() + 20);
        hosts.clients[1]->messages.clear();
        hosts.clients[0]->sends.clear();
        hosts.interface(0).commands.clear();
        hosts.interface(1).commands.clear();
        if (round == 0) pages = hosts.network.hosts[1]->memory.pages() + hosts.network.hosts[0]->memory.pages();
    }
    EXPECT_EQ(hosts.at(1).statistics().received, 80000u);
    EXPECT_EQ(hosts.network.hosts[1]->memory.pages() + hosts.network.hosts[0]->memory.pages(), pages);
    EXPECT_LE(pages, 12u);
    EXPECT_TRUE(hosts.at(0).idle());
    EXPECT_TRUE(hosts.at(1).idle());
}

TEST(process, a_kept_message_stays_and_a_fresh_buffer_takes_its_place) {
    pair_of_hosts hosts;
    hosts.clients[1]->keep = true;
    for (std::uint8_t number = 0; number < 20; ++number)
        hosts.at(0).send(unicast_to(1, number), process_bytes(100, number));
    hosts.network.time.run(10000);
    ASSERT_EQ(hosts.clients[1]->messages.size(), 20u);
    EXPECT_EQ(hosts.at(1).kept(), 20u);
    EXPECT_EQ(hosts.interface(1).buffers(0), 4u);
    std::vector<std::uint8_t> scratch;
    for (std::uint8_t number = 0; number < 20; ++number) {
        const delivery& what = hosts.clients[1]->messages[number].what;
        EXPECT_THAT(hosts.at(1).bytes(what, scratch), testing::ElementsAreArray(process_bytes(100, number)));
        hosts.at(1).release(what);
    }
    EXPECT_EQ(hosts.at(1).kept(), 0u);
    EXPECT_THROW(hosts.at(1).release(hosts.clients[1]->messages[0].what), std::invalid_argument);
}

TEST(process, commands_wait_while_there_is_no_space_and_buffers_go_first) {
    fake_network network(2, small_process());
    fake_ni& interface = network.hosts[0]->interface;
    interface.hold = true;
    interface.space = 6;
    process& own = *network.hosts[0]->processes[0];
    process_recorder client(own);
    own.start(client);  // takes four
    for (std::uint32_t number = 0; number < 50; ++number) own.send(unicast_to(1, number), process_bytes(8));
    network.time.run(10000);
    EXPECT_EQ(interface.commands.size(), 6u);
    EXPECT_EQ(interface.space, 0u);
    EXPECT_FALSE(own.idle());
    // A message arrives meanwhile: its buffer is replaced before any send goes on.
    interface.complete(10000, 0, {NI_COMPLETION_RECEIVED, 1u << 29, 1, 0, 8, 0, 0xffff});
    EXPECT_EQ(interface.commands.size(), 6u);
    interface.space = 3;
    own.command_space(10001);
    network.time.run(10001);
    ASSERT_EQ(interface.commands.size(), 9u);
    EXPECT_EQ(interface.commands[6].words[NI_COMMAND_OPERATION] & 0xff, NI_COMMAND_RECEIVE);
    for (std::uint32_t at : {7u, 8u}) {
        EXPECT_EQ(interface.commands[at].words[NI_COMMAND_OPERATION] & 0xff, NI_COMMAND_SEND);
        EXPECT_EQ(interface.commands[at].words[NI_COMMAND_MESSAGE], at - 5);
    }
    interface.space = 100;
    own.command_space(10002);
    network.time.run(20000);
    EXPECT_EQ(interface.commands.size(), 55u);
    EXPECT_EQ(own.statistics().commands_waiting_max, 49u);
}

TEST(process, words_of_the_commands) {
    process_params params = small_process();
    params.command_bytes = 40;  // two children in a command
    fake_network network(40, params);
    process& own = *network.hosts[3]->processes[0];
    process_recorder client(own);
    own.start(client);
    fake_ni& interface = network.hosts[3]->interface;
    interface.commands.clear();
    send_order tree;
    tree.kind = send_kind::worm;
    tree.route = {format::packet_kind::tree, {0x21, 0, 0, 0, 0x80}};
    tree.process = 2;
    tree.tag = 77;
    tree.number = 8;
    own.send(tree, process_bytes(10));
    send_order group;
    group.kind = send_kind::group;
    group.group = 12;
    group.hops = 6;
    own.send(group, process_bytes(11));
    network.time.run(99);
    group_order set;
    set.root = 9;
    set.group = 4;
    set.member = set.fcfs = true;
    set.children = {1, 2, 10, 11, 12};
    own.set_group(set, 5);
    own.clear_group(9, 4, 6);
    interface.hold = true;
    network.time.run(1000);
    ASSERT_EQ(interface.commands.size(), 6u);
    const auto words = [&](std::size_t at) -> const std::vector<std::uint32_t>& {
        return interface.commands[at].words;
    };
    EXPECT_EQ(words(0)[NI_COMMAND_OPERATION], NI_COMMAND_SET_GROUP | (NI_GROUP_DELIVER | NI_GROUP_FCFS) << 16);
    EXPECT_EQ(words(0)[NI_COMMAND_TO], 9u);
    EXPECT_EQ(words(0)[NI_COMMAND_GROUP], 4u);
    EXPECT_THAT(std::span(words(0)).subspan(NI_COMMAND_WORDS), testing::ElementsAre(1, 2));
    EXPECT_EQ(words(1)[NI_COMMAND_OPERATION], std::uint32_t{NI_COMMAND_EXTEND_GROUP});
    EXPECT_THAT(std::span(words(1)).subspan(NI_COMMAND_WORDS), testing::ElementsAre(10, 11));
    EXPECT_EQ(words(2)[NI_COMMAND_LENGTH], 1u);
    EXPECT_EQ(words(3)[NI_COMMAND_OPERATION], std::uint32_t{NI_COMMAND_CLEAR_GROUP});
    EXPECT_EQ(words(4)[NI_COMMAND_OPERATION], NI_COMMAND_SEND_WORM | NI_ROUTE_TREE << 19);
    EXPECT_THAT(std::span(words(4)).subspan(NI_COMMAND_WORDS), testing::ElementsAre(0x21, 0x80));
    EXPECT_EQ(words(4)[NI_COMMAND_TO], 2u << 24);
    EXPECT_EQ(words(4)[NI_COMMAND_TAG], 77u);
    EXPECT_EQ(words(4)[NI_COMMAND_MESSAGE], 8u);
    EXPECT_EQ(words(4)[NI_COMMAND_LENGTH], 10u);
    EXPECT_EQ(words(5)[NI_COMMAND_OPERATION] & 0xff, NI_COMMAND_SEND_GROUP);
    EXPECT_EQ(words(5)[NI_COMMAND_TO], 3u);
    EXPECT_EQ(words(5)[NI_COMMAND_GROUP], 12u | 6u << 16);
    // Three answers make one.
    ASSERT_EQ(client.groups.size(), 2u);
    EXPECT_EQ(client.groups[0].context, 5u);
    EXPECT_EQ(client.groups[1].context, 6u);
    EXPECT_EQ(own.statistics().bad_completions, 0u);
}

TEST(process, errors_end_what_they_belong_to_and_are_counted) {
    pair_of_hosts hosts;
    send_order group;
    group.kind = send_kind::group;
    group.group = 3;
    group.context = 42;
    hosts.at(0).send(group, process_bytes(8));
    hosts.at(0).send(unicast_to(1), process_bytes(3001));  // longer than the receiver's buffers
    hosts.network.time.run(1000);
    ASSERT_EQ(hosts.clients[0]->sends.size(), 2u);
    EXPECT_EQ(hosts.clients[0]->sends[0].context, 42u);
    EXPECT_EQ(hosts.clients[0]->sends[0].status, NI_STATUS_UNKNOWN_GROUP);
    EXPECT_EQ(hosts.at(0).statistics().errors[NI_STATUS_UNKNOWN_GROUP], 1u);
    ASSERT_EQ(hosts.clients[1]->reports.size(), 1u);
    EXPECT_EQ(hosts.clients[1]->reports[0].status, NI_STATUS_BUFFER_TOO_SMALL);
    EXPECT_EQ(hosts.clients[1]->reports[0].source, 0u);
    EXPECT_EQ(hosts.at(1).reports().size(), 1u);
    EXPECT_TRUE(hosts.at(0).idle());
    // A receive buffer that was not taken is not posted again, one in which a message has failed is replaced.
    fake_ni& interface = hosts.interface(1);
    interface.commands.clear();
    interface.complete(1000, 0, {NI_COMPLETION_FAILED | NI_STATUS_TABLE_FULL << 8, 1u << 29, 0xffffff});
    EXPECT_EQ(hosts.at(1).posted(), 3u);
    EXPECT_TRUE(interface.commands.empty());
    interface.complete(1000, 0, {NI_COMPLETION_FAILED | NI_STATUS_REFUSED << 8, 1u << 29 | 1, 0});
    EXPECT_EQ(hosts.at(1).posted(), 3u);
    EXPECT_EQ(interface.commands.size(), 1u);
    // An error that happens to carry a cookie ends nothing.
    interface.complete(1000, 0, {NI_COMPLETION_ERROR | NI_STATUS_CHECK << 8, 1u << 29 | 2, 0xffffff});
    EXPECT_EQ(hosts.at(1).posted(), 3u);
    EXPECT_EQ(hosts.at(1).statistics().errors[NI_STATUS_CHECK], 1u);
    EXPECT_EQ(hosts.at(1).statistics().bad_completions, 0u);
}

TEST(process, a_group_fails_with_any_of_its_commands) {
    process_params params = small_process();
    params.command_bytes = 36;  // one child in a command
    fake_network network(4, params);
    process& own = *network.hosts[0]->processes[0];
    process_recorder client(own);
    own.start(client);
    network.time.run(0);
    network.hosts[0]->interface.hold = true;
    group_order set;
    set.children = {1, 2, 3};
    own.set_group(set, 9);
    fake_ni& interface = network.hosts[0]->interface;
    interface.complete(1, 0, {NI_COMPLETION_GROUP_SET, 2u << 29});
    interface.complete(2, 0, {NI_COMPLETION_FAILED | NI_STATUS_TABLE_FULL << 8, 2u << 29, 0xffffff});
    EXPECT_TRUE(client.groups.empty());
    interface.complete(3, 0, {NI_COMPLETION_GROUP_SET, 2u << 29});
    ASSERT_EQ(client.groups.size(), 1u);
    EXPECT_EQ(client.groups[0].when, 3u);
    EXPECT_EQ(client.groups[0].context, 9u);
    EXPECT_EQ(client.groups[0].status, NI_STATUS_TABLE_FULL);
}

TEST(process, completions_that_answer_nothing_do_no_harm) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    interface.complete(1, 0, {NI_COMPLETION_SENT, 17});                          // no such send
    interface.complete(1, 0, {NI_COMPLETION_SENT, 1u << 29});                    // a receive buffer's cookie
    interface.complete(1, 0, {NI_COMPLETION_RECEIVED, 1u << 29 | 99, 0, 0, 4});  // no such buffer
    interface.complete(1, 0, {NI_COMPLETION_RECEIVED, 1u << 29, 0, 0, 3001});    // longer than its buffer
    interface.complete(1, 0, {99, 0});
    interface.complete(1, 0, {NI_COMPLETION_GROUP_SET, 2u << 29});
    interface.complete(1, 0, {NI_COMPLETION_STATISTICS, 3u << 29});
    interface.complete(1, 0, {NI_COMPLETION_ERROR | 200 << 8, 0, 1});
    EXPECT_EQ(hosts.at(0).statistics().bad_completions, 8u);
    hosts.network.time.run(1000);
    EXPECT_TRUE(hosts.clients[0]->messages.empty());
    EXPECT_EQ(hosts.at(0).posted(), 4u);
}

TEST(process, statistics_of_the_firmware) {
    pair_of_hosts hosts;
    hosts.at(0).read_statistics();
    EXPECT_FALSE(hosts.at(0).idle());
    hosts.network.time.run(1);
    ASSERT_EQ(hosts.clients[0]->answers.size(), 1u);
    ASSERT_EQ(hosts.clients[0]->answers[0].size(), std::size_t{NI_STATISTICS});
    EXPECT_EQ(hosts.clients[0]->answers[0][NI_STATISTIC_COMMANDS], NI_STATISTIC_COMMANDS + 1u);
    EXPECT_TRUE(hosts.at(0).idle());
}

TEST(process, processes_of_a_host_are_apart) {
    fake_network network(2, small_process(), 3);
    std::vector<std::unique_ptr<process_recorder>> clients;
    for (auto& host : network.hosts)
        for (auto& each : host->processes) {
            clients.push_back(std::make_unique<process_recorder>(*each));
            each->start(*clients.back());
        }
    fake_ni& interface = network.hosts[0]->interface;
    // No window of one process reaches into one of another.
    for (unsigned first = 0; first < 9; ++first)
        for (unsigned second = first + 1; second < 9; ++second) {
            const std::uint64_t low = interface.window_address(first / 3, first % 3);
            const std::uint64_t high = interface.window_address(second / 3, second % 3);
            EXPECT_LE(low + 0xffffffffu, high);
        }
    send_order order = unicast_to(1, 3);
    order.process = 2;
    network.hosts[0]->processes[1]->send(order, process_bytes(9));
    network.time.run(1000);
    EXPECT_TRUE(clients[3]->messages.empty());
    EXPECT_TRUE(clients[4]->messages.empty());
    ASSERT_EQ(clients[5]->messages.size(), 1u);
    EXPECT_EQ(clients[5]->messages[0].what.process, 1u);
    EXPECT_EQ(clients[5]->messages[0].bytes, process_bytes(9));
}

TEST(process, orders_that_make_no_sense_are_refused) {
    pair_of_hosts hosts;
    process& own = hosts.at(0);
    EXPECT_THROW(own.send(unicast_to(2), process_bytes(1)), std::invalid_argument);
    EXPECT_THROW(own.send(unicast_to(1), {}), std::invalid_argument);
    send_order order = unicast_to(1);
    order.process = 256;
    EXPECT_THROW(own.send(order, process_bytes(1)), std::invalid_argument);
    group_order group;
    group.children = {7};
    EXPECT_THROW(own.set_group(group), std::invalid_argument);
    group.children.clear();
    group.group = 0xffff;
    EXPECT_THROW(own.set_group(group), std::invalid_argument);
    EXPECT_TRUE(own.idle());
    process_params params = small_process();
    params.receive_buffers = 600;
    EXPECT_THROW(fake_network(2, params, 2), input_error);
    params = small_process();
    params.message_bytes = 0;
    EXPECT_THROW(fake_network(2, params), input_error);
}

TEST(process, overheads_may_be_paid_for_each_packet) {
    process_params params = small_process();
    params.overheads_per_packet = true;
    params.payload_bytes = 64;
    pair_of_hosts hosts(params);
    hosts.at(0).send(unicast_to(1, 1), process_bytes(64));
    hosts.at(0).send(unicast_to(1, 2), process_bytes(129));  // three packets
    hosts.network.time.run(10000);
    ASSERT_EQ(hosts.clients[0]->sends.size(), 2u);
    EXPECT_EQ(hosts.clients[0]->sends[0].when, 100u);
    EXPECT_EQ(hosts.clients[0]->sends[1].when, 100u + 300);
    ASSERT_EQ(hosts.clients[1]->messages.size(), 2u);
    EXPECT_EQ(hosts.clients[1]->messages[0].when, 110u + 70);
    EXPECT_EQ(hosts.clients[1]->messages[1].when, 410u + 210);
    EXPECT_EQ(hosts.network.hosts[1]->processor.busy(), 280u);
    params.payload_bytes = 0;
    EXPECT_THROW(fake_network(2, params), input_error);
}

TEST(process, long_messages_leave_room_for_as_many_buffers_as_fit) {
    process_params params = small_process();
    params.message_bytes = 1u << 30;
    params.receive_buffers = 16;
    pair_of_hosts hosts(params);
    EXPECT_EQ(hosts.interface(0).buffers(0), 3u);  // a window has less than 4 GiB
    hosts.clients[1]->keep = true;
    for (std::uint8_t number = 0; number < 3; ++number) hosts.at(0).send(unicast_to(1, number), process_bytes(10));
    hosts.network.time.run(1000);
    EXPECT_EQ(hosts.interface(1).buffers(0), 0u);
    hosts.at(1).release(hosts.clients[1]->messages[1].what);
    hosts.network.time.run(1001);
    EXPECT_EQ(hosts.interface(1).buffers(0), 1u);
}

}  // namespace
}  // namespace polycast::hw::host
