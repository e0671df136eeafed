// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/fabric_config.h"

#include <string>

#include "hw/chips/router/router_core.h"
#include "hw/chips/router/router_route.h"
#include "hw/input_error.h"

namespace polycast::hw::fabric {

using chips::router_params;
using chips::vc_set;

std::vector<unsigned> port_credits(const router_params& router, unsigned wrap, std::uint32_t node) {
    std::vector<unsigned> credits(router.ports, router.vc_flits);
    const chips::coordinates own = chips::coordinates_of(node, router.dimensions, router.radix);
    for (unsigned d = 0; d < router.dimensions; ++d) {
        if ((wrap >> d & 1) != 0) continue;
        if (own[d] + 1u == router.radix) credits[2 * d] = 0;
        if (own[d] == 0) credits[2 * d + 1] = 0;
    }
    return credits;
}

std::array<std::array<vc_set, 2>, 8> dateline_sets(unsigned vcs, unsigned wrap) {
    const auto all = static_cast<vc_set>((1u << vcs) - 1);
    const auto low = static_cast<vc_set>((1u << vcs / 2) - 1);
    std::array<std::array<vc_set, 2>, 8> sets;
    for (auto& sides : sets) sides = wrap == 0 ? std::array{all, all} : std::array{low, static_cast<vc_set>(all ^ low)};
    return sets;
}

std::array<std::array<vc_set, 2>, 8> class_sets(unsigned vcs, unsigned classes, unsigned wrap, bool dateline) {
    const bool split = dateline && wrap != 0;
    const unsigned least = classes * (split ? 2 : 1);
    if (vcs < least) {
        throw input_error(std::to_string(classes) + (classes == 1 ? " class" : " classes") + " of packets" +
                              (split ? " on a torus need" : " need") + (classes == 1 && !split ? "s" : "") + " " +
                              std::to_string(least) + " virtual channels, not " + std::to_string(vcs),
                          "take " + std::to_string(least) + " or more");
    }
    std::array<std::array<vc_set, 2>, 8> sets = dateline_sets(vcs, split ? wrap : 0);
    for (unsigned service_class = 0; classes > 1 && service_class < classes; ++service_class) {
        const unsigned first = vcs * service_class / classes;
        const unsigned count = vcs * (service_class + 1) / classes - first;
        for (unsigned side = 0; side < 2; ++side)
            sets[service_class][side] = static_cast<vc_set>(dateline_sets(count, split ? wrap : 0)[0][side] << first);
    }
    return sets;
}

void check(const fabric_params& params) {
    const router_params& router = params.router;
    if (params.tables.table)
        throw input_error("fabric: its routers take no route table", "use dimension order, or chips on the engine");
    if (router.ports <= router.first_host_port())
        throw input_error("fabric: no port is left for terminals", "take more than 2 x dimensions ports");
    if (!router.header_free && format::header_flits(format::unicast_header_bytes, router.flit_bytes) > 1)
        throw input_error("fabric: a header of several flits", "take flits of 13 bytes or more, or free headers");
    if (params.broadcasts && !router.copies)
        throw input_error("fabric: its routers copy no packets", "broadcasts need routers with copies");
    if (params.link_delay < 1 || params.link_delay > 64)
        throw input_error("fabric: links take 1..64 cycles, not " + std::to_string(params.link_delay), "");
    chips::router_tables tables = params.tables;
    tables.node = 0;
    tables.credits = port_credits(router, tables.wrap, 0);
    const chips::router_core checked(router, tables);
}

}  // namespace polycast::hw::fabric
