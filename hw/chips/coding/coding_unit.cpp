// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/coding/coding_unit.h"

#include <algorithm>

namespace polycast::hw::chips {

using engine::cycle;

coding_unit::coding_unit(const coding_params& params, const coding_registers& registers)
    : state_(params, registers),
      buffers_(params.vcs),
      ends_(std::size_t{params.vcs} * params.vc_flits),
      credits_(params.vcs),
      pipe_(std::max(1u, registers.latency)) {
    reset();
}

void coding_unit::reset() {
    state_.reset();
    std::ranges::fill(buffers_, buffer{});
    occupied_ = head_first_ = 0;
    in_pointer_ = out_pointer_ = 0;
    std::ranges::fill(credits_, static_cast<std::uint16_t>(registers().credits));
    const std::uint32_t all = (1u << params().vcs) - 1;
    with_credit_ = registers().credits != 0 ? all : 0;
    with_reserve_ = registers().credits >= registers().reserve ? all : 0;
    out_vc_ = no_vc;
    pipe_.clear();
    stalls_ = 0;
    destination_ = position_ = 0;
    sequence_ = 0;
    pairs_ = 0;
}

unsigned coding_unit::arrive(unsigned vc, bool head, bool tail) {
    buffer& to = buffers_[vc];
    unsigned place = unsigned{to.first} + to.count;
    if (place >= params().vc_flits) place -= params().vc_flits;
    ends_[std::size_t{vc} * params().vc_flits + place] =
        static_cast<std::uint8_t>((head ? head_end : 0) | (tail ? tail_end : 0));
    if (to.count++ == 0) {
        occupied_ |= 1u << vc;
        if (head) head_first_ |= 1u << vc;
    }
    return place;
}

unsigned coding_unit::pull(unsigned vc) {
    buffer& from = buffers_[vc];
    const std::uint8_t* ends = &ends_[std::size_t{vc} * params().vc_flits];
    const unsigned pulled = ends[from.first];
    from.first = static_cast<std::uint16_t>(from.first + 1u == params().vc_flits ? 0 : from.first + 1u);
    --from.count;
    head_first_ &= ~(1u << vc);
    if (from.count == 0) {
        occupied_ &= ~(1u << vc);
    } else if ((ends[from.first] & head_end) != 0) {
        head_first_ |= 1u << vc;
    }
    return pulled;
}

void coding_unit::credit(unsigned vc) {
    const unsigned left = ++credits_[vc];
    with_credit_ |= 1u << vc;
    if (left >= registers().reserve) with_reserve_ |= 1u << vc;
}

void coding_unit::spend(unsigned vc) {
    const unsigned left = --credits_[vc];
    if (left == 0) with_credit_ &= ~(1u << vc);
    if (left < registers().reserve) with_reserve_ &= ~(1u << vc);
}

cycle coding_unit::next(cycle now) const {
    cycle when = takeable() != 0 ? now + 1 : state_.next(now);
    bool stalled = false;
    if (!pipe_.empty()) {
        const cycle due = std::max(now + 1, pipe_.front().due + stalls_);
        stalled = due == now + 1 && exits(pipe_.front().ends, pipe_.front().vc_class) == 0;
        if (!stalled) when = std::min(when, due);
    }
    if (when == now + 1 || !state_.work()) return when;
    const coding_state::pairing pair = state_.current();
    const coding_context& context = registers().contexts[pair.context];
    if (pair.equal && context.destination_count != 0) {
        if (stalled) return when;
        if (registers().latency == 0 && exits(ends_of(position_, flits_of(pair)), context.vc_class) == 0) return when;
    }
    return now + 1;
}

std::size_t coding_unit::memory_bytes() const {
    return sizeof *this + state_.memory_bytes() + buffers_.capacity() * sizeof(buffer) + ends_.capacity() +
           credits_.capacity() * sizeof(std::uint16_t) + pipe_.memory_bytes();
}

}  // namespace polycast::hw::chips
