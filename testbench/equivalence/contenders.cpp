// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/contenders.h"

#include "hw/chips/router_core.h"
#include "hw/chips/switch_core.h"
#include "testbench/equivalence/decision_watch.h"
#include "testbench/equivalence/golden_router.h"
#include "testbench/equivalence/golden_switch.h"
#include "testbench/equivalence/router_stimulus.h"
#include "testbench/equivalence/router_watch.h"
#include "testbench/equivalence/stimulus.h"

namespace polycast::testbench::equivalence {

using hw::chips::router_params;
using hw::chips::router_tables;
using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::format::chip_error;

namespace {

constexpr std::uint16_t all_errors = (1u << hw::format::chip_error_count) - 1;

template <typename Stimulus, typename Watch, typename Run, typename Contender>
comparison compare_chips(const Run& run, const Contender& first, const Contender& second, std::uint16_t errors) {
    return {{first.name, second.name},
            {first.make(run.params, run.tables), second.make(run.params, run.tables)},
            std::make_unique<Stimulus>(run),
            std::make_unique<Watch>(run.params, run.tables),
            run.cycles,
            errors};
}

}  // namespace

contender core_contender() {
    return {"core", [](const switch_params& params, const switch_tables& tables) {
                return std::make_unique<hw::chips::switch_core>(params, tables);
            }};
}

contender golden_contender() {
    return {"golden", [](const switch_params& params, const switch_tables& tables) {
                return std::make_unique<golden_switch>(params, tables);
            }};
}

router_contender router_core_contender() {
    return {"core", [](const router_params& params, const router_tables& tables) {
                return std::make_unique<hw::chips::router_core>(params, tables);
            }};
}

router_contender router_golden_contender() {
    return {"golden", [](const router_params& params, const router_tables& tables) {
                return std::make_unique<golden_router>(params, tables);
            }};
}

comparison compare(const run_config& config, const contender& first, const contender& second) {
    constexpr auto routers_only = static_cast<std::uint16_t>(chip_error::bad_vc);
    return compare_chips<stimulus, decision_watch>(config, first, second,
                                                   static_cast<std::uint16_t>(all_errors & ~routers_only));
}

comparison compare(const router_run& run, const router_contender& first, const router_contender& second) {
    return compare_chips<router_stimulus, router_watch>(run, first, second, all_errors);
}

}  // namespace polycast::testbench::equivalence
