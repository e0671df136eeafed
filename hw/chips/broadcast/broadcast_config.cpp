// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/broadcast/broadcast_config.h"

#include <string>

#include "hw/chips/port_set.h"
#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::chips {

namespace {

constexpr limits check("broadcast unit", "hw/chips/broadcast/broadcast_unit.md");

}  // namespace

engine::pin_shape broadcast_params::pin_shape(const broadcast_registers& registers) const {
    engine::pin_shape shape = router.pin_shape();
    ++shape.vcs;
    shape.side_ports = registers.open;
    shape.side_vc = static_cast<std::uint8_t>(unit_vc());
    return shape;
}

broadcast_registers checked(const broadcast_params& p, broadcast_registers r) {
    const unsigned dimensions = p.router.dimensions;
    check.that(r.dims != 0 && r.dims >> dimensions == 0, "its dimensions must be some of those of the network");
    check.that(r.algorithm == broadcast_algorithm::colours || r.algorithm == broadcast_algorithm::trees,
               "there is no such algorithm");
    check.that(r.router.node < p.router.nodes(),
               "its number must be less than the number of nodes, not " + std::to_string(r.router.node));
    check.that(std::uint64_t{r.reverse | r.relay_reverse} >> p.router.ports == 0,
               "a port that sends in reverse does not exist");
    check.that(std::uint64_t{r.open} >> p.router.ports == 0, "a port with a neighbour does not exist");
    check.that((r.open & bit(p.host_port())) == 0, "the host port has no neighbour");
    check.that(r.dimension.size() == p.router.ports && r.there.size() == p.router.ports,
               "a table per port does not have one entry per port");
    for (unsigned port = 0; port < p.router.ports; ++port) {
        check.that(r.dimension[port] < dimensions, "a neighbour differs in a dimension that does not exist");
        check.that(port >= p.host_port() || r.dimension[port] == port / 2,
                   "port " + std::to_string(port) + " leads along dimension " + std::to_string(port / 2));
        check.that(r.there[port] < p.router.radix, "the coordinate of a neighbour must be less than the radix");
    }
    check.within(r.host_credits, 0, 65535, "credits of the host");
    return r;
}

}  // namespace polycast::hw::chips
