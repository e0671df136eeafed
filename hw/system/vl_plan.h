// SPDX-License-Identifier: Apache-2.0
/// \file The plan of a network of VL switches that carries out the forwarding tables of an InfiniBand fabric.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "hw/subnet/fabric.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

struct vl_options {
    std::optional<unsigned> vls;     ///< of every link, 1..15; nothing: the highest that service levels use, + 1
    bool spread = false;             ///< with LMC: over the LIDs of a destination, by source
    std::set<unsigned> levels = {};  ///< service levels of packets, beside those of paths and groups
    std::map<unsigned, unsigned> group_sl = {};  ///< [MLID] service level of multicasts; those that have none: as the
                                                 ///< dump of members says, or 0
    format::vl_policy policy = format::vl_policy::round_robin;
    unsigned hoq_life = 0;  ///< cycles; 0: for ever
};

/// Service level of a group's packets.
unsigned group_service_level(const subnet::fabric& of, const vl_options& options, unsigned mlid);

/// Lanes that a network needs: the highest that a service level in use has, + 1.
unsigned lanes_of(const subnet::fabric& of, const vl_options& options);

/// Buffers of `params` are of each lane. \throws input_error on parameters out of range, tables of VL arbitration that
/// are missing, or a topology that is not valid
system_plan make_vl_plan(const subnet::fabric& of, const vl_options& options, const system_params& params);

}  // namespace polycast::hw::system
