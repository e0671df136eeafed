// SPDX-License-Identifier: Apache-2.0
/// \file Registers of each chip, and its tables out of what was written. What was not written is as in a default of the
/// tables in C++, or zero; bits that a register does not have are dropped, as in the RTL.
#pragma once

#include <optional>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/coding/coding_config.h"
#include "hw/chips/link/link_config.h"
#include "hw/chips/router/router_config.h"
#include "hw/chips/switch/switch_config.h"
#include "hw/chips/vl_switch/vl_switch_config.h"
#include "tlm/dpi/register_map.h"

namespace polycast::tlm::dpi {

std::vector<register_table> register_map_of(const hw::chips::switch_params& p);
std::vector<register_table> register_map_of(const hw::chips::router_params& p);
std::vector<register_table> register_map_of(const hw::chips::vl_switch_params& p);
std::vector<register_table> register_map_of(const hw::chips::coding_params& p);
std::vector<register_table> register_map_of(const hw::chips::broadcast_params& p);
std::vector<register_table> register_map_of(const hw::chips::link_end_params& p);

hw::chips::switch_tables tables_of(const hw::chips::switch_params& p, const register_image& image);
hw::chips::router_tables tables_of(const hw::chips::router_params& p, const register_image& image);
hw::chips::vl_switch_tables tables_of(const hw::chips::vl_switch_params& p, const register_image& image);
hw::chips::coding_registers tables_of(const hw::chips::coding_params& p, const register_image& image);
hw::chips::broadcast_registers tables_of(const hw::chips::broadcast_params& p, const register_image& image);
/// Nothing: the end is off, as `layer` has not been written.
std::optional<hw::chips::link_config> link_config_of(const hw::chips::link_end_params& p, const register_image& image);

}  // namespace polycast::tlm::dpi
