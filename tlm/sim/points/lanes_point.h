// SPDX-License-Identifier: Apache-2.0
/// \file Broadcasts over lanes and streams between sites (hw/lanes).
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/points/point_result.h"
#include "tlm/sim/points/wishes.h"

namespace polycast::tlm::sim {

/// The sites of a scenario: names of nodes, without a plan of switches.
instance plan_sites(const scenario::loaded& scenario);

/// \param seed of payloads \throws hw::input_error at the key that is to blame
point_result run_lanes(const scenario::loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                       const network_factory& factory, const std::function<bool()>& stop, const point_wishes& wishes);

}  // namespace polycast::tlm::sim
