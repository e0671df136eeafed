// SPDX-License-Identifier: Apache-2.0
/// \file What two link ends with retry cost for each flit that they carry, symbol by symbol and by whole frames.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "hw/chips/link/cable.h"
#include "hw/chips/link/frame_cable.h"

namespace {

using namespace polycast::hw;

constexpr engine::cycle cycles = 20000;

/// Packets of 8 flits of 16 bytes in both directions over a wire of 10 cycles. Arguments: flits per end and 1000
/// cycles, virtual channels. The chips give credits back in the next cycle; an idle cable is not stepped.
template <typename Cable>
void carry(benchmark::State& state) {
    const auto load = static_cast<std::uint64_t>(state.range(0));
    chips::link_config config;
    config.delay = 10;
    config.vcs = static_cast<unsigned>(state.range(1));
    config.far.credits.fill(256);
    config.own = config.far;
    std::uint64_t flits = 0;
    for (auto _ : state) {
        Cable cable(config);
        engine::pins in(cable.shape());
        engine::pins out(cable.shape());
        std::uint64_t freed = 0;
        unsigned place = 0;
        unsigned vc = 0;
        std::uint64_t due = 0;
        engine::cycle wake = 0;
        for (engine::cycle now = 0; now < cycles; ++now) {
            in.clear();
            in.credit = freed;
            if (freed != 0 && !in.credit_vc.empty()) in.credit_vc = out.vc;
            due += load;
            if (due >= 1000 * (place == 0 ? 8 : 1)) {
                due -= 1000;
                in.valid = 3;
                in.head = place == 0 ? 3 : 0;
                in.tail = place == 7 ? 3 : 0;
                if (!in.vc.empty()) in.vc[0] = in.vc[1] = static_cast<std::uint8_t>(vc);
                place = (place + 1) % 8;
                if (place == 0) vc = (vc + 1) % config.vcs;
            }
            freed = 0;
            if (now < wake && in.valid == 0 && in.credit == 0) continue;
            out.clear();
            wake = cable.step(now, in, out);
            freed = out.valid;
            flits += (out.valid & 1) + (out.valid >> 1);
        }
    }
    state.counters["flits"] = benchmark::Counter(static_cast<double>(flits), benchmark::Counter::kIsRate);
    state.counters["flits_an_iteration"] =
        benchmark::Counter(static_cast<double>(flits), benchmark::Counter::kAvgIterations);
}

void arguments(benchmark::internal::Benchmark* of) {
    of->ArgNames({"load", "vcs"})->Args({0, 1})->Args({100, 1})->Args({350, 1})->Args({350, 4});
}

BENCHMARK(carry<chips::cable_core>)->Apply(arguments);
BENCHMARK(carry<chips::frame_cable>)->Apply(arguments);

}  // namespace
