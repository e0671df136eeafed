// SPDX-License-Identifier: Apache-2.0
#include "tlm/topologies/kind.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace polycast::tlm::topologies {

unsigned kind::vcs(const loaded& scenario, const hw::fabric::fabric_params& routers, unsigned classes,
                   unsigned wanted) const {
    const bool split = routers.tables.wrap != 0 && scenario.values.router.dateline;
    return std::max(wanted, classes * (split ? 2 : 1));
}

std::array<std::array<hw::chips::vc_set, 2>, 8> kind::vc_sets(const loaded& scenario,
                                                              const hw::fabric::fabric_params& routers,
                                                              unsigned classes) const {
    return hw::fabric::class_sets(routers.router.vcs, classes, routers.tables.wrap, scenario.values.router.dateline);
}

}  // namespace polycast::tlm::topologies

namespace polycast::tlm::scenario {

std::string_view name_of(topology_kind value) {
    return value->is().name;
}

bool topology_settings::has_routers() const {
    return kind->is().of == topologies::traits::chips::routers;
}

bool topology_settings::has_sites() const {
    return kind->is().of == topologies::traits::chips::lanes;
}

bool topology_settings::is_grid() const {
    return kind->is().grid;
}

bool topology_settings::has_rings() const {
    return kind->is().rings;
}

}  // namespace polycast::tlm::scenario
