// SPDX-License-Identifier: Apache-2.0
/// \file Every node sends a packet to every other one: node i to i+1, i+2, ..., all of them ready in cycle 0.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/terminals.h"

namespace polycast::hw::fabric {

/// A packet's record is made when the one before it leaves, so queues take no memory.
class each_to_each {
public:
    each_to_each(terminals& ends, std::uint32_t nodes, std::uint16_t flits)
        : each_to_each(ends, nodes, flits, {0, nodes}) {}
    /// Those of `senders` alone send.
    each_to_each(terminals& ends, std::uint32_t nodes, std::uint16_t flits, router_fabric::node_range senders)
        : ends_(&ends), nodes_(nodes), flits_(flits), first_(senders.first), sent_(senders.count) {
        for (std::uint32_t node = first_; node < first_ + senders.count; ++node) queue_next(node);
    }

    // What a fabric asks of its terminals.
    void send(engine::cycle, router_fabric& fabric) {
        ends_->send_flits(fabric, [this](std::uint32_t node) { queue_next(node); });
    }
    void arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        ends_->arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { ends_->credit(terminal, vc); }
    engine::cycle next(engine::cycle now) const { return ends_->blocked() ? engine::never : now; }

    std::size_t memory_bytes() const { return sizeof *this + sent_.capacity() * sizeof(std::uint32_t); }

private:
    void queue_next(std::uint32_t node) {
        const std::uint32_t ahead = ++sent_[node - first_];
        if (ahead == nodes_) return;
        const std::uint32_t to = node + ahead;
        ends_->queue({node, to < nodes_ ? to : to - nodes_, 0, flits_, 0});
    }

    terminals* ends_;
    std::uint32_t nodes_;
    std::uint16_t flits_;
    std::uint32_t first_;
    std::vector<std::uint32_t> sent_;  ///< [node - first_] packets queued
};

}  // namespace polycast::hw::fabric
