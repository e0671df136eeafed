// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/coding/coding_state.h"

#include <algorithm>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

coding_state::coding_state(const coding_params& made_with, const coding_registers& configured)
    : params(checked(made_with)),
      registers(checked(params, configured)),
      rounds_(params.contexts),
      slots_(params.slots),
      free_((params.slots + 63) / 64),
      complete_(params.slots),
      work_(params.slots) {
    std::uint32_t first = 0;
    for (unsigned context = 0; context < params.contexts; ++context) {
        if (!context_works(params, registers, context)) continue;
        rounds_[context].first = first;
        rounds_[context].count = registers.contexts[context].count;
        first += rounds_[context].count;
    }
    indices_.resize(first);
    reset();
}

void coding_state::reset() {
    for (round& each : rounds_) {
        const round fresh{.first = each.first, .count = each.count};
        each = fresh;
    }
    std::ranges::fill(indices_, index_state{});
    for (unsigned slot = 0; slot < params.slots; ++slot) free_[slot / 64] |= bit(slot % 64);
    free_count_ = params.slots;
    freed_.clear();
    complete_.clear();
    work_.clear();
    completed_ = made_slot_ = no_slot;
    oldest_ = newest_ = no_context;
    had_work_ = upper_ = giving_up_ = false;
}

unsigned coding_state::take_slot() {
    std::size_t word = 0;
    while (free_[word] == 0) ++word;
    const unsigned slot = static_cast<unsigned>(word) * 64 + lowest(free_[word]);
    free_[word] &= free_[word] - 1;
    --free_count_;
    return slot;
}

void coding_state::end_cycle() {
    for (const std::uint16_t slot : freed_) free_[slot / 64] |= bit(slot % 64);
    free_count_ += static_cast<unsigned>(freed_.size());
    freed_.clear();
    if (completed_ != no_slot) complete_.push(completed_);
    completed_ = no_slot;
    had_work_ = !work_.empty();
}

coding_event coding_state::refusal(const coding_operand& operand) {
    if (operand.fault != coding_event::none) return operand.fault;
    if (operand.context >= params.contexts || rounds_[operand.context].count == 0) return coding_event::unknown_context;
    const round& context = rounds_[operand.context];
    const bool decoding = decodes(operand.context);
    const bool chain = (operand.tag & chain_bit) != 0;
    const unsigned index = operand.tag & index_mask;
    if ((chain && !decoding) || index >= context.count - (chain ? 1u : 0u)) return coding_event::bad_index;
    const index_state& known = at(operand.context, index);
    const bool again = chain ? known.chain_accepted : decoding ? context.plain_accepted : known.plain_accepted;
    return again ? coding_event::duplicate : coding_event::none;
}

coding_event coding_state::accept(cycle now, const coding_operand& operand) {
    const std::uint16_t slot = complete_.front();
    complete_.pop();
    const coding_event refused = refusal(operand);
    if (refused != coding_event::none) {
        give_back(slot);
        return refused;
    }
    const auto index = static_cast<std::uint16_t>(operand.tag & index_mask);
    const bool chain = (operand.tag & chain_bit) != 0;
    round& context = rounds_[operand.context];
    const bool below = index != 0;
    const bool above = index + 1u < context.count;
    const auto uses = static_cast<std::uint8_t>(chain ? 1 : (below ? 1 : 0) + (above ? 1 : 0));
    slots_[slot] = {operand.source, operand.context, index, operand.length, operand.flits, uses, chain};
    if (!context.begun) {
        context.begun = true;
        context.pairs_left = static_cast<std::uint16_t>(context.count - 1);
    }
    index_state& here = at(operand.context, index);
    (chain ? here.chain : here.plain) = slot;
    (chain ? here.chain_accepted : here.plain_accepted) = true;
    std::uint16_t lower = no_slot;
    std::uint16_t upper = no_slot;
    if (chain) {
        lower = here.plain;
        if (lower == no_slot) upper = at(operand.context, index + 1u).plain;
    } else {
        context.plain_accepted = true;
        const bool decoding = decodes(operand.context);
        if (below) {
            const index_state& other = at(operand.context, index - 1u);
            lower = decoding ? other.chain : other.plain;
        }
        if (above) upper = decoding ? here.chain : at(operand.context, index + 1u).plain;
    }
    queue_work(now, slot, lower, upper);
    return coding_event::none;
}

void coding_state::accept_made(cycle now) {
    if (made_slot_ == no_slot) return;
    const unsigned slot = made_slot_;
    made_slot_ = no_slot;
    const slot_state& datum = slots_[slot];
    index_state& here = at(datum.context, datum.index);
    here.plain = static_cast<std::uint16_t>(slot);
    if (made_up_) {
        queue_work(now, slot, no_slot, here.chain);
    } else {
        queue_work(now, slot, at(datum.context, datum.index - 1u).chain, no_slot);
    }
}

void coding_state::queue_work(cycle now, unsigned slot, std::uint16_t lower, std::uint16_t upper) {
    const std::uint16_t context = slots_[slot].context;
    progress(now, context);
    if (lower == no_slot && upper == no_slot) return;
    work_.push({static_cast<std::uint16_t>(slot), lower, upper});
    ++rounds_[context].in_work;
}

