// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/router_deadlock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <stdexcept>

#include "hw/chips/port_set.h"
#include "hw/chips/router/router_route.h"
#include "hw/routing/deadlock.h"

namespace polycast::hw::routing {
namespace {

using chips::coordinates;
using chips::route_hop;
using chips::vc_set;

std::string flits(unsigned count) {
    return std::to_string(count) + (count == 1 ? " flit" : " flits");
}

void check_sizes(const chips::router_params& params, const chips::router_tables& tables,
                 const chips::route_rules& rules, unsigned classes, unsigned longest, router_check_result& result) {
    if (longest > tables.packet_limit)
        result.problems.push_back("packets of " + flits(longest) + " are longer than the limit of " +
                                  flits(tables.packet_limit));
    if (tables.reserve > params.vc_flits)
        result.problems.push_back("a virtual channel is taken only with room for " + flits(tables.reserve) +
                                  ", but its buffer has " + flits(params.vc_flits));
    for (unsigned service_class = 0; service_class < classes; ++service_class) {
        const auto& sides = rules.vc_sets[service_class];
        if (sides[1] == 0 || (sides[0] == 0 && rules.wrap != 0))
            result.problems.push_back("class " + std::to_string(service_class) + " has no virtual channel" +
                                      (sides[1] == 0 ? "" : " for ways across the end of a ring"));
    }
}

/// Virtual channels of a set that a packet in `vc` may take next.
vc_set next_vcs(chips::vc_policy policy, vc_set set, unsigned vc) {
    if (policy == chips::vc_policy::any) return set;
    return static_cast<vc_set>(1u << chips::first_from(set, vc));
}

/// A hop from a router, as far as virtual channels go by it.
struct channel {
    unsigned port;
    bool side;
    auto operator<=>(const channel&) const = default;
};

/// Pairs of virtual channels: one that a packet has holding the first hop, one that it may take for the second. Classes
/// may share them.
std::set<std::pair<unsigned, unsigned>> waiting_vcs(const chips::route_rules& rules, chips::vc_policy policy,
                                                    unsigned classes, const channel& first, const channel& second) {
    std::set<std::pair<unsigned, unsigned>> pairs;
    for (unsigned service_class = 0; service_class < classes; ++service_class) {
        const vc_set to = rules.vcs_of(second.port, service_class, second.side);
        for (unsigned held = rules.vcs_of(first.port, service_class, first.side); held != 0; held &= held - 1) {
            const auto vc = static_cast<unsigned>(std::countr_zero(held));
            for (unsigned wanted = next_vcs(policy, to, vc); wanted != 0; wanted &= wanted - 1)
                pairs.emplace(vc, static_cast<unsigned>(std::countr_zero(wanted)));
        }
    }
    return pairs;
}

void find_cycle(const dependency_graph& graph, router_check_result& result) {
    result.channels = graph.size();
    result.dependencies = graph.edges();
    const std::vector<std::uint32_t> cycle = graph.find_cycle();
    if (cycle.empty()) return;
    for (const std::uint32_t node : cycle) result.cycle.push_back(graph.name(node));
    result.problems.push_back("packets can wait for each other in a circle: " + graph.cycle_text(cycle));
}

class router_check {
public:
    /// `all`: follows packets from all nodes, not only from those of one line of each kind.
    router_check(const router_check_input& input, bool all, router_check_result& result)
        : input_(input), result_(result), rules_(input.params, input.tables), links_(input.params.first_host_port()) {
        if (input.tables.table) throw std::logic_error("check_router_routes: routes come from a table");
        if (all) {
            nodes_.resize(rules_.nodes);
            std::iota(nodes_.begin(), nodes_.end(), 0u);
            return;
        }
        std::uint32_t stride = 1;
        for (unsigned d = 0; d < rules_.dimensions; ++d, stride *= rules_.radix) {
            const std::uint32_t odd = d == 0 ? rules_.radix : 1;  // a line beside the one through router 0
            for (std::uint32_t place = 0; place < rules_.radix; ++place) {
                nodes_.push_back(place * stride);
                if (rules_.is_ring(d) && rules_.dimensions > 1) nodes_.push_back(odd + place * stride);
            }
        }
        std::ranges::sort(nodes_);
        nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    }

