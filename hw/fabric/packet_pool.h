// SPDX-License-Identifier: Apache-2.0
/// \file Packets of a fabric: flits are 32-bit handles of these records.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/chips/router_route.h"
#include "hw/engine/chip.h"

namespace polycast::hw::fabric {

/// Handle of a packet.
using packet_id = std::uint32_t;
inline constexpr packet_id no_packet = ~packet_id{0};

/// All that a packet is for its terminals.
struct packet {
    std::uint32_t source = 0;       ///< terminal
    std::uint32_t destination = 0;  ///< terminal; of a broadcast the host port of all nodes but the source's
    std::uint32_t number = 0;       ///< of its source, from 0
    packet_id next = no_packet;     ///< behind it in its source's queue, or in the list of free records
    engine::cycle birth = 0;
    std::uint64_t content = 0;       ///< stands for the payload
    std::uint16_t flits = 0;         ///< 0: the record is free
    std::uint8_t service_class = 0;  ///< of VCs
    std::uint8_t entry_vc = 0;       ///< in which it entered the fabric
    std::uint32_t expected = 1;      ///< arrivals that are still to come
};

/// What routers read of it.
struct packet_target {
    chips::coordinates to = {};    ///< of the destination's node; of a broadcast of the source's
    std::uint16_t local = 0;       ///< flit_info of the route to the terminal there, or those there, without the class
    std::uint16_t class_bits = 0;  ///< to add to a route; flit_info::copied of a broadcast

    bool broadcast() const { return (class_bits & chips::flit_info::copied) != 0; }
};

/// Records in one piece, used again once they are free, so that traffic in a steady state allocates nothing.
class packet_pool {
public:
    /// A handle of a record that holds what is left of an old packet.
    packet_id take() {
        ++live_;
        if (free_ == no_packet) {
            packets_.emplace_back();
            targets_.emplace_back();
            return static_cast<packet_id>(packets_.size() - 1);
        }
        const packet_id id = free_;
        free_ = packets_[id].next;
        return id;
    }
    void give_back(packet_id id) {
        packets_[id].flits = 0;
        packets_[id].next = free_;
        free_ = id;
        --live_;
    }

    packet& operator[](packet_id id) { return packets_[id]; }
    const packet& operator[](packet_id id) const { return packets_[id]; }
    packet_target& target(packet_id id) { return targets_[id]; }
    const packet_target& target(packet_id id) const { return targets_[id]; }

    std::size_t live() const { return live_; }
    /// Handles up to this one have been used.
    std::size_t size() const { return packets_.size(); }
    std::size_t memory_bytes() const {
        return packets_.capacity() * sizeof(packet) + targets_.capacity() * sizeof(packet_target);
    }

private:
    std::vector<packet> packets_;
    std::vector<packet_target> targets_;
    packet_id free_ = no_packet;
    std::size_t live_ = 0;
};

}  // namespace polycast::hw::fabric
