// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/table_instances.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "hw/input_error.h"
#include "hw/subnet/check.h"
#include "hw/subnet/fabric_files.h"
#include "hw/system/link_layer.h"
#include "hw/system/source_doors.h"
#include "hw/system/vl_plan.h"
#include "tlm/scenario/mlid.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/link_layer.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

using scenario::loaded;
using scenario::settings;
using scenario::table_routing;

namespace {

constexpr std::pair<const char*, std::vector<std::string> table_routing::*> file_keys[] = {
    {"lft", &table_routing::lft},         {"mft", &table_routing::mft},
    {"sl2vl", &table_routing::sl2vl},     {"path_sl", &table_routing::path_sl},
    {"members", &table_routing::members}, {"vl_arbitration", &table_routing::arbitration}};

/// A file that a key names.
std::unique_ptr<hw::subnet::byte_source> dump_at(const loaded& scenario, const std::string& key,
                                                 const std::string& path) {
    try {
        return scenario.files->dump(path);
    } catch (const hw::input_error& refused) {
        scenario.fail(key, refused.what());
    }
}

/// The topology is of the format that the scenario tells, if that is one of dumps.
void check_format(const loaded& scenario, const std::string& topology) {
    using hw::subnet::file_kind;
    const std::optional<scenario::fabric_dump> told = scenario.values.network.topology.dump;
    if (!told) return;
    const file_kind wanted = *told == scenario::fabric_dump::db_csv ? file_kind::db_csv : file_kind::subnet_list;
    const file_kind found =
        hw::subnet::recognise(hw::subnet::line_reader(topology, scenario.files->dump(topology)).head());
    if (found == wanted) return;
    const auto doc_of = [](file_kind kind) {
        return std::string(std::ranges::find(hw::subnet::file_kinds, kind, &hw::named<file_kind>::value)->doc);
    };
    scenario.fail("network.topology.format", "the topology file is no " + doc_of(wanted) + ", but " + doc_of(found),
                  "leave 'format' out");
}

/// The topology and all dumps, joined; each file is read once.
hw::subnet::fabric fabric_of(const loaded& scenario) {
    std::vector<hw::subnet::dump> dumps;
    const std::string topology = scenario.topology_path();
    dumps.push_back({topology, dump_at(scenario, "network.topology.path", topology)});
    check_format(scenario, topology);
    for (const table_file& file : table_files_of(scenario))
        dumps.push_back({file.path, dump_at(scenario, file.key, file.path)});
    return hw::subnet::read_fabric_dumps(std::move(dumps), {.lmc = scenario.values.network.tables.lmc});
}

/// Packets of these pairs, and no others, are to be lost.
void note_lost(const loaded& scenario, instance& made, const hw::topology::graph& network,
               const hw::subnet::check_result& found) {
    const std::uint64_t count = found.pairs - found.reached;
    if (count == 0) return;
    if (count != found.lost.size())
        scenario.fail("network.routing.on_problem",
                      made.name + ": the tables lose " + std::to_string(count) + " pairs, more than can be expected",
                      "`scripts/polycast fabric check` tells of them; mend the tables");
    hw::traffic::lost_pairs pairs;
    for (const hw::subnet::check_result::lost_pair& one : found.lost)
        pairs.emplace(network.find_host(one.source).value(), one.dlid);
    made.lost = std::make_shared<const hw::traffic::lost_pairs>(std::move(pairs));
}

/// Tables with problems are run only if the scenario says so.
void check_fabric(const loaded& scenario, instance& made, const hw::subnet::fabric& fabric) {
    const table_routing& tables = scenario.values.network.tables;
    const hw::subnet::check_result found = hw::subnet::check(fabric, {.vls = tables.vls});
    if (found.good()) return;
    if (tables.run_problems) return note_lost(scenario, made, fabric.network, found);
    const std::size_t more = found.problems.size() - 1;
    scenario.fail("network.routing.lft",
                  made.name + ": " + found.problems.front() +
                      (more == 0 ? "" : " (and " + std::to_string(more) + " more problems)"),
                  "`scripts/polycast fabric check` tells all; to run such tables nevertheless: "
                  "'network.routing.on_problem: run'");
}

void check_workload(const loaded& scenario, std::size_t workload) {
    const workload_kind& kind = workload_kind_of(scenario, workload);
    const scenario::workload_settings& w = scenario.values.workloads[workload];
    const hw::format::packet_kind packets = kind.packets(w);
    if (packets == hw::format::packet_kind::unicast || packets == hw::format::packet_kind::lid) return;
    scenario.fail(scenario::workload_path(workload, "scheme"),
                  "with 'network.routing.kind: tables' switches copy no worms of up*/down* routing",
                  "take 'group', " + hw::collectives::schemes_of_unicasts());
}

/// Service levels of messages that have one of their own.
std::set<unsigned> levels_of(const settings& s) {
    std::set<unsigned> levels;
    for (const scenario::workload_settings& w : s.workloads)
        for (const scenario::listed_message& one : w.list)
            if (one.sl) levels.insert(*one.sl);
    return levels;
}

std::map<unsigned, unsigned> levels_of_groups(const settings& s) {
    std::map<unsigned, unsigned> levels;
    for (const auto& [group, level] : s.network.tables.group_sl) levels[*scenario::mlid_of(group)] = level;
    return levels;
}

}  // namespace

std::vector<table_file> table_files_of(const loaded& scenario) {
    std::vector<table_file> files;
    if (!scenario.values.network.tables.on) return files;
    for (const auto& [name, member] : file_keys) {
        const std::vector<std::string>& written = scenario.values.network.tables.*member;
        const std::vector<std::string> paths = scenario.table_paths(name, written);
        const bool listed = scenario.resolved.find("network")->find("routing")->find(name)->is_list();
        for (std::size_t i = 0; i < paths.size(); ++i) {
            const std::string number = std::to_string(i);
            files.push_back({"network.routing." + std::string(name) + (listed ? "[" + number + "]" : ""), paths[i],
                             name + ("-" + number) + std::filesystem::path(paths[i]).extension().string()});
        }
    }
    return files;
}

instance plan_tables(const loaded& scenario) {
    const settings& s = scenario.values;
    const hw::subnet::fabric fabric = fabric_of(scenario);
    instance made{std::filesystem::path(s.network.topology.path).stem().string(), 0, {}};
    for (const std::string& warning : fabric.warnings) spdlog::warn("{}", warning);
    check_names(scenario, fabric.network);
    check_sizes(scenario, fabric.network);
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        check_workload(scenario, i);
        workload_kind_of(scenario, i).check_switches(scenario, fabric.network, i);
    }
    check_fabric(scenario, made, fabric);
    const hw::system::system_params params = system_params_of(scenario, fabric.network);
    const hw::system::vl_options options{.vls = s.network.tables.vls,
                                         .spread = s.network.tables.spread,
                                         .levels = levels_of(s),
                                         .group_sl = levels_of_groups(s),
                                         .policy = s.chip.vl_policy,
                                         .hoq_life = s.chip.hoq_life};
    try {
        made.plan = hw::system::make_vl_plan(fabric, options, params);
        if (s.network.has_link_layer()) hw::system::reserve_places(made.plan);
        if (s.host.check_source) hw::system::add_doors(made.plan, traffic_needs_of(scenario).forwarded != 0);
    } catch (const hw::input_error& refused) {
        scenario.fail("network.routing", made.name + ": " + refused.what());
    }
    for (std::size_t i = 0; i < s.workloads.size(); ++i) workload_kind_of(scenario, i).check_tables(scenario, made, i);
    return made;
}

}  // namespace polycast::tlm::sim
