// SPDX-License-Identifier: Apache-2.0
// Hosts whose interface stands still: everything that was open ends once, and the interface works again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbench/unit/hw/host/host_bench.h"

namespace polycast::hw::host {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<std::uint8_t>;

host_bench::options watched(cycle at, cycle until, std::uint32_t host = 0) {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 10;
    options.ni_send = options.ni_receive = 20;
    options.host.receive_buffers = 4;
    options.host.watchdog = 5000;
    options.host.restart = 100;
    options.host.hangs = {{host, 0, at, until}};
    return options;
}

/// Messages under way, commands that wait, one whose overhead is not paid yet; then new ones.
TEST(hung, what_is_open_ends_once_and_what_comes_then_goes) {
    for (const cycle until : {engine::never, cycle{9000}, cycle{50'000}}) {
        host_bench::options options = watched(1000, until);
        options.host.send_overhead = 97;
        host_bench bench(chain(1), options);
        std::vector<ni_status> first, later;
        cycle failed = 0;
        std::vector<std::uint32_t> got;
        bench.run(0, [&](endpoint& self) -> program {
            co_await self.sleep_until(990);
            std::vector<request<ni_status>> all;
            for (std::uint32_t number = 0; number < 100; ++number) all.push_back(self.isend(1, bytes(300, 1)));
            for (request<ni_status>& each : all) {
                co_await each.finished();
                first.push_back(each.take());
                if (first.back() == NI_STATUS_HUNG && failed == 0) failed = self.now();
            }
            for (std::uint32_t number = 0; number < 5; ++number) {
                const ni_status status = co_await self.send(1, bytes(200, 2));
                later.push_back(status);
            }
        });
        bench.run(1, [&](endpoint& self) -> program {
            for (;;) {
                const message what = co_await self.receive();
                got.push_back(static_cast<std::uint32_t>(what.bytes.size()));
                if (std::ranges::count(got, 200u) == 5) break;
            }
        });
        bench.build();
        bench.simulate();
        EXPECT_THAT(bench.failures(), IsEmpty()) << until;
        ASSERT_EQ(first.size(), 100u);
        EXPECT_THAT(later, Each(NI_STATUS_OK));
        // In the order of their overheads: those that the interface had, then those that it has after the restart.
        const auto lost = static_cast<std::size_t>((failed - 990) / 97);
        EXPECT_GE(failed, 1000u + options.host.watchdog);
        EXPECT_GT(lost, 0u);
        EXPECT_LT(lost, first.size());
        for (std::size_t number = 0; number < first.size(); ++number)
            EXPECT_EQ(first[number], number < lost ? NI_STATUS_HUNG : NI_STATUS_OK) << number;
        EXPECT_EQ(bench.host(0).interface().statistics().restarts, 1u);
        EXPECT_EQ(bench.host(1).interface().statistics().restarts, 0u);
    }
}

/// Shorter than the watchdog: nothing is lost.
TEST(hung, a_short_hang_is_a_delay) {
    host_bench bench(chain(1), watched(1000, 4000));
    std::vector<ni_status> all;
    bench.run(0, [&](endpoint& self) -> program {
        co_await self.sleep_until(995);
        for (int number = 0; number < 3; ++number) all.push_back(co_await self.send(1, bytes(300, 1)));
        EXPECT_GT(self.now(), 4000u);
    });
    bench.run(1, [&](endpoint& self) -> program {
        for (int number = 0; number < 3; ++number) co_await self.receive();
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_THAT(all, ElementsAre(NI_STATUS_OK, NI_STATUS_OK, NI_STATUS_OK));
    EXPECT_EQ(bench.host(0).interface().statistics().restarts, 0u);
}

/// The receiving interface: its network goes on, its buffers come back, groups have to be set up again.
TEST(hung, a_receiver_takes_messages_again) {
    host_bench bench(chain(1), watched(2000, engine::never, 1));
    std::vector<std::size_t> got;
    std::vector<ni_status> groups;
    bench.run(0, [&](endpoint& self) -> program {
        for (int number = 0; number < 40; ++number) co_await self.send(1, bytes(400, 1));
        co_await self.sleep_until(100'000);
        for (int number = 0; number < 12; ++number) co_await self.send(1, bytes(7, 1));
    });
    bench.run(1, [&](endpoint& self) -> program {
        group_order order;
        order.root = 0;
        order.group = 3;
        order.member = true;
        groups.push_back(co_await self.join(order));
        while (std::ranges::count(got, 7u) < 12) {
            const message what = co_await self.receive();
            got.push_back(what.bytes.size());
        }
        groups.push_back(co_await self.join(order));
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_THAT(groups, ElementsAre(NI_STATUS_OK, NI_STATUS_OK));
    EXPECT_GT(got.size(), 12u);
    EXPECT_LT(got.size(), 52u) << "what came while it was down is gone";
    EXPECT_EQ(bench.host(1).interface().statistics().restarts, 1u);
    EXPECT_EQ(bench.host(1).process_at(0).posted(), 4u);
    EXPECT_GT(bench.host(1).process_at(0).statistics().errors[NI_STATUS_HUNG], 0u);
}

}  // namespace
}  // namespace polycast::hw::host
