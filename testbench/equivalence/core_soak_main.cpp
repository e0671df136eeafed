// SPDX-License-Identifier: Apache-2.0
/// \file polycast-core-soak: the cores of switch, router, VL switch, coding unit and broadcast router against their
/// golden models alone. Needs no Verilator, links in a moment: the seeded faults of testbench/mutants are tried with
/// it. Exit status as polycast-soak.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "hw/input_error.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/link_pair.h"
#include "testbench/equivalence/soak.h"

int main(int argc, char** argv) {
    using namespace polycast::testbench::equivalence;
    soak_options options;
    CLI::App app(
        "Compares the C++ cores of switch (core-golden), router (router-core-golden), VL switch "
        "(vl-switch-core-golden), coding unit "
        "(coding-core-golden), broadcast router (broadcast-core-golden) and link end (link-core-golden) with their "
        "golden models, pin by pin in every cycle, under random traffic");
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        const std::atomic<bool> never{false};
        return soak(
            options,
            {{"core-golden", switch_pair(core_contender(), golden_contender())},
             {"router-core-golden", router_pair(router_core_contender(), router_golden_contender())},
             {"vl-switch-core-golden", vl_switch_pair(vl_switch_core_contender(), vl_switch_golden_contender())},
             {"coding-core-golden", coding_pair(coding_core_contender(), coding_golden_contender(), true)},
             {"broadcast-core-golden", broadcast_pair(broadcast_core_contender(), broadcast_golden_contender())},
             {"link-core-golden", link_pair()}},
            [](const auto&...) {}, never);
    } catch (const polycast::hw::input_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
