// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/router_params.h"

#include <algorithm>

#include "hw/input_error.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/networks/link_layer.h"
#include "tlm/workloads/allgather/allgather_run.h"

namespace polycast::tlm::sim {

using hw::fabric::fabric_params;
using scenario::loaded;
using scenario::settings;

namespace {

std::string flits_text(unsigned flits) {
    return std::to_string(flits) + (flits == 1 ? " flit" : " flits");
}

void set_channels(const loaded& scenario, fabric_params& params, const router_needs& needs) {
    const scenario::router_settings& r = scenario.values.router;
    const topologies::kind& kind = *scenario.values.network.topology.kind;
    const unsigned needed = kind.classes(scenario, needs.classes);
    const unsigned classes = r.vc_classes.value_or(needed);
    params.router.vcs = r.vcs.value_or(kind.vcs(scenario, params, classes, needs.vcs));
    if (classes < needed) {
        scenario.fail("router.vc_classes",
                      "packets have " + std::to_string(needed) + " classes, and 'router.vc_classes' is " +
                          std::to_string(classes),
                      "take " + std::to_string(needed) + ", or 'auto'");
    }
    if (params.router.ports * params.router.vcs > hw::chips::most_input_vcs) {
        scenario.fail(scenario.first_given(
                          {"router.vcs", "router.vc_classes", "network.topology.arity", "network.topology.dimensions"}),
                      "routers of " + std::to_string(params.router.ports) + " ports with " +
                          std::to_string(params.router.vcs) + " virtual channels each have more than " +
                          std::to_string(hw::chips::most_input_vcs),
                      "take at most " + std::to_string(hw::chips::most_input_vcs / params.router.ports));
    }
    try {
        params.tables.vc_sets = kind.vc_sets(scenario, params, classes);
    } catch (const hw::input_error& refused) {
        scenario.fail(scenario.first_given({"router.vcs", "router.vc_classes"}), refused.what());
    }
}

/// Packet limit, buffers, and what of them a packet needs to go on.
void set_sizes(const loaded& scenario, fabric_params& params, const router_needs& needs) {
    const scenario::router_settings& r = scenario.values.router;
    const unsigned longest = std::max(needs.longest_unicast, needs.longest_broadcast);
    params.tables.packet_limit = r.packet_limit_flits.value_or(longest);
    if (longest > params.tables.packet_limit) {
        scenario.fail("router.packet_limit",
                      "'router.packet_limit' of " + flits_text(params.tables.packet_limit) +
                          " is less than the longest packet, which has " + flits_text(longest),
                      "take " + std::to_string(longest) + ", or 'auto'");
    }
    params.tables.reserve = r.cut_through ? params.tables.packet_limit : 1;
    const unsigned reserved = reserved_units(scenario.values);
    params.router.vc_flits = r.buffer_flits.value_or(std::max(needs.buffer, params.tables.packet_limit + reserved));
    if (params.router.vc_flits > 4096)
        scenario.fail(needs.place,
                      "packets of " + flits_text(params.tables.packet_limit) +
                          " ask for buffers of as many flits, and routers have at most 4096",
                      "take shorter packets");
    if (params.tables.reserve + reserved > params.router.vc_flits) {
        scenario.fail("router.buffer",
                      "'router.buffer' of " + flits_text(params.router.vc_flits) +
                          (reserved == 0 ? "" : ", of which the link layer keeps one free,") +
                          " does not take a packet of up to " + flits_text(params.tables.reserve) +
                          ", and with 'switching: cut_through' packets wait for room for all of it",
                      "take " + std::to_string(params.tables.reserve + reserved) + " flits, or 'switching: wormhole'");
    }
    if (needs.longest_broadcast > params.tables.reserve) {
        scenario.fail("router.switching",
                      "copies of a packet of " + flits_text(needs.longest_broadcast) +
                          " can wait for each other with 'switching: wormhole'",
                      "take 'switching: cut_through', or packets of one flit");
    }
}

/// What keys say that need nothing filled in.
fabric_params params_of(const settings& s) {
    const scenario::router_settings& r = s.router;
    fabric_params params;
    params.router.flit_bytes = r.flit_bytes;
    params.router.xbar_stages = r.crossbar_delay - 1;
    params.tables.route_delay = r.route_delay;
    params.tables.allocator = r.allocator;
    params.tables.iterations = r.iterations;
    params.tables.policy = r.policy;
    params.tables.seed = static_cast<std::uint16_t>(s.seed);
    params.link_delay = s.network.link_delay;
    return params;
}

hw::routing::router_check_input check_of(const fabric_params& params, const router_needs& needs) {
    return {params.router, params.tables, needs.classes, needs.longest_unicast, needs.longest_broadcast};
}

}  // namespace

fabric_params fabric_params_of(const loaded& scenario, const router_needs& needs) {
    const settings& s = scenario.values;
    fabric_params params = params_of(s);
    s.network.topology.kind->set_routers(scenario, params, needs.hosts);
    if (!s.network.topology.is_grid()) {
        set_channels(scenario, params, needs);
        set_sizes(scenario, params, needs);
        return params;
    }
    params.router.header_free = true;  // packets are counted in flits, their headers with them
    params.router.copies = needs.longest_broadcast != 0;
    params.broadcasts = params.router.copies;
    if (params.link_delay > 64)
        scenario.fail("network.link.delay",
                      "with ideal hosts links take at most 64 cycles, not " + std::to_string(params.link_delay));
    set_channels(scenario, params, needs);
    set_sizes(scenario, params, needs);
    const hw::routing::router_check_result routes = hw::routing::check_router_lines(check_of(params, needs));
    if (!routes.good()) {
        const bool ring = !routes.cycle.empty() && s.network.topology.has_rings() && !s.router.dateline;
        scenario.fail(ring ? "router.dateline" : "router", scenario::join(routes.problems, "; "),
                      ring ? "take 'dateline: true'" : "");
    }
    hw::fabric::check(params);
    return params;
}

router_needs needs_of(const loaded& scenario, std::size_t workload) {
    const scenario::workload_settings& w = scenario.values.workloads[workload];
    if (w.kind == scenario::traffic_kind::allgather) return needs_of_allgather(scenario, workload);
    router_needs needs;
    needs.longest_unicast = w.most_flits.value_or(w.flits);
    needs.place = scenario::workload_path(workload, w.most_flits ? "most_flits" : "flits");
    return needs;
}

hw::routing::router_check_result check_routes(const fabric_params& params, const router_needs& needs) {
    return hw::routing::check_router_routes(check_of(params, needs));
}

}  // namespace polycast::tlm::sim
