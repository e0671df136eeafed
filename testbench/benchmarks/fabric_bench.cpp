// SPDX-License-Identifier: Apache-2.0
/// \file How fast a fabric of routers is: open-loop traffic and the all-to-all broadcast, statistics and checks of
/// every packet on, one thread, rates per CPU second. The plain network beside it steps golden routers.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "hw/fabric/all_to_all.h"
#include "hw/fabric/open_loop.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/plain_network.h"

namespace {

using namespace polycast::hw::fabric;
using polycast::testbench::equivalence::plain_network;

/// 4 VCs of 8 flits, uniform traffic.
struct workload {
    unsigned radix;
    bool torus;
    double load;  ///< flits per node and cycle
    unsigned flits;
    std::uint64_t cycles;
};
constexpr workload w1{8, false, 0.1, 1, 50000};
constexpr workload w2{16, false, 0.1, 1, 10000};
constexpr workload w3{32, false, 0.05, 1, 4000};
constexpr workload w4{16, true, 0.1, 1, 10000};
constexpr workload w6{8, false, 0.1, 5, 50000};
constexpr workload w7{32, false, 0.001, 1, 50000};
constexpr workload w8{8, false, 0.35, 1, 15000};

fabric_params params_of(unsigned radix, bool torus) {
    fabric_params params;
    params.router.radix = radix;
    params.tables.wrap = torus ? 3 : 0;
    params.tables.vc_sets = dateline_sets(params.router.vcs, params.tables.wrap);
    return params;
}

benchmark::Counter rate(std::uint64_t count) {
    return {static_cast<double>(count), benchmark::Counter::kIsRate};
}

/// `flit_hops`: flits from router to router; per CPU second, as `router_cycles`.
void report(benchmark::State& state, std::uint64_t flit_hops, std::uint64_t router_cycles) {
    state.counters["flit_hops"] = rate(flit_hops);
    state.counters["router_cycles"] = rate(router_cycles);
}

void check(benchmark::State& state, const terminals& ends) {
    if (!ends.faults().empty()) state.SkipWithError(ends.faults().front().c_str());
}

void fabric_uniform(benchmark::State& state, const workload& what) {
    const fabric_params params = params_of(what.radix, what.torus);
    std::uint64_t flit_hops = 0;
    for (auto _ : state) {
        router_fabric fabric(params);
        terminals ends(fabric, what.cycles / 5, what.cycles);
        open_loop_params traffic;
        traffic.load = what.load;
        traffic.flits_min = traffic.flits_max = what.flits;
        open_loop source(ends, fabric.nodes(), pattern(pattern_kind::uniform, params.router), traffic);
        fabric.run(what.cycles, source);
        flit_hops += fabric.flit_hops();
        check(state, ends);
        const terminal_statistics& all = ends.statistics();
        state.counters["latency"] = all.latency.mean();
        state.counters["latency_99"] = static_cast<double>(all.latency.percentile(99));
        state.counters["accepted"] =
            static_cast<double>(all.accepted) / static_cast<double>(what.cycles - what.cycles / 5) / fabric.nodes();
        state.counters["bytes_per_router"] =
            static_cast<double>(fabric.memory_bytes() + ends.memory_bytes() + source.memory_bytes()) / fabric.nodes();
    }
    report(state, flit_hops, state.iterations() * what.cycles * params.router.nodes());
}

/// The same traffic, drawn by the same source, from a list.
void golden_uniform(benchmark::State& state, const workload& what) {
    const fabric_params params = params_of(what.radix, what.torus);
    const std::uint64_t cycles = std::min<std::uint64_t>(what.cycles, 40000 / params.router.nodes());
    const pattern uniform(pattern_kind::uniform, params.router);
    std::uint64_t flit_hops = 0;
    for (auto _ : state) {
        state.PauseTiming();
        plain_network network(params.router, params.tables,
                              polycast::testbench::equivalence::router_golden_contender().make);
        for (std::uint32_t node = 0; node < params.router.nodes(); ++node) {
            polycast::hw::traffic::random_stream random(0, node);
            boost::random::exponential_distribution<double> gap(what.load / what.flits);
            for (double when = gap(random); when < static_cast<double>(cycles); when += gap(random)) {
                plain_network::packet packet;
                packet.source = node;
                packet.destination = uniform.destination(node, random);
                packet.vc = pattern::below(params.router.vcs, random);
                packet.flits = what.flits;
                packet.sent = static_cast<std::uint64_t>(when);
                network.send(packet);
            }
        }
        state.ResumeTiming();
        while (network.now() < cycles) network.step();
        // It counts flits that come from terminals too, one per flit of a packet that has entered.
        flit_hops += network.flit_hops() - network.delivered().size() * what.flits;
    }
    report(state, flit_hops, state.iterations() * cycles * params.router.nodes());
}

void all_to_all_broadcast(benchmark::State& state) {
    const auto radix = static_cast<unsigned>(state.range(0));
    const fabric_params params = params_of(radix, false);
    std::uint64_t flit_hops = 0;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        router_fabric fabric(params);
        terminals ends(fabric, 0, 1);
        all_to_all source(ends, fabric.nodes(), 1);
        fabric.run(polycast::hw::engine::never, source);
        flit_hops += fabric.flit_hops();
        check(state, ends);
        if (ends.missing() != 0) state.SkipWithError("packets are missing");
        cycles = ends.statistics().last;
        state.counters["mebibytes"] =
            static_cast<double>(fabric.memory_bytes() + ends.memory_bytes() + source.memory_bytes()) / (1 << 20);
    }
    state.counters["cycles"] = static_cast<double>(cycles);
    // Half of all packets cross the middle, over `radix` links in each direction.
    state.counters["bound"] = static_cast<double>(radix) * radix * radix / 4;
    report(state, flit_hops, state.iterations() * cycles * params.router.nodes());
}

BENCHMARK_CAPTURE(fabric_uniform, w1, w1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fabric_uniform, w2, w2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fabric_uniform, w3, w3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fabric_uniform, w4, w4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fabric_uniform, w6, w6)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fabric_uniform, w7, w7)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fabric_uniform, w8, w8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(golden_uniform, w1, w1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(golden_uniform, w6, w6)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(golden_uniform, w8, w8)->Unit(benchmark::kMillisecond);
BENCHMARK(all_to_all_broadcast)->ArgName("radix")->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);

}  // namespace
