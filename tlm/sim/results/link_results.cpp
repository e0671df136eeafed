// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/link_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>
#include <vector>

#include "hw/faults/fault_plan.h"
#include "tlm/sim/results/csv_field.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;

namespace {

/// A fault and where it was.
struct located_fault {
    hw::engine::cycle when = 0;
    std::string at;  ///< "switch1:3", "switch1.buffer", "host6"
    std::string_view what, effect;
    std::uint64_t detail = 0;
};

constexpr std::string_view hang = "hang";

/// The first ones of every cable and chip, by cycle.
std::vector<located_fault> faults_of(const run_result& r) {
    std::vector<located_fault> all;
    const auto add = [&all](const hw::chips::cable_damage::record& each, std::string at) {
        all.push_back({each.when, std::move(at), hw::faults::fault_names[each.what],
                       hw::faults::effect_names[each.effect], each.detail});
    };
    for (const cable_load& cable : r.cables)
        for (const auto& each : cable.counts.damage.first) add(each, cable.at[each.from_end]);
    for (const upset_chip& chip : r.upsets)
        for (const auto& each : chip.counts.damage.first)
            add(each, chip.name + "." + std::string(hw::format::name_of(hw::format::upset_memory{each.from_end})));
    constexpr auto began = static_cast<std::size_t>(hw::faults::fault_effect::began);
    for (const hung_host& each : r.hangs)
        all.push_back({each.at, each.name, hang, hw::faults::effect_names[began],
                       each.until == hw::engine::never ? 0 : each.until});
    constexpr auto upset = static_cast<std::size_t>(hw::faults::fault_kind::upset);
    constexpr auto flipped = static_cast<std::size_t>(hw::faults::fault_effect::flipped);
    for (const upset_interface& each : r.flips)
        all.push_back(
            {each.at, each.name, hw::faults::fault_names[upset], hw::faults::effect_names[flipped], each.detail});
    std::ranges::stable_sort(all, {}, &located_fault::when);
    return all;
}

bool has_ends(const cable_load& cable) {
    return cable.layer != hw::chips::link_layer::none;
}

constexpr std::array layer_names{"none", "check", "retry"};

}  // namespace

bool has_link_layer(const run_result& r) {
    return std::ranges::any_of(r.cables, has_ends);
}

bool has_faults(const loaded& scenario, const run_result& r) {
    const scenario::fault_settings& faults = scenario.values.faults;
    return (!r.cables.empty() && faults.any()) || !r.upsets.empty() || faults.hangs() || faults.interface_upsets();
}

json injected_json(const run_result& r) {
    constexpr std::size_t shown = 10;
    json j{{"count", 0}, {"kinds", json::object()}, {"first", json::array()}};
    std::uint64_t all = 0;
    for (std::size_t kind = 0; kind < hw::faults::fault_names.size(); ++kind) {
        std::uint64_t count = 0;
        for (const cable_load& cable : r.cables) count += cable.counts.damage.count[kind];
        for (const upset_chip& chip : r.upsets) count += chip.counts.damage.count[kind];
        if (kind == static_cast<std::size_t>(hw::faults::fault_kind::upset)) count += r.flips.size();
        if (count != 0) j["kinds"][std::string(hw::faults::fault_names[kind])] = count;
        all += count;
    }
    if (!r.hangs.empty()) j["kinds"][std::string(hang)] = r.hangs.size();
    j["count"] = all + r.hangs.size();
    std::uint64_t corrected = 0;
    for (const upset_chip& chip : r.upsets) corrected += chip.counts.damage.corrected;
    for (const cable_load& cable : r.cables)
        for (const hw::chips::cable_report::end& end : cable.counts.ends) corrected += end.counts.corrected;
    corrected += r.hosts.interfaces.corrected;
    if (corrected != 0) j["corrected"] = corrected;
    for (const located_fault& fault : faults_of(r)) {
        if (j["first"].size() == shown) break;
        j["first"].push_back({{"cycle", fault.when},
                              {"link", fault.at},
                              {"what", fault.what},
                              {"effect", fault.effect},
                              {"detail", fault.detail}});
    }
    return j;
}

