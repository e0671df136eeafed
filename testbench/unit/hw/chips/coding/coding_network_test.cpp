// SPDX-License-Identifier: Apache-2.0
// Coding units on second host ports of a mesh of routers on the engine: hosts send their data to an encoder, which
// sends the chain to decoders, which send what they recover to hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/router/router_core.h"
#include "hw/engine/network.h"
#include "testbench/unit/hw/chips/coding/coding_bench.h"

namespace polycast::testbench::unit {
namespace {

constexpr unsigned radix = 3;
constexpr unsigned nodes = radix * radix;
constexpr unsigned encoder_node = 4;
constexpr unsigned buffer_flits = 8;
constexpr unsigned rounds = 20;
/// Classes of VCs, one VC each: to the encoder, to decoders, from decoders.
enum : std::uint8_t { to_encoder, chain, recovered };

/// Sends packets in their order, with credits; keeps what comes.
class host final : public hw::engine::chip {
public:
    explicit host(const coding_params& params) : params_(params), shape_(params.pin_shape()) {
        credits_.assign(shape_.vcs, buffer_flits);
        partial_.resize(shape_.vcs);
    }

    void send(cycle from, const coding_message& message) {
        packets_.push_back({from, message.common.vc_class, to_link(params_, message)});
    }

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return packets_.empty(); }

    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (in.valid != 0) {
            const unsigned vc = in.vc[0];
            out.credit = 1;
            out.credit_vc[0] = static_cast<std::uint8_t>(vc);
            link_bytes& packet = partial_[vc];
            if (in.head != 0) packet = {in.header, {}};
            packet.flits.insert(packet.flits.end(), in.data.begin(), in.data.end());
            if (in.tail != 0) received.push_back(from_link(params_, packet));
        }
        cycle wake = hw::engine::never;
        if (!packets_.empty()) {
            const queued& packet = packets_.front();
            wake = packet.from > now ? packet.from : credits_[packet.vc] > 1 ? now + 1 : wake;
            if (packet.from <= now && credits_[packet.vc] != 0) transmit(out);
        }
        if (in.credit != 0) ++credits_[in.credit_vc[0]];
        return in.credit != 0 || !out.quiet() ? now + 1 : wake;
    }

    std::vector<coding_message> received;

private:
    struct queued {
        cycle from;
        unsigned vc;
        link_bytes bytes;
    };

    void transmit(hw::engine::pins& out) {
        const queued& packet = packets_.front();
        --credits_[packet.vc];
        out.valid = 1;
        out.vc[0] = static_cast<std::uint8_t>(packet.vc);
        if (next_ == 0) {
            out.head = 1;
            std::ranges::copy(packet.bytes.header, out.header.begin());
        }
        std::copy_n(packet.bytes.flits.begin() + next_, shape_.flit_bytes, out.data.begin());
        next_ += static_cast<std::ptrdiff_t>(shape_.flit_bytes);
        if (next_ != static_cast<std::ptrdiff_t>(packet.bytes.flits.size())) return;
        out.tail = 1;
        next_ = 0;
        packets_.pop_front();
    }

    coding_params params_;
    hw::engine::pin_shape shape_;
    std::deque<queued> packets_;
    std::vector<unsigned> credits_;    ///< [vc]
    std::vector<link_bytes> partial_;  ///< [vc]
    std::ptrdiff_t next_ = 0;
};

class coding_mesh {
public:
    explicit coding_mesh(bool header_free) {
        params.header_free = header_free;
        hw::chips::router_params router;
        router.ports = 6;
        router.radix = radix;
        router.header_free = header_free;
        hw::chips::router_tables tables;
        tables.credits.assign(router.ports, buffer_flits);
        for (unsigned number = 0; number < 8; ++number) {
            const auto set = static_cast<hw::chips::vc_set>(1u << number % 4);
            tables.vc_sets[number] = {set, set};
        }
        for (unsigned node = 0; node < nodes; ++node) {
            tables.node = node;
            tables.credits.assign(router.ports, buffer_flits);
            if (node % radix == 0) tables.credits[1] = 0;
            if (node % radix == radix - 1) tables.credits[0] = 0;
            if (node / radix == 0) tables.credits[3] = 0;
            if (node / radix == radix - 1) tables.credits[2] = 0;
            network.add(std::make_unique<hw::chips::router_core>(router, tables), "router");
        }
        for (unsigned node = 0; node < nodes; ++node) {
            if (node % radix != radix - 1) network.connect({node, 0}, {node + 1, 1}, {});
            if (node / radix != radix - 1) network.connect({node, 2}, {node + radix, 3}, {});
        }
        for (unsigned node = 0; node < nodes; ++node) {
            auto made = std::make_unique<host>(params);
            hosts.push_back(made.get());
            network.connect({node, 4}, {network.add(std::move(made), "host"), 0}, {});
        }
        for (unsigned node = 0; node < nodes; ++node) {
            coding_registers registers = node == encoder_node
                                             ? one_context(coding_mode::encode, nodes, {nodes + 0, nodes + 8})
                                             : one_context(coding_mode::decode, nodes, {node});
            registers.number = nodes + node;
            registers.vc_sets = {1, 2, 4, 8, 1, 2, 4, 8};
            coding_context& context = registers.contexts[0];
            context.vc_class = node == encoder_node ? chain : recovered;
            context.op = node == encoder_node ? hw::format::transport_op::operand : hw::format::transport_op::data;
            context.group = 0;
            context.tag = node == encoder_node ? chain_bit : 0;
            network.connect({node, 5},
                            {network.add(std::make_unique<hw::chips::coding_core>(params, registers), "unit"), 0}, {});
        }
    }

