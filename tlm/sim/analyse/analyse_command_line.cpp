// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/analyse/analyse_command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hw/input_error.h"
#include "tlm/scenario/quantity.h"

namespace polycast::tlm::sim {

void add_overrides(CLI::App& command, std::vector<std::string>& overrides) {
    command
        .add_option(
            "-s,--set", overrides,
            "Change the scenario: key.path=value in YAML; entries of lists by number, name or '*'. May be repeated.")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_network(CLI::App& command, network_choice& where) {
    command.add_option("file", where.file, "Scenario, GraphML, edge list, ibnetdiscover print-out or ibsim net file")
        ->required();
    add_overrides(command, where.overrides);
    command.add_option("-n,--instance", where.instance, "Which of a scenario's networks, from 1")
        ->check(CLI::Range(1u, 1000u));
}

std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names = CLI::detail::split(list, ',');
    std::erase(names, "");
    return names;
}

namespace {

CLI::App* add_analyse_plan(CLI::App& analyse, plan_options& options) {
    CLI::App* command =
        analyse.add_subcommand("plan",
                               "Who sends what to whom in one multicast, by each scheme: chains, worms, "
                               "phases, steps, and the predicted latency.");
    add_network(*command, options.where);
    command->add_option("--source", options.source, "Host, by name or number")->type_name("HOST")->required();
    command
        ->add_option_function<std::string>(
            "--destinations", [&options](const std::string& list) { options.destinations = names_in(list); },
            "Hosts, by name or number, with commas between")
        ->type_name("HOST,HOST,...")
        ->required();
    command
        ->add_option(
            "--root", options.roots,
            "Switch at the root: name, id, GUID, number, lowest or best; may be repeated; default: as the file "
            "says")
        ->allow_extra_args(false)
        ->type_name("SWITCH");
    command->add_option("--bytes", options.bytes, "Length of the message; default: one full packet")
        ->check(CLI::Range(1u, 1u << 30));
    command->add_option("--stops", options.stops, "Longest list of a path worm; default: as the file says")
        ->check(CLI::Range(1u, 255u));
    command->add_option("--order", options.order, "Order of k-binomial trees: chains, number or listed");
    command->add_option("--fanout", options.fanout,
                        "k of k-binomial trees: best (fewest steps), timing (lowest predicted latency) or a number");
    const auto any = [](const hw::collectives::scheme_kind&) { return true; };
    command->add_option("--scheme", options.scheme,
                        fmt::format("Only {}; a picture's default: the first with phases",
                                    fmt::join(hw::collectives::schemes_that(any), ", ")));
    command->add_option("--phases", options.phases, "Only greedy or less_greedy; a picture's default: less_greedy");
    CLI::Option* json = command->add_flag("--json", options.json, "Print it as JSON");
    command->add_flag("--dot", options.dot, "Print a picture of one scheme for Graphviz")->excludes(json);
    return command;
}

CLI::App* add_analyse_k_binomial(CLI::App& analyse, k_binomial_options& options) {
    CLI::App* command = analyse.add_subcommand(
        "kbinomial", "Steps of messages along trees whose nodes have at most k children, and such a tree.");
    command->add_option("--nodes", options.nodes, "Hosts, source included")->required();
    command->add_option("--packets", options.packets, "Packets of the message")->required();
    command->add_option("--k", options.k, "Children of the tree that is shown; default: the best k");
    command->add_flag("--json", options.json, "Print it as JSON");
    return command;
}

CLI::App* add_analyse_network_coding(CLI::App& analyse, network_coding_options& options) {
    CLI::App* command = analyse.add_subcommand(
        "network-coding", "Unicasts and hops of an all-to-all broadcast with hierarchical network coding.");
    command->add_option("--k", options.k, "Nodes along a dimension")->required();
    command->add_option("--n", options.n, "Dimensions")->capture_default_str();
    command->add_option("--group", options.group, "Nodes of a group; default: the size with the fewest hops");
    command->add_option("--base", options.base, "Base algorithm: tree or all-at-once")->capture_default_str();
    command->add_option("--placement", options.placement, "Intermediate nodes: inner or centre")->capture_default_str();
    command->add_option("--variant", options.variant, "coded, or every-node: every node codes, and there is no step E")
        ->capture_default_str();
    command->add_flag("--torus", options.torus, "A torus, not a mesh");
    command->add_option("--sources", options.sources, "Nodes that have a datum; default: all");
    command->add_flag("--recursive", options.recursive, "Code within the groups too");
    command
        ->add_option("--inner-groups", options.inner_groups,
                     "Nodes of a group within a group, and so on; default of --recursive: one size, with the fewest "
                     "hops")
        ->delimiter(',')
        ->type_name("NUMBER,NUMBER,...");
    command->add_flag("--json", options.json, "Print it as JSON");
    return command;
}

CLI::App* add_analyse_ibt(CLI::App& analyse, ibt_options& options) {
    CLI::App* command = analyse.add_subcommand("ibt",
                                               "Distances of an interlaced bypass torus, or of a torus, and the steps "
                                               "of pipelined broadcasts on it, simulated "
                                               "with every byte checked.");
    const char* const numbers = "NUMBER,NUMBER,...";
    command->add_option("--n", options.n, "Nodes along a dimension")->required();
    command->add_option("--d", options.d, "Dimensions")->capture_default_str();
    command->add_option("--bypass", options.bypass, "Lengths of the bypass links; without: a torus")
        ->delimiter(',')
        ->type_name(numbers);
    command->add_option("--packets", options.packets, "Packets of the message")->capture_default_str();
    command->add_option("--source", options.source, "Coordinates of the source; default: all 0")
        ->delimiter(',')
        ->type_name(numbers);
    command
        ->add_option("--only", options.only,
                     "Only diameter (and mean distance), line, rectangular, global (by colours) or trees")
        ->type_name("WHAT");
    command->add_option("--dimension", options.dimension, "Of the line broadcast")->capture_default_str();
    command
        ->add_option("--algorithm", options.algorithm,
                     "colours, trees (the 2d link-disjoint ones, global, of a torus) or all")
        ->capture_default_str();
    command
        ->add_option("--pattern", options.patterns,
                     "Packet-sending pattern of the source, 0 to 15, or one for each colour; default: the best")
        ->delimiter(',')
        ->type_name(numbers);
    command
        ->add_option("--split", options.split,
                     "Packets of each colour or tree; default: the best, and equal ones of trees")
        ->delimiter(',')
        ->type_name(numbers);
    command->add_option("--search", options.search, "Packets sent by all runs of a search, after which no other begins")
        ->capture_default_str();
    command->add_option("--bytes", options.bytes, "Of a packet; 0: nothing is carried and compared")
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of the bytes of the message")->capture_default_str();
    command->add_option("--threads", options.threads, "Threads of a run; results do not depend on them")
        ->check(CLI::Range(1u, 256u))
        ->capture_default_str();
    command->add_flag("--history", options.history, "Also what happens in each step of the best runs, as JSON");
    command->add_flag("--holdings", options.holdings,
                      "In it how many packets every node holds, of at most 16384 nodes");
    command->add_flag("--json", options.json, "Print it as JSON");
    return command;
}

CLI::App* add_analyse_rails(CLI::App& analyse, rails_options& options) {
    CLI::App* command = analyse.add_subcommand("rails",
                                               "Static allocation of rails: which node transmits on which of several "
                                               "networks, which rails a pair of nodes can "
                                               "use, and how many rails any number of nodes needs.");
    command->add_option("--nodes", options.nodes, "Nodes, 2 to 65536");
    CLI::Option* algorithm =
        command
            ->add_option("--algorithm", options.algorithm,
                         "1: 2 ceil(log2 n) rails, in pairs; 2: as few as possible, half of the nodes transmit on each")
            ->capture_default_str();
    command->add_option("--rails", options.rails, "As many, of algorithm 2; default: as few as possible");
    command
        ->add_option("--matrix", options.file,
                     "Check a matrix of yours instead: a line of 0 and 1 for each rail, a digit for each node")
        ->type_name("FILE")
        ->excludes(algorithm);
    CLI::Option* json = command->add_flag("--json", options.json, "Print it as JSON");
    command->add_flag("--dot", options.dot, "Print a picture of the matrix for Graphviz")->excludes(json);
    return command;
}

using unit_list = std::vector<std::pair<std::string, double>>;
const unit_list sizes{{"B", 1},      {"kB", 1e3},      {"MB", 1e6},        {"GB", 1e9},
                      {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
const unit_list times{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
const unit_list rates{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6}};

/// A number with a unit; without one that of the first. \throws hw::input_error
double value_in(const std::string& option, const std::string& text, const unit_list& units) {
    std::vector<std::string> names;
    for (const auto& [name, factor] : units) names.push_back(name);
    const std::optional<scenario::quantity> found = scenario::parse_quantity(text);
    if (!found)
        throw hw::input_error(fmt::format("{} {}: this is no number", option, text), "such as 20 " + names.back());
    const auto known = std::ranges::find(names, found->unit.empty() ? names.front() : found->unit);
    if (known == names.end()) {
        throw hw::input_error(fmt::format("{} {}: '{}' is no unit of this", option, text, found->unit),
                              fmt::format("one of {}", fmt::join(names, ", ")));
    }
    const double value = boost::rational_cast<double>(found->number);
    return value * units[static_cast<std::size_t>(known - names.begin())].second;
}

template <typename number>
CLI::Option* add_quantity(CLI::App& command, const std::string& name, number& value, const unit_list& units,
                          const std::string& about) {
    return command
        .add_option_function<std::string>(
            name, [name, &value, &units](const std::string& text) { value = value_in(name, text, units); }, about)
        ->type_name("NUMBER[" + units.front().first + "]");
}

CLI::Option* add_size(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& about) {
    const auto set = [name, &value](const std::string& text) {
        const double size = value_in(name, text, sizes);
        if (size < 0 || size > 1e15 || size != std::floor(size))
            throw hw::input_error(fmt::format("{} {}: not a number of whole bytes", name, text), "0 B to 1e15 B");
        value = static_cast<std::uint64_t>(size);
    };
    return command.add_option_function<std::string>(name, set, about)->type_name("NUMBER[B]");
}

CLI::App* add_analyse_multilane(CLI::App& analyse, multilane_options& options) {
    CLI::App* command = analyse.add_subcommand(
        "multilane",
        "Broadcasts over two lanes a node, on one site or several: seconds by closed forms and piece by piece, and who "
        "sends what to whom on which lane. Numbers may have units: 32MiB, 250MB/s, 10ms.");
    command->add_option("--nodes", options.nodes, "Nodes of all sites, the root included");
    command->add_option("--sites", options.sites, "Sites of equal size")->capture_default_str();
    command->add_option("--site-nodes", options.site_nodes, "Nodes of each site instead")
        ->delimiter(',')
        ->type_name("NUMBER,NUMBER,...");
    add_size(*command, "--bytes", options.bytes, "Length of the message; default: 32 MiB");
    add_size(*command, "--piece", options.piece, "Of the message, that is sent on at once; default: 64 KiB");
    command->add_option("--lanes", options.lanes, "Interfaces of a node: 2, or 1 with two queues")
        ->capture_default_str();
    add_quantity(*command, "--bandwidth", options.bandwidth, rates,
                 "b, of all lanes of a node together; default: 125 MB/s for each lane");
    add_quantity(*command, "--latency", options.latency, times, "l, from node to node within a site; default: 1.92 ms");
    add_quantity(*command, "--wan-latency", options.wide_latency, times, "L, between sites, one way; default: 10 ms");
    add_size(*command, "--window", options.window,
             "What a stream between sites has under way at most, in a round trip of 2 L; default: no limit");
    command->add_option("--streams", options.streams, "Parallel streams between sites, on each lane")
        ->capture_default_str();
    command->add_option("--algorithm", options.algorithm,
                        "Only chain, pipelined-chain, binary, binomial, van-de-geijn or multi-lane; a picture's "
                        "default: multi-lane");
    CLI::Option* json = command->add_flag("--json", options.json, "Print it as JSON, with all edges");
    command->add_flag("--dot", options.dot, "Print a picture of one broadcast for Graphviz")->excludes(json);
    return command;
}

}  // namespace

analyse_command::analyse_command(CLI::App& app)
    : command_(app.add_subcommand("analyse", "Work out plans of multicasts and broadcasts. Only ibt simulates.")) {
    command_->require_subcommand(1);
    actions_.emplace_back(add_analyse_plan(*command_, plan_), [this] { return analyse_plan(plan_); });
    actions_.emplace_back(add_analyse_k_binomial(*command_, k_binomial_),
                          [this] { return analyse_k_binomial(k_binomial_); });
    actions_.emplace_back(add_analyse_network_coding(*command_, network_coding_),
                          [this] { return analyse_network_coding(network_coding_); });
    actions_.emplace_back(add_analyse_ibt(*command_, ibt_), [this] { return analyse_ibt(ibt_); });
    actions_.emplace_back(add_analyse_rails(*command_, rails_), [this] { return analyse_rails(rails_); });
    actions_.emplace_back(add_analyse_multilane(*command_, multilane_),
                          [this] { return analyse_multilane(multilane_); });
}

int analyse_command::run() const {
    const auto wanted =
        std::ranges::find_if(actions_, [](const auto& action) { return static_cast<bool>(*action.first); });
    return wanted->second();
}

}  // namespace polycast::tlm::sim
