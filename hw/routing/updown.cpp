// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/updown.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "hw/input_error.h"

namespace polycast::hw::routing {
namespace {

using topology::port_end;

/// Trying every root takes time with the third power of the number of switches: 6 s for 1,024, so a minute here.
constexpr std::size_t most_switches_for_best = 2048;

std::vector<std::uint32_t> find_levels(const topology::graph& network, const std::vector<std::uint32_t>& roots) {
    std::vector<std::uint32_t> level(network.switches.size(), unreachable), queue = roots;
    for (const std::uint32_t root : roots) level[root] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const port_end& end : network.switches[queue[next]].ports)
            if (end.kind == port_end::leads_to::chip && level[end.index] == unreachable) {
                level[end.index] = level[queue[next]] + 1;
                queue.push_back(end.index);
            }
    return level;
}

}  // namespace

updown::updown(const topology::graph& network, const updown_options& options)
    : network_(&network), by_guid_(options.by_guid) {
    const std::size_t count = network.switches.size();
    if (by_guid_) {
        std::vector<std::uint64_t> guids;
        for (const topology::switch_node& node : network.switches) guids.push_back(node.guid);
        std::sort(guids.begin(), guids.end());
        if (guids.front() == 0 || std::adjacent_find(guids.begin(), guids.end()) != guids.end())
            throw input_error("up*/down* by GUID: not every switch has a GUID of its own", "order by id");
    }
    switch (options.choice) {
        case updown_options::root_choice::given: {
            std::vector<std::uint32_t> roots{options.root};
            roots.insert(roots.end(), options.more_roots.begin(), options.more_roots.end());
            for (const std::uint32_t root : roots) {
                if (root >= count)
                    throw input_error("root switch " + std::to_string(root) + " does not exist",
                                      "the switches are 0 to " + std::to_string(count - 1));
                if (std::ranges::count(roots, root) > 1)
                    throw input_error("switch '" + network.switches[root].name + "' is a root twice", "name it once");
            }
            set_roots(std::move(roots));
            if (roots_.size() > 1) check_tops();
            break;
        }
        case updown_options::root_choice::lowest_id: {
            std::uint32_t lowest = 0;
            if (by_guid_)
                for (std::uint32_t s = 1; s < count; ++s)
                    if (network.switches[s].guid < network.switches[lowest].guid) lowest = s;
            set_roots({lowest});
            break;
        }
        case updown_options::root_choice::best: {
            if (count > most_switches_for_best)
                throw input_error("the best root is searched in networks of at most " +
                                      std::to_string(most_switches_for_best) + " switches",
                                  "name a root");
            std::uint32_t best = 0;
            std::uint64_t least = UINT64_MAX;
            for (std::uint32_t s = 0; s < count; ++s) {
                set_roots({s});
                const std::uint64_t total = total_legal_distance();
                if (total >= least) continue;
                least = total;
                best = s;
            }
            set_roots({best});
            break;
        }
    }
}

void updown::set_roots(std::vector<std::uint32_t> roots) {
    const auto& switches = network_->switches;
    roots_ = std::move(roots);
    level_ = find_levels(*network_, roots_);
    order_.resize(switches.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (level_[a] != level_[b]) return level_[a] < level_[b];
        return by_guid_ ? switches[a].guid < switches[b].guid : a < b;
    });
    rank_.resize(switches.size());
    for (std::uint32_t place = 0; place < order_.size(); ++place) rank_[order_[place]] = place;
    up_ports_.assign(switches.size(), 0);
    down_ports_.assign(switches.size(), 0);
    for (std::uint32_t s = 0; s < switches.size(); ++s)
        for (unsigned p = 0; p < switches[s].ports.size(); ++p) {
            const port_end& end = switches[s].ports[p];
            if (end.kind == port_end::leads_to::nowhere) continue;
            const bool up = end.kind == port_end::leads_to::chip && above(end.index, s);
            (up ? up_ports_ : down_ports_)[s] |= std::uint64_t{1} << p;
        }
}