void faults_csv(const loaded& scenario, const std::vector<finished_run>& points, const text_sink& put) {
    text_pieces table(put);
    table.add("point,cycle,link,what,effect,detail\n");
    for (const finished_run& point : points) {
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        for (const located_fault& fault : faults_of(point.result))
            table.add("{},{},{},{},{},{}\n", id, fault.when, field(fault.at), fault.what, fault.effect, fault.detail);
    }
    table.end();
}

/// All link ends together, and those that are not up; each has its row in tables/link_layer.csv.
nlohmann::ordered_json link_layer_json(const run_result& r) {
    hw::chips::cable_report all;
    json down = json::array();
    std::array<std::size_t, layer_names.size()> cables{};
    for (const cable_load& cable : r.cables) {
        if (!has_ends(cable)) continue;
        ++cables[static_cast<std::size_t>(cable.layer)];
        hw::chips::cable_report both = cable.counts;
        std::swap(both.ends[0], both.ends[1]);
        both += cable.counts;
        all += both;
        for (std::size_t end = 0; end < 2; ++end)
            if (cable.counts.ends[end].tx != hw::chips::link_tx_state::advance) down.push_back(cable.at[end]);
    }
    json layers = json::object();
    for (std::size_t layer = 0; layer < cables.size(); ++layer)
        if (cables[layer] != 0) layers[layer_names[layer]] = cables[layer];
    json j{{"cables", std::reduce(cables.begin(), cables.end())},
           {"layers", std::move(layers)},
           {"down", std::move(down)}};
    for (const hw::chips::link_counter_name& each : hw::chips::link_counter_names)
        j[std::string(each.name)] = all.ends[0].counts.*each.value;
    return j;
}

void link_layer_csv(const loaded& scenario, const std::vector<finished_run>& points, const text_sink& put) {
    namespace chips = hw::chips;
    text_pieces table(put);
    std::string head = "point,cable,end,layer,tx_state,rx_state,down_by";
    for (const chips::link_counter_name& each : chips::link_counter_names) head += "," + std::string(each.name);
    for (const std::string_view state : chips::link_tx_state_names) head += ",tx_cycles_" + std::string(state);
    for (const std::string_view state : chips::link_rx_state_names) head += ",rx_cycles_" + std::string(state);
    table.add("{}\n", head);
    for (const finished_run& point : points) {
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        for (const cable_load& cable : point.result.cables) {
            if (!has_ends(cable)) continue;
            for (std::size_t which = 0; which < 2; ++which) {
                const chips::cable_report::end& end = cable.counts.ends[which];
                std::string row = fmt::format("{},{},{},{},{},{},{}", id, field(cable.name), field(cable.at[which]),
                                              layer_names[static_cast<std::size_t>(cable.layer)],
                                              chips::link_tx_state_names[static_cast<std::size_t>(end.tx)],
                                              chips::link_rx_state_names[static_cast<std::size_t>(end.rx)],
                                              chips::flush_cause_names[static_cast<std::size_t>(end.cause)]);
                for (const chips::link_counter_name& each : chips::link_counter_names)
                    row += fmt::format(",{}", end.counts.*each.value);
                for (const std::uint64_t cycles : end.counts.tx_cycles) row += fmt::format(",{}", cycles);
                for (const std::uint64_t cycles : end.counts.rx_cycles) row += fmt::format(",{}", cycles);
                table.add("{}\n", row);
            }
        }
    }
    table.end();
}

void write_link_results(const results_folder& folder, const loaded& scenario, const std::vector<finished_run>& points) {
    if (std::ranges::any_of(points, [](const finished_run& run) { return has_link_layer(run.result); }))
        folder.write("tables/link_layer.csv", [&](const text_sink& put) { link_layer_csv(scenario, points, put); });
    if (std::ranges::none_of(points, [&](const finished_run& run) { return has_faults(scenario, run.result); })) return;
    folder.write("tables/faults.csv", [&](const text_sink& put) { faults_csv(scenario, points, put); });
}

}  // namespace polycast::tlm::sim
