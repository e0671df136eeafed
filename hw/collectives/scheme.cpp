// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/scheme.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::collectives {

// clang-format off
/// One row for each scheme; a file in schemes/ defines the object of that name.
#define POLYCAST_SCHEMES(row) \
    row(tree) \
    row(path) \
    row(ssr) \
    row(ni) \
    row(hybrid) \
    row(software) \
    row(unicasts)
// clang-format on

namespace scheme_rows {
#define POLYCAST_DECLARE(name) extern const scheme_kind name;
POLYCAST_SCHEMES(POLYCAST_DECLARE)
#undef POLYCAST_DECLARE
extern const scheme_kind group;
}  // namespace scheme_rows

std::span<const scheme> schemes() {
#define POLYCAST_ADDRESS(name) &scheme_rows::name,
    static constexpr scheme all[] = {POLYCAST_SCHEMES(POLYCAST_ADDRESS)};
#undef POLYCAST_ADDRESS
    return all;
}

scheme group_scheme() {
    return &scheme_rows::group;
}

scheme scheme_of(std::string_view name) {
    const auto found = std::ranges::find(schemes(), name, [](scheme each) { return each->name; });
    if (found == schemes().end()) throw input_error("there is no scheme '" + std::string(name) + "'");
    return *found;
}

std::vector<std::string_view> schemes_that(bool (*fit)(const scheme_kind& one)) {
    std::vector<std::string_view> names;
    for (const scheme each : schemes())
        if (fit(*each)) names.push_back(each->name);
    return names;
}

std::string schemes_of_unicasts() {
    const auto names = schemes_that(
        [](const scheme_kind& one) { return one.packets == format::packet_kind::unicast && !one.chooses_packets; });
    std::string text;
    for (const std::string_view name : names) {
        if (!text.empty()) text += name == names.back() ? " or " : ", ";
        text += "'" + std::string(name) + "'";
    }
    return text;
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

multicast_plan worms_in_phases(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                               std::span<const std::uint32_t> destinations) {
    const topology::graph& network = routes.network();
    const std::vector<switch_chain> chains = partially_ordered_chains(routes, source, destinations);
    return schedule(network, source,
                    options.packets() == format::packet_kind::ssr
                        ? ssr_worms(network, chains, source)
                        : path_worms(network, chains, source, options.most_stops),
                    options.phases);
}

multicast_plan tree_of_unicasts(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                                std::span<const std::uint32_t> destinations) {
    return forwarding_plan(ordered_chain(routes, options.order, source, destinations), options.fanout);
}

multicast_plan make_plan(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                         std::span<const std::uint32_t> destinations) {
    check_set(routes.network(), source, destinations);
    return options.how->plan(routes, options, source, destinations);
}

}  // namespace polycast::hw::collectives
