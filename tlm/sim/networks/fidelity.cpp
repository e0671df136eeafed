// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/fidelity.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "tlm/network/sc_broadcast.h"
#include "tlm/network/sc_chip_network.h"
#include "tlm/network/sc_session.h"
#include "tlm/verilated/compared_chip.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_broadcast.h"
#include "tlm/verilated/rtl_coding.h"
#include "tlm/verilated/rtl_router.h"
#include "tlm/verilated/rtl_switch.h"
#include "tlm/workloads/allgather/interface_allgather.h"
#include "tlm/workloads/broadcast/broadcast_cycles.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/ideal_run.h"

namespace polycast::tlm::sim {

namespace {

using hw::engine::chip_id;
using hw::engine::cycle;
using hw::system::system_plan;
using scenario::fidelity;

/// All switches or routers on the bare engine.
class engine_network final : public runnable {
public:
    engine_network(const system_plan& plan, const hw::system::switch_factory& switches,
                   const hw::system::host_factory& hosts, const hw::traffic::goal& goal,
                   const hw::system::unit_factory& units)
        : network_(plan, switches, hosts, goal, units) {}

    const hw::engine::chip& chip(chip_id id) const override { return network_.network().at(id); }
    void observe(hw::engine::observer* observer) override { network_.network().observe(observer); }
    hw::system::run_outcome run(const hw::system::run_limits& limits, const std::function<bool(cycle)>& stop) override {
        return network_.run(limits, stop);
    }
    cycle now() const override { return network_.network().now(); }
    hw::engine::link_statistics statistics(hw::engine::port_id port) const override {
        return network_.network().statistics(port);
    }
    std::vector<hw::engine::error_event> errors() const override { return network_.network().errors(); }
    std::uint64_t error_count() const override { return network_.network().error_count(); }
    std::vector<hw::engine::event_record> events() const override { return network_.network().events(); }
    std::uint64_t event_count() const override { return network_.network().event_count(); }

private:
    hw::system::switch_network network_;
};

/// Some switches as SystemC modules of their own, the others in the engine's one process.
class systemc_network final : public runnable {
public:
    systemc_network(const system_plan& plan, const network::sc_network_params& params,
                    const hw::system::switch_factory& switches, const hw::system::host_factory& hosts,
                    const hw::traffic::goal& goal, const hw::system::unit_factory& units) {
        session_.add("network", plan, params, switches, hosts, goal, units);
    }

    const hw::engine::chip& chip(chip_id id) const override { return session_.at(0).chip(id); }
    void observe(hw::engine::observer* observer) override { session_.at(0).observe(observer); }
    hw::system::run_outcome run(const hw::system::run_limits& limits, const std::function<bool(cycle)>& stop) override {
        std::function<bool(std::size_t, cycle)> ask;
        if (stop) ask = [&stop](std::size_t, cycle now) { return stop(now); };
        return session_.run(limits, ask).front();
    }
    cycle now() const override { return session_.at(0).now(); }
    hw::engine::link_statistics statistics(hw::engine::port_id port) const override {
        return session_.at(0).statistics(port);
    }
    std::vector<hw::engine::error_event> errors() const override { return session_.at(0).errors(); }
    std::uint64_t error_count() const override { return session_.at(0).error_count(); }
    std::vector<hw::engine::event_record> events() const override { return session_.at(0).events(); }
    std::uint64_t event_count() const override { return session_.at(0).event_count(); }

private:
    network::sc_session session_;
};

/// Of all hosts of all networks, each once.
std::vector<std::string> host_names(const std::vector<instance>& instances) {
    std::set<std::string> names;
    for (const instance& on : instances) {
        for (const hw::topology::host_node& node : on.plan.network.hosts) names.insert(node.name);
    }
    return {names.begin(), names.end()};
}

std::shared_ptr<model_library> make_models(const std::optional<std::string>& own_rtl = {}) {
    model_options options = model_options::defaults();
    if (own_rtl) options.own_rtl = *own_rtl;
    options.on_message = [](const std::string& message) { spdlog::info("{}", message); };
    return std::make_shared<model_library>(options);
}

/// Models of the RTL of switches and routers; each library is there if a chip needs it.
struct rtl_models {
    std::shared_ptr<model_library> ours;
    std::shared_ptr<model_library> own;

