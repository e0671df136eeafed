// SPDX-License-Identifier: Apache-2.0
/// \file Cycles per second of a switch behind the C interface for DPI, beside those of the core alone, on the same
/// recorded traffic in turn.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/chips/switch/switch_core.h"
#include "testbench/benchmarks/recorded_traffic.h"
#include "tlm/dpi/pin_layout.h"
#include "tlm/dpi/polycast_dpi.h"

namespace {

using namespace polycast;

constexpr unsigned recorded_cycles = 20000;

/// What a caller does in a cycle.
enum class calls : std::int64_t { step, outputs, compare };

struct destroyer {
    void operator()(void* model) const { polycast_dpi_destroy(model); }
};

std::string tables_of(const hw::chips::switch_params& p, const hw::chips::switch_tables& t) {
    const auto list = [](std::size_t count, auto&& value) {
        std::string text;
        for (std::size_t index = 0; index < count; ++index)
            text.append(text.empty() ? "[" : ", ").append(std::to_string(static_cast<std::uint64_t>(value(index))));
        return text + "]";
    };
    return "{\"route_delay\": " + std::to_string(t.route_delay) +
           ", \"packet_limit\": " + std::to_string(t.packet_limit) +
           ", \"tree_header_flits\": " + std::to_string(t.tree_header_flits) +
           ", \"port_direction\": " + list(p.ports, [&](std::size_t i) { return t.port_direction[i]; }) +
           ", \"buffer_chunks\": " + list(p.ports, [&](std::size_t i) { return t.buffer_chunks[i]; }) +
           ", \"credits\": " + list(p.ports, [&](std::size_t i) { return t.credits[i]; }) +
           ", \"unicast_up\": " + list(p.max_hosts, [&](std::size_t i) { return t.unicast_up[i]; }) +
           ", \"unicast_down\": " + list(p.max_hosts, [&](std::size_t i) { return t.unicast_down[i]; }) + "}";
}

/// Input pins of each cycle in words.
std::vector<std::vector<std::uint32_t>> vectors(const testbench::recorded_traffic& traffic,
                                                const tlm::dpi::pin_layout& layout,
                                                const hw::engine::pin_shape& shape) {
    const tlm::dpi::pin_codec codec(layout, shape, "_i");
    std::vector<std::vector<std::uint32_t>> all;
    for (const hw::engine::pins& in : traffic.cycles) {
        tlm::dpi::bit_vector bits(layout.input_bits());
        codec.pack(in, bits);
        std::vector<std::uint32_t>& words = all.emplace_back(POLYCAST_DPI_CHUNK_BITS / 32);
        bits.copy_out(0, POLYCAST_DPI_CHUNK_BITS, words.data());
    }
    return all;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The load is in percent.
void dpi_against_core(benchmark::State& state) {
    testbench::recording_params params;
    params.chip.ports = params.chip.read_ports = static_cast<unsigned>(state.range(0));
    params.load = static_cast<double>(state.range(1)) / 100;
    const auto what = static_cast<calls>(state.range(2));
    const testbench::recorded_traffic traffic = testbench::record_traffic(params, recorded_cycles);
    const hw::chips::switch_tables tables = testbench::star_tables(params.chip);
    const std::string parameters = "{\"ports\": " + std::to_string(params.chip.ports) +
                                   ", \"read_ports\": " + std::to_string(params.chip.ports) + "}";
    const std::unique_ptr<void, destroyer> model(
        polycast_dpi_create("switch", "", parameters.c_str(), tables_of(params.chip, tables).c_str()));
    const std::uint32_t inputs = polycast_dpi_input_bits(model.get());
    const std::uint32_t outputs = polycast_dpi_output_bits(model.get());
    if (inputs == 0) return state.SkipWithError(polycast_dpi_error(model.get()));
    const tlm::dpi::pin_layout layout(hw::chips::pins_of(params.chip));
    const auto in = vectors(traffic, layout, params.chip.pin_shape());
    std::vector<std::uint32_t> device(POLYCAST_DPI_CHUNK_BITS / 32);

    hw::chips::switch_core core(params.chip, tables);
    hw::engine::pins out(core.shape());
    double core_seconds = 0;
    double dpi_seconds = 0;
    for (auto _ : state) {
        core.reset();
        auto begin = std::chrono::steady_clock::now();
        for (unsigned now = 0; now < recorded_cycles; ++now) {
            out.clear();
            core.step(now, traffic.cycles[now], out);
            benchmark::DoNotOptimize(out.valid);
        }
        core_seconds += seconds_since(begin);
        polycast_dpi_reset(model.get());
        begin = std::chrono::steady_clock::now();
        int status = 0;
        for (const std::vector<std::uint32_t>& words : in) {
            if (what != calls::step) status |= polycast_dpi_get_outputs(model.get(), outputs, 0, device.data());
            if (what == calls::compare) {
                status |= polycast_dpi_put_device(model.get(), outputs, 0, device.data());
                status |= polycast_dpi_compare(model.get(), 0);
            }
            status |= polycast_dpi_put_inputs(model.get(), inputs, 0, words.data());
            status |= polycast_dpi_step(model.get());
        }
        dpi_seconds += seconds_since(begin);
        if (status != POLYCAST_DPI_OK) return state.SkipWithError(polycast_dpi_error(model.get()));
    }
    const auto cycles = static_cast<double>(state.iterations()) * recorded_cycles;
    state.counters["core_ns"] = core_seconds / cycles * 1e9;
    state.counters["dpi_ns"] = dpi_seconds / cycles * 1e9;
}
BENCHMARK(dpi_against_core)
    ->ArgNames({"ports", "load", "calls"})
    ->ArgsProduct({{8},
                   {25, 100},
                   {static_cast<std::int64_t>(calls::step), static_cast<std::int64_t>(calls::outputs),
                    static_cast<std::int64_t>(calls::compare)}});

}  // namespace
