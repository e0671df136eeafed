// SPDX-License-Identifier: Apache-2.0
/// \file How fast a fabric of routers is: open-loop traffic and the all-to-all broadcast, statistics and checks of
/// every packet on, rates per CPU second of one thread, but per second of wall time where partitions are compared. The
/// plain network beside it steps golden routers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "hw/fabric/each_to_each.h"
#include "testbench/benchmarks/fabric_workloads.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/plain_network.h"

namespace {

using namespace polycast::hw::fabric;
using namespace polycast::testbench::benchmarks;
using polycast::testbench::equivalence::plain_network;

/// Flit-hops per CPU second of BookSim2 2.0 on the workloads, measured by this project on two shared x86-64 cores
/// (g++ 12, one thread): constants, not measured here.
double booksim2_rate(std::string_view workload) {
    constexpr std::array<std::pair<std::string_view, double>, 7> rates{
        {{"w1", 263e3}, {"w2", 180e3}, {"w3", 122e3}, {"w4", 205e3}, {"w6", 412e3}, {"w7", 23e3}, {"w8", 235e3}}};
    return std::ranges::find(rates, workload, &std::pair<std::string_view, double>::first)->second;
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

std::size_t bytes_of(const loaded_fabric& run) {
    std::size_t bytes = run.fabric.memory_bytes();
    for (const terminals& ends : run.ends) bytes += ends.memory_bytes();
    for (const open_loop& source : run.sources) bytes += source.memory_bytes();
    return bytes;
}

void network(benchmark::State& state, const fabric_workload& what, unsigned partitions) {
    const double nodes = what.radix * what.radix;
    std::uint64_t flit_hops = 0;
    for (auto _ : state) {
        loaded_fabric run(what, what.cycles, partitions);
        run.run();
        flit_hops += run.fabric.flit_hops();
        terminal_statistics all;
        for (const terminals& ends : run.ends) {
            check(state, ends);
            all += ends.statistics();
        }
        state.counters["latency"] = all.latency.mean();
        state.counters["latency_99"] = static_cast<double>(all.latency.percentile(99));
        state.counters["accepted"] =
            static_cast<double>(all.accepted) / static_cast<double>(what.cycles - what.cycles / 5) / nodes;
        state.counters["bytes_per_router"] = static_cast<double>(bytes_of(run)) / nodes;
    }
    state.counters["cycles"] = rate(state.iterations() * what.cycles);
    report(state, flit_hops, state.iterations() * what.cycles * what.radix * what.radix);
}

/// The same traffic, drawn by the same source, from a list.
void network_golden(benchmark::State& state, const fabric_workload& what) {
    const fabric_params params = mesh_or_torus(what.radix, what.torus, what.flits);
    const std::uint64_t cycles = std::min<std::uint64_t>(what.cycles, 40000 / params.router.nodes());
    const auto uniform = pattern_on(params.router);
    std::uint64_t flit_hops = 0;
    for (auto _ : state) {
        state.PauseTiming();
        plain_network plain(params.router, params.tables,
                            polycast::testbench::equivalence::router_golden_contender().make);
        for (std::uint32_t node = 0; node < params.router.nodes(); ++node) {
            polycast::hw::traffic::random_stream random(0, node);
            boost::random::exponential_distribution<double> gap(what.load / what.flits);
            for (double when = gap(random); when < static_cast<double>(cycles); when += gap(random)) {
                plain_network::packet packet;
                packet.source = node;
                packet.destination = uniform->destination(node, 0, {random, true});
                packet.vc = polycast::hw::traffic::draws{random, true}.below(params.router.vcs);
                packet.flits = what.flits;
                packet.sent = static_cast<std::uint64_t>(when);
                plain.send(packet);
            }
        }
        state.ResumeTiming();
        while (plain.now() < cycles) plain.step();
        // It counts flits that come from terminals too, one per flit of a packet that has entered.
        flit_hops += plain.flit_hops() - plain.delivered().size() * what.flits;
    }
    report(state, flit_hops, state.iterations() * cycles * params.router.nodes());
}

void network_all_to_all(benchmark::State& state) {
    const auto radix = static_cast<unsigned>(state.range(0));
    const fabric_params params = mesh_or_torus(radix, false);
    std::uint64_t flit_hops = 0;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        router_fabric fabric(params);
        terminals ends(fabric, 0, 1);
        each_to_each source(ends, fabric.nodes(), 1);
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

/// Flits per node and cycle that an 8x8 mesh takes of more than it can, in `accepted`: uniform traffic, none to
/// oneself.
void network_saturation(benchmark::State& state, polycast::hw::chips::router_allocator allocator, unsigned iterations) {
    constexpr std::uint64_t cycles = 30000;
    fabric_params params = mesh_or_torus(8, false);
    params.tables.allocator = allocator;
    params.tables.iterations = iterations;
    for (auto _ : state) {
        double best = 0;
        for (const double load : {0.41, 0.42, 0.43, 0.44, 0.45, 0.46}) {
            router_fabric fabric(params);
            terminals ends(fabric, cycles / 5, cycles);
            open_loop source(ends, fabric.nodes(), pattern_on(params.router), {.load = load});
            fabric.run(cycles, source);
            check(state, ends);
            const auto accepted = static_cast<double>(ends.statistics().accepted);
            best = std::max(best, accepted / static_cast<double>(cycles - cycles / 5) / fabric.nodes());
        }
        state.counters["accepted"] = best;
    }
}

/// Names say what is measured: network/w1, network_golden/w1, network_threads/w3/2.
[[maybe_unused]] const bool registered = [] {
    for (const fabric_workload& what : fabric_workloads) {
        const std::string name(what.name);
        if (what.radix < 32) {
            benchmark::RegisterBenchmark(("network_golden/" + name).c_str(), [&what](benchmark::State& state) {
                network_golden(state, what);
            })->Unit(benchmark::kMillisecond);
        } else if (what.load >= 0.05) {
            for (const unsigned partitions : {1u, 2u})
                benchmark::RegisterBenchmark(
                    ("network_threads/" + name + "/" + std::to_string(partitions)).c_str(),
                    [&what, partitions](benchmark::State& state) { network(state, what, partitions); })
                    ->UseRealTime()
                    ->Unit(benchmark::kMillisecond);
        }
        if (name.front() != 'w') continue;
        benchmark::RegisterBenchmark(("network/" + name).c_str(), [&what](benchmark::State& state) {
            network(state, what, 1);
            state.counters["booksim2_flit_hops"] = booksim2_rate(what.name);
        })->Unit(benchmark::kMillisecond);
    }
    using polycast::hw::chips::router_allocator;
    for (const auto& [name, allocator] :
         {std::pair{"separable", router_allocator::separable}, std::pair{"islip", router_allocator::islip}})
        for (const unsigned iterations : {1u, 2u})
            benchmark::RegisterBenchmark(
                ("network_saturation/" + std::string(name) + "/" + std::to_string(iterations)).c_str(),
                [allocator, iterations](benchmark::State& state) { network_saturation(state, allocator, iterations); })
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
    return true;
}();
BENCHMARK(network_all_to_all)->ArgName("radix")->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);

}  // namespace
