// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/analyse/analyse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "hw/collectives/k_binomial.h"
#include "hw/input_error.h"
#include "hw/system/prediction.h"
#include "hw/topology/topology_file.h"
#include "tlm/sim/analyse/choice.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

namespace {

using hw::input_error;
using hw::collectives::chain_order;
using hw::collectives::phasing;
using hw::collectives::scheme;
using hw::collectives::schemes;
using hw::system::multicast_choice;
using nlohmann::ordered_json;
/// Most nodes of a k-binomial tree, and most packets: more than any realistic question.
constexpr std::uint64_t most_nodes = 1u << 20;
constexpr std::uint64_t most_packets = std::uint64_t{1} << 32;
/// Nodes with children that are listed in text.
constexpr std::size_t most_lines = 64;
/// Tables of routes grow with the square of this.
constexpr std::size_t most_switches = 4096;

template <typename number>
std::optional<number> number_in(const std::string& text) {
    number value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
    return value;
}

/// What `text` names, or else the number that it is. \throws input_error, or what `by_name` throws
template <typename finder>
std::uint32_t index_of(const char* what, const std::string& text, std::size_t count, std::optional<std::uint32_t> found,
                       finder by_name) {
    if (found) return *found;
    const std::optional<std::uint64_t> number = number_in<std::uint64_t>(text);
    if (!number) return by_name();
    if (*number < count) return static_cast<std::uint32_t>(*number);
    throw input_error(fmt::format("{0} {1} does not exist, by name or number", what, text),
                      fmt::format("the numbers are 0 to {}", count - 1));
}

std::uint32_t host_in(const hw::topology::graph& network, const std::string& text) {
    return index_of("host", text, network.hosts.size(), network.find_host(text),
                    [&] { return network.host_named(text); });
}

void set_roots(const hw::topology::graph& network, const std::vector<std::string>& roots,
               hw::routing::updown_options& routing) {
    using choice = hw::routing::updown_options::root_choice;
    if (roots.empty()) return;
    routing.more_roots.clear();
    if (roots.size() == 1 && (roots.front() == "lowest" || roots.front() == "best")) {
        routing.choice = roots.front() == "best" ? choice::best : choice::lowest_id;
        return;
    }
    routing.choice = choice::given;
    for (const std::string& root : roots) {
        const std::uint32_t found =
            index_of("switch", root, network.switches.size(), network.identify_switch(root), [&]() -> std::uint32_t {
                throw input_error("there is no switch '" + root + "'", network.propose_switch(root));
            });
        if (&root == &roots.front()) {
            routing.root = found;
        } else {
            routing.more_roots.push_back(found);
        }
    }
}

/// All requested variants, each scheme with both phasings if it has phases.
std::vector<multicast_choice> choices_of(const plan_options& options, unsigned stops) {
    std::optional<scheme> only;
    if (!options.scheme.empty()) {
        std::vector<std::string> names;
        for (const scheme each : schemes()) names.emplace_back(each->name);
        only = schemes()[index_of_choice("--scheme", options.scheme, names)];
    }
    std::optional<phasing> only_phases;
    if (!options.phases.empty()) only_phases = choice("--phases", options.phases, hw::collectives::phasings);
    if (options.dot) {
        const auto phased = std::ranges::find_if(schemes(), [](scheme each) { return each->phases; });
        only = only.value_or(*phased);
        only_phases = only_phases.value_or(phasing::less_greedy);
    }
    multicast_choice base;
    base.scheme.most_stops = stops;
    base.scheme.order = choice("--order", options.order, hw::collectives::chain_orders);
    if (options.fanout == "timing") {
        base.fanout = multicast_choice::fanout_choice::timing;
    } else if (options.fanout != "best") {
        const std::optional<unsigned> k = number_in<unsigned>(options.fanout);
        if (!k || *k == 0)
            throw input_error("--fanout " + options.fanout + ": a node has 1 or more children",
                              "best, timing, or a number");
        base.fanout = multicast_choice::fanout_choice::given;
        base.scheme.fanout = *k;
    }
    std::vector<multicast_choice> found;
    for (const scheme how : schemes()) {
        if (only && *only != how) continue;
        multicast_choice choice = base;
        choice.scheme.how = how;
        for (const auto& [phases, phases_name, doc] : hw::collectives::phasings) {
            if (how->phases ? only_phases && *only_phases != phases : phases != phasing::less_greedy) continue;
            choice.scheme.phases = phases;
            found.push_back(choice);
        }
    }
    return found;
}

unsigned fanout_of(const plan_analysis& what, const multicast_choice& choice) {
    const auto nodes = static_cast<std::uint32_t>(what.destinations.size() + 1);
    switch (choice.fanout) {
        case multicast_choice::fanout_choice::given: return choice.scheme.fanout;
        case multicast_choice::fanout_choice::best: return choice.scheme.how->best_fanout(nodes, what.packets);
        case multicast_choice::fanout_choice::timing: break;
    }
    const std::vector<std::uint32_t> chain =
        hw::collectives::ordered_chain(what.routes, choice.scheme.order, what.source, what.destinations);
    return hw::system::best_k_by_timing(what.system, chain, hw::system::forwarding_of(choice), what.bytes);
}

/// Chooses, plans and predicts. \returns what is wrong with a plan
std::optional<std::string> add_schemes(plan_analysis& what, const plan_options& options) {
    std::optional<std::string> wrong;
    for (const multicast_choice& choice : choices_of(options, what.system.params.header_stops)) {
        planned_scheme made{choice, {}, 0};
        if (made.forwards()) made.choice.scheme.fanout = fanout_of(what, choice);
        made.plan = hw::collectives::make_plan(what.routes, made.choice.scheme, what.source, what.destinations);
        if (const auto problem = find_problem(made.plan, what.routes, what.destinations); problem && !wrong)
            wrong = made.title() + ": " + *problem;
        made.latency =
            hw::system::predict(what.system, made.plan, hw::system::forwarding_of(choice), what.bytes).latency;
        what.schemes.push_back(std::move(made));
    }
    return wrong;
}

}  // namespace

