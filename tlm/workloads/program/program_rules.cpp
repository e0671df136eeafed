// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/program_rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hw/collectives/library.h"
#include "hw/input_error.h"
#include "tlm/scenario/propose.h"
#include "tlm/workloads/messages/messages_rules.h"

namespace polycast::tlm::scenario {

namespace {

bool is_program(const workload_settings& w) {
    return w.kind == traffic_kind::program || w.kind == traffic_kind::collective;
}

std::vector<key> all_keys() {
    // The machine first: what other keys mean depends on it.
    std::vector<key> all = machine_keys();
    const std::vector<key> more = program_keys();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

struct section_key {
    std::string_view section, key;  ///< key: "" for the whole section
};
/// What is about chips. The reference machine has none, so nothing can be watched there, go wrong, or be built in
/// another way.
constexpr section_key of_chips[] = {{"network", "fidelity"}, {"network", "chips"}, {"network", "threads"},
                                    {"ni", "processor"},     {"faults", ""},       {"trace", ""}};

bool is_of(const section_key& one, std::string_view path) {
    if (!path.starts_with(std::string(one.section) + ".")) return false;
    return one.key.empty() || path.substr(one.section.size() + 1) == one.key;
}

/// Where all workloads run without chips, keys about chips are refused, and are not in the resolved scenario, which can
/// so be run again.
void check_machines(loaded& result) {
    settings& s = result.values;
    const auto first = std::ranges::find_if(s.workloads, [](const workload_settings& w) {
        return is_program(w) && w.program.machine == program_machine::loggops;
    });
    for (workload_settings& w : s.workloads)
        w.program.loggops.o_receive = w.program.loggops_o_receive.value_or(w.program.loggops.o);
    if (first == s.workloads.end()) return;
    const auto alone = [](const workload_settings& w) {
        return is_program(w) && w.program.machine == program_machine::loggops;
    };
    if (!std::ranges::all_of(s.workloads, alone)) return;
    for (const std::string& path : result.given) {
        if (std::ranges::none_of(of_chips, [&](const section_key& one) { return is_of(one, path); })) continue;
        const std::string machine = workload_path(static_cast<std::size_t>(first - s.workloads.begin()), "machine");
        result.fail(path, "'" + path + "' is about chips, and '" + machine + ": loggops' runs programs without any",
                    "leave it out, or take 'machine: model'");
    }
    for (const auto& [section, key] : of_chips) {
        node* within = key.empty() ? &result.resolved : result.resolved.find(std::string(section));
        const std::string_view name = key.empty() ? section : key;
        if (within != nullptr) std::erase_if(within->entries, [&](const node::entry& e) { return e.key == name; });
    }
}

void check_collective(loaded& result, std::size_t index) {
    const program_workload& w = result.values.workloads[index].program;
    if (w.algorithm != "auto" && hw::collectives::find_algorithm(w.collective, w.algorithm) == nullptr) {
        std::vector<std::string> names{"auto"};
        for (const hw::collectives::algorithm* each : hw::collectives::algorithms())
            if (each->of == w.collective) names.emplace_back(each->name);
        result.fail(workload_path(index, "algorithm"),
                    "'" + std::string(hw::name_in(hw::programs::collective_kinds, w.collective)) +
                        "' has no algorithm '" + w.algorithm + "'",
                    "there are " + join(names, ", "));
    }
    const auto* const by = hw::collectives::find_algorithm(w.collective, w.algorithm);
    if (by != nullptr && !by->scheme.empty() && w.machine == program_machine::loggops)
        result.fail(workload_path(index, "algorithm"),
                    "'" + w.algorithm + "' is done by switches and interfaces, and 'machine: loggops' has none",
                    "take an algorithm of messages alone, or 'machine: model'");
    if (w.algorithm == "auto" && w.machine == program_machine::loggops && w.table.empty())
        result.fail(workload_path(index, "algorithm"),
                    "a prediction is of the modelled hosts, and 'machine: loggops' has none",
                    "name an algorithm, or a 'table' of `advise`");
    const std::uint64_t element = hw::programs::bytes_of(w.type);
    if (w.size && *w.size % element != 0)
        result.fail(workload_path(index, "size"), std::to_string(*w.size) + " B are no whole number of elements of " +
                                                      std::to_string(element) + " B ('" + workload_path(index, "type") +
                                                      "')");
}

/// Processors beyond the first are of programs alone.
void check_scenario(loaded& result) {
    check_machines(result);
    settings& s = result.values;
    if (std::ranges::any_of(s.workloads, is_program)) return;
    if (result.given.contains("host.processors"))
        result.fail("host.processors",
                    "'host.processors' belongs to 'kind: program' and 'collective', and no workload is of them",
                    "leave it out");
    if (node* host = result.resolved.find("host"))
        std::erase_if(host->entries, [](const node::entry& e) { return e.key == "processors"; });
}

void check(loaded& result, std::size_t index) {
    const settings& s = result.values;
    if (s.host.model == host_model::ideal && s.workloads[index].program.machine == program_machine::model)
        result.fail("host.model", "programs need hosts with network interfaces, and 'host.model' is 'ideal'",
                    "take 'host.model: interface', or 'machine: loggops'");
    check_reliable(result, index);
    if (s.workloads[index].reliable && s.workloads[index].program.machine == program_machine::loggops)
        result.fail(workload_path(index, "reliable"), "on the reference machine nothing is lost",
                    "leave it out, or take 'machine: model'");
    if (s.workloads[index].kind == traffic_kind::collective) return check_collective(result, index);
    try {
        algorithms_of(s.workloads[index].program);
    } catch (const hw::input_error& refused) {
        result.fail(workload_path(index, "algorithms"), refused.what());
    }
    if (s.workloads[index].program.path.empty())
        result.fail(workload_path(index, "path"), "'" + workload_path(index, "path") + "' is empty",
                    "say which file the program is in");
}

}  // namespace

hw::collectives::algorithm_table algorithms_of(const program_workload& of) {
    hw::collectives::algorithm_table made;
    for (std::size_t kind = 0; kind < of.algorithms.size(); ++kind)
        if (!of.algorithms[kind].empty())
            made.set(static_cast<hw::programs::collective_kind>(kind), of.algorithms[kind]);
    made.set_default(of.default_algorithm);
    return made;
}

kind_rules program_rules() {
    return {.kinds = {{"program", "what the ranks of an application send, receive and compute"},
                      {"collective", "a collective of the library, by programs of all hosts"}},
            .keys = all_keys,
            .check_scenario = check_scenario,
            .check = check};
}

}  // namespace polycast::tlm::scenario
