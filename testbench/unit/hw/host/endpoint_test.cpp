// SPDX-License-Identifier: Apache-2.0
#include "hw/host/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "testbench/unit/hw/host/fake_ni.h"

namespace polycast::hw::host {
namespace {

using bytes = std::vector<std::uint8_t>;

bytes pattern(std::size_t count, std::uint8_t first = 1) {
    bytes result(count);
    std::iota(result.begin(), result.end(), first);
    return result;
}

process_params quick() {
    process_params params;
    params.send_overhead = 100;
    params.receive_overhead = 70;
    params.receive_buffers = 64;
    return params;
}

envelope tagged(std::uint32_t tag, unsigned process = 0) {
    envelope how;
    how.tag = tag;
    how.process = process;
    return how;
}

match from(std::uint32_t source) {
    match which;
    which.source = source;
    return which;
}

match with_tag(std::uint32_t tag) {
    match which;
    which.tag = tag;
    return which;
}

TEST(endpoint, ping_pong_takes_the_time_it_takes) {
    fake_network network(2, quick());
    std::vector<cycle> times;
    network.run(0, [&](endpoint& self) -> program {
        const ni_status status = co_await self.send(1, pattern(10));
        EXPECT_EQ(status, NI_STATUS_OK);
        times.push_back(self.now());
        const message reply = co_await self.receive();
        times.push_back(self.now());
        EXPECT_EQ(reply.bytes, pattern(5, 9));
        EXPECT_EQ(reply.source, 1u);
        EXPECT_EQ(reply.tag, 6u);
        EXPECT_EQ(reply.arrived, self.now());
    });
    network.run(1, [&](endpoint& self) -> program {
        const message ping = co_await self.receive(from(0));
        times.push_back(self.now());
        EXPECT_EQ(ping.bytes, pattern(10));
        co_await self.send(0, pattern(5, 9), tagged(6));
    });
    network.time.run(10000);
    EXPECT_THAT(times, testing::ElementsAre(100, 180, 180 + 100 + 10 + 70));
    for (const auto& host : network.hosts) {
        EXPECT_TRUE(host->endpoints[0]->finished());
        EXPECT_TRUE(host->endpoints[0]->failures().empty());
    }
}

TEST(endpoint, receives_take_what_fits_in_order) {
    fake_network network(3, quick());
    std::vector<std::string> got;
    const auto text = [](const message& what) { return std::string(what.bytes.begin(), what.bytes.end()); };
    network.run(0, [&](endpoint& self) -> program {
        co_await self.sleep_until(5000);  // all have arrived
        EXPECT_EQ(self.unexpected(), 5u);
        got.push_back(text(co_await self.receive(with_tag(2))));
        match which = from(2);
        which.tag = 1;
        got.push_back(text(co_await self.receive(which)));
        got.push_back(text(co_await self.receive()));
        EXPECT_EQ(self.now(), 5000u);  // t_hr was paid when they arrived
        got.push_back(text(co_await self.receive(from(2))));
        got.push_back(text(co_await self.receive()));
        got.push_back(text(co_await self.receive(with_tag(7))));
        EXPECT_GT(self.now(), 6000u);
    });
    network.run(1, [&](endpoint& self) -> program {
        for (const char* word : {"a1", "b2", "c1"})
            co_await self.send(0, bytes_of(word), tagged(static_cast<std::uint32_t>(word[1] - '0')));
        co_await self.sleep_until(6000);
        co_await self.send(0, bytes_of("d7"), tagged(7));
    });
    network.run(2, [&](endpoint& self) -> program {
        co_await self.sleep_until(1000);
        for (const char* word : {"x1", "y2"})
            co_await self.send(0, bytes_of(word), tagged(static_cast<std::uint32_t>(word[1] - '0')));
    });
    network.time.run(20000);
    EXPECT_THAT(got, testing::ElementsAre("b2", "x1", "a1", "y2", "c1", "d7"));
    EXPECT_TRUE(network.hosts[0]->endpoints[0]->finished());
    EXPECT_EQ(network.hosts[0]->endpoints[0]->unexpected(), 0u);
}

TEST(endpoint, sends_that_nobody_waits_for_overlap) {
    fake_network network(4, quick());
    cycle all_done = 0;
    network.run(0, [&](endpoint& self) -> program {
        std::vector<request<ni_status>> sends;
        for (std::uint32_t to = 1; to < 4; ++to)
            sends.push_back(self.isend(to, pattern(8, static_cast<std::uint8_t>(to))));
        EXPECT_EQ(self.now(), 0u);
        EXPECT_FALSE(sends[0].test());
        co_await sends[0].finished();
        EXPECT_TRUE(sends[0].test());
        EXPECT_FALSE(sends[1].test());
        co_await wait_all(sends);
        all_done = self.now();
        EXPECT_EQ(sends[2].take(), NI_STATUS_OK);
    });
    std::vector<cycle> arrivals;
    for (std::uint32_t host = 1; host < 4; ++host)
        network.run(host, [&, host](endpoint& self) -> program {
            request<message> first = self.ireceive(from(0));
            request<message> never = self.ireceive(from(0));
            co_await wait_all(first);
            EXPECT_EQ(first.take().bytes, pattern(8, static_cast<std::uint8_t>(host)));
            EXPECT_FALSE(never.test());
            arrivals.push_back(self.now());
        });
    network.time.run(10000);
    EXPECT_EQ(all_done, 300u);
    EXPECT_THAT(arrivals, testing::ElementsAre(180, 280, 380));
}

TEST(endpoint, groups_and_trees) {
    fake_network network(4, quick());
    std::vector<std::uint32_t> got;
    network.run(0, [&](endpoint& self) -> program {
        group_order group;
        group.root = 0;
        group.group = 5;
        group.children = {1, 3};
        EXPECT_EQ(co_await self.join(group), NI_STATUS_OK);
        EXPECT_EQ(self.now(), 0u);
        EXPECT_EQ(co_await self.multicast(5, pattern(20), tagged(1)), NI_STATUS_OK);
        EXPECT_EQ(co_await self.leave(0, 5), NI_STATUS_OK);
        EXPECT_EQ(co_await self.multicast(5, pattern(20)), NI_STATUS_UNKNOWN_GROUP);
        EXPECT_EQ(self.error_count(), 1u);
        EXPECT_EQ(self.errors().size(), 1u);
        const std::vector<std::uint32_t> receivers{2, 3};
        co_await self.send_tree(receivers, pattern(30), tagged(2));
        const std::vector<std::uint32_t> counters = co_await self.statistics();
        EXPECT_EQ(counters.size(), std::size_t{NI_STATISTICS});
    });
    for (std::uint32_t host = 1; host < 4; ++host)
        network.run(host, [&, host](endpoint& self) -> program {
            if (host != 2) {
                match which;
                which.group = 5;
                const message got_it = co_await self.receive(which);
                EXPECT_EQ(got_it.bytes, pattern(20));
                got.push_back(host);
            }
            if (host != 1) {
                const message got_it = co_await self.receive(with_tag(2));
                EXPECT_EQ(got_it.bytes, pattern(30));
                EXPECT_EQ(got_it.group, 0xffff);
                got.push_back(10 + host);
            }
        });
    network.time.run(10000);
    EXPECT_THAT(got, testing::ElementsAre(1, 3, 12, 13));
    EXPECT_TRUE(network.hosts[0]->endpoints[0]->finished());
}

TEST(endpoint, nobody_leaves_a_barrier_before_the_last_has_come) {
    for (std::uint32_t count = 1; count <= 9; ++count) {
        process_params params = quick();
        fake_network network(count, params);
        std::vector<std::uint32_t> hosts(count);
        std::iota(hosts.rbegin(), hosts.rend(), 0u);
        std::mt19937 random(count);
        constexpr int rounds = 20;
        std::vector<int> entered(rounds), left(rounds);
        for (std::uint32_t host = 0; host < count; ++host)
            network.run(host, [&, seed = static_cast<unsigned>(random())](endpoint& self) -> program {
                std::mt19937 own(seed);
                for (int round = 0; round < rounds; ++round) {
                    co_await self.sleep_until(self.now() + own() % 3000);
                    ++entered[static_cast<std::size_t>(round)];
                    co_await self.barrier(hosts);
                    EXPECT_EQ(entered[static_cast<std::size_t>(round)], static_cast<int>(count));
                    ++left[static_cast<std::size_t>(round)];
                }
            });
        network.time.run(1000000);
        EXPECT_THAT(left, testing::Each(static_cast<int>(count)));
        for (const auto& host : network.hosts) {
            EXPECT_TRUE(host->endpoints[0]->finished());
            EXPECT_EQ(host->endpoints[0]->unexpected(), 0u);
        }
    }
}

TEST(endpoint, a_barrier_takes_a_round_for_each_doubling) {
    fake_network network(8, quick());
    std::vector<std::uint32_t> hosts(8);
    std::iota(hosts.begin(), hosts.end(), 0u);
    std::vector<cycle> done;
    for (std::uint32_t host = 0; host < 8; ++host)
        network.run(host, [&](endpoint& self) -> program {
            co_await self.barrier(hosts);
            done.push_back(self.now());
        });
    network.time.run(10000);
    EXPECT_THAT(done, testing::AllOf(testing::SizeIs(8), testing::Each(3 * (100 + 10 + 70))));
}

TEST(endpoint, barriers_of_processes_do_not_mix) {
    fake_network network(2, quick(), 2);
    const std::vector<participant> everyone{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const std::vector<participant> second{{0, 1}, {1, 1}};
    int entered = 0;
    std::vector<cycle> left;
    for (std::uint32_t host = 0; host < 2; ++host)
        for (unsigned number = 0; number < 2; ++number)
            network.run(
                host,
                [&, host, number](endpoint& self) -> program {
                    if (number == 1) co_await self.barrier(second, 5);
                    if (host == 0 && number == 0) co_await self.sleep_until(9000);
                    ++entered;
                    co_await self.barrier(everyone, 6);
                    EXPECT_EQ(entered, 4);
                    left.push_back(self.now());
                },
                number);
    network.time.run(20000);
    EXPECT_THAT(left, testing::AllOf(testing::SizeIs(4), testing::Each(testing::Ge(9000u))));
}

TEST(endpoint, tokens_of_barriers_are_no_messages_of_the_program) {
    fake_network network(2, quick());
    int received = 0;
    const std::vector<std::uint32_t> both{0, 1};
    network.run(0, [&](endpoint& self) -> program {
        request<message> any = self.ireceive();
        co_await self.barrier(both);
        EXPECT_FALSE(any.test());
        co_await any.finished();
        EXPECT_EQ(any.take().tag, 3u);
        ++received;
    });
    network.run(1, [&](endpoint& self) -> program {
        co_await self.barrier(both);
        co_await self.send(0, pattern(1), tagged(3));
    });
    network.time.run(10000);
    EXPECT_EQ(received, 1);
}

TEST(endpoint, an_exception_ends_its_program_and_nothing_else) {
    fake_network network(2, quick());
    bool other = false;
    endpoint& first = network.run(0, [&](endpoint& self) -> program {
        self.spawn([](endpoint& own, bool& flag) -> program {
            co_await own.sleep_until(500);
            flag = true;
        }(self, other));
        co_await self.sleep_until(100);
        co_await self.send(7, pattern(1));
        ADD_FAILURE() << "must not get here";
    });
    endpoint& second = network.run(1, [](endpoint& self) -> program {
        const std::vector<std::uint32_t> others{0};
        co_await self.barrier(others);
    });
    endpoint& third = network.run(1, [](endpoint&) -> program { throw std::runtime_error("at once"); });
    network.time.run(10000);
    EXPECT_THAT(first.failures(), testing::ElementsAre(testing::HasSubstr("host 0, process 0: send: no host 7")));
    EXPECT_THAT(second.failures(), testing::ElementsAre(testing::HasSubstr("barrier")));
    EXPECT_THAT(third.failures(), testing::ElementsAre(testing::HasSubstr("at once")));
    EXPECT_TRUE(other);
    EXPECT_TRUE(first.finished());
}

TEST(endpoint, tasks_give_results_and_exceptions_to_who_awaits_them) {
    fake_network network(1, quick());
    std::vector<int> got;
    network.run(0, [&](endpoint& self) -> program {
        const auto add = [](endpoint& own, int a, int b) -> task<int> {
            co_await own.sleep_until(own.now() + 10);
            if (a == 0) throw std::invalid_argument("zero");
            co_return a + b;
        };
        got.push_back(co_await add(self, 1, 2));
        try {
            got.push_back(co_await add(self, 0, 2));
        } catch (const std::invalid_argument&) {
            got.push_back(-1);
        }
        EXPECT_EQ(self.now(), 20u);
    });
    network.time.run(100);
    EXPECT_THAT(got, testing::ElementsAre(3, -1));
}

/// Counts what is alive in a program.
struct guard {
    explicit guard(int& count) : alive(count) { ++alive; }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { --alive; }
    int& alive;
};

TEST(endpoint, a_run_may_end_while_programs_wait) {
    int alive = 0;
    {
        fake_network network(2, quick());
        for (std::uint32_t host = 0; host < 2; ++host)
            network.run(host, [&](endpoint& self) -> program {
                const guard own(alive);
                request<message> first = self.ireceive(with_tag(1));
                self.spawn([](endpoint& inner, int& count) -> program {
                    const guard nested(count);
                    co_await inner.sleep_until(1000000);
                }(self, alive));
                request<ni_status> second = self.isend(0, pattern(10));
                co_await wait_all(second, second);
                const guard later(alive);
                co_await wait_all(first);
            });
        network.time.run(50);
        EXPECT_EQ(alive, 4);
        network.time.run(500);
        EXPECT_EQ(alive, 6);
    }
    EXPECT_EQ(alive, 0);
}

TEST(endpoint, a_dropped_receive_takes_nothing) {
    fake_network network(2, quick());
    bool got = false;
    network.run(0, [&](endpoint& self) -> program {
        { const request<message> dropped = self.ireceive(); }
        co_await self.sleep_until(1000);
        co_await self.receive();
        got = true;
    });
    network.run(1, [](endpoint& self) -> program { co_await self.send(0, pattern(3)); });
    network.time.run(2000);
    EXPECT_TRUE(got);
}

TEST(endpoint, many_processes_with_random_sizes) {
    process_params params = quick();
    params.message_bytes = 5000;
    constexpr std::uint32_t count = 4;
    constexpr unsigned processes = 3;
    constexpr int messages = 200;
    fake_network network(count, params, processes);
    std::map<std::pair<std::uint32_t, unsigned>, std::multiset<std::string>> expected, received;
    for (std::uint32_t host = 0; host < count; ++host)
        for (unsigned number = 0; number < processes; ++number) {
            network.run(
                host,
                [&, host, number](endpoint& self) -> program {
                    std::mt19937 random(host * 16 + number);
                    for (int each = 0; each < messages; ++each) {
                        bytes data(1 + random() % 5000);
                        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
                        const auto to = static_cast<std::uint32_t>(random() % count);
                        const auto process_there = static_cast<unsigned>(random() % processes);
                        expected[{to, process_there}].emplace(data.begin(), data.end());
                        co_await self.send(to, data, tagged(1, process_there));
                    }
                },
                number);
            endpoint& self = *network.hosts[host]->endpoints.back();
            self.spawn([](endpoint& own, auto& all) -> program {
                for (;;) {
                    const message what = co_await own.receive();
                    all[{own.host(), own.process_number()}].emplace(what.bytes.begin(), what.bytes.end());
                }
            }(self, received));
        }
    network.time.run(100000000);
    std::size_t sum = 0;
    for (const auto& [where, all] : expected) {
        sum += all.size();
        EXPECT_TRUE(received[where] == all);
    }
    EXPECT_EQ(sum, std::size_t{count * processes * messages});
}

}  // namespace
}  // namespace polycast::hw::host
