// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/repair.h"

#include <algorithm>
#include <bit>

#include "hw/subnet/repair_lanes.h"
#include "hw/subnet/unicast_check.h"

namespace polycast::hw::subnet {
namespace {

using routing::updown;
using topology::port_end;

/// Groups share cables: the most trees on one.
std::uint64_t most_trees(const fabric& of) {
    std::uint64_t most = 0;
    std::vector<std::uint64_t> trees;
    for (std::size_t s = 0; s < of.switches.size(); ++s) {
        const auto& ports = of.network.switches[s].ports;
        trees.assign(ports.size(), 0);
        for (const auto& [mlid, row] : of.switches[s].multicast)
            for (std::size_t p = 0; p < ports.size(); ++p)
                if (ports[p].kind == port_end::leads_to::chip) trees[p] += row.ports >> p & 1;
        for (const std::uint64_t one : trees) most = std::max(most, one);
    }
    return most;
}

class mender {
public:
    mender(const fabric& of, const repair_options& options, repair_result& result)
        : of_(of), options_(options), result_(result), made_(result.repaired), unicast_(of.network) {}

    void run() {
        result_.before = check(of_, {}, unicast_);
        groups_ = find_groups(of_);
        if (result_.before.good()) {
            result_.kind = repair_kind::unchanged;
        } else if (result_.before.reached < result_.before.pairs && !of_.has_lanes && !of_.has_path_sls) {
            result_.why_not = std::to_string(result_.before.pairs - result_.before.reached) +
                              " pairs lose their packets by the unicast tables, which stay as they are: " +
                              result_.before.problems.front();
        } else {
            mend();
        }
        for (const group_ends& one : groups_)
            result_.groups.push_back({one.mlid, measure(of_, one.mlid), measure(made_, one.mlid)});
        result_.load_before = most_trees(of_);
        result_.load_after = most_trees(made_);
        check_options with;
        if (result_.kind == repair_kind::lanes) with.vls = limit();
        result_.after = check(made_, with);
    }

private:
    void mend() {
        roots_ = roots_by_distance(of_.network);
        if (options_.root) {
            roots_.erase(std::find(roots_.begin(), roots_.end(), *options_.root));
            roots_.insert(roots_.begin(), *options_.root);
        }
        const bool sound = result_.before.reached == result_.before.pairs && unicast_.free();
        if (sound && !groups_.empty() && (find_order() || grow_all())) return;
        give();
    }

    /// All groups' trees in an order. \returns whether the whole fabric is free then
    bool find_order() {
        for (const std::uint32_t root : roots_) {
            ++result_.orders;
            set_trees(root);
            if (!holds(groups_)) continue;
            result_.kind = repair_kind::trees;
            result_.root = root;
            return true;
        }
        return false;
    }

    void set_trees(std::uint32_t root) {
        const updown order(of_.network, {routing::updown_options::root_choice::given, root, true});
        for (const group_ends& one : groups_) set_tree(made_, one, find_tree(of_.network, order, one));
    }

    /// Whether unicasts and the groups, as they are now, are free of circles, and the groups are served.
    bool holds(const std::vector<group_ends>& groups) const {
        dependencies edges(of_.network);
        const check_options none;
        check_result scratch;
        std::vector<std::vector<std::uint64_t>> used(of_.network.switches.size());
        check_state state{made_, none, scratch, edges, used};
        for (const group_ends& one : groups) check_group(state, one.mlid);
        for (const check_result::group& one : scratch.groups)
            if (one.missed != 0 || one.duplicates != 0 || one.loop) return false;
        edges.merge(unicast_);
        return edges.free();
    }

    /// Each group from each of its members in turn, beside those that are done.
    bool grow_all() {
        std::vector<group_ends> done;
        for (const group_ends& one : groups_)
            for (switch_state& chip : made_.switches) chip.multicast.erase(one.mlid);
        for (const group_ends& one : groups_) {
            done.push_back(one);
            if (std::none_of(one.switches.begin(), one.switches.end(),
                             [&](std::uint32_t start) { return grow(one, start, done); }))
                return false;
        }
        result_.kind = repair_kind::grown;
        return true;
    }