    void run() {
        check_sizes(input_.params, input_.tables, rules_, input_.classes,
                    std::max(input_.longest_unicast, input_.longest_broadcast), result_);
        if (input_.longest_broadcast > input_.tables.reserve)
            result_.problems.push_back("copies of a packet of " + flits(input_.longest_broadcast) +
                                       " wait for each other where a virtual channel is taken with room for " +
                                       flits(input_.tables.reserve));
        if (!result_.good()) return;
        for (const std::uint32_t node : nodes_) {
            for (unsigned port = 0; port < links_; ++port)
                for (unsigned vc = 0; vc < input_.params.vcs; ++vc)
                    graph_.add_node("router" + std::to_string(node) + ":" + std::to_string(port) + " VC " +
                                    std::to_string(vc));
        }
        for (const std::uint32_t node : nodes_) {
            if (input_.longest_unicast != 0) follow_unicasts(node);
            if (input_.longest_broadcast != 0) follow_broadcasts(node);
        }
        find_cycle(graph_, result_);
    }

private:
    struct dependency {
        channel from, to;
        auto operator<=>(const dependency&) const = default;
    };

    std::uint32_t neighbour(std::uint32_t node, unsigned port) const {
        std::uint32_t stride = 1;
        for (unsigned d = 0; d < port / 2; ++d) stride *= rules_.radix;
        const std::uint32_t own = node / stride % rules_.radix;
        const std::uint32_t to = (own + (port % 2 == 0 ? 1 : rules_.radix - 1)) % rules_.radix;
        return node - own * stride + to * stride;
    }

    /// What happens behind a hop depends on the rest of the way in its dimension, and where that ends, on the first
    /// hop in a later one. So destinations that differ from a node in at most two dimensions show all there is.
    void follow_unicasts(std::uint32_t node) {
        const chips::route_place at(rules_, node, {});
        std::set<dependency> seen;
        for (unsigned d = 0; d < rules_.dimensions; ++d) {
            coordinates to = at.own;
            for (unsigned place = 0; place < rules_.radix; ++place) {
                to[d] = static_cast<std::uint16_t>(place);
                if (to == at.own) continue;
                const route_hop hop = chips::dimension_order(rules_, at, to);
                const chips::route_place next(rules_, neighbour(node, hop.port), {});
                follow_from(next, to, hop, d, seen);
            }
        }
        for (const dependency& one : seen) add(node, one);
    }

    void follow_from(const chips::route_place& next, coordinates to, const route_hop& before, unsigned d,
                     std::set<dependency>& seen) const {
        const channel from{before.port, before.side};
        const auto note = [&] {
            const route_hop hop = chips::dimension_order(rules_, next, to);
            if (hop.port < links_) seen.insert({from, {hop.port, hop.side}});
        };
        if (next.own[d] != to[d]) return note();
        for (unsigned later = d + 1; later < rules_.dimensions; ++later) {
            const std::uint16_t own = to[later];
            for (unsigned place = 0; place < rules_.radix; ++place) {
                to[later] = static_cast<std::uint16_t>(place);
                note();
            }
            to[later] = own;
        }
    }

    /// A copy's way on depends on the source's place in the dimension it goes along; in later ones it has not moved.
    void follow_broadcasts(std::uint32_t node) {
        std::vector<unsigned> all(input_.params.ports, 1);
        std::set<dependency> seen;
        const auto follow = [&](std::uint32_t source, unsigned input) {
            for (const channel& from : branches(node, source, input, all)) {
                const std::uint32_t next = neighbour(node, from.port);
                for (const channel& to : branches(next, source, from.port ^ 1, all)) seen.insert({from, to});
            }
        };
        follow(node, links_);
        std::uint32_t stride = 1;
        for (unsigned d = 0; d < rules_.dimensions; ++d, stride *= rules_.radix) {
            const std::uint32_t own = node / stride % rules_.radix;
            for (unsigned place = 0; place < rules_.radix; ++place) {
                if (place == own) continue;
                const std::uint32_t source = node - own * stride + place * stride;
                for (const unsigned input : {2 * d, 2 * d + 1})
                    if (reaches(source, node, d, input)) follow(source, input);
            }
        }
        for (const dependency& one : seen) add(node, one);
    }

    /// Whether a copy from `source` comes in at port `input` of dimension d.
    bool reaches(std::uint32_t source, std::uint32_t node, unsigned d, unsigned input) const {
        const unsigned k = rules_.radix;
        const unsigned from = chips::coordinates_of(source, rules_.dimensions, k)[d];
        const unsigned to = chips::coordinates_of(node, rules_.dimensions, k)[d];
        const bool up = input % 2 != 0;  // in by the port that leads down
        if (!rules_.is_ring(d)) return up ? to > from : to < from;
        return up ? (to + k - from) % k <= k / 2 : (from + k - to) % k <= (k - 1) / 2;
    }

