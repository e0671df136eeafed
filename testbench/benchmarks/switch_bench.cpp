// SPDX-License-Identifier: Apache-2.0
/// \file Switch-cycles per second of the C++ core, alone.
#include <benchmark/benchmark.h>

#include "hw/chips/switch/switch_core.h"
#include "testbench/benchmarks/recorded_traffic.h"

namespace {

using namespace polycast;

constexpr unsigned recorded_cycles = 20000;

testbench::recording_params recording(unsigned ports, double load, double multicast) {
    testbench::recording_params params;
    params.chip.ports = params.chip.read_ports = ports;
    params.chip.max_hosts = ports < 32 ? 32 : 64;
    params.load = load;
    params.multicast_fraction = multicast;
    return params;
}

/// Replays recorded traffic; the load is in percent, multicast in percent of packets.
void core_busy(benchmark::State& state) {
    const auto params = recording(static_cast<unsigned>(state.range(0)), static_cast<double>(state.range(1)) / 100,
                                  static_cast<double>(state.range(2)) / 100);
    const testbench::recorded_traffic traffic = testbench::record_traffic(params, recorded_cycles);
    hw::chips::switch_core core(params.chip, testbench::star_tables(params.chip));
    hw::engine::pins out(core.shape());
    std::size_t at = 0;
    for (auto _ : state) {
        if (at == traffic.cycles.size()) {
            state.PauseTiming();
            core.reset();
            at = 0;
            state.ResumeTiming();
        }
        out.clear();
        core.step(at, traffic.cycles[at], out);
        ++at;
        benchmark::DoNotOptimize(out.valid);
    }
    state.counters["switch_cycles"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    state.counters["flits_per_cycle"] = static_cast<double>(traffic.flits_out) / recorded_cycles;
    state.counters["bytes"] = static_cast<double>(core.memory_bytes());
}
BENCHMARK(core_busy)
    ->ArgNames({"ports", "load", "multicast"})
    ->Args({8, 100, 0})
    ->Args({8, 100, 50})
    ->Args({8, 25, 0})
    ->Args({4, 100, 0})
    ->Args({16, 100, 0})
    ->Args({64, 100, 0});

/// A step with nothing inside and quiet pins; the engine leaves such steps out.
void core_idle(benchmark::State& state) {
    const auto params = recording(8, 0, 0);
    hw::chips::switch_core core(params.chip, testbench::star_tables(params.chip));
    const hw::engine::pins in(core.shape());
    hw::engine::pins out(core.shape());
    hw::engine::cycle now = 0;
    for (auto _ : state) {
        out.clear();
        benchmark::DoNotOptimize(core.step(now++, in, out));
    }
    state.counters["switch_cycles"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(core_idle);

}  // namespace
