// SPDX-License-Identifier: Apache-2.0
// Section 2 of the page: what is decided about a packet.
#include <algorithm>

#include "testbench/equivalence/golden_router.h"

namespace polycast::testbench::equivalence {

using hw::engine::pins;
using hw::format::chip_error;

namespace {

constexpr unsigned unicast_kind = 0;
constexpr unsigned broadcast_kind = 4;
constexpr unsigned unicast_bytes = 13;
constexpr unsigned broadcast_bytes = 11;
constexpr unsigned field_byte = 10;  // destination, or the host port of a broadcast

bool pin(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

unsigned number_at(const std::vector<std::uint8_t>& header, unsigned first, unsigned count) {
    unsigned value = 0;
    for (unsigned byte = 0; byte < count; ++byte) value |= unsigned{header[first + byte]} << (8 * byte);
    return value;
}

unsigned kind_of(const std::vector<std::uint8_t>& header) {
    return header[0] % 16;
}

}  // namespace

unsigned golden_router::header_flits(const packet& last) const {
    if (params_.header_free) return 1;
    const auto flits = [this](unsigned count) { return (count + params_.flit_bytes - 1) / params_.flit_bytes; };
    if (kind_of(last.header) == unicast_kind) return flits(unicast_bytes);
    if (kind_of(last.header) == broadcast_kind) return flits(broadcast_bytes);
    return 1;
}

bool golden_router::is_known(const bytes& header) const {
    return kind_of(header) == unicast_kind || (kind_of(header) == broadcast_kind && params_.copies);
}

std::vector<golden_router::branch> golden_router::decide(unsigned port, const bytes& header, pins& out) const {
    const unsigned kind = kind_of(header);
    if (!is_known(header)) {
        raise(port, chip_error::bad_kind, out);
        return {};
    }
    std::vector<branch> branches = kind == unicast_kind ? route_unicast(header) : route_broadcast(port, header);
    const std::size_t none = std::erase_if(branches, [this](const branch& each) {
        return tables_.credits[each.output] == 0 || std::ranges::find(each.may_use, true) == each.may_use.end();
    });
    if (branches.empty()) {
        raise(port, chip_error::no_route, out);
    } else if (none != 0 && kind == broadcast_kind) {
        raise(port, chip_error::partial_route, out);
    }
    return branches;
}

unsigned golden_router::coordinate(std::uint32_t node, unsigned dimension) const {
    for (unsigned d = 0; d < dimension; ++d) node /= params_.radix;
    return node % params_.radix;
}

golden_router::channels golden_router::set_of(const bytes& header, bool side0, bool side1) const {
    const auto& sides = tables_.vc_sets[header[0] / 32];
    channels set(params_.vcs, false);
    for (unsigned vc = 0; vc < params_.vcs; ++vc)
        set[vc] = (side0 && pin(sides[0], vc)) || (side1 && pin(sides[1], vc));
    return set;
}

std::vector<golden_router::branch> golden_router::route_unicast(const bytes& header) const {
    const unsigned destination = number_at(header, field_byte, 3);
    const unsigned node = destination % params_.nodes();
    const unsigned first_host = 2 * params_.dimensions;
    const auto to = [&](unsigned output) {
        std::vector<branch> one(1);
        one.front().output = output;
        one.front().may_use = set_of(header, true, true);
        if (output >= first_host) return one;
        const unsigned own = coordinate(tables_.node, output / 2);
        const unsigned goal = coordinate(node, output / 2);
        const bool crosses = ring(output / 2) && (output % 2 == 0 ? goal < own : goal > own);
        one.front().may_use = set_of(header, crosses, !crosses);
        return one;
    };
    if (tables_.table) {
        const std::uint32_t mask = destination < tables_.route.size() ? tables_.route[destination] : 0;
        std::vector<branch> branches;
        for (unsigned port = 0; port < params_.ports; ++port) {
            if (!pin(mask, port)) continue;
            branches.push_back(to(port).front());
            if (tables_.select == hw::chips::route_select::lowest) break;
        }
        return branches;
    }
    const unsigned host_port = first_host + destination / params_.nodes();
    if (host_port >= params_.ports) return {};
    unsigned sum = 0;
    for (unsigned d = 0; d < params_.dimensions; ++d) sum += coordinate(tables_.node, d);
    for (unsigned d = 0; d < params_.dimensions; ++d) {
        const unsigned own = coordinate(tables_.node, d);
        const unsigned goal = coordinate(node, d);
        if (own == goal) continue;
        const unsigned way_up = (goal + params_.radix - own) % params_.radix;
        bool up = goal > own;
        if (ring(d)) up = 2 * way_up == params_.radix ? sum % 2 == 0 : 2 * way_up < params_.radix;
        return to(up ? 2 * d : 2 * d + 1);
    }
    return to(host_port);
}

/// Whether the tree goes on from here in a direction, and for how many hops.
bool golden_router::reaches(unsigned dimension, bool up, unsigned source, unsigned& hops) const {
    const unsigned own = coordinate(tables_.node, dimension);
    const unsigned radix = params_.radix;
    if (!ring(dimension)) {
        hops = up ? radix - 1 - own : own;
        return hops != 0;
    }
    const unsigned way = up ? (own + radix - source) % radix : (source + radix - own) % radix;
    const unsigned last = up ? radix / 2 : (radix - 1) / 2;
    if (way >= last) return false;
    hops = last - way;
    return true;
}

std::vector<golden_router::branch> golden_router::route_broadcast(unsigned input, const bytes& header) const {
    const unsigned source = number_at(header, 1, 3) % params_.nodes();
    const unsigned host_port = 2 * params_.dimensions + header[field_byte];
    if (tables_.table || host_port >= params_.ports) return {};
    const bool from_host = input >= 2 * params_.dimensions;
    std::vector<branch> branches;
    const auto add = [&](unsigned output, channels set) {
        branches.emplace_back();
        branches.back().output = output;
        branches.back().may_use = std::move(set);
    };
    for (unsigned output = 0; output < 2 * params_.dimensions; ++output) {
        const unsigned d = output / 2;
        const bool up = output % 2 == 0;
        if (!from_host && d < input / 2) continue;
        const bool came_up = input % 2 == 1;
        if (!from_host && d == input / 2 && up != came_up) continue;
        unsigned hops = 0;
        if (!reaches(d, up, coordinate(source, d), hops)) continue;
        const unsigned own = coordinate(tables_.node, d);
        const bool crosses = ring(d) && (up ? own + hops >= params_.radix : hops > own);
        add(output, set_of(header, crosses, !crosses));
    }
    if (tables_.node != source) add(host_port, set_of(header, true, true));
    return branches;
}

}  // namespace polycast::testbench::equivalence
