// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/router_instances.h"

#include "hw/input_error.h"
#include "hw/system/fat_tree_plan.h"
#include "hw/system/mesh_plan.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/workloads/allgather/interface_allgather.h"
#include "tlm/workloads/broadcast/broadcast_cycles.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/broadcast/broadcast_run.h"
#include "tlm/workloads/ideal_run.h"
#include "tlm/workloads/rails/rails_rules.h"
#include "tlm/workloads/rails/rails_run.h"

namespace polycast::tlm::sim {

using hw::format::packet_kind;
using hw::topology::graph;
using scenario::loaded;
using scenario::settings;

namespace {

/// Hosts with interfaces at routers. `tree`: of a fat tree; null: a mesh or torus.
void plan_interfaces(const loaded& scenario, instance& made, const hw::topology::fat_tree* tree = nullptr) {
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
    needs.classes = routers.classes;
    routers.longest_unicast =
        hw::system::packet_flits(packet_kind::unicast, needs.unicast_payload, {}, s.router.flit_bytes, header_free);
    routers.place = "packet.payload";
    hw::fabric::fabric_params chips =
        tree ? tree_params_of(scenario, *tree, routers) : fabric_params_of(scenario, routers);
    chips.router.header_free = header_free;
    chips.tables.table = s.router.routing == scenario::router_routing::table;
    hw::system::system_params params;
    set_hosts(params, s);
    if (has_rails(s)) set_rails(params, s);
    try {
        made.plan = tree ? hw::system::make_plan(*tree, chips, params) : hw::system::make_plan(chips, params);
    } catch (const hw::input_error& refused) {
        scenario.fail("router", made.name + ": " + refused.what());
    }
    check_deadlock(scenario, made, needs);
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        if (s.workloads[i].kind == scenario::traffic_kind::allgather) plan_of_allgather(scenario, made, i);
}

}  // namespace

instance plan_routers(const loaded& scenario) {
    const settings& s = scenario.values;
    if (scenario::only_broadcasts(s)) return plan_broadcasts(scenario);
    if (!s.network.topology.is_grid()) {
        const hw::topology::fat_tree tree = fat_tree_of(scenario);
        instance made{tree.name(), 0, {}};
        made.plan.network = hw::topology::make_fat_tree(tree);
        plan_interfaces(scenario, made, &tree);
        return made;
    }
    const hw::topology::mesh_params shape = mesh_params_of(s);
    instance made{hw::topology::mesh_name(shape), 0, {}};
    try {
        made.plan.network = hw::topology::make_mesh(shape);
    } catch (const hw::input_error& refused) {
        scenario.fail("network.topology", refused.what());
    }
    if (s.host.model == scenario::host_model::interface) {
        plan_interfaces(scenario, made);
        return made;
    }
    made.plan.add_network();
    check_names(scenario, made.plan.network);
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        if (s.workloads[i].kind == scenario::traffic_kind::broadcast) {
            check_broadcast_cycles(scenario, made, i);
        } else {
            check_ideal_run(scenario, made.plan.network, i);
        }
    }
    return made;
}

}  // namespace polycast::tlm::sim
