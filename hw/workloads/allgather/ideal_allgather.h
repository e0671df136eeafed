// SPDX-License-Identifier: Apache-2.0
/// \file An allgather by ideal hosts that are chips, and coding units that are chips at second host ports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/delivery/packet_check.h"
#include "hw/engine/network.h"
#include "hw/fabric/allgather_nodes.h"
#include "hw/host/ideal_host.h"

namespace polycast::hw::fabric {

/// The hosts' part of hw/fabric/allgather_nodes.h with bytes: a host learns only what is on its pins. Sent packets are
/// recorded by source and sequence number, with their measurements.
///
/// A model of the unit without bytes (coding_terminals.h) runs beside every coding unit and sees the unit's input pins.
/// It determines which packets the unit has to send, with which bytes and since when, and how full its store is. So
/// results do not depend on the model of the unit, and a unit that does something else is reported.
class ideal_allgather final : private allgather_nodes,
                              private delivery::packet_check,
                              public host::ideal_work,
                              public traffic::goal,
                              public engine::observer {
public:
    using cycle = engine::cycle;

    /// `plan` must outlive it.
    ideal_allgather(const allgather_options& options, const collectives::network_coding& plan);

    using allgather_nodes::units;

    // What the run asks. Packets that are in flight, or ready to be sent, are missing.
    bool complete() const override { return live_.empty(); }
    cycle delivered_until() const override { return last_tail_ + 1; }
    std::string oldest_missing() const override { return live_.empty() ? "" : missing_packets(1).front(); }

    // What hosts ask.
    void arrived(cycle now, std::uint32_t host, const engine::flit& flit) override;
    cycle act(cycle now, std::uint32_t host) override;
    std::optional<unsigned> waiting(std::uint32_t host) const override;
    void depart(cycle now, std::uint32_t host, unsigned vc, engine::packet_bytes& packet) override;

    /// The chip of a unit was stepped. `id`: place in units().
    void stepped(engine::chip_id id, cycle now, const engine::pins& in, const engine::pins& out,
                 const engine::chip& chip) override;

    /// `end`: first cycle that was not simulated. `links`: traffic of each link.
    allgather_result finish(cycle end, bool stopped, std::uint64_t flit_hops, std::optional<link_counts> links);

private:
    struct record {
        departure where;
        cargo what;
        std::vector<payload_id> message;
        std::uint32_t expected = 1;  ///< arrivals that are still to come
        std::vector<bool> heard;     ///< [node] of a broadcast
    };
    struct port {
        std::optional<key> waiting;  ///< packet
        std::uint32_t sent = 0;
    };

    // allgather_nodes
    void send(const departure& where, const cargo& what, std::vector<payload_id> message) override;
    packet_id begin_coded(std::uint32_t node, const chips::coding_packet& packet, const cargo& what) override;
    void job_begun(cycle, std::uint32_t) override {}
    // unit_owner
    void leave(std::uint32_t, packet_id, unsigned, std::uint16_t) override {}
    void give_credit(std::uint32_t, unsigned) override {}

    std::vector<std::string> missing_packets(std::size_t most) const;
    void finish_packet(cycle now, std::uint32_t host, const arriving& packet);
    bool misplaced(std::uint32_t host, key packet, record& what);
    void take(cycle now, std::uint32_t host, key packet, const record& what, std::span<const std::uint8_t> bytes);
    void next_round(cycle begin);
    void close_round(cycle now);
    void step_units_before(cycle end);

    std::vector<key> unit_packets_;  ///< [unit][VC] that arrives
    std::vector<port> ports_;        ///< [host]
    std::unordered_map<key, record> live_;
    std::vector<cycle> broadcast_;  ///< [node] of its broadcast, never: none is to come
    cycle units_now_ = 0;           ///< models of units have been stepped before
    cycle last_tail_ = 0;           ///< that came to a host
    cycle round_due_ = 0;           ///< pace steps: the next round begins; never: one is in progress, or all are over
    bool over_ = false;             ///< all rounds
    std::uint64_t late_ = 0;        ///< arrivals after the limit
};

/// Coding units of a run.
std::vector<unit_setup> units_of(const allgather_options& options);

}  // namespace polycast::hw::fabric