    std::vector<channel> branches(std::uint32_t node, std::uint32_t source, unsigned input,
                                  const std::vector<unsigned>& credits) const {
        const chips::route_place at(rules_, node, credits);
        const chips::route_decision decided = chips::route_broadcast(rules_, at, source, 0, 0, input);
        std::vector<channel> found;
        if ((decided.info & chips::flit_info::copied) != 0) {
            for (std::uint32_t left = decided.branches.outputs; left != 0; left &= left - 1) {
                const auto port = static_cast<unsigned>(std::countr_zero(left));
                if (port < links_) found.push_back({port, (decided.branches.sides >> port & 1) != 0});
            }
        } else if ((decided.info & chips::flit_info::drop) == 0) {
            const unsigned port = decided.info & chips::flit_info::output_mask;
            if (port < links_) found.push_back({port, (decided.info >> chips::flit_info::side_bit & 1) != 0});
        }
        return found;
    }

    void add(std::uint32_t node, const dependency& one) {
        const std::uint32_t next = neighbour(node, one.from.port);
        if (one.to.port / 2 < one.from.port / 2)
            throw std::logic_error("check_router_routes: a path returns to an earlier dimension");
        if (!std::ranges::binary_search(nodes_, next)) return;
        for (const auto& [from, to] : waiting_vcs(rules_, input_.tables.policy, input_.classes, one.from, one.to))
            graph_.add_edge(number(node, one.from.port, from), number(next, one.to.port, to));
    }

    std::uint32_t number(std::uint32_t node, unsigned port, unsigned vc) const {
        const auto place = static_cast<std::uint32_t>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
        return (place * links_ + port) * input_.params.vcs + vc;
    }

    const router_check_input& input_;
    router_check_result& result_;
    chips::route_rules rules_;
    unsigned links_;                    ///< ports of a router that lead to others
    std::vector<std::uint32_t> nodes_;  ///< from which packets are followed, in order
    dependency_graph graph_;
};

class table_check {
public:
    table_check(const table_check_input& input, router_check_result& result)
        : input_(input), network_(*input.network), result_(result), rules_(input.params, input.tables.front()) {
        for (std::uint32_t router = 0; router < network_.switches.size(); ++router)
            places_.emplace_back(rules_, input.tables[router].node, input.tables[router].credits);
    }

    void run() {
        check_sizes(input_.params, input_.tables.front(), rules_, input_.classes, input_.longest_unicast, result_);
        if (!result_.good()) return;
        for (std::uint32_t router = 0; router < network_.switches.size(); ++router) {
            for (unsigned port = 0; port < input_.params.ports; ++port) {
                const std::string name = network_.port_text(router, port) + " VC ";
                for (unsigned vc = 0; vc < input_.params.vcs; ++vc) graph_.add_node(name + std::to_string(vc));
            }
        }
        seen_.resize(network_.switches.size() * input_.params.ports);
        const auto hosts = static_cast<std::uint32_t>(network_.hosts.size());
        for (std::uint32_t address = 0; address < hosts * input_.paths.paths(); ++address) {
            for (unsigned number = 0; number < input_.classes && result_.problems.size() < max_problems; ++number)
                if (input_.paths.paths() == 1 || input_.paths.class_of(address) == number) follow(address, number);
        }
        for (std::uint32_t number = 0; number < seen_.size(); ++number) {
            std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
            for (const dependency& one : seen_[number]) add(number, one, edges);
            for (const auto& [from, to] : edges) graph_.add_edge(from, to);
        }
        find_cycle(graph_, result_);
    }

private:
    /// What packets of a class that hold a hop may take behind it.
    struct dependency {
        unsigned service_class;
        chips::branch_set next;
        vc_set held;  ///< of the hop
    };

    /// What packets of a class to an address do at a router.
    struct visit {
        bool routed = false;
        chips::branch_set ports = {};  ///< that they may take, with their sides
        vc_set held = 0;               ///< virtual channels in which they come
    };

    chips::branch_set ports_to(std::uint32_t router, std::uint32_t address, unsigned service_class) const {
        const chips::route_decision decided =
            chips::route_unicast(rules_, places_[router], input_.tables[router].route, address, service_class);
        if ((decided.info & chips::flit_info::drop) != 0) return {};
        if ((decided.info & chips::flit_info::chooses) != 0) return decided.branches;
        const std::uint32_t port = 1u << (decided.info & chips::flit_info::output_mask);
        return {port, (decided.info >> chips::flit_info::side_bit & 1) != 0 ? port : 0};
    }

