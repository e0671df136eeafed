// SPDX-License-Identifier: Apache-2.0
/// \file A part of a fabric that one thread steps: a range of nodes, and all that is on its way to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/fabric/event_list.h"
#include "hw/fabric/index_set.h"
#include "hw/fabric/packet_pool.h"

namespace polycast::hw::fabric {

// No members of one byte: the compiler takes stores to them for stores to anything.
struct flit_event {
    std::uint32_t node;
    packet_id packet;
    std::uint16_t input_vc;
    std::uint16_t info;  ///< flit_info of the router it comes from, or of a terminal: the ends count
};
struct credit_event {
    std::uint32_t at;  ///< node
    std::uint16_t port;
    std::uint16_t vc;
};
/// A head whose routing ends.
struct route_event {
    std::uint32_t node;
    std::uint16_t input_vc;
    std::uint16_t slot;
    std::uint16_t info;
};

/// All that arrives in one cycle.
struct time_slot {
    event_list<flit_event> flits;
    event_list<credit_event> credits;
    event_list<credit_event> terminal_credits;
    event_list<route_event> routes;

    bool empty() const { return flits.empty() && credits.empty() && terminal_credits.empty() && routes.empty(); }
    std::size_t memory_bytes() const {
        return flits.memory_bytes() + credits.memory_bytes() + terminal_credits.memory_bytes() + routes.memory_bytes();
    }
};

/// What goes from one partition to another in a window.
struct mailbox {
    template <typename event>
    struct letter {
        engine::cycle when;  ///< it arrives
        event what;
    };
    std::vector<letter<flit_event>> flits;
    std::vector<letter<credit_event>> credits;

    void clear() {
        flits.clear();
        credits.clear();
    }
};

struct alignas(64) partition {
    partition(std::uint32_t first_node, std::uint32_t node_count, std::size_t slot_count, std::size_t boxes_out)
        : first(first_node), nodes(node_count), slots(slot_count), active(first_node + node_count) {
        for (auto& boxes : outbox) boxes.resize(boxes_out);
    }

    bool has(std::uint32_t node) const { return node - first < nodes; }
    time_slot& slot_at(engine::cycle when) { return slots[when & (slots.size() - 1)]; }
    /// Next cycle with something to do, terminals apart; engine::never if none.
    engine::cycle next_activity() const;
    /// Takes what another partition has sent.
    void collect(const mailbox& mail);
    std::size_t memory_bytes() const;

    std::uint32_t first, nodes;
    std::vector<time_slot> slots;    ///< [cycle modulo their number, a power of two]
    index_set active;                ///< routers to step in `now`
    event_list<flit_event> ejected;  ///< that leave for terminals in `now`: the node, the host port and its VC
    engine::cycle now = 0;
    engine::cycle quiet_from = 0;  ///< behind the last cycle that was stepped in a window
    std::uint64_t flit_hops = 0;
    std::uint64_t router_steps = 0;
    /// [window modulo 2][partition, then neighbouring rank] Partitions read theirs in the next window, while the other
    /// one is filled.
    std::array<std::vector<mailbox>, 2> outbox;
    engine::cycle earliest_mail = engine::never;  ///< of what was sent in this window
    unsigned turn = 0;                            ///< window modulo 2
};

}  // namespace polycast::hw::fabric
