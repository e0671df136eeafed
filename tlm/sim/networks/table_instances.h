// SPDX-License-Identifier: Apache-2.0
/// \file The network of a scenario whose routes are the forwarding tables of an InfiniBand fabric.
#pragma once

#include <string>
#include <vector>

#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// A dump that a scenario names.
struct table_file {
    std::string key;   ///< "network.routing.lft", or "network.routing.lft[1]" of a list
    std::string path;  ///< from the current folder
    std::string copy;  ///< its name in the results
};

std::vector<table_file> table_files_of(const scenario::loaded& scenario);

/// The network of VL switches of topology file and dumps, which are checked, as are all workloads.
/// \throws hw::input_error at the key, or in the file, that is to blame
instance plan_tables(const scenario::loaded& scenario);

}  // namespace polycast::tlm::sim
