// SPDX-License-Identifier: Apache-2.0
/// \file Source at the door in comparisons: who may come in where, and whose packets come.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "hw/chips/source_door.h"
#include "hw/format/header.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

inline constexpr std::uint64_t doors_stream = 23;  ///< of the dice

/// Sources of a table, mostly none.
inline unsigned draw_max_sources(std::uint64_t seed) {
    dice random(seed, doors_stream);
    return random.chance(850) ? 0 : random.pick({1, 8, 40, 300});
}

/// Of half the ports, with any part of the sources.
inline hw::chips::source_doors draw_doors(unsigned ports, unsigned max_sources, std::uint64_t seed) {
    dice random(seed, doors_stream + 1);
    hw::chips::source_doors doors;
    for (unsigned port = 0; port < ports && max_sources != 0; ++port) {
        if (random.chance(500)) continue;
        hw::chips::source_door& door = doors.emplace_back(hw::chips::source_door{port, {}});
        const unsigned share = random.pick({0, 100, 500, 900, 1000});
        for (std::uint32_t source = 0; source < max_sources; ++source)
            if (random.chance(share)) door.sources.push_back({source, source});
    }
    return doors;
}

/// Mostly one that the table has.
inline void put_source(std::span<std::uint8_t> header, unsigned max_sources, dice& random) {
    if (max_sources == 0 || random.chance(50)) return;
    hw::format::write_field<hw::format::source_field>(header.data(), random.below(max_sources + 1));
}

/// Where packets are dropped for their source, or headers flip, it is not known what becomes of them.
class no_watch final : public traffic_watch {
public:
    void reset() override {}
    void see(const hw::engine::pins&, const hw::engine::pins&, const hw::engine::chip_probe&,
             const hw::engine::chip_probe&) override {}
    std::map<std::string, std::uint64_t> counted() const override { return {}; }
};

}  // namespace polycast::testbench::equivalence
