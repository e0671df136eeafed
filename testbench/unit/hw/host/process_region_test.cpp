// SPDX-License-Identifier: Apache-2.0
// Regions: messages that leave them and come into them without a copy, counters, what follows what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "hw/host/command_words.h"
#include "testbench/unit/hw/host/process_bench.h"

namespace polycast::hw::host {
namespace {

using testing::ElementsAre;

constexpr unsigned region_window = 3;

landing_order landing_from(std::uint32_t source, std::uint64_t offset, std::uint32_t bytes) {
    landing_order order;
    order.source = source;
    order.offset = offset;
    order.bytes = bytes;
    order.context = 77;
    return order;
}

std::vector<std::uint32_t> answer(std::uint32_t kind, const fake_ni::command& to, std::uint32_t source,
                                  std::uint32_t length) {
    return {kind, to.words[NI_COMMAND_COOKIE], source, to.words[NI_COMMAND_MESSAGE], length, 0, 0xffff};
}

TEST(process_region, a_message_is_sent_from_where_it_lies_and_stays_there) {
    pair_of_hosts hosts;
    process& own = hosts.at(0);
    own.open_region(5000);
    own.write_region(1000, process_bytes(2500));
    own.send_region(unicast_to(1, 7), 1500, 2000);
    hosts.network.time.run(1000);
    EXPECT_EQ(hosts.interface(0).commands.back().words[NI_COMMAND_OPERATION], NI_COMMAND_SEND | region_window << 8);
    EXPECT_EQ(hosts.interface(0).commands.back().words[NI_COMMAND_OFFSET], 1500u);
    ASSERT_EQ(hosts.clients[1]->messages.size(), 1u);
    const std::vector<std::uint8_t> all = process_bytes(2500);
    EXPECT_EQ(hosts.clients[1]->messages[0].bytes, std::vector<std::uint8_t>(all.begin() + 500, all.end()));
    EXPECT_EQ(hosts.clients[0]->sends.size(), 1u);
    EXPECT_EQ(hosts.clients[0]->sends[0].when, small_process().send_overhead);
    std::vector<std::uint8_t> scratch;
    const auto still = own.region(1000, 2500, scratch);
    EXPECT_EQ(std::vector<std::uint8_t>(still.begin(), still.end()), all);
    EXPECT_TRUE(own.idle());
}

TEST(process_region, it_lies_at_the_same_addresses_at_every_interface_and_apart_from_everything_else) {
    fake_network network(1, small_process(), 2);
    fake_network::fake_host& host = *network.hosts[0];
    process_params params = small_process();
    params.processes = 2;
    params.hosts = 1;
    params.interface = 1;
    fake_ni other(network, 0);
    manager of_other(network.time, other);
    process second(params, network.time, host.memory, host.processor, other, of_other);
    process_recorder client(second), first_client(*host.processes[0]), neighbour_client(*host.processes[1]);
    second.start(client);
    host.processes[0]->start(first_client);
    host.processes[1]->start(neighbour_client);
    for (process* each : {&second, host.processes[0].get(), host.processes[1].get()}) each->open_region(window_bytes);
    EXPECT_EQ(other.window_address(0, region_window), host.interface.window_address(0, region_window));
    std::vector<std::uint64_t> begins{host.interface.window_address(0, region_window),
                                      host.interface.window_address(1, region_window)};
    for (unsigned window = 0; window < region_window; ++window) {
        begins.push_back(other.window_address(0, window));
        for (unsigned process = 0; process < 2; ++process)
            begins.push_back(host.interface.window_address(process, window));
    }
    std::ranges::sort(begins);
    for (std::size_t i = 1; i < begins.size(); ++i) EXPECT_GE(begins[i] - begins[i - 1], window_bytes);
    const std::vector<std::uint8_t> one{1};
    second.write_region(5, one);
    std::vector<std::uint8_t> scratch;
    EXPECT_EQ(host.processes[0]->region(5, 1, scratch)[0], 1);
    EXPECT_EQ(host.processes[1]->region(5, 1, scratch)[0], 0);
    second.release_region(0, window_bytes);
    EXPECT_EQ(host.processes[0]->region(5, 1, scratch)[0], 0);
}

TEST(process_region, what_follows_and_what_is_expected_says_so_to_the_interface) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    interface.hold = true;
    interface.commands.clear();
    process& own = hosts.at(0);
    own.open_region(10'000);
    send_order order = unicast_to(1, 3);
    order.follow = {7, 500};
    own.send_region(order, 0, 1000);
    order.whole = order.second = true;
    order.window = 4096;
    own.send_region(order, 0, 1000);
    order = unicast_to(1, 4);
    order.window = 128;
    own.send_region(order, 0, 1000);
    landing_order landing = landing_from(1, 2000, 3000);
    landing.process = 2;
    landing.number = 99;
    own.expect(landing);
    landing.count = {5, 512};
    landing.tell = 0b10;
    own.expect(landing);
    own.set_counter(255, 12);
    hosts.network.time.run(1000);
    ASSERT_EQ(interface.commands.size(), 6u);
    // What is expected passes the sends, which pay t_hs first.
    const auto words = [&](std::size_t at) {
        std::vector<std::uint32_t> all = interface.commands[at].words;
        all[NI_COMMAND_COOKIE] = 0;
        return all;
    };
    EXPECT_THAT(words(0), ElementsAre(NI_COMMAND_RECEIVE | region_window << 8 | NI_RECEIVE_EXPECTED << 16, 0, 2000,
                                      3000, 1 | 2 << 24, 0, 99, 0, 0xffffffff, 1, 0));
    EXPECT_THAT(words(1), ElementsAre(NI_COMMAND_RECEIVE | region_window << 8 | NI_RECEIVE_EXPECTED << 16, 0, 2000,
                                      3000, 1 | 2 << 24, 0, 99, 0, 5, 512, 2));
    EXPECT_THAT(words(2), ElementsAre(NI_COMMAND_SET_COUNTER, 0, 0, 12, 0, 255, 0, 0));
    EXPECT_THAT(words(3), ElementsAre(NI_COMMAND_SEND | region_window << 8 | NI_SEND_FOLLOW << 16, 0, 0, 1000, 1, 0, 3,
                                      0, 7, 500, 0));
    EXPECT_THAT(words(4), ElementsAre(NI_COMMAND_SEND | region_window << 8 |
                                          (NI_SEND_FOLLOW | NI_SEND_WHOLE | NI_SEND_WINDOW | NI_SEND_SECOND) << 16,
                                      0, 0, 1000, 1, 0, 3, 0, 7, 500, 4096));
    EXPECT_THAT(words(5), ElementsAre(NI_COMMAND_SEND | region_window << 8 | NI_SEND_WINDOW << 16, 0, 0, 1000, 1, 0, 4,
                                      0, 0, 0, 128));
}

TEST(process_region, its_program_is_told_what_has_landed_without_an_overhead) {
    pair_of_hosts hosts;
    fake_ni& interface = hosts.interface(0);
    interface.hold = true;
    interface.commands.clear();
    process& own = hosts.at(0);
    own.open_region(10'000);
    for (std::uint64_t context = 0; context < 3; ++context) {
        landing_order order = landing_from(1, 1000 * context, 1000);
        order.context = context;
        own.expect(order);
    }
    own.set_counter(3, 1);
    EXPECT_FALSE(own.idle());
    ASSERT_EQ(interface.commands.size(), 4u);
    interface.complete(0, 0, answer(NI_COMPLETION_RECEIVED, interface.commands[1], 1, 1000));
    interface.complete(0, 0, answer(NI_COMPLETION_COUNTER_SET, interface.commands[3], 0xffffff, 0));
    interface.complete(0, 0,
                       answer(NI_COMPLETION_FAILED | NI_STATUS_INCOMPLETE << 8, interface.commands[0], 0xffffff, 0));
    const auto& landings = hosts.clients[0]->landings;
    ASSERT_EQ(landings.size(), 2u);
    EXPECT_EQ(landings[0].context, 1u);
    EXPECT_EQ(landings[0].status, NI_STATUS_OK);
    EXPECT_EQ(landings[1].context, 0u);
    EXPECT_EQ(landings[1].status, NI_STATUS_INCOMPLETE);
    EXPECT_EQ(hosts.clients[0]->reports.size(), 1u);
    EXPECT_EQ(own.statistics().landed, 1u);
    EXPECT_FALSE(own.idle());
    // Another length than was expected, and one that has come already.
    interface.complete(0, 0, answer(NI_COMPLETION_RECEIVED, interface.commands[2], 1, 999));
    interface.complete(0, 0, answer(NI_COMPLETION_RECEIVED, interface.commands[1], 1, 1000));
    EXPECT_EQ(own.statistics().bad_completions, 2u);
    interface.complete(0, 0, answer(NI_COMPLETION_RECEIVED, interface.commands[2], 1, 1000));
    EXPECT_EQ(landings.size(), 3u);
    EXPECT_TRUE(own.idle());
}

TEST(process_region, what_makes_no_sense_is_refused) {
    pair_of_hosts hosts;
    process& own = hosts.at(0);
    const std::vector<std::uint8_t> byte{1};
    std::vector<std::uint8_t> scratch;
    EXPECT_THROW(own.write_region(0, byte), std::invalid_argument);  // not open
    EXPECT_THROW(own.open_region(0), std::invalid_argument);
    EXPECT_THROW(own.open_region(std::uint64_t{1} << 32), std::invalid_argument);
    own.open_region(1000);
    EXPECT_THROW(own.open_region(1000), std::invalid_argument);
    EXPECT_THROW(own.write_region(1000, byte), std::invalid_argument);
    EXPECT_THROW(own.region(~std::uint64_t{0}, 1, scratch), std::invalid_argument);
    EXPECT_THROW(own.release_region(1, 1000), std::invalid_argument);
    EXPECT_THROW(own.send_region(unicast_to(1), 0, 1001), std::invalid_argument);
    EXPECT_THROW(own.send_region(unicast_to(1), 0, 0), std::invalid_argument);
    EXPECT_THROW(own.set_counter(256, 0), std::invalid_argument);

    const auto sends = [&](auto change) {
        send_order order = unicast_to(1);
        order.follow = {0, 1};
        change(order);
        own.send_region(order, 0, 10);
    };
    EXPECT_NO_THROW(sends([](send_order& order) { order.follow->counter = 255; }));
    EXPECT_THROW(sends([](send_order& order) { order.follow->counter = 256; }), std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) { order.follow->step = 0; }), std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) { order.ticket = 1; }), std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) { order.window = 127; }), std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) {
                     order.window = 128;
                     order.to = 0;
                 }),
                 std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) {
                     order.follow.reset();
                     order.whole = true;
                 }),
                 std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) { order.kind = send_kind::group; }), std::invalid_argument);
    EXPECT_THROW(sends([](send_order& order) {
                     order.follow.reset();
                     order.kind = send_kind::group;
                     order.second = true;
                 }),
                 std::invalid_argument);

    const auto expects = [&](auto change) {
        landing_order order = landing_from(1, 0, 10);
        order.count = {0, 1};
        order.tell = 1;
        change(order);
        own.expect(order);
    };
    EXPECT_NO_THROW(expects([](landing_order&) {}));
    EXPECT_THROW(expects([](landing_order& order) { order.source = 2; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.process = 256; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.bytes = 0; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.offset = 991; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.count->counter = 256; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.count->step = 0; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.count.reset(); }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.tell = 0; }), std::invalid_argument);
    EXPECT_THROW(expects([](landing_order& order) { order.tell = std::uint64_t{1} << 32; }), std::invalid_argument);
}

TEST(process_region, processes_share_the_counters) {
    fake_network network(1, small_process(), 4);
    process_recorder client(*network.hosts[0]->processes[1]);
    network.hosts[0]->processes[1]->start(client);
    EXPECT_NO_THROW(network.hosts[0]->processes[1]->set_counter(63, 0));
    EXPECT_THROW(network.hosts[0]->processes[1]->set_counter(64, 0), std::invalid_argument);
}

}  // namespace
}  // namespace polycast::hw::host
