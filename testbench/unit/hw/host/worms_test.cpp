// SPDX-License-Identifier: Apache-2.0
// Worms from hosts to hosts over real switches: sent by a program, forwarded by interfaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "testbench/unit/hw/host/host_bench.h"

namespace polycast::hw::host {
namespace {

using format::packet_kind;
using testing::IsEmpty;
using bytes = std::vector<std::uint8_t>;

/// Switches 0, 1, 2 in a row, by ports 1 and 0, each with hosts 3 s, 3 s + 1, 3 s + 2 at ports 2, 3, 4.
topology::graph row() {
    topology::graph graph;
    for (unsigned index = 0; index < 3; ++index) graph.add_switch("switch" + std::to_string(index), 5);
    for (unsigned index = 0; index < 2; ++index) graph.connect(index, 1, index + 1, 0);
    for (unsigned host = 0; host < 9; ++host) graph.attach_host("host" + std::to_string(host), host / 3, 2 + host % 3);
    return graph;
}

/// Stops for hosts that are given in order of their switches.
std::vector<format::stop> stops_for(const std::vector<std::uint32_t>& hosts) {
    std::vector<format::stop> stops;
    for (const std::uint32_t host : hosts) {
        if (stops.empty() || stops.back().chip != host / 3) stops.push_back({host / 3, 0});
        stops.back().ports |= std::uint64_t{1} << (2 + host % 3);
    }
    return stops;
}

format::route worm_to(const endpoint& self, packet_kind kind, const std::vector<std::uint32_t>& hosts) {
    const std::vector<format::stop> stops = stops_for(hosts);
    switch (kind) {
        case packet_kind::tree: return format::tree_route(self.header_shape(), hosts);
        case packet_kind::ssr: return format::ssr_route(self.header_shape(), stops.at(0));
        default: return format::path_route(self.header_shape(), stops);
    }
}

bytes content(std::size_t count) {
    bytes made(count);
    for (std::size_t index = 0; index < count; ++index)
        made[index] = static_cast<std::uint8_t>(index * 7 + index / 256);
    return made;
}

/// Counts the packets that interfaces take off the link, by kind and host.
class packet_counter final : public ni::observer {
public:
    void arrived(cycle, const ni::received_packet& packet) override {
        ++count[{packet.header[0] & 0xf, packet.host}];
        hops[packet.host] = packet.transport.hops;
    }
    std::map<std::pair<int, std::uint32_t>, unsigned> count;
    std::map<std::uint32_t, unsigned> hops;
};

class worms : public testing::TestWithParam<bool> {
protected:
    host_bench::options options() {
        host_bench::options chosen;
        chosen.header_free = GetParam();
        chosen.watcher = &counter;
        chosen.host.message_bytes = 1000;
        return chosen;
    }
    packet_counter counter;
};

TEST_P(worms, from_a_host_to_hosts) {
    host_bench bench(row(), options());
    const bytes data = content(300);  // three packets
    const std::vector<std::uint32_t> near{0, 2}, path{2, 5, 7, 8}, tree{0, 4, 6};
    std::map<std::uint32_t, std::set<std::uint32_t>> got;
    bench.run(1, [&](endpoint& self) -> program {
        EXPECT_EQ(co_await self.send_worm(worm_to(self, packet_kind::ssr, near), data, {.process = 0, .tag = 1}),
                  NI_STATUS_OK);
        EXPECT_EQ(co_await self.send_worm(worm_to(self, packet_kind::path, path), data, {.process = 0, .tag = 2}),
                  NI_STATUS_OK);
        EXPECT_EQ(co_await self.send_tree(tree, data, {.process = 0, .tag = 3}), NI_STATUS_OK);
    });
    for (std::uint32_t host = 0; host < 9; ++host) {
        if (host == 1) continue;
        unsigned expected = 0;
        for (const auto& list : {near, path, tree}) expected += static_cast<unsigned>(std::ranges::count(list, host));
        bench.run(host, [&, host, expected](endpoint& self) -> program {
            for (unsigned number = 0; number < expected; ++number) {
                const message what = co_await self.receive();
                EXPECT_TRUE(what.bytes == data);
                EXPECT_EQ(what.source, 1u);
                EXPECT_EQ(what.group, 0xffff);
                EXPECT_TRUE(got[host].insert(what.tag).second) << "twice";
            }
        });
    }
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    for (const auto& [tag, list] : {std::pair(1u, near), std::pair(2u, path), std::pair(3u, tree)})
        for (const std::uint32_t host : list) EXPECT_TRUE(got[host].contains(tag)) << host;
    EXPECT_EQ(counter.count.size(), near.size() + path.size() + tree.size());
    for (const auto& [which, packets] : counter.count) EXPECT_EQ(packets, 3u) << which.first << ", " << which.second;
    EXPECT_EQ(bench.host(1).interface().statistics().packets_out, 9u) << "one for each packet and worm";
}

TEST_P(worms, forwarded_by_interfaces) {
    for (const bool fcfs : {false, true}) {
        counter.count.clear();
        host_bench bench(row(), options());
        const bytes data = content(1000);  // eight packets
        // 0 -> {1, 3} by a path, {4} by another; 3 -> {6, 7} and {5, 8}; nobody else sends on.
        std::map<std::uint32_t, unsigned> got;
        std::vector<std::uint32_t> everyone(9);
        for (std::uint32_t host = 0; host < 9; ++host) everyone[host] = host;
        for (std::uint32_t host = 0; host < 9; ++host) {
            bench.run(host, [&, host](endpoint& self) -> program {
                group_order group;
                group.root = 0;
                group.group = 4;
                group.fcfs = fcfs;
                group.member = host != 0;
                if (host == 0)
                    group.worms = {worm_to(self, packet_kind::path, {1, 3}), worm_to(self, packet_kind::path, {4})};
                if (host == 3)
                    group.worms = {worm_to(self, packet_kind::path, {6, 7}), worm_to(self, packet_kind::path, {5, 8})};
                EXPECT_EQ(co_await self.join(group), NI_STATUS_OK);
                co_await self.barrier(everyone);
                if (host == 0) {
                    EXPECT_EQ(co_await self.multicast(4, data), NI_STATUS_OK);
                } else if (host != 2) {
                    const message what = co_await self.receive({.source = 0});
                    EXPECT_TRUE(what.bytes == data);
                    EXPECT_EQ(what.group, 4);
                    ++got[host];
                }
            });
        }
        bench.build();
        bench.simulate();
        EXPECT_THAT(bench.failures(), IsEmpty());
        EXPECT_EQ(got.size(), 7u);
        for (const std::uint32_t host : {1u, 3u, 4u, 5u, 6u, 7u, 8u}) {
            const std::pair<int, std::uint32_t> key{3, host};
            EXPECT_EQ(counter.count[key], 8u) << host;
            EXPECT_EQ(counter.hops[host], host == 1 || host == 3 || host == 4 ? 9u : 8u) << host;
        }
        EXPECT_EQ(counter.count.count({3, 2}), 0u);
    }
}

TEST_P(worms, a_member_of_another_kind_drops_them_and_says_so) {
    host_bench bench(row(), options());
    const bytes data = content(100);
    bench.run(0, [&](endpoint& self) -> program {
        group_order group;
        group.group = 4;
        group.worms = {worm_to(self, packet_kind::ssr, {1, 2})};
        EXPECT_EQ(co_await self.join(group), NI_STATUS_OK);
        co_await self.sleep_until(50000);
        EXPECT_EQ(co_await self.multicast(4, data), NI_STATUS_OK);
    });
    for (const std::uint32_t host : {1u, 2u}) {
        bench.run(host, [&, host](endpoint& self) -> program {
            group_order group;
            group.root = 0;
            group.group = 4;
            group.member = true;
            if (host == 2) group.worms = {worm_to(self, packet_kind::path, {4})};
            EXPECT_EQ(co_await self.join(group), NI_STATUS_OK);
            if (host == 1) {
                const message what = co_await self.receive();
                EXPECT_TRUE(what.bytes == data);
            }
        });
    }
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_EQ(bench.host(2).process_at(0).statistics().errors[NI_STATUS_MALFORMED], 1u);
    EXPECT_EQ(bench.host(2).process_at(0).statistics().received, 0u);
    EXPECT_EQ(bench.host(2).interface().statistics().packets_out, 0u);
}

TEST_P(worms, latency_of_a_path_worm_at_zero_load) {
    host_bench::options chosen = options();
    chosen.host.send_overhead = 100;
    chosen.host.receive_overhead = 70;
    chosen.ni_send = 30;
    chosen.ni_receive = 20;
    host_bench bench(row(), chosen);
    std::map<std::uint32_t, cycle> arrived;
    const bytes data = content(128);
    const std::vector<std::uint32_t> to{1, 4, 7};
    bench.run(0, [&](endpoint& self) -> program {
        co_await self.sleep_until(1000);
        co_await self.send_worm(worm_to(self, packet_kind::path, to), data);
    });
    for (const std::uint32_t host : to)
        bench.run(host, [&, host](endpoint& self) -> program {
            const message what = co_await self.receive();
            arrived[host] = what.arrived;
        });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    // Header of 10 + 2 + 3 x 3 bytes, transport header, payload and check word in flits of a byte; each switch has to
    // see the whole header before it routes.
    const unsigned header = GetParam() ? 1 : 10 + 2 + 3 * 3;
    const unsigned flits = GetParam() ? 128 : header + 24 + 128 + 4;
    for (const std::uint32_t host : to) {
        const cycle switches = host / 3 + 1;
        const cycle network = 1 + switches * (3 + header - 1) + flits - 1;
        EXPECT_EQ(arrived[host], 1000 + 100 + 96 + 30 + network + 20 + 96 + 70) << host;
    }
}

INSTANTIATE_TEST_SUITE_P(headers, worms, testing::Bool(),
                         [](const auto& each) { return each.param ? "free" : "flits"; });

}  // namespace
}  // namespace polycast::hw::host
