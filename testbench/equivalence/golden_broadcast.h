// SPDX-License-Identifier: Apache-2.0
/// \file hw/chips/broadcast/broadcast_unit.md written down as plainly as possible: a witness beside the core and the
/// RTL that shares no code and no data structure with either.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/engine/chip.h"
#include "testbench/equivalence/golden_router.h"

namespace polycast::testbench::equivalence {

/// A golden router and a unit of which a step copies its whole state first: what the page calls registered is in the
/// copy.
class golden_broadcast final : public hw::engine::chip {
public:
    golden_broadcast(const hw::chips::broadcast_params& params, hw::chips::broadcast_registers registers);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    /// Asks to be stepped in each cycle.
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override;
    void probe(hw::engine::chip_probe& probe) const override;

private:
    using bytes = std::vector<std::uint8_t>;
    using place = std::vector<unsigned>;  ///< coordinates

    struct flit {
        bytes data;
        bytes header;  ///< free
        bool head = false;
        bool tail = false;
    };
    /// A slot that is taken.
    struct packet {
        std::vector<flit> flits;
        bool complete = false;
        std::set<unsigned> ports;  ///< where it becomes due
    };
    struct input {
        unsigned flits = 0;
        bool in_packet = false;
        bool discarding = false;
        bool dead = false;
        bool taking = false;           ///< a packet of which the head was taken and the tail was not
        std::optional<unsigned> slot;  ///< where that goes; none: it is discarded
    };
    struct leaving_packet {
        unsigned slot = 0;
        unsigned next = 0;  ///< flit
    };
    struct output {
        std::set<unsigned> due;
        std::optional<leaving_packet> leaving;
    };
    struct neighbour {
        std::set<unsigned> have;
        unsigned round = 0;
    };
    struct state {
        unsigned round = 0;
        std::optional<std::uint32_t> source;
        unsigned last = 0;
        std::map<unsigned, packet> slots;
        std::deque<unsigned> order;
        std::vector<input> inputs;
        std::vector<output> outputs;
        std::vector<neighbour> neighbours;
        std::deque<flit> buffer;
        unsigned waiting_credits = 0;
        unsigned host_credits = 0;
    };
    /// What a header says.
    struct fields {
        unsigned kind = 0;
        std::uint32_t source = 0;
        unsigned packet = 0, last = 0, colour = 0, round = 0;
    };

    void step_router(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out);
    bool for_unit(unsigned port, std::uint64_t set, const bytes& vcs) const;
    void take(const hw::engine::pins& in, hw::engine::pins& out);
    bool framed(unsigned port, flit& what, bool room, hw::engine::pins& out);
    void go_on(unsigned port, const flit& what, hw::engine::pins& out);
    void head(unsigned port, const fields& header, hw::engine::pins& out);
    unsigned event_of(const fields& header) const;
    void send(hw::engine::pins& out);
    std::optional<unsigned> chosen(unsigned port) const;
    void drop_due();
    void end_round();
    void credits(bool credit, hw::engine::pins& out);
    void sides(const hw::engine::pins& in, hw::engine::pins& out);

    fields read(const flit& head) const;
    place place_of(std::uint32_t node) const;
    bool in_community(std::uint32_t node) const;
    bool rule(unsigned port, unsigned colour, const place& source) const;
    bool tree_rule(unsigned port, unsigned tree, const place& source) const;
    bool is_ours(unsigned port) const;     ///< one of the unit's ports
    bool is_network(unsigned port) const;  ///< no host port
    bool whole(const state& which) const;
    unsigned ahead(unsigned round) const { return (round + 16 - was_.round) % 16; }
    bool sees(unsigned port, unsigned round) const { return was_.neighbours[port].round == round % 4; }
    void raise(unsigned port, hw::format::chip_error error, hw::engine::pins& out) const;
    void put(unsigned port, unsigned slot, unsigned number, hw::engine::pins& out);

    hw::chips::broadcast_params params_;
    hw::chips::broadcast_registers registers_;
    hw::engine::pin_shape shape_;
    unsigned host_;
    golden_router router_;
    state was_;  ///< at the start of the cycle
    state is_;
    bool quiet_ = true;
};

}  // namespace polycast::testbench::equivalence
