// SPDX-License-Identifier: Apache-2.0
/// \file Takes packets off the link into receive slots.
#pragma once

#include <cstdint>
#include <deque>

#include "hw/engine/chip.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/observer.h"
#include "hw/ni/packet_codec.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

/// A packet gets its slot with its first flit. One for which there is none waits in an input buffer of `credits`
/// chunks, so that everything that the sender may send without a credit finds room, and gives no chunk back until it
/// has a slot.
class link_in {
public:
    /// All must outlive it; `watcher` may be null.
    link_in(const ni_params& params, packet_memory& memory, event_queue& events, observer* watcher)
        : params_(params), memory_(memory), events_(events), watcher_(watcher), longest_(longest_packet(params)) {}

    /// The flit on the input pins of cycle `now`.
    void receive(cycle now, const engine::pins& in, unsigned port);
    /// A receive slot has become free: packets that wait go on.
    void slot_freed(cycle now);
    /// Takes a credit to be sent to the other end of the link, if there is one.
    bool take_credit() {
        if (owed_ == 0) return false;
        --owed_;
        return true;
    }
    bool owes_credits() const { return owed_ != 0; }
    /// No packet inside that is not in a slot, or still arriving.
    bool idle() const { return !arriving_ && waiting_.empty(); }

    void count(ni_statistics& statistics) const { statistics.packets_in = packets_; }
    void reset();
    std::size_t memory_bytes() const;

private:
    void begin(cycle now, const engine::pins& in, unsigned port, bool head);
    void store(arrival& packet, const engine::pins& in, unsigned port);
    void end(cycle now, arrival& packet);
    void deliver(cycle now, const received_packet& packet, std::uint32_t status, std::uint32_t slot);
    arrival& last() { return waiting_.empty() ? current_ : waiting_.back(); }

    const ni_params& params_;
    packet_memory& memory_;
    event_queue& events_;
    observer* watcher_;
    std::size_t longest_;

    arrival current_;                           ///< the packet arriving, if it has a slot
    std::uint32_t slot_ = packet_memory::none;  ///< its slot
    std::deque<arrival> waiting_;               ///< packets without a slot; the last may still be arriving
    bool arriving_ = false;                     ///< a packet's tail has not come yet
    bool dropping_ = false;                     ///< the sender has ignored the credits: until the packet's tail
    std::uint64_t held_ = 0;                    ///< chunks in the input buffer
    std::uint64_t owed_ = 0;                    ///< credits that have not been sent yet
    std::uint64_t packets_ = 0;
};

}  // namespace polycast::hw::ni
