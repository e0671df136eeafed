// SPDX-License-Identifier: Apache-2.0
// The table of topology kinds: a new one is a row here.
#include "tlm/topologies/kinds.h"

#include <algorithm>

#include "tlm/topologies/dragonfly.h"

namespace polycast::tlm::topologies {

const std::vector<const kind*>& all() {
    static const std::vector<const kind*> rows{
        &irregular(),     //
        &file(),          //
        &mesh(),          //
        &torus(),         //
        &bypass_torus(),  //
        &fat_tree(),      //
        &sites(),         //
        &dragonfly(),     //
    };
    return rows;
}

const kind* find(std::string_view name) {
    const auto found = std::ranges::find_if(all(), [&](const kind* one) { return one->is().name == name; });
    return found == all().end() ? nullptr : *found;
}

}  // namespace polycast::tlm::topologies
