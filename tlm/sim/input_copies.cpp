// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/input_copies.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "tlm/sim/networks/table_instances.h"
#include "tlm/topologies/kind.h"

namespace polycast::tlm::sim {

namespace fs = std::filesystem;

std::map<std::string, std::string> copy_inputs(const scenario::loaded& scenario, const results_folder& folder) {
    std::map<std::string, std::string> paths;
    if (const auto own = scenario.own_rtl_path()) paths["network.own_rtl"] = fs::absolute(*own).string();
    if (const auto firmware = scenario.firmware_path()) paths["ni.firmware"] = fs::absolute(*firmware).string();
    // Copies, as the run saw them.
    const auto copy = [&](const std::string& key, const std::optional<std::string>& file, const fs::path& name) {
        if (!file) return;
        paths[key] = (fs::path("topology") / name).string();
        folder.write(paths[key], [&](const text_sink& put) { scenario.files->copy(*file, put); });
    };
    if (scenario.values.network.topology.kind->is().from_file) {
        const fs::path original = scenario.topology_path();
        copy("network.topology.path", original.string(), original.filename());
    }
    copy("rails.matrix", scenario.rail_matrix_path(), "rail_matrix.txt");
    copy("network.partition", scenario.partition_path(), "partition.txt");
    for (const table_file& file : table_files_of(scenario)) copy(file.key, file.path, file.copy);
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i) {
        const scenario::workload_settings& w = scenario.values.workloads[i];
        const auto place = [&](const std::string& file) {
            return (fs::path("programs") / w.name / fs::path(file).filename()).string();
        };
        /// \returns where the results' scenario finds it
        const auto keep = [&](const std::string& file) {
            if (!scenario.files->unchanged(file)) {
                spdlog::warn(
                    "{} has changed since it was read, so the results have no copy of it and name the file itself",
                    file);
                return fs::absolute(file).string();
            }
            folder.write(place(file), [&](const text_sink& put) { scenario.files->copy(file, put); });
            return place(file);
        };
        // Several files of a program go by the part of their names that they share.
        const std::vector<std::string> files = scenario.program_files(i);
        for (const std::string& file : files) {
            const std::string kept = keep(file);
            if (files.size() == 1) paths[scenario::workload_path(i, "path")] = kept;
        }
        if (const auto path = scenario.program_path(i); path && files.size() != 1)
            paths[scenario::workload_path(i, "path")] = place(*path);
        for (const auto& [key, file] : {std::pair{"groups", scenario.groups_path(i)},
                                        {"table", scenario.advice_path(i)},
                                        {"placement", scenario.placement_path(i)}}) {
            if (!file) continue;
            paths[scenario::workload_path(i, key)] = keep(*file);
        }
    }
    return paths;
}

}  // namespace polycast::tlm::sim
