// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "hw/collectives/network_coding.h"
#include "hw/input_error.h"
#include "tlm/sim/analyse/analyse.h"
#include "tlm/sim/analyse/choice.h"

namespace polycast::tlm::sim {

namespace {

using hw::input_error;
using hw::collectives::accounting;
using hw::collectives::coding_base;
using hw::collectives::coding_count;
using hw::collectives::coding_method;
using hw::collectives::coding_options;
using hw::collectives::coding_step;
using hw::collectives::network_coding;
using hw::collectives::node_placement;
using nlohmann::ordered_json;
using step_counts = std::map<char, coding_count>;

template <typename value>
using names_of = std::vector<hw::named<value>>;

coding_options network_of(const network_coding_options& options) {
    coding_options made;
    made.radix = options.k;
    made.dimensions = options.n;
    made.torus = options.torus;
    made.group = 1;
    made.base = choice("--base", options.base,
                       names_of<coding_base>{{coding_base::tree, "tree"}, {coding_base::all_at_once, "all-at-once"}});
    made.placement = choice("--placement", options.placement, hw::collectives::node_placements);
    made.method =
        choice("--variant", options.variant,
               names_of<coding_method>{{coding_method::coded, "coded"}, {coding_method::every_node, "every-node"}});
    if (options.sources) {
        const std::uint32_t nodes = network_coding(made).nodes();
        if (*options.sources < 1 || *options.sources > nodes)
            throw input_error(fmt::format("--sources {}: 1 to {} are possible", *options.sources, nodes));
        made.sources = *options.sources;
    }
    return made;
}

coding_options with_group(coding_options options, std::uint32_t group) {
    options.group = group;
    options.inner_groups.clear();
    return options;
}

coding_options with_method(coding_options options, coding_method method) {
    options.method = method;
    return options;
}

coding_count count_of(const coding_options& options, accounting what = accounting::delivered) {
    return network_coding(options).total(what);
}

/// Cost of a group size.
struct size_line {
    std::uint32_t group;
    std::vector<std::uint32_t> extent;
    std::uint32_t member_hops;  ///< from corner to corner of a group
    std::uint32_t group_hops;   ///< between the intermediate nodes of the first and the last group
    std::uint64_t delivered;
    std::uint64_t as_published;
    std::uint64_t uncoded;
};

std::vector<size_line> lines_of(const coding_options& options) {
    std::vector<size_line> lines;
    for (const std::uint32_t group : hw::collectives::group_sizes(options)) {
        const network_coding plan(with_group(options, group));
        const hw::collectives::coding_level& level = plan.levels().front();
        std::uint32_t member_hops = 0;
        for (const std::uint32_t side : level.extent) member_hops += side - 1;
        lines.push_back({group, level.extent, member_hops,
                         plan.distance(plan.intermediate_node(0, 0), plan.intermediate_node(0, level.group_count - 1)),
                         plan.total().hops, plan.total(accounting::as_published).hops,
                         count_of(with_method(plan.options(), coding_method::uncoded)).hops});
    }
    return lines;
}

std::uint32_t best_of(const std::vector<size_line>& lines, std::uint64_t size_line::*figure, std::uint32_t otherwise) {
    const auto best = std::ranges::min_element(lines, {}, figure);
    return best == lines.end() ? otherwise : best->group;
}

/// The one size of groups within the groups that takes the fewest hops. \throws input_error if there is none
std::vector<std::uint32_t> best_inner(const coding_options& options) {
    const std::vector<std::uint32_t> extent = network_coding(options).levels().front().extent;
    std::vector<std::uint32_t> best;
    std::uint64_t fewest = 0;
    for (std::uint32_t size = 2; size <= options.group / 2; ++size) {
        if (options.group % size != 0 || hw::collectives::group_extent(extent, size).empty()) continue;
        coding_options inner = options;
        inner.inner_groups = {size};
        const std::uint64_t hops = count_of(inner).hops;
        if (!best.empty() && hops >= fewest) continue;
        best = {size};
        fewest = hops;
    }
    if (best.empty()) {
        throw input_error(fmt::format("--recursive: groups of {} nodes have no groups in them", options.group),
                          "a larger --group");
    }
    return best;
}

step_counts counts_of(const network_coding& plan, accounting what, std::optional<unsigned> level = std::nullopt) {
    step_counts counts;
    for (const coding_step& step : plan.steps()) {
        if (!level || *level == step.level) counts[step.letter] += plan.count(step, what);
    }
    return counts;
}

ordered_json steps_json(const step_counts& counts) {
    ordered_json j = ordered_json::object();
    for (const auto& [letter, count] : counts)
        j[std::string(1, letter)] = {{"unicasts", count.unicasts}, {"hops", count.hops}};
    return j;
}

ordered_json levels_json(const network_coding& plan) {
    ordered_json all = ordered_json::array();
    for (unsigned number = 0; number < plan.levels().size(); ++number) {
        const hw::collectives::coding_level& level = plan.levels()[number];
        all.push_back({{"group", level.members},
                       {"extent", level.extent},
                       {"groups", level.group_count},
                       {"regions", level.regions},
                       {"steps", steps_json(counts_of(plan, accounting::delivered, number))}});
    }
    return all;
}

/// All that is printed.
struct coding_analysis {
    network_coding plan;
    std::vector<size_line> lines;
    coding_count delivered, as_published, uncoded, combining, base;
    std::uint32_t best_delivered, best_as_published;
};

ordered_json json_of(const network_coding_options& options, const coding_analysis& what) {
    const network_coding& plan = what.plan;
    ordered_json j{
        {"k", options.k},
        {"n", options.n},
        {"topology", options.torus ? "torus" : "mesh"},
        {"nodes", plan.nodes()},
        {"sources", plan.source_count()},
        {"group", plan.options().group},
        {"inner_groups", plan.options().inner_groups},
        {"base_algorithm", plan.options().base == coding_base::tree ? "tree" : "all-at-once"},
        {"placement", name_in(hw::collectives::node_placements, plan.options().placement)},
        {"variant", plan.options().method == coding_method::coded ? "coded" : "every-node"},
        {"steps", steps_json(counts_of(plan, accounting::delivered))},
        {"steps_as_published", steps_json(counts_of(plan, accounting::as_published))},
        {"delivered", what.delivered.hops},
        {"as_published", what.as_published.hops},
        {"uncoded_hierarchy", what.uncoded.hops},
        {"combining", what.combining.hops},
        {"base", what.base.hops},
        {"floor", plan.floor()},
        {"unicasts",
         {{"delivered", what.delivered.unicasts},
          {"as_published", what.as_published.unicasts},
          {"uncoded_hierarchy", what.uncoded.unicasts},
          {"combining", what.combining.unicasts},
          {"base", what.base.unicasts}}},
        {"levels", levels_json(plan)},
        {"best_group", {{"delivered", what.best_delivered}, {"as_published", what.best_as_published}}},
        {"group_sizes", ordered_json::array()},
    };
    for (const size_line& line : what.lines) {
        j["group_sizes"].push_back({{"group", line.group},
                                    {"extent", line.extent},
                                    {"member_hops", line.member_hops},
                                    {"group_hops", line.group_hops},
                                    {"delivered", line.delivered},
                                    {"as_published", line.as_published},
                                    {"uncoded_hierarchy", line.uncoded}});
    }
    return j;
}

void print_text(const network_coding_options& options, const coding_analysis& what) {
    const network_coding& plan = what.plan;
    fmt::print("{}-ary {}-{}, {} nodes, {} source{}\n", options.k, options.n, options.torus ? "torus" : "mesh",
               plan.nodes(), plan.source_count(), plan.source_count() == 1 ? "" : "s");
    for (const hw::collectives::coding_level& level : plan.levels()) {
        fmt::print("{} group{} of {} nodes, {}\n", level.sources.size(), level.sources.size() == 1 ? "" : "s",
                   level.members, fmt::join(level.extent, " x "));
    }
    fmt::print("\n{:<20}{:>16}{:>20}{:>10}\n", "", "unicasts", "hops", "of base");
    const auto line = [&](const std::string& name, const coding_count& count) {
        fmt::print("{:<20}{:>16}{:>20}{:>9.1f}%\n", name, count.unicasts, count.hops,
                   100.0 * static_cast<double>(count.hops) / static_cast<double>(what.base.hops));
    };
    for (const auto& [letter, count] : counts_of(plan, accounting::delivered))
        line(fmt::format("step {}", letter), count);
    line("delivered", what.delivered);
    line("as published", what.as_published);
    line("uncoded hierarchy", what.uncoded);
    line("message combining", what.combining);
    line("base, no coding", what.base);
    line("floor", {plan.floor(), plan.floor(), plan.floor()});
    if (what.lines.empty()) return;
    fmt::print("\n{:>8}{:>12}{:>8}{:>8}{:>20}{:>20}{:>20}\n", "group", "nodes", "M-hops", "G-hops", "delivered",
               "as published", "uncoded hierarchy");
    for (const size_line& one : what.lines) {
        fmt::print("{:>8}{:>12}{:>8}{:>8}{:>20}{:>20}{:>20}{}\n", one.group,
                   fmt::format("{}", fmt::join(one.extent, "x")), one.member_hops, one.group_hops, one.delivered,
                   one.as_published, one.uncoded, one.group == what.best_delivered ? "  best" : "");
    }
}

}  // namespace

int analyse_network_coding(const network_coding_options& options) {
    coding_options chosen = network_of(options);
    const std::uint32_t nodes = network_coding(chosen).nodes();
    std::vector<size_line> lines = lines_of(chosen);
    const std::uint32_t best = best_of(lines, &size_line::delivered, nodes);
    const std::uint32_t best_published = best_of(lines, &size_line::as_published, nodes);
    chosen.group = options.group.value_or(best);
    chosen.inner_groups = options.inner_groups;
    chosen.dealt_over = chosen.group;  // also for what it is compared with
    if (options.recursive && chosen.inner_groups.empty()) chosen.inner_groups = best_inner(chosen);

    const coding_analysis what{network_coding(chosen),
                               std::move(lines),
                               count_of(chosen),
                               count_of(chosen, accounting::as_published),
                               count_of(with_method(chosen, coding_method::uncoded)),
                               count_of(with_method(chosen, coding_method::combining)),
                               count_of(with_group(chosen, nodes)),
                               best,
                               best_published};
    if (options.json) {
        fmt::print("{}\n", json_of(options, what).dump(1));
    } else {
        print_text(options, what);
    }
    return 0;
}

}  // namespace polycast::tlm::sim
