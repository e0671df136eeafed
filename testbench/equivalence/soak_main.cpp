// SPDX-License-Identifier: Apache-2.0
/// \file polycast-soak: random comparisons of the models of switch, router, coding unit and broadcast router, a given
/// number of them, for hours, or one that is replayed. Exit status: 0 no difference, 1 a difference (with the line that
/// replays it), 2 bad arguments, 130 interrupted.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "hw/input_error.h"
#include "hw/shell_word.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/failure_waves.h"
#include "testbench/equivalence/link_pair.h"
#include "testbench/equivalence/rtl_link_model.h"
#include "testbench/equivalence/soak.h"
#include "testbench/equivalence/upset_pair.h"
#include "tlm/verilated/rtl_broadcast.h"
#include "tlm/verilated/rtl_coding.h"
#include "tlm/verilated/rtl_router.h"
#include "tlm/verilated/rtl_switch.h"
#include "tlm/verilated/rtl_vl_switch.h"

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

/// Runs the cable again and records all signals of both ends. \returns the files in words
std::string write_link_waves(const polycast::testbench::equivalence::link_line_run& what,
                             polycast::tlm::model_library& models, const std::filesystem::path& folder) {
    using namespace polycast::testbench::equivalence;
    std::filesystem::create_directories(folder);
    std::string said;
    run(what.run, [&](const polycast::hw::chips::link_config& config, unsigned end) {
        const std::string file = (folder / ("end" + std::to_string(end) + ".fst")).string();
        said += "waves of end " + std::to_string(end) + ": " + file + "\n";
        return std::make_unique<rtl_link_model>(config, what.sizes, models, file);
    });
    return said;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace polycast;
    using namespace polycast::testbench::equivalence;
    soak_options options;
    std::vector<std::string> sets;
    std::filesystem::path waves = "equivalence-waves";
    tlm::model_options models = tlm::model_options::defaults();
    models.on_message = [](const std::string& message) { std::printf("%s\n", message.c_str()), std::fflush(stdout); };
    CLI::App app(
        "Compares the C++ core of the switch with its golden model (core-golden) and its Verilated RTL (core-rtl; "
        "upset-core-rtl: stored bits of both flip), and "
        "the cores of router (router-core-golden, router-core-rtl, router-upset-core-rtl), coding unit "
        "(coding-core-golden, "
        "coding-core-rtl), broadcast router (broadcast-core-golden, broadcast-core-rtl), VL switch "
        "(vl-switch-core-golden, vl-switch-core-rtl) and link end "
        "(link-core-golden, link-core-rtl; link-upset-core-rtl: stored bits flip) with their own, pin by pin in every "
        "cycle, under random traffic");
    add_options(app, options);
    app.add_option("--set", sets,
                   "parameter set by its model name, switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_inline, "
                   "router_p5_v4x8_f16_d2x8_n0_x0_c1_inline, coding_v4x8_f16_k16_s64x8_i64_d64_l64_inline, "
                   "broadcast_p7_v2x8_f16_d2x8_n0_x0_c1_s32x8_i8_inline, "
                   "vl_switch_p4_v2_f4_c16x4_l40_g8_r4_x0_inline, link_end_v1_f16_h0_n8_r64_w19_s20_inline; drawn "
                   "at random without any of its kind");
    app.add_option("--waves", waves, "folder for the waves of a failure; none if empty");
    app.add_option("--own-rtl", models.own_rtl, "folder with SystemVerilog in place of ours, rtl/own.md")
        ->check(CLI::ExistingDirectory);
    app.add_option("--optimize", models.optimize, "for the C++ compiler of models that are built");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    const char* command = std::getenv("POLYCAST_COMMAND");
    options.again = command != nullptr ? std::string(command) + " soak" : hw::shell_word(argv[0]);
    if (!models.own_rtl.empty()) options.more = " --own-rtl " + hw::shell_word(models.own_rtl.string());
    std::signal(SIGINT, [](int) { interrupted = true; });
    std::signal(SIGTERM, [](int) { interrupted = true; });
    try {
        using namespace hw::chips;
        std::tuple<std::vector<switch_params>, std::vector<router_params>, std::vector<coding_params>,
                   std::vector<broadcast_params>, std::vector<link_end_params>, std::vector<vl_switch_params>>
            by_chip;
        for (const std::string& set : sets)
            tlm::with_params_of_model(set, [&]<class Params>(const Params& params) {
                std::get<std::vector<Params>>(by_chip).push_back(params);
            });
        const auto& [switch_sets, router_sets, coding_sets, broadcast_sets, link_sets, vl_switch_sets] = by_chip;
        tlm::model_library library(models);
        const contender rtl{"rtl",
                            [&library](const hw::chips::switch_params& params, const hw::chips::switch_tables& tables) {
                                return std::make_unique<tlm::rtl_switch>(params, tables, library);
                            }};
        const router_contender router_rtl{
            "rtl", [&library](const hw::chips::router_params& params, const hw::chips::router_tables& tables) {
                return std::make_unique<tlm::rtl_router>(params, tables, library);
            }};
        const coding_contender coding_rtl{
            "rtl", [&library](const hw::chips::coding_params& params, const hw::chips::coding_registers& registers) {
                return std::make_unique<tlm::rtl_coding>(params, registers, library);
            }};
        const broadcast_contender broadcast_rtl{
            "rtl",
            [&library](const hw::chips::broadcast_params& params, const hw::chips::broadcast_registers& registers) {
                return std::make_unique<tlm::rtl_broadcast>(params, registers, library);
            }};
        const vl_switch_contender vl_switch_rtl{
            "rtl", [&library](const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables) {
                return std::make_unique<tlm::rtl_vl_switch>(params, tables, library);
            }};
        const auto link_rtl = [&library](const hw::chips::link_config& config, const link_end_params& sizes) {
            return std::make_unique<rtl_link_model>(config, sizes, library);
        };
        // Waves show chips alone: there are none of pairs in which bits flip.
        const auto save = [&](const std::string& pair, const std::string& line, const difference& found) {
            if (waves.empty()) return;
            std::string files;
            if (line.starts_with(link_line)) {
                const bool upsets = pair == "link-upset-core-rtl";
                if (upsets || pair == "link-core-rtl")
                    files = write_link_waves(link_run_from_line(line, upsets), library, waves);
            } else if (line.starts_with(vl_switch_line)) {
                const vl_switch_contender second =
                    pair == "vl-switch-core-rtl" ? vl_switch_rtl : vl_switch_golden_contender();
                files =
                    write_waves(vl_switch_run_from_line(line), vl_switch_core_contender(), second, found.cycle, waves);
            } else if (line.starts_with(broadcast_line)) {
                const broadcast_contender second =
                    pair == "broadcast-core-rtl" ? broadcast_rtl : broadcast_golden_contender();
                files =
                    write_waves(broadcast_run_from_line(line), broadcast_core_contender(), second, found.cycle, waves);
            } else if (line.starts_with(router_line)) {
                if (pair == "router-upset-core-rtl") return;
                const router_contender second = pair == "router-core-rtl" ? router_rtl : router_golden_contender();
                files = write_waves(router_run_from_line(line), router_core_contender(), second, found.cycle, waves);
            } else if (line.starts_with(coding_line)) {
                const coding_contender second = pair == "coding-core-rtl" ? coding_rtl : coding_golden_contender();
                files = write_waves(coding_run_from_line(line), coding_core_contender(), second, found.cycle, waves);
            } else {
                if (pair == "upset-core-rtl") return;
                const contender second = pair == "core-rtl" ? rtl : golden_contender();
                files = write_waves(switch_run_from_line(line), core_contender(), second, found.cycle, waves);
            }
            std::printf("%s", files.c_str());
        };
        return soak(
            options,
            {{"core-golden", switch_pair(core_contender(), golden_contender(), switch_sets)},
             {"core-rtl", switch_pair(core_contender(), rtl, switch_sets)},
             {"upset-core-rtl", upset_pair(core_contender(), rtl, switch_sets)},
             {"router-core-golden", router_pair(router_core_contender(), router_golden_contender(), router_sets)},
             {"router-core-rtl", router_pair(router_core_contender(), router_rtl, router_sets)},
             {"router-upset-core-rtl", upset_pair(router_core_contender(), router_rtl, router_sets)},
             {"coding-core-golden", coding_pair(coding_core_contender(), coding_golden_contender(), true, coding_sets)},
             {"coding-core-rtl", coding_pair(coding_core_contender(), coding_rtl, false, coding_sets)},
             {"broadcast-core-golden",
              broadcast_pair(broadcast_core_contender(), broadcast_golden_contender(), broadcast_sets)},
             {"broadcast-core-rtl", broadcast_pair(broadcast_core_contender(), broadcast_rtl, broadcast_sets)},
             {"vl-switch-core-golden",
              vl_switch_pair(vl_switch_core_contender(), vl_switch_golden_contender(), vl_switch_sets)},
             {"vl-switch-core-rtl", vl_switch_pair(vl_switch_core_contender(), vl_switch_rtl, vl_switch_sets)},
             {"link-core-golden", link_pair({}, link_sets)},
             {"link-core-rtl", link_pair(link_rtl, link_sets)},
             {"link-upset-core-rtl", link_upset_pair(link_rtl, link_sets)}},
            save, interrupted);
    } catch (const hw::input_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
