// SPDX-License-Identifier: Apache-2.0
/// \file Broadcasts over lanes and streams between sites (hw/lanes).
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Chips of all lanes. \throws hw::input_error at the wrong key
hw::system::system_plan sites_plan_of(const scenario::loaded& scenario);

/// Their names, as a graph without cables. \throws likewise
hw::topology::graph names_at_sites(const scenario::loaded& scenario);

/// The sites of a scenario: names of nodes, without a plan of switches. \throws hw::input_error at the wrong key
instance plan_sites(const scenario::loaded& scenario);

/// \param seed of payloads \throws hw::input_error at the wrong key
run_result run_lanes(const scenario::loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                     const network_factory& factory, const std::function<bool()>& stop,
                     const instrumentation& instruments);

}  // namespace polycast::tlm::sim
