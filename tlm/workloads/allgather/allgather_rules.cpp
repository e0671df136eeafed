// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/allgather/allgather_rules.h"

#include <string>

namespace polycast::tlm::scenario {

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
    if (w.accounting == packet_accounting::as_published)
        ideal_only("accounting", ": as_published", "take 'accounting: delivered', or 'host.model: ideal'");
    if (w.operand_flits)
        ideal_only("operands", ": " + std::to_string(*w.operand_flits),
                   "leave it out: stores take all data of a group; or take 'host.model: ideal'");
    if (w.mode == step_mode::steps && result.given.contains(path + ".mode"))
        ideal_only("mode", ": steps", "take 'mode: free', or 'host.model: ideal'");
    w.mode = step_mode::free;
    if (node* mode = result.resolved.find("workload")->items[index].find("mode")) mode->text = name_of(w.mode);
}

}  // namespace polycast::tlm::scenario
