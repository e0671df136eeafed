// SPDX-License-Identifier: Apache-2.0
/// \file polycast-core-soak: the core against its golden model alone. Needs no Verilator, links in a moment: the seeded
/// faults of testbench/mutants are tried with it. Exit status as polycast-soak.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "hw/input_error.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/soak.h"

int main(int argc, char** argv) {
    using namespace polycast::testbench::equivalence;
    soak_options options;
    CLI::App app(
        "Compares the C++ core of the switch with its golden model, pin by pin in every cycle, under random traffic");
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        const std::atomic<bool> never{false};
        return soak(
            options, {{"core-golden", {core_contender(), golden_contender()}}}, [](const auto&...) {}, never);
    } catch (const polycast::hw::input_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
