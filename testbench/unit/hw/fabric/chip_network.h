// SPDX-License-Identifier: Apache-2.0
/// \file The network that a fabric has to equal: router_core chips and hosts on the engine, every pin driven.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "hw/chips/router/router_core.h"
#include "hw/engine/network.h"
#include "hw/fabric/terminals.h"
#include "hw/format/header.h"

namespace polycast::testbench::unit {

/// [source, number of the packet there, terminal where it arrives] cycle in which its tail is on the input pins.
using arrival_map = std::map<std::array<std::uint32_t, 3>, hw::engine::cycle>;

/// A host as hw/fabric/terminals.h describes one.
class host_chip final : public hw::engine::chip {
public:
    host_chip(const hw::fabric::fabric_params& params, std::uint32_t number, arrival_map& arrivals)
        : shape_{1, params.router.flit_bytes, params.router.pin_shape().header_bytes, params.router.vcs},
          tables_(params.tables),
          number_(number),
          credits_(params.router.vcs, params.router.vc_flits),
          arrivals_(&arrivals) {}

    void send(const hw::fabric::send_order& order) { queue_.push_back(order); }
    /// Flits that came to the wrong host or with the wrong byte, and packets that came twice.
    unsigned faults() const { return faults_; }

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return queue_.empty(); }

    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (in.valid != 0) take(now, in, out);
        if (!queue_.empty() && queue_.front().birth <= now) put(out);
        if (in.credit != 0) ++credits_[in.credit_vc.empty() ? 0 : in.credit_vc[0]];
        return queue_.empty() ? hw::engine::never : std::max(now + 1, queue_.front().birth);
    }

private:
    void put(hw::engine::pins& out) {
        const hw::fabric::send_order& packet = queue_.front();
        if (flit_ == 0) {
            const auto& sides = tables_.vc_sets[packet.service_class];
            unsigned turn = 0;
            while (turn < shape_.vcs) {
                const unsigned vc = (pointer_ + turn) % shape_.vcs;
                if (((sides[0] | sides[1]) >> vc & 1) != 0 && credits_[vc] >= tables_.reserve) break;
                ++turn;
            }
            if (turn == shape_.vcs) return;
            vc_ = (pointer_ + turn) % shape_.vcs;
            pointer_ = vc_ + 1;
        }
        if (credits_[vc_] == 0) return;
        --credits_[vc_];
        out.valid = 1;
        out.head = flit_ == 0 ? 1 : 0;
        if (!out.vc.empty()) out.vc[0] = static_cast<std::uint8_t>(vc_);
        std::ranges::fill(out.data, payload(number_, sent_, flit_));
        if (flit_ == 0) write_header(packet, out);
        if (++flit_ < packet.flits) return;
        out.tail = 1;
        flit_ = 0;
        ++sent_;
        queue_.pop_front();
    }

    /// Every byte of a flit, but those of the header; the last one is checked.
    static std::uint8_t payload(std::uint32_t source, std::uint32_t sequence, unsigned flit) {
        return static_cast<std::uint8_t>(source * 7 + sequence * 31 + flit);
    }

    void write_header(const hw::fabric::send_order& packet, hw::engine::pins& out) const {
        std::ranges::fill(out.header, std::uint8_t{0});
        std::uint8_t* bytes = shape_.header_bytes == 0 ? out.data.data() : out.header.data();
        using hw::format::packet_kind;
        const packet_kind kind = packet.broadcast ? packet_kind::broadcast : packet_kind::unicast;
        hw::format::write_common({kind, true, number_, sent_, packet.flits, packet.service_class}, bytes);
        if (packet.broadcast) {
            hw::format::write_field<hw::format::broadcast_port_field>(bytes, packet.destination);
        } else {
            hw::format::write_field<hw::format::destination_field>(bytes, packet.destination);
        }
    }

    void take(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
        const unsigned vc = in.vc.empty() ? 0 : in.vc[0];
        out.credit = 1;
        if (!out.credit_vc.empty()) out.credit_vc[0] = static_cast<std::uint8_t>(vc);
        if (in.head != 0) {
            const std::uint8_t* bytes = shape_.header_bytes == 0 ? in.data.data() : in.header.data();
            const auto header = hw::format::read_common(bytes);
            const bool unicast = header.kind == hw::format::packet_kind::unicast;
            if (unicast && hw::format::destination_of(bytes) != number_) ++faults_;
            inside_[vc] = {{header.source, header.sequence}, 0};
        }
        auto& [name, flits] = inside_[vc];
        if (in.data.back() != payload(name.first, name.second, flits++)) ++faults_;
        const std::array arrived{name.first, name.second, number_};
        if (in.tail != 0 && !arrivals_->emplace(arrived, now).second) ++faults_;
    }

    hw::engine::pin_shape shape_;
    hw::chips::router_tables tables_;
    std::uint32_t number_;
    std::vector<unsigned> credits_;
    arrival_map* arrivals_;
    unsigned faults_ = 0;
    std::deque<hw::fabric::send_order> queue_;
    /// [VC] packet that comes in: source, sequence number and flits so far.
    std::map<unsigned, std::pair<std::pair<std::uint32_t, std::uint32_t>, unsigned>> inside_;
    unsigned flit_ = 0;  ///< of the front packet, to be sent next
    unsigned vc_ = 0;
    unsigned pointer_ = 0;
    std::uint32_t sent_ = 0;
};

