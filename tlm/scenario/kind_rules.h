// SPDX-License-Identifier: Apache-2.0
/// \file What the loader knows of kinds of workloads: names, keys and rules. They lie in the folders of the kinds, in
/// tlm/workloads; the table of what kinds do once a scenario is loaded is tlm/workloads/kind.h.
#pragma once

#include <cstddef>
#include <vector>

#include "tlm/scenario/keys.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

struct kind_rules {
    std::vector<choice> kinds;                 ///< of `workload[].kind`, each with a sentence
    std::vector<key> (*sections)() = nullptr;  ///< keys beside those of workloads
    std::vector<key> (*keys)();                ///< of workloads
    /// Check the whole scenario, whatever its workloads are, and workload number `workload`, of one of the kinds. Both
    /// fill in what follows from other keys, and may be absent. \throws hw::input_error at the key that is to blame
    void (*check_scenario)(loaded& result) = nullptr;
    void (*check)(loaded& result, std::size_t workload) = nullptr;
};

/// The table; the kinds of all rows have the order of traffic_kind.
const std::vector<kind_rules>& all_kind_rules();

}  // namespace polycast::tlm::scenario
