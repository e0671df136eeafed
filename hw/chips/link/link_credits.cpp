// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_credits.h"

#include <algorithm>
#include <bit>

#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

using engine::cycle;

unsigned link_credits::take(const engine::flit& flit, intake how, link_ring& ring) {
    constexpr auto overflow = static_cast<unsigned>(format::chip_error::overflow);
    if (flit.vc >= vcs_.size()) return static_cast<unsigned>(format::chip_error::bad_vc);
    vc_state& vc = vcs_[flit.vc];
    const bool first = !vc.in_packet;
    if (first && !flit.head) return static_cast<unsigned>(format::chip_error::missing_head);
    unsigned errors = 0;
    if (first) {
        vc.in_packet = true;
        vc.dropping = how.discards || vc.expired || vc.cut_due;
        if (how.discards) ++counters_.llr_tx_discard;
        if (vc.cut_due && !vc.expired) errors = overflow;
    }
    const auto drop_rest = [&] {
        errors = overflow;
        if (!first && !vc.dropping) cut(flit.vc, true);
        vc.dropping = true;
    };
    const bool begins = first || vc.filled == config_.far.unit_flits;
    if (begins) {
        vc.filled = 0;
        vc.counted = vc.used < config_.far.credits[flit.vc];
        if (vc.counted) {
            ++vc.used;
        } else {
            drop_rest();
        }
    }
    ++vc.filled;
    if (!vc.dropping && ring.full()) drop_rest();
    if (!vc.dropping) {
        ring.write(flit, begins, first);
        ++vc.unsent_flits;
        if (begins) ++vc.unsent_units;
    } else if (begins && vc.counted) {
        if (vc.expired) ++counters_.lifetime_discard;
        if (how.refunds) owe(flit.vc, vc.owed + 1);
    }
    if (flit.tail) vc.in_packet = vc.dropping = false;
    return errors;
}

void link_credits::first_sent(cycle now, const link_ring::mark& flit) {
    if (flit.vc >= vcs_.size()) return;  // its number was upset
    vc_state& vc = vcs_[flit.vc];
    --vc.unsent_flits;
    if (!flit.begins_unit) return;
    --vc.unsent_units;
    if (vc.s_cc == vc.s_cf) {
        vc.differs = now;
        message_from_ = std::min(message_from_, now + config_.credit_timer);
    }
    const std::uint64_t more = beyond_ + 1;  // also where an upset has made the counters wrap
    if (!vc.s_cc_lost) {
        beyond_ -= vc.beyond();
        vc.s_cc = (vc.s_cc + 1) & credit_mask;
        beyond_ += vc.beyond();
    }
    if (exhausted(flit.vc)) vc.exhausted = now;
    if (vc.s_cc_lost) return;
    count_use();
    counters_.cbfc_sender_credits_watermark = std::max(counters_.cbfc_sender_credits_watermark, more);
}

/// With a code the counter is read and written anew in every cycle: a flip that is corrected is seen by nobody.
format::reading link_credits::upset(cycle now, unsigned number, bool freed, unsigned bit) {
    vc_state& vc = vcs_[number];
    std::uint32_t& counter = freed ? vc.s_cf : vc.s_cc;
    bool& lost = freed ? vc.s_cf_lost : vc.s_cc_lost;
    const format::reading found = lost ? format::reading::good : read_flipped(config_, bit);
    if (config_.protect_counters != format::protection::none && found != format::reading::failed) return found;
    beyond_ -= vc.beyond();
    counter = found == format::reading::failed ? 0 : counter ^ 1u << bit;
    beyond_ += vc.beyond();
    count_use();
    if (found == format::reading::failed) {
        lost = lost_ = true;
        return found;
    }
    vc.differs = vc.exhausted = now;
    message_from_ = std::min(message_from_, now + config_.credit_timer);
    return found;
}

void link_credits::expire(cycle now, bool active) {
    if (config_.lifetime == 0 || !active) return;
    for (unsigned index = 0; index < vcs_.size(); ++index) {
        vc_state& vc = vcs_[index];
        if (revives(vc)) vc.expired = false;
        if (vc.expired || !exhausted(index) || now - vc.exhausted < config_.lifetime) continue;
        vc.expired = true;
        owe(index, vc.used);
        if (!vc.in_packet || vc.dropping) continue;
        vc.dropping = true;
        cut(index, true);
    }
}

