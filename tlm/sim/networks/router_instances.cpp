// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/router_instances.h"

#include "hw/input_error.h"
#include "hw/system/link_layer.h"
#include "hw/system/source_doors.h"
#include "tlm/sim/memory.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/link_layer.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/topologies/kind.h"
#include "tlm/workloads/kind.h"

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
    check_names(scenario, workload_kind_of(scenario, 0).named(scenario, network));
    hw::system::traffic_needs needs = traffic_needs_of(scenario);
    router_needs routers;
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        workload_kind_of(scenario, i).check_routers(scenario, made, i, routers);
    check_tables(scenario, made.plan.network);
    const bool header_free = s.packet.header == scenario::header_place::free;
    needs.classes = s.network.topology.kind->classes(scenario, routers.classes);
    routers.longest_unicast = hw::system::packet_flits(packet_kind::unicast, needs.unicast_payload,
                                                       {{}, s.router.flit_bytes, header_free, s.host.has_job_ids()});
    routers.place = "packet.payload";
    hw::fabric::fabric_params chips = fabric_params_of(scenario, routers);
    chips.router.header_free = header_free;
    chips.router.protect_buffers = static_cast<unsigned>(s.protect.buffers);
    chips.router.protect_routes = static_cast<unsigned>(s.protect.routes);
    chips.router.protect_credits = static_cast<unsigned>(s.protect.credits);
    hw::system::system_params params;
    params.link_layer = link_layers_of(scenario);
    set_hosts(params, s);
    workload_kind_of(scenario, 0).set_hosts(params, s);
    try {
        made.plan = s.network.topology.kind->plan(scenario, chips, params);
        if (s.network.has_link_layer()) hw::system::reserve_places(made.plan);
        if (s.host.check_source) hw::system::add_doors(made.plan, needs.forwarded != 0);
    } catch (const hw::input_error& refused) {
        scenario.fail("router", made.name + ": " + refused.what());
    }
    check_deadlock(scenario, made, needs);
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        static_cast<void>(workload_kind_of(scenario, i).own_plan(scenario, made, i));
}

}  // namespace

void plan_routers(const loaded& scenario, instance& made) {
    const settings& s = scenario.values;
    if (s.host.model == scenario::host_model::interface) return plan_interfaces(scenario, made);
    check_names(scenario, made.plan.network);
    router_needs none;
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        workload_kind_of(scenario, i).check_routers(scenario, made, i, none);
}

}  // namespace polycast::tlm::sim
