// SPDX-License-Identifier: Apache-2.0
/// \file Cycles of the instruction-set simulator against those of the Verilated Ibex, routine by routine:
///     riscv_ibex_table PROGRAMS.elf [--limit PERCENT]
/// Prints the table of rtl/ibex/README.md. Exit status: 0; 1 where they differ in what they do, or by more than the
/// limit in the cycles of a routine; 2 for a file that cannot be read.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>

#include "hw/input_error.h"
#include "testbench/riscv/ibex_lockstep.h"

namespace polycast::testbench::riscv {
namespace {

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

/// \returns the routines beyond the limit.
unsigned report(const std::string& title, const routines& measured, double limit) {
    fmt::print("\n{}\n\n{}", title, routine_table(measured));
    unsigned beyond = 0;
    for (const auto& [name, cycles] : measured) {
        if (std::abs(cycles.difference()) <= limit) continue;
        fmt::print("{}: more than {:.1f} %\n", name, 100 * limit);
        ++beyond;
    }
    return beyond;
}

int run(const std::string& file, double limit) {
    tlm::model_library models;
    routines compiled;
    const bool same = measure("programs", programs(file), models, compiled);
    const unsigned beyond = report("Compiled programs", compiled, limit);
    return same && beyond == 0 && !compiled.empty() ? 0 : 1;
}

}  // namespace
}  // namespace polycast::testbench::riscv

int main(int argc, char** argv) {
    double limit = 0.02;
    if (argc == 4 && std::string(argv[2]) == "--limit") {
        limit = std::atof(argv[3]) / 100;
    } else if (argc != 2) {
        fmt::print(stderr, "usage: riscv_ibex_table PROGRAMS.elf [--limit PERCENT]\n");
        return 2;
    }
    try {
        return polycast::testbench::riscv::run(argv[1], limit);
    } catch (const polycast::hw::input_error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