/// A route that has come to a switch without links up can only go down: so all hosts must be below each of them. With
/// one root there is one such switch, the root, and they are.
void updown::check_tops() const {
    const auto& switches = network_->switches;
    const auto goes_up = [&](std::uint32_t s) {
        return std::ranges::any_of(switches[s].ports, [&](const port_end& end) {
            return end.kind == port_end::leads_to::chip && above(end.index, s);
        });
    };
    for (const std::uint32_t top : roots_) {
        if (goes_up(top)) continue;
        std::vector<bool> below(switches.size());
        below[top] = true;
        for (const std::uint32_t s : order_) {
            if (!below[s]) continue;
            for (const port_end& end : switches[s].ports)
                if (end.kind == port_end::leads_to::chip && above(s, end.index)) below[end.index] = true;
        }
        const auto& hosts = network_->hosts;
        const auto missed = std::ranges::find_if(hosts, [&](const auto& host) { return !below[host.chip]; });
        if (missed != hosts.end())
            throw input_error("with " + std::to_string(roots_.size()) + " roots no route goes down from root '" +
                                  switches[top].name + "' to host '" + missed->name + "'",
                              "take one root, or roots that each have all hosts below them, such as all switches of "
                              "the upper row of a fat tree");
    }
}

format::direction updown::direction(std::uint32_t chip, unsigned port) const {
    const std::uint64_t bit = std::uint64_t{1} << port;
    if ((up_ports_[chip] & bit) != 0) return format::direction::up;
    return (down_ports_[chip] & bit) != 0 ? format::direction::down : format::direction::open;
}

std::optional<unsigned> updown::parent_port(std::uint32_t chip) const {
    std::optional<unsigned> best;
    std::uint32_t best_rank = rank_[chip];
    for (std::uint64_t left = up_ports_[chip]; left != 0; left &= left - 1) {
        const auto p = static_cast<unsigned>(std::countr_zero(left));
        const std::uint32_t upper = network_->switches[chip].ports[p].index;
        // Lower ranks are higher levels or equal ones: the first in rank is on the level above.
        if (rank_[upper] >= best_rank) continue;
        best = p;
        best_rank = rank_[upper];
    }
    return best;
}

void updown::find_routes(std::uint32_t destination, routes_to& result) const {
    const auto& switches = network_->switches;
    result.destination = destination;
    result.distance_up.assign(switches.size(), unreachable);
    result.distance_down.assign(switches.size(), unreachable);
    result.ports_up.assign(switches.size(), 0);
    result.ports_down.assign(switches.size(), 0);

    // Lower neighbours are finished first, so that one pass is enough.
    for (std::size_t place = order_.size(); place-- > 0;) {
        const std::uint32_t s = order_[place];
        std::uint32_t least = s == destination ? 0 : unreachable;
        std::uint64_t ports = 0;
        for (std::uint64_t left = s == destination ? 0 : down_ports_[s]; left != 0; left &= left - 1) {
            const port_end& end = switches[s].ports[static_cast<std::size_t>(std::countr_zero(left))];
            if (end.kind != port_end::leads_to::chip || result.distance_down[end.index] == unreachable) continue;
            const std::uint32_t length = result.distance_down[end.index] + 1;
            if (length < least) ports = 0;
            least = std::min(least, length);
            if (length == least) ports |= left & (~left + 1);
        }
        result.distance_down[s] = least;
        result.ports_down[s] = ports;
    }
    for (const std::uint32_t s : order_) {
        std::uint32_t least = result.distance_down[s];
        std::uint64_t ports = result.ports_down[s];
        for (std::uint64_t left = s == destination ? 0 : up_ports_[s]; left != 0; left &= left - 1) {
            const std::uint32_t upper = switches[s].ports[static_cast<std::size_t>(std::countr_zero(left))].index;
            if (result.distance_up[upper] == unreachable) continue;
            const std::uint32_t length = result.distance_up[upper] + 1;
            if (length < least) ports = 0;
            least = std::min(least, length);
            if (length == least) ports |= left & (~left + 1);
        }
        result.distance_up[s] = least;
        result.ports_up[s] = ports;
    }
}

