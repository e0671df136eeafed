// SPDX-License-Identifier: Apache-2.0
/// \file How fast pipelined broadcasts are in steps: 32 packets of 8 bytes everywhere, each byte checked, on networks
/// of a thousand to a million nodes; "bare" ones carry nothing.
#include <benchmark/benchmark.h>

#include <ctime>
#include <numeric>
#include <string>

#include "hw/workloads/broadcast/broadcast_rule.h"
#include "hw/workloads/broadcast/step_engine.h"

namespace {

using namespace polycast::hw::broadcast;
using polycast::hw::topology::bypass_torus;
using polycast::hw::topology::bypass_torus_params;

struct workload {
    std::string name;
    bypass_torus_params shape;
    bool trees = false;
    unsigned bytes = 8;
};

double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// `flit_hops`: packets over links, per second of wall time; `node_steps`: nodes visited, likewise. `cpu`: seconds of
/// all threads for a broadcast, its state made and its check included.
void broadcast(benchmark::State& state, const workload& what, unsigned threads) {
    const bypass_torus network(what.shape);
    const unsigned d = what.shape.dimensions;
    broadcast_params params;
    params.how = what.trees ? algorithm::trees : algorithm::colours;
    params.dimensions.resize(d);
    std::iota(params.dimensions.begin(), params.dimensions.end(), 0u);
    params.split = equal_split(32, what.trees ? 2 * d : d);
    params.patterns.assign(what.trees ? 0 : d, 0);
    params.bytes = what.bytes;
    params.threads = threads;
    broadcast_result result;
    const double before = cpu_seconds();
    for (auto _ : state) result = run_broadcast(network, params);
    const auto runs = static_cast<double>(state.iterations());
    const double cpu = (cpu_seconds() - before) / runs;
    using benchmark::Counter;
    const auto per_second = [runs](std::uint64_t count) {
        return Counter(static_cast<double>(count) * runs, Counter::kIsRate);
    };
    state.counters["steps"] = static_cast<double>(result.steps);
    state.counters["steps_per_second"] = per_second(result.steps);
    state.counters["flit_hops"] = per_second(result.sends);
    state.counters["flit_hops_per_cpu_second"] = static_cast<double>(result.sends) / cpu;
    state.counters["node_steps"] = per_second(result.node_steps);
    state.counters["seconds_per_node_step"] = cpu / static_cast<double>(result.node_steps);
    state.counters["bytes_per_node"] = static_cast<double>(result.memory_bytes) / result.nodes;
    state.counters["memory_bytes"] = static_cast<double>(result.memory_bytes);
    state.counters["memory_limit"] = 2e9;
    state.counters["cpu"] = cpu;
    state.counters["cpu_limit"] = 120;
}

/// Names say what is measured: ibt/torus/1000000/1, the last number that of threads.
[[maybe_unused]] const bool registered = [] {
    std::vector<workload> all;
    for (const std::uint32_t n : {32u, 64u, 100u, 316u, 1000u}) {
        bypass_torus_params shape{n, 2, {8, 32}};
        if (n == 32) shape.bypass = {8, 12};
        all.push_back({"ibt", shape});
        all.push_back({"ibt_bare", shape, false, 0});
    }
    for (const std::uint32_t n : {10u, 16u, 46u, 100u}) {
        all.push_back({"torus", {n, 3, {}}});
        all.push_back({"torus_bare", {n, 3, {}}, false, 0});
        all.push_back({"trees", {n, 3, {}}, true});
    }
    for (const workload& what : all) {
        const std::string name = "ibt/" + what.name + "/" + std::to_string(bypass_torus(what.shape).nodes());
        for (const unsigned threads : {1u, 2u}) {
            benchmark::RegisterBenchmark((name + "/" + std::to_string(threads)).c_str(),
                                         [what, threads](benchmark::State& state) { broadcast(state, what, threads); })
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
        }
    }
    return true;
}();

}  // namespace
