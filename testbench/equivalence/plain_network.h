// SPDX-License-Identifier: Apache-2.0
/// \file A mesh or torus of routers stepped as plainly as possible: every router in every cycle, every pin copied. The
/// network that golden routers live in, for their tests and as the slow end of speed comparisons.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "hw/chips/router/router_config.h"
#include "hw/engine/chip.h"

namespace polycast::testbench::equivalence {

/// Credits of node `tables.node`: `vc_flits` at every port, 0 at those that lead over the edge of a mesh.
std::vector<unsigned> mesh_edges(const hw::chips::router_params& params, const hw::chips::router_tables& tables);

/// Tables of every node of a mesh or torus, after `common`: own number, open ports at the edges, `vc_flits` credits at
/// all others.
std::vector<hw::chips::router_tables> mesh_tables(const hw::chips::router_params& params,
                                                  const hw::chips::router_tables& common);

class plain_network {
public:
    using make_router = std::function<std::unique_ptr<hw::engine::chip>(const hw::chips::router_params&,
                                                                        const hw::chips::router_tables&)>;
    struct packet {
        std::uint32_t source = 0;       ///< node; sent from its first host port
        std::uint32_t destination = 0;  ///< host; the host port of every node for a broadcast
        bool broadcast = false;
        unsigned vc_class = 0;
        unsigned vc = 0;  ///< in which it enters the first router
        unsigned flits = 1;
        std::uint64_t sent = 0;  ///< cycle in which its head is to be on the first router's pins, if all is free
    };
    struct delivery {
        std::uint32_t packet = 0;  ///< as send() numbered it
        std::uint32_t node = 0;    ///< where it arrived ..
        unsigned port = 0;         ///< .. and at which of the router's ports
        unsigned flits = 0;
        std::uint64_t head = 0;  ///< cycles in which head and tail were on the pins of the receiver
        std::uint64_t tail = 0;

        auto operator<=>(const delivery&) const = default;
    };

    /// Links take one cycle. `common`: see mesh_tables(). The header has to be free or to fit into one flit.
    plain_network(const hw::chips::router_params& params, const hw::chips::router_tables& common,
                  const make_router& make);

    /// Packets of one source and VC leave in the order of the calls. \returns the packet's number, from 0
    std::uint32_t send(const packet& what);

    /// One cycle. \throws std::logic_error when a router raises an error
    void step();

    /// Until all packets have left and nothing moves any more, or up to cycle `end`. \returns whether all is quiet.
    bool run(std::uint64_t end);

    std::uint64_t now() const { return now_; }
    const std::vector<packet>& sent() const { return packets_; }
    const std::vector<delivery>& delivered() const { return delivered_; }
    std::uint64_t flit_hops() const { return flit_hops_; }  ///< flits that came into a router
    const hw::engine::chip& router(std::uint32_t node) const { return *routers_[node]; }

private:
    /// Source at the first host port of a node.
    struct source {
        std::vector<std::deque<std::uint32_t>> waiting;  ///< [vc] packets
        std::vector<unsigned> sent;                      ///< [vc] flits of the front packet
        std::vector<unsigned> credits;                   ///< [vc]
        unsigned pointer = 0;
    };

    void carry(std::uint32_t node);
    void receive(std::uint32_t node, unsigned port, unsigned vc, const hw::engine::pins& out);
    void inject(std::uint32_t node);
    std::uint32_t neighbour(std::uint32_t node, unsigned port) const;
    bool quiet() const;

    hw::chips::router_params params_;
    hw::engine::pin_shape shape_;
    std::vector<std::unique_ptr<hw::engine::chip>> routers_;
    std::vector<hw::engine::pins> in_;       ///< [node] of this cycle
    std::vector<hw::engine::pins> next_in_;  ///< [node] of the next one
    std::vector<hw::engine::pins> out_;      ///< [node] of this cycle
    std::vector<packet> packets_;
    std::vector<source> sources_;
    std::vector<delivery> partial_;  ///< [node][port][vc] being received
    std::vector<delivery> delivered_;
    std::uint64_t now_ = 0;
    std::uint64_t flit_hops_ = 0;
};

}  // namespace polycast::testbench::equivalence