    /// Builds the model of a switch or router: now, and not in the middle of the run, on a thread.
    void get_ready(const scenario::loaded& scenario, fidelity wanted, const system_plan& plan, std::uint32_t index) {
        std::shared_ptr<model_library>& library = wanted == fidelity::own ? own : ours;
        if (!library) library = make_models(wanted == fidelity::own ? scenario.own_rtl_path() : std::nullopt);
        if (plan.has_routers()) {
            library->get(plan.routers[index]);
        } else {
            library->get(plan.switches[index]);
        }
    }
};

std::unique_ptr<hw::engine::chip> make_rtl(const system_plan& plan, std::uint32_t index, model_library& models) {
    const std::string& name = plan.network.switches[index].name;
    if (plan.has_routers())
        return std::make_unique<rtl_router>(plan.routers[index], plan.router_tables[index], models, name);
    return std::make_unique<rtl_switch>(plan.switches[index], plan.tables[index], models, name);
}

/// In a network for broadcasts.
std::string router_name(std::uint32_t node) {
    return "router" + std::to_string(node);
}

/// Networks for broadcasts, whose hosts are ideal.
network_factory broadcast_factory(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    const scenario::network_settings& settings = scenario.values.network;
    const std::vector<hw::topology::switch_node>& routers = instances.front().plan.network.switches;
    network_factory factory;
    const auto any = [&](fidelity wanted) {
        return std::ranges::any_of(routers, [&](const hw::topology::switch_node& router) {
            return fidelity_of(settings, router.name) == wanted;
        });
    };
    if (any(fidelity::tlm)) {
        factory.one_per_process = true;
        factory.broadcast_chips = [settings](const hw::broadcast::router_network_params& params) {
            return network::sc_broadcast_chips(params, [settings](std::uint32_t router) {
                return fidelity_of(settings, router_name(router)) == fidelity::tlm ? network::placement::module
                                                                                   : network::placement::engine;
            });
        };
    }
    if (!any(fidelity::rtl)) return factory;
    const std::shared_ptr<model_library> models = make_models();
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i)
        if (scenario.values.workloads[i].kind == scenario::traffic_kind::broadcast)
            models->get(broadcast_routers_of(scenario, i).chip);
    factory.broadcast_routers =
        [settings, models, core = hw::broadcast::core_routers()](
            const hw::chips::broadcast_params& params,
            const hw::chips::broadcast_registers& registers) -> std::unique_ptr<hw::engine::chip> {
        const std::string name = router_name(registers.router.node);
        if (fidelity_of(settings, name) != fidelity::rtl) return core(params, registers);
        return std::make_unique<rtl_broadcast>(params, registers, *models, name);
    };
    return factory;
}

}  // namespace

std::vector<network::placement> chip_makers::placements(const system_plan& plan) const {
    std::vector<network::placement> places;
    for (const hw::topology::switch_node& node : plan.network.switches) {
        places.push_back(fidelity_of(settings, node.name) == fidelity::tlm ? network::placement::module
                                                                           : network::placement::engine);
    }
    return places;
}

chip_makers make_chip_makers(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    const scenario::network_settings& settings = scenario.values.network;
    rtl_models models;
    const bool ideal = scenario.values.host.model == scenario::host_model::ideal;
    const auto is_model = [](fidelity wanted) { return wanted == fidelity::rtl || wanted == fidelity::own; };
    const bool any_model = is_model(settings.all) ||
                           std::ranges::any_of(settings.chips, [&](const auto& chip) { return is_model(chip.second); });
    std::vector<system_plan> own_plans;  // of workloads that have one each
    for (std::size_t i = 0; any_model && i < scenario.values.workloads.size(); ++i) {
        const scenario::traffic_kind kind = scenario.values.workloads[i].kind;
        if (ideal) {
            if (kind != scenario::traffic_kind::broadcast) own_plans.push_back(ideal_plan_of(scenario, i));
        } else if (kind == scenario::traffic_kind::allgather) {
            for (const instance& on : instances) own_plans.push_back(plan_of_allgather(scenario, on, i));
        }
    }
    const auto get_ready = [&](const system_plan& plan) {
        for (std::uint32_t index = 0; index < plan.chips(); ++index) {
            const fidelity wanted = fidelity_of(settings, plan.network.switches[index].name);
            if (is_model(wanted)) models.get_ready(scenario, wanted, plan, index);
        }
    };
    for (const instance& on : instances)
        if (!ideal) get_ready(on.plan);
    for (const system_plan& plan : own_plans) {
        if (ideal) get_ready(plan);
        if (models.ours && !plan.units.empty()) models.ours->get(plan.coding);
    }
    chip_makers made;
    made.settings = settings;
    made.switches = [settings, models](const system_plan& plan,
                                       std::uint32_t index) -> std::unique_ptr<hw::engine::chip> {
        const std::string& name = plan.network.switches[index].name;
        switch (fidelity_of(settings, name)) {
            case fidelity::rtl: return make_rtl(plan, index, *models.ours);
            case fidelity::own: {
                auto tested = make_rtl(plan, index, *models.own);
                if (!settings.compare) return tested;
                return std::make_unique<compared_chip>(name, hw::engine::chip_names{"core", "own RTL"},
                                                       hw::system::make_core(plan, index), std::move(tested));
            }
            default: return hw::system::make_core(plan, index);
        }
    };
    made.units = [settings, models = models.ours](const system_plan& plan,
                                                  std::uint32_t index) -> std::unique_ptr<hw::engine::chip> {
        const std::string& router = plan.network.switches[plan.unit_port(index).chip].name;
        if (fidelity_of(settings, router) != fidelity::rtl) return hw::system::make_unit_core(plan, index);
        return std::make_unique<rtl_coding>(plan.coding, plan.units[index], *models, plan.unit_name(index));
    };
    if (scenario.values.host.model == scenario::host_model::interface)
        made.firmware = std::make_shared<const processors>(scenario, host_names(instances));
    return made;
}

