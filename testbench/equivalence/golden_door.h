// SPDX-License-Identifier: Apache-2.0
/// \file Source at the door of golden models.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "hw/chips/source_door.h"

namespace polycast::testbench::equivalence {

/// A packet whose header begins so may come in at the port.
inline bool is_let_in(const hw::chips::source_doors& doors, unsigned max_sources,
                      const std::vector<std::uint8_t>& header, unsigned port) {
    const unsigned source = header[1] + 256u * header[2] + 65536u * header[3];
    std::set<unsigned> let_in;
    bool anybody = true;
    for (const hw::chips::source_door& door : doors) {
        if (door.port != port) continue;
        anybody = false;
        for (const hw::chips::source_range& each : door.sources)
            for (unsigned one = each.first; one <= each.last; ++one) let_in.insert(one);
    }
    return anybody ? source < max_sources : let_in.contains(source);
}

}  // namespace polycast::testbench::equivalence
