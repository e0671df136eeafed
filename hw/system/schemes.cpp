// SPDX-License-Identifier: Apache-2.0
#include "hw/system/schemes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/chips/router/router_route.h"
#include "hw/collectives/dimension_order.h"
#include "hw/collectives/k_binomial.h"
#include "hw/input_error.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/system/prediction.h"

namespace polycast::hw::system {

traffic::forwarding forwarding_of(const multicast_choice& choice) {
    using enum collectives::scheme_kind::forwarders;
    switch (choice.scheme.how->by) {
        case nobody: return traffic::forwarding::nobody;
        case programs: return traffic::forwarding::programs;
        case interfaces: break;
    }
    return choice.fcfs ? traffic::forwarding::fcfs : traffic::forwarding::fpfs;
}

routing::updown routes_of(const system_plan& plan) {
    routing::updown_options options = plan.params.routing;
    options.choice = routing::updown_options::root_choice::given;  // the best root is not searched again
    options.root = plan.root;
    return routing::updown(plan.network, options);
}

std::optional<unsigned> most_children(const multicast_choice& choice, std::uint32_t nodes, std::uint32_t packets) {
    if (!choice.scheme.how->has_tree()) return std::nullopt;
    switch (choice.fanout) {
        case multicast_choice::fanout_choice::given: return choice.scheme.fanout;
        case multicast_choice::fanout_choice::timing: return collectives::binomial_k(nodes);
        case multicast_choice::fanout_choice::best: break;
    }
    return choice.scheme.how->best_fanout(nodes, packets);
}

unsigned group_entries(std::uint32_t worms, unsigned route_words) {
    const unsigned in_first = NI_GROUP_FIRST_WORDS / route_words;
    if (worms <= in_first) return 1;
    const unsigned in_more = NI_GROUP_ROUTE_WORDS / route_words;
    return 1 + (worms - in_first + in_more - 1) / in_more;
}

namespace {

/// The source, then the destinations in the order along which forwarding trees are built: chains of a mesh are those of
/// dimension order, in a fat tree neighbours by number are neighbours.
std::vector<std::uint32_t> chain_of(const system_plan& plan, const routing::updown& routes,
                                    collectives::chain_order order, std::uint32_t source,
                                    std::span<const std::uint32_t> destinations) {
    if (!plan.has_routers() || order != collectives::chain_order::chains)
        return collectives::ordered_chain(routes, order, source, destinations);
    if (plan.by_tables)
        return collectives::ordered_chain(routes, collectives::chain_order::number, source, destinations);
    std::vector<std::uint32_t> hosts{source};
    hosts.insert(hosts.end(), destinations.begin(), destinations.end());
    const chips::router_params& router = plan.router_at(0).params;
    std::vector<std::vector<std::uint32_t>> places;
    for (const std::uint32_t host : hosts) {
        const chips::coordinates at =
            chips::coordinates_of(plan.network.hosts[host].chip, router.dimensions, router.radix);
        places.emplace_back(at.begin(), at.begin() + router.dimensions);
    }
    std::vector<std::uint32_t> chain;
    for (const std::uint32_t index : collectives::dimension_order(places, 0)) chain.push_back(hosts[index]);
    return chain;
}

}  // namespace

traffic::planner make_planner(const system_plan& plan, const multicast_choice& choice, std::uint32_t bytes) {
    if (plan.has_routers() && choice.scheme.packets() != format::packet_kind::unicast)
        throw input_error("routers copy no worms, so a multicast by scheme '" + std::string(choice.scheme.how->name) +
                              "' is impossible",
                          "take " + collectives::schemes_of_unicasts());
    const std::uint32_t packets = (bytes - 1) / plan.host.interface.payload_bytes + 1;
    const auto routes = std::make_shared<const routing::updown>(routes_of(plan));
    return [routes, choice, packets, bytes, &plan](std::uint32_t source, std::span<const std::uint32_t> destinations) {
        collectives::scheme_options options = choice.scheme;
        options.most_stops = plan.params.header_stops;
        const auto nodes = static_cast<std::uint32_t>(destinations.size() + 1);
        const std::optional<unsigned> most = most_children(choice, nodes, packets);
        if (!most) return collectives::make_plan(*routes, options, source, destinations);
        collectives::check_set(plan.network, source, destinations);
        const std::vector<std::uint32_t> chain = chain_of(plan, *routes, options.order, source, destinations);
        options.fanout = *most;
        options.order = collectives::chain_order::listed;
        if (choice.fanout == multicast_choice::fanout_choice::timing)
            options.fanout = best_k_by_timing(plan, chain, forwarding_of(choice), bytes);
        return collectives::make_plan(*routes, options, source, std::span(chain).subspan(1));
    };
}

traffic::network_facts facts_of(const system_plan& plan) {
    traffic::network_facts facts;
    facts.shape = plan.header_shape();
    facts.check = plan.host.interface.check;
    facts.rewritten = plan.params.rewrite;
    facts.lids = plan.host.interface.lids;
    facts.kept_vcs = plan.has_routers() && plan.router_at(0).tables.policy == chips::vc_policy::keep &&
                     plan.router_at(0).tables.select == chips::route_select::lowest &&
                     plan.host.interface.paths.paths() == 1;
    for (const topology::host_node& host : plan.network.hosts)
        facts.places.push_back({host.chip, std::uint64_t{1} << host.port});
    return facts;
}

}  // namespace polycast::hw::system
