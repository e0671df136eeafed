// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/allgather/allgather_rules.h"

#include <string>

#include "tlm/workloads/messages/messages_rules.h"

namespace polycast::tlm::scenario {

using hw::collectives::allgather_pace;

namespace {

/// What only ideal hosts have; says in the resolved scenario that nodes do not wait for steps.
void check_interface_allgather(loaded& result, std::size_t index) {
    settings& s = result.values;
    workload_settings& w = s.workloads[index];
    const std::string path = workload_path(index);
    if (!s.network.topology.is_grid())
        result.fail(path + ".kind",
                    "'kind: allgather' belongs to meshes and tori, and 'network.topology.kind' is '" +
                        std::string(name_of(s.network.topology.kind)) + "'",
                    "take 'network.topology.kind: mesh' or 'torus'");
    const auto ideal_only = [&](const char* key, const std::string& what, const std::string& instead) {
        result.fail(path + "." + key, "'" + path + "." + key + what + "' belongs to 'host.model: ideal'", instead);
    };
    if (w.algorithm == allgather_algorithm::replication)
        ideal_only("algorithm", ": replication", "take another algorithm, or 'host.model: ideal'");
    if (w.accounting == hw::collectives::accounting::as_published)
        ideal_only("accounting", ": as_published", "take 'accounting: delivered', or 'host.model: ideal'");
    if (w.operand_flits)
        ideal_only("operands", ": " + std::to_string(*w.operand_flits),
                   "leave it out: stores take all data of a group; or take 'host.model: ideal'");
    if (w.mode == allgather_pace::steps && result.given.contains(path + ".mode"))
        ideal_only("mode", ": steps", "take 'mode: free', or 'host.model: ideal'");
    w.mode = allgather_pace::free_running;
    if (node* mode = result.resolved.find("workload")->items[index].find("mode")) mode->text = "free";
}

void check(loaded& result, std::size_t index) {
    if (result.values.host.model != host_model::ideal) check_interface_allgather(result, index);
    check_lengths(result, index);
    const workload_settings& w = result.values.workloads[index];
    if (!has_groups(w) && w.group && !w.sources)
        result.fail(workload_path(index, "group"),
                    "'algorithm: " + std::string(name_of(w.algorithm)) + "' has no groups but to deal 'sources' over",
                    "leave it out, or give 'sources'");
    const std::vector<unsigned>& groups = w.inner_groups;
    const std::string path = workload_path(index, "inner_groups");
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] == 0)
            result.fail(path + "[" + std::to_string(i) + "]", "'" + path + "' must hold numbers of nodes",
                        "such as [8, 2]");
}

}  // namespace

bool has_groups(const workload_settings& w) {
    return w.kind == traffic_kind::allgather && w.algorithm >= allgather_algorithm::coded &&
           w.algorithm <= allgather_algorithm::uncoded;
}

kind_rules allgather_rules() {
    return {.kinds = {{"allgather", "every host's datum to every other (all-to-all broadcast)"}},
            .keys = allgather_keys,
            .check = check};
}

}  // namespace polycast::tlm::scenario
