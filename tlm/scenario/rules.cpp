// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/rules.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tlm/scenario/kind_rules.h"
#include "tlm/scenario/mlid.h"
#include "tlm/topologies/kind.h"

namespace polycast::tlm::scenario {

namespace {

void check_switches(const loaded& result) {
    const settings& s = result.values;
    if (s.chip.buffer_flits % s.chip.chunk_flits != 0) {
        const unsigned chunks = s.chip.buffer_flits / s.chip.chunk_flits;
        result.fail(result.given.contains("switch.buffer") ? "switch.buffer" : "switch.chunk",
                    "'switch.buffer' of " + std::to_string(s.chip.buffer_flits) +
                        " flits is no whole number of chunks of " + std::to_string(s.chip.chunk_flits) + " flits",
                    "take " + std::to_string((chunks + 1) * s.chip.chunk_flits) + " flits");
    }
    const unsigned chunks = s.chip.buffer_flits / s.chip.chunk_flits;
    if (chunks < 2 || chunks > 4096) {
        result.fail(result.given.contains("switch.buffer") ? "switch.buffer" : "switch.chunk",
                    "'switch.buffer' of " + std::to_string(s.chip.buffer_flits) + " flits is " +
                        std::to_string(chunks) + " chunks of " + std::to_string(s.chip.chunk_flits) +
                        " flits, and a switch has 2..4096",
                    "change 'switch.buffer' or 'switch.chunk'");
    }
}

/// Sources of the fidelity `own`.
void check_own_rtl(const loaded& result) {
    const network_settings& n = result.values.network;
    if (wants_own(n) && !n.own_rtl) {
        result.fail(n.all == fidelity::own ? "network.fidelity" : "network.chips",
                    "the fidelity 'own' needs a folder with SystemVerilog",
                    "say where it is with 'network.own_rtl', or take 'rtl'");
    }
    if (!n.own_rtl) return;
    if (!wants_own(n)) {
        result.fail("network.own_rtl", "no switch or router has the fidelity 'own'",
                    "take 'network.fidelity: own', or 'network.chips: {switch3: own}'");
    }
    const std::filesystem::path folder = *result.own_rtl_path();
    std::error_code failed;
    if (!std::filesystem::is_directory(folder, failed))
        result.fail("network.own_rtl", "there is no folder '" + folder.string() + "'");
    const auto is_source = [](const auto& file) {
        return file.path().extension() == ".sv" || file.path().extension() == ".v";
    };
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        if (is_source(entry)) return;
        if (!entry.is_directory(failed)) continue;
        const std::filesystem::directory_iterator inside(entry.path(), failed);
        if (std::any_of(begin(inside), end(inside), is_source)) return;
    }
    result.fail("network.own_rtl", "there is no SystemVerilog (.sv, .v) in '" + folder.string() + "'");
}

/// What forwarding tables need.
void check_tables(const loaded& result) {
    const network_settings& n = result.values.network;
    if (!n.topology.kind->is().from_file)
        result.fail("network.routing.kind",
                    "'network.routing.kind: tables' needs a topology with LIDs, and 'network.topology.kind' is '" +
                        std::string(name_of(n.topology.kind)) + "'",
                    "take 'network.topology.kind: file'");
    if (n.tables.lft.empty())
        result.fail("network.routing.lft", "'network.routing.kind: tables' needs unicast tables",
                    "name a dump, such as opensm.fdbs");
    for (const auto& [group, level] : n.tables.group_sl)
        if (!mlid_of(group))
            result.fail("network.routing.group_sl." + group, "'" + group + "' is no multicast LID",
                        "they are 0xC000..0xFFFE");
}

/// What ideal hosts can do.
void check_ideal_hosts(const loaded& result) {
    const settings& s = result.values;
    if (!s.network.topology.is_grid()) {
        result.fail("host.model",
                    "'host.model: ideal' belongs to meshes and tori, and 'network.topology.kind' is '" +
                        std::string(name_of(s.network.topology.kind)) + "'",
                    "take 'network.topology.kind: mesh' or 'torus', or 'host.model: interface'");
    }
    if (s.router.route_tables) {
        result.fail("router.routing", "with ideal hosts routers take no route table",
                    "take 'dimension_order', or 'host.model: interface'");
    }
}

}  // namespace

bool wants_own(const network_settings& network) {
    return network.all == fidelity::own ||
           std::ranges::any_of(network.chips, [](const auto& chip) { return chip.second == fidelity::own; });
}

void check_together(loaded& result) {
    settings& s = result.values;
    s.network.topology.kind->check(result);
    // From the last: a scenario with sites or rails has no other kinds.
    const std::vector<kind_rules>& kinds = all_kind_rules();
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind)
        if (kind->check_scenario != nullptr) kind->check_scenario(result);
    if (s.network.topology.has_routers()) {
        if (s.measurement.duplicates == duplicates_rule::count)
            result.fail("measurement.duplicates", "routers make no duplicates that could be counted", "leave it out");
    } else if (!s.network.topology.has_sites()) {
        check_switches(result);
    }
    check_jobs(result);
    if (s.network.tables.on) check_tables(result);
    if (s.network.topology.dump && !s.network.tables.on)
        result.fail("network.topology.format", "topologies of this format come with forwarding tables",
                    "take 'network.routing: {kind: tables, lft: FILE}'");
    check_own_rtl(result);
    check_links(result);
    if (s.host.model == host_model::ideal) check_ideal_hosts(result);
    if (s.measurement.duplicates == duplicates_rule::count && s.chip.rewrite_headers) {
        result.fail(
            "measurement.duplicates",
            "'measurement.duplicates: count' belongs to 'switch.rewrite_headers: false': with rewriting there are none",
            "leave it out");
    }
    if (s.trace.to && *s.trace.to < s.trace.from) result.fail("trace.to", "'trace.to' lies before 'trace.from'");
    std::map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        workload_settings& w = s.workloads[i];
        const std::string path = workload_path(i);
        const auto [first, fresh] = names.emplace(w.name, i);
        if (!fresh)
            result.fail(path + ".name", "'" + path + ".name' is '" + w.name + "', as is that of 'workload[" +
                                            std::to_string(first->second) + "]'");
        for (const kind_rules& kind : all_kind_rules())
            if (kind.check != nullptr && std::ranges::count(kind.kinds, name_of(w.kind), &choice::name) != 0)
                kind.check(result, i);
        if (w.rate && w.source)
            result.fail(path + ".source", "'" + path + ".source' has no meaning with a rate, at which every host sends",
                        "leave it out, or 'rate: single'");
        if (w.rate && result.given.contains(path + ".messages")) {
            result.fail(path + ".messages", "'" + path + ".messages' has no meaning with a rate",
                        "'measurement.window' says how long is counted");
        }
        if (w.rate)
            std::erase_if(result.resolved.find("workload")->items[i].entries,
                          [](const node::entry& e) { return e.key == "messages"; });
    }
}

}  // namespace polycast::tlm::scenario
