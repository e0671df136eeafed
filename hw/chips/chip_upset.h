// SPDX-License-Identifier: Apache-2.0
/// \file Bits that flip in the memories of a switch or router (hw/faults/faults.md).
#pragma once

#include <cstdint>

#include "hw/chips/chip_params.h"
#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

/// As register `upset` of the configuration bus has it: index, and memory << 24 | bit.
struct chip_upset {
    format::upset_memory memory = format::upset_memory::buffer;
    std::uint32_t index = 0;
    std::uint32_t bit = 0;
};

/// Words of a memory and their bits, those of its code behind the data. Of neither is there any where the chip has no
/// such memory.
struct memory_shape {
    std::uint64_t words = 0;
    std::uint32_t bits = 0;
};

/// Buffer: port x flits of a buffer + place in its ring; data of a flit. Routes: 4 x entry + 0 unicast_up,
/// 1 unicast_down, 2 switch_up, 3 switch_down; ports. Reach: 0 the total, 1 + port; hosts. Credits: port; what is
/// outstanding.
memory_shape shape_of(const switch_params& params, format::upset_memory memory);
/// With virtual channels (VCs), port x VCs + VC in place of the port. Routes: node; ports.
memory_shape shape_of(const router_params& params, format::upset_memory memory);

/// A chip in whose memories bits can flip.
class upsettable_chip : public engine::chip {
public:
    /// step(), at the end of which a bit flips, if there is one. In a run with flips every step is one of these.
    virtual engine::cycle step_upset(engine::cycle now, const engine::pins& in, engine::pins& out,
                                     const chip_upset* what) = 0;
};

}  // namespace polycast::hw::chips
