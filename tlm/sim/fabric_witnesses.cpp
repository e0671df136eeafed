// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/fabric_witnesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "hw/subnet/fabric_files.h"
#include "hw/subnet/line_reader.h"
#include "hw/subnet/witnesses.h"
#include "tlm/sim/json_file.h"

namespace polycast::tlm::sim {
namespace {

namespace subnet = hw::subnet;
using json = nlohmann::ordered_json;

/// Witnesses of one cycle for the LIDs that sources send to.
struct found_witnesses {
    bool spread = false;
    std::vector<subnet::edge_witnesses> edges;
    subnet::chosen_witnesses nearest, farthest;
};

/// Sources send to base LIDs, or spread their packets over the LIDs of a destination: what closes the cycle better.
found_witnesses search(const subnet::fabric& fabric, const std::vector<subnet::channel>& cycle,
                       const subnet::check_options& options) {
    const auto find = [&](subnet::sent_lids lids) {
        found_witnesses made{
            lids == subnet::sent_lids::spread, subnet::find_witnesses(fabric, cycle, options, lids), {}, {}};
        made.nearest = subnet::choose_nearest(made.edges);
        made.farthest = subnet::choose_farthest(made.edges);
        return made;
    };
    found_witnesses base = find(subnet::sent_lids::base);
    if (fabric.lmc == 0 || (base.nearest.complete() && base.nearest.front == 0)) return base;
    found_witnesses spread = find(subnet::sent_lids::spread);
    const auto rank = [](const found_witnesses& one) {
        return std::tuple(one.nearest.of.empty(), !one.nearest.complete(), one.nearest.front);
    };
    return rank(spread) < rank(base) ? std::move(spread) : std::move(base);
}

/// Hosts whose switches have their ports in the group's row.
json members_of(const subnet::fabric& fabric, unsigned mlid) {
    json names = json::array();
    for (const auto& host : fabric.network.hosts) {
        const auto& table = fabric.switches[host.chip].multicast;
        const auto row = table.find(mlid);
        if (row != table.end() && (row->second.ports >> host.port & 1) != 0) names.push_back(host.name);
    }
    return names;
}

class writer {
public:
    writer(const subnet::fabric& fabric, const subnet::check_options& options, bool with_vl)
        : fabric_(fabric), options_(options), with_vl_(with_vl) {}

    std::string text(const subnet::channel& one) const { return subnet::channel_text(fabric_, one, with_vl_); }

    json channel(const subnet::channel& one) const {
        return {{"name", text(one)},
                {"switch", fabric_.network.switches[one.chip].name},
                {"port", one.port + fabric_.network.first_port},
                {"vl", one.vl}};
    }

    json chosen(const subnet::chosen_witnesses& of) const {
        json made = json::array();
        for (std::size_t edge = 0; edge < of.of.size(); ++edge) made.push_back(witness(of.of[edge], of.shared[edge]));
        return made;
    }

private:
    json witness(const subnet::witness& one, bool shared) const {
        json made{{"source", fabric_.network.hosts[one.source].name}};
        if (one.target) made["destination"] = fabric_.network.hosts[*one.target].name;
        made[one.target ? "dlid" : "group"] = one.dlid;
        made["sl"] = one.sl;
        made["front"] = one.front;
        made["along"] = one.along;
        made["shared"] = shared;
        json path = json::array();
        for (const subnet::channel& taken : subnet::channels_of(fabric_, one, options_)) path.push_back(text(taken));
        made["path"] = path;
        return made;
    }