/// A link between two chips: the router of node n is chip n, terminal t is chip (number of nodes + t).
struct wire {
    hw::engine::port_id a, b;
};

inline std::vector<wire> wires_of(const hw::fabric::fabric_params& params) {
    std::vector<wire> wires;
    const std::uint32_t nodes = params.router.nodes();
    for (std::uint32_t number = 0; number < params.terminals(); ++number) {
        const unsigned port = params.router.first_host_port() + number / nodes;
        wires.push_back({{number % nodes, port}, {nodes + number, 0}});
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
        std::uint32_t stride = 1;
        for (unsigned d = 0; d < params.router.dimensions; ++d, stride *= params.router.radix) {
            const std::uint32_t own = node / stride % params.router.radix;
            if (own + 1 < params.router.radix) {
                wires.push_back({{node, 2 * d}, {node + stride, 2 * d + 1}});
            } else if ((params.tables.wrap >> d & 1) != 0) {
                wires.push_back({{node, 2 * d}, {node - own * stride, 2 * d + 1}});
            }
        }
    }
    return wires;
}

/// The router of a node.
template <typename router = hw::chips::router_core>
std::unique_ptr<router> make_router(const hw::fabric::fabric_params& params, std::uint32_t node) {
    hw::chips::router_tables tables = params.tables;
    tables.node = node;
    tables.credits = hw::fabric::port_credits(params.router, tables.wrap, node);
    return std::make_unique<router>(params.router, tables);
}

/// All hosts, with what they are to send: `orders` are sorted by birth.
inline std::vector<std::unique_ptr<host_chip>> make_hosts(const hw::fabric::fabric_params& params,
                                                          const std::vector<hw::fabric::send_order>& orders,
                                                          arrival_map& arrivals) {
    std::vector<std::unique_ptr<host_chip>> hosts;
    for (std::uint32_t number = 0; number < params.terminals(); ++number)
        hosts.push_back(std::make_unique<host_chip>(params, number, arrivals));
    for (const hw::fabric::send_order& order : orders) hosts[order.source]->send(order);
    return hosts;
}

/// Puts all chips into an empty network and joins them.
template <typename router = hw::chips::router_core>
void build_chips(hw::engine::network& network, const hw::fabric::fabric_params& params,
                 const std::vector<hw::fabric::send_order>& orders, arrival_map& arrivals) {
    for (std::uint32_t node = 0; node < params.router.nodes(); ++node)
        network.add(make_router<router>(params, node), "router");
    for (auto& host : make_hosts(params, orders, arrivals)) network.add(std::move(host), "host");
    for (const wire& each : wires_of(params)) network.connect(each.a, each.b, {params.link_delay, 1});
}

/// What hosts of such a network found wrong.
inline unsigned faults_of(const hw::engine::network& network, const hw::fabric::fabric_params& params) {
    unsigned faults = 0;
    for (std::uint32_t number = 0; number < params.terminals(); ++number)
        faults += static_cast<const host_chip&>(network.at(params.router.nodes() + number)).faults();
    return faults;
}

/// Traffic from a list, on a fabric.
class listed_traffic {
public:
    listed_traffic(hw::fabric::router_fabric& fabric, hw::fabric::terminals& ends,
                   const std::vector<hw::fabric::send_order>& orders)
        : fabric_(&fabric), ends_(&ends), orders_(&orders) {}

    void send(hw::engine::cycle now, hw::fabric::router_fabric& fabric) {
        while (next_ < orders_->size() && (*orders_)[next_].birth <= now) ends_->queue((*orders_)[next_++]);
        ends_->send_flits(fabric, [](std::uint32_t) {});
    }
    void arrive(hw::engine::cycle when, std::uint32_t terminal, unsigned vc, hw::fabric::packet_id id,
                std::uint16_t info) {
        const hw::fabric::packet what = fabric_->packets()[id];
        if ((info & hw::chips::flit_info::tail) != 0) arrivals[{what.source, what.number, terminal}] = when;
        ends_->arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { ends_->credit(terminal, vc); }
    hw::engine::cycle next(hw::engine::cycle now) const {
        if (!ends_->blocked()) return now;
        return next_ < orders_->size() ? std::max(now, (*orders_)[next_].birth) : hw::engine::never;
    }

    arrival_map arrivals;

private:
    hw::fabric::router_fabric* fabric_;
    hw::fabric::terminals* ends_;
    const std::vector<hw::fabric::send_order>* orders_;
    std::size_t next_ = 0;
};

}  // namespace polycast::testbench::unit
