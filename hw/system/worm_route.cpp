// SPDX-License-Identifier: Apache-2.0
#include "hw/system/worm_route.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/chips/router/router_route.h"
#include "hw/format/header.h"
#include "hw/format/packet_size.h"

namespace polycast::hw::system {

namespace {

using format::packet_kind;

bool contains(const chips::bit_string& string, std::uint32_t host) {
    return (string[host / 64] >> host % 64 & 1) != 0;
}

/// A packet on its way.
class traveller {
public:
    traveller(const system_plan& plan, std::uint32_t source) : plan_(plan), chip_(plan.network.hosts[source].chip) {}

    /// Takes the lowest of `ports`.
    void go(std::uint64_t ports) {
        const auto port = static_cast<unsigned>(std::countr_zero(ports));
        up_ = up_ && tables().port_direction[port] == format::direction::up;
        step(port);
    }

    /// Through routers, by the lowest port of a route.
    void go_to_terminal(std::uint32_t to) {
        while (chip_ != plan_.network.hosts[to].chip) {
            const chips::router_tables& tables = plan_.router_at(chip_).tables;
            if (tables.table) {
                step(static_cast<unsigned>(std::countr_zero(tables.route[to])));
                continue;
            }
            const chips::route_rules rules(plan_.router_at(chip_).params, tables);
            const chips::route_place place(rules, tables.node, tables.credits);
            const std::uint16_t way = chips::route_unicast(rules, place, {}, to, 0).info;
            step(way & chips::flit_info::output_mask);
        }
    }

    void go_to_switch(std::uint32_t to) {
        while (chip_ != to) go((up_ ? tables().switch_up : tables().switch_down)[to]);
    }

    /// Up until all `hosts` lie below.
    void go_above(const std::vector<std::uint32_t>& hosts) {
        const auto covers = [&] {
            for (const std::uint32_t host : hosts)
                if (!contains(tables().reach_total, host)) return false;
            return true;
        };
        while (!covers()) {
            std::uint64_t ports = 0;
            for (unsigned port = 0; port < tables().port_direction.size(); ++port)
                if (tables().port_direction[port] == format::direction::up) ports |= std::uint64_t{1} << port;
            if ((ports & tables().tree_up) == 0) return;
            go(ports & tables().tree_up);
        }
    }

    /// Down, along the strings.
    void go_down_to_host(std::uint32_t host) {
        while (chip_ != plan_.network.hosts[host].chip) {
            unsigned port = 0;
            while (tables().reach_port[port].empty() || !contains(tables().reach_port[port], host)) ++port;
            go(std::uint64_t{1} << port);
        }
    }

    /// Switches and the ports that it left them by.
    const std::vector<topology::link::end>& way() const { return way_; }
    /// Switches, the one that it is at included.
    unsigned passed() const { return static_cast<unsigned>(way_.size() + 1); }

private:
    const chips::switch_tables& tables() const { return plan_.switch_at(chip_).tables; }

    void step(unsigned port) {
        way_.push_back({chip_, static_cast<std::uint16_t>(port)});
        chip_ = plan_.network.switches[chip_].ports[port].index;
    }

    const system_plan& plan_;
    std::uint32_t chip_;
    bool up_ = true;
    std::vector<topology::link::end> way_;
};

/// Calls `arrive(traveller, copies)` for each place that a packet, or a copy of it, gets to, in order of its hosts.
template <typename visitor>
void follow(const system_plan& plan, std::uint32_t source, const collectives::transmission& sent, visitor arrive) {
    traveller worm(plan, source);
    switch (sent.kind) {
        case packet_kind::unicast:
            if (plan.has_routers()) {
                worm.go_to_terminal(sent.hosts.front());
            } else {
                worm.go_to_switch(plan.network.hosts[sent.hosts.front()].chip);
            }
            arrive(worm, 1);
            break;
        case packet_kind::tree:
            worm.go_above(sent.hosts);
            for (const std::uint32_t host : sent.hosts) {
                traveller copy = worm;
                copy.go_down_to_host(host);
                arrive(copy, 1);
            }
            break;
        case packet_kind::ssr:
        case packet_kind::path:
            for (const format::stop& stop : sent.stops) {
                worm.go_to_switch(stop.chip);
                arrive(worm, std::popcount(stop.ports));
            }
            break;
        case packet_kind::broadcast:
        case packet_kind::pipelined: break;  // routers only
        case packet_kind::lid: break;        // VL switches only
    }
}

}  // namespace

std::vector<unsigned> switches_passed(const system_plan& plan, std::uint32_t source,
                                      const collectives::transmission& sent) {
    std::vector<unsigned> passed;
    follow(plan, source, sent, [&](const traveller& at, int copies) {
        passed.insert(passed.end(), static_cast<std::size_t>(copies), at.passed());
    });
    return passed;
}

std::vector<topology::link::end> links_taken(const system_plan& plan, std::uint32_t source,
                                             const collectives::transmission& sent) {
    std::vector<topology::link::end> taken;
    follow(plan, source, sent,
           [&](const traveller& at, int) { taken.insert(taken.end(), at.way().begin(), at.way().end()); });
    const auto key = [](const topology::link::end& one) { return std::pair(one.chip, one.port); };
    std::ranges::sort(taken, {}, key);
    taken.erase(std::ranges::unique(taken).begin(), taken.end());
    return taken;
}

unsigned header_flits_of(const system_plan& plan, const collectives::transmission& sent) {
    if (plan.params.header_free) return 1;
    const format::header_shape shape = plan.header_shape();
    const unsigned bytes = sent.kind == packet_kind::path
                               ? format::path_header_bytes(shape, static_cast<unsigned>(sent.stops.size()))
                               : format::longest_header_bytes(sent.kind, shape);
    return format::header_flits(bytes, plan.params.flit_bytes);
}

unsigned flits_of(const system_plan& plan, const collectives::transmission& sent, unsigned payload) {
    const packet_sizes sizes = plan.sizes();
    const unsigned body = format::body_flits(payload, sizes.flit_bytes, sizes.header_free, sizes.jobs);
    return sizes.header_free ? body : header_flits_of(plan, sent) + body;
}

}  // namespace polycast::hw::system