namespace {

/// Adds networks of chips with ideal hosts. A router that is a module has its host and unit beside it.
network_factory with_ideal_hosts(network_factory factory, const chip_makers& makers,
                                 const std::vector<instance>& instances) {
    factory.routers = makers.switches;
    factory.units = makers.units;
    const std::vector<network::placement> places = makers.placements(instances.front().plan);
    if (std::ranges::find(places, network::placement::module) == places.end()) return factory;
    factory.one_per_process = true;
    factory.ideal_network = [places](const system_plan& plan) -> std::unique_ptr<hw::engine::chip_network> {
        network::sc_chip_network_params chips;
        chips.where = [places, &plan](chip_id id) {
            if (id < plan.chips()) return places[id];
            if (id < plan.unit_chip(0)) return places[plan.network.hosts[id - plan.chips()].chip];
            return places[plan.unit_port(id - plan.unit_chip(0)).chip];
        };
        chips.credits = [&plan](hw::engine::port_id from) {
            const unsigned credits =
                from.chip < plan.chips() ? plan.credits(from.chip, from.port) : plan.host.interface.credits;
            return std::vector<unsigned>(plan.vcs(), credits);
        };
        return std::make_unique<network::sc_chip_network>(std::move(chips));
    };
    return factory;
}

}  // namespace

network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    network_factory factory;
    if (scenario::has_broadcasts(scenario.values)) factory = broadcast_factory(scenario, instances);
    if (scenario::only_broadcasts(scenario.values)) return factory;
    const chip_makers makers = make_chip_makers(scenario, instances);
    if (scenario.values.host.model == scenario::host_model::ideal)
        return with_ideal_hosts(std::move(factory), makers, instances);
    const std::shared_ptr<const processors> firmware = makers.firmware;
    const auto hosts_of = [firmware](const endpoints& ends) {
        return ends.hosts(
            [firmware, &ends](const system_plan& plan, const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                              hw::ni::observer* watcher) { return firmware->make(plan, params, bus, watcher, ends); },
            ends.activity);
    };
    factory.one_per_process = std::ranges::any_of(instances, [&](const instance& on) {
        const std::vector<network::placement> places = makers.placements(on.plan);
        return std::ranges::find(places, network::placement::module) != places.end();
    });
    factory.processors = [firmware](const system_plan& plan, const hw::ni::ni_params& params,
                                    hw::ni::processor_bus& bus,
                                    hw::ni::observer* watcher) { return firmware->make(plan, params, bus, watcher); };
    factory.functions_of = [firmware](const std::string& host) -> std::function<std::string_view(std::uint32_t)> {
        if (!firmware->has_counter(host)) return {};
        return [firmware](std::uint32_t pc) { return firmware->function_at(pc); };
    };
    if (!factory.one_per_process) {
        factory.make = [makers, hosts_of](const system_plan& plan, const endpoints& ends) -> std::unique_ptr<runnable> {
            return std::make_unique<engine_network>(plan, makers.switches, hosts_of(ends), ends.goal, makers.units);
        };
        return factory;
    }
    factory.make = [makers, hosts_of](const system_plan& plan, const endpoints& ends) -> std::unique_ptr<runnable> {
        network::sc_network_params params;
        params.checkers = true;
        params.switches = makers.placements(plan);
        return std::make_unique<systemc_network>(plan, params, makers.switches, hosts_of(ends), ends.goal,
                                                 makers.units);
    };
    return factory;
}

}  // namespace polycast::tlm::sim
