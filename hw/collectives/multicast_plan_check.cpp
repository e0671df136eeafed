// SPDX-License-Identifier: Apache-2.0
// find_problem() of multicast_plan.h.
#include <algorithm>
#include <bit>
#include <string>

#include "hw/collectives/multicast_plan.h"

namespace polycast::hw::collectives {

namespace {

using format::packet_kind;
using topology::port_end;

/// Checks plans for one network; keeps the routes to the switch it was asked for last.
class plan_checker {
public:
    explicit plan_checker(const routing::updown& routes)
        : routes_(routes), network_(routes.network()), reached_in_(network_.hosts.size(), never) {}

    std::optional<std::string> check(const multicast_plan& plan, std::span<const std::uint32_t> destinations);

private:
    static constexpr unsigned never = UINT32_MAX;

    /// In which ways a worm may arrive at a switch: bit 0 having gone down, bit 1 not yet.
    using arrival = unsigned;
    static constexpr arrival gone_down = 1, not_yet_down = 2;

    std::string name(std::uint32_t host) const { return network_.hosts[host].name; }
    std::optional<std::string> check_sends(const participant& sender);
    std::optional<std::string> check_stops(std::uint32_t sender, const transmission& worm);
    std::optional<arrival> arrive(std::uint32_t from, arrival how, std::uint32_t to);

    const routing::updown& routes_;
    const topology::graph& network_;
    std::vector<unsigned> reached_in_;  ///< [host] step; 0: the source
    unsigned last_step_ = 0;
    routing::routes_to ways_;
};

std::optional<std::string> plan_checker::check(const multicast_plan& plan,
                                               std::span<const std::uint32_t> destinations) {
    const auto exists = [&](std::uint32_t host) { return host < network_.hosts.size(); };
    if (plan.participants.empty()) return "nobody takes part";
    std::vector<bool> listed(network_.hosts.size());
    for (const participant& one : plan.participants) {
        if (!exists(one.host)) return "host " + std::to_string(one.host) + " does not exist";
        if (listed[one.host]) return name(one.host) + " is a participant twice";
        listed[one.host] = true;
    }
    reached_in_[plan.source()] = 0;
    for (const participant& one : plan.participants) {
        if (reached_in_[one.host] == never)
            return name(one.host) + " comes before whoever sends it the message, if anybody does";
        if (std::optional<std::string> problem = check_sends(one)) return problem;
    }
    std::vector<bool> wanted(network_.hosts.size());
    for (const std::uint32_t host : destinations) {
        if (!exists(host)) return "destination " + std::to_string(host) + " does not exist";
        if (reached_in_[host] == never) return name(host) + " never gets the message";
        wanted[host] = true;
    }
    for (std::uint32_t host = 0; host < network_.hosts.size(); ++host) {
        if (reached_in_[host] == never || host == plan.source()) continue;
        if (!wanted[host]) return name(host) + " gets the message and is no destination";
        if (!listed[host]) return name(host) + " gets the message and is no participant";
    }
    if (last_step_ != plan.steps)
        return "the last step is " + std::to_string(last_step_) + ", not " + std::to_string(plan.steps);
    return std::nullopt;
}

std::optional<std::string> plan_checker::check_sends(const participant& sender) {
    unsigned before = reached_in_[sender.host];
    for (const transmission& sent : sender.sends) {
        if (sent.step <= before) {
            return name(sender.host) + " sends in step " + std::to_string(sent.step) + ", " +
                   (&sent == &sender.sends.front() ? "but gets the message" : "and another") + " in step " +
                   std::to_string(before);
        }
        before = sent.step;
        last_step_ = std::max(last_step_, sent.step);
        if (sent.hosts.empty()) return name(sender.host) + " sends to nobody";
        for (const std::uint32_t host : sent.hosts) {
            if (host >= network_.hosts.size()) return "host " + std::to_string(host) + " does not exist";
            if (reached_in_[host] != never) return name(host) + " gets the message twice";
            reached_in_[host] = sent.step;
        }
        if (std::optional<std::string> problem = check_stops(sender.host, sent)) return problem;
    }
    return std::nullopt;
}

std::optional<std::string> plan_checker::check_stops(std::uint32_t sender, const transmission& worm) {
    const std::string whose = "a worm of " + name(sender);
    switch (worm.kind) {
        case packet_kind::unicast:
            if (worm.hosts.size() != 1) return "a unicast of " + name(sender) + " has several destinations";
            [[fallthrough]];
        case packet_kind::tree:
            if (!worm.stops.empty()) return whose + " needs no stops and has some";
            return std::nullopt;
        case packet_kind::ssr:
            if (worm.stops.size() != 1) return whose + " has not one stop";
            break;
        default:
            if (worm.stops.empty()) return whose + " has no stop";
    }
    std::vector<std::uint32_t> served;
    std::uint32_t at = network_.hosts[sender].chip;
    arrival how = not_yet_down;
    for (const format::stop& stop : worm.stops) {
        if (stop.chip >= network_.switches.size()) return "switch " + std::to_string(stop.chip) + " does not exist";
        const std::optional<arrival> arrived = arrive(at, how, stop.chip);
        if (!arrived) {
            return whose + " has no legal route from " + network_.switches[at].name + " to " +
                   network_.switches[stop.chip].name;
        }
        how = *arrived;
        at = stop.chip;
        const std::vector<port_end>& ports = network_.switches[at].ports;
        for (std::uint64_t left = stop.ports; left != 0; left &= left - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(left));
            if (port >= ports.size() || ports[port].kind != port_end::leads_to::host)
                return whose + " names port " + network_.port_text(at, port) + ", which leads to no host";
            served.push_back(ports[port].index);
        }
    }
    if (served != worm.hosts) return "the stops of " + whose + " do not lead to its hosts";
    return std::nullopt;
}

/// Follows all routes that switches may choose: a worm that arrives going up may go on where one that has gone down
/// may not. \returns nothing where some choice ends in a switch that knows no way on
std::optional<plan_checker::arrival> plan_checker::arrive(std::uint32_t from, arrival how, std::uint32_t to) {
    if (from == to) return how;
    if (ways_.distance_up.empty() || ways_.destination != to) routes_.find_routes(to, ways_);
    std::vector<std::pair<std::uint32_t, arrival>> open;
    std::vector<arrival> seen(network_.switches.size());
    const auto visit = [&](std::uint32_t chip, arrival state) {
        if ((seen[chip] & state) != 0) return;
        seen[chip] |= state;
        open.emplace_back(chip, state);
    };
    for (const arrival state : {gone_down, not_yet_down})
        if ((how & state) != 0) visit(from, state);
    while (!open.empty()) {
        const auto [chip, state] = open.back();
        open.pop_back();
        if (chip == to) continue;
        const std::uint64_t ports = state == gone_down ? ways_.ports_down[chip] : ways_.ports_up[chip];
        if (ports == 0) return std::nullopt;
        for (std::uint64_t left = ports; left != 0; left &= left - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(left));
            const bool up = routes_.direction(chip, port) == format::direction::up;
            visit(network_.switches[chip].ports[port].index, up ? not_yet_down : gone_down);
        }
    }
    return seen[to];
}

}  // namespace

std::optional<std::string> find_problem(const multicast_plan& plan, const routing::updown& routes,
                                        std::span<const std::uint32_t> destinations) {
    return plan_checker(routes).check(plan, destinations);
}

}  // namespace polycast::hw::collectives
