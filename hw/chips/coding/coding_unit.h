// SPDX-License-Identifier: Apache-2.0
/// \file Operands, contexts, queues and flow control of an XOR coding unit, without the contents of its flits: steps 2
/// to 8 of hw/chips/coding/coding_unit.md. The chip (coding_core.h) is made of it, and units at the terminals of
/// hw/fabric.
///
/// How to use it. In cycle t, first call step(t, sink), then report all arrivals in t: arrive() for a flit (only if
/// room() says so), credit() for a credit. next(t) then says when step() is due again if nothing arrives before; a step
/// that is not due changes nothing. Bytes are the sink's, which is told by slot numbers where they go:
///
///     bool take(unsigned vc, unsigned place, unsigned slot, unsigned position, bool head, bool tail);
///         the flit that arrive() put at `place` is flit number `position` of the packet in `slot`, and gives a credit
///         back, on the link in t+1; of a tail: false if the packet is to be dropped (short header)
///     coding_operand operand(unsigned slot);      a complete packet, once, when it is accepted or refused
///     std::uint32_t begin(const coding_packet&);  a packet to one destination begins: a handle for its flits
///     void leave(std::uint32_t handle, unsigned position, bool head, bool tail, unsigned vc);   on the link in t+1
///     void coded(const coding_pair&);             all packets of a pair have begun, it is done
///     void release(unsigned slot);                the packet in it is not needed any more
///     void event(engine::chip_event);             on the event pins in t+1
///
/// A slot holds the same packet from the `take` of its head to `release`, but for a made datum (coding_pair::made).
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/coding/coding_config.h"
#include "hw/chips/coding/coding_state.h"
#include "hw/chips/port_set.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// A packet that is sent: the XOR of the payloads of two slots.
struct coding_packet {
    std::uint16_t context;
    std::uint16_t index;  ///< to be added to the context's tag and message
    std::uint16_t length;
    std::uint16_t flits;  ///< in all
    std::uint16_t slot;
    std::uint16_t partner;
    std::uint32_t destination;
    std::uint32_t sequence;
};

/// A pair that is done, and was not of unequal lengths.
struct coding_pair {
    std::uint16_t context;
    std::uint16_t slot;
    std::uint16_t partner;
    std::uint16_t made;  ///< the one of both whose payload becomes the XOR, or no_slot
};

class coding_unit {
public:
    static constexpr std::uint16_t no_slot = coding_state::no_slot;

    /// \throws input_error as checked() does
    coding_unit(const coding_params& params, const coding_registers& registers);

    /// Drops the traffic, the operands and the state of contexts.
    void reset();

    const coding_params& params() const { return state_.params; }
    const coding_registers& registers() const { return state_.registers; }

    /// Free flits of the buffer of a virtual channel, as of now.
    unsigned room(unsigned vc) const { return params().vc_flits - buffers_[vc].count; }
    unsigned credits_left(unsigned vc) const { return credits_[vc]; }

    /// Stores a flit. \returns its place in the buffer, 0..vc_flits-1
    unsigned arrive(unsigned vc, bool head, bool tail);
    void credit(unsigned vc);

    /// Steps 2 to 6 and 8 of cycle `now`.
    template <typename sink>
    void step(engine::cycle now, sink& to);

    /// The next cycle after `now` in which step() is due, `never` if none is before something arrives.
    engine::cycle next(engine::cycle now) const;

    /// It holds no flit, operand, packet or context.
    bool idle() const { return occupied_ == 0 && state_.quiet() && pipe_.empty(); }

    /// State of a virtual channel, for waves: the packet at the front has a slot; the packet that leaves has it.
    bool taking(unsigned vc) const { return buffers_[vc].slot != no_slot; }
    bool sending(unsigned vc) const { return out_vc_ == vc; }

    /// Pairs that were coded since reset: XORs of two operands, however many packets they made.
    std::uint64_t pairs() const { return pairs_; }

