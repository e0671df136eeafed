// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/repair_lanes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "hw/subnet/acyclic_layer.h"

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

constexpr lane_row identity = 0xfedcba9876543210;
constexpr std::uint8_t no_way = 255;

class layering {
public:
    layering(fabric& made, std::uint16_t taken) : made_(made), network_(made.network) {
        std::map<std::uint64_t, std::size_t> numbers;
        for (std::uint32_t h = 0; h < made.hosts.size(); ++h) {
            const lid_owner& self = made.hosts[h].self;
            if (self.lid == 0) continue;
            const auto [found, is_new] = numbers.emplace(self.node_guid, nodes_.size());
            if (is_new) nodes_.emplace_back();
            nodes_[found->second].push_back(h);
            for (unsigned lid = self.lid; lid < self.lid + (1u << self.lmc); ++lid) targets_.emplace_back(lid, h);
        }
        std::sort(targets_.begin(), targets_.end());
        for (unsigned sl = 0; sl < most_data_lanes; ++sl)
            if ((taken >> sl & 1) == 0) levels_.push_back(sl);
    }

    layers run() {
        layers found;
        if (!find_lengths(found.why_not)) return found;
        for (host_state& one : made_.hosts) one.path_sl = lid_bytes{not_told};
        for (switch_state& one : made_.switches) one.path_sl = lid_bytes{not_told};
        for (unsigned length = 1; length <= longest_; ++length)
            for (const std::vector<std::uint32_t>& node : nodes_)
                for (std::size_t t = 0; t < targets_.size(); ++t) {
                    if (lengths_[network_.hosts[node.front()].chip][t] != length) continue;
                    const auto& [lid, target] = targets_[t];
                    if (made_.hosts[target].self.node_guid == made_.hosts[node.front()].self.node_guid) continue;
                    const auto sl = level_of(node, t);
                    if (!sl) {
                        found.why_not = "more than " + std::to_string(most_data_lanes) + " lanes would be needed";
                        return found;
                    }
                    for (const std::uint32_t h : node) made_.hosts[h].path_sl.set(lid, static_cast<std::uint8_t>(*sl));
                    found.lanes = std::max(found.lanes, *sl + 1);
                }
        set_rows();
        return found;
    }

private:
    /// Cables of the ways from each switch with hosts; the first pair without a way is told.
    bool find_lengths(std::string& why_not) {
        lengths_.resize(network_.switches.size());
        levels_of_switch_.resize(network_.switches.size());
        std::vector<acyclic_layer::turn> turns;
        for (const std::vector<std::uint32_t>& node : nodes_)
            for (const std::uint32_t h : node) {
                const std::uint32_t s = network_.hosts[h].chip;
                if (!lengths_[s].empty()) continue;
                lengths_[s].assign(targets_.size(), no_way);
                levels_of_switch_[s].assign(targets_.size(), no_way);
                for (std::size_t t = 0; t < targets_.size(); ++t) {
                    turns.clear();
                    // A host's own way back to its switch counts for others there.
                    if (!follow(h, t, turns) || turns.size() >= no_way) {
                        why_not = "packets from '" + network_.hosts[h].name + "' to LID " +
                                  std::to_string(targets_[t].first) + " do not arrive";
                        return false;
                    }
                    lengths_[s][t] = static_cast<std::uint8_t>(turns.size());
                    longest_ = std::max<unsigned>(longest_, lengths_[s][t]);
                }
            }
        return true;
    }

    /// The switches of a way. \returns whether it arrives
    bool follow(std::uint32_t host, std::size_t t, std::vector<acyclic_layer::turn>& turns) const {
        const auto [lid, target] = targets_[t];
        std::uint32_t s = network_.hosts[host].chip;
        std::uint16_t in = network_.hosts[host].port;
        for (std::size_t steps = 0; steps < network_.switches.size(); ++steps) {
            const std::uint8_t port = made_.switches[s].port_for(lid);
            if (port == 0 || port >= no_row) return false;
            const port_end& end = network_.switches[s].ports[port - 1u];
            turns.push_back({s, static_cast<std::uint8_t>(in), static_cast<std::uint8_t>(port - 1)});
            if (end.kind == port_end::leads_to::host) return end.index == target;
            if (end.kind == port_end::leads_to::nowhere || port - 1u == in) return false;
            s = end.index;
            in = end.port;
        }
        return false;
    }

    std::optional<unsigned> level_of(const std::vector<std::uint32_t>& node, std::size_t t) {
        // Hosts of one switch have the same way, so what one has found holds for the next.
        std::uint8_t& known = levels_of_switch_[network_.hosts[node.front()].chip][t];
        if (node.size() == 1 && known != no_way) return known;
        turns_.clear();
        for (const std::uint32_t h : node) follow(h, t, turns_);
        for (std::size_t layer = 0; layer < levels_.size(); ++layer) {
            if (layer == layers_.size()) layers_.emplace_back(network_);
            if (!layers_[layer].add(turns_)) continue;
            if (node.size() == 1) known = static_cast<std::uint8_t>(levels_[layer]);
            return levels_[layer];
        }
        return std::nullopt;
    }

    void set_rows() {
        made_.has_lanes = made_.has_path_sls = true;
        for (std::size_t s = 0; s < made_.switches.size(); ++s) {
            const auto& ports = network_.switches[s].ports;
            made_.switches[s].lanes = lane_table{};
            for (unsigned out = 1; out <= ports.size(); ++out)
                for (unsigned in = 0; in <= ports.size() && ports[out - 1].kind != port_end::leads_to::nowhere; ++in)
                    made_.switches[s].lanes.set(in, out, identity, {});
        }
        for (host_state& one : made_.hosts) one.lanes = identity;
    }

    fabric& made_;
    const topology::graph& network_;
    std::vector<std::vector<std::uint32_t>> nodes_;            ///< hosts of each adapter
    std::vector<std::pair<unsigned, std::uint32_t>> targets_;  ///< LIDs and their hosts
    std::vector<std::vector<std::uint8_t>> lengths_;           ///< [switch, target] switches of the way
    std::vector<std::vector<std::uint8_t>> levels_of_switch_;  ///< [switch, target] SL that a host there has
    unsigned longest_ = 0;
    std::vector<unsigned> levels_;      ///< SLs that may be given
    std::deque<acyclic_layer> layers_;  ///< [place in levels_]
    std::vector<acyclic_layer::turn> turns_;
};

}  // namespace

layers give_lanes(fabric& made, std::uint16_t taken) {
    return layering(made, taken).run();
}

}  // namespace polycast::hw::subnet
