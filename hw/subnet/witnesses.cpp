// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/witnesses.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "hw/subnet/source_matching.h"
#include "hw/subnet/unicast_check.h"

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

/// Where a packet is: it has come to a switch by a port, on a lane.
struct arrival {
    std::uint32_t chip = 0;
    unsigned in = 0;  ///< from 0
    unsigned vl = 0;

    bool operator<(const arrival& other) const {
        return std::tie(chip, in, vl) < std::tie(other.chip, other.in, other.vl);
    }
};

unsigned service_level(const host_state& source, unsigned lid, unsigned base) {
    const std::uint8_t own = source.path_sl[lid];
    const std::uint8_t sl = own != not_told ? own : source.path_sl[base];
    return sl == not_told ? 0 : sl;
}

/// What moves packets: the tables, and the lanes of the check.
class mover {
public:
    mover(const fabric& of, const check_options& options)
        : of_(of), none_(of.network), lanes_{of, options, unused_, none_, used_} {}

    /// Of a host's packet.
    std::optional<arrival> first(std::uint32_t host, unsigned sl) const {
        const char* reason = nullptr;
        const auto vl = lanes_.first_vl(host, sl, reason);
        if (!vl) return std::nullopt;
        return arrival{of_.network.hosts[host].chip, of_.network.hosts[host].port, *vl};
    }

    /// The channel to another switch that a packet takes by a port from 0; nothing where it ends.
    std::optional<channel> next(const arrival& here, unsigned out, unsigned sl) const {
        const auto& ports = of_.network.switches[here.chip].ports;
        if (out >= ports.size() || out == here.in || ports[out].kind != port_end::leads_to::chip) return std::nullopt;
        const char* reason = nullptr;
        const auto vl = lanes_.next_vl(here.chip, here.in + 1, out + 1, sl, reason);
        if (!vl) return std::nullopt;
        return channel{here.chip, static_cast<std::uint8_t>(out), static_cast<std::uint8_t>(*vl)};
    }

    arrival over(const channel& taken) const {
        const port_end& end = of_.network.switches[taken.chip].ports[taken.port];
        return {end.index, end.port, taken.vl};
    }

    /// Calls act(channel) for each of a unicast's, until it returns false; no longer than a way without a ring is.
    template <typename function>
    void follow(std::uint32_t source, unsigned lid, unsigned sl, const function& act) const {
        auto here = first(source, sl);
        for (std::size_t steps = 0; here && steps <= of_.switches.size(); ++steps) {
            const std::uint8_t port = of_.switches[here->chip].port_for(lid);
            if (port == 0 || port >= no_row) return;
            const auto taken = next(*here, port - 1u, sl);
            if (!taken || !act(*taken)) return;
            here = over(*taken);
        }
    }

    /// Calls act(channel, channels in front) for each of a flood's, nearest first, and act_turn(from, to) for each two
    /// in a row.
    template <typename function, typename turn_function>
    void flood(std::uint32_t source, unsigned mlid, unsigned sl, const function& act,
               const turn_function& act_turn) const {
        struct step {
            arrival at;
            std::optional<channel> from;
            unsigned depth;
        };
        const auto start = first(source, sl);
        if (!start) return;
        std::vector<step> queue{{*start, std::nullopt, 0}};
        std::set<arrival> seen{*start};
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const step here = queue[i];
            const auto row = of_.switches[here.at.chip].multicast.find(mlid);
            if (row == of_.switches[here.at.chip].multicast.end()) continue;
            for (std::uint64_t ports = row->second.ports; ports != 0; ports &= ports - 1) {
                const auto taken = next(here.at, static_cast<unsigned>(std::countr_zero(ports)), sl);
                if (!taken) continue;
                if (here.from) act_turn(*here.from, *taken);
                const arrival there = over(*taken);
                if (!seen.insert(there).second) continue;
                act(*taken, here.depth);
                queue.push_back({there, taken, here.depth + 1});
            }
        }
    }

private:
    const fabric& of_;
    check_result unused_;
    dependencies none_;
    std::vector<std::vector<std::uint64_t>> used_;
    check_state lanes_;
};

class search {
public:
    search(const fabric& of, std::span<const channel> cycle, const check_options& options, sent_lids lids)
        : of_(of), cycle_(cycle), moves_(of, options), lids_(lids), found_(cycle.size()), near_(cycle.size()) {
        for (std::size_t i = 0; i < cycle.size(); ++i) places_.emplace(key(cycle[i]), i);
    }

