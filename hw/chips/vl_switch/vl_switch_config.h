// SPDX-License-Identifier: Apache-2.0
/// \file Values derived from the parameters of the VL switch, and its tables (written before traffic starts), the same
/// for every fidelity. hw/chips/vl_switch/vl_switch.md describes each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/chips/chip_params.h"
#include "hw/chips/source_door.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

inline engine::pin_shape vl_switch_params::pin_shape() const {
    return {ports, flit_bytes, header_free ? format::free_header_bytes({}) : 0, vls};
}

using format::vl_policy;

/// One direction of a port's VL arbitration (InfiniBand Architecture Specification vol. 1, 7.6.9).
struct vl_weights {
    struct entry {
        std::uint8_t vl = 0;
        std::uint8_t weight = 0;  ///< units of 64 bytes; 0: the entry does not count

        bool operator==(const entry&) const = default;
    };
    std::array<entry, 64> high{};
    std::array<entry, 64> low{};
    std::uint8_t high_limit = 0;  ///< units of 4,096 bytes that high packets may send before a low one; 255: no limit
};

/// Virtual lanes by service level: [input * ports + output], four bits for each of 16 service levels, 15: none.
/// Switches with equal ones share them.
using sl_to_vl = std::vector<std::uint64_t>;

/// The configuration registers and memories of the RTL.
struct vl_switch_tables {
    unsigned route_delay = 1;                                            ///< cycles, 1..15
    unsigned packet_limit = 640;                                         ///< longest packet in flits
    format::arbitration arbitration = format::arbitration::round_robin;  ///< of the input lanes of one output lane
    unsigned hoq_life = 0;                                               ///< cycles, 0..2^20 - 1; 0: for ever
    vl_policy policy = vl_policy::round_robin;
    std::vector<unsigned> vl_chunks;  ///< [port * vls + vl] usable chunks of the input's buffer
    std::vector<unsigned> credits;    ///< [port * vls + vl] chunks of the buffer behind the output; 0: no such lane
    std::vector<std::uint8_t> lft;    ///< [LID] output port from 1, 0 the switch itself, 255 none; may be shorter
    std::vector<std::uint64_t> mft;   ///< [MLID - 0xc000] bit p - 1 for port p; may be shorter
    std::shared_ptr<const sl_to_vl> sl2vl;  ///< there is one
    std::vector<vl_weights> weights;        ///< [port] where the policy is weighted
    source_doors doors;                     ///< where `max_sources` is not 0

    /// Chunks that the longest packet takes.
    unsigned reserve(const vl_switch_params& params) const {
        return (packet_limit + params.chunk_flits - 1) / params.chunk_flits;
    }
};

/// \throws input_error if a table does not fit the parameters
vl_switch_tables checked(const vl_switch_params& params, vl_switch_tables tables);

}  // namespace polycast::hw::chips