    /// Bytes that this object holds, itself included.
    std::size_t memory_bytes() const;

private:
    /// Buffer of a virtual channel.
    struct buffer {
        std::uint16_t first = 0;  ///< place of the first flit
        std::uint16_t count = 0;
        std::uint16_t slot = no_slot;  ///< of the packet that is being taken
        std::uint32_t position = 0;    ///< of its next flit
    };
    /// A flit in the pipe.
    struct pipe_flit {
        engine::cycle due;  ///< cycle in which it is in the last stage, stalls not counted
        std::uint32_t handle;
        std::uint16_t position;
        std::uint8_t ends;
        std::uint8_t vc_class;
    };
    static constexpr std::uint8_t head_end = 1;
    static constexpr std::uint8_t tail_end = 2;
    static constexpr unsigned no_vc = ~0u;

    /// VCs whose first flit can be taken.
    std::uint32_t takeable() const { return state_.slot_free() ? occupied_ : occupied_ & ~head_first_; }
    template <typename sink>
    void take(sink& to);
    template <typename sink>
    void accept(engine::cycle now, sink& to);
    template <typename sink>
    void move_pipe(engine::cycle now, sink& to);
    template <typename sink>
    void code(engine::cycle now, sink& to);
    template <typename sink>
    void finish(engine::cycle now, const coding_state::pairing& pair, sink& to);
    template <typename sink>
    void put_out(const pipe_flit& flit, sink& to);
    /// VCs that a flit may leave in; of a head one is chosen.
    std::uint32_t exits(unsigned ends, unsigned vc_class) const {
        if ((ends & head_end) != 0) return registers().vc_sets[vc_class] & with_reserve_;
        return with_credit_ & 1u << out_vc_;
    }
    /// Takes a flit from a VC's buffer.
    unsigned pull(unsigned vc);
    void spend(unsigned vc);
    unsigned flits_of(const coding_state::pairing& pair) const {
        return params().header_flits() + state_.flits(pair.slot);
    }
    std::uint8_t ends_of(unsigned position, unsigned flits) const {
        return static_cast<std::uint8_t>((position == 0 ? head_end : 0) | (position + 1 == flits ? tail_end : 0));
    }

    coding_state state_;

    // Port.
    std::vector<buffer> buffers_;     ///< [vc]
    std::vector<std::uint8_t> ends_;  ///< [vc][place] of a flit
    std::uint32_t occupied_ = 0;      ///< VCs whose buffer is not empty
    std::uint32_t head_first_ = 0;    ///< VCs whose first flit is a head
    unsigned in_pointer_ = 0;
    std::vector<std::uint16_t> credits_;  ///< [vc]
    std::uint32_t with_credit_ = 0;
    std::uint32_t with_reserve_ = 0;
    unsigned out_pointer_ = 0;
    unsigned out_vc_ = no_vc;  ///< of the packet that leaves

    // Coding.
    ring_queue<pipe_flit> pipe_;
    engine::cycle stalls_ = 0;    ///< cycles in which the pipe stalled
    bool stalled_ = false;        ///< it does in this cycle
    unsigned destination_ = 0;    ///< of the pair that is worked on
    unsigned position_ = 0;       ///< of its next flit
    std::uint32_t handle_ = 0;    ///< of the packet
    std::uint32_t sequence_ = 0;  ///< of the next packet
    std::uint64_t pairs_ = 0;
};

/// The contract's "registered" holds because of the order here; see coding_state.
template <typename sink>
void coding_unit::step(engine::cycle now, sink& to) {
    take(to);
    accept(now, to);
    state_.watch_clocks(
        now,
        [&](std::uint16_t context, std::uint32_t index) {
            to.event({2, static_cast<std::uint8_t>(coding_event::missing), context, index, 0});
        },
        [&](unsigned slot) { to.release(slot); });
    move_pipe(now, to);
    if (state_.work()) code(now, to);
    state_.end_cycle();
}

