// SPDX-License-Identifier: Apache-2.0
// Whole small meshes and tori of routers on the engine: latency without load, and that under load everything arrives
// once, whole, and in order where that is promised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "hw/chips/router/router_core.h"
#include "hw/engine/network.h"
#include "hw/format/header.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::chips;
using hw::engine::cycle;
using hw::format::packet_kind;

constexpr unsigned flit_bytes = 16;
constexpr unsigned buffer_flits = 8;

struct message {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;  ///< of a broadcast its host port
    std::uint32_t sequence = 0;
    unsigned flits = 1;
    unsigned vc = 0;
    std::uint8_t service_class = 0;
    bool broadcast = false;
};

std::vector<std::uint8_t> bytes_of(const message& message) {
    std::vector<std::uint8_t> bytes(message.flits * flit_bytes);
    std::mt19937 payload(message.source * 100003 + message.sequence);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(payload());
    hw::format::write_common({message.broadcast ? packet_kind::broadcast : packet_kind::unicast, true, message.source,
                              message.sequence, static_cast<std::uint16_t>(message.flits), message.service_class},
                             bytes.data());
    if (message.broadcast) {
        hw::format::write_field<hw::format::broadcast_port_field>(bytes.data(), message.destination);
    } else {
        hw::format::write_field<hw::format::destination_field>(bytes.data(), message.destination);
    }
    return bytes;
}

struct arrival {
    cycle when;  ///< of the tail
    std::uint32_t source;
    std::uint32_t sequence;
    bool operator==(const arrival&) const = default;
};

/// A host: sends its messages in order within each virtual channel, and gives every flit back at once, or only in some
/// cycles where it is a slow one.
class host final : public hw::engine::chip {
public:
    host(unsigned vcs, bool slow) : shape_{1, flit_bytes, 0, vcs}, slow_(slow), queues_(vcs), inputs_(vcs) {
        credits_.assign(vcs, buffer_flits);
    }

    void send(cycle from, const message& message) {
        queues_[message.vc].push_back({from, message, 0, bytes_of(message)});
        ++waiting_;
    }

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return waiting_ == 0 && given_back_.empty(); }

    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if ((in.valid & 1) != 0) take(now, in);
        for (unsigned turn = 0; turn < shape_.vcs; ++turn) {
            const unsigned vc = (next_ + turn) % shape_.vcs;
            if (queues_[vc].empty() || queues_[vc].front().from > now || credits_[vc] == 0) continue;
            put(vc, out);
            next_ = vc + 1;
            break;
        }
        if ((in.credit & 1) != 0) ++credits_[in.credit_vc[0]];
        if (!given_back_.empty() && (!slow_ || now % 3 == 0)) {
            out.credit = 1;
            out.credit_vc[0] = given_back_.front();
            given_back_.pop_front();
        }
        return waiting_ != 0 || !given_back_.empty() ? now + 1 : hw::engine::never;
    }

    std::vector<arrival> arrivals;

private:
    struct sending {
        cycle from;
        message what;
        unsigned flit;
        std::vector<std::uint8_t> bytes;
    };

    void put(unsigned vc, hw::engine::pins& out) {
        sending& packet = queues_[vc].front();
        out.valid = 1;
        out.head = packet.flit == 0 ? 1 : 0;
        out.tail = packet.flit + 1 == packet.what.flits ? 1 : 0;
        out.vc[0] = static_cast<std::uint8_t>(vc);
        std::copy_n(packet.bytes.begin() + packet.flit * flit_bytes, flit_bytes, out.data.begin());
        --credits_[vc];
        if (++packet.flit < packet.what.flits) return;
        queues_[vc].pop_front();
        --waiting_;
    }

    void take(cycle now, const hw::engine::pins& in) {
        const std::uint8_t vc = in.vc[0];
        std::vector<std::uint8_t>& bytes = inputs_[vc];
        EXPECT_EQ((in.head & 1) != 0, bytes.empty());
        bytes.insert(bytes.end(), in.data.begin(), in.data.end());
        given_back_.push_back(vc);
        if ((in.tail & 1) == 0) return;
        const auto header = hw::format::read_common(bytes.data());
        const bool broadcast = header.kind == packet_kind::broadcast;
        const std::uint32_t destination = broadcast
                                              ? hw::format::read_field<hw::format::broadcast_port_field>(bytes.data())
                                              : hw::format::destination_of(bytes.data());
        EXPECT_EQ(bytes, bytes_of({header.source, destination, header.sequence, header.length, 0, header.vc_class,
                                   broadcast}));
        arrivals.push_back({now, header.source, header.sequence});
        bytes.clear();
    }

    hw::engine::pin_shape shape_;
    bool slow_;
    std::vector<std::deque<sending>> queues_;
    std::vector<std::vector<std::uint8_t>> inputs_;
    std::vector<unsigned> credits_;
    std::deque<std::uint8_t> given_back_;
    std::uint64_t waiting_ = 0;
    unsigned next_ = 0;
};

