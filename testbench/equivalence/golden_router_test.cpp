// SPDX-License-Identifier: Apache-2.0
// The golden model by itself: the page's pipeline, and every pair of nodes of small meshes and tori.
#include "testbench/equivalence/golden_router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/plain_network.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::router_allocator;
using hw::chips::router_params;
using hw::chips::router_tables;

std::unique_ptr<hw::engine::chip> make_golden(const router_params& params, const router_tables& tables) {
    return std::make_unique<golden_router>(params, tables);
}

router_params small(unsigned dimensions, unsigned radix) {
    router_params params;
    params.dimensions = dimensions;
    params.radix = radix;
    params.ports = 2 * dimensions + 2;
    return params;
}

/// VCs 0 and 1 before the end of a ring, 2 and 3 from there on; all of them without rings.
router_tables plain(unsigned wrap) {
    router_tables tables;
    tables.wrap = wrap;
    for (auto& sides : tables.vc_sets) {
        sides[0] = 0x3;
        sides[1] = wrap == 0 ? 0xf : 0xc;
    }
    return tables;
}

unsigned distance(const router_params& params, unsigned wrap, std::uint32_t a, std::uint32_t b) {
    unsigned sum = 0;
    for (unsigned d = 0; d < params.dimensions; ++d) {
        const unsigned apart = a % params.radix > b % params.radix ? a % params.radix - b % params.radix
                                                                   : b % params.radix - a % params.radix;
        sum += (wrap >> d & 1) != 0 ? std::min(apart, params.radix - apart) : apart;
        a /= params.radix;
        b /= params.radix;
    }
    return sum;
}

struct shape {
    unsigned dimensions;
    unsigned radix;
    unsigned wrap;
};

class golden_router_networks : public testing::TestWithParam<shape> {};

// Zero load: 3 cycles per hop, 3 from the first router's input pins to the host's behind the last, and a cycle per
// body flit.
TEST_P(golden_router_networks, all_pairs_take_the_shortest_way_in_the_time_of_the_page) {
    const auto [dimensions, radix, wrap] = GetParam();
    const router_params params = small(dimensions, radix);
    plain_network network(params, plain(wrap), make_golden);
    std::uint64_t at = 0;
    for (std::uint32_t a = 0; a < params.nodes(); ++a) {
        for (std::uint32_t host = 0; host < 2 * params.nodes(); ++host) {
            plain_network::packet what;
            what.source = a;
            what.destination = host;
            what.vc = host % 4;
            what.flits = 1 + host % 3;
            what.sent = at;
            network.send(what);
            ASSERT_TRUE(network.run(at + 200));
            const plain_network::delivery& got = network.delivered().back();
            ASSERT_EQ(network.delivered().size(), network.sent().size());
            ASSERT_EQ(got.node, host % params.nodes());
            ASSERT_EQ(got.port, 2 * dimensions + host / params.nodes());
            ASSERT_EQ(got.flits, what.flits);
            ASSERT_EQ(got.head - at, 3 + 3 * distance(params, wrap, a, got.node)) << a << " to " << host;
            ASSERT_EQ(got.tail - got.head, what.flits - 1);
            at = network.now();
        }
    }
}

