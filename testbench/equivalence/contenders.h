// SPDX-License-Identifier: Apache-2.0
/// \file The chips of the comparisons that need no Verilator, and comparisons of two.
#pragma once

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/coding/coding_config.h"
#include "hw/chips/router/router_config.h"
#include "hw/chips/switch/switch_config.h"
#include "hw/chips/vl_switch/vl_switch_config.h"
#include "testbench/equivalence/broadcast_run.h"
#include "testbench/equivalence/coding_run.h"
#include "testbench/equivalence/lockstep.h"
#include "testbench/equivalence/router_run.h"
#include "testbench/equivalence/switch_run.h"
#include "testbench/equivalence/vl_switch_run.h"

namespace polycast::testbench::equivalence {

using contender = contender_of<hw::chips::switch_params, hw::chips::switch_tables>;
using router_contender = contender_of<hw::chips::router_params, hw::chips::router_tables>;
using coding_contender = contender_of<hw::chips::coding_params, hw::chips::coding_registers>;
using broadcast_contender = contender_of<hw::chips::broadcast_params, hw::chips::broadcast_registers>;
using vl_switch_contender = contender_of<hw::chips::vl_switch_params, hw::chips::vl_switch_tables>;

contender core_contender();
contender golden_contender();
router_contender router_core_contender();
router_contender router_golden_contender();
coding_contender coding_core_contender();
coding_contender coding_golden_contender();
broadcast_contender broadcast_core_contender();
broadcast_contender broadcast_golden_contender();
vl_switch_contender vl_switch_core_contender();
vl_switch_contender vl_switch_golden_contender();

/// Two switches, routers, coding units, broadcast routers or VL switches, ready to be compared.
comparison compare(const switch_run& run, const contender& first, const contender& second);
comparison compare(const router_run& run, const router_contender& first, const router_contender& second);
comparison compare(const coding_run& run, const coding_contender& first, const coding_contender& second);
comparison compare(const broadcast_run& run, const broadcast_contender& first, const broadcast_contender& second);
comparison compare(const vl_switch_run& run, const vl_switch_contender& first, const vl_switch_contender& second);

}  // namespace polycast::testbench::equivalence
