// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/repair_trees.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

constexpr std::uint32_t nobody = UINT32_MAX;

/// Trees from each switch down, one after another.
class tree_search {
public:
    tree_search(const topology::graph& network, const routing::updown& order, const group_ends& group)
        : network_(network), order_(order), group_(group) {
        const std::size_t count = network.switches.size();
        mark_.assign(count, nobody);
        from_.resize(count);
        port_.resize(count);
        depth_.resize(count);
        kept_.assign(count, nobody);
    }

    group_tree run() {
        for (std::uint32_t top = 0; top < network_.switches.size(); ++top) visit(top);
        return best_;
    }

private:
    void visit(std::uint32_t top) {
        queue_.assign(1, top);
        mark_[top] = top;
        depth_[top] = 0;
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            const std::uint32_t here = queue_[at];
            const auto& ports = network_.switches[here].ports;
            for (unsigned p = 0; p < ports.size(); ++p) {
                const port_end& end = ports[p];
                if (end.kind != port_end::leads_to::chip || mark_[end.index] == top || !order_.above(here, end.index))
                    continue;
                mark_[end.index] = top;
                from_[end.index] = here;
                port_[end.index] = static_cast<std::uint8_t>(p);
                depth_[end.index] = depth_[here] + 1;
                queue_.push_back(end.index);
            }
        }
        // Only what leads to a member.
        group_tree made;
        kept_[top] = top;
        for (const std::uint32_t member : group_.switches) {
            if (mark_[member] != top) return;
            made.depth = std::max(made.depth, depth_[member]);
            for (std::uint32_t here = member; kept_[here] != top; here = from_[here]) {
                kept_[here] = top;
                const port_end& end = network_.switches[from_[here]].ports[port_[here]];
                made.cables.push_back({from_[here], port_[here], here, static_cast<std::uint8_t>(end.port)});
            }
        }
        if (found_ && std::pair(made.cables.size(), made.depth) >= std::pair(best_.cables.size(), best_.depth)) return;
        best_ = std::move(made);
        found_ = true;
    }

    const topology::graph& network_;
    const routing::updown& order_;
    const group_ends& group_;
    std::vector<std::uint32_t> queue_, mark_, from_, depth_, kept_;
    std::vector<std::uint8_t> port_;
    group_tree best_;
    bool found_ = false;
};

}  // namespace

std::vector<group_ends> find_groups(const fabric& of) {
    std::set<unsigned> mlids;
    for (const switch_state& one : of.switches)
        for (const auto& [mlid, row] : one.multicast) mlids.insert(mlid);
    std::vector<group_ends> found;
    for (const unsigned mlid : mlids) {
        group_ends group{mlid, {}, {}, {}};
        group.hosts.assign(of.switches.size(), 0);
        group.self.assign(of.switches.size(), false);
        for (std::uint32_t s = 0; s < of.switches.size(); ++s) {
            const auto row = of.switches[s].multicast.find(mlid);
            if (row == of.switches[s].multicast.end()) continue;
            group.self[s] = row->second.self;
            for (std::uint64_t ports = row->second.ports; ports != 0; ports &= ports - 1)
                if (of.network.switches[s].ports[static_cast<std::size_t>(std::countr_zero(ports))].kind ==
                    port_end::leads_to::host)
                    group.hosts[s] |= ports & ~(ports - 1);
            if (group.self[s] || group.hosts[s] != 0) group.switches.push_back(s);
        }
        found.push_back(std::move(group));
    }
    return found;
}

group_tree find_tree(const topology::graph& network, const routing::updown& order, const group_ends& group) {
    return tree_search(network, order, group).run();
}

void set_tree(fabric& made, const group_ends& group, const group_tree& tree) {
    for (switch_state& one : made.switches) one.multicast.erase(group.mlid);
    for (const std::uint32_t s : group.switches) {
        multicast_row& row = made.switches[s].multicast[group.mlid];
        row.ports = group.hosts[s];
        row.self = group.self[s];
    }
    for (const group_tree::branch& one : tree.cables) {
        made.switches[one.upper].multicast[group.mlid].ports |= std::uint64_t{1} << one.upper_port;
        made.switches[one.lower].multicast[group.mlid].ports |= std::uint64_t{1} << one.lower_port;
    }
}

std::vector<std::uint32_t> roots_by_distance(const topology::graph& network) {
    const std::size_t count = network.switches.size();
    std::vector<std::uint64_t> hosts(count), sums(count);
    for (const topology::host_node& one : network.hosts) ++hosts[one.chip];
    std::vector<std::uint32_t> distance, queue;
    for (std::uint32_t start = 0; start < count; ++start) {
        distance.assign(count, nobody);
        queue.assign(1, start);
        distance[start] = 0;
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const std::uint32_t here = queue[at];
            sums[start] += hosts[here] * distance[here];
            for (const port_end& end : network.switches[here].ports)
                if (end.kind == port_end::leads_to::chip && distance[end.index] == nobody) {
                    distance[end.index] = distance[here] + 1;
                    queue.push_back(end.index);
                }
        }
    }
    std::vector<std::uint32_t> roots(count);
    std::iota(roots.begin(), roots.end(), 0U);
    std::stable_sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) { return sums[a] < sums[b]; });
    return roots;
}

tree_figures measure(const fabric& of, unsigned mlid) {
    std::vector<std::uint32_t> rows;
    std::vector<std::vector<std::uint32_t>> near(of.switches.size());
    tree_figures found;
    const auto mask = [&](std::uint32_t s) {
        const auto row = of.switches[s].multicast.find(mlid);
        return row == of.switches[s].multicast.end() ? 0 : row->second.ports;
    };
    for (std::uint32_t s = 0; s < of.switches.size(); ++s) {
        if (!of.switches[s].multicast.contains(mlid)) continue;
        rows.push_back(s);
        ++found.switches;
        for (std::uint64_t ports = mask(s); ports != 0; ports &= ports - 1) {
            const port_end& end = of.network.switches[s].ports[static_cast<std::size_t>(std::countr_zero(ports))];
            if (end.kind == port_end::leads_to::chip && (mask(end.index) >> end.port & 1) != 0)
                near[s].push_back(end.index);
        }
        found.cables += static_cast<std::uint32_t>(near[s].size());
    }
    found.cables /= 2;
    std::vector<std::uint32_t> distance, queue;
    for (const std::uint32_t start : rows) {
        distance.assign(of.switches.size(), nobody);
        queue.assign(1, start);
        distance[start] = 0;
        for (std::size_t at = 0; at < queue.size(); ++at)
            for (const std::uint32_t one : near[queue[at]])
                if (distance[one] == nobody) {
                    distance[one] = distance[queue[at]] + 1;
                    queue.push_back(one);
                }
        found.depth = std::max(found.depth, distance[queue.back()]);
    }
    return found;
}

}  // namespace polycast::hw::subnet