/// A router that asks to be stepped in every cycle, whatever the one inside says.
class sleepless final : public hw::engine::chip {
public:
    sleepless(const router_params& params, const router_tables& tables) : core_(params, tables) {}
    const hw::engine::pin_shape& shape() const override { return core_.shape(); }
    void reset() override { core_.reset(); }
    bool idle() const override { return core_.idle(); }
    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        core_.step(now, in, out);
        return now + 1;
    }

private:
    router_core core_;
};

struct setting {
    std::string name;
    unsigned radix = 4;
    unsigned wrap = 0;
    router_allocator allocator = router_allocator::separable;
    vc_policy policy = vc_policy::any;
    unsigned reserve = 1;
    unsigned longest = 8;
    unsigned route_delay = 1;
    unsigned xbar_stages = 0;
    bool slow = false;
};

/// Two dimensions, a host and a unit at every node; four virtual channels, class 0 in 0 and 1, class 1 in 2 and 3: on
/// tori one for each side.
class fabric {
public:
    explicit fabric(const setting& setting, bool by_table = false, bool awake = false) : setting_(setting) {
        router_params params;
        params.ports = 6;
        params.vc_flits = buffer_flits;
        params.radix = setting.radix;
        params.xbar_stages = setting.xbar_stages;
        params.max_nodes = 2 * params.nodes();
        router_tables tables;
        tables.wrap = setting.wrap;
        tables.route_delay = setting.route_delay;
        tables.allocator = setting.allocator;
        tables.iterations = 2;
        tables.reserve = setting.reserve;
        tables.packet_limit = setting.longest;
        tables.policy = setting.policy;
        tables.vc_sets[0] = setting.wrap == 0 ? std::array<vc_set, 2>{0, 3} : std::array<vc_set, 2>{1, 2};
        tables.vc_sets[1] = setting.wrap == 0 ? std::array<vc_set, 2>{0, 12} : std::array<vc_set, 2>{4, 8};
        tables.credits.assign(params.ports, buffer_flits);
        nodes_ = params.nodes();
        for (std::uint32_t node = 0; node < nodes_; ++node) {
            tables.node = node;
            if (by_table) fill_table(params, tables);
            std::unique_ptr<hw::engine::chip> chip;
            if (awake) {
                chip = std::make_unique<sleepless>(params, tables);
            } else {
                chip = std::make_unique<router_core>(params, tables);
            }
            net.add(std::move(chip), "router " + std::to_string(node));
        }
        for (std::uint32_t number = 0; number < 2 * nodes_; ++number) {
            net.add(std::make_unique<host>(params.vcs, setting.slow), "host " + std::to_string(number));
            net.connect({number % nodes_, 4 + number / nodes_}, {nodes_ + number, 0}, {});
        }
        for (std::uint32_t node = 0; node < nodes_; ++node) {
            const std::uint32_t x = node % setting.radix;
            const std::uint32_t y = node / setting.radix;
            const auto join = [&](unsigned d, std::uint32_t at, std::uint32_t to) {
                if (at + 1 < setting.radix || (setting.wrap >> d & 1) != 0)
                    net.connect({node, 2 * d}, {to, 2 * d + 1}, {});
            };
            join(0, x, y * setting.radix + (x + 1) % setting.radix);
            join(1, y, (y + 1) % setting.radix * setting.radix + x);
        }
    }

    host& at(std::uint32_t number) { return static_cast<host&>(net.at(nodes_ + number)); }
    std::uint32_t nodes() const { return nodes_; }

