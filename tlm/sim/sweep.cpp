// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/sweep.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tlm/scenario/resolve.h"
#include "tlm/scenario/sweep.h"
#include "tlm/sim/networks/table_instances.h"
#include "tlm/topologies/kind.h"

namespace polycast::tlm::sim {

namespace {

using json = nlohmann::ordered_json;

json number_json(const scenario::exact& number) {
    constexpr std::int64_t exactly_in_a_double = std::int64_t{1} << 53;
    if (number.denominator() == 1 && abs(number.numerator()) <= exactly_in_a_double)
        return number.numerator().convert_to<std::int64_t>();
    return number.numerator().convert_to<double>() / number.denominator().convert_to<double>();
}

json plain_json(const scenario::node& value) {
    json made;
    switch (value.form) {
        case scenario::node::shape::null: break;
        case scenario::node::shape::scalar: return value.text;
        case scenario::node::shape::list:
            made = json::array();
            for (const scenario::node& item : value.items) made.push_back(plain_json(item));
            break;
        case scenario::node::shape::map:
            made = json::object();
            for (const scenario::node::entry& e : value.entries) made[e.key] = plain_json(e.value);
            break;
    }
    return made;
}

/// A text of what has no simpler type.
json value_json(const scenario::key* k, const scenario::node& value, const scenario::measures& sizes) {
    if (k == nullptr || !value.is_scalar()) return plain_json(value).dump();
    if (k->type == scenario::value_type::boolean) return value.text == "true";
    if (k->type != scenario::value_type::number) return value.text;
    const std::optional<scenario::quantity> parsed = scenario::parse_quantity(value.text);
    return parsed ? number_json(*to_base(*parsed, k->unit, sizes)) : json(value.text);
}

std::string type_name(const scenario::key* k) {
    if (k == nullptr) return "text";
    if (k->type == scenario::value_type::number) return k->whole ? "integer" : "number";
    return k->type == scenario::value_type::boolean ? "boolean" : "text";
}

json files_json(const scenario::loaded& scenario) {
    json files = json::array();
    const auto add = [&](const std::optional<std::string>& file) {
        if (file) files.push_back(std::filesystem::absolute(*file).string());
    };
    if (scenario.values.network.topology.kind->is().from_file) add(scenario.topology_path());
    add(scenario.own_rtl_path());
    add(scenario.partition_path());
    add(scenario.firmware_path());
    add(scenario.rail_matrix_path());
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i) {
        for (const std::string& file : scenario.program_files(i)) add(file);
        add(scenario.groups_path(i));
        add(scenario.advice_path(i));
        add(scenario.placement_path(i));
    }
    for (const table_file& table : table_files_of(scenario)) add(table.path);
    return files;
}

}  // namespace

json sweep_json(const std::string& file, const std::vector<std::string>& overrides, const std::string& writer) {
    json runs = json::array();
    const auto add = [&](const scenario::sweep_run& run) {
        json values = json::object();
        for (const auto& [path, value] : run.values) {
            values[path] = value_json(scenario::key_at(run.scenario.resolved, path), value, measures_of(run.scenario));
        }
        runs.push_back({{"name", run.name},
                        {"overrides", run.overrides},
                        {"values", values},
                        {"files", files_json(run.scenario)},
                        {"scenario", run.scenario.yaml()}});
    };
    const std::vector<scenario::swept_key> keys = scenario::for_each_run(file, overrides, add, writer);
    json described = json::array();
    for (const scenario::swept_key& k : keys)
        described.push_back({{"path", k.path},
                             {"type", type_name(k.what)},
                             {"unit", k.what == nullptr ? "" : base_unit(k.what->unit)}});
    return {{"keys", described}, {"runs", runs}};
}

}  // namespace polycast::tlm::sim