chosen_network load_network(const network_choice& choice) {
    const std::string ending = std::filesystem::path(choice.file).extension().string();
    if (ending != ".yaml" && ending != ".yml") {
        if (!choice.overrides.empty()) {
            throw input_error("-s changes a scenario, and '" + choice.file + "' is none", "scenarios end in .yaml");
        }
        return {hw::topology::read_topology(choice.file, std::nullopt,
                                            [](const std::string& text) { spdlog::warn("{}", text); }),
                {},
                {},
                &topologies::file()};
    }
    const scenario::loaded scenario = scenario::load_file(choice.file, choice.overrides);
    std::vector<instance> instances = make_instances(scenario);
    const topologies::kind& kind = *scenario.values.network.topology.kind;
    if (instances.front().unlisted || !kind.is().listed) {
        const auto [problem, proposal] = kind.unlisted(scenario, instances.front().name);
        throw input_error(choice.file + ": " + problem, proposal);
    }
    if (choice.instance > instances.size()) {
        throw input_error("--instance " + std::to_string(choice.instance) + ": the scenario has " +
                          std::to_string(instances.size()) + " networks");
    }
    hw::system::system_plan& plan = instances[choice.instance - 1].plan;
    return {std::move(plan.network), plan.params, scenario, &kind};
}

plan_analysis::plan_analysis(hw::system::system_plan plan)
    : system(std::move(plan)), routes(hw::system::routes_of(system)) {}

bool planned_scheme::in_phases() const {
    return choice.scheme.how->phases;
}

bool planned_scheme::forwards() const {
    return choice.scheme.how->has_tree();
}

bool planned_scheme::uses_chains() const {
    return in_phases() || (forwards() && choice.scheme.order == chain_order::chains);
}

std::string planned_scheme::title() const {
    const std::string name(choice.scheme.how->name);
    if (in_phases()) return name + (choice.scheme.phases == phasing::greedy ? ", greedy" : ", less greedy");
    return forwards() ? name + ", k = " + std::to_string(choice.scheme.fanout) : name;
}

