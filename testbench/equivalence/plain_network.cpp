// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/plain_network.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "hw/format/header.h"

namespace polycast::testbench::equivalence {

using hw::chips::router_params;
using hw::chips::router_tables;
using hw::engine::pins;

namespace {

std::uint64_t stride(const router_params& params, unsigned dimension) {
    std::uint64_t nodes = 1;
    for (unsigned d = 0; d < dimension; ++d) nodes *= params.radix;
    return nodes;
}

unsigned coordinate(const router_params& params, std::uint32_t node, unsigned dimension) {
    return static_cast<unsigned>(node / stride(params, dimension) % params.radix);
}

bool up(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

template <typename Range>
void copy_part(const Range& from, unsigned from_port, Range& to, unsigned to_port, unsigned size) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_port * size), size,
                to.begin() + static_cast<std::ptrdiff_t>(to_port * size));
}

}  // namespace

std::vector<unsigned> mesh_edges(const router_params& params, const router_tables& tables) {
    std::vector<unsigned> credits(params.ports, params.vc_flits);
    for (unsigned d = 0; d < params.dimensions && params.ports > params.first_host_port(); ++d) {
        if (up(tables.wrap, d)) continue;
        const unsigned own = coordinate(params, tables.node, d);
        if (own + 1 == params.radix) credits[2 * d] = 0;
        if (own == 0) credits[2 * d + 1] = 0;
    }
    return credits;
}

std::vector<router_tables> mesh_tables(const router_params& params, const router_tables& common) {
    std::vector<router_tables> all(params.nodes(), common);
    for (std::uint32_t node = 0; node < all.size(); ++node) {
        all[node].node = node;
        all[node].credits = mesh_edges(params, all[node]);
    }
    return all;
}

plain_network::plain_network(const router_params& params, const router_tables& common, const make_router& make)
    : params_(params), shape_(params.pin_shape()) {
    for (const router_tables& tables : mesh_tables(params, common)) routers_.push_back(make(params, tables));
    in_.assign(routers_.size(), pins(shape_));
    next_in_ = out_ = in_;
    source empty;
    empty.waiting.resize(params.vcs);
    empty.sent.resize(params.vcs);
    empty.credits.assign(params.vcs, params.vc_flits);
    sources_.assign(routers_.size(), empty);
    partial_.resize(routers_.size() * params.ports * params.vcs);
}

std::uint32_t plain_network::neighbour(std::uint32_t node, unsigned port) const {
    const auto step = static_cast<std::uint32_t>(stride(params_, port / 2));
    const unsigned own = coordinate(params_, node, port / 2);
    const unsigned other = (own + (port % 2 == 0 ? 1 : params_.radix - 1)) % params_.radix;
    return node - own * step + other * step;
}

std::uint32_t plain_network::send(const packet& what) {
    const auto number = static_cast<std::uint32_t>(packets_.size());
    packets_.push_back(what);
    sources_[what.source].waiting[what.vc].push_back(number);
    return number;
}

/// What is on the output pins of a router now is on the input pins at the other ends in the next cycle.
void plain_network::carry(std::uint32_t node) {
    const pins& out = out_[node];
    if (out.error != 0)
        throw std::logic_error("router " + std::to_string(node) + " raises an error in cycle " + std::to_string(now_));
    for (unsigned port = 0; port < params_.ports; ++port) {
        const bool to_host = port >= params_.first_host_port();
        const unsigned far = port ^ 1u;
        if (up(out.valid, port)) {
            const unsigned vc = out.vc.empty() ? 0 : out.vc[port];
            if (to_host) {
                receive(node, port, vc, out);
            } else {
                pins& in = next_in_[neighbour(node, port)];
                const std::uint64_t mask = std::uint64_t{1} << far;
                in.valid |= mask;
                if (up(out.head, port)) in.head |= mask;
                if (up(out.tail, port)) in.tail |= mask;
                if (!in.vc.empty()) in.vc[far] = static_cast<std::uint8_t>(vc);
                copy_part(out.data, port, in.data, far, shape_.flit_bytes);
                copy_part(out.header, port, in.header, far, shape_.header_bytes);
                ++flit_hops_;
            }
        }
        if (up(out.credit, port)) {
            const unsigned vc = out.credit_vc.empty() ? 0 : out.credit_vc[port];
            if (to_host) {
                if (port == params_.first_host_port()) ++sources_[node].credits[vc];
            } else {
                pins& in = next_in_[neighbour(node, port)];
                in.credit |= std::uint64_t{1} << far;
                if (!in.credit_vc.empty()) in.credit_vc[far] = static_cast<std::uint8_t>(vc);
            }
        }
    }
}

