// SPDX-License-Identifier: Apache-2.0
/// \file The all-at-once all-to-all broadcast: node i sends a packet to i+1, i+2, ..., all of them ready in cycle 0.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/terminals.h"

namespace polycast::hw::fabric {

/// A packet's record is made when the one before it leaves, so queues take no memory.
class all_to_all {
public:
    all_to_all(terminals& ends, std::uint32_t nodes, std::uint16_t flits) : ends_(&ends), flits_(flits), sent_(nodes) {
        for (std::uint32_t node = 0; node < nodes; ++node) queue_next(node);
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
        const auto nodes = static_cast<std::uint32_t>(sent_.size());
        if (++sent_[node] == nodes) return;
        const std::uint32_t to = node + sent_[node];
        ends_->queue({node, to < nodes ? to : to - nodes, 0, flits_, 0});
    }

    terminals* ends_;
    std::uint16_t flits_;
    std::vector<std::uint32_t> sent_;  ///< [node] packets queued
};

}  // namespace polycast::hw::fabric