    bool idle() const {
        for (hw::engine::chip_id id = 0; id < network.size(); ++id)
            if (!network.at(id).idle()) return false;
        return true;
    }

    coding_params params;
    hw::engine::network network;
    std::vector<host*> hosts;  ///< [node]
};

class coding_network : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(header, coding_network, testing::Values(false, true),
                         [](const auto& of) { return of.param ? "free" : "inline"; });

TEST_P(coding_network, data_cross_the_mesh_as_a_chain) {
    coding_mesh mesh(GetParam());
    std::mt19937 random(5);
    std::vector<std::vector<byte_list>> d(rounds);  // [round][node]
    std::vector<unsigned> plain(rounds);
    for (unsigned round = 0; round < rounds; ++round) {
        const cycle start = round * 400;
        plain[round] = static_cast<unsigned>(random()) % nodes;
        const std::size_t bytes = 1 + random() % 60;
        for (unsigned node = 0; node < nodes; ++node) {
            d[round].push_back(random_bytes(random, bytes));
            coding_message message = operand(0, node, d[round][node], node);
            message.destination = nodes + encoder_node;
            message.common.vc_class = to_encoder;
            mesh.hosts[node]->send(start, message);
            if (node != plain[round]) continue;
            message.common.vc_class = chain;
            for (const unsigned decoder : {0u, 8u}) {
                message.destination = nodes + decoder;
                mesh.hosts[node]->send(start, message);
            }
        }
    }
    mesh.network.run(rounds * 400 + 1000);
    EXPECT_EQ(mesh.network.error_count(), 0u);
    EXPECT_EQ(mesh.network.event_count(), 0u);
    EXPECT_TRUE(mesh.idle());
    for (unsigned node = 0; node < nodes; ++node) {
        const bool decodes = node == 0 || node == 8;
        ASSERT_EQ(mesh.hosts[node]->received.size(), decodes ? rounds * (nodes - 1) : 0u);
        for (unsigned number = 0; number < mesh.hosts[node]->received.size(); ++number) {
            const coding_message& message = mesh.hosts[node]->received[number];
            const unsigned round = number / (nodes - 1);
            EXPECT_TRUE(message.intact);
            EXPECT_EQ(message.common.source, nodes + node);
            EXPECT_EQ(message.common.sequence, number);
            EXPECT_NE(message.transport.tag, plain[round]);
            EXPECT_EQ(message.payload, d[round].at(message.transport.tag));
        }
    }
}

/// From the source's pins to the result's: two ways through the mesh, and 4 + latency in the unit.
TEST_P(coding_network, latency_through_routers_and_unit) {
    coding_mesh mesh(GetParam());
    const byte_list bytes(16, 9);
    coding_message message = operand(0, 0, bytes);
    message.destination = nodes + 8;
    message.common.vc_class = chain;
    mesh.hosts[8]->send(0, message);
    message.transport.tag = chain_bit;
    mesh.hosts[8]->send(0, message);
    mesh.network.run(1000);
    // d_0 and c_0 make d_1; there is no c_1.
    ASSERT_EQ(mesh.hosts[8]->received.size(), 1u);
    EXPECT_EQ(mesh.hosts[8]->received[0].payload, byte_list(16, 0));
    // Flits of a packet: free 1, else 1 of header and 3. The last of them is on the host's pins in 2n, in the router in
    // 2n + 1, on its pins in 2n + 3 (head: header flits - 1 more, all are in one), at the unit in 2n + 4, the result on
    // its pins 4 + 1 later (tail: n - 1 more), and from there in 1 + 2 + 1 at the host.
    const unsigned flits = GetParam() ? 1 : 4;
    EXPECT_EQ(mesh.network.last_flit(), 2 * flits + 3 + 1 + 5 + (flits - 1) + 3);
}

TEST(coding_network, events_are_kept_with_the_chip) {
    coding_mesh mesh(true);
    coding_message message = operand(1, 5, byte_list(3, 9), 2);
    message.destination = nodes + encoder_node;
    mesh.hosts[2]->send(0, message);
    mesh.network.run(1000);
    ASSERT_EQ(mesh.network.event_count(), 1u);
    const hw::engine::event_record record = mesh.network.events()[0];
    EXPECT_EQ(record.chip, 2 * nodes + encoder_node);
    EXPECT_EQ(record.event,
              (hw::engine::chip_event{0, static_cast<std::uint8_t>(coding_event::unknown_context), 1, 5, 2}));
    EXPECT_TRUE(mesh.idle());
}

}  // namespace
}  // namespace polycast::testbench::unit
