// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/irregular.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/input_error.h"

namespace polycast::hw::topology {
namespace {

struct slot {
    std::uint32_t chip;
    std::uint16_t port;

    auto operator<=>(const slot&) const = default;
};

void shuffle(std::vector<slot>& slots, std::mt19937_64& generator) {
    for (std::size_t left = slots.size(); left > 1; --left)
        std::swap(slots[left - 1], slots[draw_below(generator, left)]);
}

std::uint64_t cabled_ports(const irregular_params& params) {
    if (params.switches == 1) return 0;  // nothing to cable to
    const double open = static_cast<double>(std::uint64_t{params.switches} * params.ports - params.hosts);
    // The small addend keeps 0.7 * 20 at 14, although 0.7 is a little less than 7/10 in binary.
    const auto wanted = static_cast<std::uint64_t>(std::floor(params.connectivity * open + 1e-6));
    return wanted - wanted % 2;
}

void check(const irregular_params& params) {
    const auto range = [](const std::string& what, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
        if (value < low || value > high)
            throw input_error("irregular network: " + what + " = " + std::to_string(value),
                              "it must be " + std::to_string(low) + " to " + std::to_string(high));
    };
    range("switches", params.switches, 1, max_switches);
    range("ports", params.ports, 2, max_switch_ports);
    range("hosts", params.hosts, 2, max_hosts);
    if (!(params.connectivity >= 0 && params.connectivity <= 1))
        throw input_error("irregular network: connectivity = " + std::to_string(params.connectivity),
                          "it must be 0 to 1");
    const std::uint64_t ports = std::uint64_t{params.switches} * params.ports;
    if (params.hosts > ports)
        throw input_error("irregular network: " + std::to_string(params.hosts) + " hosts do not fit on " +
                          std::to_string(ports) + " ports");
    const std::uint64_t needed = 2 * (std::uint64_t{params.switches} - 1);
    const std::uint64_t cabled = cabled_ports(params);
    if (cabled < needed)
        throw input_error("irregular network: " + std::to_string(params.switches) + " switches need " +
                              std::to_string(needed) + " ports to be connected, but only " + std::to_string(cabled) +
                              " are cabled to switches",
                          "raise connectivity or ports, or lower hosts");
    if (params.placement == host_placement::even &&
        (params.hosts + params.switches - 1) / params.switches > params.ports)
        throw input_error("irregular network: the hosts of one switch do not fit on its ports");
}

/// Moves the slots of hosts to the front and puts all others behind them, in random order.
std::vector<slot> draw_slots(const irregular_params& params, std::mt19937_64& generator) {
    std::vector<slot> slots;
    slots.reserve(std::size_t{params.switches} * params.ports);
    if (params.placement == host_placement::random) {
        for (std::uint32_t s = 0; s < params.switches; ++s)
            for (std::uint16_t p = 0; p < params.ports; ++p) slots.push_back({s, p});
        shuffle(slots, generator);
        return slots;
    }
    std::vector<slot> others, own;
    for (std::uint32_t s = 0; s < params.switches; ++s) {
        own.clear();
        for (std::uint16_t p = 0; p < params.ports; ++p) own.push_back({s, p});
        shuffle(own, generator);
        const unsigned here = params.hosts / params.switches + (s < params.hosts % params.switches ? 1 : 0);
        slots.insert(slots.end(), own.begin(), own.begin() + here);
        others.insert(others.end(), own.begin() + here, own.end());
    }
    shuffle(others, generator);
    slots.insert(slots.end(), others.begin(), others.end());
    return slots;
}

/// Pairs the first `cabled` of `open` between different switches. \returns false when the last ones are all of one
/// switch
bool pair_slots(std::vector<slot> open, std::uint64_t cabled, std::mt19937_64& generator, graph& network) {
    open.resize(cabled);
    while (!open.empty()) {
        const slot a = open.back();
        open.pop_back();
        std::size_t partner = draw_below(generator, open.size());
        if (open[partner].chip == a.chip) {
            std::vector<std::size_t> others;
            for (std::size_t i = 0; i < open.size(); ++i)
                if (open[i].chip != a.chip) others.push_back(i);
            if (others.empty()) return false;
            partner = others[draw_below(generator, others.size())];
        }
        const slot b = open[partner];
        open[partner] = open.back();
        open.pop_back();
        network.connect(a.chip, a.port, b.chip, b.port);
    }
    return true;
}

/// True when some switch has no slot to cable: most draws of large networks fail already here, before anything is
/// built.
bool cuts_off_a_switch(std::span<const slot> cabled, unsigned switches) {
    std::vector<bool> joined(switches, switches == 1);
    for (const slot& one : cabled) joined[one.chip] = true;
    return std::find(joined.begin(), joined.end(), false) != joined.end();
}

}  // namespace

std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
    // The 2^64 mod bound lowest values are drawn again, so that every remainder is equally likely.
    const std::uint64_t uneven = (0 - bound) % bound;
    std::uint64_t value = generator();
    while (value < uneven) value = generator();
    return value % bound;
}

graph make_irregular(const irregular_params& params) {
    check(params);
    std::mt19937_64 generator(params.seed);
    const std::uint64_t cabled = cabled_ports(params);
    for (unsigned attempt = 0; attempt < irregular_attempts; ++attempt) {
        std::vector<slot> slots = draw_slots(params, generator);
        if (cuts_off_a_switch(std::span(slots).subspan(params.hosts, cabled), params.switches)) continue;
        const auto middle = slots.begin() + params.hosts;
        std::sort(slots.begin(), middle);
        graph network;
        for (std::uint32_t s = 0; s < params.switches; ++s)
            network.add_switch("switch" + std::to_string(s), params.ports);
        for (auto host = slots.begin(); host != middle; ++host)
            network.attach_host("host" + std::to_string(network.hosts.size()), host->chip, host->port);
        if (pair_slots({middle, slots.end()}, cabled, generator, network) && !find_problem(network)) return network;
    }
    throw input_error(
        "irregular network: none of " + std::to_string(irregular_attempts) + " draws was connected",
        params.placement == host_placement::random
            ? "raise connectivity or ports, lower hosts, or spread the hosts evenly (host_placement: even)"
            : "raise connectivity or ports, or lower hosts");
}

}  // namespace polycast::hw::topology
