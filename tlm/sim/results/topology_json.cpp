// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/topology_json.h"

#include <nlohmann/json.hpp>

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;

namespace {

json hosts_json(const hw::topology::graph& network) {
    json hosts = json::array();
    for (const hw::topology::host_node& host : network.hosts) {
        hosts.push_back({{"name", host.name},
                         {"switch", network.switches[host.chip].name},
                         {"port", host.port + network.first_port}});
    }
    return hosts;
}

json link_json(const hw::topology::graph& network, const hw::topology::link& l) {
    return {{"a", network.switches[l.a.chip].name},
            {"a_port", l.a.port + network.first_port},
            {"b", network.switches[l.b.chip].name},
            {"b_port", l.b.port + network.first_port}};
}

}  // namespace

json topology_json(const hw::topology::graph& network, const hw::topology::mesh_params& shape) {
    json j{{"kind", shape.torus ? "torus" : "mesh"}, {"radix", shape.radix},
           {"dimensions", shape.dimensions},         {"switches", json::array()},
           {"hosts", hosts_json(network)},           {"links", json::array()}};
    for (std::uint32_t i = 0; i < network.switches.size(); ++i) {
        const hw::topology::grid_place at = place_of(shape, i);
        j["switches"].push_back(
            {{"name", network.switches[i].name}, {"at", {at.x, at.y}}, {"ports", network.switches[i].ports.size()}});
    }
    for (const hw::topology::link& l : network.links()) j["links"].push_back(link_json(network, l));
    return j;
}

json topology_json(const hw::topology::graph& network, const hw::topology::fat_tree& tree) {
    json j{{"kind", "fat_tree"},        {"arity", tree.arity()},        {"levels", tree.levels()},
           {"switches", json::array()}, {"hosts", hosts_json(network)}, {"links", json::array()}};
    for (std::uint32_t i = 0; i < network.switches.size(); ++i) {
        const hw::topology::switch_node& node = network.switches[i];
        j["switches"].push_back({{"name", node.name}, {"level", tree.level_of(i)}, {"ports", node.ports.size()}});
    }
    for (const hw::topology::link& l : network.links()) j["links"].push_back(link_json(network, l));
    return j;
}

json topology_json(const hw::topology::graph& network, const hw::routing::updown& routes) {
    json j{{"switches", json::array()}, {"hosts", hosts_json(network)}, {"links", json::array()}};
    for (std::uint32_t i = 0; i < network.switches.size(); ++i) {
        j["switches"].push_back({{"name", network.switches[i].name},
                                 {"level", routes.level(i)},
                                 {"ports", network.switches[i].ports.size()}});
    }
    for (const hw::topology::link& l : network.links()) {
        j["links"].push_back(link_json(network, l));
        j["links"].back()["up"] = routes.above(l.a.chip, l.b.chip) ? "a" : "b";
    }
    j["root"] = network.switches[routes.root()].name;
    return j;
}

}  // namespace polycast::tlm::sim
