// SPDX-License-Identifier: Apache-2.0
/// \file Ports at which packets of some sources alone may come in: those of hosts (hw/chips/source_door.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace polycast::hw::chips {

/// Sources of consecutive numbers, both ends included.
struct source_range {
    std::uint32_t first = 0, last = 0;

    bool operator==(const source_range&) const = default;
};

/// A port of a chip with `max_sources` and who may send there.
struct source_door {
    unsigned port = 0;
    std::vector<source_range> sources;

    bool operator==(const source_door&) const = default;
};

/// Ports that are no doors let in every source that the table has. Doors of different ports.
struct source_doors : std::vector<source_door> {
    using std::vector<source_door>::vector;

    bool let_in(std::uint32_t source, unsigned port) const {
        const auto door = std::ranges::find(*this, port, &source_door::port);
        return door == end() || std::ranges::any_of(door->sources, [source](const source_range& each) {
                   return each.first <= source && source <= each.last;
               });
    }
    /// What is wrong with them for a chip with `max_sources`; null: nothing.
    const char* problem(unsigned ports, unsigned max_sources) const {
        if (empty() || max_sources == 0) return empty() ? nullptr : "doors need a table of sources: max_sources is 0";
        for (const source_door& door : *this) {
            if (door.port >= ports) return "a door is at a port that does not exist";
            if (std::ranges::count(*this, door.port, &source_door::port) != 1) return "a port has two doors";
            for (const source_range& each : door.sources) {
                if (each.first > each.last) return "a range of sources of a door ends before it begins";
                if (each.last >= max_sources) return "a door lets in a source that the table does not have";
            }
        }
        return nullptr;
    }
    /// The entry of a source in the table of a chip with so many ports: bit p is port p.
    std::uint64_t ports_of(std::uint32_t source, unsigned ports) const {
        std::uint64_t all = 0;
        for (unsigned port = 0; port < ports; ++port) all |= std::uint64_t{let_in(source, port)} << port;
        return all;
    }
};

}  // namespace polycast::hw::chips