/// A host takes a flit and gives its credit back at once.
void plain_network::receive(std::uint32_t node, unsigned port, unsigned vc, const pins& out) {
    delivery& current = partial_[(node * params_.ports + port) * params_.vcs + vc];
    if (up(out.head, port)) {
        const std::uint8_t* header =
            params_.header_free ? &out.header[port * shape_.header_bytes] : &out.data[port * shape_.flit_bytes];
        current = {hw::format::read_common(header).sequence, node, port, 0, now_ + 1, 0};
    }
    ++current.flits;
    if (up(out.tail, port)) {
        current.tail = now_ + 1;
        delivered_.push_back(current);
    }
    next_in_[node].credit |= std::uint64_t{1} << port;
    if (!next_in_[node].credit_vc.empty()) next_in_[node].credit_vc[port] = static_cast<std::uint8_t>(vc);
}

/// A flit of one of the VCs that have one to send and a credit, in turn.
void plain_network::inject(std::uint32_t node) {
    source& from = sources_[node];
    pins& in = in_[node];
    const unsigned port = params_.first_host_port();
    for (unsigned offset = 0; offset < params_.vcs; ++offset) {
        const unsigned vc = (from.pointer + offset) % params_.vcs;
        if (from.waiting[vc].empty() || from.credits[vc] == 0) continue;
        const std::uint32_t number = from.waiting[vc].front();
        const packet& what = packets_[number];
        if (what.sent > now_) continue;
        const std::uint64_t mask = std::uint64_t{1} << port;
        in.valid |= mask;
        if (!in.vc.empty()) in.vc[port] = static_cast<std::uint8_t>(vc);
        --from.credits[vc];
        ++flit_hops_;
        from.pointer = (vc + 1) % params_.vcs;
        if (from.sent[vc] == 0) {
            in.head |= mask;
            std::uint8_t* header =
                params_.header_free ? &in.header[port * shape_.header_bytes] : &in.data[port * shape_.flit_bytes];
            hw::format::common_header common;
            common.kind = what.broadcast ? hw::format::packet_kind::broadcast : hw::format::packet_kind::unicast;
            common.source = what.source;
            common.sequence = number;
            common.vc_class = static_cast<std::uint8_t>(what.vc_class);
            hw::format::write_common(common, header);
            if (what.broadcast) {
                hw::format::write_field<hw::format::broadcast_port_field>(header, what.destination);
            } else {
                hw::format::write_field<hw::format::destination_field>(header, what.destination);
            }
        }
        if (++from.sent[vc] == what.flits) {
            in.tail |= mask;
            from.sent[vc] = 0;
            from.waiting[vc].pop_front();
        }
        return;
    }
}

void plain_network::step() {
    for (std::uint32_t node = 0; node < routers_.size(); ++node) inject(node);
    for (std::uint32_t node = 0; node < routers_.size(); ++node) carry(node);
    for (std::uint32_t node = 0; node < routers_.size(); ++node) {
        out_[node].clear();
        routers_[node]->step(now_, in_[node], out_[node]);
        in_[node].clear();
    }
    std::swap(in_, next_in_);
    ++now_;
}

bool plain_network::quiet() const {
    for (std::uint32_t node = 0; node < routers_.size(); ++node) {
        if (!routers_[node]->idle() || !in_[node].quiet()) return false;
        for (const auto& queue : sources_[node].waiting) {
            if (!queue.empty()) return false;
        }
    }
    return true;
}

bool plain_network::run(std::uint64_t end) {
    while (now_ < end && !quiet()) step();
    return quiet();
}

}  // namespace polycast::testbench::equivalence
