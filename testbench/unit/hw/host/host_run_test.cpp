// SPDX-License-Identifier: Apache-2.0
// How a run of hosts goes: under pressure, to an early end, again, and with cycles left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

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

TEST(host_run, few_slots_and_few_commands_slow_down_and_lose_nothing) {
    host_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 0;
    options.ni_send = 5;
    options.ni_receive = 400;  // slower than the link
    options.host.message_bytes = 1000;
    options.host.interface.command_entries = 2;
    options.host.interface.receive_slots = 2;
    options.host.interface.send_slots = 2;
    options.host.interface.link_queue = 1;
    options.host.interface.dma_queue = 4;
    host_bench bench(star(3), options);
    std::map<std::uint32_t, std::vector<bytes>> sent, got;
    for (std::uint32_t host = 0; host < 2; ++host)
        bench.run(host, [&, host](endpoint& self) -> program {
            std::mt19937 random(host);
            std::vector<request<ni_status>> all;
            for (int number = 0; number < 100; ++number) {
                sent[host].push_back(random_bytes(random, 1 + random() % 1000));
                all.push_back(self.isend(2, sent[host].back()));
            }
            co_await wait_all(all);
        });
    bench.run(2, [&](endpoint& self) -> program {
        for (int number = 0; number < 200; ++number) {
            const message what = co_await self.receive();
            got[what.source].push_back(what.bytes);
        }
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_TRUE(got == sent);
    EXPECT_LE(bench.host(2).interface().statistics().receive_slots_peak, 2u);
    EXPECT_GT(bench.host(0).process_at(0).statistics().commands_waiting_max, 90u);
}

/// Two chips on one cable, stepped in every cycle.
struct cable {
    explicit cable(const std::array<program_function, 2>& programs) {
        const auto firmware = ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
        for (std::uint32_t number = 0; number < 2; ++number) {
            host_params params;
            params.interface.host = number;
            params.interface.hosts = 2;
            ni::native_params costs;
            costs.cycles[NI_OPERATION_SEND] = costs.cycles[NI_OPERATION_RECEIVE] = 200;
            chips.push_back(std::make_unique<host_chip>(
                params, std::vector{run_program(programs[number])},
                [firmware, costs](const ni::ni_params& own, ni::processor_bus& bus, ni::observer*) {
                    return std::make_unique<ni::native_processor>(firmware, costs, own, bus, nullptr);
                },
                nullptr));
            in.emplace_back(chips.back()->shape());
            wire.emplace_back(chips.back()->shape());
            out.emplace_back(chips.back()->shape());
        }
    }
    void run(cycle end) {
        for (; now < end; ++now) {
            for (std::size_t at = 0; at < 2; ++at) {
                out[at].clear();
                chips[at]->step(now, in[at], out[at]);
            }
            for (std::size_t at = 0; at < 2; ++at) {
                std::swap(in[at], wire[at]);
                std::swap(wire[at], out[1 - at]);
            }
        }
    }
    void reset() {
        for (std::size_t at = 0; at < 2; ++at) {
            chips[at]->reset();
            in[at].clear();
            wire[at].clear();
        }
    }
    std::vector<std::unique_ptr<host_chip>> chips;
    std::vector<engine::pins> in, wire, out;  ///< the wire takes one cycle
    cycle now = 0;
};

TEST(host_run, a_run_may_end_early_and_start_again) {
    int started = 0, finished = 0;
    std::vector<std::uint8_t> got;
    cable two({[&](endpoint& self) -> program {
                   ++started;
                   for (std::uint8_t number = 0; number < 10; ++number) co_await self.send(1, bytes(300, number));
                   ++finished;
               },
               [&](endpoint& self) -> program {
                   ++started;
                   for (std::uint8_t number = 0; number < 10; ++number) {
                       const message what = co_await self.receive();
                       got.push_back(what.bytes.at(299));
                   }
                   ++finished;
               }});
    two.run(6000);
    EXPECT_EQ(started, 2);
    EXPECT_EQ(finished, 0);
    EXPECT_FALSE(two.chips[0]->finished());
    EXPECT_FALSE(two.chips[0]->idle());
    EXPECT_FALSE(got.empty());
    got.clear();
    two.reset();
    EXPECT_TRUE(two.chips[0]->idle());
    EXPECT_EQ(two.chips[0]->memory().pages(), 0u);
    two.run(40000);
    EXPECT_EQ(started, 4);
    EXPECT_EQ(finished, 2);
    EXPECT_THAT(got, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    for (const auto& chip : two.chips) {
        EXPECT_THAT(chip->failures(), IsEmpty());
        EXPECT_TRUE(chip->finished());
        EXPECT_TRUE(chip->idle());
    }
    two.run(41000);
    two.reset();  // and ends before it has begun
}

TEST(host_run, overheads_for_each_packet_add_up) {
    // Three packets: two times t_hs and two times t_hr more, and nothing else is different.
    std::array<cycle, 2> arrived{};
    for (const bool each : {false, true}) {
        host_bench::options options;
        options.host.send_overhead = 700;
        options.host.receive_overhead = 500;
        options.host.overheads_per_packet = each;
        options.host.interface.payload_bytes = 100;
        host_bench bench(star(2), options);
        bench.run(0, [&](endpoint& self) -> program { co_await self.send(1, bytes(201)); });
        bench.run(1, [&, each](endpoint& self) -> program {
            const message what = co_await self.receive();
            arrived[each ? 1 : 0] = what.arrived;
        });
        bench.build();
        bench.simulate();
        EXPECT_THAT(bench.failures(), IsEmpty());
    }
    EXPECT_EQ(arrived[1], arrived[0] + 2 * 700 + 2 * 500);
}

TEST(host_run, what_sleeps_is_stepped_for_nothing) {
    // The same on the engine, which leaves out every cycle that it may, takes the same time.
    std::array<std::vector<cycle>, 2> times;
    for (std::size_t way = 0; way < 2; ++way) {
        const program_function first = [&times, way](endpoint& self) -> program {
            for (unsigned size : {1u, 500u, 77u}) {
                co_await self.send(1, bytes(size));
                times[way].push_back(self.now());
                co_await self.sleep_until(self.now() + 3000);
            }
        };
        const program_function second = [&times, way](endpoint& self) -> program {
            for (int number = 0; number < 3; ++number) {
                co_await self.receive();
                times[way].push_back(self.now());
            }
        };
        cable two({first, second});
        if (way == 0) {
            two.run(50000);
            continue;
        }
        engine::network network;
        for (auto& chip : two.chips) network.add(std::move(chip), "");
        network.connect({0, 0}, {1, 0}, {1, 8});
        network.run(engine::never);
    }
    EXPECT_EQ(times[0].size(), 6u);
    EXPECT_EQ(times[0], times[1]);
}

}  // namespace
}  // namespace polycast::hw::host
