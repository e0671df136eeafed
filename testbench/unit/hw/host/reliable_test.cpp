// SPDX-License-Identifier: Apache-2.0
// Reliable messages as host programs see them: acknowledged by all, or failed with the hosts that lack them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "hw/host/command_words.h"
#include "testbench/unit/hw/host/host_bench.h"
#include "testbench/unit/hw/host/process_bench.h"

namespace polycast::hw::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<std::uint8_t>;
using words = std::vector<std::uint32_t>;

constexpr lacking_host silent(std::uint32_t host) {
    return {host, NI_STATUS_UNREACHABLE};
}

host_bench::options quick() {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 10;
    options.ni_send = options.ni_receive = 20;
    options.host.message_bytes = 1000;
    options.host.interface.reliable.timeout = 20'000;
    options.host.interface.reliable.attempts = 2;
    return options;
}

envelope reliably(std::uint32_t tag) {
    envelope how;
    how.tag = tag;
    how.reliable = true;
    return how;
}

/// Of three members, along which host 0 hears of all: 1 and 2 below it, 3 below 1.
group_order member_of_four(const endpoint& self, bool data) {
    group_order group;
    group.group = 7;
    group.member = self.host() != 0;
    group.receipts.emplace();
    if (self.host() == 0) {
        group.receipts->below = {1, 2};
        group.receipts->members = 3;
    } else {
        group.receipts->parent = self.host() == 3 ? 1 : 0;
        if (self.host() == 1) group.receipts->below = {3};
    }
    if (data) group.children = group.receipts->below;
    return group;
}

/// Host 0 sends to hosts 1, 2, 3, of which those with a bit in `members` have joined.
struct multicast_to_three {
    explicit multicast_to_three(bool worm, unsigned members = 0b1110) : bench(star(4), quick()) {
        bench.run(0, [&, worm](endpoint& self) -> program {
            const ni_status joined = co_await self.join(member_of_four(self, !worm));
            co_await self.sleep_until(500);
            envelope how = reliably(5);
            how.group = 7;
            const std::vector<std::uint32_t> all{1, 2, 3};
            request<ni_status> sending =
                worm ? self.isend_tree(all, bytes(300, 9), how) : self.imulticast(7, bytes(300, 9), how);
            status = co_await sending;
            done = self.now();
            failed = self.failed_sends();
            EXPECT_EQ(joined, NI_STATUS_OK);
        });
        for (const std::uint32_t host : {1u, 2u, 3u}) {
            if ((members >> host & 1) == 0) continue;
            bench.run(host, [&, worm, host](endpoint& self) -> program {
                co_await self.join(member_of_four(self, !worm));
                const message what = co_await self.receive();
                EXPECT_EQ(what.bytes, bytes(300, 9));
                EXPECT_EQ(what.group, 7);
                got[host] = what.arrived;
            });
        }
        bench.build();
    }

    host_bench bench;
    ni_status status = NI_STATUS_BUSY;
    cycle done = 0;
    std::vector<failed_send> failed;
    std::map<std::uint32_t, cycle> got;
};

TEST(reliable, is_done_when_all_members_have_it) {
    for (const bool worm : {false, true}) {
        multicast_to_three run(worm);
        run.bench.simulate();
        EXPECT_THAT(run.bench.failures(), IsEmpty());
        EXPECT_EQ(run.status, NI_STATUS_OK);
        ASSERT_EQ(run.got.size(), 3u);
        for (const auto& [host, when] : run.got) EXPECT_LE(when, run.done + 10) << "host " << host;  // t_hr
        EXPECT_THAT(run.failed, IsEmpty());
    }
}

TEST(reliable, says_who_has_not_acknowledged_it) {
    multicast_to_three run(true, 0b0110);  // host 3 does not know the group
    run.bench.simulate();
    EXPECT_EQ(run.status, NI_STATUS_UNREACHABLE);
    ASSERT_EQ(run.failed.size(), 1u);
    EXPECT_EQ(run.failed[0].tag, 5u);
    EXPECT_THAT(run.failed[0].lacking, ElementsAre(silent(3)));
    EXPECT_EQ(run.got.size(), 2u);
}

