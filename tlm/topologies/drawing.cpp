// SPDX-License-Identifier: Apache-2.0
#include "tlm/topologies/drawing.h"

namespace polycast::tlm::topologies {

using json = nlohmann::ordered_json;

json topology_json(const hw::topology::graph& network, json head, const std::function<json(std::uint32_t)>& place) {
    head["switches"] = json::array();
    head["hosts"] = json::array();
    head["links"] = json::array();
    for (std::uint32_t i = 0; i < network.switches.size(); ++i) {
        json one{{"name", network.switches[i].name}};
        one.update(place(i));
        one["ports"] = network.switches[i].ports.size();
        head["switches"].push_back(std::move(one));
    }
    for (const hw::topology::host_node& host : network.hosts) {
        head["hosts"].push_back({{"name", host.name},
                                 {"switch", network.switches[host.chip].name},
                                 {"port", host.port + network.first_port}});
    }
    for (const hw::topology::link& l : network.links()) {
        head["links"].push_back({{"a", network.switches[l.a.chip].name},
                                 {"a_port", l.a.port + network.first_port},
                                 {"b", network.switches[l.b.chip].name},
                                 {"b_port", l.b.port + network.first_port}});
    }
    return head;
}

json topology_json(const hw::topology::graph& network, const hw::routing::updown& routes) {
    json drawn = topology_json(network, json::object(), [&](std::uint32_t i) {
        return json{{"level", routes.level(i)}};
    });
    std::size_t index = 0;
    for (const hw::topology::link& l : network.links())
        drawn["links"][index++]["up"] = routes.above(l.a.chip, l.b.chip) ? "a" : "b";
    drawn["root"] = network.switches[routes.root()].name;  // others are those on level 0
    return drawn;
}

}  // namespace polycast::tlm::topologies
