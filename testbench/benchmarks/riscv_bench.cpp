// SPDX-License-Identifier: Apache-2.0
/// \file Instructions per second of the instruction-set simulator: one processor, and many taking turns.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <vector>

#include "hw/riscv/function_spans.h"
#include "hw/riscv/iss.h"
#include "hw/riscv/profile.h"
#include "hw/riscv/tools.h"
#include "testbench/benchmarks/riscv_program.h"
#include "testbench/riscv/memory_bus.h"

namespace {

using namespace polycast;
using namespace testbench::riscv;

/// Processors one after the other, each up to the bound of its run-ahead, as a network of interfaces calls them.
void riscv_iss(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const auto firmware = testbench::make_riscv_program();
    memory_bus bus;
    std::vector<std::unique_ptr<hw::riscv::iss>> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(std::make_unique<hw::riscv::iss>(firmware, bus));
    std::vector<hw::ni::cycle> next(count);
    for (auto _ : state)
        for (std::size_t turn = 0; turn < 256; ++turn) {
            const std::size_t i = turn % count;
            next[i] = all[i]->run(next[i], false);
        }
    std::uint64_t instructions = 0;
    for (const auto& one : all) instructions += one->probe().instructions;
    // The program counts in the words of its table.
    std::uint32_t counted = 0;
    std::memcpy(&counted, all.front()->data_memory().data(), sizeof counted);
    if (counted == 0) state.SkipWithError("the program did not run");
    state.counters["instructions"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
    state.counters["aim"] = count == 1 ? 100e6 : 50e6;
}
BENCHMARK(riscv_iss)->ArgName("processors")->Arg(1)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

/// With a profile and a record of functions.
void riscv_iss_observed(benchmark::State& state) {
    const auto firmware = testbench::make_riscv_program();
    memory_bus bus;
    hw::riscv::iss cpu(firmware, bus);
    hw::riscv::profiler profile(*firmware);
    hw::riscv::span_recorder spans(*firmware);
    hw::riscv::observer_list both;
    both.add(profile);
    both.add(spans);
    cpu.attach(&both);
    hw::ni::cycle next = 0;
    for (auto _ : state) next = cpu.run(next, false);
    state.counters["instructions"] =
        benchmark::Counter(static_cast<double>(cpu.probe().instructions), benchmark::Counter::kIsRate);
}
BENCHMARK(riscv_iss_observed)->Unit(benchmark::kMillisecond);

}  // namespace
