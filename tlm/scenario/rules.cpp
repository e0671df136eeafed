// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/rules.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tlm/topologies/kind.h"
#include "tlm/workloads/allgather/allgather_rules.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/lanes/lanes_rules.h"
#include "tlm/workloads/rails/rails_rules.h"

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

/// Whether a switch or router is to be of RTL of the user's own.
bool wants_own(const network_settings& network) {
    return network.all == fidelity::own ||
           std::ranges::any_of(network.chips, [](const auto& chip) { return chip.second == fidelity::own; });
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
    for (const auto& file : std::filesystem::directory_iterator(folder, failed))
        if (file.path().extension() == ".sv" || file.path().extension() == ".v") return;
    result.fail("network.own_rtl", "there is no SystemVerilog (.sv, .v) in '" + folder.string() + "'");
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
    if (has_broadcasts(s) && wants_own(s.network)) {
        result.fail(s.network.all == fidelity::own ? "network.fidelity" : "network.chips",
                    "the routers of broadcasts with ideal hosts are 'core', 'tlm' or 'rtl'", "take 'rtl'");
    }
    if (s.router.routing == router_routing::table) {
        result.fail("router.routing", "with ideal hosts routers take no route table",
                    "take 'dimension_order', or 'host.model: interface'");
    }
}

/// What a traffic pattern needs, as its row of the table says.
void check_pattern(loaded& result, std::size_t index) {
    using hw::traffic::pattern_kind;
    const workload_settings& w = result.values.workloads[index];
    const pattern_kind& pattern = hw::traffic::pattern_kind_of(w.pattern.name);
    const std::string name(pattern.name);
    const std::string hosts = workload_path(index, name + ".hosts");
    if (pattern.hosts && w.pattern_hosts.empty()) result.fail(hosts, "'" + hosts + "' is empty");
    if (pattern.grid && !result.values.network.topology.is_grid())
        result.fail(workload_path(index, "pattern"), "'pattern: " + name + "' needs the coordinates of a grid",
                    "take another pattern, or 'network.topology.kind: mesh' or 'torus'");
    if (pattern.rate == pattern_kind::load::needed && !w.rate)
        result.fail(workload_path(index, "pattern"), "'pattern: " + name + "' needs a rate",
                    "give 'rate', such as '0.1 flit/host/cycle'");
}

void check_of_hosts(loaded& result, std::size_t index) {
    const settings& s = result.values;
    const workload_settings& w = s.workloads[index];
    const std::string path = workload_path(index);
    const bool ideal = s.host.model == host_model::ideal;
    if (w.kind == traffic_kind::allgather && !ideal) check_interface_allgather(result, index);
    if (w.kind == traffic_kind::multicast && ideal) {
        result.fail(path + ".kind", "ideal hosts send no multicasts",
                    "take 'kind: unicast' or 'allgather', or 'host.model: interface'");
    }
    check_broadcast(result, index);
    if (w.kind != traffic_kind::allgather && w.kind != traffic_kind::unicast) return;
    if (w.most_flits && *w.most_flits < w.flits) {
        result.fail(path + ".most_flits", "'" + path + ".most_flits' of " + std::to_string(*w.most_flits) +
                                              " is less than 'flits' of " + std::to_string(w.flits));
    }
    for (std::size_t i = 0; i < w.inner_groups.size(); ++i) {
        if (w.inner_groups[i] == 0)
            result.fail(path + ".inner_groups[" + std::to_string(i) + "]",
                        "'" + path + ".inner_groups' must hold numbers of nodes", "such as [8, 2]");
    }
}

}  // namespace

void check_together(loaded& result) {
    settings& s = result.values;
    s.network.topology.kind->check(result);
    check_lanes(result);
    check_rails(result);
    if (s.network.topology.has_routers()) {
        if (s.measurement.duplicates == duplicates_rule::count)
            result.fail("measurement.duplicates", "routers make no duplicates that could be counted", "leave it out");
    } else if (!s.network.topology.has_sites()) {
        check_switches(result);
    }
    check_own_rtl(result);
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
        check_of_hosts(result, i);
        if (w.kind == traffic_kind::multicast && w.destinations) {
            const std::size_t count = w.destinations->size();
            if (count == 0) result.fail(path + ".destinations", "'" + path + ".destinations' is empty");
            const node& item = result.resolved.find("workload")->items[i];
            // Destinations from the command line win over a degree from the file.
            const bool overridden = item.find("destinations")->at.line == 0 && item.find("degree")->at.line != 0;
            if (result.given.contains(path + ".degree") && !overridden && w.degree != count) {
                result.fail(path + ".degree",
                            "'" + path + ".degree' is " + std::to_string(w.degree) + ", but " + std::to_string(count) +
                                " destinations are given",
                            "leave the degree out");
            }
            w.degree = static_cast<unsigned>(count);
            result.resolved.find("workload")->items[i].find("degree")->text = std::to_string(count);
        }
        if (w.kind == traffic_kind::multicast && w.multicast.scheme.order == hw::collectives::chain_order::listed &&
            !w.destinations && result.given.contains(path + ".order")) {
            result.fail(path + ".order", "'" + path + ".order: listed' needs 'destinations', which are random here",
                        "give them, or take another order");
        }
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
        if (w.kind == traffic_kind::unicast || w.kind == traffic_kind::rails) check_pattern(result, i);
    }
}

}  // namespace polycast::tlm::scenario
