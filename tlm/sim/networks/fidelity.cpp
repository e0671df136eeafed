// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/fidelity.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "tlm/network/sc_broadcast.h"
#include "tlm/network/sc_session.h"
#include "tlm/sim/points/broadcast_cycles.h"
#include "tlm/sim/points/interface_allgather.h"
#include "tlm/verilated/compared_chip.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_broadcast.h"
#include "tlm/verilated/rtl_coding.h"
#include "tlm/verilated/rtl_router.h"
#include "tlm/verilated/rtl_switch.h"

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

/// With ideal hosts only broadcasts run on chips.
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
    for (const instance& on : instances) {
        for (std::uint32_t index = 0; index < on.plan.chips(); ++index) {
            const fidelity wanted = fidelity_of(settings, on.plan.network.switches[index].name);
            if (wanted == fidelity::rtl || wanted == fidelity::own) models.get_ready(scenario, wanted, on.plan, index);
        }
    }
    for (std::size_t i = 0; models.ours && i < scenario.values.workloads.size(); ++i) {
        if (scenario.values.workloads[i].kind != scenario::traffic_kind::allgather) continue;
        for (const instance& on : instances)
            if (const system_plan plan = plan_of_allgather(scenario, on, i); !plan.units.empty())
                models.ours->get(plan.coding);
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
    made.firmware = std::make_shared<const processors>(scenario, host_names(instances));
    return made;
}

network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    if (scenario.values.host.model == scenario::host_model::ideal) return broadcast_factory(scenario, instances);
    const chip_makers makers = make_chip_makers(scenario, instances);
    const std::shared_ptr<const processors> firmware = makers.firmware;
    const auto hosts_of = [firmware](const run_ends& ends) {
        return ends.hosts(
            [firmware, &ends](const system_plan& plan, const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                              hw::ni::observer* watcher) { return firmware->make(plan, params, bus, watcher, ends); },
            ends.activity);
    };
    network_factory factory;
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
        factory.make = [makers, hosts_of](const system_plan& plan, const run_ends& ends) -> std::unique_ptr<runnable> {
            return std::make_unique<engine_network>(plan, makers.switches, hosts_of(ends), ends.goal, makers.units);
        };
        return factory;
    }
    factory.make = [makers, hosts_of](const system_plan& plan, const run_ends& ends) -> std::unique_ptr<runnable> {
        network::sc_network_params params;
        params.checkers = true;
        params.switches = makers.placements(plan);
        return std::make_unique<systemc_network>(plan, params, makers.switches, hosts_of(ends), ends.goal,
                                                 makers.units);
    };
    return factory;
}

}  // namespace polycast::tlm::sim
