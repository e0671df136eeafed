// SPDX-License-Identifier: Apache-2.0
/// \file Takes packets off the link into receive slots.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/host_pages.h"
#include "hw/ni/observer.h"
#include "hw/ni/packet_codec.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

/// A packet gets its slot with its first flit. One for which there is none waits in the input buffer of its virtual
/// channel, which has `credits` chunks, so that everything that the sender may send without a credit finds room, and
/// gives no chunk back until it has a slot. Packets of different virtual channels are interleaved flit by flit.
class link_in {
public:
    /// All must outlive it; `watcher` may be null.
    link_in(const ni_params& params, packet_memory& memory, host_pages& pages, event_queue& events, observer* watcher)
        : params_(params),
          memory_(memory),
          pages_(pages),
          events_(events),
          watcher_(watcher),
          longest_(longest_packet(params)),
          channels_(params.vcs) {}

    /// The flit on the input pins of cycle `now`.
    void receive(cycle now, const engine::pins& in, unsigned port);
    /// If packets are events: the one that begins on the input pins of cycle `now`, and, in the cycle tail(), its
    /// end.
    void receive_whole(cycle now, const engine::whole_packet& packet);
    void end_whole(cycle now);
    /// Cycle in which the packet that is arriving has its tail on the pins; never: there is none.
    cycle tail() const { return tail_; }
    /// A receive slot has become free: waiting packets continue.
    void slot_freed(cycle now);
    /// The interface is down: packets without an event, those that are arriving and those that come are dropped, with
    /// all their credits, until resume().
    void drain();
    void resume() { draining_ = false; }
    /// Takes a credit to be sent to the other end of the link, if there is one. \returns its virtual channel: the first
    /// one with credits at or after a pointer, which moves behind it
    std::optional<unsigned> take_credit();
    bool owes_credits() const { return owed_ != 0; }
    /// No packet waits for a slot, and none is still arriving.
    bool idle() const;

    void count(ni_statistics& statistics) const { statistics.packets_in = packets_; }
    void reset();
    std::size_t memory_bytes() const;

private:
    /// Arrivals on one virtual channel.
    struct channel {
        arrival current;                           ///< the packet arriving, if it has a slot
        std::uint32_t slot = packet_memory::none;  ///< its slot
        std::deque<arrival> waiting;               ///< packets without a slot; the last may still be arriving
        bool arriving = false;                     ///< a packet's tail has not arrived yet
        bool dropping = false;                     ///< up to the packet's tail, because the sender ignored the credits
        std::optional<std::uint32_t> drained;  ///< of the packet that is dropped with its credits: flits in its chunk
        std::uint64_t held = 0;                ///< chunks in the input buffer
        std::uint64_t owed = 0;                ///< credits that have not been sent yet

        arrival& last() { return waiting.empty() ? current : waiting.back(); }
    };

    void begin(cycle now, channel& where, bool head);
    bool drop(channel& where, bool head, bool tail);
    void store(channel& where, const engine::pins& in, unsigned port);
    void restore_destination(arrival& packet) const;
    void end(cycle now, channel& where);
    void deliver(cycle now, const received_packet& packet, std::uint32_t status, std::uint32_t slot);
    bool refused(std::uint32_t slot, const format::transport_header& transport);
    void give_back(channel& where, std::uint64_t chunks);
    void give_credit(channel& where, std::uint64_t chunks = 1);
    channel* longest_waiting();

    const ni_params& params_;
    packet_memory& memory_;
    host_pages& pages_;
    event_queue& events_;
    observer* watcher_;
    std::size_t longest_;

    std::vector<channel> channels_;  ///< [virtual channel]
    std::uint64_t owed_ = 0;         ///< credits of all of them
    unsigned pointer_ = 0;           ///< virtual channel considered first for the next credit
    std::uint64_t packets_ = 0;
    bool draining_ = false;
    cycle tail_ = engine::never;  ///< of a whole packet
};

}  // namespace polycast::hw::ni
