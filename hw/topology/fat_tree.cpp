// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/fat_tree.h"

#include <algorithm>

#include "hw/input_error.h"
#include "hw/topology/describe.h"

namespace polycast::hw::topology {

namespace {

std::string levels_text(unsigned levels) {
    return std::to_string(levels) + (levels == 1 ? " level" : " levels");
}

}  // namespace

fat_tree::fat_tree(const fat_tree_params& params) : arity_(params.arity), nodes_(params.nodes), first_{0}, power_{1} {
    if (arity_ < 2 || arity_ > most_arity)
        throw input_error("a fat tree's arity is 2.." + std::to_string(most_arity) + ", not " + std::to_string(arity_));
    if (nodes_ < 2 || nodes_ > max_hosts)
        throw input_error("a network has 2.." + std::to_string(max_hosts) + " nodes, not " + std::to_string(nodes_));
    unsigned needed = 1;
    for (std::uint64_t room = arity_; room < nodes_; room *= arity_) ++needed;
    const unsigned levels = params.levels == 0 ? needed : params.levels;
    if (levels < needed) {
        std::uint64_t room = 1;
        for (unsigned level = 0; level < levels; ++level) room *= arity_;
        throw input_error("a " + std::to_string(arity_) + "-ary tree of " + levels_text(levels) + " has room for " +
                              std::to_string(room) + " nodes, not for " + std::to_string(nodes_),
                          "take " + levels_text(needed));
    }
    for (unsigned level = 0; level < levels; ++level) {
        power_.push_back(power_.back() * arity_);
        const std::uint64_t groups = (nodes_ + power_[level + 1] - 1) / power_[level + 1];
        const std::uint64_t count = first_.back() + groups * power_[level];
        if (count > max_switches) {
            throw input_error("a " + std::to_string(arity_) + "-ary tree of " + levels_text(levels) + " with " +
                                  std::to_string(nodes_) + " nodes has more than " + std::to_string(max_switches) +
                                  " switches",
                              levels > needed ? "take " + levels_text(needed) : "raise the arity");
        }
        first_.push_back(static_cast<std::uint32_t>(count));
    }
}

unsigned fat_tree::level_of(std::uint32_t chip) const {
    return static_cast<unsigned>(std::ranges::upper_bound(first_, chip) - first_.begin() - 1);
}

port_end fat_tree::neighbour(std::uint32_t chip, unsigned port) const {
    const unsigned level = level_of(chip);
    const std::uint64_t w = chip - first_[level];
    if (port >= arity_) {
        if (level + 1 == levels()) return {};
        const std::uint64_t digit = w / power_[level] % arity_;
        const std::uint64_t above = w - digit * power_[level] + (port - arity_) * power_[level];
        return {port_end::leads_to::chip, switch_number(level + 1, static_cast<std::uint32_t>(above)),
                static_cast<std::uint16_t>(digit)};
    }
    if (level == 0) {
        const std::uint64_t leaf = w * arity_ + port;
        return leaf < nodes_ ? port_end{port_end::leads_to::host, static_cast<std::uint32_t>(leaf), 0} : port_end{};
    }
    const std::uint64_t step = power_[level - 1];
    const std::uint64_t digit = w / step % arity_;
    const std::uint64_t below = w - digit * step + port * step;
    if (below >= switches_at(level - 1)) return {};
    return {port_end::leads_to::chip, switch_number(level - 1, static_cast<std::uint32_t>(below)),
            static_cast<std::uint16_t>(arity_ + digit)};
}

std::uint64_t fat_tree::route(std::uint32_t chip, std::uint32_t leaf) const {
    const unsigned level = level_of(chip);
    const std::uint32_t w = chip - first_[level];
    if (leaf / leaves_below(level) == w / power_[level]) return std::uint64_t{1} << leaf / power_[level] % arity_;
    return ((std::uint64_t{1} << arity_) - 1) << arity_;
}

std::string fat_tree::name() const {
    return std::to_string(arity_) + "-ary-" + std::to_string(levels()) + "-tree";
}

graph make_fat_tree(const fat_tree& tree) {
    graph network;
    for (std::uint32_t chip = 0; chip < tree.switches(); ++chip)
        network.add_switch("router" + std::to_string(chip), tree.ports());
    for (std::uint32_t chip = 0; chip < tree.switches(); ++chip) {
        for (unsigned port = tree.arity(); port < tree.ports(); ++port) {
            const port_end above = tree.neighbour(chip, port);
            if (above.kind == port_end::leads_to::chip) network.connect(chip, port, above.index, above.port);
        }
    }
    for (std::uint32_t leaf = 0; leaf < tree.nodes(); ++leaf)
        network.attach_host("host" + std::to_string(leaf), leaf / tree.arity(), leaf % tree.arity());
    return network;
}

fat_tree_description describe(const fat_tree& tree) {
    fat_tree_description found;
    std::uint64_t sum = 0, nearer = 0, below = 1;
    for (unsigned level = 0; level < tree.levels(); ++level) {
        found.switches.push_back(tree.switches_at(level));
        if (level + 1 < tree.levels()) found.links += std::uint64_t{tree.switches_at(level)} * tree.arity();
        // Pairs that have a switch of this level above both, but none further down.
        below *= tree.arity();
        const std::uint64_t rest = tree.nodes() % below;
        const std::uint64_t pairs = tree.nodes() / below * below * (below - 1) + (rest == 0 ? 0 : rest * (rest - 1));
        if (pairs > nearer) found.diameter = 2 * level;
        sum += 2 * level * (pairs - nearer);
        nearer = pairs;
    }
    found.bisection = tree.nodes() / 2;
    found.mean_distance = static_cast<double>(sum) / static_cast<double>(nearer);
    return found;
}

std::string write_dot(const fat_tree& tree, const graph& network) {
    std::string text =
        "graph network {\n  rankdir=BT;\n  ranksep=1.5;\n  node [fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9];\n";
    for (std::uint32_t chip = 0; chip < tree.switches(); ++chip) {
        text += "  s" + std::to_string(chip) +
                " [shape=box, style=filled, fillcolor=\"#cfe2f3\", label=" + dot_text(network.switches[chip].name) +
                "];\n";
    }
    for (unsigned level = 0; level < tree.levels(); ++level) {
        text += "  { rank=same;";
        for (std::uint32_t w = 0; w < tree.switches_at(level); ++w)
            text += " s" + std::to_string(tree.switch_number(level, w)) + ";";
        text += " }\n";
    }
    for (std::uint32_t leaf = 0; leaf < tree.nodes(); ++leaf) {
        const host_node& host = network.hosts[leaf];
        text += "  h" + std::to_string(leaf) + " [shape=ellipse, label=" + dot_text(host.name) + "];\n";
        text += "  h" + std::to_string(leaf) + " -- s" + std::to_string(host.chip) + " [headlabel=\"" +
                std::to_string(host.port) + "\"];\n";
    }
    // Links go from the lower to the higher number, which is up.
    for (const link& one : network.links()) {
        text += "  s" + std::to_string(one.a.chip) + " -- s" + std::to_string(one.b.chip) + " [taillabel=\"" +
                std::to_string(one.a.port) + "\", headlabel=\"" + std::to_string(one.b.port) + "\"];\n";
    }
    return text + "}\n";
}

}  // namespace polycast::hw::topology
