// SPDX-License-Identifier: Apache-2.0
/// \file An allgather over a fabric: what it has as terminals in run_allgather().
#pragma once

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/fabric/allgather_nodes.h"
#include "hw/fabric/terminals.h"

namespace polycast::hw::fabric {

class allgather_run final : private allgather_nodes {
public:
    allgather_run(const allgather_options& options, const collectives::network_coding& plan);

    allgather_result run();

    // What a fabric asks of its terminals.
    void send(engine::cycle now, router_fabric& fabric);
    void arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info);
    void enter(std::uint32_t node, unsigned port, std::uint16_t info) {
        if (result_.links) result_.links->into_router(node, port, info);
    }
    bool holds_credit(std::uint32_t terminal, packet_id id) const { return terminal >= nodes_ && !cargo_[id].lost; }
    void credit(std::uint32_t terminal, unsigned vc) {
        if (terminal < nodes_) return ends_.credit(terminal, vc);
        units_.credit(fabric_.now(), terminal - nodes_, vc);
    }
    engine::cycle next(engine::cycle now) const;

private:
    bool run_fabric();

    // allgather_nodes
    void send(const departure& where, const cargo& what, std::vector<payload_id> message) override;
    packet_id begin_coded(std::uint32_t node, const chips::coding_packet& packet, const cargo& what) override;
    void job_begun(engine::cycle ready, std::uint32_t node) override { jobs_.emplace(ready, node); }
    // unit_owner
    void leave(std::uint32_t node, packet_id id, unsigned vc, std::uint16_t ends) override;
    void give_credit(std::uint32_t node, unsigned vc) override { fabric_.give_credit(node + nodes_, vc); }

    cargo& cargo_of(packet_id id) {
        if (cargo_.size() <= id) cargo_.resize(fabric_.packets().end());
        return cargo_[id];
    }

    struct timed_arrival {
        engine::cycle when;
        arrival what;
    };
    using timed_node = std::pair<engine::cycle, std::uint32_t>;

    router_fabric fabric_;
    terminals ends_;
    std::vector<cargo> cargo_;                                         ///< [packet]
    std::unordered_map<packet_id, std::vector<payload_id>> messages_;  ///< data of packets of messages
    std::queue<timed_arrival> arrivals_;
    std::priority_queue<timed_node, std::vector<timed_node>, std::greater<>> jobs_;
    std::size_t next_broadcast_ = 0;
};

}  // namespace polycast::hw::fabric
