// SPDX-License-Identifier: Apache-2.0
/// \file The broadcast unit: slots, rounds, state of neighbours, and what is due where.
/// hw/chips/broadcast/broadcast_unit.md is its contract; broadcast_router_core.h combines it with a router.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/vc_framing.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// Sets of packets are bits of one word by index, sets of ports bits of another; a step allocates nothing and costs
/// time only for ports at which something happens.
class broadcast_unit {
public:
    /// What happens to a packet that is arriving.
    enum class taking : std::uint8_t { none, accepted, discarded };

    /// Both have been checked.
    broadcast_unit(const broadcast_params& params, const broadcast_registers& registers);

    void reset();

    /// One cycle. \param flits   ports with a flit for the unit on their input pins
    /// \param credit  the host port has a credit for it
    /// \param out     holds what the router puts into the output registers
    void step(const engine::pins& in, std::uint64_t flits, bool credit, engine::pins& out);

    /// False if nothing can happen before something arrives.
    bool awake() const;
    /// True when it holds no packet, except in the output registers.
    bool idle() const;

    unsigned buffered() const { return inject_count_; }
    taking taking_at(unsigned port) const { return taking_[port]; }
    bool leaving_at(unsigned port) const { return (leaving_ >> port & 1) != 0; }
    std::uint64_t due_at(unsigned port) const { return due_[port]; }

    /// Bytes on the heap.
    std::size_t memory_bytes() const;

private:
    /// A flit in place.
    struct flit_bytes {
        const std::uint8_t* data;
        const std::uint8_t* header;
    };

    void send(engine::pins& out);
    std::uint64_t may_leave(unsigned port) const;
    unsigned choose(unsigned port, std::uint64_t candidates) const;
    void put(unsigned port, unsigned number, engine::pins& out);
    std::uint64_t not_wanted(unsigned port) const;
    void forget();
    void receive(unsigned port, const engine::pins& in, engine::pins& out);
    void inject(const engine::pins& in, bool arrives, engine::pins& out);
    bool waits() const;
    void take(unsigned port, bool head, bool tail, flit_bytes flit, engine::pins& out);
    void take_head(unsigned port, const std::uint8_t* header, engine::pins& out);
    broadcast_event judge(std::uint32_t source, const std::uint8_t* header) const;
    bool in_community(std::uint32_t node) const;
    void begin_round(std::uint32_t source, unsigned last);
    bool rule_names(unsigned port, unsigned colour, const std::array<std::uint32_t, 4>& source) const;
    void complete(unsigned slot);
    bool round_ends() const;
    void next_round();

    bool everything() const { return complete_ == everything_; }
    bool same_round(unsigned port) const { return neighbours_[port].round == round_ % side_rounds; }
    bool next_round_there(unsigned port) const { return neighbours_[port].round == (round_ + 1) % side_rounds; }
    const std::uint8_t* header_at(const std::uint8_t* data, const std::uint8_t* header) const {
        return header_bytes_ != 0 ? header : data;
    }

    broadcast_params params_;
    broadcast_registers registers_;
    unsigned host_;
    std::size_t flit_bytes_, header_bytes_;
    std::uint64_t network_;             ///< ports that are inputs of their own
    std::uint64_t ports_;               ///< of the unit
    std::array<std::uint32_t, 4> own_;  ///< coordinates

    // State of the round.
    std::uint64_t have_, complete_;
    std::uint64_t everything_;  ///< packets of the message; none while the source is not known
    std::uint32_t source_;
    std::uint8_t last_;
    bool at_source_;
    std::uint8_t round_;
    std::uint8_t received_;                                ///< packets in the order of receipt
    std::array<std::uint8_t, most_slots> order_;           ///< [i] the packet that became complete as number i
    std::array<std::uint8_t, most_slots> flits_;           ///< [slot]
    std::array<std::uint32_t, most_slots> targets_;        ///< [slot] ports at which it will be due, or is
    std::array<std::uint32_t, 8> colour_targets_;          ///< [colour] ports that the rule names
    std::array<std::uint64_t, most_broadcast_ports> due_;  ///< [port] slots
    std::uint64_t due_ports_;                              ///< with something due

    // State of the ports.
    std::uint64_t leaving_;  ///< ports
    std::array<std::uint8_t, most_broadcast_ports> leaving_slot_, leaving_flit_;
    std::array<engine::side_state, most_broadcast_ports> neighbours_;
    std::array<vc_framing, most_broadcast_ports> framing_;
    std::array<taking, most_broadcast_ports> taking_;
    std::array<std::uint8_t, most_broadcast_ports> taking_slot_;
    unsigned inject_first_, inject_count_;
    unsigned waiting_credits_, host_credits_;
    std::uint64_t inject_heads_, inject_tails_;  ///< places in the buffer

    std::vector<std::uint8_t> data_, headers_;                ///< [slot][flit][byte], [slot][byte]
    std::vector<std::uint8_t> inject_data_, inject_headers_;  ///< [place][byte]
};

}  // namespace polycast::hw::chips
