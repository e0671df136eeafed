// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/trace_results.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>

#include "tlm/sim/results/results.h"
#include "tlm/sim/usage.h"

namespace polycast::tlm::sim {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

/// In a results folder that is still under its temporary name.
std::string name_in(const results_folder& folder, const trace_cost& cost) {
    return cost.file.empty() ? "" : fs::relative(cost.file, folder.path()).generic_string();
}

}  // namespace

void report_traces(const results_folder& folder, const scenario::loaded& scenario,
                   const std::vector<finished_run>& runs) {
    for (const finished_run& p : runs) {
        for (const trace_cost& cost : p.result.traces) {
            if (cost.file.empty()) {
                if (cost.wanted.empty()) continue;
                spdlog::warn("{}: no waves: the trigger never fired ({}; {} before the end)",
                             run_id(scenario, *p.on, p.workload), cost.wanted,
                             cost.events == 0 ? "not once" : fmt::format("only {} times", cost.events));
                continue;
            }
            fmt::print("{}: {}, {} {}, cycles {} to {}{}, {:.2f} s\n", name_in(folder, cost), size_text(cost.bytes),
                       cost.changes, cost.kind == "waves" ? "changes" : "passages", cost.from, cost.to - 1,
                       cost.trigger ? fmt::format(" ({} in {})", cost.wanted, *cost.trigger) : "", cost.seconds);
        }
    }
}

json traces_json(const results_folder& folder, const scenario::loaded& scenario,
                 const std::vector<finished_run>& runs) {
    json all = json::array();
    for (const finished_run& p : runs) {
        for (const trace_cost& cost : p.result.traces) {
            json one{{"point", run_id(scenario, *p.on, p.workload)}, {"kind", cost.kind}};
            if (!cost.file.empty()) {
                one.update({{"file", name_in(folder, cost)},
                            {"bytes", cost.bytes},
                            {cost.kind == "waves" ? "changes" : "passages", cost.changes},
                            {"from", cost.from},
                            {"to", cost.to - 1}});
            }
            one["seconds"] = cost.seconds;
            if (!cost.wanted.empty())
                one["trigger"] = {{"event", cost.wanted},
                                  {"cycle", cost.trigger ? json(*cost.trigger) : json(nullptr)}};
            all.push_back(std::move(one));
        }
    }
    return all;
}

}  // namespace polycast::tlm::sim
