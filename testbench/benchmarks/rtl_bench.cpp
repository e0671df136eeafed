// SPDX-License-Identifier: Apache-2.0
/// \file The same recorded traffic through the C++ core and through the Verilated RTL, one after the other in each
/// iteration, so that their ratio does not depend on what else the machine does.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "hw/chips/switch/switch_core.h"
#include "testbench/benchmarks/recorded_traffic.h"
#include "tlm/verilated/rtl_switch.h"

namespace {

using namespace polycast;

constexpr unsigned recorded_cycles = 20000;

testbench::recording_params recording(unsigned ports, double load, double multicast) {
    testbench::recording_params params;
    params.chip.ports = params.chip.read_ports = ports;
    params.load = load;
    params.multicast_fraction = multicast;
    return params;
}

/// CPU seconds of this thread.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// CPU seconds that `chip` takes for all of `traffic`.
double replay(hw::engine::chip& chip, const testbench::recorded_traffic& traffic) {
    hw::engine::pins out(chip.shape());
    chip.reset();
    const double start = cpu_seconds();
    for (std::size_t now = 0; now < traffic.cycles.size(); ++now) {
        out.clear();
        chip.step(now, traffic.cycles[now], out);
        benchmark::DoNotOptimize(out.valid);
    }
    return cpu_seconds() - start;
}

/// Resident bytes of this process.
double resident() {
    std::size_t pages = 0;
    std::size_t skipped = 0;
    std::ifstream("/proc/self/statm") >> skipped >> pages;
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// `load` and `multicast` in percent. Counters: cycles per CPU second of both, and how many times faster the core is.
void core_against_rtl(benchmark::State& state) {
    const auto params = recording(static_cast<unsigned>(state.range(0)), static_cast<double>(state.range(1)) / 100,
                                  static_cast<double>(state.range(2)) / 100);
    const testbench::recorded_traffic traffic = testbench::record_traffic(params, recorded_cycles);
    const hw::chips::switch_tables tables = testbench::star_tables(params.chip);
    tlm::model_library models;
    tlm::rtl_switch rtl(params.chip, tables, models);
    hw::chips::switch_core core(params.chip, tables);
    double core_seconds = 0;
    double rtl_seconds = 0;
    for (auto _ : state) {
        core_seconds += replay(core, traffic);
        rtl_seconds += replay(rtl, traffic);
    }
    const double cycles = static_cast<double>(state.iterations()) * recorded_cycles;
    state.counters["core_cycles/s"] = cycles / core_seconds;
    state.counters["rtl_cycles/s"] = cycles / rtl_seconds;
    state.counters["ratio"] = rtl_seconds / core_seconds;
    state.counters["flits_per_cycle"] = static_cast<double>(traffic.flits_out) / recorded_cycles;
}
BENCHMARK(core_against_rtl)
    ->ArgNames({"ports", "load", "multicast"})
    ->Args({8, 100, 0})
    ->Args({8, 100, 50})
    ->Args({8, 25, 0})
    ->Args({8, 0, 0})
    ->Unit(benchmark::kMillisecond);

/// Resident bytes that one more Verilated switch costs, with its tables and buffers touched.
void rtl_memory(benchmark::State& state) {
    const auto params = recording(8, 100, 0);
    const hw::chips::switch_tables tables = testbench::star_tables(params.chip);
    tlm::model_library models;
    constexpr unsigned count = 64;
    std::vector<std::unique_ptr<tlm::rtl_switch>> switches;
    for (auto _ : state) {
        switches.clear();
        const double before = resident();
        for (unsigned index = 0; index < count; ++index)
            switches.push_back(std::make_unique<tlm::rtl_switch>(params.chip, tables, models));
        state.counters["rtl_bytes"] = (resident() - before) / count;
    }
    state.counters["core_bytes"] = static_cast<double>(hw::chips::switch_core(params.chip, tables).memory_bytes());
}
BENCHMARK(rtl_memory)->Iterations(1);

}  // namespace
