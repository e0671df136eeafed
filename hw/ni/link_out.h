// SPDX-License-Identifier: Apache-2.0
/// \file Sends packets out of packet memory, flit by flit against credits.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/growing_queue.h"
#include "hw/ni/observer.h"
#include "hw/ni/packet_codec.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

class link_out {
public:
    /// All must outlive it; `watcher` may be null.
    link_out(const ni_params& params, packet_memory& memory, event_queue& events, observer* watcher)
        : params_(params), memory_(memory), events_(events), watcher_(watcher), credits_(params.vcs, params.credits) {}

    /// Queues a packet whose slot is in use. \returns false if it was refused: queue full (an event link_ready comes
    /// when it has room again), or not sendable. The fault is raised as an error.
    bool push(push_request&& request);
    unsigned space() const { return params_.link_queue - static_cast<unsigned>(queue_.size()); }
    /// The same for firmware: an event link_ready follows after it has read 0.
    unsigned ask_space() {
        if (space() == 0) wanted_ = true;
        return space();
    }

    /// A credit of a virtual channel has returned; more than were spent are ignored.
    void credit(unsigned vc) {
        if (vc < params_.vcs && credits_[vc] < params_.credits) ++credits_[vc];
    }
    unsigned credits(unsigned vc) const { return credits_[vc]; }
    /// A packet is leaving on this virtual channel.
    bool holds(unsigned vc) const { return sending_ && vc_ == vc; }

    /// Puts the next flit on the output pins of cycle `when` if there is one and a credit for it.
    void transmit(cycle when, engine::pins& out, unsigned port);
    /// True if transmit() can send a flit.
    bool sending() const {
        if (sending_ && params_.whole_packets) return false;
        if (sending_) return !new_chunk() || credits_[vc_] != 0;
        return !queue_.empty() && able_vcs() != 0;
    }
    /// Cycle of the tail of the whole packet on the link, for which transmit() is to be called again; never: none.
    cycle tail() const { return sending_ && params_.whole_packets ? tail_ : engine::never; }
    bool idle() const { return !sending_ && queue_.empty(); }
    /// Packets on the link or waiting for it.
    std::size_t pending() const { return queue_.size() + (sending_ ? 1 : 0); }

    void count(ni_statistics& statistics) const;
    void reset();
    /// The slots are gone: nothing follows the packet that is on the link.
    void abandon();
    std::size_t memory_bytes() const;

private:
    bool new_chunk() const { return flit_ % params_.chunk_flits == 0; }
    unsigned able_vcs() const;
    unsigned lanes(const push_request& request) const;
    bool next_packet(cycle when);
    bool read(std::uint32_t slot, cycle when);
    void transmit_whole(cycle when, engine::pins& out, unsigned port);
    void tell(cycle when) const;
    void finish(cycle when);
    void release(cycle when);

    const ni_params& params_;
    packet_memory& memory_;
    event_queue& events_;
    observer* watcher_;

    growing_queue<push_request> queue_;
    push_request current_;
    link_packet packet_;
    bool sending_ = false;
    bool abandoned_ = false;  ///< what is on the link has no slot any more
    bool wanted_ = false;
    std::uint32_t flit_ = 0;         ///< next of the packet on the link
    std::vector<unsigned> credits_;  ///< [virtual channel]
    unsigned vc_ = 0;                ///< of the packet on the link
    unsigned pointer_ = 0;           ///< virtual channel considered first for the next packet
    cycle begun_ = 0;
    cycle tail_ = 0;  ///< of the whole packet on the link
    std::uint64_t packets_ = 0;
    cycle busy_ = 0;
};

}  // namespace polycast::hw::ni
