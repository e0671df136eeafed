// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/pattern.h"

#include <string>

#include "hw/chips/router/router_route.h"
#include "hw/input_error.h"

namespace polycast::hw::fabric {

namespace {

/// Coordinate `d` of the destination of the node at `own`.
unsigned coordinate(pattern_kind kind, const chips::coordinates& own, unsigned d, const chips::router_params& router) {
    switch (kind) {
        case pattern_kind::transpose: return own[router.dimensions - 1 - d];
        case pattern_kind::bit_complement: return router.radix - 1 - own[d];
        default: return (own[d] + (router.radix + 1) / 2 - 1) % router.radix;
    }
}

}  // namespace

pattern::pattern(pattern_kind kind, const chips::router_params& router, std::vector<std::uint32_t> hotspots,
                 double hot_share)
    : nodes_(router.nodes()), hot_share_(hot_share) {
    if (kind == pattern_kind::hotspot) {
        if (hotspots.empty()) throw input_error("hotspot traffic without a hotspot", "name the nodes");
        for (const std::uint32_t node : hotspots)
            if (node >= nodes_)
                throw input_error("hotspot " + std::to_string(node) + " does not exist",
                                  "nodes are 0.." + std::to_string(nodes_ - 1));
        hotspots_ = std::move(hotspots);
        return;
    }
    if (kind == pattern_kind::uniform) return;
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        const chips::coordinates own = chips::coordinates_of(node, router.dimensions, router.radix);
        std::uint32_t to = 0;
        for (unsigned d = router.dimensions; d-- > 0;) to = to * router.radix + coordinate(kind, own, d, router);
        fixed_.push_back(to);
    }
}

}  // namespace polycast::hw::fabric
