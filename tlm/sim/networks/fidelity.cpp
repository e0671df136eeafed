// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/fidelity.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "hw/system/chip_upsets.h"
#include "hw/system/link_layer.h"
#include "tlm/network/module_part.h"
#include "tlm/network/sc_chip_network.h"
#include "tlm/verilated/compared_chip.h"
#include "tlm/verilated/model_library.h"
#include "tlm/verilated/rtl_broadcast.h"
#include "tlm/verilated/rtl_cable.h"
#include "tlm/verilated/rtl_coding.h"
#include "tlm/verilated/rtl_router.h"
#include "tlm/verilated/rtl_switch.h"
#include "tlm/verilated/rtl_vl_switch.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

namespace {

using hw::engine::chip_id;
using hw::system::system_plan;
using scenario::fidelity;

/// Of all hosts of all networks, each once.
std::vector<std::string> host_names(const std::vector<instance>& instances) {
    std::set<std::string> names;
    for (const instance& on : instances) {
        for (const hw::topology::host_node& node : on.plan.network.hosts) names.insert(node.name);
    }
    return {names.begin(), names.end()};
}

std::shared_ptr<model_library> make_models(bool assertions, const std::optional<std::string>& own_rtl) {
    model_options options = model_options::defaults();
    // Waves of a run show pins and probes; a model that can show its inside as well keeps every signal in memory.
    options.inside_waves = false;
    options.assertions = assertions;
    if (own_rtl) {
        options.own_rtl = *own_rtl;
        options.optimize = "-O1";  // built anew after every edit
    }
    options.on_message = [](const std::string& message) { spdlog::info("{}", message); };
    return std::make_shared<model_library>(options);
}

/// Models of chips in RTL; each library is there if a chip needs it.
struct rtl_models {
    std::shared_ptr<model_library> ours;
    std::shared_ptr<model_library> own;

    /// Where models of this fidelity are.
    model_library& library(const scenario::loaded& scenario, fidelity wanted) {
        std::shared_ptr<model_library>& models = wanted == fidelity::own ? own : ours;
        if (!models)
            models = make_models(scenario.values.network.rtl_assertions,
                                 wanted == fidelity::own ? scenario.own_rtl_path() : std::nullopt);
        return *models;
    }

