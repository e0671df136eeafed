// SPDX-License-Identifier: Apache-2.0
/// \file The chips of the comparisons that need no Verilator, and comparisons of two.
#pragma once

#include "hw/chips/router_config.h"
#include "hw/chips/switch_config.h"
#include "testbench/equivalence/lockstep.h"
#include "testbench/equivalence/router_run.h"
#include "testbench/equivalence/run_config.h"

namespace polycast::testbench::equivalence {

using contender = contender_of<hw::chips::switch_params, hw::chips::switch_tables>;
using router_contender = contender_of<hw::chips::router_params, hw::chips::router_tables>;

contender core_contender();
contender golden_contender();
router_contender router_core_contender();
router_contender router_golden_contender();

/// Two switches, or two routers, ready to be compared.
comparison compare(const run_config& config, const contender& first, const contender& second);
comparison compare(const router_run& run, const router_contender& first, const router_contender& second);

}  // namespace polycast::testbench::equivalence