    std::vector<edge_witnesses> run() {
        for (std::uint32_t target = 0; target < of_.hosts.size(); ++target) {
            const lid_owner& self = of_.hosts[target].self;
            for (unsigned lid = self.lid; self.lid != 0 && lid < self.lid + (1u << self.lmc); ++lid)
                if (uses_an_edge(lid)) visit(target, lid);
        }
        visit_groups();
        for (std::size_t edge = 0; edge < cycle_.size(); ++edge)
            for (const auto& [source, best] : near_[edge]) {
                found_[edge].nearest.push_back(best.nearest);
                found_[edge].farthest.push_back(best.farthest);
            }
        for (edge_witnesses& one : found_) {
            std::sort(one.nearest.begin(), one.nearest.end(), [&](auto& a, auto& b) { return nearer(a, b); });
            std::sort(one.farthest.begin(), one.farthest.end(), [&](auto& a, auto& b) { return farther(a, b); });
        }
        return std::move(found_);
    }

private:
    static std::uint64_t key(const channel& one) {
        return std::uint64_t{one.chip} << 16 | std::uint64_t{one.port} << 8 | one.vl;
    }
    std::optional<std::size_t> place(const channel& one) const {
        const auto found = places_.find(key(one));
        return found == places_.end() ? std::nullopt : std::optional(found->second);
    }
    std::size_t after(std::size_t edge) const { return (edge + 1) % cycle_.size(); }
    auto last_keys(const witness& one) const { return std::tuple(of_.network.hosts[one.source].guid, one.dlid); }
    bool nearer(const witness& a, const witness& b) const {
        return std::tuple(a.front, b.along, last_keys(a)) < std::tuple(b.front, a.along, last_keys(b));
    }
    bool farther(const witness& a, const witness& b) const {
        return std::tuple(b.along, a.front, last_keys(a)) < std::tuple(a.along, b.front, last_keys(b));
    }

    void add(std::size_t edge, const witness& one) {
        ++found_[edge].count;
        const auto [at, fresh] = near_[edge].try_emplace(one.source, bests{one, one});
        if (fresh) return;
        if (nearer(one, at->second.nearest)) at->second.nearest = one;
        if (farther(one, at->second.farthest)) at->second.farthest = one;
    }

    /// Whether the tables send a LID over both channels of any edge.
    bool uses_an_edge(unsigned lid) const {
        const auto uses = [&](const channel& one) { return of_.switches[one.chip].port_for(lid) == one.port + 1u; };
        for (std::size_t edge = 0; edge < cycle_.size(); ++edge)
            if (uses(cycle_[edge]) && uses(cycle_[after(edge)])) return true;
        return false;
    }

    void visit(std::uint32_t target, unsigned lid) {
        const lid_owner& owner = of_.hosts[target].self;
        for (std::uint32_t source = 0; source < of_.hosts.size(); ++source) {
            const lid_owner& self = of_.hosts[source].self;
            if (self.lid == 0 || self.node_guid == owner.node_guid || !sent(source, target, lid)) continue;
            const unsigned sl = service_level(of_.hosts[source], lid, owner.lid);
            witness one{source, lid, target, static_cast<std::uint8_t>(sl), 0, 0};
            std::size_t edge = 0;
            moves_.follow(source, lid, sl, [&](const channel& taken) {
                const auto at = place(taken);
                if (one.along == 0 && !at) {
                    ++one.front;
                    return true;
                }
                if (one.along == 0) edge = *at;
                const std::size_t next = (edge + one.along) % cycle_.size();
                if (!at || *at != next || one.along == cycle_.size()) return false;
                ++one.along;
                return true;
            });
            if (one.along >= 2) add(edge, one);
        }
    }

    bool sent(std::uint32_t source, std::uint32_t target, unsigned lid) const {
        const lid_owner& owner = of_.hosts[target].self;
        if (lids_ == sent_lids::all) return true;
        const unsigned spread = lids_ == sent_lids::spread ? (source + target) & ((1u << owner.lmc) - 1) : 0;
        return lid == owner.lid + spread;
    }

