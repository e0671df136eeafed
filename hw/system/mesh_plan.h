// SPDX-License-Identifier: Apache-2.0
/// \file Plans of meshes and tori of virtual-channel routers with a host at every node.
#pragma once

#include <array>
#include <optional>

#include "hw/system/plan.h"

namespace polycast::hw::system {

/// hw/chips/router.md says what each does.
struct mesh_params {
    unsigned radix = 8;
    unsigned dimensions = 2;
    bool torus = false;  ///< dimensions are rings
    unsigned vcs = 4;
    unsigned vc_flits = 8;  ///< of the buffer of every virtual channel
    unsigned reserve = 0;   ///< credits with which a packet begins on a virtual channel; 0: the longest packet
    chips::router_allocator allocator = chips::router_allocator::separable;
    unsigned iterations = 1;
    chips::vc_policy policy = chips::vc_policy::any;
    bool table = false;  ///< dimension order from route tables instead of coordinates
    /// [class][side] virtual channels; nothing: all classes share all, on rings lower and upper half of them.
    std::optional<std::array<std::array<chips::vc_set, 2>, 8>> vc_sets;
};

/// Router n has host n at port 2 x dimensions. Of `params` all that routers have, too, is used: flit_bytes,
/// packet_limit (0: what fits a virtual channel's buffer), header_free, route_delay, crossbar_delay, link_delay, and
/// what concerns hosts. \throws input_error on parameters out of range
system_plan make_plan(const mesh_params& mesh, const system_params& params);

}  // namespace polycast::hw::system
