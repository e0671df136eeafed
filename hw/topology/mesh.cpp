// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/mesh.h"

#include "hw/input_error.h"

namespace polycast::hw::topology {

graph make_mesh(const mesh_params& params) {
    std::uint64_t nodes = 1;
    for (unsigned d = 0; d < params.dimensions && nodes <= max_hosts; ++d) nodes *= params.radix;
    if (nodes * params.hosts > max_hosts) {
        throw input_error("a network of " + std::to_string(params.radix) + " routers along each of " +
                              std::to_string(params.dimensions) + " dimensions has more than " +
                              std::to_string(max_hosts) + " hosts",
                          "lower the radix");
    }
    const auto count = static_cast<std::uint32_t>(nodes);
    graph network;
    for (std::uint32_t node = 0; node < count; ++node)
        network.add_switch("router" + std::to_string(node), 2 * params.dimensions + params.hosts);
    std::uint32_t stride = 1;
    for (unsigned d = 0; d < params.dimensions; ++d, stride *= params.radix) {
        for (std::uint32_t node = 0; node < count; ++node) {
            const bool last = node / stride % params.radix + 1 == params.radix;
            if (last && !params.torus) continue;
            network.connect(node, 2 * d, last ? node - (params.radix - 1) * stride : node + stride, 2 * d + 1);
        }
    }
    for (unsigned host = 0; host < params.hosts; ++host) {
        for (std::uint32_t node = 0; node < count; ++node) {
            network.attach_host("host" + std::to_string(host * count + node), node, 2 * params.dimensions + host);
        }
    }
    return network;
}

std::string mesh_name(const mesh_params& params) {
    std::string name = params.torus ? "torus-" : "mesh-";
    for (unsigned d = 0; d < params.dimensions; ++d) name += (d == 0 ? "" : "x") + std::to_string(params.radix);
    return name;
}

}  // namespace polycast::hw::topology