std::string planned_scheme::key() const {
    const std::string name(choice.scheme.how->name);
    if (!in_phases()) return name;
    return name + (choice.scheme.phases == phasing::greedy ? "_greedy" : "_less_greedy");
}

int analyse_plan(const plan_options& options) {
    chosen_network chosen = load_network(options.where);
    if (chosen.kind->is().of != topologies::traits::chips::switches)
        throw input_error("plans of multicasts are for networks of switches", "take one of another kind");
    if (chosen.network.switches.size() > most_switches) {
        throw input_error(fmt::format("plans are made for networks of at most {} switches, not {}", most_switches,
                                      chosen.network.switches.size()));
    }
    set_roots(chosen.network, options.roots, chosen.params.routing);
    if (options.stops != 0) chosen.params.header_stops = options.stops;
    const std::uint32_t source = host_in(chosen.network, options.source);
    std::vector<std::uint32_t> destinations;
    for (const std::string& text : options.destinations) destinations.push_back(host_in(chosen.network, text));
    hw::collectives::check_set(chosen.network, source, destinations);

    plan_analysis what(hw::system::make_plan(std::move(chosen.network), chosen.params));
    const std::uint32_t payload = what.system.host.interface.payload_bytes;
    what.source = source;
    what.destinations = std::move(destinations);
    what.bytes = options.bytes != 0 ? options.bytes : payload;
    what.packets = (what.bytes - 1) / payload + 1;
    what.chains = hw::collectives::partially_ordered_chains(what.routes, source, what.destinations);
    const std::optional<std::string> wrong = add_schemes(what, options);
    if (options.dot) {
        fmt::print("{}", plan_dot(what, what.schemes.front()));
    } else {
        fmt::print("{}", options.json ? plan_json(what) : plan_text(what));
    }
    if (!wrong) return 0;
    fmt::print(stderr, "wrong plan: {}\n", *wrong);
    return 1;
}

int analyse_k_binomial(const k_binomial_options& options) {
    const auto check = [](const char* option, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
        if (value < least || value > most)
            throw input_error(fmt::format("{} {}: {} to {} are possible", option, value, least, most));
    };
    check("--nodes", options.nodes, 2, most_nodes);
    check("--packets", options.packets, 1, most_packets);
    const auto nodes = static_cast<std::uint32_t>(options.nodes);
    const std::vector<unsigned> best = hw::collectives::best_k(nodes, options.packets);
    const unsigned k = options.k != 0 ? options.k : best.back();
    check("--k", k, 1, nodes - 1);
    const unsigned most_k = hw::collectives::binomial_k(nodes);
    const hw::collectives::forwarding_tree tree = hw::collectives::k_binomial_tree(nodes, k);
    if (options.json) {
        ordered_json j{{"nodes", nodes}, {"packets", options.packets}, {"best_k", best}};
        for (unsigned each = 1; each <= most_k; ++each)
            j["steps"][std::to_string(each)] = hw::collectives::steps_of_message(nodes, options.packets, each);
        j["k"] = k;
        j["children"] = tree;
        fmt::print("{}\n", j.dump(1));
        return 0;
    }
    fmt::print("{} nodes, {} packet{}: best k {}\n\n   k  steps\n", nodes, options.packets,
               options.packets == 1 ? "" : "s", fmt::join(best, ", "));
    for (unsigned each = 1; each <= most_k; ++each) {
        const bool is_best = std::ranges::find(best, each) != best.end();
        fmt::print("{:>4}  {}{}\n", each, hw::collectives::steps_of_message(nodes, options.packets, each),
                   is_best ? "  best" : "");
    }
    fmt::print("\nchildren where k = {}\n", k);
    std::size_t lines = 0, more = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) {
        if (tree[node].empty()) continue;
        if (++lines <= most_lines) {
            fmt::print("{:>4}  {}\n", node, fmt::join(tree[node], " "));
        } else {
            ++more;
        }
    }
    if (more != 0) fmt::print("and {} more with children; --json lists them all\n", more);
    return 0;
}

}  // namespace polycast::tlm::sim
