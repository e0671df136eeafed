// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/packet_logs.h"

#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

using hw::system::system_plan;

std::vector<hw::engine::pin_shape> shapes_of(const system_plan& plan, const runnable& chips) {
    std::vector<hw::engine::pin_shape> shapes;
    for (hw::engine::chip_id id = 0; id < plan.all_chips(); ++id) shapes.push_back(chips.chip(id).shape());
    return shapes;
}

trace::logged_network described(const system_plan& plan, const std::string& network, const std::string& workload) {
    trace::logged_network all{network, workload, {}};
    const std::uint32_t pipeline = plan.params.route_delay + plan.params.crossbar_delay;
    for (std::uint32_t index = 0; index < plan.chips(); ++index)
        all.chips.push_back(
            {plan.network.switches[index].name, plan.has_routers() ? "router" : "switch", pipeline, {}});
    for (const hw::topology::host_node& host : plan.network.hosts) all.chips.push_back({host.name, "host", 0, {}});
    for (std::uint32_t index = 0; index < plan.units.size(); ++index)
        all.chips.push_back({plan.unit_name(index), "unit", 0, {}});
    const auto add = [&](const hw::engine::port_id& from, const hw::engine::port_id& to) {
        const unsigned credits =
            from.chip < plan.chips() ? plan.credits(from.chip, from.port) : plan.host.interface.credits;
        const unsigned reserve = plan.has_routers() ? plan.host.interface.reserve : 1;
        const hw::engine::link_params link = plan.link();
        all.chips[from.chip].cables.push_back(
            {from.port, to.chip, to.port, link.delay, credits * link.chunk_flits, reserve * link.chunk_flits});
    };
    for (const link_load& link : all_links(plan)) add(link.from, link.to);
    for (std::uint32_t index = 0; index < plan.units.size(); ++index) {
        const hw::engine::port_id unit{plan.unit_chip(index), 0};
        add(plan.unit_port(index), unit);
        add(unit, plan.unit_port(index));
    }
    return all;
}

logged_packets::logged_packets(const packet_log_request& wish, const std::string& network, const system_plan& plan,
                               const runnable& chips)
    : file(wish.file),
      window(wish.window),
      database(wish.file, described(plan, network, wish.workload)),
      log(shapes_of(plan, chips), plan.header_shape(), wish.window, database) {}

}  // namespace polycast::tlm::sim