void link_credits::cf_update(cycle now, unsigned index, std::uint32_t number) {
    if (index >= vcs_.size()) {
        ++counters_.credit_error;
        return;
    }
    vc_state& vc = vcs_[index];
    const std::uint32_t freed = (number - vc.s_cf) & credit_mask;
    const bool lost = vc.s_cc_lost || vc.s_cf_lost;
    const bool balanced = !lost && (vc.expired || vc.used == vc.owed + vc.unsent_units + vc.beyond());
    if (freed > vc.beyond() || freed > config_.far.credits[index] || !balanced) {
        ++counters_.credit_error;
        return;
    }
    vc.s_cf = number;
    beyond_ -= freed;
    vc.unanswered = 0;
    if (config_.retries()) vc.differs = now;
    if (!vc.expired) owe(index, vc.owed + freed);
    count_use();
}

std::optional<link_message> link_credits::due_message(cycle now) const {
    cycle next = engine::never;
    for (unsigned vc = 0; vc < vcs_.size(); ++vc) {
        const vc_state& state = vcs_[vc];
        if (state.cut_due && state.unsent_flits == 0) return link_message{frame_type::cut, vc, 0};
        if (state.s_cc == state.s_cf) continue;
        if (now - state.differs >= config_.credit_timer) return link_message{frame_type::cc_update, vc, state.s_cc};
        next = std::min(next, state.differs + config_.credit_timer);
    }
    message_from_ = next;
    return std::nullopt;
}

bool link_credits::unanswered(const link_message& message) const {
    return message.type == frame_type::cc_update && vcs_[message.vc].unanswered == config_.replay_count;
}

void link_credits::sent(cycle now, const link_message& message) {
    vc_state& vc = vcs_[message.vc];
    if (message.type == frame_type::cut) return cut(message.vc, false);
    vc.differs = now;
    ++vc.unanswered;
    ++counters_.cbfc_num_cc_update_messages_tx;
}

void link_credits::flush(bool discard) {
    for (unsigned index = 0; index < vcs_.size(); ++index) {
        vc_state& vc = vcs_[index];
        vc.dropping = vc.in_packet;
        vc.unsent_flits = vc.unsent_units = 0;
        vc.expired = false;
        cut(index, false);
        if (discard) owe(index, vc.used);
    }
}

void link_credits::echo() {
    for (unsigned index = 0; index < vcs_.size(); ++index) {
        vc_state& vc = vcs_[index];
        vc.s_cc = vc.s_cf = 0;
        vc.s_cc_lost = vc.s_cf_lost = false;
        vc.unanswered = 0;
        owe(index, vc.used - vc.unsent_units);
    }
    beyond_ = 0;
    lost_ = false;
    count_use();
}

std::optional<unsigned> link_credits::pulse() {
    // VCs from pulse_vc_ on, then those before.
    const std::uint32_t later = owing_ & ~((1u << pulse_vc_) - 1);
    for (const std::uint32_t set : {later, owing_ & ~later}) {
        for (std::uint32_t left = set; left != 0; left &= left - 1) {
            const auto vc = static_cast<unsigned>(std::countr_zero(left));
            if (!payable(vcs_[vc])) continue;
            owe(vc, vcs_[vc].owed - 1);
            --vcs_[vc].used;
            pulse_vc_ = vc + 1;
            return vc;
        }
    }
    return std::nullopt;
}

bool link_credits::idle() const {
    return cuts_ == 0 && !pays() && std::none_of(vcs_.begin(), vcs_.end(), [&](const vc_state& vc) {
               return vc.unsent_flits != 0 || revives(vc);
           });
}

/// The first cycle behind `now` in which a virtual channel expires, or ends to be expired.
cycle link_credits::expiry(cycle now) const {
    cycle next = engine::never;
    for (unsigned index = 0; index < vcs_.size(); ++index) {
        if (revives(vcs_[index])) return now + 1;
        if (!vcs_[index].expired && exhausted(index)) next = std::min(next, vcs_[index].exhausted + config_.lifetime);
    }
    return next;
}

}  // namespace polycast::hw::chips
