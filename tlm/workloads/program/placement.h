// SPDX-License-Identifier: Apache-2.0
/// \file Where the ranks of a program are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// Refuses programs of more ranks than there are hosts. \throws hw::input_error
void check_ranks(const scenario::loaded& scenario, const instance& on, std::size_t workload, std::uint32_t ranks);

/// [rank] a host. \throws hw::input_error
std::vector<std::uint32_t> hosts_of(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                    std::uint32_t ranks);

}  // namespace polycast::tlm::sim
