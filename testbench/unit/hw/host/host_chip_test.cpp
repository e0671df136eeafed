// SPDX-License-Identifier: Apache-2.0
// Hosts on real interfaces, real firmware and switches: times by hand, bytes end to end.
#include "hw/host/host_chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "hw/input_error.h"
#include "testbench/unit/hw/host/host_bench.h"

namespace polycast::hw::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<std::uint8_t>;

bytes random_bytes(std::mt19937& random, std::size_t count) {
    bytes result(count);
    for (std::uint8_t& byte : result) byte = static_cast<std::uint8_t>(random());
    return result;
}

cycle dma(std::uint64_t count) {
    return (3 * count + 3) / 4;
}

envelope tagged(std::uint32_t tag, unsigned process = 0) {
    envelope how;
    how.tag = tag;
    how.process = process;
    return how;
}

TEST(host_chip, latency_of_a_packet_over_h_switches_equals_the_formula) {
    for (const bool header_free : {false, true})
        for (const unsigned switches : {1u, 2u, 5u})
            for (const unsigned size : {1u, 77u, 128u}) {
                host_bench::options options;
                options.header_free = header_free;
                options.host.send_overhead = 900;
                options.host.receive_overhead = 700;
                options.ni_send = 500;
                options.ni_receive = 300;
                host_bench bench(chain(switches), options);
                constexpr cycle begin = 3333;
                cycle sent = 0, got = 0;
                bench.run(0, [&](endpoint& self) -> program {
                    co_await self.sleep_until(begin);
                    co_await self.send(1, bytes(size, 7));
                    sent = self.now();
                });
                bench.run(1, [&](endpoint& self) -> program {
                    const message what = co_await self.receive();
                    got = self.now();
                    EXPECT_EQ(what.bytes, bytes(size, 7));
                });
                bench.build();
                bench.simulate();
                EXPECT_THAT(bench.failures(), IsEmpty());
                // A switch waits for all of a header that comes in flits.
                const cycle wait = header_free ? 0 : format::unicast_header_bytes - 1;
                const cycle flight = 1 + (3 + wait) * switches + bench.flits(size) - 1;
                EXPECT_EQ(sent - begin, 900 + dma(size));
                EXPECT_EQ(got - begin, 900 + dma(size) + 500 + flight + 300 + dma(size) + 700) << switches;
            }
}

