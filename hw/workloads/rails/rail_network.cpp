// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_network.h"

#include <algorithm>
#include <utility>

#include "hw/chips/event/event_switch.h"
#include "hw/chips/router/router_core.h"
#include "hw/input_error.h"

namespace polycast::hw::rails {

namespace {

/// Cycles between two looks at the watchdog. It is no part of any result.
constexpr engine::cycle slice = 65536;

}  // namespace

std::unique_ptr<engine::chip> rail_network::make_switch(const system::system_plan& plan, unsigned rail,
                                                        std::uint32_t index) const {
    const chips::router_params& router = plan.routers[index];
    chips::router_tables tables = plan.router_tables[index];
    // Every router of every rail has random numbers of its own.
    tables.seed = static_cast<std::uint16_t>(traffic::random_stream(tables.seed, rail)());
    if (params_.fidelity == rail_fidelity::flits) return std::make_unique<chips::router_core>(router, tables);

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
    event.seed = std::uint64_t{plan.router_tables.front().seed} << 32 | (rail * plan.routers.size() + index);
    event.routes.assign(tables.route.begin(), tables.route.end());
    return std::make_unique<chips::event_switch>(event);
}

rail_network::rail_network(const system::system_plan& plan, const rail_network_params& params,
                           const system::processor_factory& processors, rail_source& source, rail_scoreboard& scores)
    : params_(params), scores_(scores) {
    if (plan.routers.empty()) throw input_error("rails: their networks are of routers");
    const auto routers = static_cast<engine::chip_id>(plan.routers.size());
    for (unsigned rail = 0; rail < params.rails; ++rail)
        for (std::uint32_t index = 0; index < routers; ++index)
            network_.add(make_switch(plan, rail, index),
                         "rail" + std::to_string(rail) + "." + plan.network.switches[index].name);
    const ni::processor_factory make_processor = [&](const ni::ni_params& own, ni::processor_bus& bus) {
        return processors(plan, own, bus, nullptr);
    };
    for (std::uint32_t number = 0; number < plan.network.hosts.size(); ++number) {
        host::host_params own = system::params_of(plan, number);
        own.interfaces = params.rails;
        if (params.fidelity == rail_fidelity::events) {
            own.interface.whole_packets = true;
            own.interface.vcs = 1;
            own.interface.class_vcs.fill(1);
        }
        auto chip = std::make_unique<host::host_chip>(
            own, drive_rails(own.interface.processes, params.rails, params.drivers, source, scores), make_processor,
            nullptr);
        hosts_.push_back(chip.get());
        network_.add(std::move(chip), plan.network.hosts[number].name);
    }
    for (unsigned rail = 0; rail < params.rails; ++rail) {
        const engine::chip_id first = rail * routers;
        for (const topology::link& link : plan.network.links())
            network_.connect({first + link.a.chip, link.a.port}, {first + link.b.chip, link.b.port}, plan.link());
        for (std::uint32_t number = 0; number < nodes(); ++number) {
            const topology::host_node& node = plan.network.hosts[number];
            network_.connect({first + node.chip, node.port}, {params.rails * routers + number, rail}, plan.link());
        }
    }
}

rail_outcome rail_network::run(const rail_run_limits& limits, const std::function<bool(engine::cycle)>& stop) {
    const auto sources_done = [this] {
        return std::ranges::all_of(hosts_, [](const host::host_chip* each) { return each->finished(); });
    };
    engine::cycle quiet_since = network_.now();
    std::uint64_t seen = 0;
    while (true) {
        const engine::cycle end = std::min(limits.cycles, network_.now() + slice);
        const bool over = network_.run(end, {});
        if (sources_done() && scores_.complete()) return rail_outcome::complete;
        if (over) return rail_outcome::stuck;
        if (network_.now() >= limits.cycles) return rail_outcome::limit;
        if (stop && stop(network_.now())) return rail_outcome::limit;
        const std::uint64_t moved = network_.flit_hops() + network_.packet_hops();
        if (moved != seen || scores_.complete()) {
            seen = moved;
            quiet_since = network_.now();
        } else if (network_.now() - quiet_since > limits.patience) {
            return rail_outcome::stuck;
        }
    }
}

driver_statistics rail_network::drivers() const {
    driver_statistics sum;
    for (const host::host_chip* each : hosts_)
        for (unsigned process = 0; process < each->processes(); ++process) {
            const auto* const driver = static_cast<const rail_driver*>(each->application_at(process));
            if (driver == nullptr) continue;
            const driver_statistics& own = driver->statistics();
            sum.messages += own.messages;
            sum.stripes += own.stripes;
            sum.refused += own.refused;
            sum.urgent += own.urgent;
            sum.withdrawn += own.withdrawn;
        }
    return sum;
}

system::interface_totals rail_network::totals() const {
    system::interface_totals totals;
    for (const host::host_chip* each : hosts_) totals.add(*each);
    return totals;
}

std::vector<std::string> rail_network::failures() const {
    std::vector<std::string> all;
    for (const host::host_chip* each : hosts_)
        for (std::string& text : each->failures()) all.push_back(std::move(text));
    if (network_.error_count() != 0) all.push_back(std::to_string(network_.error_count()) + " errors of switches");
    return all;
}

}  // namespace polycast::hw::rails