    /// Builds the model of a chip: now, and not in the middle of the run, on a thread.
    void get_ready(const scenario::loaded& scenario, fidelity wanted, const hw::system::chip_kind& is) {
        const bool coding = std::holds_alternative<hw::system::coding_chip>(is);
        if (wanted != fidelity::rtl && (wanted != fidelity::own || coding)) return;
        model_library* const library = &this->library(scenario, wanted);
        if (const auto* chip = std::get_if<hw::system::switch_chip>(&is)) library->get(chip->params);
        if (const auto* chip = std::get_if<hw::system::router_chip>(&is)) library->get(chip->params);
        if (const auto* chip = std::get_if<hw::system::vl_switch_chip>(&is)) library->get(chip->params);
        if (const auto* chip = std::get_if<hw::system::coding_chip>(&is)) library->get(chip->params);
        if (const auto* chip = std::get_if<hw::system::broadcast_chip>(&is)) library->get(chip->params);
    }
};

std::unique_ptr<hw::engine::chip> make_rtl(const system_plan& plan, chip_id id, model_library& models) {
    const auto& [name, is] = plan.chips[id];
    if (const auto* chip = std::get_if<hw::system::router_chip>(&is))
        return hw::system::with_upsets(plan, id,
                                       std::make_unique<rtl_router>(chip->params, chip->tables, models, name));
    if (const auto* chip = std::get_if<hw::system::vl_switch_chip>(&is))
        return std::make_unique<rtl_vl_switch>(chip->params, chip->tables, models, name);
    if (const auto* chip = std::get_if<hw::system::coding_chip>(&is))
        return std::make_unique<rtl_coding>(chip->params, chip->registers, models, name);
    if (const auto* chip = std::get_if<hw::system::broadcast_chip>(&is))
        return std::make_unique<rtl_broadcast>(chip->params, chip->registers, models, name);
    const auto& chip = std::get<hw::system::switch_chip>(is);
    return hw::system::with_upsets(plan, id, std::make_unique<rtl_switch>(chip.params, chip.tables, models, name));
}

/// Of all cables of a network that can share a model with cable `id`: as few are built as can be.
hw::chips::link_end_params cable_sizes(const system_plan& plan, chip_id id) {
    hw::chips::link_end_params sizes = link_end_sizes(hw::system::config_of(plan, plan.cable_at(id)));
    for (const std::size_t index : plan.layered) {
        if (!plan.cables[index].layer) continue;
        hw::chips::link_end_params other = link_end_sizes(hw::system::config_of(plan, plan.cables[index]));
        const hw::chips::link_end_params larger = {.vcs = sizes.vcs,
                                                   .flit_bytes = sizes.flit_bytes,
                                                   .header_bytes = sizes.header_bytes,
                                                   .beside = sizes.beside,
                                                   .frame = std::max(sizes.frame, other.frame),
                                                   .ring = std::max(sizes.ring, other.ring),
                                                   .window = std::max(sizes.window, other.window),
                                                   .sequence_bits = sizes.sequence_bits,
                                                   .protect_rings = sizes.protect_rings,
                                                   .protect_counters = sizes.protect_counters};
        other.frame = larger.frame;
        other.ring = larger.ring;
        other.window = larger.window;
        if (other == larger) sizes = larger;
    }
    return sizes;
}

std::unique_ptr<hw::engine::chip> make_rtl_cable(const system_plan& plan, chip_id id, model_library& models) {
    return hw::system::make_cable(plan, id, [&](const hw::chips::link_config& config) {
        return std::make_unique<rtl_cable>(config, cable_sizes(plan, id), models, plan.name_of(id));
    });
}

/// Nobody checks the protocol of links where faults break it.
bool checked(const system_plan& plan) {
    return plan.params.upsets.empty() && std::ranges::none_of(plan.cables, &hw::system::planned_cable::spoilt);
}

/// All plans that the workloads of a scenario run on.
std::vector<system_plan> plans_of(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    std::vector<system_plan> plans;
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i)
        for (const instance& on : instances)
            plans.push_back(workload_kind_of(scenario, i).own_plan(scenario, on, i).value_or(on.plan));
    return plans;
}

/// Units have that of their routers.
fidelity fidelity_at(const scenario::network_settings& settings, const system_plan& plan, chip_id id) {
    if (plan.is_cable(id)) return fidelity_of(settings, plan.name_of(id));
    const auto unit = std::ranges::find(plan.units, id);
    if (unit == plan.units.end()) return fidelity_of(settings, plan.chips[id].name);
    return fidelity_of(settings,
                       plan.chips[plan.unit_port(static_cast<std::uint32_t>(unit - plan.units.begin())).chip].name);
}

}  // namespace

std::vector<network::placement> chip_makers::placements(const system_plan& plan) const {
    std::vector<network::placement> places;
    for (chip_id id = 0; id < plan.chip_count(); ++id)
        places.push_back(fidelity_of(settings, plan.name_of(id)) == fidelity::tlm ? network::placement::module
                                                                                  : network::placement::engine);
    return places;
}

