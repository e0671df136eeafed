// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/scheme.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::collectives {

namespace {

multicast_plan plan_of_worms(const routing::updown& routes, const scheme_options& options, format::packet_kind worms,
                             std::uint32_t source, std::span<const std::uint32_t> destinations) {
    const topology::graph& network = routes.network();
    const std::vector<switch_chain> chains = partially_ordered_chains(routes, source, destinations);
    return schedule(network, source,
                    worms == format::packet_kind::ssr ? ssr_worms(network, chains, source)
                                                      : path_worms(network, chains, source, options.most_stops),
                    options.phases);
}

}  // namespace

std::string_view name_of(scheme how) {
    switch (how) {
        case scheme::tree: return "tree";
        case scheme::path: return "path";
        case scheme::ssr: return "ssr";
        case scheme::ni: return "ni";
        case scheme::hybrid: return "hybrid";
        case scheme::software: return "software";
        case scheme::unicasts: break;
    }
    return "unicasts";
}

void check_set(const topology::graph& network, std::uint32_t source, std::span<const std::uint32_t> destinations) {
    const auto check_host = [&](std::uint32_t host) {
        if (host >= network.hosts.size())
            throw input_error("host " + std::to_string(host) + " does not exist",
                              "the hosts are 0 to " + std::to_string(network.hosts.size() - 1));
    };
    check_host(source);
    if (destinations.empty()) throw input_error("a multicast needs a destination", "name at least one host");
    std::vector<bool> named(network.hosts.size());
    for (const std::uint32_t host : destinations) {
        check_host(host);
        const std::string& name = network.hosts[host].name;
        if (host == source)
            throw input_error("the source " + name + " is among the destinations", "leave it out: it has the message");
        if (named[host]) throw input_error("the destination " + name + " is named twice", "name it once");
        named[host] = true;
    }
}

std::vector<std::uint32_t> ordered_chain(const routing::updown& routes, chain_order order, std::uint32_t source,
                                         std::span<const std::uint32_t> destinations) {
    std::vector<std::uint32_t> ordered{source};
    if (order == chain_order::chains) {
        for (const switch_chain& one : partially_ordered_chains(routes, source, destinations))
            for (const chain_switch& here : one)
                std::copy_if(here.hosts.begin(), here.hosts.end(), std::back_inserter(ordered),
                             [&](std::uint32_t host) { return host != source; });
        return ordered;
    }
    ordered.insert(ordered.end(), destinations.begin(), destinations.end());
    if (order == chain_order::number) std::sort(ordered.begin() + 1, ordered.end());
    return ordered;
}

multicast_plan make_plan(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                         std::span<const std::uint32_t> destinations) {
    check_set(routes.network(), source, destinations);
    switch (options.how) {
        case scheme::tree: return tree_plan(source, destinations);
        case scheme::path: return plan_of_worms(routes, options, format::packet_kind::path, source, destinations);
        case scheme::ssr: return plan_of_worms(routes, options, format::packet_kind::ssr, source, destinations);
        case scheme::hybrid: return plan_of_worms(routes, options, options.worms, source, destinations);
        case scheme::ni:
        case scheme::software:
            return forwarding_plan(ordered_chain(routes, options.order, source, destinations), options.fanout);
        case scheme::unicasts: break;
    }
    return unicasts_plan(source, destinations);
}

}  // namespace polycast::hw::collectives