    bool grow(const group_ends& group, std::uint32_t start, const std::vector<group_ends>& groups) {
        const auto has = [&](std::uint32_t s) { return group.self[s] || group.hosts[s] != 0; };
        std::vector<bool> inside(of_.network.switches.size());
        std::vector<std::uint32_t> queue{start};
        group_tree tree;
        inside[start] = true;
        std::size_t left = group.switches.size() - (has(start) ? 1 : 0);
        for (std::size_t at = 0; at < queue.size() && left > 0; ++at) {
            const auto& ports = of_.network.switches[queue[at]].ports;
            for (unsigned p = 0; p < ports.size(); ++p) {
                const port_end& end = ports[p];
                if (end.kind != port_end::leads_to::chip || inside[end.index]) continue;
                tree.cables.push_back(
                    {queue[at], static_cast<std::uint8_t>(p), end.index, static_cast<std::uint8_t>(end.port)});
                inside[end.index] = true;
                set_part(group, tree, inside);
                // More cables only bring more dependencies: what does not hold now never does.
                if (!holds(groups)) {
                    tree.cables.pop_back();
                    inside[end.index] = false;
                    continue;
                }
                queue.push_back(end.index);
                if (has(end.index) && --left == 0) break;
            }
        }
        if (left > 0) return false;
        // From the last one back: switches that lead to no member are cut.
        std::vector<bool> needed(of_.network.switches.size());
        for (const std::uint32_t s : group.switches) needed[s] = true;
        group_tree kept;
        for (std::size_t at = tree.cables.size(); at-- > 0;) {
            if (!needed[tree.cables[at].lower]) continue;
            needed[tree.cables[at].upper] = true;
            kept.cables.push_back(tree.cables[at]);
        }
        set_tree(made_, group, kept);
        return holds(groups);
    }

    /// The members at switches that the tree has come to.
    void set_part(const group_ends& group, const group_tree& tree, const std::vector<bool>& inside) {
        group_ends part = group;
        std::erase_if(part.switches, [&](std::uint32_t s) { return !inside[s]; });
        set_tree(made_, part, tree);
    }

    /// Lanes: a group's SL is for groups alone; their trees are in one order.
    void give() {
        std::uint16_t taken = 0;
        unsigned lanes = 0;
        for (const group_ends& one : groups_) {
            const auto told = of_.groups.find(one.mlid);
            const unsigned levels = told == of_.groups.end() ? 1 : told->second.service_levels;
            taken = static_cast<std::uint16_t>(taken | (levels == 0 ? 1 : levels));
        }
        if (taken != 0) lanes = static_cast<unsigned>(std::bit_width(taken));
        set_trees(roots_.front());
        const layers found = give_lanes(made_, taken);
        lanes = std::max(lanes, found.lanes);
        if (!found.why_not.empty()) {
            fail(found.why_not);
        } else if (lanes > limit()) {
            fail("it takes " + std::to_string(lanes) + " lanes, and there are " + std::to_string(limit()) +
                 "; --vls says how many may be used");
        } else {
            result_.kind = repair_kind::lanes;
            result_.lanes = lanes;
            if (!groups_.empty()) result_.root = roots_.front();
        }
    }

    void fail(const std::string& why) {
        result_.why_not = why;
        made_ = of_;
    }

    unsigned limit() const {
        if (options_.vls) return *options_.vls;
        unsigned least = 0;
        const auto take = [&](unsigned vls) {
            if (vls != 0) least = least == 0 ? vls : std::min(least, vls);
        };
        for (const switch_state& one : of_.switches)
            for (const std::uint8_t vls : one.operational_vls) take(vls);
        for (const host_state& one : of_.hosts) take(one.operational_vls);
        return least == 0 ? default_repair_lanes : least;
    }

    const fabric& of_;
    const repair_options& options_;
    repair_result& result_;
    fabric& made_;
    dependencies unicast_;
    std::vector<group_ends> groups_;
    std::vector<std::uint32_t> roots_;
};

}  // namespace

repair_result repair(const fabric& of, const repair_options& options) {
    repair_result result;
    result.repaired = of;
    mender(of, options, result).run();
    return result;
}

}  // namespace polycast::hw::subnet
