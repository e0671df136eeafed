// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/packet_logs.h"

#include <variant>

namespace polycast::tlm::sim {

namespace engine = hw::engine;
using hw::system::system_plan;

namespace {

std::string kind_of(const hw::system::chip_kind& is) {
    if (std::holds_alternative<hw::system::host_place>(is)) return "host";
    if (std::holds_alternative<hw::system::coding_chip>(is)) return "unit";
    const bool worms = std::holds_alternative<hw::system::switch_chip>(is);
    return worms || std::holds_alternative<hw::system::event_chip>(is) ? "switch" : "router";
}

}  // namespace

std::vector<hw::engine::pin_shape> shapes_of(const hw::engine::chip_network& chips) {
    std::vector<hw::engine::pin_shape> shapes;
    for (hw::engine::chip_id id = 0; id < chips.size(); ++id) shapes.push_back(chips.at(id).shape());
    return shapes;
}

trace::logged_network described(const system_plan& plan, const std::string& network, const std::string& workload) {
    trace::logged_network all{network, workload, {}};
    const std::uint32_t pipeline = plan.params.route_delay + plan.params.crossbar_delay;
    for (hw::engine::chip_id id = 0; id < plan.chips.size(); ++id)
        all.chips.push_back({plan.chips[id].name, kind_of(plan.chips[id].is), plan.forwards(id) ? pipeline : 0, {}});
    const auto add = [&](engine::port_id from, engine::port_id to, const engine::link_params& link) {
        all.chips[from.chip].cables.push_back({from.port, to.chip, to.port, link.delay,
                                               plan.credits(from).front() * link.chunk_flits,
                                               plan.reserve() * link.chunk_flits});
    };
    for (const hw::system::planned_cable& cable : plan.cables) {
        add(cable.a, cable.b, cable.link);
        add(cable.b, cable.a, cable.link);
    }
    return all;
}

logged_packets::logged_packets(const packet_log_request& wish, const std::string& network, const system_plan& plan,
                               const hw::engine::chip_network& chips)
    : file(wish.file),
      window(wish.window),
      database(wish.file, described(plan, network, wish.workload)),
      log(shapes_of(chips), plan.header_shape(), wish.window, database) {}

}  // namespace polycast::tlm::sim
