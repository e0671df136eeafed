// SPDX-License-Identifier: Apache-2.0
// Plans of multicasts as text, JSON and pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "hw/system/worm_route.h"
#include "hw/topology/describe.h"
#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {

namespace {

using hw::collectives::participant;
using hw::collectives::transmission;
using hw::topology::graph;
using nlohmann::ordered_json;

/// More nodes make a picture that shows nothing.
constexpr std::size_t most_drawn = 1500;
/// One per step, then from the first again; distinguishable on white, also by colour-blind eyes (Okabe and Ito).
constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000"};

struct sent_worm {
    std::uint32_t sender = 0;
    const transmission* what = nullptr;
};

/// By step, in each as the senders come.
std::vector<std::vector<sent_worm>> worms_by_step(const planned_scheme& scheme) {
    std::vector<std::vector<sent_worm>> found(scheme.plan.steps);
    for (const participant& one : scheme.plan.participants)
        for (const transmission& sent : one.sends) found[sent.step - 1].push_back({one.host, &sent});
    return found;
}

std::string host_name(const graph& network, std::uint32_t host) {
    return network.hosts[host].name;
}

std::string host_names(const graph& network, const std::vector<std::uint32_t>& hosts) {
    std::vector<std::string> names;
    for (const std::uint32_t host : hosts) names.push_back(network.hosts[host].name);
    return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::uint32_t> hosts_of(const graph& network, const hw::format::stop& stop) {
    std::vector<std::uint32_t> hosts;
    for (unsigned port = 0; port < network.switches[stop.chip].ports.size(); ++port)
        if ((stop.ports >> port & 1) != 0) hosts.push_back(network.switches[stop.chip].ports[port].index);
    return hosts;
}

/// "5 (h5a h5b), 3 (h3a)", or the hosts alone.
std::string way_text(const graph& network, const transmission& sent) {
    if (sent.stops.empty()) return host_names(network, sent.hosts);
    std::vector<std::string> stops;
    for (const hw::format::stop& stop : sent.stops)
        stops.push_back(
            fmt::format("{} ({})", network.switches[stop.chip].name, host_names(network, hosts_of(network, stop))));
    return fmt::format("{}", fmt::join(stops, ", "));
}

ordered_json host_json(const graph& network, std::uint32_t host) {
    return {{"name", network.hosts[host].name}, {"number", host}};
}

ordered_json hosts_json(const graph& network, const std::vector<std::uint32_t>& hosts) {
    ordered_json list = ordered_json::array();
    for (const std::uint32_t host : hosts) list.push_back(host_json(network, host));
    return list;
}

ordered_json switch_json(const graph& network, std::uint32_t chip, const std::vector<std::uint32_t>& hosts) {
    return {{"name", network.switches[chip].name}, {"number", chip}, {"hosts", hosts_json(network, hosts)}};
}

ordered_json chains_json(const plan_analysis& what) {
    ordered_json list = ordered_json::array();
    for (const hw::collectives::switch_chain& one : what.chains) {
        ordered_json chain = ordered_json::array();
        for (const hw::collectives::chain_switch& here : one)
            chain.push_back(switch_json(what.system.network, here.chip, here.hosts));
        list.push_back(std::move(chain));
    }
    return list;
}

ordered_json scheme_json(const plan_analysis& what, const planned_scheme& scheme) {
    const graph& network = what.system.network;
    ordered_json j{{"scheme", scheme.choice.scheme.how->name}, {"phasing", nullptr}, {"fanout", nullptr}};
    if (scheme.forwards()) j["fanout"] = scheme.choice.scheme.fanout;
    if (scheme.in_phases()) j["phasing"] = name_of(scheme.choice.scheme.phases);
    j["chains"] = scheme.uses_chains() ? chains_json(what) : ordered_json::array();
    j["worms"] = ordered_json::array();
    j["phases"] = ordered_json::array();
    for (const std::vector<sent_worm>& step : worms_by_step(scheme)) {
        ordered_json phase = ordered_json::array();
        for (const sent_worm& sent : step) {
            phase.push_back(j["worms"].size());
            ordered_json stops = ordered_json::array();
            for (const hw::format::stop& stop : sent.what->stops)
                stops.push_back(switch_json(network, stop.chip, hosts_of(network, stop)));
            j["worms"].push_back({{"kind", hw::format::name_of(sent.what->kind)},
                                  {"sender", host_json(network, sent.sender)},
                                  {"step", sent.what->step},
                                  {"stops", std::move(stops)},
                                  {"hosts", hosts_json(network, sent.what->hosts)}});
        }
        j["phases"].push_back(std::move(phase));
    }
    j["steps"] = scheme.plan.steps;
    j["predicted_latency"] = scheme.latency;
    return j;
}

/// Switches by level and the cables between them.
std::string draw_network(const plan_analysis& what) {
    const graph& network = what.system.network;
    std::string text;
    std::vector<std::string> levels;
    for (std::uint32_t chip = 0; chip < network.switches.size(); ++chip) {
        levels.resize(std::max<std::size_t>(levels.size(), what.routes.level(chip) + 1));
        levels[what.routes.level(chip)] += fmt::format(" s{};", chip);
        text += fmt::format("  s{} [shape=box, style=filled, fillcolor=\"{}\", label={}];\n", chip,
                            what.routes.level(chip) == 0 ? "#f4c7a1" : "#e8ecf0",
                            hw::topology::dot_text(network.switches[chip].name));
    }
    for (const std::string& level : levels) text += "  { rank=same;" + level + " }\n";
    for (const hw::topology::link& cable : network.links()) {
        const bool a_above = what.routes.above(cable.a.chip, cable.b.chip);
        const hw::topology::link::end upper = a_above ? cable.a : cable.b;
        const hw::topology::link::end lower = a_above ? cable.b : cable.a;
        const bool tree = what.routes.parent_port(lower.chip) == unsigned{lower.port};
        text += fmt::format("  s{} -> s{} [dir=none, color=\"#b0b8c0\", style={}];\n", upper.chip, lower.chip,
                            tree ? "solid, penwidth=2" : "dashed");
    }
    return text;
}

}  // namespace

std::string plan_text(const plan_analysis& what) {
    const graph& network = what.system.network;
    std::vector<std::string> chains;
    for (const hw::collectives::switch_chain& one : what.chains) {
        std::vector<std::string> names;
        for (const hw::collectives::chain_switch& here : one) names.push_back(network.switches[here.chip].name);
        chains.push_back(fmt::format("{}", fmt::join(names, " > ")));
    }
    std::vector<std::string> roots;
    for (const std::uint32_t root : what.routes.roots()) roots.push_back(network.switches[root].name);
    const hw::topology::host_node& source = network.hosts[what.source];
    std::string text = fmt::format(
        "network  {} switches, {} hosts, root{} {}\n"
        "source   {} on {}, to {} host{}: {} byte{} in {} packet{}\n"
        "chains   {}\n\n{:<24}{:>6}{:>7}  {}\n",
        network.switches.size(), network.hosts.size(), roots.size() == 1 ? "" : "s", fmt::join(roots, ", "),
        source.name, network.switches[source.chip].name, what.destinations.size(),
        what.destinations.size() == 1 ? "" : "s", what.bytes, what.bytes == 1 ? "" : "s", what.packets,
        what.packets == 1 ? "" : "s", fmt::join(chains, "; "), "scheme", "steps", "worms", "predicted cycles");
    for (const planned_scheme& scheme : what.schemes) {
        std::size_t worms = 0;
        for (const participant& one : scheme.plan.participants) worms += one.sends.size();
        text += fmt::format("{:<24}{:>6}{:>7}  {}\n", scheme.title(), scheme.plan.steps, worms, scheme.latency);
    }
    for (const planned_scheme& scheme : what.schemes) {
        text += fmt::format("\n{}\n", scheme.title());
        unsigned number = 0;
        for (const std::vector<sent_worm>& step : worms_by_step(scheme)) {
            ++number;
            for (const sent_worm& sent : step)
                text += fmt::format("  {:>3}  {} -> {}\n", number, host_name(network, sent.sender),
                                    way_text(network, *sent.what));
        }
    }
    return text;
}

std::string plan_json(const plan_analysis& what) {
    const graph& network = what.system.network;
    ordered_json j{
        {"root", {{"name", network.switches[what.routes.root()].name}, {"number", what.routes.root()}}},
        {"source", host_json(network, what.source)},
        {"destinations", hosts_json(network, what.destinations)},
        {"bytes", what.bytes},
        {"packets", what.packets},
        {"schemes", ordered_json::object()},
    };
    for (const planned_scheme& scheme : what.schemes) j["schemes"][scheme.key()] = scheme_json(what, scheme);
    return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string plan_dot(const plan_analysis& what, const planned_scheme& scheme) {
    const graph& network = what.system.network;
    const std::size_t nodes = network.switches.size() + scheme.plan.participants.size();
    if (nodes > most_drawn) {
        throw hw::input_error(
            fmt::format("{} switches and participants are too many to draw (at most {})", nodes, most_drawn),
            "--json has all of it");
    }
    std::string text = fmt::format(
        "digraph plan {{\n  label={};\n  labelloc=t;\n  rankdir=TB;\n"
        "  graph [fontname=\"sans-serif\", nodesep=0.3, ranksep=0.8];\n"
        "  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n",
        hw::topology::dot_text(fmt::format("{} from {}: {} step{}", scheme.title(), host_name(network, what.source),
                                           scheme.plan.steps, scheme.plan.steps == 1 ? "" : "s")));
    text += draw_network(what);
    for (const participant& one : scheme.plan.participants) {
        const bool source = one.host == what.source;
        text += fmt::format("  h{} [shape=ellipse, fontsize=10{}, label={}];\n", one.host, source ? ", penwidth=3" : "",
                            hw::topology::dot_text(host_name(network, one.host)));
        text += fmt::format("  s{} -> h{} [dir=none, color=\"#d0d6dc\"];\n", network.hosts[one.host].chip, one.host);
    }
    for (const std::vector<sent_worm>& step : worms_by_step(scheme)) {
        for (const sent_worm& sent : step) {
            const unsigned number = sent.what->step;
            const std::string look = fmt::format("color=\"{0}\", fontcolor=\"{0}\", penwidth=1.6, constraint=false",
                                                 colours[(number - 1) % colours.size()]);
            if (sent.what->kind == hw::format::packet_kind::unicast) {
                text += fmt::format("  h{} -> h{} [{}, label=\"{}\"];\n", sent.sender, sent.what->hosts.front(), look,
                                    number);
                continue;
            }
            text += fmt::format("  h{} -> s{} [{}, label=\"{}\"];\n", sent.sender, network.hosts[sent.sender].chip,
                                look, number);
            for (const hw::topology::link::end& link : links_taken(what.system, sent.sender, *sent.what))
                text += fmt::format("  s{} -> s{} [{}];\n", link.chip,
                                    network.switches[link.chip].ports[link.port].index, look);
            for (const std::uint32_t host : sent.what->hosts)
                text += fmt::format("  s{} -> h{} [{}];\n", network.hosts[host].chip, host, look);
        }
    }
    return text + "}\n";
}

}  // namespace polycast::tlm::sim
