// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/fabric_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "hw/subnet/check.h"
#include "hw/subnet/fabric_files.h"
#include "hw/topology/guid.h"
#include "tlm/sim/json_file.h"

namespace polycast::tlm::sim {
namespace {

namespace subnet = hw::subnet;
using json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 20;  ///< of each list, for people

template <typename table>
json histogram(const table& counts) {
    json made = json::object();
    for (const auto& [value, count] : counts) made[std::to_string(value)] = count;
    return made;
}

json cycle_json(const subnet::fabric& fabric, const subnet::check_result& result,
                const std::vector<subnet::channel>& cycle) {
    if (cycle.empty()) return nullptr;
    json made = json::array();
    for (const subnet::channel& one : cycle)
        made.push_back(subnet::channel_text(fabric, one, result.channels_by_vl.size() > 1));
    return made;
}

json result_json(const subnet::fabric& fabric, const subnet::check_result& result) {
    json made;
    made["switches"] = fabric.network.switches.size();
    made["end_ports"] = fabric.network.hosts.size();
    made["lmc"] = fabric.lmc;
    made["pairs"] = result.pairs;
    made["reached"] = result.reached;
    made["lost"] = json::array();
    for (const auto& one : result.lost)
        made["lost"].push_back({{"source", one.source}, {"dlid", one.dlid}, {"reason", one.reason}, {"at", one.at}});
    made["cables"] = histogram(result.cables);
    made["mean_cables"] = result.mean_cables();
    made["longer"] = result.longer;
    if (fabric.lmc > 0) made["ways"] = histogram(result.ways);
    made["balance"] = {{"directions", result.balance.directions},
                       {"least", result.balance.least},
                       {"most", result.balance.most},
                       {"histogram", histogram(result.balance.histogram)}};
    made["groups"] = json::array();
    for (const auto& one : result.groups)
        made["groups"].push_back({{"mlid", one.mlid},
                                  {"members", one.members},
                                  {"switches", one.switches},
                                  {"missed", one.missed},
                                  {"duplicates", one.duplicates},
                                  {"loop", one.loop}});
    json only = json::array();
    const auto& cycle = result.all.shortest;
    const bool with_vl = result.channels_by_vl.size() > 1;
    for (const std::size_t i : result.only_multicast)
        only.push_back({subnet::channel_text(fabric, cycle[i], with_vl),
                        subnet::channel_text(fabric, cycle[(i + 1) % cycle.size()], with_vl)});
    made["credit"] = {{"channels", result.channels},
                      {"by_vl", histogram(result.channels_by_vl)},
                      {"unicast",
                       {{"dependencies", result.unicast_dependencies},
                        {"components", result.unicast.components},
                        {"cycle", cycle_json(fabric, result, result.unicast.shortest)}}},
                      {"all",
                       {{"added", result.added},
                        {"components", result.all.components},
                        {"cycle", cycle_json(fabric, result, cycle)},
                        {"only_multicast", only}}}};
    made["skipped"] = fabric.skipped;
    made["warnings"] = result.warnings;
    made["problems"] = result.problems;
    return made;
}

/// As `topology --json`: switches, hosts, links.
json network_json(const hw::topology::graph& network) {
    json made{{"switches", json::array()}, {"hosts", json::array()}, {"links", json::array()}};
    for (const auto& one : network.switches)
        made["switches"].push_back(
            {{"name", one.name}, {"guid", hw::topology::guid_text(one.guid)}, {"ports", one.ports.size()}});
    for (const auto& one : network.hosts)
        made["hosts"].push_back({{"name", one.name},
                                 {"guid", hw::topology::guid_text(one.guid)},
                                 {"switch", network.switches[one.chip].name},
                                 {"port", one.port + network.first_port}});
    for (const auto& one : network.links())
        made["links"].push_back({{"a", network.switches[one.a.chip].name},
                                 {"a_port", one.a.port + network.first_port},
                                 {"b", network.switches[one.b.chip].name},
                                 {"b_port", one.b.port + network.first_port}});
    return made;
}

std::string histogram_text(const auto& counts) {
    std::string text;
    for (const auto& [value, count] : counts) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", value, count);
    return text;
}

void print_list(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    fmt::print("{}:\n", title);
    for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) fmt::print("  {}\n", lines[i]);
    if (lines.size() > most_lines) fmt::print("  ... and {} more\n", lines.size() - most_lines);
}

std::string sizes_text(const std::vector<std::uint32_t>& sizes) {
    std::string text;
    for (const std::uint32_t one : sizes) text += fmt::format("{}{}", text.empty() ? "" : ", ", one);
    return text;
}

void print_cycles(const subnet::fabric& fabric, const subnet::check_result& result,
                  const subnet::dependencies::cycles& found) {
    if (found.shortest.empty()) {
        fmt::print(", no circle\n");
        return;
    }
    fmt::print(", circles among {} channels; the shortest:\n   ", sizes_text(found.components));
    const bool with_vl = result.channels_by_vl.size() > 1;
    for (const subnet::channel& one : found.shortest) fmt::print(" {} >", subnet::channel_text(fabric, one, with_vl));
    fmt::print(" {}\n", subnet::channel_text(fabric, found.shortest.front(), with_vl));
}

void print_result(const subnet::fabric& fabric, const subnet::check_result& result) {
    fmt::print("{} switches, {} end ports, LMC {}\n", fabric.network.switches.size(), fabric.network.hosts.size(),
               fabric.lmc);
    fmt::print("pairs: {} of {} reached", result.reached, result.pairs);
    fmt::print("; cables of a way: {}; mean {:.4f}; {} longer than the shortest\n", histogram_text(result.cables),
               result.mean_cables(), result.longer);
    if (fabric.lmc > 0) fmt::print("different ways of a pair of ports: {}\n", histogram_text(result.ways));
    fmt::print("DLIDs of a direction between switches: {} directions, {} to {}\n", result.balance.directions,
               result.balance.least, result.balance.most);
    for (const auto& one : result.groups)
        fmt::print("group {:#x}: {} members, rows in {} switches, {} missed, {} twice{}\n", one.mlid, one.members,
                   one.switches, one.missed, one.duplicates, one.loop ? ", comes back" : "");
    fmt::print("channels: {}", result.channels);
    if (result.channels_by_vl.size() > 1) fmt::print(" (by VL: {})", histogram_text(result.channels_by_vl));
    fmt::print("\nunicast: {} dependencies", result.unicast_dependencies);
    print_cycles(fabric, result, result.unicast);
    if (!result.groups.empty()) {
        fmt::print("with multicast: {} more", result.added);
        print_cycles(fabric, result, result.all);
        const auto& cycle = result.all.shortest;
        for (const std::size_t i : result.only_multicast)
            fmt::print("    {} > {} is of multicasts only\n", subnet::channel_text(fabric, cycle[i], false),
                       subnet::channel_text(fabric, cycle[(i + 1) % cycle.size()], false));
    }
    print_list("not of a fabric, skipped", fabric.skipped);
    print_list("warnings", result.warnings);
    print_list("problems", result.problems);
    if (result.good()) fmt::print("good\n");
}

}  // namespace

