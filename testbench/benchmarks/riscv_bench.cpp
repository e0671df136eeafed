// SPDX-License-Identifier: Apache-2.0
/// \file Instructions per second of the instruction-set simulator: one processor, and many taking turns.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "hw/riscv/function_spans.h"
#include "hw/riscv/iss.h"
#include "hw/riscv/profile.h"
#include "hw/riscv/tools.h"
#include "testbench/riscv/assembler.h"
#include "testbench/riscv/memory_bus.h"

namespace {

using namespace polycast;
using namespace testbench::riscv;

/// What firmware does most: for each of 64 words of a table in data memory a call that loads, compares, masks, adds and
/// stores; without end.
std::shared_ptr<const hw::riscv::program> make_program() {
    assembler code;
    code << lui(s0, hw::riscv::data_base >> 12) << lui(sp, (hw::riscv::data_base >> 12) + 1);
    const std::uint32_t outer = code.here();
    code << li(s1, 64) << addi(a0, s0, 0);
    const std::uint32_t inner = code.here();
    code << jal(ra, 0x100 - static_cast<int>(inner)) << addi(a0, a0, 4) << addi(s1, s1, -1) << bne(s1, zero, -12)
         << jal(zero, static_cast<int>(outer) - static_cast<int>(inner) - 16);
    code.org(0x100) << addi(sp, sp, -16) << sw(ra, sp, 12) << lw(t0, a0, 0) << lhu(t2, a0, 2) << addi(t0, t0, 1)
                    << i_type(0x13, 5, t1, t0, 3) << i_type(0x13, 7, t1, t1, 0x7f) << beq(t1, zero, 8)
                    << add(t2, t2, t1) << sw(t0, a0, 0) << lw(ra, sp, 12) << addi(sp, sp, 16) << ret();
    const std::vector<std::uint8_t> file = executable(code).bytes();
    return std::make_shared<const hw::riscv::program>(hw::riscv::parse_image("bench.elf", file));
}

/// Processors one after the other, each up to the bound of its run-ahead, as a network of interfaces calls them.
void riscv_iss(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const auto firmware = make_program();
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
    if (all.front()->data_memory()[0] == 0) state.SkipWithError("the program did not run");
    state.counters["instructions"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
    state.counters["aim"] = count == 1 ? 100e6 : 50e6;
}
BENCHMARK(riscv_iss)->ArgName("processors")->Arg(1)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

/// With a profile and a record of functions.
void riscv_iss_observed(benchmark::State& state) {
    const auto firmware = make_program();
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
