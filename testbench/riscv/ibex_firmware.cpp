// SPDX-License-Identifier: Apache-2.0
#include "testbench/riscv/ibex_firmware.h"

#include <stdexcept>
#include <utility>

#include "hw/riscv/iss.h"
#include "testbench/ni/star_bench.h"
#include "testbench/ni/traffic.h"

namespace polycast::testbench::riscv {

namespace {

class recording_bus final : public hw::ni::processor_bus {
public:
    recording_bus(hw::ni::processor_bus& bus, recording& log) : bus_(bus), log_(log) {}

    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override {
        const bool good = bus_.load(when, address, bytes, value);
        log_.accesses.push_back({{when, address, value, bytes, false}, good});
        return good;
    }
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override {
        const bool good = bus_.store(when, address, bytes, value);
        log_.accesses.push_back({{when, address, value, bytes, true}, good});
        return good;
    }

private:
    hw::ni::processor_bus& bus_;
    recording& log_;
};

class recording_processor final : public hw::ni::processor {
public:
    recording_processor(std::shared_ptr<const hw::riscv::program> firmware, hw::ni::processor_bus& bus, recording& log)
        : log_(log), bus_(bus, log), cpu_(std::move(firmware), bus_) {}

    void reset(cycle now) override {
        if (now != 0) throw std::logic_error("a recording begins with cycle 0");
        log_ = {};
        called_ = false;
        cpu_.reset(now);
    }
    cycle run(cycle until, bool interrupt) override {
        const bool before = !log_.line.empty() && log_.line.back().high;
        // Called again for a cycle, unless asleep, the processor has made that cycle with the level from before.
        const bool again = called_ && log_.end == until && !cpu_.asleep(until);
        if (interrupt != before) log_.line.push_back({again ? until + 1 : until, interrupt});
        called_ = true;
        log_.end = until;
        return cpu_.run(until, interrupt);
    }
    hw::ni::processor_probe probe() const override { return cpu_.probe(); }

private:
    recording& log_;
    recording_bus bus_;
    hw::riscv::iss cpu_;
    bool called_ = false;
};

}  // namespace

std::vector<std::shared_ptr<const recording>> record_firmware(std::shared_ptr<const hw::riscv::program> firmware,
                                                              hw::ni::wait_mode wait) {
    std::vector<std::shared_ptr<recording>> logs;
    const auto factory_of = [&](std::uint32_t) -> hw::ni::processor_factory {
        const auto log = logs.emplace_back(std::make_shared<recording>());
        return [firmware, log](const hw::ni::ni_params&, hw::ni::processor_bus& bus, hw::ni::observer*) {
            return std::make_unique<recording_processor>(firmware, bus, *log);
        };
    };
    ni::star_params params;
    params.wait = wait;
    ni::star_bench bench(params, factory_of);
    ni::all_traffic(bench);
    const ni::observation seen = bench.run();
    if (!seen.unfinished.empty()) throw std::logic_error("unfinished: " + seen.unfinished.front());
    return {logs.begin(), logs.end()};
}

}  // namespace polycast::testbench::riscv