/// A begun context becomes the newest.
void coding_state::progress(cycle now, unsigned context) {
    round& here = rounds_[context];
    here.progress = now;
    if (newest_ == context) return;
    unlink(context);
    here.older = newest_;
    here.newer = no_context;
    (newest_ == no_context ? oldest_ : rounds_[newest_].newer) = static_cast<std::uint16_t>(context);
    newest_ = static_cast<std::uint16_t>(context);
}

void coding_state::unlink(unsigned context) {
    round& here = rounds_[context];
    if (here.older == no_context && here.newer == no_context && oldest_ != context) return;
    (here.older == no_context ? oldest_ : rounds_[here.older].newer) = here.newer;
    (here.newer == no_context ? newest_ : rounds_[here.newer].older) = here.older;
    here.older = here.newer = no_context;
}

coding_state::pairing coding_state::current() const {
    const entry& front = work_.front();
    const bool upper = upper_ || front.lower == no_slot;
    const std::uint16_t partner = upper ? front.upper : front.lower;
    const slot_state& own = slots_[front.slot];
    const slot_state& other = slots_[partner];
    const std::uint16_t lower = std::min(own.index, other.index);
    std::uint16_t result = lower;
    if (own.chain || other.chain) {
        const slot_state& plain = own.chain ? other : own;
        result = static_cast<std::uint16_t>(plain.index == lower ? lower + 1 : lower);
    }
    return {own.context, front.slot, partner, lower, result, own.length == other.length, upper};
}

/// The operand is not among those that are there any more.
void coding_state::leave(unsigned slot) {
    const slot_state& operand = slots_[slot];
    index_state& here = at(operand.context, operand.index);
    (operand.chain ? here.chain : here.plain) = no_slot;
}

void coding_state::use(unsigned slot, done& out) {
    if (--slots_[slot].uses != 0) return;
    leave(slot);
    give_back(slot);
    out.released[out.released[0] == no_slot ? 0 : 1] = static_cast<std::uint16_t>(slot);
}

coding_state::done coding_state::finish(cycle now, const pairing& pair) {
    done out;
    round& context = rounds_[pair.context];
    const bool own_chain = slots_[pair.slot].chain;
    const bool decoding = decodes(pair.context);
    const std::uint16_t chain = own_chain ? pair.slot : pair.partner;
    const bool up = pair.result > pair.lower;
    if (decoding && pair.equal && (up ? pair.result + 1u < context.count : pair.result != 0)) {
        leave(chain);
        slot_state& datum = slots_[chain];
        datum.chain = false;
        datum.index = pair.result;
        out.made = made_slot_ = chain;
        made_up_ = up;
        use(own_chain ? pair.partner : pair.slot, out);
    } else {
        use(pair.slot, out);
        use(pair.partner, out);
    }
    if (pair.upper || work_.front().upper == no_slot) {
        work_.pop();
        upper_ = false;
        --context.in_work;
    } else {
        upper_ = true;
    }
    progress(now, pair.context);
    if (--context.pairs_left == 0) end_round(pair.context);
    return out;
}

void coding_state::end_round(unsigned context) {
    round& here = rounds_[context];
    unlink(context);
    here.begun = here.plain_accepted = false;
    for (unsigned index = 0; index < here.count; ++index) at(context, index) = {};
}

std::optional<std::uint32_t> coding_state::missing_index() {
    const index_state& here = at(given_up_, step_);
    if (!decodes(given_up_)) return here.plain_accepted ? std::nullopt : std::optional<std::uint32_t>(step_);
    if (step_ == 0) return rounds_[given_up_].plain_accepted ? std::nullopt : std::optional(no_plain_index);
    const unsigned index = step_ - 1u;
    return at(given_up_, index).chain_accepted ? std::nullopt : std::optional(chain_bit | index);
}

void coding_state::expire(cycle now) {
    if (registers.patience == 0) return;
    unsigned lowest_context = no_context;
    for (std::uint16_t context = oldest_; context != no_context && expired(now, rounds_[context]);
         context = rounds_[context].newer) {
        if (rounds_[context].in_work == 0) lowest_context = std::min<unsigned>(lowest_context, context);
    }
    if (lowest_context == no_context) return;
    giving_up_ = true;
    given_up_ = static_cast<std::uint16_t>(lowest_context);
    step_ = 0;
}

cycle coding_state::next(cycle now) const {
    if (giving_up_ || made_slot_ != no_slot || !complete_.empty()) return now + 1;
    if (registers.patience == 0) return engine::never;
    for (std::uint16_t context = oldest_; context != no_context; context = rounds_[context].newer) {
        if (rounds_[context].in_work == 0) return std::max(now + 1, rounds_[context].progress + registers.patience + 1);
    }
    return engine::never;
}

std::size_t coding_state::memory_bytes() const {
    return rounds_.capacity() * sizeof(round) + indices_.capacity() * sizeof(index_state) +
           slots_.capacity() * sizeof(slot_state) + free_.capacity() * sizeof(std::uint64_t) +
           freed_.capacity() * sizeof(std::uint16_t) + complete_.memory_bytes() + work_.memory_bytes() +
           registers.contexts.capacity() * sizeof(coding_context) +
           registers.destinations.capacity() * sizeof(std::uint32_t);
}

}  // namespace polycast::hw::chips
