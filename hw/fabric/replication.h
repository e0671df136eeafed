// SPDX-License-Identifier: Apache-2.0
/// \file The all-to-all broadcast by replication: every node broadcasts one packet, the routers copy it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hw/fabric/terminals.h"

namespace polycast::hw::fabric {

/// When nodes send. With `gap` 0 all do in cycle 0. Else a row begins with a quarter of its nodes, and goes on with one
/// every `gap` cycles; rows take their nodes in different orders. What all nodes together have to take is then there
/// when they can take it: with packets of f flits and a gap of about radix * f, buffers stay short.
/// \returns (cycle, node), by cycle
std::vector<std::pair<engine::cycle, std::uint32_t>> replication_schedule(std::uint32_t nodes, unsigned radix,
                                                                          engine::cycle gap);

class replication {
public:
    replication(terminals& ends, std::uint32_t nodes, unsigned radix, std::uint16_t flits, engine::cycle gap)
        : ends_(&ends), flits_(flits), schedule_(replication_schedule(nodes, radix, gap)) {}

    // What a fabric asks of its terminals.
    void send(engine::cycle now, router_fabric& fabric) {
        for (; next_ < schedule_.size() && schedule_[next_].first <= now; ++next_)
            ends_->queue({schedule_[next_].second, 0, 0, flits_, 0, true});
        ends_->send_flits(fabric, [](std::uint32_t) {});
    }
    void arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        ends_->arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { ends_->credit(terminal, vc); }
    engine::cycle next(engine::cycle now) const {
        if (!ends_->blocked()) return now;
        return next_ < schedule_.size() ? std::max(now, schedule_[next_].first) : engine::never;
    }

    std::size_t memory_bytes() const { return sizeof *this + schedule_.capacity() * sizeof(schedule_[0]); }

private:
    terminals* ends_;
    std::uint16_t flits_;
    std::vector<std::pair<engine::cycle, std::uint32_t>> schedule_;
    std::size_t next_ = 0;
};

}  // namespace polycast::hw::fabric
