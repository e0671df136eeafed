// SPDX-License-Identifier: Apache-2.0
/// \file Rules of pipelined broadcasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/topology/bypass_torus.h"
#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

/// Whether all workloads are broadcasts.
bool only_broadcasts(const settings& s);

kind_rules broadcast_rules();
std::vector<key> broadcast_keys();

/// A torus with or without bypass links. \throws hw::input_error at the wrong key
hw::topology::bypass_torus rings_of(const loaded& scenario);

/// Nodes that broadcast in workload number `workload`, in their order. \throws hw::input_error at the one that is none
std::vector<std::uint32_t> sources_of(const loaded& scenario, std::size_t workload,
                                      const hw::topology::bypass_torus& network);

/// Dimensions that a broadcast goes along, ascending.
std::vector<unsigned> dimensions_of(const settings& s, const broadcast_workload& workload);

/// Packets of each colour or tree.
std::vector<unsigned> split_of(const settings& s, const broadcast_workload& workload);

/// The source's pattern of each colour; trees have none.
std::vector<unsigned> patterns_of(const settings& s, const broadcast_workload& workload);

}  // namespace polycast::tlm::scenario
