// SPDX-License-Identifier: Apache-2.0
/// \file XOR coding units at the second terminals of nodes: chips::coding_unit stepped cycle by cycle, on handles of
/// payloads. Where the routers are a fabric these are the units; where they are chips, they say what the units beside
/// them have to do.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "hw/chips/coding/coding_unit.h"
#include "hw/fabric/packet_pool.h"
#include "hw/fabric/payload_store.h"

namespace polycast::hw::fabric {

/// An operand on its way to a unit, or in it.
struct unit_operand {
    payload_id payload = 0;
    std::uint32_t source = 0;  ///< terminal
    std::uint16_t context = 0;
    std::uint16_t index = 0;
    std::uint16_t flits = 0;  ///< of its packet
    std::uint16_t bytes = 0;
};

/// What units ask of whoever has them.
class unit_owner {
public:
    virtual ~unit_owner() = default;
    /// A packet with the XOR of operands `index` and index + 1 of a context begins. \returns its handle
    virtual packet_id begin(std::uint32_t node, const chips::coding_packet& packet, payload_id payload) = 0;
    /// A flit of that packet leaves: it is on the unit's output pins in the cycle after this step. `ends`: flit_info
    virtual void leave(std::uint32_t node, packet_id id, unsigned vc, std::uint16_t ends) = 0;
    /// A flit has left the buffer of a virtual channel: its credit is on the output pins likewise.
    virtual void give_credit(std::uint32_t node, unsigned vc) = 0;
    /// Nothing is known yet, or no more, of the payload of an operand that the unit took.
    virtual void release(const unit_operand& operand) = 0;
    virtual void event(std::uint32_t node, const engine::chip_event& what) = 0;
};

class coding_terminals {
public:
    coding_terminals(std::uint32_t nodes, payload_store& payloads, unit_owner& owner)
        : payloads_(&payloads), owner_(&owner), units_(nodes) {}

    /// \throws input_error as check_progress() and coding_unit do
    void add(std::uint32_t node, const chips::coding_params& params, const chips::coding_registers& registers);

    /// A flit on the input pins of a node's unit in cycle `when`; `operand` counts with a head.
    void arrive(engine::cycle when, std::uint32_t node, unsigned vc, bool head, bool tail,
                const unit_operand& operand) {
        arrivals_.push({when, node, vc, head, tail, operand});
    }
    /// A credit on them, behind the step of cycle `now`.
    void credit(engine::cycle now, std::uint32_t node, unsigned vc);

    /// Steps the units that have something to do in cycle `now`.
    void step(engine::cycle now);
    /// The next cycle, `now` or later, in which that is so.
    engine::cycle next(engine::cycle now) const;

    /// Pairs that a node's unit has coded.
    std::uint64_t xors(std::uint32_t node) const { return units_[node] ? units_[node]->xors : 0; }
    /// True if the unit has accepted an operand.
    bool accepted(std::uint32_t node, unsigned context, unsigned index) const {
        return units_[node]->accepted[context][index];
    }
    std::uint64_t most_operand_flits() const { return most_operand_flits_; }
    std::size_t memory_bytes() const;

private:
    struct arrival {
        engine::cycle when;
        std::uint32_t node;
        unsigned vc;
        bool head, tail;
        unit_operand operand;
    };
    struct unit_state {
        unit_state(const chips::coding_params& params, const chips::coding_registers& registers);

        chips::coding_unit unit;
        engine::cycle due = engine::never;
        std::vector<unit_operand> at_place;  ///< [vc][place] of a head
        std::vector<unit_operand> in_slot;
        std::vector<std::vector<bool>> accepted;  ///< [context][index]
        std::uint64_t xors = 0;
        std::uint64_t stored_flits = 0;
        payload_id sum = 0;  ///< of the pair that is sent
        bool has_sum = false;
    };
    struct sink;

    void step_unit(engine::cycle now, std::uint32_t node);
    void schedule(engine::cycle when, std::uint32_t node);

    payload_store* payloads_;
    unit_owner* owner_;
    std::vector<std::unique_ptr<unit_state>> units_;  ///< [node]
    std::queue<arrival> arrivals_;
    /// (cycle, node), of which those count that are in unit_state::due.
    std::priority_queue<std::pair<engine::cycle, std::uint32_t>, std::vector<std::pair<engine::cycle, std::uint32_t>>,
                        std::greater<>>
        due_;
    std::uint64_t most_operand_flits_ = 0;
};

}  // namespace polycast::hw::fabric
