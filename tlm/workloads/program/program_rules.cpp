// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/program_rules.h"

#include <algorithm>

namespace polycast::tlm::scenario {

namespace {

bool is_program(const workload_settings& w) {
    return w.kind == traffic_kind::program;
}

/// Processors beyond the first are of programs alone.
void check_scenario(loaded& result) {
    settings& s = result.values;
    if (std::ranges::any_of(s.workloads, is_program)) return;
    if (result.given.contains("host.processors"))
        result.fail("host.processors", "'host.processors' belongs to 'kind: program', and no workload is of it",
                    "leave it out");
    if (node* host = result.resolved.find("host"))
        std::erase_if(host->entries, [](const node::entry& e) { return e.key == "processors"; });
}

void check(loaded& result, std::size_t index) {
    const settings& s = result.values;
    if (s.host.model == host_model::ideal)
        result.fail("host.model", "programs need hosts with network interfaces, and 'host.model' is 'ideal'",
                    "take 'host.model: interface'");
    if (s.workloads[index].program.path.empty())
        result.fail(workload_path(index, "path"), "'" + workload_path(index, "path") + "' is empty",
                    "say which file the program is in");
}

}  // namespace

kind_rules program_rules() {
    return {.kinds = {{"program", "what the ranks of an application send, receive and compute"}},
            .keys = program_keys,
            .check_scenario = check_scenario,
            .check = check};
}

}  // namespace polycast::tlm::scenario
