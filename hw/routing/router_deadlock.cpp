// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/router_deadlock.h"

#include <array>
#include <bit>
#include <set>
#include <stdexcept>

#include "hw/chips/router_route.h"

namespace polycast::hw::routing {
namespace {

using chips::coordinates;
using chips::route_hop;
using chips::vc_set;

class router_check {
public:
    router_check(const router_check_input& input, router_check_result& result)
        : input_(input), result_(result), rules_(input.params, input.tables), links_(input.params.first_host_port()) {
        if (input.tables.table) throw std::logic_error("check_router_routes: routes come from a table");
    }

    void run() {
        check_sizes();
        if (!result_.good()) return;
        for (std::uint32_t node = 0; node < rules_.nodes; ++node) {
            for (unsigned port = 0; port < links_; ++port)
                for (unsigned vc = 0; vc < input_.params.vcs; ++vc)
                    graph_.add_node("router" + std::to_string(node) + ":" + std::to_string(port) + " VC " +
                                    std::to_string(vc));
        }
        for (std::uint32_t node = 0; node < rules_.nodes; ++node) {
            if (input_.longest_unicast != 0) follow_unicasts(node);
            if (input_.longest_broadcast != 0) follow_broadcasts(node);
        }
        result_.channels = graph_.size();
        result_.dependencies = graph_.edges();
        const std::vector<std::uint32_t> cycle = graph_.find_cycle();
        if (cycle.empty()) return;
        for (const std::uint32_t node : cycle) result_.cycle.push_back(graph_.name(node));
        result_.problems.push_back("packets can wait for each other in a circle: " + graph_.cycle_text(cycle));
    }

private:
    /// A hop from a router, as far as virtual channels go by it.
    struct channel {
        unsigned port;
        bool side;
        auto operator<=>(const channel&) const = default;
    };
    struct dependency {
        channel from, to;
        auto operator<=>(const dependency&) const = default;
    };

    void check_sizes() {
        const chips::router_tables& t = input_.tables;
        const unsigned longest = std::max(input_.longest_unicast, input_.longest_broadcast);
        const auto flits = [](unsigned count) { return std::to_string(count) + (count == 1 ? " flit" : " flits"); };
        if (longest > t.packet_limit)
            result_.problems.push_back("packets of " + flits(longest) + " are longer than the limit of " +
                                       flits(t.packet_limit));
        if (t.reserve > input_.params.vc_flits)
            result_.problems.push_back("a virtual channel is taken only with room for " + flits(t.reserve) +
                                       ", but its buffer has " + flits(input_.params.vc_flits));
        if (input_.longest_broadcast > t.reserve)
            result_.problems.push_back("copies of a packet of " + flits(input_.longest_broadcast) +
                                       " wait for each other where a virtual channel is taken with room for " +
                                       flits(t.reserve));
        for (unsigned service_class = 0; service_class < input_.classes; ++service_class) {
            const auto& sides = rules_.vc_sets[service_class];
            if (sides[1] == 0 || (sides[0] == 0 && rules_.wrap != 0))
                result_.problems.push_back("class " + std::to_string(service_class) + " has no virtual channel" +
                                           (sides[1] == 0 ? "" : " for ways across the end of a ring"));
        }
    }

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

    /// Virtual channels that a packet in `vc` may take next.
    vc_set next_vcs(vc_set set, unsigned vc) const {
        if (input_.tables.policy == chips::vc_policy::any) return set;
        return static_cast<vc_set>(1u << chips::first_from(set, vc));
    }

    void add(std::uint32_t node, const dependency& one) {
        const std::uint32_t next = neighbour(node, one.from.port);
        std::set<std::pair<unsigned, unsigned>> edges;  // classes may share virtual channels
        for (unsigned service_class = 0; service_class < input_.classes; ++service_class) {
            const vc_set to = rules_.vcs_of(one.to.port, service_class, one.to.side);
            for (unsigned held = rules_.vcs_of(one.from.port, service_class, one.from.side); held != 0;
                 held &= held - 1) {
                const auto vc = static_cast<unsigned>(std::countr_zero(held));
                for (unsigned wanted = next_vcs(to, vc); wanted != 0; wanted &= wanted - 1)
                    edges.emplace(vc, static_cast<unsigned>(std::countr_zero(wanted)));
            }
        }
        for (const auto& [from, to] : edges)
            graph_.add_edge(number(node, one.from.port, from), number(next, one.to.port, to));
    }

    std::uint32_t number(std::uint32_t node, unsigned port, unsigned vc) const {
        return (node * links_ + port) * input_.params.vcs + vc;
    }

    const router_check_input& input_;
    router_check_result& result_;
    chips::route_rules rules_;
    unsigned links_;  ///< ports of a router that lead to others
    dependency_graph graph_;
};

}  // namespace

router_check_result check_router_routes(const router_check_input& input) {
    router_check_result result;
    router_check(input, result).run();
    return result;
}

}  // namespace polycast::hw::routing