fabric_command::fabric_command(CLI::App& app)
    : command_(app.add_subcommand("fabric", "Forwarding tables of an InfiniBand fabric.")),
      repair_(*command_),
      tables_(*command_),
      witnesses_(*command_) {
    command_->require_subcommand(1);
    CLI::App* check = command_->add_subcommand(
        "check",
        "Which pairs the tables join, how, and whether packets can wait for each other in a circle. Reads what OpenSM, "
        "ibdiagnet and infiniband-diags write, recognised by content. Exit status: 0 good, 1 problems, 2 refused.");
    check->add_option("paths", paths_, "Folder of dumps, or files")->required()->type_name("DIR|FILE");
    lmc_option_ =
        check->add_option("--lmc", lmc_, "LMC, where no file tells it; default: 0")->check(CLI::Range(0u, 7u));
    vls_option_ = check->add_option("--vls", vls_, "Operational data lanes of ports of which no file tells them")
                      ->check(CLI::Range(1u, 15u));
    check->add_flag("--all", all_, "Ways from and to the switches themselves, too");
    check->add_flag("--partial", partial_, "Unknown GUIDs are warnings: the files are of a part of the fabric");
    check->add_option("--json", json_, "Write the result as JSON; - prints it in place of the text")->type_name("FILE");
    check->add_option("--network", network_, "Write the network as JSON")->type_name("FILE");
}

int fabric_command::run() const {
    if (repair_.chosen()) return repair_.run();
    if (tables_.chosen()) return tables_.run();
    if (witnesses_.chosen()) return witnesses_.run();
    return check();
}

int fabric_command::check() const {
    subnet::join_options join;
    if (*lmc_option_) join.lmc = lmc_;
    join.partial = partial_;
    const subnet::fabric fabric = subnet::read_fabric(paths_, join);
    subnet::check_options options;
    if (*vls_option_) options.vls = vls_;
    options.all = all_;
    const subnet::check_result result = subnet::check(fabric, options);
    if (!network_.empty()) write_json(network_, network_json(fabric.network));
    if (!json_.empty()) write_json(json_, result_json(fabric, result));
    if (json_ != "-") print_result(fabric, result);
    return result.good() ? 0 : 1;
}

}  // namespace polycast::tlm::sim
