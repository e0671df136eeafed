// SPDX-License-Identifier: Apache-2.0
#include "hw/system/source_doors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::system {

namespace {

constexpr std::uint32_t most_sources = 65536;
/// Tables are rounded up to this many sources, so that networks of nearly the same size share a Verilated model.
constexpr std::uint32_t source_granule = 32;

template <typename Chip>
void set(Chip& chip, chips::source_doors doors, std::uint32_t sources) {
    chip.params.max_sources = sources;
    chip.tables.doors = std::move(doors);
}

}  // namespace

void add_doors(system_plan& plan, bool forwarding) {
    std::uint32_t sources = static_cast<std::uint32_t>(plan.hosts.size());
    for (std::uint32_t unit = 0; unit < plan.units.size(); ++unit)
        sources = std::max(sources, plan.unit_at(unit).registers.number + 1);
    if (sources > most_sources)
        throw input_error("a table of sources has at most " + std::to_string(most_sources) + ", and there are " +
                          std::to_string(sources) + " hosts and units");
    const chips::source_range all{0, static_cast<std::uint32_t>(plan.hosts.size()) - 1};
    const std::uint32_t entries = (sources + source_granule - 1) / source_granule * source_granule;
    const std::vector<std::vector<engine::port_id>> peers = plan.peers();
    for (engine::chip_id id = 0; id < plan.chips.size(); ++id) {
        chips::source_doors doors;
        for (unsigned port = 0; port < peers[id].size(); ++port) {
            const engine::chip_id far = peers[id][port].chip;
            if (far >= plan.chips.size()) continue;
            if (const auto* host = std::get_if<host_place>(&plan.chips[far].is))
                doors.push_back({port, {forwarding ? all : chips::source_range{host->number, host->number}}});
            else if (const auto* unit = std::get_if<coding_chip>(&plan.chips[far].is))
                doors.push_back({port, {{unit->registers.number, unit->registers.number}}});
        }
        chip_kind& is = plan.chips[id].is;
        if (auto* chip = std::get_if<switch_chip>(&is)) set(*chip, std::move(doors), entries);
        if (auto* chip = std::get_if<router_chip>(&is)) set(*chip, std::move(doors), entries);
        if (auto* chip = std::get_if<vl_switch_chip>(&is)) set(*chip, std::move(doors), entries);
    }
}

}  // namespace polycast::hw::system
