// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hw/input_error.h"
#include "hw/workloads/broadcast/broadcast_rule.h"
#include "hw/workloads/broadcast/split_search.h"
#include "tlm/sim/analyse/analyse.h"
#include "tlm/sim/analyse/choice.h"
#include "tlm/sim/usage.h"

namespace polycast::tlm::sim {

namespace {

using hw::input_error;
using hw::broadcast::broadcast_params;
using hw::broadcast::broadcast_result;
using hw::broadcast::search_result;
using hw::broadcast::step_view;
using hw::topology::bypass_torus;
using hw::topology::distance_summary;
using nlohmann::ordered_json;
using numbers = std::vector<unsigned>;

constexpr std::uint32_t most_holdings = 16'384;
constexpr std::uint32_t large_network = 1 << 16;  ///< from so many nodes on, there is time to look at a progress bar

/// One line on the terminal while a run lasts.
class run_progress {
public:
    run_progress(std::string what, std::uint64_t receipts)
        : what_(std::move(what)), all_(static_cast<double>(receipts)), shown_(::isatty(STDERR_FILENO) != 0) {}
    run_progress(const run_progress&) = delete;
    run_progress& operator=(const run_progress&) = delete;
    ~run_progress() {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }

    void see(const step_view& view) {
        if (view.step == 1) {
            start_ = std::chrono::steady_clock::now();
            done_ = 0;
        }
        done_ += static_cast<double>(view.receipts);
        if (!shown_ || done_ <= 0) return;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        constexpr unsigned width = 30;
        const auto filled = static_cast<std::size_t>(done_ / all_ * width);
        fmt::print(stderr, "\r\033[K{} [{:<{}}] step {}, {:.0f} s left", what_, std::string(filled, '='), width,
                   view.step, seconds / done_ * (all_ - done_));
        std::fflush(stderr);
    }

private:
    std::string what_;
    double all_;
    bool shown_;
    double done_ = 0;
    std::chrono::steady_clock::time_point start_;
};

/// Output for the best run of a kind of broadcast.
struct finding {
    broadcast_params params;
    broadcast_result result;
    std::uint64_t floor = 0;
    unsigned runs = 1;
    std::optional<std::uint64_t> pipelined = {};  ///< of several colours
    std::vector<std::uint64_t> line_steps = {};   ///< by pattern
    numbers line_patterns = {};
    double seconds = 0;  ///< CPU time of all its runs
    ordered_json history = {};
};

struct analysis {
    const ibt_options& options;
    bypass_torus network;
    std::uint32_t source;
    std::optional<distance_summary> distance = {};
    std::vector<std::pair<std::string, finding>> found = {};  ///< by kind