chip_makers make_chip_makers(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    const scenario::network_settings& settings = scenario.values.network;
    const auto is_model = [](fidelity wanted) { return wanted == fidelity::rtl || wanted == fidelity::own; };
    rtl_models models;
    if (is_model(settings.all) ||
        std::ranges::any_of(settings.chips, [&](const auto& chip) { return is_model(chip.second); })) {
        for (const system_plan& plan : plans_of(scenario, instances)) {
            for (chip_id id = 0; id < plan.chips.size(); ++id)
                models.get_ready(scenario, fidelity_at(settings, plan, id), plan.chips[id].is);
            for (auto id = static_cast<chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
                if (const fidelity wanted = fidelity_at(settings, plan, id);
                    is_model(wanted) && plan.cable_at(id).layer)
                    models.library(scenario, wanted).get(cable_sizes(plan, id));
        }
    }
    chip_makers made;
    made.settings = settings;
    made.chips = [settings, models](const system_plan& plan, chip_id id) -> std::unique_ptr<hw::engine::chip> {
        const bool cable = plan.is_cable(id);
        const std::string name = plan.name_of(id);
        const bool unit = !cable && std::holds_alternative<hw::system::coding_chip>(plan.chips[id].is);
        const fidelity wanted = fidelity_at(settings, plan, id);
        if (cable && !plan.cable_at(id).layer) return hw::system::make_core(plan, id);
        const auto make = cable ? make_rtl_cable : make_rtl;
        if (wanted == fidelity::rtl) return make(plan, id, *models.ours);
        if (wanted != fidelity::own || unit) return hw::system::make_core(plan, id);
        auto tested = make(plan, id, *models.own);
        if (!settings.compare) return tested;
        return std::make_unique<compared_chip>(name, hw::engine::chip_names{"core", "own RTL"}, plan.header_shape(),
                                               hw::system::make_core(plan, id), std::move(tested),
                                               plan.host.interface.jobs);
    };
    if (scenario.values.host.model == scenario::host_model::interface)
        made.firmware = std::make_shared<const processors>(scenario, host_names(instances));
    return made;
}

network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances,
                                     std::shared_ptr<hw::engine::rank_group> ranks) {
    const scenario::network_settings& settings = scenario.values.network;
    const chip_makers makers = make_chip_makers(scenario, instances);
    network_factory factory;
    factory.chips = makers.chips;
    const auto threads_of = [scenario, threads = settings.threads.value_or(1)](const system_plan& plan) {
        return hw::engine::threading{threads, partition_of(scenario, plan)};
    };
    factory.one_per_process =
        settings.all == fidelity::tlm ||
        std::ranges::any_of(settings.chips, [](const auto& chip) { return chip.second == fidelity::tlm; });
    if (factory.one_per_process && ranks)
        factory.ranks = factory.relayed = std::make_shared<ranks::relayed_ranks>(std::move(ranks));
    else
        factory.ranks = std::move(ranks);
    factory.stepper = [threads_of, ranks = factory.ranks](const system_plan& plan) {
        hw::engine::threading how = threads_of(plan);
        how.ranks = ranks;
        return std::make_unique<hw::engine::network>(std::move(how));
    };
    if (factory.one_per_process)
        factory.stepper = [makers, threads_of, ranks = factory.ranks](
                              const system_plan& plan) -> std::unique_ptr<hw::engine::chip_network> {
            network::sc_chip_network_params params = network::chips_of(plan, makers.placements(plan), checked(plan));
            params.threads = threads_of(plan);
            if (!ranks) return std::make_unique<network::sc_chip_network>(std::move(params));
            hw::engine::threading how = params.threads;
            how.ranks = ranks;
            how.foreign = network::in_modules(params);
            return std::make_unique<hw::engine::network>(std::move(how));
        };
    const std::shared_ptr<const processors> firmware = makers.firmware;
    if (firmware)
        factory.functions_of = [firmware](const std::string& host) -> std::function<std::string_view(std::uint32_t)> {
            if (!firmware->has_counter(host)) return {};
            return [firmware](std::uint32_t pc) { return firmware->function_at(pc); };
        };
    const auto maker = [firmware](hw::system::chip_factory chips, hw::system::stepper_factory stepper) {
        return [firmware, chips = std::move(chips), stepper = std::move(stepper)](const system_plan& plan,
                                                                                  const endpoints& ends) {
            const auto make_processor = [firmware, &ends](const system_plan& of, const hw::ni::ni_params& params,
                                                          hw::ni::processor_bus& bus, hw::ni::observer* watcher) {
                return firmware->make(of, params, bus, watcher, ends);
            };
            return std::make_unique<hw::system::system_network>(plan, chips, ends.hosts(make_processor, ends.activity),
                                                                ends.goal, stepper);
        };
    };
    factory.make = maker(factory.chips, factory.stepper);
    factory.make_cores = maker(hw::system::make_core, hw::system::make_engine);
    return factory;
}

}  // namespace polycast::tlm::sim