    /// Virtual channels that packets take behind one of `held`.
    vc_set taken(vc_set held, unsigned service_class, const chips::branch_set& ports, unsigned port) const {
        const vc_set set = rules_.vcs_of(port, service_class, (ports.sides >> port & 1) != 0);
        vc_set all = 0;
        for (unsigned left = held; left != 0; left &= left - 1)
            all |= next_vcs(input_.tables.front().policy, set, static_cast<unsigned>(std::countr_zero(left)));
        return all;
    }

    void follow(std::uint32_t address, unsigned service_class) {
        const std::uint32_t host = input_.paths.host_of(address);
        std::vector<visit> visits(network_.switches.size());
        std::vector<std::uint32_t> waiting;
        const auto enter = [&](std::uint32_t router, vc_set held) {
            visit& at = visits[router];
            if (at.routed && (held & ~at.held) == 0) return;
            if (!at.routed) {
                at.routed = true;
                at.ports = ports_to(router, address, service_class);
                if (at.ports.outputs == 0)
                    result_.problems.push_back("the way to " + network_.hosts[host].name + " ends at " +
                                               network_.switches[router].name);
            }
            at.held |= held;
            waiting.push_back(router);
        };
        const auto begin = static_cast<vc_set>(input_.begin[service_class] & ((1u << input_.params.vcs) - 1));
        for (const topology::host_node& from : network_.hosts) enter(from.chip, begin);
        for (; !waiting.empty() && result_.problems.size() < max_problems;) {
            const std::uint32_t router = waiting.back();
            waiting.pop_back();
            const visit at = visits[router];
            for (std::uint32_t left = at.ports.outputs; left != 0; left &= left - 1) {
                const unsigned port = chips::lowest(left);
                const topology::port_end& end = network_.switches[router].ports[port];
                using leads_to = topology::port_end::leads_to;
                if (end.kind == leads_to::chip) {
                    const vc_set held = taken(at.held, service_class, at.ports, port);
                    enter(end.index, held);
                    note(router, port, {service_class, visits[end.index].ports, held});
                } else if (end.kind == leads_to::nowhere || end.index != host) {
                    result_.problems.push_back(
                        "the way to " + network_.hosts[host].name + " leads from " + network_.switches[router].name +
                        " to " + (end.kind == leads_to::nowhere ? "an open port" : network_.hosts[end.index].name));
                }
            }
        }
    }

    /// Most destinations share them.
    void note(std::uint32_t router, unsigned port, const dependency& one) {
        std::vector<dependency>& known = seen_[router * input_.params.ports + port];
        const auto same = std::ranges::find_if(known, [&](const dependency& other) {
            return other.service_class == one.service_class && other.next == one.next;
        });
        if (same == known.end()) {
            known.push_back(one);
        } else {
            same->held |= one.held;
        }
    }

    void add(std::uint32_t number, const dependency& one,
             std::set<std::pair<std::uint32_t, std::uint32_t>>& edges) const {
        const unsigned port = number % input_.params.ports;
        const topology::port_end& end = network_.switches[number / input_.params.ports].ports[port];
        for (std::uint32_t left = one.next.outputs; left != 0; left &= left - 1) {
            const unsigned next = chips::lowest(left);
            if (network_.switches[end.index].ports[next].kind != topology::port_end::leads_to::chip) continue;
            const std::uint32_t next_number = end.index * input_.params.ports + next;
            for (unsigned held = one.held; held != 0; held &= held - 1) {
                const auto vc = static_cast<unsigned>(std::countr_zero(held));
                const auto only = static_cast<vc_set>(1u << vc);
                for (unsigned wanted = taken(only, one.service_class, one.next, next); wanted != 0;
                     wanted &= wanted - 1)
                    edges.emplace(number * input_.params.vcs + vc,
                                  next_number * input_.params.vcs + static_cast<unsigned>(std::countr_zero(wanted)));
            }
        }
    }

    const table_check_input& input_;
    const topology::graph& network_;
    router_check_result& result_;
    chips::route_rules rules_;
    std::vector<chips::route_place> places_;     ///< [router]
    std::vector<std::vector<dependency>> seen_;  ///< [router x ports + port]
    dependency_graph graph_;
};

}  // namespace

router_check_result check_router_routes(const router_check_input& input) {
    router_check_result result;
    router_check(input, true, result).run();
    return result;
}

router_check_result check_router_lines(const router_check_input& input) {
    router_check_result result;
    router_check(input, false, result).run();
    result.channels = result.dependencies = 0;
    return result;
}

router_check_result check_table_routes(const table_check_input& input) {
    router_check_result result;
    table_check(input, result).run();
    return result;
}

}  // namespace polycast::hw::routing