    /// Random unicasts between all hosts and units.
    void send_random(unsigned seed, unsigned packets) {
        std::mt19937 random(seed);
        for (std::uint32_t source = 0; source < 2 * nodes_; ++source) {
            for (std::uint32_t sequence = 0; sequence < packets; ++sequence) {
                const std::uint32_t destination = static_cast<std::uint32_t>(random()) % (2 * nodes_);
                const auto service_class = static_cast<std::uint8_t>(destination % 2);
                const unsigned flits = 1 + static_cast<unsigned>(random()) % setting_.longest;
                // One pair always starts in one virtual channel.
                const unsigned vc = 2u * service_class + (destination / 2) % 2;
                at(source).send(random() % 40 * 4, {source, destination, sequence, flits, vc, service_class, false});
                sent.insert({destination, source, sequence});
            }
        }
    }

    void send_broadcasts(unsigned packets, unsigned flits) {
        for (std::uint32_t source = 0; source < nodes_; ++source) {
            for (std::uint32_t sequence = 1000; sequence < 1000 + packets; ++sequence) {
                const std::uint32_t host_port = (source + sequence) % 2;
                at(source).send(0, {source, host_port, sequence, flits, sequence % 4,
                                    static_cast<std::uint8_t>(sequence / 2 % 2), true});
                for (std::uint32_t node = 0; node < nodes_; ++node)
                    if (node != source) sent.insert({host_port * nodes_ + node, source, sequence});
            }
        }
    }

    /// Runs until all is quiet and compares what arrived with what was sent.
    void finish() {
        net.run(200000);
        EXPECT_EQ(net.error_count(), 0u);
        std::multiset<std::array<std::uint32_t, 3>> arrived;
        for (std::uint32_t number = 0; number < 2 * nodes_; ++number)
            for (const arrival& packet : at(number).arrivals) arrived.insert({number, packet.source, packet.sequence});
        EXPECT_EQ(arrived.size(), sent.size());
        EXPECT_TRUE(arrived == sent);
        for (hw::engine::chip_id id = 0; id < net.size(); ++id) EXPECT_TRUE(net.at(id).idle()) << net.name(id);
    }

    hw::engine::network net;
    std::multiset<std::array<std::uint32_t, 3>> sent;  ///< destination, source, sequence

private:
    /// The table that does what dimension order does.
    static void fill_table(const router_params& params, router_tables& tables) {
        tables.table = false;
        const route_rules rules(params, tables);
        const route_place place(rules, tables.node, tables.credits);
        tables.route.clear();
        for (std::uint32_t destination = 0; destination < 2 * rules.nodes; ++destination)
            tables.route.push_back(1u << (route_unicast(rules, place, {}, destination, 0).info & 31));
        tables.table = true;
    }

    setting setting_;
    std::uint32_t nodes_;
};

const std::vector<setting> settings{
    {.name = "mesh"},
    {.name = "mesh_keep", .policy = vc_policy::keep, .slow = true},
    {.name = "mesh_islip", .allocator = router_allocator::islip, .longest = 20},
    {.name = "mesh_cut_through_slow", .reserve = 8, .slow = true},
    {.name = "mesh_deep", .radix = 3, .longest = 3, .route_delay = 4, .xbar_stages = 3},
    {.name = "torus", .wrap = 3, .longest = 20},
    {.name = "torus_keep_islip",
     .radix = 5,
     .wrap = 3,
     .allocator = router_allocator::islip,
     .policy = vc_policy::keep},
    {.name = "torus_cut_through", .wrap = 3, .reserve = 8, .slow = true},
    {.name = "half_torus", .radix = 3, .wrap = 2, .policy = vc_policy::keep, .longest = 1, .xbar_stages = 1},
};

std::string name_of(const testing::TestParamInfo<setting>& info) {
    return info.param.name;
}

struct router_network : testing::TestWithParam<setting> {};

