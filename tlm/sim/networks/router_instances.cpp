// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/router_instances.h"

#include "hw/input_error.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/topologies/kind.h"
#include "tlm/workloads/allgather/interface_allgather.h"
#include "tlm/workloads/broadcast/broadcast_cycles.h"
#include "tlm/workloads/ideal_run.h"
#include "tlm/workloads/rails/rails_rules.h"
#include "tlm/workloads/rails/rails_run.h"

namespace polycast::tlm::sim {

using hw::format::packet_kind;
using hw::topology::graph;
using scenario::loaded;
using scenario::settings;

namespace {

/// Hosts with interfaces at routers.
void plan_interfaces(const loaded& scenario, instance& made) {
    const settings& s = scenario.values;
    const graph& network = made.plan.network;
    check_names(scenario, scenario::has_rails(s) ? names_on_rails(s, network) : network);
    check_groups(scenario, network);
    hw::system::traffic_needs needs = traffic_needs_of(s);
    router_needs routers;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        if (s.workloads[i].kind == scenario::traffic_kind::allgather) {
            add_allgather_needs(routers, scenario, i);
            continue;
        }
        if (s.workloads[i].kind == scenario::traffic_kind::rails) {
            check_rails_run(scenario, network, i);
            continue;
        }
        if (kind_of(s.workloads[i]) != packet_kind::unicast)
            scenario.fail(scenario::workload_path(i, "scheme"), "routers copy no worms",
                          "take 'ni', 'software' or 'unicasts'");
        hw::traffic::workload{workload_params_of(scenario, i, network)};
    }
    const bool header_free = s.packet.header == scenario::header_place::free;
    needs.classes = s.network.topology.kind->classes(scenario, routers.classes);
    routers.longest_unicast =
        hw::system::packet_flits(packet_kind::unicast, needs.unicast_payload, {}, s.router.flit_bytes, header_free);
    routers.place = "packet.payload";
    hw::fabric::fabric_params chips = fabric_params_of(scenario, routers);
    chips.router.header_free = header_free;
    hw::system::system_params params;
    set_hosts(params, s);
    if (has_rails(s)) set_rails(params, s);
    try {
        made.plan = s.network.topology.kind->plan(scenario, chips, params);
    } catch (const hw::input_error& refused) {
        scenario.fail("router", made.name + ": " + refused.what());
    }
    check_deadlock(scenario, made, needs);
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        if (s.workloads[i].kind == scenario::traffic_kind::allgather) plan_of_allgather(scenario, made, i);
}

}  // namespace

void plan_routers(const loaded& scenario, instance& made) {
    const settings& s = scenario.values;
    if (s.host.model == scenario::host_model::interface) return plan_interfaces(scenario, made);
    made.plan.add_network();
    check_names(scenario, made.plan.network);
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        if (s.workloads[i].kind == scenario::traffic_kind::broadcast) {
            check_broadcast_cycles(scenario, made, i);
        } else {
            check_ideal_run(scenario, made.plan.network, i);
        }
    }
}

}  // namespace polycast::tlm::sim
