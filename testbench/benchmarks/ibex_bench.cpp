// SPDX-License-Identifier: Apache-2.0
/// \file Instructions and cycles per second of the Verilated Ibex, and what one more of them takes of memory.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <vector>

#include "testbench/benchmarks/riscv_program.h"
#include "testbench/riscv/memory_bus.h"
#include "tlm/verilated/ibex_processor.h"

namespace {

using namespace polycast;

std::shared_ptr<const hw::riscv::image> make_image() {
    const std::shared_ptr<const hw::riscv::program> firmware = testbench::make_riscv_program();
    return {firmware, &firmware->source()};
}

/// Resident bytes of this process.
double resident() {
    std::size_t pages = 0;
    std::size_t skipped = 0;
    std::ifstream("/proc/self/statm") >> skipped >> pages;
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Resident bytes of one more processor, its data memory included. Comes first: later the heap has room from before.
void ibex_memory(benchmark::State& state) {
    const auto image = make_image();
    testbench::riscv::memory_bus bus;
    tlm::model_library models;
    constexpr unsigned count = 64;
    std::vector<std::unique_ptr<tlm::ibex_processor>> all;
    for (auto _ : state) {
        models.ibex();
        const double before = resident();
        for (unsigned index = 0; index < count; ++index) {
            all.push_back(std::make_unique<tlm::ibex_processor>(image, bus, models));
            all.back()->run(0, false);
        }
        state.counters["bytes"] = (resident() - before) / count;
    }
    state.counters["model_bytes"] =
        static_cast<double>(all.front()->memory_bytes()) - static_cast<double>(image->data.size());
}
BENCHMARK(ibex_memory)->Iterations(1);

/// Processors one after the other, each up to the bound of its run-ahead, as a network of interfaces calls them.
void ibex(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const auto image = make_image();
    testbench::riscv::memory_bus bus;
    tlm::model_library models;
    std::vector<std::unique_ptr<tlm::ibex_processor>> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(std::make_unique<tlm::ibex_processor>(image, bus, models));
    std::vector<hw::ni::cycle> next(count);
    for (auto _ : state)
        for (std::size_t turn = 0; turn < 64; ++turn) {
            const std::size_t i = turn % count;
            next[i] = all[i]->run(next[i], false);
        }
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
    for (const auto& one : all) {
        instructions += one->probe().instructions;
        cycles += one->probe().cycles;
    }
    state.counters["instructions"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
    state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}
BENCHMARK(ibex)->ArgName("processors")->Arg(1)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
