// SPDX-License-Identifier: Apache-2.0
/// \file The data path of the network interface alone: packets per second through two interfaces back to back, and what
/// an interface that does nothing costs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "hw/engine/network.h"
#include "hw/format/header.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/network_interface.h"

namespace {

using namespace polycast::hw;
using engine::cycle;

/// A processor that takes no time and does the least that moves packets: one end sends without pause, the other gives
/// all it gets to its host.
class mover final : public ni::processor {
public:
    mover(const ni::ni_params& params, ni::processor_bus& bus)
        : bus_(bus), sends_(params.host == 0), slot_bytes_(ni::slot_bytes(params)), payload_(params.payload_bytes) {}

    void reset(cycle) override {}
    cycle run(cycle until, bool interrupt) override {
        now_ = until;
        if (!started_) {
            started_ = true;
            store(NI_INTERRUPT_ENABLE, 1);
            store(NI_DMA_LENGTH, payload_);
            store(NI_LINK_DESTINATION, 1);
            // Two under way keep bus and link busy.
            if (sends_) fetch(load(NI_SLOT_ALLOCATE));
            if (sends_) fetch(load(NI_SLOT_ALLOCATE));
        }
        if (!interrupt) return engine::never;
        while (const std::uint32_t event = load(NI_EVENT)) {
            const std::uint32_t argument = event & NI_EVENT_ARGUMENT_MASK;
            if (event >> NI_EVENT_KIND_SHIFT == NI_EVENT_DMA_DONE) {
                store(NI_LINK_PUSH, argument | NI_LINK_PUSH_SEAL_MASK);
                fetch(load(NI_SLOT_ALLOCATE));
            } else if (event >> NI_EVENT_KIND_SHIFT == NI_EVENT_PACKET) {
                store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + argument * slot_bytes_ + 64);
                store(NI_DMA_PUSH, NI_DMA_PUSH_TO_HOST_MASK | NI_DMA_PUSH_RELEASE_SLOT_MASK);
            }
        }
        return engine::never;
    }
    ni::processor_probe probe() const override { return {}; }

private:
    std::uint32_t load(std::uint32_t address) {
        std::uint32_t value = 0;
        static_cast<void>(bus_.load(now_, address, 4, value));
        return value;
    }
    void store(std::uint32_t address, std::uint32_t value) { static_cast<void>(bus_.store(now_, address, 4, value)); }
    void fetch(std::uint32_t slot) {
        store(NI_PACKET_MEMORY_BASE + slot * slot_bytes_, payload_ << 16);
        store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + slot * slot_bytes_ + 64);
        store(NI_DMA_PUSH, NI_DMA_PUSH_NOTIFY_MASK | slot);
    }

    ni::processor_bus& bus_;
    bool sends_;
    std::uint32_t slot_bytes_;
    std::uint32_t payload_;
    bool started_ = false;
    cycle now_ = 0;
};