std::vector<reachability> updown::find_reachability(std::size_t words, worm_links links) const {
    const auto& switches = network_->switches;
    std::vector<std::uint64_t> down = down_ports_;
    if (links == worm_links::spanning_tree) {
        for (std::uint32_t s = 0; s < switches.size(); ++s)
            for (std::uint64_t left = down_ports_[s]; left != 0; left &= left - 1) {
                const port_end& end = switches[s].ports[static_cast<std::size_t>(std::countr_zero(left))];
                if (end.kind == port_end::leads_to::chip && parent_port(end.index) != end.port)
                    down[s] &= ~(left & (~left + 1));
            }
    }
    std::vector<reachability> found(switches.size());
    for (std::size_t place = order_.size(); place-- > 0;) {
        const std::uint32_t s = order_[place];
        found[s].total.assign(words, 0);
        found[s].restricted.resize(switches[s].ports.size());
        // From the highest port down: what a higher port already reaches is taken from the lower ones.
        for (std::uint64_t left = down[s]; left != 0;) {
            const auto p = static_cast<std::size_t>(std::bit_width(left) - 1);
            left &= ~(std::uint64_t{1} << p);
            const port_end& end = switches[s].ports[p];
            chips::bit_string& own = found[s].restricted[p];
            if (end.kind == port_end::leads_to::host) {
                own.assign(words, 0);
                own[end.index / 64] |= std::uint64_t{1} << (end.index % 64);
            } else {
                own = found[end.index].total;
            }
            for (std::size_t w = 0; w < words; ++w) {
                own[w] &= ~found[s].total[w];
                found[s].total[w] |= own[w];
            }
        }
    }
    return found;
}

double updown::mean_legal_distance() const {
    const auto hosts = static_cast<double>(network_->hosts.size());
    return hosts < 2 ? 0 : static_cast<double>(total_legal_distance()) / (hosts * (hosts - 1));
}

std::uint64_t updown::total_legal_distance() const {
    // Breadth first for all destinations at once: bit d of a set says that switch d has been reached. `down` holds what
    // t links going down reach, `up` what t links up and then down do.
    const auto& switches = network_->switches;
    const std::size_t count = switches.size(), words = (count + 63) / 64;
    std::vector<std::uint64_t> hosts(count);
    for (const topology::host_node& host : network_->hosts) ++hosts[host.chip];
    std::vector<std::uint64_t> down(count * words), up, next_down, next_up;
    for (std::size_t s = 0; s < count; ++s) down[s * words + s / 64] = std::uint64_t{1} << (s % 64);
    up = down;
    std::uint64_t total = 0;
    for (std::uint64_t length = 1;; ++length) {
        next_down = down;
        next_up = up;
        bool changed = false;
        for (std::size_t s = 0; s < count; ++s) {
            std::uint64_t* own_down = &next_down[s * words];
            std::uint64_t* own_up = &next_up[s * words];
            for (std::uint64_t left = up_ports_[s] | down_ports_[s]; left != 0; left &= left - 1) {
                const port_end& end = switches[s].ports[static_cast<std::size_t>(std::countr_zero(left))];
                if (end.kind != port_end::leads_to::chip) continue;
                const bool goes_up = (up_ports_[s] & left & (~left + 1)) != 0;
                const std::uint64_t* theirs = &(goes_up ? up : down)[end.index * words];
                for (std::size_t w = 0; w < words; ++w) own_up[w] |= theirs[w];
                if (goes_up) continue;
                for (std::size_t w = 0; w < words; ++w) own_down[w] |= theirs[w];
            }
            for (std::size_t w = 0; w < words; ++w) {
                changed = changed || own_down[w] != down[s * words + w];
                for (std::uint64_t fresh = own_up[w] & ~up[s * words + w]; fresh != 0; fresh &= fresh - 1) {
                    changed = true;
                    total += length * hosts[s] * hosts[w * 64 + static_cast<std::size_t>(std::countr_zero(fresh))];
                }
            }
        }
        if (!changed) return total;
        down.swap(next_down);
        up.swap(next_up);
    }
}

}  // namespace polycast::hw::routing
