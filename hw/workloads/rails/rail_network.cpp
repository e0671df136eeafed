// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_network.h"

#include <utility>

#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::rails {

namespace {

/// In the place of router `index` of rail `rail`.
chips::event_switch_params event_switch_of(const system::system_plan& one, unsigned rail, std::uint32_t index) {
    const auto& [router, tables] = one.router_at(index);
    if (tables.wrap != 0)
        throw input_error("rails: packets as events know no virtual channels, which rings need",
                          "simulate flits, or take another topology");
    chips::event_switch_params event;
    event.ports = router.ports;
    event.flit_bytes = router.flit_bytes;
    event.header_bytes = router.pin_shape().header_bytes;
    const unsigned header =
        router.header_free ? 1 : format::header_flits(format::unicast_header_bytes, router.flit_bytes);
    event.delay = tables.route_delay + router.xbar_stages + 1 + header - 1;
    event.select = tables.select;
    event.seed = std::uint64_t{one.router_at(0).tables.seed} << 32 | (rail * one.switch_count() + index);
    event.routes.assign(tables.route.begin(), tables.route.end());
    return event;
}

}  // namespace

std::string rail_prefix(unsigned rail) {
    return "rail" + std::to_string(rail) + ".";
}

system::system_plan make_rails(const system::system_plan& one, unsigned rails, bool events) {
    if (!one.has_routers()) throw input_error("rails: their networks are of routers");
    system::system_plan plan = one;
    plan.chips.clear();
    plan.cables.clear();
    plan.layered.clear();
    plan.hosts.clear();
    plan.host.interfaces = rails;
    for (unsigned rail = 0; rail < rails; ++rail) {
        const engine::chip_id first = plan.add_network(rail_prefix(rail), rail);
        for (std::uint32_t index = 0; index < one.switch_count(); ++index) {
            if (events) {
                plan.chips[first + index].is = system::event_chip{event_switch_of(one, rail, index)};
                continue;
            }
            system::router_chip router = one.router_at(index);
            // Every router of every rail has random numbers of its own.
            router.tables.seed = static_cast<std::uint16_t>(traffic::random_stream(router.tables.seed, rail)());
            plan.chips[first + index].is = std::move(router);
        }
    }
    if (events) {
        plan.host.interface.whole_packets = true;
        plan.host.interface.vcs = 1;
        plan.host.interface.class_vcs.fill(1);
    }
    return plan;
}

system::host_factory rail_hosts(system::processor_factory processors, const driver_params& params, rail_source& source,
                                rail_scoreboard& scores, ni::observer* watcher) {
    return [processors = std::move(processors), params, &source, &scores, watcher](const system::system_plan& plan,
                                                                                   std::uint32_t host) {
        const auto programs = [&](std::uint32_t) {
            return drive_rails(plan.host.interface.processes, plan.host.interfaces, params, source, scores);
        };
        return system::program_hosts(processors, programs, watcher, true)(plan, host);
    };
}

driver_statistics drivers_of(const system::system_network& network) {
    driver_statistics sum;
    for (const engine::chip_id id : network.plan().hosts)
        if (const auto host = host::host_report::of(network.network().report(id))) sum.add(host->applications);
    return sum;
}

}  // namespace polycast::hw::rails
