// SPDX-License-Identifier: Apache-2.0
/// \file The slow end of the speed comparisons of routers: golden routers, and cores, in a network that steps every
/// router in every cycle and copies every pin.
#include <benchmark/benchmark.h>

#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/plain_network.h"

namespace {

using namespace polycast::testbench::equivalence;

constexpr std::uint64_t cycles = 2000;

/// A mesh with 4 VCs of 8 flits, uniform traffic. Arguments: nodes of a dimension, flits of a packet, flits per node
/// and 1000 cycles.
void uniform(benchmark::State& state, const router_contender& which) {
    polycast::hw::chips::router_params params;
    params.radix = static_cast<unsigned>(state.range(0));
    polycast::hw::chips::router_tables tables;
    for (auto& sides : tables.vc_sets) sides = {0xf, 0xf};
    const auto flits = static_cast<unsigned>(state.range(1));
    const auto chance = static_cast<unsigned>(state.range(2)) / flits;
    std::uint64_t flit_hops = 0;
    std::uint64_t delivered = 0;
    for (auto _ : state) {
        state.PauseTiming();
        plain_network network(params, tables, which.make);
        dice random(1, 1);
        for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
            for (std::uint32_t node = 0; node < params.nodes(); ++node) {
                if (!random.chance(chance)) continue;
                plain_network::packet what;
                what.source = node;
                what.destination = random.below(params.nodes());
                what.vc = random.below(params.vcs);
                what.flits = flits;
                what.sent = cycle;
                network.send(what);
            }
        }
        state.ResumeTiming();
        while (network.now() < cycles) network.step();
        flit_hops += network.flit_hops();
        delivered += network.delivered().size();
    }
    const auto rate = [](std::uint64_t count) {
        return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
    };
    state.counters["flit_hops"] = rate(flit_hops);
    state.counters["packets"] = rate(delivered);
    state.counters["router_cycles"] = rate(state.iterations() * cycles * params.nodes());
}

void workloads(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"radix", "flits", "load"})->Args({8, 1, 100})->Args({8, 5, 100})->Args({8, 1, 350});
    bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(uniform, golden, router_golden_contender())->Apply(workloads);
BENCHMARK_CAPTURE(uniform, core, router_core_contender())->Apply(workloads);

}  // namespace
