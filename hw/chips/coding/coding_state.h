// SPDX-License-Identifier: Apache-2.0
/// \file Operands and contexts of an XOR coding unit: which wait for which partners, what must be coded, what is
/// given up. Steps 3 to 5 and 8 of hw/chips/coding/coding_unit.md without its port and pipe, which are coding_unit's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/coding/coding_config.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// First in, first out, with a fixed capacity.
template <typename entry>
class ring_queue {
public:
    explicit ring_queue(std::size_t capacity) : entries_(capacity) {}

    bool empty() const { return count_ == 0; }
    entry& front() { return entries_[first_]; }
    const entry& front() const { return entries_[first_]; }
    void push(const entry& value) {
        const std::size_t end = first_ + count_++;
        entries_[end < entries_.size() ? end : end - entries_.size()] = value;
    }
    void pop() {
        first_ = first_ + 1 == entries_.size() ? 0 : first_ + 1;
        --count_;
    }
    void clear() { first_ = count_ = 0; }
    std::size_t memory_bytes() const { return entries_.capacity() * sizeof(entry); }

private:
    std::vector<entry> entries_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

/// A complete packet in a slot.
struct coding_operand {
    coding_event fault = coding_event::none;  ///< not_operand, bad_length or check, or none
    std::uint16_t context = 0;
    std::uint16_t length = 0;  ///< bytes of payload
    std::uint16_t flits = 0;   ///< without header flits
    std::uint32_t tag = 0;
    std::uint32_t source = 0;
};

/// Within a cycle: accept(), watch_clocks(), what codes, end_cycle(). What one of them makes free, queues or sets is
/// what the contract calls registered only behind end_cycle(), so none of them sees what another did in the same cycle.
class coding_state {
public:
    static constexpr std::uint16_t no_slot = 0xffff;

    /// Two operands that are XORed.
    struct pairing {
        std::uint16_t context;
        std::uint16_t slot;     ///< of the operand whose entry it is
        std::uint16_t partner;  ///< slot
        std::uint16_t lower;    ///< lower index of both
        std::uint16_t result;   ///< index of what is sent
        bool equal;             ///< of one length
        bool upper;             ///< the partner is the upper one of the entry
    };

    coding_state(const coding_params& params, const coding_registers& registers);

    const coding_params params;
    const coding_registers registers;

    void reset();

    bool slot_free() const { return free_count_ != 0; }
    /// The lowest free slot.
    unsigned take_slot();
    /// The slot is free in the next cycle.
    void give_back(unsigned slot) { freed_.push_back(static_cast<std::uint16_t>(slot)); }
    /// The packet in the slot is complete; it is in the queue in the next cycle.
    void complete(unsigned slot) { completed_ = static_cast<std::uint16_t>(slot); }

    /// Slot of the packet that accept() is to be given, no_slot if there is none in this cycle. A datum that was made
    /// comes before it.
    unsigned next_packet() const {
        return complete_.empty() || giving_up_ || made_slot_ != no_slot ? no_slot : complete_.front();
    }
    /// Step 3 for the packet next_packet(). \returns what is wrong with it; then its slot is returned
    coding_event accept(engine::cycle now, const coding_operand& operand);
    /// Step 3 for a datum that was made, if one was.
    void accept_made(engine::cycle now);

    /// Step 8: `event` for each event `missing`, `release` for each slot that is returned.
    template <typename event_sink, typename release_sink>
    void watch_clocks(engine::cycle now, const event_sink& event, const release_sink& release);

    /// There is work in this cycle.
    bool work() const { return had_work_; }
    pairing current() const;
    unsigned flits(unsigned slot) const { return slots_[slot].flits; }
    unsigned length(unsigned slot) const { return slots_[slot].length; }
    std::uint32_t source(unsigned slot) const { return slots_[slot].source; }
    /// The current pair is done. Of its slots, those in `released` are returned; `made` is where its datum stays.
    struct done {
        std::uint16_t made = no_slot;
        std::array<std::uint16_t, 2> released{no_slot, no_slot};
    };
    done finish(engine::cycle now, const pairing& pair);

    void end_cycle();