template <typename sink>
void coding_unit::take(sink& to) {
    const std::uint32_t able = takeable();
    if (able == 0) return;
    const unsigned vc = first_from(able, in_pointer_);
    in_pointer_ = vc + 1 == params().vcs ? 0 : vc + 1;
    const unsigned place = buffers_[vc].first;
    const unsigned ends = pull(vc);
    buffer& from = buffers_[vc];
    if ((ends & head_end) != 0) {
        from.slot = static_cast<std::uint16_t>(state_.take_slot());
        from.position = 0;
    }
    const unsigned slot = from.slot;
    const bool tail = (ends & tail_end) != 0;
    const bool good = to.take(vc, place, slot, from.position++, (ends & head_end) != 0, tail);
    if (!tail) return;
    from.slot = no_slot;
    if (good) {
        state_.complete(slot);
    } else {
        state_.give_back(slot);
        to.release(slot);
    }
}

template <typename sink>
void coding_unit::accept(engine::cycle now, sink& to) {
    const unsigned slot = state_.next_packet();
    state_.accept_made(now);
    if (slot == no_slot) return;
    const coding_operand operand = to.operand(slot);
    const coding_event refused = state_.accept(now, operand);
    if (refused == coding_event::none) return;
    to.event({0, static_cast<std::uint8_t>(refused), operand.context, operand.tag, operand.source});
    to.release(slot);
}

/// Step 6 for a pipe of at least one stage.
template <typename sink>
void coding_unit::move_pipe(engine::cycle now, sink& to) {
    stalled_ = false;
    if (pipe_.empty() || now - stalls_ < pipe_.front().due) return;
    // Since it was due this flit has waited: in steps, or between them when nothing could change.
    stalls_ = now - pipe_.front().due;
    stalled_ = exits(pipe_.front().ends, pipe_.front().vc_class) == 0;
    if (stalled_) return;
    put_out(pipe_.front(), to);
    pipe_.pop();
}

template <typename sink>
void coding_unit::code(engine::cycle now, sink& to) {
    const coding_state::pairing pair = state_.current();
    if (!pair.equal) {
        to.event({1, static_cast<std::uint8_t>(coding_event::unequal), pair.context, pair.lower,
                  state_.source(pair.partner)});
        return finish(now, pair, to);
    }
    const unsigned flits = flits_of(pair);
    const coding_context& context = registers().contexts[pair.context];
    if (context.destination_count != 0) {
        const std::uint8_t ends = ends_of(position_, flits);
        if (stalled_ || (registers().latency == 0 && exits(ends, context.vc_class) == 0)) return;
        if (position_ == 0) {
            handle_ = to.begin({pair.context, pair.result, static_cast<std::uint16_t>(state_.length(pair.slot)),
                                static_cast<std::uint16_t>(flits), pair.slot, pair.partner,
                                registers().destinations[context.first_destination + destination_], sequence_});
            ++sequence_;
        }
        const pipe_flit flit{now - stalls_ + registers().latency, handle_, static_cast<std::uint16_t>(position_), ends,
                             context.vc_class};
        if (registers().latency == 0) {
            put_out(flit, to);
        } else {
            pipe_.push(flit);
        }
    }
    if (++position_ < flits) return;
    position_ = 0;
    if (++destination_ < context.destination_count) return;
    destination_ = 0;
    finish(now, pair, to);
}

template <typename sink>
void coding_unit::finish(engine::cycle now, const coding_state::pairing& pair, sink& to) {
    const coding_state::done done = state_.finish(now, pair);
    if (pair.equal) {
        ++pairs_;
        to.coded({pair.context, pair.slot, pair.partner, done.made});
    }
    for (const std::uint16_t slot : done.released)
        if (slot != no_slot) to.release(slot);
}

template <typename sink>
void coding_unit::put_out(const pipe_flit& flit, sink& to) {
    const bool head = (flit.ends & head_end) != 0;
    const bool tail = (flit.ends & tail_end) != 0;
    if (head) {
        out_vc_ = first_from(exits(flit.ends, flit.vc_class), out_pointer_);
        out_pointer_ = out_vc_ + 1 == params().vcs ? 0 : out_vc_ + 1;
    }
    spend(out_vc_);
    to.leave(flit.handle, flit.position, head, tail, out_vc_);
    if (tail) out_vc_ = no_vc;
}

}  // namespace polycast::hw::chips
