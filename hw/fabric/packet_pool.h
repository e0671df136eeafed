// SPDX-License-Identifier: Apache-2.0
/// \file Packets of a fabric: flits are 32-bit handles of these records.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hw/chips/router/router_route.h"
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
    packet_id next = no_packet;     ///< behind it in its source's queue
    engine::cycle birth = 0;
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

/// Records that stay where they are and are used again once they are free, so that traffic in a steady state allocates
/// nothing. Threads may take and give back at the same time, each as a user of its own; which handle a packet gets may
/// then differ from run to run.
class packet_pool {
public:
    explicit packet_pool(unsigned users) : users_(users) {}

    /// A handle of a record that holds what is left of an old packet.
    packet_id take(unsigned user = 0) {
        user_state& own = users_[user];
        if (own.free.empty()) refill(own);
        const packet_id id = own.free.back();
        own.free.pop_back();
        ++own.taken;
        return id;
    }
    void give_back(packet_id id, unsigned user = 0) {
        user_state& own = users_[user];
        (*this)[id].flits = 0;
        own.free.push_back(id);
        --own.taken;
        if (own.free.size() > 2 * batch && users_.size() > 1) spill(own);
    }

    packet& operator[](packet_id id) { return segment_of(id).packets[place_of(id)]; }
    const packet& operator[](packet_id id) const { return segment_of(id).packets[place_of(id)]; }
    packet_target& target(packet_id id) { return segment_of(id).targets[place_of(id)]; }
    const packet_target& target(packet_id id) const { return segment_of(id).targets[place_of(id)]; }

    /// Handles in use.
    std::size_t live() const;
    /// Handles are below this one, and not below first_handle.
    packet_id end() const { return next_; }
    static constexpr packet_id first_handle = 64;

    std::size_t memory_bytes() const;

private:
    static constexpr packet_id batch = 64;  ///< handles that a user takes from all, or gives to all, at once

    /// Segment s holds the handles whose highest bit is s.
    struct segment {
        std::unique_ptr<packet[]> packets;
        std::unique_ptr<packet_target[]> targets;
    };
    struct alignas(64) user_state {
        std::vector<packet_id> free;
        std::int64_t taken = 0;  ///< less those that were given back
    };

    static unsigned highest_bit(packet_id id) {
        if (id == 0) __builtin_unreachable();
        return 31 - static_cast<unsigned>(std::countl_zero(id));
    }
    static packet_id place_of(packet_id id) {
        return id ^ packet_id { 1 } << highest_bit(id);
    }
    segment& segment_of(packet_id id) { return segments_[highest_bit(id)]; }
    const segment& segment_of(packet_id id) const { return segments_[highest_bit(id)]; }

    void refill(user_state& own);
    void spill(user_state& own);

    std::array<segment, 32> segments_;
    std::vector<user_state> users_;
    std::mutex all_;  ///< guards what follows, and new segments
    std::vector<packet_id> free_;
    packet_id next_ = first_handle;  ///< never used so far
};

}  // namespace polycast::hw::fabric
