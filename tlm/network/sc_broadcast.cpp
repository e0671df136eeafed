// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_broadcast.h"

namespace polycast::tlm::network {

using hw::engine::chip_id;
using hw::engine::port_id;

std::unique_ptr<hw::engine::chip_network> sc_broadcast_chips(
    const hw::broadcast::router_network_params& params, const std::function<placement(std::uint32_t router)>& where,
    bool checkers) {
    const hw::topology::bypass_torus topology(params.topology);
    sc_chip_network_params chips;
    chips.where = [where, nodes = topology.nodes()](chip_id id) { return where(id % nodes); };
    if (checkers)
        chips.credits = [params, topology](port_id from) { return hw::broadcast::credits_of(topology, params, from); };
    return std::make_unique<sc_chip_network>(std::move(chips));
}

}  // namespace polycast::tlm::network