    const finding* of(std::string_view kind) const {
        const auto it = std::ranges::find(found, kind, &std::pair<std::string, finding>::first);
        return it == found.end() ? nullptr : &it->second;
    }
};

std::uint32_t source_of(const ibt_options& options, const bypass_torus& network) {
    if (options.source.empty()) return 0;
    const std::string text = fmt::format("--source {}", fmt::join(options.source, ","));
    if (options.source.size() != options.d) {
        throw input_error(
            fmt::format("{}: it takes as many coordinates as the network has dimensions, {}", text, options.d));
    }
    bypass_torus::coordinates place{};
    for (unsigned j = 0; j < options.d; ++j) {
        place[j] = options.source[j];
        if (place[j] >= options.n) {
            throw input_error(fmt::format("{}: there is no coordinate {}", text, place[j]),
                              fmt::format("0 to {} are possible", options.n - 1));
        }
    }
    return network.node_at(place);
}

void check(const ibt_options& options) {
    index_of_choice("--algorithm", options.algorithm, {"colours", "trees", "all"});
    if (!options.only.empty())
        index_of_choice("--only", options.only, {"diameter", "line", "rectangular", "global", "trees"});
    if (options.dimension >= options.d) {
        throw input_error(fmt::format("--dimension {}: there is none with this number", options.dimension),
                          fmt::format("0 to {} are possible", options.d - 1));
    }
    if (options.packets < 1 || options.packets > hw::broadcast::most_packets) {
        throw input_error(
            fmt::format("--packets {}: 1 to {} are possible", options.packets, hw::broadcast::most_packets));
    }
    if (!options.bypass.empty() && (options.only == "trees" || options.algorithm == "trees"))
        throw input_error("the link-disjoint trees are those of a torus", "leave out --bypass, or use colours");
    if (options.only == "rectangular" && options.d < 2)
        throw input_error("--only rectangular: a network with --d 1 has no planes", "--only line");
    if (options.holdings && std::pow(options.n, options.d) > most_holdings) {
        throw input_error(fmt::format("--holdings: the network has more than {} nodes", most_holdings),
                          "--history alone");
    }
    const unsigned split = std::accumulate(options.split.begin(), options.split.end(), 0u);
    if (!options.split.empty() && split != options.packets) {
        throw input_error(
            fmt::format("--split {}: {} packets, not {}", fmt::join(options.split, ","), split, options.packets),
            fmt::format("--packets {}", split));
    }
}

/// \param parts of a broadcast \returns whether there is a split for it. \throws input_error if it has other parts
bool has_split(const ibt_options& options, std::size_t parts, const char* kind) {
    if (options.split.empty()) return false;
    if (options.split.size() == parts) return true;
    throw input_error(fmt::format("--split {}: a {} broadcast has {} parts, not {}", fmt::join(options.split, ","),
                                  kind, parts, options.split.size()),
                      "--only chooses a broadcast");
}

numbers patterns_for(const ibt_options& options, std::size_t colours, const char* kind) {
    if (options.patterns.size() == 1) return numbers(colours, options.patterns.front());
    if (options.patterns.empty() || options.patterns.size() == colours) return options.patterns;
    throw input_error(
        fmt::format("--pattern {}: {} patterns, but a {} broadcast has {} colour{}", fmt::join(options.patterns, ","),
                    options.patterns.size(), kind, colours, colours == 1 ? "" : "s"),
        "one is that of all colours, and --only chooses a broadcast");
}

broadcast_params base_of(const analysis& what, numbers dimensions) {
    broadcast_params base;
    base.dimensions = std::move(dimensions);
    base.source = what.source;
    base.bytes = what.options.bytes;
    base.seed = what.options.seed;
    base.threads = what.options.threads;
    return base;
}

/// Shows the progress of a run on a large network if stderr is a terminal.
hw::broadcast::step_observer observer_of(const analysis& what, run_progress& bar) {
    if (what.network.nodes() < large_network || ::isatty(STDERR_FILENO) == 0) return {};
    return [&bar](const step_view& view) { bar.see(view); };
}

finding try_line(const analysis& what) {
    finding best;
    const broadcast_params base = base_of(what, {what.options.dimension});
    best.line_patterns = patterns_for(what.options, 1, "line");
    if (best.line_patterns.empty()) {
        best.line_patterns = {0, 1};
        if (what.network.has_bypasses()) {
            best.line_patterns.resize(hw::broadcast::pattern_count);
            std::iota(best.line_patterns.begin(), best.line_patterns.end(), 0u);
        }
    }
    for (const unsigned pattern : best.line_patterns) {
        broadcast_params params = base;
        params.split = {what.options.packets};
        params.patterns = {pattern};
        const broadcast_result result = run_broadcast(what.network, params);
        best.line_steps.push_back(result.steps);
        if (best.result.steps == 0 || result.steps < best.result.steps) {
            best.params = params;
            best.result = result;
        }
    }
    best.runs = static_cast<unsigned>(best.line_patterns.size());
    return best;
}

finding try_colours(const analysis& what, numbers dimensions, const char* kind) {
    const broadcast_params base = base_of(what, std::move(dimensions));
    const std::size_t colours = base.dimensions.size();
    hw::broadcast::search_params search;
    search.packets = what.options.packets;
    search.most_sends = what.options.search;
    search.patterns = patterns_for(what.options, colours, kind);
    if (has_split(what.options, colours, kind)) search.split = what.options.split;
    run_progress bar(fmt::format("{} broadcast", kind), std::uint64_t{what.network.nodes() - 1} * search.packets);
    const search_result found = find_best(what.network, base, search, observer_of(what, bar));
    finding best{found.params, found.result};
    best.runs = found.runs;
    if (colours > 1) best.pipelined = found.pipelined;
    return best;
}

finding try_trees(const analysis& what, numbers dimensions) {
    broadcast_params params = base_of(what, std::move(dimensions));
    const std::size_t trees = 2 * params.dimensions.size();
    params.how = hw::broadcast::algorithm::trees;
    params.patterns = {};
    params.split = has_split(what.options, trees, "tree")
                       ? what.options.split
                       : hw::broadcast::equal_split(what.options.packets, static_cast<unsigned>(trees));
    run_progress bar("broadcast by trees", std::uint64_t{what.network.nodes() - 1} * what.options.packets);
    return {params, run_broadcast(what.network, params, observer_of(what, bar))};
}

/// The best run once more, step by step.
ordered_json history_of(const analysis& what, const finding& best) {
    ordered_json steps = ordered_json::array();
    run_broadcast(what.network, best.params, [&](const step_view& view) {
        ordered_json& step = steps.emplace_back(
            ordered_json{{"step", view.step}, {"receipts", view.receipts}, {"busy_links", view.receipts}});
        step["holders"] = std::vector<std::uint64_t>(view.holders.begin(), view.holders.end());
        if (what.options.holdings) step["held"] = std::vector<unsigned>(view.held.begin(), view.held.end());
    });
    return {{"links", best.result.links}, {"steps", std::move(steps)}};
}

template <typename function>
void add(analysis& what, const char* kind, function&& run) {
    const double before = process_cpu_seconds();
    finding best = run();
    best.seconds = process_cpu_seconds() - before;
    best.floor = hw::broadcast::least_steps(what.network, what.source, best.params.dimensions, what.options.packets);
    if (what.options.history || what.options.holdings) best.history = history_of(what, best);
    what.found.emplace_back(kind, std::move(best));
}

/// 1 - own / other.
ordered_json gain_over(const distance_summary& own, double diameter, double mean) {
    return {{"diameter", 1 - own.diameter / diameter}, {"mean_distance", 1 - own.mean / mean}};
}

void add_gains(ordered_json& j, const analysis& what) {
    if (!what.distance || !what.network.has_bypasses()) return;
    const distance_summary equal = hw::topology::torus_distances(what.options.n, what.options.d);
    j["alpha"] = gain_over(*what.distance, equal.diameter, equal.mean);
    const unsigned d = what.options.d + 1;
    const double exact = std::pow(what.options.n, static_cast<double>(what.options.d) / d);
    const bool whole = std::abs(exact - std::round(exact)) < 1e-9 * exact;
    const double m = whole ? std::round(exact) : exact;
    const distance_summary other = hw::topology::torus_distances(static_cast<std::uint32_t>(m), d);
    // Where m is no whole number, the formulas of even ones.
    j["beta"] = gain_over(*what.distance, whole ? other.diameter : d * m / 2, whole ? other.mean : d * m / 4);
    j["beta"]["m"] = m;
}

ordered_json run_json(const finding& best) {
    ordered_json j{{"steps", best.result.steps},
                   {"floor", best.floor},
                   {"dimensions", best.params.dimensions},
                   {"split", best.params.split},
                   {"patterns", best.params.patterns},
                   {"runs", best.runs},
                   {"nodes", best.result.nodes},
                   {"links", best.result.links},
                   {"sends", best.result.sends},
                   {"node_steps", best.result.node_steps},
                   {"memory_bytes", best.result.memory_bytes},
                   {"cpu_seconds", best.seconds}};
    if (best.pipelined) j["pipelined_steps"] = *best.pipelined;
    if (!best.history.is_null()) j["history"] = best.history;
    return j;
}

ordered_json json_of(const analysis& what) {
    const ibt_options& options = what.options;
    const bypass_torus::coordinates place = what.network.coordinates_of(what.source);
    ordered_json j{{"network", name_of(what.network.params())},
                   {"n", options.n},
                   {"d", options.d},
                   {"bypass", options.bypass},
                   {"nodes", what.network.nodes()},
                   {"degree", what.network.degree()},
                   {"links", what.network.links()},
                   {"packets", options.packets},
                   {"bytes", options.bytes},
                   {"source", std::vector<std::uint32_t>(place.begin(), place.begin() + options.d)},
                   {"threads", options.threads}};
    if (what.distance) {
        j["diameter"] = what.distance->diameter;
        j["mean_distance"] = what.distance->mean;
    }
    add_gains(j, what);
    double seconds = 0;
    std::size_t memory = 0;
    for (const auto& [kind, best] : what.found) {
        if (kind == "line") {
            j["line_steps"] = best.line_steps;
            j["line_patterns"] = best.line_patterns;
            j["best_line_steps"] = best.result.steps;
        } else {
            j[(kind == "trees" ? "tree" : kind) + "_steps"] = best.result.steps;
        }
        j["sends"][kind] = best.result.sends;
        j["floors"][kind] = best.floor;
        j["runs"][kind] = run_json(best);
        seconds += best.seconds;
        memory = std::max(memory, best.result.memory_bytes);
    }
    j["cpu_seconds"] = seconds;
    j["memory_bytes"] = memory;
    return j;
}

void print_text(const analysis& what) {
    const bypass_torus& network = what.network;
    fmt::print("{}: {} nodes of degree {}, {} links\n", name_of(network.params()), network.nodes(), network.degree(),
               network.links());
    if (what.distance) fmt::print("diameter {}, mean distance {:.4f}\n", what.distance->diameter, what.distance->mean);
    if (what.found.empty()) return;
    fmt::print("\n{} packets of {} bytes from node {}\n", what.options.packets, what.options.bytes, what.source);
    fmt::print("{:<14}{:>8}{:>8}{:>14}{:>12}{:>12}   {}\n", "broadcast", "steps", "floor", "sends", "CPU s", "MB",
               "split; patterns");
    for (const auto& [kind, best] : what.found) {
        fmt::print("{:<14}{:>8}{:>8}{:>14}{:>12.3f}{:>12.1f}   {}", kind, best.result.steps, best.floor,
                   best.result.sends, best.seconds, static_cast<double>(best.result.memory_bytes) / 1e6,
                   fmt::join(best.params.split, ","));
        fmt::print("{}{}\n", best.params.patterns.empty() ? "" : "; ", fmt::join(best.params.patterns, ","));
    }
    if (const finding* line = what.of("line")) {
        fmt::print("\nline by pattern:");
        for (std::size_t i = 0; i < line->line_steps.size(); ++i)
            fmt::print(" {}: {}{}", line->line_patterns[i], line->line_steps[i],
                       i + 1 == line->line_steps.size() ? "\n" : ",");
    }
}

void work_out(analysis& what) {
    const ibt_options& options = what.options;
    const auto wanted = [&options](const char* kind) { return options.only.empty() || options.only == kind; };
    const bool colours = options.algorithm != "trees";
    const bool trees = options.algorithm != "colours" && !what.network.has_bypasses();
    if (wanted("diameter")) what.distance = distances(what.network);
    numbers all(options.d);
    std::iota(all.begin(), all.end(), 0u);
    if (colours && wanted("line")) add(what, "line", [&] { return try_line(what); });
    if (colours && wanted("rectangular") && options.d >= 2)
        add(what, "rectangular", [&] { return try_colours(what, {0, 1}, "rectangular"); });
    if (colours && wanted("global")) {
        if (const finding* plane = what.of("rectangular"); plane != nullptr && options.d == 2) {
            what.found.emplace_back("global", finding(*plane));
            what.found.back().second.seconds = 0;
        } else {
            add(what, "global", [&] { return try_colours(what, all, "global"); });
        }
    }
    if (trees && wanted("trees")) add(what, "trees", [&] { return try_trees(what, all); });
}

}  // namespace

int analyse_ibt(const ibt_options& options) {
    bypass_torus network({options.n, options.d, options.bypass});
    check(options);
    const std::uint32_t source = source_of(options, network);
    analysis what{options, std::move(network), source};
    try {
        work_out(what);
    } catch (const hw::broadcast::delivery_error& lost) {
        fmt::print(stderr, "error: {}\n", lost.what());
        return 1;
    }
    if (options.json) {
        fmt::print("{}\n", json_of(what).dump(1));
    } else {
        print_text(what);
    }
    return 0;
}

}  // namespace polycast::tlm::sim
