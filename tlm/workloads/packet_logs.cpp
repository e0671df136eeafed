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
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        all.chips.push_back({plan.name_of(id), "cable", 0, {}});
    const auto add = [&](engine::port_id from, engine::port_id to, unsigned delay, engine::port_id sender,
                         unsigned chunk_flits) {
        all.chips[from.chip].cables.push_back({from.port, to.chip, to.port, delay,
                                               plan.credits(sender).front() * chunk_flits,
                                               plan.reserve() * chunk_flits});
    };
    const auto both = [&](engine::port_id a, engine::port_id b, unsigned delay, engine::port_id from_a,
                          engine::port_id from_b, unsigned chunk_flits) {
        add(a, b, delay, from_a, chunk_flits);
        add(b, a, delay, from_b, chunk_flits);
    };
    for (const hw::system::planned_cable& cable : plan.cables)
        if (!cable.is_chip()) both(cable.a, cable.b, cable.link.delay, cable.a, cable.b, cable.link.chunk_flits);
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        const hw::system::planned_cable& cable = plan.cable_at(id);
        both(cable.a, {id, 0}, 0, cable.a, cable.b, cable.link.chunk_flits);
        both({id, 1}, cable.b, 0, cable.a, cable.b, cable.link.chunk_flits);
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