TEST_P(router_network, without_load_a_hop_takes_three_cycles_and_the_depth_of_the_pipeline) {
    fabric network(GetParam());
    const std::uint32_t nodes = network.nodes();
    const unsigned hop_cycles = 2 + GetParam().route_delay + GetParam().xbar_stages;
    const auto place = [&](std::uint32_t node) { return coordinates_of(node, 2, GetParam().radix); };
    cycle start = 0;
    for (std::uint32_t source = 0; source < nodes; ++source)
        for (std::uint32_t destination = 0; destination < 2 * nodes; ++destination, start += 100)
            network.at(source).send(start, {source, destination, destination, 1, 0, 0, false});
    network.net.run(start);
    for (std::uint32_t destination = 0; destination < 2 * nodes; ++destination) {
        ASSERT_EQ(network.at(destination).arrivals.size(), nodes);
        for (const arrival& packet : network.at(destination).arrivals) {
            unsigned hops = 0;
            for (unsigned d = 0; d < 2; ++d) {
                const unsigned up =
                    (place(destination % nodes)[d] + GetParam().radix - place(packet.source)[d]) % GetParam().radix;
                const int plain = std::abs(int{place(destination % nodes)[d]} - int{place(packet.source)[d]});
                hops += (GetParam().wrap >> d & 1) != 0 ? std::min(up, GetParam().radix - up)
                                                        : static_cast<unsigned>(plain);
            }
            // A cycle each into the first link's register and over that link, then the routers.
            const cycle sent = 100u * (packet.source * 2 * nodes + destination);
            EXPECT_EQ(packet.when - sent, 2 + (hops + 1) * hop_cycles);
        }
    }
}

TEST_P(router_network, random_traffic_arrives_once_and_in_order_where_vcs_are_kept) {
    fabric network(GetParam());
    network.send_random(1, 40);
    network.finish();
    if (GetParam().policy != vc_policy::keep) return;
    for (std::uint32_t number = 0; number < 2 * network.nodes(); ++number) {
        std::map<std::uint32_t, std::uint32_t> next;
        for (const arrival& packet : network.at(number).arrivals) {
            EXPECT_GE(packet.sequence, next[packet.source]);
            next[packet.source] = packet.sequence + 1;
        }
    }
}

TEST_P(router_network, sleeping_and_tables_change_nothing) {
    fabric network(GetParam());
    fabric by_table(GetParam(), true);
    fabric awake(GetParam(), false, true);
    for (fabric* each : {&network, &by_table, &awake}) each->send_random(2, 20);
    network.finish();
    by_table.finish();
    awake.net.run(network.net.now() + 10);
    for (std::uint32_t number = 0; number < 2 * network.nodes(); ++number) {
        EXPECT_EQ(network.at(number).arrivals, by_table.at(number).arrivals);
        EXPECT_EQ(network.at(number).arrivals, awake.at(number).arrivals);
    }
}

INSTANTIATE_TEST_SUITE_P(settings, router_network, testing::ValuesIn(settings), name_of);

// Broadcasts of several flits hold virtual channels of several outputs at once: packets fit the buffers whole.
const std::vector<setting> copying{
    {.name = "mesh", .reserve = 8},
    {.name = "mesh_islip_slow", .allocator = router_allocator::islip, .reserve = 8, .slow = true},
    {.name = "mesh_keep", .radix = 5, .policy = vc_policy::keep, .reserve = 8},
    {.name = "torus", .wrap = 3, .reserve = 8},
    {.name = "torus_islip", .radix = 5, .wrap = 3, .allocator = router_allocator::islip, .reserve = 8},
    {.name = "torus_slow", .radix = 3, .wrap = 3, .reserve = 8, .route_delay = 2, .xbar_stages = 1, .slow = true},
    {.name = "half_torus", .radix = 6, .wrap = 1, .reserve = 8},
};

struct router_broadcasts : testing::TestWithParam<setting> {};

TEST_P(router_broadcasts, every_node_gets_every_broadcast_once) {
    for (const unsigned flits : {1u, 3u, 8u}) {
        fabric network(GetParam());
        network.send_broadcasts(6, flits);
        network.finish();
    }
}

TEST_P(router_broadcasts, together_with_unicasts) {
    fabric network(GetParam());
    network.send_broadcasts(4, 5);
    network.send_random(3, 20);
    network.finish();
}

INSTANTIATE_TEST_SUITE_P(settings, router_broadcasts, testing::ValuesIn(copying), name_of);

}  // namespace
}  // namespace polycast::testbench::unit
