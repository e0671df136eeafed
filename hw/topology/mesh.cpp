// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/mesh.h"

#include <algorithm>

#include "hw/input_error.h"
#include "hw/topology/describe.h"

namespace polycast::hw::topology {

graph make_mesh(const mesh_params& params, unsigned most_hosts) {
    std::uint64_t nodes = 1;
    for (unsigned d = 0; d < params.dimensions && nodes <= most_hosts; ++d) nodes *= params.radix;
    if (nodes * params.hosts > most_hosts) {
        throw input_error("a network of " + std::to_string(params.radix) + " routers along each of " +
                              std::to_string(params.dimensions) + " dimensions has more than " +
                              std::to_string(most_hosts) + " hosts",
                          "lower the radix");
    }
    // All ports are known, so none has to be looked for.
    using leads_to = port_end::leads_to;
    const auto count = static_cast<std::uint32_t>(nodes);
    const unsigned first_host_port = 2 * params.dimensions;
    graph network;
    network.switches.reserve(count);
    network.hosts.reserve(std::size_t{count} * params.hosts);
    for (std::uint32_t node = 0; node < count; ++node) {
        std::vector<port_end> ports(first_host_port + params.hosts);
        std::uint32_t stride = 1;
        for (unsigned d = 0; d < params.dimensions; ++d, stride *= params.radix) {
            const std::uint32_t own = node / stride % params.radix;
            const std::uint32_t round = (params.radix - 1) * stride;
            const bool last = own + 1 == params.radix;
            if (!last || params.torus)
                ports[2 * d] = {leads_to::chip, last ? node - round : node + stride,
                                static_cast<std::uint16_t>(2 * d + 1)};
            if (own != 0 || params.torus)
                ports[2 * d + 1] = {leads_to::chip, own == 0 ? node + round : node - stride,
                                    static_cast<std::uint16_t>(2 * d)};
        }
        for (unsigned host = 0; host < params.hosts; ++host)
            ports[first_host_port + host] = {leads_to::host, host * count + node, 0};
        network.switches.push_back({"router" + std::to_string(node), 0, std::move(ports)});
    }
    for (unsigned host = 0; host < params.hosts; ++host)
        for (std::uint32_t node = 0; node < count; ++node)
            network.hosts.push_back({"host" + std::to_string(host * count + node), 0, node,
                                     static_cast<std::uint16_t>(first_host_port + host)});
    return network;
}

std::string mesh_name(const mesh_params& params) {
    std::string name = params.torus ? "torus-" : "mesh-";
    for (unsigned d = 0; d < params.dimensions; ++d) name += (d == 0 ? "" : "x") + std::to_string(params.radix);
    return name;
}

mesh_description describe(const mesh_params& params) {
    mesh_description found;
    const std::uint64_t k = params.radix;
    std::uint64_t line = 1;  // routers of a plane across a dimension
    for (unsigned d = 1; d < params.dimensions; ++d) line *= k;
    found.routers = line * k;
    found.links = params.dimensions * line * (params.torus ? k : k - 1);
    found.bisection = line * (params.torus ? 2 : 1);
    found.diameter = params.dimensions * (params.torus ? params.radix / 2 : params.radix - 1);
    std::uint64_t sum = 0;  // of distances of all pairs of places in one dimension
    for (std::uint64_t from = 0; from < k; ++from) {
        for (std::uint64_t to = 0; to < k; ++to) {
            const std::uint64_t apart = from < to ? to - from : from - to;
            sum += params.torus ? std::min(apart, k - apart) : apart;
        }
    }
    const auto pairs = static_cast<double>(found.routers) * static_cast<double>(found.routers - 1);
    found.mean_distance = static_cast<double>(params.dimensions * sum * line) * static_cast<double>(line) / pairs;
    return found;
}

grid_place place_of(const mesh_params& params, std::uint32_t router) {
    const unsigned k = params.radix;
    grid_place at{router % k, 0};
    if (params.dimensions > 1) at.y = router / k % k;
    if (params.dimensions > 2) at.x += router / (k * k) % k * (k + 1);
    if (params.dimensions > 3) at.y += router / (k * k * k) * (k + 1);
    return at;
}

std::string write_dot(const mesh_params& params, const graph& network) {
    std::string text =
        "// for neato -n\ngraph network {\n  node [fontname=\"sans-serif\", shape=box, style=filled, "
        "fillcolor=\"#cfe2f3\"];\n  edge [fontname=\"sans-serif\", fontsize=9];\n";
    for (std::uint32_t router = 0; router < network.switches.size(); ++router) {
        const grid_place at = place_of(params, router);
        text += "  r" + std::to_string(router) + " [label=" + dot_text(network.switches[router].name) + ", pos=\"" +
                std::to_string(at.x * 100) + "," + std::to_string(at.y * 100) + "\"];\n";
    }
    for (const link& one : network.links()) {
        text += "  r" + std::to_string(one.a.chip) + " -- r" + std::to_string(one.b.chip) + " [taillabel=\"" +
                std::to_string(one.a.port) + "\", headlabel=\"" + std::to_string(one.b.port) + "\"];\n";
    }
    return text + "}\n";
}

}  // namespace polycast::hw::topology
