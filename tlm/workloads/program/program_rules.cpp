// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/program_rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hw/collectives/library.h"
#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

bool is_program(const workload_settings& w) {
    return w.kind == traffic_kind::program || w.kind == traffic_kind::collective;
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
    const std::uint64_t element = hw::programs::bytes_of(w.type);
    if (w.size && *w.size % element != 0)
        result.fail(workload_path(index, "size"), std::to_string(*w.size) + " B are no whole number of elements of " +
                                                      std::to_string(element) + " B ('" + workload_path(index, "type") +
                                                      "')");
}

/// Processors beyond the first are of programs alone.
void check_scenario(loaded& result) {
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
    if (s.host.model == host_model::ideal)
        result.fail("host.model", "programs need hosts with network interfaces, and 'host.model' is 'ideal'",
                    "take 'host.model: interface'");
    if (s.workloads[index].kind == traffic_kind::collective) return check_collective(result, index);
    if (s.workloads[index].program.path.empty())
        result.fail(workload_path(index, "path"), "'" + workload_path(index, "path") + "' is empty",
                    "say which file the program is in");
}

}  // namespace

kind_rules program_rules() {
    return {.kinds = {{"program", "what the ranks of an application send, receive and compute"},
                      {"collective", "a collective of the library, by programs of all hosts"}},
            .keys = program_keys,
            .check_scenario = check_scenario,
            .check = check};
}

}  // namespace polycast::tlm::scenario