TEST(host_chip, everything_free_leaves_bus_and_network) {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 0;
    options.ni_send = options.ni_receive = 0;
    host_bench bench(chain(1), options);
    cycle got = 0;
    bench.run(0, [&](endpoint& self) -> program { co_await self.send(1, bytes(8, 7)); });
    bench.run(1, [&](endpoint& self) -> program {
        co_await self.receive();
        got = self.now();
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_EQ(got, dma(8) + 1 + 3 + (format::unicast_header_bytes - 1) + bench.flits(8) - 1 + dma(8));
}

TEST(host_chip, thousands_of_messages_back_to_back) {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 0;
    options.ni_send = options.ni_receive = 10;
    options.host.message_bytes = 700;
    host_bench bench(star(2), options);
    constexpr int count = 5000;
    std::array<std::vector<bytes>, 2> sent, got;
    for (std::uint32_t host = 0; host < 2; ++host)
        bench.run(host, [&, host](endpoint& self) -> program {
            std::mt19937 random(host + 1);
            self.spawn([](endpoint& own, std::vector<bytes>& all) -> program {
                for (int number = 0; number < count; ++number) {
                    message what = co_await own.receive();
                    EXPECT_EQ(what.number, static_cast<std::uint32_t>(number));
                    all.push_back(std::move(what.bytes));
                }
            }(self, got[1 - host]));
            for (int number = 0; number < count; ++number) {
                sent[host].push_back(random_bytes(random, 1 + random() % 700));
                co_await self.send(1 - host, sent[host].back());
            }
        });
    bench.build();
    bench.simulate(1000000);
    const std::size_t pages = bench.host(0).memory().pages() + bench.host(1).memory().pages();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_TRUE(got[0] == sent[0]);
    EXPECT_TRUE(got[1] == sent[1]);
    EXPECT_LE(bench.host(0).memory().pages() + bench.host(1).memory().pages(), pages);
    for (std::uint32_t host = 0; host < 2; ++host)
        EXPECT_THAT(bench.host(host).process_at(0).statistics().errors, testing::Each(0u));
}

TEST(host_chip, random_sizes_many_processes) {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 50;
    options.ni_send = options.ni_receive = 20;
    options.host.message_bytes = 2000;
    options.host.interface.processes = 4;
    constexpr std::uint32_t hosts = 4;
    host_bench bench(star(hosts), options);
    constexpr int count = 100;
    std::map<std::pair<std::uint32_t, unsigned>, std::multiset<std::string>> sent, got;
    for (std::uint32_t host = 0; host < hosts; ++host)
        for (unsigned process = 0; process < 4; ++process)
            bench.run(
                host,
                [&, host, process](endpoint& self) -> program {
                    std::mt19937 random(10 * host + process);
                    self.spawn([](endpoint& own, auto& all) -> program {
                        for (int each = 0; each < 3 * count; ++each) {
                            const message what = co_await own.receive();
                            all[{own.host(), own.process_number()}].emplace(what.bytes.begin(), what.bytes.end());
                        }
                    }(self, got));
                    // Every process gets `count` messages from one process of each other host.
                    for (int each = 0; each < count; ++each)
                        for (std::uint32_t step = 1; step < hosts; ++step) {
                            const std::uint32_t to = (host + step) % hosts;
                            const unsigned there = (process + step) % 4;
                            const bytes data = random_bytes(random, 1 + random() % 2000);
                            sent[{to, there}].emplace(data.begin(), data.end());
                            co_await self.send(to, data, tagged(5, there));
                        }
                },
                process);
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_EQ(sent.size(), 16u);
    for (const auto& [where, all] : sent) {
        EXPECT_TRUE(got[where] == all);
    }
}

TEST(host_chip, a_barrier_of_eight_hosts_holds) {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 100;
    options.ni_send = options.ni_receive = 50;
    host_bench bench(star(8), options);
    std::vector<std::uint32_t> all(8);
    std::iota(all.begin(), all.end(), 0u);
    constexpr std::size_t rounds = 10;
    std::array<int, rounds> entered{};
    for (std::uint32_t host = 0; host < 8; ++host)
        bench.run(host, [&, host](endpoint& self) -> program {
            std::mt19937 random(host);
            for (std::size_t round = 0; round < rounds; ++round) {
                co_await self.sleep_until(self.now() + random() % 5000);
                ++entered[round];
                co_await self.barrier(all);
                EXPECT_EQ(entered[round], 8);
            }
        });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_THAT(entered, testing::Each(8));
}

TEST(host_chip, multicast_by_interfaces_and_by_switches) {
    host_bench::options options;
    options.host.message_bytes = 1000;
    host_bench bench(star(8), options);
    std::mt19937 random(3);
    const bytes data = random_bytes(random, 1000);
    std::vector<std::uint32_t> everyone(8);
    std::iota(everyone.begin(), everyone.end(), 0u);
    std::map<std::uint32_t, int> got;
    for (std::uint32_t host = 0; host < 8; ++host)
        bench.run(host, [&, host](endpoint& self) -> program {
            group_order group;  // a binary tree
            group.root = 0;
            group.group = 4;
            group.member = host != 0;
            for (std::uint32_t child = 2 * host + 1; child <= 2 * host + 2 && child < 8; ++child)
                group.children.push_back(child);
            EXPECT_EQ(co_await self.join(group), NI_STATUS_OK);
            co_await self.barrier(everyone);
            if (host == 0) {
                const std::vector<std::uint32_t> odd{1, 3, 5, 7};
                EXPECT_EQ(co_await self.multicast(4, data, tagged(1)), NI_STATUS_OK);
                EXPECT_EQ(co_await self.send_tree(odd, data, tagged(2)), NI_STATUS_OK);
                co_return;
            }
            match which;
            which.tag = 1;
            message what = co_await self.receive(which);
            EXPECT_TRUE(what.bytes == data);
            EXPECT_EQ(what.group, 4);
            EXPECT_EQ(what.source, 0u);
            ++got[host];
            if (host % 2 == 0) co_return;
            which.tag = 2;
            what = co_await self.receive(which);
            EXPECT_TRUE(what.bytes == data);
            got[host] += 10;
        });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    using entry = std::pair<const std::uint32_t, int>;
    EXPECT_THAT(got, ElementsAre(entry{1, 11}, entry{2, 1}, entry{3, 11}, entry{4, 1}, entry{5, 11}, entry{6, 1},
                                 entry{7, 11}));
}

/// The program of hw/host/host.md.
program main_of(endpoint& self) {
    group_order group;
    group.root = 0;
    group.group = 7;
    group.member = self.host() != 0;
    if (self.host() == 0) group.children = {1, 2};
    if (self.host() == 1) group.children = {3};
    co_await self.join(group);
    const std::vector<std::uint32_t> everyone{0, 1, 2, 3};
    co_await self.barrier(everyone);  // now all interfaces know the group

    if (self.host() == 0) {
        const std::vector<std::uint8_t> data(4096, 42);
        request<ni_status> sending = self.imulticast(7, data, {.process = 0, .tag = 1});
        for (int answers = 0; answers < 3; ++answers) {
            message answer = co_await self.receive({.tag = 2});  // from anyone
        }
        if (co_await sending != NI_STATUS_OK) throw std::runtime_error("multicast failed");
    } else {
        message got = co_await self.receive({.source = 0, .tag = 1});
        co_await self.sleep_until(self.now() + 500);  // computes for 500 cycles
        co_await self.send(0, bytes_of("thanks"), {.process = 0, .tag = 2});
    }
}

TEST(host_chip, the_program_of_the_page_works) {
    host_bench::options options;
    options.host.message_bytes = 4096;
    host_bench bench(star(4), options);
    for (std::uint32_t host = 0; host < 4; ++host) bench.run(host, main_of);
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_EQ(bench.host(0).process_at(0).statistics().received, 2u + 3);  // tokens and answers
    EXPECT_EQ(bench.host(3).process_at(0).statistics().received, 2u + 1);
    EXPECT_EQ(bench.host(1).interface().statistics().packets_out, 2u + 32 + 1);  // tokens, copies to 3, answer
}

TEST(host_chip, errors_of_the_interface_reach_the_program) {
    host_bench::options options;
    options.host.message_bytes = 100;
    host_bench bench(star(2), options);
    bench.run(0, [&](endpoint& self) -> program {
        EXPECT_EQ(co_await self.multicast(9, bytes(10)), NI_STATUS_UNKNOWN_GROUP);
        EXPECT_EQ(self.error_count(), 1u);
        co_await self.send(1, bytes(101));               // too long for the other side
        co_await self.send(1, bytes(10), tagged(1, 3));  // no such process there
        EXPECT_EQ(co_await self.send(1, bytes(10)), NI_STATUS_OK);
        const std::vector<std::uint32_t> counters = co_await self.statistics();
        EXPECT_EQ(counters.at(NI_STATISTIC_MESSAGES_SENT), 3u);
        EXPECT_EQ(counters.at(NI_STATISTIC_STATUS + unsigned{NI_STATUS_UNKNOWN_GROUP}), 1u);
    });
    bench.run(1, [&](endpoint& self) -> program {
        const message what = co_await self.receive();
        EXPECT_EQ(what.bytes.size(), 10u);
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    const process_statistics& counts = bench.host(1).process_at(0).statistics();
    EXPECT_EQ(counts.errors[NI_STATUS_BUFFER_TOO_SMALL], 1u);
    EXPECT_EQ(counts.errors[NI_STATUS_NO_PROCESS], 1u);
    ASSERT_EQ(bench.host(1).process_at(0).reports().size(), 2u);
    EXPECT_EQ(bench.host(1).process_at(0).reports()[0].source, 0u);
}

TEST(host_chip, messages_to_a_process_without_a_program_are_reported) {
    host_bench::options options;
    options.host.interface.processes = 2;
    host_bench bench(star(2), options);
    bench.run(0, [&](endpoint& self) -> program { co_await self.send(1, bytes(10), tagged(1, 1)); });
    bench.run(1, [&](endpoint&) -> program { co_return; });
    bench.build();
    bench.simulate();
    EXPECT_EQ(bench.host(1).process_at(1).statistics().received, 0u);
    EXPECT_EQ(bench.host(1).interface().statistics().completions_lost, 1u);  // nobody has set its queue up
    EXPECT_THAT(bench.host(1).failures(), testing::SizeIs(1));
}

TEST(host_chip, a_program_that_fails_is_named) {
    host_bench::options options;
    host_bench bench(star(2), options);
    bench.run(0, [](endpoint& self) -> program {
        co_await self.sleep_until(10);
        throw std::runtime_error("no more");
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), ElementsAre("host 0, process 0: no more"));
}

/// Notes how long the host processors work.
struct span_counter final : ni::observer {
    void arrived(cycle, const ni::received_packet&) override {}
    void used(const ni::span_record& span) override {
        if (span.where == ni::resource::host_processor) spans.push_back(span);
    }
    bool wants_spans() const override { return true; }
    std::vector<ni::span_record> spans;
};

TEST(host_chip, the_observer_sees_the_host_processor) {
    span_counter watcher;
    host_bench::options options;
    options.watcher = &watcher;
    host_bench bench(star(2), options);
    bench.run(0, [](endpoint& self) -> program {
        request<ni_status> first = self.isend(1, bytes(4));
        request<ni_status> second = self.isend(1, bytes(4));
        co_await wait_all(first, second);
    });
    bench.run(1, [](endpoint& self) -> program {
        co_await self.receive();
        co_await self.receive();
    });
    bench.build();
    bench.simulate();
    ASSERT_EQ(watcher.spans.size(), 4u);
    EXPECT_EQ(watcher.spans[0].begin, 0u);
    EXPECT_EQ(watcher.spans[0].end, 1000u);
    EXPECT_EQ(watcher.spans[0].what, 0);
    EXPECT_EQ(watcher.spans[1].begin, 1000u);
    EXPECT_EQ(watcher.spans[1].end, 2000u);
    EXPECT_EQ(watcher.spans[1].message, 1u);
    EXPECT_EQ(watcher.spans[2].what, 1);
    EXPECT_EQ(watcher.spans[2].host, 1u);
    EXPECT_EQ(watcher.spans[2].source, 0u);
    EXPECT_EQ(bench.host(1).processor().busy(), 2000u);
}

TEST(host_chip, bad_parameters_are_refused) {
    host_bench::options options;
    options.host.message_bytes = 0;
    host_bench empty(star(2), options);
    EXPECT_THROW(empty.build(), input_error);
    options = {};
    host_bench many(star(2), options);
    many.run(
        0, [](endpoint&) -> program { co_return; }, 1);  // there is one process
    EXPECT_THROW(many.build(), input_error);
}

}  // namespace
}  // namespace polycast::hw::host
