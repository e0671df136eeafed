// SPDX-License-Identifier: Apache-2.0
/// \file Cycles of the instruction-set simulator against those of the Verilated Ibex, routine by routine:
///     riscv_ibex_table PROGRAMS.elf FIRMWARE.elf [PAGE]
/// Prints, or writes behind the marker line of a page such as hw/riscv/timing.md, two tables: compiled programs, and
/// the firmware of six hosts with all that testbench/ni makes them do, in each way of waiting. Exit status: 0; 1 where
/// they differ in what they do, or by more than the limit in the cycles of a routine; 2 for a file that cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "hw/input_error.h"
#include "testbench/riscv/ibex_firmware.h"
#include "testbench/riscv/ibex_lockstep.h"

namespace polycast::testbench::riscv {
namespace {

/// Differences beyond this are an error.
constexpr double limit = 0.02;
constexpr const char* marker = "<!-- made by riscv_ibex_table -->";

using routines = std::map<std::string, routine_cycles>;

/// \returns false when the two do different things.
bool measure(const std::string& name, const lockstep_run& run, tlm::model_library& models, routines& sum) {
    const lockstep_result result = run_lockstep(run, models);
    fmt::print("{}: {} instructions, {} cycles\n{}", name, result.instructions, result.cycles, result.drift);
    if (!result.difference.empty()) fmt::print("{}: {}\n", name, result.difference);
    add_routines(sum, result);
    return result.difference.empty();
}

/// The compiled programs wait for interrupts: these come often enough, and at odd times.
lockstep_run programs(const std::string& file) {
    std::vector<cycle> rises;
    for (cycle at = 1000; at < 1'000'000; at += 300 + at * 7919 % 401) rises.push_back(at);
    return {hw::riscv::load_program(file), [rises] { return std::make_unique<timed_bus>(rises); }, 1'000'000};
}

struct waiting {
    const char* name;
    hw::ni::wait_mode mode;
    std::size_t hosts;  ///< the first ones
    cycle end;          ///< at the latest
};

/// Polling never rests: a part of it says everything.
constexpr waiting ways_to_wait[] = {{"sleep", hw::ni::wait_mode::sleep, 6, 1u << 30},
                                    {"interrupt", hw::ni::wait_mode::interrupt, 6, 1u << 30},
                                    {"poll", hw::ni::wait_mode::poll, 1, 500'000}};

bool measure_firmware(const std::string& file, tlm::model_library& models, routines& sum) {
    const std::shared_ptr<const hw::riscv::program> firmware = hw::riscv::load_program(file);
    bool same = true;
    for (const waiting& way : ways_to_wait) {
        const auto logs = record_firmware(firmware, way.mode);
        for (std::size_t host = 0; host < way.hosts; ++host) {
            const lockstep_run run = {firmware, [log = logs[host]] { return std::make_unique<replay_bus>(log); },
                                      std::min(logs[host]->end, way.end)};
            same = measure(fmt::format("firmware, {}, host {}", way.name, host), run, models, sum) && same;
        }
    }
    return same;
}

std::string titled(const std::string& title, const routines& measured) {
    return fmt::format("## {}\n\n{}\n", title, routine_table(measured));
}

/// \returns how many routines are beyond the limit.
unsigned beyond_limit(const routines& measured) {
    unsigned beyond = 0;
    for (const auto& [name, cycles] : measured) {
        if (std::abs(cycles.difference()) <= limit) continue;
        fmt::print("{}: more than {:.1f} %\n", name, 100 * limit);
        ++beyond;
    }
    return beyond;
}

/// Replaces what comes after the marker.
void write_page(const std::string& page, const std::string& tables) {
    std::ifstream in(page);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::size_t at = text.find(marker);
    if (at == std::string::npos)
        throw hw::input_error(page, {}, fmt::format("has no line \"{}\"", marker), "the tables go behind it");
    std::ofstream(page) << text.substr(0, at) << marker << "\n" << tables;
}

int run(const std::string& programs_file, const std::string& firmware_file, const std::string& page) {
    tlm::model_library models;
    routines compiled;
    routines firmware;
    bool same = measure("programs", programs(programs_file), models, compiled);
    same = measure_firmware(firmware_file, models, firmware) && same;
    const std::string tables = titled("Compiled programs", compiled) + titled("Firmware", firmware);
    if (page.empty()) {
        fmt::print("\n{}", tables);
    } else {
        write_page(page, tables.substr(0, tables.size() - 1));
    }
    const unsigned beyond = beyond_limit(compiled) + beyond_limit(firmware);
    return same && beyond == 0 && !compiled.empty() && !firmware.empty() ? 0 : 1;
}

}  // namespace
}  // namespace polycast::testbench::riscv

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        fmt::print(stderr, "usage: riscv_ibex_table PROGRAMS.elf FIRMWARE.elf [PAGE]\n");
        return 2;
    }
    try {
        return polycast::testbench::riscv::run(argv[1], argv[2], argc == 4 ? argv[3] : "");
    } catch (const polycast::hw::input_error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