    const subnet::fabric& fabric_;
    const subnet::check_options& options_;
    bool with_vl_;
};

json cycle_json(const writer& text, const subnet::dependencies::component_cycle& one, const found_witnesses& found,
                const subnet::dependencies& unicast, const subnet::fabric& fabric) {
    const std::vector<subnet::channel>& cycle = one.shortest;
    json dependencies = json::array(), channels = json::array(), edges = json::array();
    for (const auto& [from, to] : one.dependencies)
        dependencies.push_back(json::array({text.text(from), text.text(to)}));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const subnet::channel& from = cycle[i];
        const subnet::channel& to = cycle[(i + 1) % cycle.size()];
        channels.push_back(text.channel(from));
        const unsigned in = fabric.network.switches[from.chip].ports[from.port].port;
        edges.push_back({{"source", text.text(from)},
                         {"target", text.text(to)},
                         {"groups_only", (unicast.inputs(to.chip, from.vl, to.port, to.vl) >> in & 1) == 0},
                         {"witnesses", found.edges[i].count}});
    }
    return {{"component", one.size},
            {"spread", found.spread},
            {"dependencies", dependencies},
            {"channels", channels},
            {"edges", edges},
            {"complete", found.nearest.complete()},
            {"front", found.nearest.front},
            {"nearest", text.chosen(found.nearest)},
            {"farthest", text.chosen(found.farthest)}};
}

void print_cycle(const json& cycle, std::size_t number) {
    std::string text;
    for (const json& one : cycle["channels"]) text += one["name"].get<std::string>() + " > ";
    fmt::print("cycle {}, in a component of {} channels: {}{}\n", number, cycle["component"].get<unsigned>(), text,
               cycle["channels"][0]["name"].get<std::string>());
    for (std::size_t i = 0; i < cycle["edges"].size(); ++i) {
        const json& edge = cycle["edges"][i];
        fmt::print("  {} > {}: {} witnesses", edge["source"].get<std::string>(), edge["target"].get<std::string>(),
                   edge["witnesses"].get<std::uint64_t>());
        if (i < cycle["nearest"].size()) {
            const json& one = cycle["nearest"][i];
            const std::string target = one.contains("group") ? fmt::format("group {:#x}", one["group"].get<unsigned>())
                                                             : one["destination"].get<std::string>();
            fmt::print(", {} > {} with {} in front{}", one["source"].get<std::string>(), target,
                       one["front"].get<unsigned>(), one["shared"].get<bool>() ? ", its source has another edge" : "");
        }
        fmt::print("\n");
    }
}

}  // namespace

fabric_witnesses_command::fabric_witnesses_command(CLI::App& fabric) {
    command_ = fabric.add_subcommand(
        "witnesses",
        "For each circle of channels, packets that close it: for each two channels in a row one source whose packet "
        "takes both, at its switch if possible. `scripts/polycast fabric deadlock` runs them. Exit status: 0 no "
        "circle, "
        "1 circles, 2 refused.");
    command_->add_option("paths", paths_, "Folder of dumps, or files")->required()->type_name("DIR|FILE");
    lmc_option_ =
        command_->add_option("--lmc", lmc_, "LMC, where no file tells it; default: 0")->check(CLI::Range(0u, 7u));
    vls_option_ = command_->add_option("--vls", vls_, "Operational data lanes of ports of which no file tells them")
                      ->check(CLI::Range(1u, 15u));
    command_->add_flag("--partial", partial_, "Unknown GUIDs are warnings: the files are of a part of the fabric");
    command_->add_option("--json", json_, "Write the result as JSON; - prints it in place of the text")
        ->type_name("FILE");
}

int fabric_witnesses_command::run() const {
    subnet::join_options join;
    if (*lmc_option_) join.lmc = lmc_;
    join.partial = partial_;
    const subnet::fabric fabric = subnet::read_fabric(paths_, join);
    subnet::check_options options;
    if (*vls_option_) options.vls = vls_;
    subnet::dependencies unicast(fabric.network), all(fabric.network);
    const subnet::check_result checked = subnet::check(fabric, options, unicast, all);
    const writer text(fabric, options, checked.channels_by_vl.size() > 1);
    json names = json::array(), files = json::array(), groups = json::array(), cycles = json::array();
    for (const auto& one : fabric.network.switches) names.push_back(one.name);
    for (const std::string& file : std::set(fabric.files.begin(), fabric.files.end())) {
        const subnet::file_kind kind = subnet::recognise(subnet::line_reader(file).head());
        files.push_back({{"path", file}, {"kind", std::string(hw::name_in(subnet::file_kinds, kind))}});
    }
    for (const auto& one : checked.groups)
        groups.push_back({{"mlid", one.mlid}, {"members", members_of(fabric, one.mlid)}});
    for (const auto& one : all.cycles_of_components())
        cycles.push_back(cycle_json(text, one, search(fabric, one.shortest, options), unicast, fabric));
    const json made{{"switches", names},          {"end_ports", fabric.network.hosts.size()},
                    {"lmc", fabric.lmc},          {"pairs", checked.pairs},
                    {"reached", checked.reached}, {"files", files},
                    {"groups", groups},           {"cycles", cycles}};
    if (!json_.empty()) write_json(json_, made);
    if (json_ == "-") return cycles.empty() ? 0 : 1;
    fmt::print("{} switches, {} end ports, {} of {} pairs reached\n", fabric.network.switches.size(),
               fabric.network.hosts.size(), checked.reached, checked.pairs);
    if (cycles.empty()) fmt::print("no circle: packets cannot wait for each other\n");
    for (std::size_t i = 0; i < cycles.size(); ++i) print_cycle(cycles[i], i + 1);
    return cycles.empty() ? 0 : 1;
}

}  // namespace polycast::tlm::sim
