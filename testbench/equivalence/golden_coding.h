// SPDX-License-Identifier: Apache-2.0
/// \file hw/chips/coding/coding_unit.md written down as plainly as possible: a witness beside the core and the RTL that
/// shares no code and no data structure with either.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "hw/chips/coding/coding_config.h"
#include "hw/engine/chip.h"

namespace polycast::testbench::equivalence {

/// A step copies its whole state first: what the page calls registered is in the copy.
class golden_coding final : public hw::engine::chip {
public:
    golden_coding(const hw::chips::coding_params& params, hw::chips::coding_registers registers);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    /// Asks to be stepped in each cycle.
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override;
    void probe(hw::engine::chip_probe& probe) const override;

private:
    using bytes = std::vector<std::uint8_t>;

    struct flit {
        bytes data;
        bytes header;  ///< free
        bool head = false;
        bool tail = false;
    };
    struct channel {
        std::deque<flit> buffer;
        unsigned flits = 0;  ///< of the packet that comes in
        bool in_packet = false;
        bool discarding = false;
        bool dead = false;
        std::optional<unsigned> slot;  ///< of the packet that is taken
        unsigned credits = 0;          ///< at the other end
    };
    /// A slot that is taken.
    struct operand {
        bytes flits;   ///< of the packet, all that came
        bytes header;  ///< free
        bool there = false;
        unsigned context = 0;
        unsigned index = 0;
        bool chain = false;
        bytes payload;
        std::uint32_t source = 0;
        unsigned uses = 0;
    };
    struct work_entry {
        unsigned slot = 0;
        std::deque<unsigned> partners;  ///< slots, the lower one first
    };
    struct made_datum {
        unsigned slot = 0;
        bool up = false;
    };
    struct context_state {
        bool begun = false;
        std::uint64_t clock = 0;
        unsigned pairs_done = 0;
        std::set<std::uint32_t> accepted;  ///< index, with the chain bit
    };
    struct pipe_flit {
        flit out;
        unsigned vc_class = 0;
    };
    struct state {
        std::vector<channel> vcs;
        unsigned in_pointer = 0;
        unsigned out_pointer = 0;
        std::optional<unsigned> out_vc;
        std::vector<std::optional<operand>> slots;
        std::deque<unsigned> complete;
        std::deque<work_entry> work;
        std::optional<made_datum> made;
        std::vector<context_state> contexts;
        std::deque<std::optional<pipe_flit>> pipe;  ///< stages, the last one first
        std::vector<flit> packet;                   ///< that goes into the pipe
        unsigned next_flit = 0;
        unsigned destination = 0;
        std::uint32_t sequence = 0;
        std::optional<unsigned> given_up;  ///< context
        unsigned step = 0;                 ///< of giving it up
    };
    /// What a packet says of itself.
    struct fields {
        bytes header;  ///< of a unicast
        bytes transport;
        unsigned kind = 0;
        unsigned op = 0;
        unsigned length = 0;
        std::uint32_t source = 0;
        unsigned context = 0;
        std::uint32_t tag = 0;
        unsigned body_flits = 0;
        bytes body;  ///< behind the header flits
    };

    void write(const hw::engine::pins& in, hw::engine::pins& out);
    void take(hw::engine::pins& out);
    void accept(hw::engine::pins& out);
    bool refuse(unsigned slot, const fields& packet, hw::engine::pins& out);
    void accepted(unsigned slot, const std::deque<unsigned>& partners);
    std::optional<unsigned> find(unsigned context, unsigned index, bool chain) const;
    void code(hw::engine::pins& out);
    bool leave(const pipe_flit& what, hw::engine::pins& out);
    bool send(const pipe_flit& what, bool stuck, hw::engine::pins& out);
    void done(unsigned slot, unsigned partner);
    void use(unsigned slot);
    void give_up(hw::engine::pins& out);
    void end(unsigned context);
    fields read(const operand& packet) const;
    std::vector<flit> build(unsigned context, unsigned index, std::uint32_t destination, const bytes& payload) const;
    bytes check_of(const bytes& header, const bytes& transport, const bytes& payload) const;
    bool works(unsigned context) const;
    bool decodes(unsigned context) const;
    unsigned count(unsigned context) const { return registers_.contexts[context].count; }

    hw::chips::coding_params params_;
    hw::chips::coding_registers registers_;
    hw::engine::pin_shape shape_;
    state was_;  ///< at the start of the cycle
    state is_;
    std::set<unsigned> touched_;  ///< contexts of which an operand was accepted in this cycle
    bool quiet_ = true;
};

}  // namespace polycast::testbench::equivalence
