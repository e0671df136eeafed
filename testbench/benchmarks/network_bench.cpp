// SPDX-License-Identifier: Apache-2.0
/// \file Flit-hops per second of whole networks of C++ cores, delivery checks on, and the cost of size.
#include <benchmark/benchmark.h>

#include <utility>

#include "hw/chips/switch/switch_core.h"
#include "hw/delivery/scoreboard.h"
#include "hw/system/system_network.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload.h"

namespace {

using namespace polycast::hw;

topology::graph irregular(unsigned switches) {
    topology::irregular_params shape;
    shape.switches = switches;
    shape.hosts = switches * 4;
    shape.seed = 1;
    if (switches > 8) shape.placement = topology::host_placement::even;
    return topology::make_irregular(shape);
}

system::processor_factory firmware() {
    return system::native_processors(ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY));
}

/// `load` payload flits per host and cycle (per mille) of uniform unicasts for 20,000 cycles, and the drain.
void network_busy(benchmark::State& state) {
    system::system_params params;
    params.host.send_overhead = params.host.receive_overhead = 10;
    params.firmware_times = system::paper_costs(10, 10);
    params.host.interface.bus_cycles_per_byte = 0;
    const system::system_plan plan = system::make_plan(irregular(static_cast<unsigned>(state.range(0))), params);
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.hosts = static_cast<std::uint32_t>(plan.network.hosts.size());
    work.gap = work.bytes * 1000.0 / static_cast<double>(state.range(1));
    work.end = 20000;
    std::uint64_t flit_hops = 0;
    std::uint64_t steps = 0;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        traffic::workload workload(work);
        traffic::scoreboard board(1, {}, work.payload_bytes);
        system::system_network network(plan, system::make_core, system::workload_hosts(firmware(), workload, board, 1),
                                       board);
        const system::run_outcome outcome = network.run({});
        if (!board.counts().exactly_once()) state.SkipWithError("lost packets");
        flit_hops += network.network().flit_hops();
        steps += network.network().chip_steps();
        cycles += outcome.cycles;
    }
    state.counters["flit_hops"] = benchmark::Counter(static_cast<double>(flit_hops), benchmark::Counter::kIsRate);
    state.counters["chip_steps"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
    state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}
BENCHMARK(network_busy)
    ->ArgNames({"switches", "load"})
    ->Args({8, 50})
    ->Args({8, 150})
    ->Args({80, 20})
    ->Args({800, 5})
    ->Args({3200, 1})
    ->Unit(benchmark::kMillisecond);

/// Network-cycles per second of 1,024 switches without any traffic: one packet, then a jump over a million cycles.
void network_idle(benchmark::State& state) {
    system::system_params params;
    const system::system_plan plan = system::make_plan(irregular(1024), params);
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.source = 0;
    work.hosts = static_cast<std::uint32_t>(plan.network.hosts.size());
    work.start = 1000000;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        state.PauseTiming();
        traffic::workload workload(work);
        traffic::scoreboard board(1, {}, work.payload_bytes);
        auto network = std::make_unique<system::system_network>(
            plan, system::make_core, system::workload_hosts(firmware(), workload, board, 1), board);
        // Time counts from cycle 1 on, when all is booted.
        constexpr engine::cycle end = 900000;
        bool booted = false;
        network->network().run_slices({.end = end, .review = 1}, [&](bool over) {
            if (!std::exchange(booted, true)) state.ResumeTiming();
            return over || network->network().now() >= end;
        });
        state.PauseTiming();
        cycles += end;
        network.reset();
        state.ResumeTiming();
    }
    state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}
BENCHMARK(network_idle)->Iterations(3);

}  // namespace
