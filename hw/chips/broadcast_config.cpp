// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/broadcast_config.h"

#include <string>

#include "hw/chips/port_set.h"
#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::chips {

namespace {

void require(bool good, const std::string& what) {
    if (!good) throw input_error("broadcast unit: " + what, "hw/chips/broadcast_unit.md lists the ranges");
}

void require_range(std::uint64_t value, std::uint64_t least, std::uint64_t most, const std::string& what) {
    require(value >= least && value <= most, what + " must be " + std::to_string(least) + ".." + std::to_string(most) +
                                                 ", not " + std::to_string(value));
}

}  // namespace

engine::pin_shape broadcast_params::pin_shape(const broadcast_registers& registers) const {
    engine::pin_shape shape = router.pin_shape();
    ++shape.vcs;
    shape.side_ports = registers.open;
    shape.side_vc = static_cast<std::uint8_t>(unit_vc());
    return shape;
}

const broadcast_params& checked(const broadcast_params& p) {
    require_range(p.router.ports, 4, most_broadcast_ports, "ports");
    require_range(p.router.vcs, 2, most_vcs - 1, "virtual channels");
    require(p.router.ports > p.router.first_host_port(),
            "it needs a host port: more than 2 x dimensions ports, not " + std::to_string(p.router.ports));
    require(p.router.header_free || p.router.flit_bytes >= format::pipelined_header_bytes,
            "a header of " + std::to_string(format::pipelined_header_bytes) + " bytes does not fit a flit of " +
                std::to_string(p.router.flit_bytes));
    require(!p.router.adaptive, "its router does not choose among the ports of a route");
    require_range(p.slots, 1, most_slots, "slots");
    require_range(p.slot_flits, 1, 64, "flits of a slot");
    require_range(p.inject_flits, 1, 64, "flits of the injection buffer");
    return p;
}

broadcast_registers checked(const broadcast_params& p, broadcast_registers r) {
    const unsigned dimensions = p.router.dimensions;
    require(r.dims != 0 && r.dims >> dimensions == 0, "its dimensions must be some of those of the network");
    require(r.algorithm == broadcast_algorithm::colours || r.algorithm == broadcast_algorithm::trees,
            "there is no such algorithm");
    require(r.router.node < p.router.nodes(),
            "its number must be less than the number of nodes, not " + std::to_string(r.router.node));
    require(std::uint64_t{r.reverse} >> p.router.ports == 0, "a port that sends in reverse does not exist");
    require(std::uint64_t{r.open} >> p.router.ports == 0, "a port with a neighbour does not exist");
    require((r.open & bit(p.host_port())) == 0, "the host port has no neighbour");
    require(r.dimension.size() == p.router.ports && r.there.size() == p.router.ports,
            "a table per port does not have one entry per port");
    for (unsigned port = 0; port < p.router.ports; ++port) {
        require(r.dimension[port] < dimensions, "a neighbour differs in a dimension that does not exist");
        require(port >= p.host_port() || r.dimension[port] == port / 2,
                "port " + std::to_string(port) + " leads along dimension " + std::to_string(port / 2));
        require(r.there[port] < p.router.radix, "the coordinate of a neighbour must be less than the radix");
    }
    require_range(r.host_credits, 0, 65535, "credits of the host");
    return r;
}

}  // namespace polycast::hw::chips