    /// The next cycle after `now` in which accepting or giving up has something to do.
    engine::cycle next(engine::cycle now) const;
    /// No slot is in use and no context has begun.
    bool quiet() const { return free_count_ == params.slots && oldest_ == no_context; }
    std::size_t memory_bytes() const;

private:
    static constexpr std::uint16_t no_context = 0xffff;

    /// An operand.
    struct slot_state {
        std::uint32_t source;
        std::uint16_t context;
        std::uint16_t index;
        std::uint16_t length;
        std::uint16_t flits;
        std::uint8_t uses;  ///< pairs that it is still needed for
        bool chain;
    };
    /// State of an index of a context.
    struct index_state {
        std::uint16_t plain = no_slot;  ///< slot of the operand that is there
        std::uint16_t chain = no_slot;
        bool plain_accepted = false;  ///< in this round
        bool chain_accepted = false;
    };
    struct round {
        engine::cycle progress = 0;  ///< cycle in which an operand was accepted or a pair was done last
        std::uint32_t first = 0;     ///< of its index_states
        std::uint16_t count = 0;     ///< 0: the context is off
        std::uint16_t pairs_left = 0;
        std::uint16_t in_work = 0;  ///< entries
        bool begun = false;
        bool plain_accepted = false;       ///< in decoding, any
        std::uint16_t newer = no_context;  ///< begun contexts in the order of their progress
        std::uint16_t older = no_context;
    };
    /// An operand and its partners.
    struct entry {
        std::uint16_t slot;
        std::uint16_t lower;  ///< slot, or no_slot
        std::uint16_t upper;
    };

    bool decodes(unsigned context) const { return registers.contexts[context].mode == coding_mode::decode; }
    index_state& at(unsigned context, unsigned index) { return indices_[rounds_[context].first + index]; }
    coding_event refusal(const coding_operand& operand);
    void queue_work(engine::cycle now, unsigned slot, std::uint16_t lower, std::uint16_t upper);
    void progress(engine::cycle now, unsigned context);
    void unlink(unsigned context);
    void leave(unsigned slot);
    void use(unsigned slot, done& out);
    void end_round(unsigned context);
    /// The index whose operand did not arrive, as events encode it.
    std::optional<std::uint32_t> missing_index();
    void expire(engine::cycle now);
    bool expired(engine::cycle now, const round& of) const { return now > of.progress + registers.patience; }

    std::vector<round> rounds_;         ///< [context]
    std::vector<index_state> indices_;  ///< of all contexts
    std::vector<slot_state> slots_;
    std::vector<std::uint64_t> free_;  ///< bit: slot
    unsigned free_count_ = 0;
    std::vector<std::uint16_t> freed_;  ///< in this cycle
    std::uint16_t completed_ = no_slot;
    ring_queue<std::uint16_t> complete_;  ///< slots
    ring_queue<entry> work_;
    bool had_work_ = false;
    bool upper_ = false;                 ///< the first entry's lower pair is done, or there was none
    std::uint16_t made_slot_ = no_slot;  ///< of a datum that was made in the cycle before
    bool made_up_ = false;               ///< in the direction of higher indices
    bool giving_up_ = false;
    std::uint16_t given_up_ = 0;  ///< the context
    std::uint16_t step_ = 0;      ///< of giving it up
    std::uint16_t oldest_ = no_context;
    std::uint16_t newest_ = no_context;
};

template <typename event_sink, typename release_sink>
void coding_state::watch_clocks(engine::cycle now, const event_sink& event, const release_sink& release) {
    if (!giving_up_) {
        expire(now);
        return;
    }
    if (const std::optional<std::uint32_t> index = missing_index()) event(given_up_, *index);
    if (++step_ < rounds_[given_up_].count) return;
    for (unsigned index = 0; index < rounds_[given_up_].count; ++index) {
        for (const std::uint16_t slot : {at(given_up_, index).plain, at(given_up_, index).chain}) {
            if (slot == no_slot) continue;
            leave(slot);
            give_back(slot);
            release(slot);
        }
    }
    end_round(given_up_);
    giving_up_ = false;
}

}  // namespace polycast::hw::chips
