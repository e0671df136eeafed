// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_plan.h"

#include <algorithm>
#include <string>

#include "hw/fabric/fabric_config.h"
#include "hw/input_error.h"
#include "hw/workloads/broadcast/broadcast_rule.h"

namespace polycast::hw::broadcast {

using topology::bypass_torus;

topology::graph broadcast_graph(const bypass_torus& network) {
    const unsigned dimensions = network.dimensions();
    topology::graph made;
    const unsigned ports = 2 * dimensions + 1 + (network.has_bypasses() ? 2 : 0);
    for (std::uint32_t node = 0; node < network.nodes(); ++node)
        made.add_switch("router" + std::to_string(node), ports);
    for (unsigned port = 0; port < network.ports(); ++port) {
        for (std::uint32_t node = 0; node < network.nodes(); ++node) {
            const auto to = network.neighbour(node, port);
            const unsigned back = to ? network.opposite(node, port) : 0;
            // Each cable once: from its lower port, and where both ends are alike from its lower node.
            if (to && (port < back || (port == back && node < *to)))
                made.connect(node, router_port(network, port), *to, router_port(network, back));
        }
    }
    for (std::uint32_t node = 0; node < network.nodes(); ++node)
        made.attach_host("host" + std::to_string(node), node, 2 * dimensions);
    return made;
}

system::system_plan make_plan(const router_network_params& params) {
    const bypass_torus network(params.topology);
    const chips::broadcast_params chip = routers_of(network, params);
    system::system_plan plan;
    plan.network = broadcast_graph(network);
    plan.params.flit_bytes = chip.router.flit_bytes;
    plan.params.chunk_flits = 1;
    plan.params.route_delay = params.tables.route_delay;
    plan.params.crossbar_delay = chip.router.xbar_stages + 1;
    plan.params.link_delay = params.link_delay;
    plan.host.interface.vcs = chip.router.vcs + 1;
    plan.host.interface.credits = chip.router.vc_flits;
    plan.add_network();
    for (std::uint32_t node = 0; node < network.nodes(); ++node)
        plan.chips[node].is = system::broadcast_chip{chip, registers_of(network, params, node)};
    return plan;
}

unsigned router_port(const bypass_torus& network, unsigned port) {
    return port < 2 * network.dimensions() ? port : port + 1;
}

unsigned parts_of(const router_network_params& params) {
    return static_cast<unsigned>(params.dimensions.size()) * (params.how == algorithm::trees ? 2 : 1);
}

unsigned colour_of(const router_network_params& params, unsigned part) {
    return params.how == algorithm::trees ? 2 * params.dimensions[part / 2] + part % 2 : params.dimensions[part];
}

chips::broadcast_params routers_of(const bypass_torus& network, const router_network_params& params) {
    const std::vector<unsigned>& dimensions = params.dimensions;
    const bool ascending = std::ranges::adjacent_find(dimensions, std::greater_equal<>()) == dimensions.end();
    if (dimensions.empty() || !ascending || dimensions.back() >= network.dimensions()) {
        throw input_error("a broadcast uses some of the dimensions 0 to " + std::to_string(network.dimensions() - 1) +
                          ", each once and in ascending order");
    }
    if (params.how == algorithm::trees && network.has_bypasses()) {
        throw input_error("the link-disjoint trees are those of a torus, and " + name_of(network.params()) +
                          " has bypass links");
    }
    if (!params.patterns.empty() && params.patterns.size() != dimensions.size())
        throw input_error(std::to_string(params.patterns.size()) + " packet-sending patterns",
                          "each dimension of a broadcast has one");
    std::vector<unsigned> patterns = params.patterns;
    patterns.push_back(params.relay_pattern);
    for (const unsigned pattern : patterns)
        if (pattern > 15)
            throw input_error("packet-sending pattern " + std::to_string(pattern), "0 to 15 are possible");
    if (params.host_flits == 0) throw input_error("hosts without a buffer get no packets", "1 to 65535 flits");
    chips::broadcast_params chip = params.chip;
    chip.router.dimensions = network.dimensions();
    chip.router.radix = network.radix();
    chip.router.ports = std::max(4u, network.ports() + 1);
    return chip;
}

chips::broadcast_registers registers_of(const bypass_torus& network, const router_network_params& params,
                                        std::uint32_t node) {
    const chips::router_params router = routers_of(network, params).router;
    const bypass_torus::coordinates place = network.coordinates_of(node);
    chips::broadcast_registers registers;
    registers.router = params.tables;
    registers.router.node = node;
    registers.router.wrap = (1u << network.dimensions()) - 1;
    registers.router.vc_sets = fabric::dateline_sets(router.vcs, registers.router.wrap);
    registers.router.credits = fabric::port_credits(router, registers.router.wrap, node);
    std::fill(registers.router.credits.begin() + router.first_host_port() + 1, registers.router.credits.end(), 0u);
    registers.dims = 0;
    for (const unsigned dimension : params.dimensions) registers.dims |= 1u << dimension;
    registers.algorithm =
        params.how == algorithm::trees ? chips::broadcast_algorithm::trees : chips::broadcast_algorithm::colours;
    registers.maps = params.maps;
    registers.host_credits = params.host_flits;
    registers.dimension.resize(router.ports);
    registers.there.resize(router.ports);
    for (unsigned port = 0; port < network.ports(); ++port) {
        const unsigned at = router_port(network, port);
        const bool bypass = port >= 2 * network.dimensions();
        const unsigned dimension = bypass ? network.bypass_of(network.class_of(place)).dimension : port / 2;
        registers.dimension[at] = dimension;
        const auto neighbour = network.neighbour(node, port);
        if (!neighbour) continue;
        registers.open |= 1u << at;
        registers.there[at] = network.coordinates_of(*neighbour)[dimension];
        const auto used = std::ranges::find(params.dimensions, dimension);
        if (used == params.dimensions.end()) continue;
        const bool up = port % 2 == 0;
        const bool colours = params.how == algorithm::colours;
        if (colours && sends_in_reverse(params.relay_pattern, bypass, up)) registers.relay_reverse |= 1u << at;
        if (params.patterns.empty()) continue;
        const unsigned pattern = params.patterns[static_cast<std::size_t>(used - params.dimensions.begin())];
        if (sends_in_reverse(pattern, bypass, up)) registers.reverse |= 1u << at;
    }
    return registers;
}

}  // namespace polycast::hw::broadcast