TEST(reliable, is_declined_where_no_buffer_takes_it) {
    host_bench bench(star(2), quick());
    std::vector<ni_status> ends;
    std::vector<failed_send> failed;
    bench.run(0, [&](endpoint& self) -> program {
        for (const std::uint32_t tag : {1u, 2u, 3u}) {
            const ni_status status = co_await self.send(1, bytes(tag == 2 ? 1001 : 1000), reliably(tag));
            ends.push_back(status);
        }
        failed = self.failed_sends();
    });
    bench.run(1, [&](endpoint& self) -> program {
        for (const std::uint32_t tag : {1u, 3u}) {
            const message what = co_await self.receive();
            EXPECT_EQ(what.tag, tag);
        }
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(ends, ElementsAre(NI_STATUS_OK, NI_STATUS_DECLINED, NI_STATUS_OK));
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_EQ(failed[0].tag, 2u);
    EXPECT_THAT(failed[0].lacking, ElementsAre(lacking_host{1, NI_STATUS_BUFFER_TOO_SMALL}));
}

// ---- the driver's words ----

struct lacking_recorder final : process_client {
    void sent(cycle, std::uint64_t context, ni_status status) override {
        ends.emplace_back(context, status);
        EXPECT_TRUE(before.empty() || before.back() == context);
    }
    void received(cycle, const delivery&) override {}
    void unacknowledged(cycle, std::uint64_t context, std::span<const lacking_host> hosts) override {
        before.push_back(context);
        lacking.assign(hosts.begin(), hosts.end());
    }
    std::vector<std::pair<std::uint64_t, ni_status>> ends;
    std::vector<std::uint64_t> before;
    std::vector<lacking_host> lacking;
};

struct one_send {
    explicit one_send(bool reliable = true) : network(2, small_process()) {
        network.hosts[0]->processes[0]->start(client);
        network.hosts[1]->processes[0]->start(other);
        network.time.run(0);
        interface().hold = true;
        send_order order = unicast_to(1, 3);
        order.reliable = reliable;
        order.context = 77;
        network.hosts[0]->processes[0]->send(order, process_bytes(40));
        network.time.run(1000);
        cookie = interface().commands.back().words[NI_COMMAND_COOKIE];
    }
    fake_ni& interface() { return network.hosts[0]->interface; }
    void complete(std::uint32_t kind, ni_status status, std::uint32_t host, std::uint32_t why = 0) {
        interface().complete(1000, 0, {kind | std::uint32_t{status} << 8 | why << 16, cookie, host, 3, 40, 0, 0xffff});
    }
    const process_statistics& counted() { return network.hosts[0]->processes[0]->statistics(); }

    fake_network network;
    lacking_recorder client, other;
    std::uint32_t cookie = 0;
};

TEST(reliable, lists_end_with_the_send) {
    one_send bench;
    bench.complete(NI_COMPLETION_LACKS, NI_STATUS_UNREACHABLE, 1);
    bench.complete(NI_COMPLETION_LACKS, NI_STATUS_UNREACHABLE, 0);
    EXPECT_THAT(bench.client.before, IsEmpty());
    bench.complete(NI_COMPLETION_FAILED, NI_STATUS_UNREACHABLE, 1);
    EXPECT_THAT(bench.client.before, ElementsAre(77));
    EXPECT_THAT(bench.client.lacking, ElementsAre(silent(1), silent(0)));
    EXPECT_THAT(bench.client.ends, ElementsAre(std::pair(std::uint64_t{77}, NI_STATUS_UNREACHABLE)));
    EXPECT_EQ(bench.counted().errors[NI_STATUS_UNREACHABLE], 1u);
    EXPECT_EQ(bench.counted().bad_completions, 0u);
}

TEST(reliable, one_that_declines_is_named_with_its_reason) {
    one_send bench;
    bench.complete(NI_COMPLETION_FAILED, NI_STATUS_DECLINED, 1, NI_STATUS_BUFFER_TOO_SMALL);
    EXPECT_THAT(bench.client.lacking, ElementsAre(lacking_host{1, NI_STATUS_BUFFER_TOO_SMALL}));
    EXPECT_THAT(bench.client.ends, ElementsAre(std::pair(std::uint64_t{77}, NI_STATUS_DECLINED)));
}

TEST(reliable, a_list_for_a_message_that_is_not_reliable_is_no_completion) {
    one_send bench(false);
    bench.complete(NI_COMPLETION_LACKS, NI_STATUS_UNREACHABLE, 1);
    EXPECT_EQ(bench.counted().bad_completions, 1u);
    bench.complete(NI_COMPLETION_SENT, NI_STATUS_OK, 0xffffff);
    EXPECT_THAT(bench.client.before, IsEmpty());
    bench.complete(NI_COMPLETION_LACKS, NI_STATUS_UNREACHABLE, 1);  // it has ended
    EXPECT_EQ(bench.counted().bad_completions, 2u);
}

process_params forty_hosts() {
    process_params params;
    params.hosts = 40;
    return params;
}

send_order reliable_to(std::uint32_t host) {
    send_order order;
    order.to = host;
    order.reliable = true;
    return order;
}

TEST(reliable, flags_and_patience_are_in_the_command) {
    words made;
    send_order order = reliable_to(3);
    order.patience = 31;
    check_order(forty_hosts(), order, 10);
    compose_send(forty_hosts(), order, 2, 64, 10, made);
    EXPECT_EQ(made[NI_COMMAND_OPERATION], NI_COMMAND_SEND | 2u << 8 | (NI_SEND_RELIABLE | 0xf800u) << 16);
    order.kind = send_kind::worm;
    order.route = format::tree_route(forty_hosts().header_shape(), std::vector<std::uint32_t>{4, 5});
    order.group = 9;
    order.patience = 0;
    check_order(forty_hosts(), order, 10);
    compose_send(forty_hosts(), order, 2, 64, 10, made);
    EXPECT_EQ(made[NI_COMMAND_OPERATION],
              NI_COMMAND_SEND_WORM | 2u << 8 | (NI_SEND_RELIABLE | NI_ROUTE_TREE << NI_GROUP_KIND_SHIFT) << 16);
    EXPECT_EQ(made[NI_COMMAND_GROUP], 9u);
}

TEST(reliable, orders_that_firmware_does_not_take_are_refused) {
    const process_params params = forty_hosts();
    const auto refused = [&](auto change) {
        send_order order = reliable_to(3);
        change(order);
        EXPECT_THROW(check_order(params, order, 200), std::invalid_argument);
    };
    refused([](send_order& order) { order.to = 0; });  // its own host
    refused([](send_order& order) { order.ticket = 1; });
    refused([](send_order& order) { order.window = 1000; });
    refused([](send_order& order) { order.patience = 32; });
    refused([&](send_order& order) {
        order.kind = send_kind::worm;
        order.route = format::tree_route(params.header_shape(), std::vector<std::uint32_t>{4, 5});
        order.group = 0xffff;
    });
    process_params small = params;
    small.payload_bytes = 15;
    EXPECT_THROW(check_order(small, reliable_to(3), 10), std::invalid_argument);
    small.payload_bytes = 16;
    check_order(small, reliable_to(3), 10);
}

group_order root_of(const words& below) {
    group_order order;
    order.group = 2;
    order.receipts.emplace();
    order.receipts->below = below;
    order.receipts->members = 30;
    return order;
}

TEST(reliable, receipts_are_behind_the_first_children) {
    group_order order = root_of({1, 2, 3, 4});
    for (std::uint32_t host = 1; host < 31; ++host) order.children.push_back(host);
    const process_params params = forty_hosts();  // 24 words behind those of a command
    words made;
    ASSERT_EQ(commands_of(params, order), 2u);
    compose_group(params, order, 0, made);
    EXPECT_EQ(made[NI_COMMAND_OPERATION] >> 16, NI_GROUP_RECEIPTS);
    EXPECT_EQ(made[NI_COMMAND_LENGTH], 20u);
    EXPECT_EQ(made[NI_COMMAND_MESSAGE], 0xffffffu);
    EXPECT_EQ(made[NI_COMMAND_TAG], 4u | 30u << 16);
    ASSERT_EQ(made.size(), NI_COMMAND_WORDS + 24u);
    EXPECT_EQ(made[NI_COMMAND_WORDS + 19], 20u);
    EXPECT_THAT(words(made.end() - 4, made.end()), ElementsAre(1, 2, 3, 4));
    compose_group(params, order, 1, made);
    EXPECT_EQ(made[NI_COMMAND_OPERATION], NI_COMMAND_EXTEND_GROUP);
    EXPECT_EQ(made[NI_COMMAND_LENGTH], 10u);
    EXPECT_EQ(made[NI_COMMAND_WORDS], 21u);
    EXPECT_EQ(made[NI_COMMAND_MESSAGE], 0u);
}

TEST(reliable, receipts_that_take_a_whole_command_leave_the_children_to_others) {
    group_order order = root_of({});
    for (std::uint32_t host = 1; host < 25; ++host) order.receipts->below.push_back(host);
    order.children = {1, 2};
    words made;
    ASSERT_EQ(commands_of(forty_hosts(), order), 2u);
    compose_group(forty_hosts(), order, 0, made);
    EXPECT_EQ(made[NI_COMMAND_LENGTH], 0u);
    compose_group(forty_hosts(), order, 1, made);
    EXPECT_EQ(made[NI_COMMAND_LENGTH], 2u);
}

TEST(reliable, groups_that_firmware_does_not_take_are_refused) {
    const process_params params = forty_hosts();
    static_cast<void>(checked_order(params, root_of({1, 2})));
    const auto refused = [&](auto change) {
        group_order order = root_of({1, 2});
        change(order, *order.receipts);
        EXPECT_THROW(checked_order(params, order), std::invalid_argument);
    };
    refused([](group_order& order, receipts_order&) { order.once = true; });
    refused([](group_order& order, receipts_order&) { order.member = true; });
    refused([](group_order& order, receipts_order&) { order.root = 3; });
    refused([](group_order&, receipts_order& tree) { tree.parent = 1; });
    refused([](group_order&, receipts_order& tree) { tree.below = {}; });
    refused([](group_order&, receipts_order& tree) { tree.below = {1, 1}; });
    refused([](group_order&, receipts_order& tree) { tree.below = {0}; });
    refused([](group_order&, receipts_order& tree) { tree.below = {40}; });
    refused([](group_order&, receipts_order& tree) { tree.members = 0x10000; });
    refused([](group_order&, receipts_order& tree) {
        for (std::uint32_t host = 3; host < 26; ++host) tree.below.push_back(host);
    });
    refused([](group_order& order, receipts_order& tree) {
        order.root = 3;
        order.member = true;
        tree.parent = 0;
    });
}

}  // namespace
}  // namespace polycast::hw::host