TEST_P(golden_router_networks, nothing_is_lost_under_load) {
    const auto [dimensions, radix, wrap] = GetParam();
    const router_params params = small(dimensions, radix);
    for (const router_allocator allocator : {router_allocator::separable, router_allocator::islip}) {
        router_tables tables = plain(wrap);
        tables.allocator = allocator;
        tables.iterations = 2;
        plain_network network(params, tables, make_golden);
        for (std::uint32_t round = 0; round < 20; ++round) {
            for (std::uint32_t a = 0; a < params.nodes(); ++a) {
                plain_network::packet what;
                what.source = a;
                what.destination = (a * 7 + round * 13 + 5) % params.nodes();
                what.vc = (a + round) % 4;
                what.flits = 1 + (a + round) % 12;
                network.send(what);
            }
        }
        ASSERT_TRUE(network.run(100'000));
        ASSERT_EQ(network.delivered().size(), network.sent().size());
        std::set<std::uint32_t> seen;
        for (const plain_network::delivery& got : network.delivered()) {
            EXPECT_TRUE(seen.insert(got.packet).second);
            EXPECT_EQ(got.node, network.sent()[got.packet].destination);
            EXPECT_EQ(got.flits, network.sent()[got.packet].flits);
        }
    }
}

// Every node but the source once, along the shortest way; all nodes at once with buffers that take packets whole.
TEST_P(golden_router_networks, broadcasts_come_to_every_node_once) {
    const auto [dimensions, radix, wrap] = GetParam();
    const router_params params = small(dimensions, radix);
    for (const unsigned flits : {1u, 5u}) {
        router_tables tables = plain(wrap);
        tables.reserve = tables.packet_limit = 8;
        plain_network alone(params, tables, make_golden);
        plain_network together(params, tables, make_golden);
        for (std::uint32_t a = 0; a < params.nodes(); ++a) {
            plain_network::packet what;
            what.source = a;
            what.broadcast = true;
            what.destination = a % 2;
            what.flits = flits;
            together.send(what);
            what.sent = alone.now();
            const std::size_t before = alone.delivered().size();
            alone.send(what);
            ASSERT_TRUE(alone.run(alone.now() + 300));
            ASSERT_EQ(alone.delivered().size() - before, params.nodes() - 1);
            for (std::size_t index = before; index < alone.delivered().size(); ++index) {
                const plain_network::delivery& got = alone.delivered()[index];
                EXPECT_EQ(got.head - what.sent, 3 + 3 * distance(params, wrap, a, got.node));
                EXPECT_EQ(got.port, 2 * dimensions + a % 2);
            }
        }
        ASSERT_TRUE(together.run(100'000));
        std::map<std::uint32_t, std::set<std::uint32_t>> reached;  // [packet] nodes
        for (const plain_network::delivery& got : together.delivered()) {
            EXPECT_EQ(got.flits, flits);
            EXPECT_TRUE(reached[got.packet].insert(got.node).second);
        }
        for (std::uint32_t a = 0; a < params.nodes(); ++a) {
            EXPECT_EQ(reached[a].size(), params.nodes() - 1);
            EXPECT_FALSE(reached[a].contains(a));
        }
    }
}

/// Uniform traffic with some broadcasts, faster than the network takes it.
std::vector<plain_network::delivery> deliveries(const router_params& params, const router_tables& tables,
                                                const plain_network::make_router& make) {
    plain_network network(params, tables, make);
    dice random(3, 1);
    for (std::uint32_t round = 0; round < 30; ++round) {
        for (std::uint32_t node = 0; node < params.nodes(); ++node) {
            plain_network::packet what;
            what.source = node;
            what.broadcast = random.chance(50);
            what.destination = what.broadcast ? random.below(2) : random.below(2 * params.nodes());
            what.vc = random.below(params.vcs);
            what.vc_class = random.below(8);
            what.flits = random.between(1, 8);
            what.sent = round * 10;
            network.send(what);
        }
    }
    EXPECT_TRUE(network.run(100'000));
    EXPECT_GE(network.delivered().size(), network.sent().size());
    return network.delivered();
}

// Whole networks of the core and of the golden model: every packet at the same place in the same cycle.
TEST_P(golden_router_networks, core_and_golden_model_deliver_the_same) {
    const auto [dimensions, radix, wrap] = GetParam();
    const router_params params = small(dimensions, radix);
    router_tables tables = plain(wrap);
    tables.reserve = tables.packet_limit = 8;
    for (const router_allocator allocator : {router_allocator::separable, router_allocator::islip}) {
        for (const hw::chips::vc_policy policy : {hw::chips::vc_policy::any, hw::chips::vc_policy::keep}) {
            tables.allocator = allocator;
            tables.iterations = 3;
            tables.policy = policy;
            EXPECT_EQ(deliveries(params, tables, router_core_contender().make),
                      deliveries(params, tables, router_golden_contender().make));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(meshes_and_tori, golden_router_networks,
                         testing::Values(shape{1, 2, 0}, shape{1, 5, 0}, shape{1, 2, 1}, shape{1, 3, 1}, shape{1, 6, 1},
                                         shape{2, 4, 0}, shape{2, 4, 3}, shape{2, 5, 3}, shape{2, 3, 2}, shape{3, 3, 0},
                                         shape{3, 2, 7}, shape{4, 2, 5}),
                         [](const testing::TestParamInfo<shape>& of) {
                             return std::to_string(of.param.dimensions) + "d_radix" + std::to_string(of.param.radix) +
                                    "_wrap" + std::to_string(of.param.wrap);
                         });

// The table of the page: a head with body flits, each stage one cycle after the other.
TEST(golden_router, pipeline_of_the_page) {
    router_params params;
    params.xbar_stages = 0;
    router_tables tables = mesh_tables(params, plain(0)).at(9);
    for (const unsigned delay : {1u, 2u, 15u}) {
        for (const unsigned stages : {0u, 1u, 15u}) {
            params.xbar_stages = stages;
            tables.route_delay = delay;
            golden_router router(params, tables);
            hw::engine::pins in(params.pin_shape());
            hw::engine::pins out(params.pin_shape());
            for (unsigned t = 0; t < 50; ++t) {
                in.clear();
                out.clear();
                if (t < 3) {
                    in.valid = 1u << 4;
                    in.head = t == 0 ? in.valid : 0;
                    in.tail = t == 2 ? in.valid : 0;
                    in.vc[4] = 2;
                    std::fill(in.data.begin(), in.data.end(), std::uint8_t{0});
                    in.data[4 * 16 + 10] = 10;  // one node up in dimension 0
                }
                router.step(t, in, out);
                // Written in t, routed in t + delay - 1, read in t + delay, on the pins stages + 1 cycles later.
                const unsigned first = delay + stages;
                EXPECT_EQ(out.valid, t >= first && t < first + 3 ? 1u : 0u) << t;
                EXPECT_EQ(out.head, t == first ? 1u : 0u);
                EXPECT_EQ(out.tail, t == first + 2 ? 1u : 0u);
                EXPECT_EQ(out.credit, t >= delay && t < delay + 3 ? 1u << 4 : 0u) << t;
                if (out.credit != 0) {
                    EXPECT_EQ(out.credit_vc[4], 2);
                }
                EXPECT_EQ(out.error, 0u);
                EXPECT_EQ(router.idle(), t > first + 2);
            }
        }
    }
}

// Four outputs begin to have credit in one cycle, with all pointers at 0, and every iteration finds one output more.
// `has`: the input has a packet for the output; those for lower outputs are in lower VCs.
void expect_an_output_more_per_iteration(router_allocator allocator,
                                         const std::function<bool(unsigned input, unsigned output)>& has) {
    router_params params;
    params.max_nodes = 4;
    params.radix = 2;
    for (const router_contender& which : {router_golden_contender(), router_core_contender()}) {
        for (unsigned iterations = 1; iterations <= 4; ++iterations) {
            router_tables tables;
            tables.table = true;
            tables.route = {1, 2, 4, 8};
            tables.allocator = allocator;
            tables.iterations = iterations;
            tables.credits.assign(params.ports, 1);
            for (auto& sides : tables.vc_sets) sides = {1, 1};
            const std::unique_ptr<hw::engine::chip> router = which.make(params, tables);
            hw::engine::pins in(params.pin_shape());
            hw::engine::pins out(params.pin_shape());
            constexpr unsigned release = 20;
            for (unsigned now = 0; now < release + 2; ++now) {
                in.clear();
                out.clear();
                std::fill(in.data.begin(), in.data.end(), std::uint8_t{0});
                const auto packet = [&](unsigned port, unsigned vc) {  // to output `vc`
                    in.valid |= 1u << port;
                    in.vc[port] = static_cast<std::uint8_t>(vc);
                    in.data[port * params.flit_bytes + 10] = static_cast<std::uint8_t>(vc);
                };
                // The last input takes the credits, and leaves the outputs' pointers at input 0.
                if (now < 4) packet(4, now);
                for (unsigned port = 0; now >= 10 && now < 14 && port < 4; ++port) {
                    if (has(port, now - 10)) packet(port, now - 10);
                }
                in.head = in.tail = in.valid;
                if (now == release) in.credit = 0xf;
                std::ranges::fill(in.credit_vc, std::uint8_t{0});
                router->step(now, in, out);
                ASSERT_EQ(out.error, 0u);
                std::uint64_t granted = 0;
                if (now >= 1 && now <= 4) granted = 1u << (now - 1);
                if (now == release + 1) granted = (1u << iterations) - 1;
                EXPECT_EQ(out.valid, granted) << which.name << " in cycle " << now;
            }
        }
    }
}

// Input i has packets for the outputs i..3: the others have offered themselves to the same input.
TEST(golden_router, an_iteration_of_islip_grants_what_the_one_before_could_not) {
    expect_an_output_more_per_iteration(router_allocator::islip,
                                        [](unsigned input, unsigned output) { return output >= input; });
}

// Input i has packets for the outputs 0..i.
TEST(golden_router, an_iteration_of_separable_allocation_grants_what_is_left) {
    expect_an_output_more_per_iteration(router_allocator::separable,
                                        [](unsigned input, unsigned output) { return output <= input; });
}

}  // namespace
}  // namespace polycast::testbench::equivalence
