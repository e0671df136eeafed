// SPDX-License-Identifier: Apache-2.0
/// \file Programs: how fast files are read, and events per second of the reference machine.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "hw/programs/loggops.h"
#include "hw/programs/program_file.h"

namespace {

using namespace polycast::hw::programs;

/// Each rank sends to the next one and receives from the one before, again and again.
std::string text_of(std::uint32_t ranks, std::uint32_t exchanges) {
    std::string text = fmt::format("num_ranks {}\n", ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        text += fmt::format("rank {} {{\n", rank);
        for (std::uint32_t i = 0; i < exchanges; ++i) {
            text += fmt::format("s{}: send 64b to {} tag {}\nr{}: recv 64b from {} tag {}\n", i, (rank + 1) % ranks,
                                i % 1000, i, (rank + ranks - 1) % ranks, i % 1000);
            if (i != 0) text += fmt::format("s{} requires r{}\n", i, i - 1);
        }
        text += "}\n";
    }
    return text;
}

std::string binary_of(const program& made) {
    std::string bytes;
    write_program(made, program_format::goal_binary, [&](std::string_view piece) { bytes += piece; });
    return bytes;
}

std::string step_of(unsigned number, const char* type, unsigned chunk) {
    return fmt::format(R"(<step s="{}" type="{}" srcbuf="o" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1" )", number, type,
                       chunk, chunk) +
           R"(depid="-1" deps="-1" hasdep="0"/>)"
           "\n";
}

/// An allgather on a ring, as MSCCL's tools write it: a chunk a rank.
std::string xml_of(unsigned ranks) {
    std::string text = fmt::format(
        R"(<algo name="ring" proto="Simple" nchannels="1" nchunksperloop="{0}" ngpus="{0}" coll="allgather" )", ranks);
    text += "inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\">\n";
    for (unsigned rank = 0; rank < ranks; ++rank) {
        text += fmt::format(R"(<gpu id="{}" i_chunks="0" o_chunks="{}" s_chunks="0"><tb id="0" send="{}" recv="{}" )",
                            rank, ranks, (rank + 1) % ranks, (rank + ranks - 1) % ranks);
        text += "chan=\"0\">\n" + step_of(0, "s", rank);
        for (unsigned step = 1; step < ranks; ++step)
            text += step_of(step, step + 1 < ranks ? "rcs" : "r", (rank + ranks - step) % ranks);
        text += "</tb></gpu>\n";
    }
    return text + "</algo>\n";
}

void read(benchmark::State& state, const std::string& bytes, double aim) {
    std::uint64_t operations = 0;
    for (auto _ : state) operations += read_program_bytes("bench", bytes).operations();
    state.counters["operations"] = benchmark::Counter(static_cast<double>(operations), benchmark::Counter::kIsRate);
    state.counters["bytes"] = benchmark::Counter(static_cast<double>(bytes.size() * state.iterations()),
                                                 benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
    state.counters["aim"] = aim;
}

void program_goal(benchmark::State& state) {
    read(state, text_of(64, 4000), 50e6);
}
BENCHMARK(program_goal)->Unit(benchmark::kMillisecond);

void program_goal_binary(benchmark::State& state) {
    read(state, binary_of(read_program_bytes("bench", text_of(64, 4000))), 500e6);
}
BENCHMARK(program_goal_binary)->Unit(benchmark::kMillisecond);

/// 640 KB in 50 ms.
void program_msccl(benchmark::State& state) {
    read(state, xml_of(70), 640e3 / 0.05);
}
BENCHMARK(program_msccl)->Unit(benchmark::kMillisecond);

void program_loggops(benchmark::State& state) {
    const program made = read_program_bytes("bench", text_of(1024, 100));
    std::uint64_t events = 0;
    for (auto _ : state) {
        const loggops_result result = run_loggops(made, {});
        if (result.stuck) state.SkipWithError("the program did not end");
        events += result.events;
    }
    state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
    state.counters["aim"] = 2e6;
}
BENCHMARK(program_loggops)->Unit(benchmark::kMillisecond);

}  // namespace
