// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

#include "hw/collectives/rail_allocation.h"
#include "hw/input_error.h"
#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {

namespace {

using hw::input_error;
using hw::collectives::rail_algorithm;
using hw::collectives::rail_matrix;
using nlohmann::ordered_json;

/// With more nodes the lists of all pairs are too long to be useful.
constexpr std::uint32_t most_listed = 1024;
/// A line of text, and a picture.
constexpr std::uint32_t most_columns = 160;
constexpr std::uint32_t most_drawn = 256;

rail_matrix matrix_of(const rails_options& options) {
    if (!options.file.empty()) {
        rail_matrix matrix = hw::collectives::load_rail_matrix(options.file);
        if (options.nodes != 0 && options.nodes != matrix.nodes()) {
            throw input_error(
                fmt::format("--nodes {}: the matrix of {} has {} nodes", options.nodes, options.file, matrix.nodes()),
                "leave out --nodes");
        }
        if (options.rails != 0 && options.rails != matrix.rails()) {
            throw input_error(
                fmt::format("--rails {}: the matrix of {} has {} rails", options.rails, options.file, matrix.rails()),
                "leave out --rails");
        }
        require_connected(matrix, options.file);
        return matrix;
    }
    if (options.nodes == 0) throw input_error("an allocation for how many nodes?", "--nodes NUMBER, or --matrix FILE");
    if (options.algorithm != 1 && options.algorithm != 2)
        throw input_error(fmt::format("--algorithm {}: there is no such algorithm", options.algorithm), "1 or 2");
    return allocate_rails(options.algorithm == 1 ? rail_algorithm::paired : rail_algorithm::recursive, options.nodes,
                          options.rails);
}

/// Rails that ordered pairs can use.
struct pair_summary {
    double mean = 0;
    std::optional<std::pair<int, int>> range = {};  ///< where pairs are listed
};

pair_summary summary_of(const rail_matrix& matrix) {
    const double nodes = matrix.nodes();
    pair_summary summary;
    for (unsigned rail = 0; rail < matrix.rails(); ++rail) {
        double senders = 0;
        for (std::uint32_t node = 0; node < matrix.nodes(); ++node) senders += matrix.transmits(rail, node) ? 1 : 0;
        summary.mean += senders * (nodes - senders) / (nodes * (nodes - 1));
    }
    if (matrix.nodes() > most_listed) return summary;
    summary.range = {static_cast<int>(matrix.rails()), 0};
    for (std::uint32_t source = 0; source < matrix.nodes(); ++source) {
        for (std::uint32_t destination = 0; destination < matrix.nodes(); ++destination) {
            if (source == destination) continue;
            const int rails = std::popcount(matrix.usable(source, destination));
            summary.range = {std::min(summary.range->first, rails), std::max(summary.range->second, rails)};
        }
    }
    return summary;
}

/// Rails that both algorithms take for 2 nodes up to some number.
struct need {
    std::uint32_t least, most;  ///< nodes
    unsigned paired, recursive;
};

std::vector<need> needs_up_to(std::uint32_t nodes) {
    std::vector<need> needs;
    for (std::uint32_t n = 2; n <= nodes; ++n) {
        const unsigned paired = rails_needed(rail_algorithm::paired, n);
        const unsigned recursive = rails_needed(rail_algorithm::recursive, n);
        if (needs.empty() || needs.back().paired != paired || needs.back().recursive != recursive)
            needs.push_back({n, n, paired, recursive});
        needs.back().most = n;
    }
    return needs;
}

void print_json(const rails_options& options, const rail_matrix& matrix) {
    ordered_json j{{"nodes", matrix.nodes()}, {"rails", matrix.rails()}};
    j["algorithm"] = options.file.empty() ? ordered_json(options.algorithm) : ordered_json(nullptr);
    for (unsigned rail = 0; rail < matrix.rails(); ++rail) {
        ordered_json& row = j["matrix"].emplace_back(ordered_json::array());
        for (std::uint32_t node = 0; node < matrix.nodes(); ++node) row.push_back(matrix.transmits(rail, node) ? 1 : 0);
    }
    const pair_summary summary = summary_of(matrix);
    j["rails_of_a_pair"] = {{"mean", summary.mean}};
    if (summary.range) {
        j["rails_of_a_pair"]["least"] = summary.range->first;
        j["rails_of_a_pair"]["most"] = summary.range->second;
    }
    j["required_rails"] = {{"algorithm_1", rails_needed(rail_algorithm::paired, matrix.nodes())},
                           {"algorithm_2", rails_needed(rail_algorithm::recursive, matrix.nodes())}};
    for (const need& one : needs_up_to(matrix.nodes())) {
        j["required"].push_back({{"least_nodes", one.least},
                                 {"most_nodes", one.most},
                                 {"algorithm_1", one.paired},
                                 {"algorithm_2", one.recursive}});
    }
    if (matrix.nodes() <= most_listed) {
        for (std::uint32_t source = 0; source < matrix.nodes(); ++source) {
            ordered_json& row = j["usable_rails"].emplace_back(ordered_json::array());
            for (std::uint32_t destination = 0; destination < matrix.nodes(); ++destination)
                row.push_back(hw::collectives::rails_in(matrix.usable(source, destination)));
        }
    }
    fmt::print("{}\n", j.dump());
}

void print_text(const rails_options& options, const rail_matrix& matrix) {
    const pair_summary summary = summary_of(matrix);
    fmt::print("{} nodes on {} rail{}, {}: every pair has a rail\n", matrix.nodes(), matrix.rails(),
               matrix.rails() == 1 ? "" : "s",
               options.file.empty() ? fmt::format("algorithm {}", options.algorithm) : options.file);
    const std::string range =
        summary.range ? fmt::format("{} to {}, ", summary.range->first, summary.range->second) : "";
    fmt::print("rails of an ordered pair: {}mean {:.3f}\n\n", range, summary.mean);
    fmt::print("rail  node 0, 1, ...: 1 transmits, 0 receives\n");
    for (unsigned rail = 0; rail < matrix.rails(); ++rail) {
        std::string row;
        for (std::uint32_t node = 0; node < std::min(matrix.nodes(), most_columns); ++node)
            row += matrix.transmits(rail, node) ? '1' : '0';
        fmt::print("{:>4}  {}{}\n", rail, row, matrix.nodes() > most_columns ? " ..." : "");
    }
    fmt::print("\n{:>15}{:>26}\n{:>15}{:>13}{:>13}\n", "", "rails by", "nodes", "algorithm 1", "algorithm 2");
    for (const need& one : needs_up_to(matrix.nodes())) {
        fmt::print("{:>15}{:>13}{:>13}\n",
                   one.least == one.most ? std::to_string(one.least) : fmt::format("{} to {}", one.least, one.most),
                   one.paired, one.recursive);
    }
}

/// A table: filled where a node transmits.
void print_dot(const rail_matrix& matrix) {
    if (matrix.nodes() > most_drawn) {
        throw input_error(fmt::format("{} nodes are too many to draw (at most {})", matrix.nodes(), most_drawn),
                          "--json has all of it");
    }
    std::string text =
        "graph rails {\n  label=\"filled: the node transmits on the rail; else it receives\";\n  labelloc=t;\n"
        "  graph [fontname=\"sans-serif\"];\n  node [shape=plain, fontname=\"sans-serif\", fontsize=9];\n"
        "  matrix [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" COLOR=\"#d0d6dc\">\n"
        "  <TR><TD BORDER=\"0\"></TD>";
    for (std::uint32_t node = 0; node < matrix.nodes(); ++node) text += fmt::format("<TD BORDER=\"0\">{}</TD>", node);
    text += "</TR>\n";
    for (unsigned rail = 0; rail < matrix.rails(); ++rail) {
        text += fmt::format("  <TR><TD BORDER=\"0\" ALIGN=\"RIGHT\">rail {}</TD>", rail);
        for (std::uint32_t node = 0; node < matrix.nodes(); ++node)
            text += matrix.transmits(rail, node) ? "<TD BGCOLOR=\"#0072b2\"></TD>" : "<TD></TD>";
        text += "</TR>\n";
    }
    fmt::print("{}  </TABLE>>];\n}}\n", text);
}

}  // namespace

int analyse_rails(const rails_options& options) {
    const rail_matrix matrix = matrix_of(options);
    if (options.dot) {
        print_dot(matrix);
    } else if (options.json) {
        print_json(options, matrix);
    } else {
        print_text(options, matrix);
    }
    return 0;
}

}  // namespace polycast::tlm::sim
