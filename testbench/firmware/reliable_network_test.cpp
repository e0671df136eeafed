// SPDX-License-Identifier: Apache-2.0
// Reliable messages over networks that lose, double, delay and reorder packets: each is received once, its sender is
// told so only then, everything ends, and nothing is left. Prints its seed; POLYCAST_SEED replays one.
#include "testbench/firmware/reliable_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace polycast::testbench::firmware {
namespace {

std::uint32_t seed_of_test() {
    const char* const given = std::getenv("POLYCAST_SEED");
    return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : std::random_device{}();
}

constexpr weather fine{.timeout = 2'000'000}, showers{.lost = 20, .doubled = 10, .overtaken = 100},
    storm{150, 50, 300, 12, 5000};

/// At most one message in a storm may have found no way.
void expect_all(const reliable_network& net, const weather& how) {
    const auto failed = std::ranges::count_if(net.messages, [](const auto& each) { return each.status != 0; });
    EXPECT_LE(failed, how.lost == storm.lost ? 1 : 0);
    for (const reliable_message& each : net.messages)
        EXPECT_TRUE(each.status == NI_STATUS_OK || each.status == NI_STATUS_UNREACHABLE) << each.status;
    EXPECT_TRUE(failed != 0 || net.incomplete == 0);
}

TEST(firmware_reliable_network, unicasts_arrive_once) {
    const std::uint32_t seed = seed_of_test();
    for (const weather& how : {fine, showers, storm}) {
        SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed) + " lost " + std::to_string(how.lost));
        reliable_network net(seed, 4, how, how.lost == showers.lost ? 3 : 1);
        net.add_unicasts(60, 800);
        ASSERT_TRUE(net.run(20'000'000)) << "it does not end";
        net.check();
        expect_all(net, how);
        EXPECT_TRUE(how.lost != 0 || net.probes == 0);
        if (testing::Test::HasFailure()) return;
    }
}

/// More messages than a flow may have under way.
TEST(firmware_reliable_network, a_flow_keeps_its_window) {
    const std::uint32_t seed = seed_of_test();
    SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed));
    reliable_network net(seed, 2, showers);
    net.add_unicasts(180, 100);
    ASSERT_TRUE(net.run(20'000'000)) << "it does not end";
    net.check();
    expect_all(net, showers);
}

TEST(firmware_reliable_network, groups_have_every_message_once) {
    const std::uint32_t seed = seed_of_test();
    for (const weather& how : {fine, showers, storm}) {
        SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed) + " lost " + std::to_string(how.lost));
        reliable_network net(seed, 9, how);
        net.add_unicasts(10, 600);
        net.add_group(8, true, 2, 12, 800);
        net.add_group(6, false, 2, 12, 800);
        net.add_group(5, false, 4, 5, 100);
        ASSERT_TRUE(net.run(40'000'000)) << "it does not end";
        net.check();
        expect_all(net, how);
        EXPECT_TRUE(how.lost == 0 || net.repairs != 0);
        EXPECT_TRUE(how.lost != 0 || net.probes == 0);
        if (testing::Test::HasFailure()) return;
    }
}

/// Who was started anew forgets what it had finished: nothing comes twice, and nothing is lost without a word.
TEST(firmware_reliable_network, interfaces_that_hang_take_nothing_twice) {
    const std::uint32_t seed = seed_of_test();
    SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed));
    std::uint64_t restarts = 0, done = 0;
    for (std::uint32_t part = 0; part < 10; ++part) {
        reliable_network net(seed + part, 4, {.lost = 100, .doubled = 20, .overtaken = 50, .hangs = 1});
        net.add_unicasts(150, 600);
        ASSERT_TRUE(net.run(20'000'000)) << "it does not end";
        net.check();
        restarts += net.restarts;
        done += std::ranges::count(net.messages, 0u, &reliable_message::status);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(restarts, 4u);
    EXPECT_GT(done, 500u) << "what begins later goes on";
}

/// Of those that hear nothing any more the source is told; below a silent host in the tree nobody knows anything.
TEST(firmware_reliable_network, silent_hosts_are_named) {
    const std::uint32_t seed = seed_of_test();
    SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed));
    for (const bool worms : {false, true}) {
        reliable_network net(seed, 9, fine);
        net.add_group(8, worms, 2, 3, 300);
        const reliable_group group = net.groups.front();
        const std::uint32_t silent = seed % 8;
        net.kill(group.members[silent]);
        ASSERT_TRUE(net.run(40'000'000)) << "it does not end";
        net.check();
        for (const reliable_message& each : net.messages) {
            EXPECT_EQ(each.status, static_cast<std::uint32_t>(NI_STATUS_UNREACHABLE));
            EXPECT_THAT(each.lacking, testing::ElementsAre(group.members[silent]));
        }
    }
}

}  // namespace
}  // namespace polycast::testbench::firmware
