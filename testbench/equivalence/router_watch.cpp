// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/router_watch.h"

#include <array>
#include <bit>
#include <stdexcept>

#include "hw/format/header.h"

namespace polycast::testbench::equivalence {

using hw::chips::route_select;
using hw::chips::router_allocator;
using hw::chips::vc_policy;
using hw::engine::chip_probe;
using hw::engine::pins;

namespace {

constexpr unsigned dropped = 3;

// What happens to a packet, by kind; what about it; and what happens in allocation.
constexpr std::array all_cases{
    "unicast forwarded",
    "unicast no_route",
    "unicast short_header",
    "table forwarded",
    "table no_route",
    "table short_header",
    "broadcast forwarded",
    "broadcast copied",
    "broadcast partial_route",
    "broadcast no_route",
    "broadcast short_header",
    "broadcast bad_kind",
    "other bad_kind",
    "routed at the front",
    "routed behind another",
    "header of several flits",
    "free header",
    "unicast up",
    "unicast down",
    "unicast to host",
    "unicast to second unit",
    "unicast without host port",
    "unicast into an open port",
    "unicast half a ring, even",
    "unicast half a ring, odd",
    "unicast across the end of a ring",
    "unicast within a ring",
    "unicast back to its port",
    "table lowest of several",
    "table empty mask",
    "table beyond its end",
    "table in a ring",
    "choice: none is possible",
    "choice: one is possible",
    "choice: least loaded of several",
    "choice: random of several",
    "choice: not the lowest",
    "choice: sides differ",
    "broadcast at its source",
    "broadcast of another node from a host",
    "broadcast on its way up",
    "broadcast on its way down",
    "broadcast ends here",
    "broadcast without host port",
    "broadcast with a table",
    "broadcast in a ring",
    "empty set of VCs",
    "any: same VC",
    "any: other VC",
    "keep: same VC",
    "keep: other VC",
    "separable 1 grant",
    "separable 2 grant",
    "separable 3 grant",
    "separable 4 grant",
    "iSLIP 1 grant",
    "iSLIP 2 grant",
    "iSLIP 3 grant",
    "iSLIP 4 grant",
    "separable drain",
    "iSLIP drain",
    "grant with reserve",
    "waiting for reserve",
    "waiting for a VC",
    "some branches granted, some not",
    "two VCs of an input active",
    "packets interleaved on a link",
    "flit through several crossbar stages",
};

unsigned kind_of(const std::vector<std::uint8_t>& header) {
    return header[0] & 0xfu;
}

bool is(std::uint64_t mask, unsigned bit) {
    return (mask >> bit & 1) != 0;
}

constexpr auto unicast_kind = static_cast<unsigned>(hw::format::packet_kind::unicast);
constexpr auto broadcast_kind = static_cast<unsigned>(hw::format::packet_kind::broadcast);

}  // namespace

router_watch::router_watch(const hw::chips::router_params& params, const hw::chips::router_tables& tables)
    : params_(params), tables_(tables), packets_(params.pin_shape(), hw::format::unicast_header_bytes) {
    for (const char* what : all_cases) counts_[what] = 0;
    reset();
}

void router_watch::reset() {
    packets_.reset();
    begun_.assign(params_.ports, 0);
}

void router_watch::met(const std::string& what) {
    ++counts_.at(what);
}

unsigned router_watch::coordinate(std::uint64_t node, unsigned dimension) const {
    for (unsigned d = 0; d < dimension; ++d) node /= params_.radix;
    return static_cast<unsigned>(node % params_.radix);
}

void router_watch::see(const pins& in, const pins& out, const chip_probe& before, const chip_probe& after) {
    for (unsigned port = 0; port < params_.ports; ++port) {
        packets_.arrive(port, in, out);
        leave(port, out);
        if (is(out.error, port) &&
            (out.errors[port] & static_cast<unsigned>(hw::format::chip_error::partial_route)) != 0)
            met("broadcast partial_route");
        for (unsigned vc = 0; vc < params_.vcs; ++vc) {
            const chip_probe::input& now = after.inputs[port * params_.vcs + vc];
            if (now.state < 2) continue;
            if (packets_.waiting(port, vc).empty()) throw std::logic_error("a packet is routed that never came");
            held_packets::packet& front = packets_.waiting(port, vc).front();
            if (front.decided) continue;
            front.decided = true;
            const bool behind_another = before.inputs[port * params_.vcs + vc].state >= 2;
            decided(port, front, now.state == dropped ? 0 : now.waiting, behind_another);
        }
    }
    outputs(out, before, after);
    inputs(before, after);
}

/// A credit goes back: a flit of the packet at the front is gone.
void router_watch::leave(unsigned port, const pins& out) {
    if (!is(out.credit, port)) return;
    auto& waiting = packets_.waiting(port, out.credit_vc.empty() ? 0 : out.credit_vc[port]);
    if (waiting.empty()) throw std::logic_error("a credit for a flit that never came");
    held_packets::packet& front = waiting.front();
    ++front.gone;
    if (front.closed && front.gone == front.stored) waiting.pop_front();
}

void router_watch::decided(unsigned port, const held_packets::packet& front, std::uint64_t branches,
                           bool behind_another) {
    const unsigned kind = kind_of(front.header);
    const bool known = kind == unicast_kind || kind == broadcast_kind;
    met(behind_another ? "routed behind another" : "routed at the front");
    if (!known) return met("other bad_kind");
    const std::string name = kind == broadcast_kind ? "broadcast " : tables_.table ? "table " : "unicast ";
    if (front.bad) return met(name + "short_header");
    if (params_.header_free) {
        met("free header");
    } else if (params_.flit_bytes < hw::format::broadcast_header_bytes) {
        met("header of several flits");
    }
    if (kind == broadcast_kind && !params_.copies) return met("broadcast bad_kind");
    met(name + (branches == 0 ? "no_route" : std::popcount(branches) == 1 ? "forwarded" : "copied"));
    const unsigned vc_class = hw::format::vc_class_of(front.header.data());
    if (branches == 0 && tables_.vc_sets[vc_class][0] == 0 && tables_.vc_sets[vc_class][1] == 0)
        met("empty set of VCs");
    if (kind == unicast_kind) {
        unicast(front.header, branches);
        if (branches == std::uint64_t{1} << port) met("unicast back to its port");
    } else {
        broadcast(port, front.header, branches);
    }
}

void router_watch::unicast(const bytes& header, std::uint64_t branches) {
    const std::uint32_t destination = hw::format::destination_of(header.data());
    const auto output = static_cast<unsigned>(branches == 0 ? 0 : std::countr_zero(branches));
    if (tables_.table) {
        const bool listed = destination < tables_.route.size();
        if (!listed) met("table beyond its end");
        if (listed && tables_.route[destination] == 0) met("table empty mask");
        if (tables_.select != route_select::lowest) {
            if (listed && tables_.route[destination] != 0) choice(header, tables_.route[destination], branches);
        } else if (branches != 0 && std::popcount(tables_.route[destination]) > 1) {
            met("table lowest of several");
        }
        if (branches != 0 && output < params_.first_host_port() && is(tables_.wrap, output / 2)) met("table in a ring");
        return;
    }
    if (params_.first_host_port() + destination / params_.nodes() >= params_.ports)
        return met("unicast without host port");
    if (branches == 0) return met("unicast into an open port");
    if (output >= params_.first_host_port())
        return met(output == params_.first_host_port() ? "unicast to host" : "unicast to second unit");
    const unsigned d = output / 2;
    const bool up = output % 2 == 0;
    met(up ? "unicast up" : "unicast down");
    if (!is(tables_.wrap, d)) return;
    const unsigned own = coordinate(tables_.node, d);
    const unsigned goal = coordinate(destination % params_.nodes(), d);
    const unsigned apart = (goal + params_.radix - own) % params_.radix;
    if (2 * apart == params_.radix) met(up ? "unicast half a ring, even" : "unicast half a ring, odd");
    met((up ? goal < own : goal > own) ? "unicast across the end of a ring" : "unicast within a ring");
}

/// `ports`: what the route table says.
void router_watch::choice(const bytes& header, std::uint64_t ports, std::uint64_t branches) {
    const auto& sets = tables_.vc_sets[hw::format::vc_class_of(header.data())];
    const std::uint64_t node = hw::format::destination_of(header.data()) % params_.nodes();
    std::uint64_t possible = 0;
    unsigned sides = 0;
    for (unsigned port = 0; port < params_.ports; ++port) {
        if (!is(ports, port) || tables_.credits[port] == 0) continue;
        const unsigned d = port / 2;
        unsigned side = 3;
        if (d < params_.dimensions) {
            const unsigned own = coordinate(tables_.node, d);
            const unsigned goal = coordinate(node, d);
            side = is(tables_.wrap, d) && (port % 2 == 0 ? goal < own : goal > own) ? 1 : 2;
        }
        const unsigned set = (is(side, 0) ? sets[0] : 0u) | (is(side, 1) ? sets[1] : 0u);
        if (set == 0) continue;
        possible |= std::uint64_t{1} << port;
        sides |= 1u << side;
    }
    if ((branches & ~possible) != 0) throw std::logic_error("a packet goes to a port that is not possible");
    if (possible == 0) return met("choice: none is possible");
    if (std::popcount(possible) == 1) return met("choice: one is possible");
    met(tables_.select == route_select::random ? "choice: random of several" : "choice: least loaded of several");
    if (branches != (possible & (~possible + 1))) met("choice: not the lowest");
    if (is(sides, 1) && is(sides, 2)) met("choice: sides differ");
}

void router_watch::broadcast(unsigned port, const bytes& header, std::uint64_t branches) {
    if (tables_.table) return met("broadcast with a table");
    const unsigned first_host = params_.first_host_port();
    const unsigned host = first_host + hw::format::read_field<hw::format::broadcast_port_field>(header.data());
    if (host >= params_.ports) return met("broadcast without host port");
    const bool own = hw::format::read_field<hw::format::source_field>(header.data()) % params_.nodes() == tables_.node;
    if (own) met("broadcast at its source");
    if (!own && port >= first_host) met("broadcast of another node from a host");
    if (port < first_host) met(port % 2 == 1 ? "broadcast on its way up" : "broadcast on its way down");
    if (branches == std::uint64_t{1} << host) met("broadcast ends here");
    for (unsigned output = 0; output < first_host; ++output) {
        if (is(branches, output) && is(tables_.wrap, output / 2)) return met("broadcast in a ring");
    }
}

void router_watch::outputs(const pins& out, const chip_probe& before, const chip_probe& after) {
    for (std::size_t entry = 0; entry < after.outputs.size(); ++entry) {
        const chip_probe::output& now = after.outputs[entry];
        if (before.outputs[entry].held || !now.held) continue;
        const bool same = now.holder % params_.vcs == entry % params_.vcs;
        met(std::string(tables_.policy == vc_policy::any ? "any: " : "keep: ") + (same ? "same VC" : "other VC"));
        if (tables_.reserve > 1) met("grant with reserve");
        met((tables_.allocator == router_allocator::separable ? "separable " : "iSLIP ") +
            std::to_string(tables_.iterations) + " grant");
    }
    for (std::uint64_t set = out.valid; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const unsigned mask = 1u << (out.vc.empty() ? 0 : out.vc[port]);
        if (params_.xbar_stages > 1) met("flit through several crossbar stages");
        if ((begun_[port] & ~mask) != 0) met("packets interleaved on a link");
        begun_[port] = is(out.tail, port) ? begun_[port] & ~mask : begun_[port] | mask;
    }
}

void router_watch::inputs(const chip_probe& before, const chip_probe& after) {
    for (unsigned port = 0; port < params_.ports; ++port) {
        unsigned active = 0;
        for (unsigned vc = 0; vc < params_.vcs; ++vc) {
            const chip_probe::input& now = after.inputs[port * params_.vcs + vc];
            if (now.state == 2) ++active;
            if (now.state == dropped && before.inputs[port * params_.vcs + vc].occupied > now.occupied)
                met(tables_.allocator == router_allocator::separable ? "separable drain" : "iSLIP drain");
            if (now.reading != 0 && now.waiting != 0) met("some branches granted, some not");
            for (std::uint64_t set = now.waiting; set != 0; set &= set - 1) {
                const auto output = static_cast<unsigned>(std::countr_zero(set));
                bool all_held = true;
                bool too_few = false;
                for (unsigned other = 0; other < params_.vcs; ++other) {
                    const chip_probe::output& channel = after.outputs[output * params_.vcs + other];
                    if (!channel.held) all_held = false;
                    if (!channel.held && channel.credits != 0 && channel.credits < tables_.reserve) too_few = true;
                }
                if (all_held) met("waiting for a VC");
                if (too_few) met("waiting for reserve");
            }
        }
        if (active > 1) met("two VCs of an input active");
    }
}

}  // namespace polycast::testbench::equivalence