    void visit_groups() {
        std::set<unsigned> mlids;
        for (const switch_state& one : of_.switches)
            for (const auto& [mlid, row] : one.multicast) mlids.insert(mlid);
        for (const unsigned mlid : mlids) {
            const auto told = of_.groups.find(mlid);
            const unsigned levels = told == of_.groups.end() ? 1 : told->second.service_levels;
            for (std::uint32_t source = 0; source < of_.hosts.size(); ++source) {
                const topology::host_node& host = of_.network.hosts[source];
                const auto row = of_.switches[host.chip].multicast.find(mlid);
                if (row == of_.switches[host.chip].multicast.end() || (row->second.ports >> host.port & 1) == 0)
                    continue;
                for (unsigned sl = 0; sl < 16; ++sl)
                    if (((levels == 0 ? 1 : levels) >> sl & 1) != 0) visit_flood(source, mlid, sl);
            }
        }
    }

    void visit_flood(std::uint32_t source, unsigned mlid, unsigned sl) {
        std::map<std::size_t, unsigned> fronts;  // of channels of the cycle
        std::set<std::size_t> turns;             // edges that it has
        const auto act = [&](const channel& taken, unsigned front) {
            if (const auto at = place(taken)) fronts.emplace(*at, front);
        };
        moves_.flood(source, mlid, sl, act, [&](const channel& from, const channel& to) {
            const auto at = place(from), next = place(to);
            if (at && next && *next == after(*at)) turns.insert(*at);
        });
        if (fronts.empty()) return;
        const unsigned least = std::min_element(fronts.begin(), fronts.end(), [](auto& a, auto& b) {
                                   return a.second < b.second;
                               })->second;
        for (const std::size_t edge : turns) {
            if (fronts.at(edge) != least) continue;
            witness one{source, mlid, std::nullopt, static_cast<std::uint8_t>(sl), least, 1};
            for (std::size_t at = edge; turns.contains(at) && one.along < cycle_.size(); at = after(at)) ++one.along;
            add(edge, one);
        }
    }

    struct bests {
        witness nearest, farthest;
    };

    const fabric& of_;
    std::span<const channel> cycle_;
    mover moves_;
    sent_lids lids_;
    std::vector<edge_witnesses> found_;
    std::map<std::uint64_t, std::size_t> places_;       ///< of channels in the cycle
    std::vector<std::map<std::uint32_t, bests>> near_;  ///< [edge] by source
};

/// `list` is in the order of preference and `cost` does not fall along it.
template <typename list_of, typename cost_of>
chosen_witnesses choose(std::span<const edge_witnesses> edges, const list_of& list, const cost_of& cost) {
    // More sources than edges are never needed: one of the first is always left.
    const std::size_t most = edges.size();
    std::vector<std::vector<offer>> tasks;
    for (const edge_witnesses& edge : edges) {
        std::vector<offer>& offers = tasks.emplace_back();
        for (std::size_t i = 0; i < std::min(most, list(edge).size()); ++i)
            offers.push_back({list(edge)[i].source, cost(list(edge)[i]) * most * most + i});
    }
    const auto places = match_sources(tasks);
    chosen_witnesses chosen;
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
        if (list(edges[edge]).empty()) return {};
        chosen.of.push_back(list(edges[edge])[places[edge].value_or(0)]);
        chosen.shared.push_back(!places[edge]);
        chosen.front += chosen.of.back().front;
    }
    return chosen;
}

}  // namespace

std::vector<edge_witnesses> find_witnesses(const fabric& of, std::span<const channel> cycle,
                                           const check_options& options, sent_lids lids) {
    return search(of, cycle, options, lids).run();
}

bool chosen_witnesses::complete() const {
    return !of.empty() && std::find(shared.begin(), shared.end(), true) == shared.end();
}

chosen_witnesses choose_nearest(std::span<const edge_witnesses> edges) {
    return choose(
        edges, [](const edge_witnesses& edge) -> auto& { return edge.nearest; },
        [](const witness& one) { return std::uint64_t{one.front}; });
}

chosen_witnesses choose_farthest(std::span<const edge_witnesses> edges) {
    return choose(
        edges, [](const edge_witnesses& edge) -> auto& { return edge.farthest; },
        [&](const witness& one) { return std::uint64_t{edges.size()} - one.along; });
}

std::vector<channel> channels_of(const fabric& of, const witness& one, const check_options& options) {
    const mover moves(of, options);
    std::vector<channel> found;
    if (one.target) {
        moves.follow(one.source, one.dlid, one.sl, [&](const channel& taken) {
            if (std::find(found.begin(), found.end(), taken) != found.end()) return false;
            found.push_back(taken);
            return true;
        });
    } else {
        moves.flood(
            one.source, one.dlid, one.sl, [&](const channel& taken, unsigned) { found.push_back(taken); },
            [](const channel&, const channel&) {});
    }
    return found;
}

}  // namespace polycast::hw::subnet
