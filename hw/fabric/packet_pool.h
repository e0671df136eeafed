// SPDX-License-Identifier: Apache-2.0
/// \file Packets of a fabric: flits are 32-bit handles of these records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
    explicit packet_pool(unsigned users) : packets_(most / chunk), targets_(packets_.size()), users_(users) {}

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
        leave(id, user);
        free_record(id, user);
    }
    /// Its head has left for another process, where the packet counts from now on. Flits of it may still be here.
    void leave(packet_id id, unsigned user = 0) {
        (*this)[id].flits = 0;
        --users_[user].taken;
    }
    /// Its tail, too.
    void free_record(packet_id id, unsigned user = 0) {
        user_state& own = users_[user];
        own.free.push_back(id);
        if (own.free.size() > 2 * batch && users_.size() > 1) spill(own);
    }

    packet& operator[](packet_id id) { return packets_[id / chunk].get()[id % chunk]; }
    const packet& operator[](packet_id id) const { return packets_[id / chunk].get()[id % chunk]; }
    packet_target& target(packet_id id) { return targets_[id / chunk].get()[id % chunk]; }
    const packet_target& target(packet_id id) const { return targets_[id / chunk].get()[id % chunk]; }

    /// Handles in use.
    std::size_t live() const;
    /// Handles are below this one, and not below first_handle.
    packet_id end() const { return next_; }
    static constexpr packet_id first_handle = 64;

    std::size_t memory_bytes() const;

private:
    static constexpr packet_id batch = 64;  ///< handles that a user takes from all, or gives to all, at once

    static constexpr packet_id chunk = 1u << 18;  ///< records in one piece, which takes memory as they are used
    static constexpr packet_id most = 1u << 30;

    struct free_memory {
        void operator()(void* memory) const { std::free(memory); }
    };
    template <typename record>
    using records = std::unique_ptr<record, free_memory>;
    struct alignas(64) user_state {
        std::vector<packet_id> free;
        std::int64_t taken = 0;  ///< less those that were given back
    };

    void refill(user_state& own);
    void spill(user_state& own);

    // [chunk] All places are there from the start, because one thread reads while another makes a chunk.
    std::vector<records<packet>> packets_;
    std::vector<records<packet_target>> targets_;
    std::vector<user_state> users_;
    std::mutex all_;  ///< guards what follows, and new segments
    std::vector<packet_id> free_;
    packet_id next_ = first_handle;  ///< never used so far
};

}  // namespace polycast::hw::fabric