/// An interface and 64 KiB of host memory, all of it in one window.
class bench_chip final : public engine::chip, private ni::host_side {
public:
    explicit bench_chip(const ni::ni_params& params)
        : shape_(params.pin_shape()),
          interface_(params, time_, *this, nullptr,
                     [](const ni::ni_params& own, ni::processor_bus& bus, ni::observer*) {
                         return std::make_unique<mover>(own, bus);
                     }) {
        // LOW, HIGH, BYTES (65536), ALLOW (3) of window 0.
        constexpr std::array<std::uint8_t, 16> window{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0};
        constexpr std::array<std::uint8_t, 4> enabled{NI_HOST_GRANT_RIGHTS_ENABLE_MASK, 0, 0, 0};
        interface_.host_write(0, NI_HOST_GRANT_BASE + NI_HOST_GRANT_WINDOW_BASE, window);
        interface_.host_write(0, NI_HOST_GRANT_BASE + NI_HOST_GRANT_RIGHTS, enabled);
    }
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override { interface_.reset(time_.now()); }
    cycle step(cycle now, const engine::pins& in, engine::pins& out) override {
        interface_.receive(now, in, out, 0);
        time_.run(now + 1);
        interface_.transmit(now, out, 0);
        if (interface_.sending()) return now + 1;
        return time_.next() == engine::never ? engine::never : std::max(time_.next() - 1, now + 1);
    }
    bool idle() const override { return interface_.idle(); }
    const ni::network_interface& interface() const { return interface_; }

private:
    ni::host_answer dma_read(cycle, unsigned, std::uint64_t address, std::span<std::uint8_t> bytes) override {
        std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(address), bytes.size(), bytes.begin());
        return ni::host_answer::done;
    }
    ni::host_answer dma_write(cycle, unsigned, std::uint64_t address, std::span<const std::uint8_t> bytes) override {
        std::ranges::copy(bytes, memory_.begin() + static_cast<std::ptrdiff_t>(address));
        return ni::host_answer::done;
    }
    void completion(cycle, unsigned) override {}
    void command_space(cycle, unsigned) override {}
    bool count(cycle, unsigned, unsigned) override { return false; }

    engine::pin_shape shape_;
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(65536);
    ni::timeline time_;
    ni::network_interface interface_;
};

ni::ni_params params_of(std::uint32_t host, unsigned payload, unsigned flit_bytes, bool header_free) {
    ni::ni_params params;
    params.host = host;
    params.hosts = 32;
    params.payload_bytes = payload;
    params.flit_bytes = flit_bytes;
    params.header_bytes = header_free ? format::free_header_bytes(params.header_shape()) : 0;
    return params;
}

/// Payload and flits in bytes. A packet is fetched, sent, checked, delivered.
void ni_stream(benchmark::State& state) {
    engine::network network;
    for (std::uint32_t host = 0; host < 2; ++host)
        network.add(std::make_unique<bench_chip>(params_of(host, static_cast<unsigned>(state.range(0)),
                                                           static_cast<unsigned>(state.range(1)), state.range(2) != 0)),
                    "host");
    network.connect({0, 0}, {1, 0}, {.delay = 1, .chunk_flits = 8});
    for (auto _ : state) network.run(network.now() + 10000);
    const auto& receiver = static_cast<const bench_chip&>(network.at(1)).interface();
    if (receiver.statistics().errors != 0 || receiver.statistics().transfers_refused != 0)
        state.SkipWithError("the packets did not arrive");
    const auto packets = static_cast<double>(receiver.statistics().packets_in);
    state.counters["packets"] = benchmark::Counter(packets, benchmark::Counter::kIsRate);
    state.counters["cycles"] = benchmark::Counter(static_cast<double>(network.now()), benchmark::Counter::kIsRate);
    state.counters["bytes"] = static_cast<double>(receiver.memory_bytes());
}
BENCHMARK(ni_stream)
    ->ArgNames({"payload", "flit", "free"})
    ->Args({128, 1, 1})
    ->Args({128, 1, 0})
    ->Args({128, 8, 1})
    ->Args({2048, 1, 1})
    ->Args({2048, 16, 1});

/// Interfaces made, booted and never used; `bytes`: of one, processor not counted.
void ni_idle(benchmark::State& state) {
    const auto interfaces = static_cast<std::uint32_t>(state.range(0));
    double bytes = 0;
    for (auto _ : state) {
        std::vector<std::unique_ptr<bench_chip>> chips;
        for (std::uint32_t host = 0; host < interfaces; ++host) {
            ni::ni_params params = params_of(1, 128, 1, true);
            chips.push_back(std::make_unique<bench_chip>(params));
            engine::pins quiet(chips.back()->shape());
            engine::pins out(chips.back()->shape());
            chips.back()->step(0, quiet, out);
        }
        bytes = static_cast<double>(chips.back()->interface().memory_bytes());
    }
    state.counters["interfaces"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * interfaces, benchmark::Counter::kIsRate);
    state.counters["bytes"] = bytes;
}
BENCHMARK(ni_idle)->ArgName("interfaces")->Arg(1024);

}  // namespace
