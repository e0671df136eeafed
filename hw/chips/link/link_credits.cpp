// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_credits.h"

#include <algorithm>

#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

using engine::cycle;

unsigned link_credits::take(const link_symbol& flit, intake how, link_ring& ring) {
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
        vc.cut_due = vc.cut_due || (!first && !vc.dropping);
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
        if (how.refunds) ++vc.owed;
    }
    if (flit.tail) vc.in_packet = vc.dropping = false;
    return errors;
}

void link_credits::first_sent(cycle now, const link_ring::entry& flit) {
    if (flit.flit.vc >= vcs_.size()) return;  // its number was upset
    vc_state& vc = vcs_[flit.flit.vc];
    --vc.unsent_flits;
    if (!flit.begins_unit) return;
    --vc.unsent_units;
    if (vc.s_cc == vc.s_cf) vc.differs = now;
    vc.s_cc = (vc.s_cc + 1) & credit_mask;
    if (exhausted(flit.flit.vc)) vc.exhausted = now;
    counters_.cbfc_sender_credits_watermark = std::max(counters_.cbfc_sender_credits_watermark, count_use());
}

std::uint64_t link_credits::count_use() {
    std::uint64_t used = 0;
    for (const vc_state& vc : vcs_) used += vc.beyond();
    counters_.cbfc_sender_credits_used = used;
    return used;
}

void link_credits::upset(cycle now, unsigned number, bool freed, unsigned bit) {
    vc_state& vc = vcs_[number];
    (freed ? vc.s_cf : vc.s_cc) ^= 1u << bit;
    vc.differs = vc.exhausted = now;
    count_use();
}

void link_credits::expire(cycle now, bool active) {
    if (config_.lifetime == 0 || !active) return;
    for (unsigned index = 0; index < vcs_.size(); ++index) {
        vc_state& vc = vcs_[index];
        if (revives(vc)) vc.expired = false;
        if (vc.expired || !exhausted(index) || now - vc.exhausted < config_.lifetime) continue;
        vc.expired = true;
        vc.owed = vc.used;
        if (!vc.in_packet || vc.dropping) continue;
        vc.dropping = vc.cut_due = true;
    }
}

void link_credits::cf_update(cycle now, unsigned number_of_vc, std::uint32_t number) {
    if (number_of_vc >= vcs_.size()) {
        ++counters_.credit_error;
        return;
    }
    vc_state& vc = vcs_[number_of_vc];
    const std::uint32_t freed = (number - vc.s_cf) & credit_mask;
    const bool balanced = vc.expired || vc.used == vc.owed + vc.unsent_units + vc.beyond();
    if (freed > vc.beyond() || freed > config_.far.credits[number_of_vc] || !balanced) {
        ++counters_.credit_error;
        return;
    }
    vc.s_cf = number;
    vc.unanswered = 0;
    if (config_.retries()) vc.differs = now;
    if (!vc.expired) vc.owed += freed;
    count_use();
}

std::optional<link_message> link_credits::message(cycle now) const {
    for (unsigned vc = 0; vc < vcs_.size(); ++vc) {
        const vc_state& state = vcs_[vc];
        if (state.cut_due && state.unsent_flits == 0) return link_message{frame_type::cut, vc, 0};
        if (state.s_cc != state.s_cf && now - state.differs >= config_.credit_timer)
            return link_message{frame_type::cc_update, vc, state.s_cc};
    }
    return std::nullopt;
}

bool link_credits::unanswered(const link_message& message) const {
    return message.type == frame_type::cc_update && vcs_[message.vc].unanswered == config_.replay_count;
}

void link_credits::sent(cycle now, const link_message& message) {
    vc_state& vc = vcs_[message.vc];
    if (message.type == frame_type::cut) {
        vc.cut_due = false;
        return;
    }
    vc.differs = now;
    ++vc.unanswered;
    ++counters_.cbfc_num_cc_update_messages_tx;
}

void link_credits::flush(bool discard) {
    for (vc_state& vc : vcs_) {
        vc.dropping = vc.in_packet;
        vc.unsent_flits = vc.unsent_units = 0;
        vc.cut_due = vc.expired = false;
        if (discard) vc.owed = vc.used;
    }
}

void link_credits::echo() {
    for (vc_state& vc : vcs_) {
        vc.s_cc = vc.s_cf = 0;
        vc.unanswered = 0;
        vc.owed = vc.used - vc.unsent_units;
    }
    count_use();
}

std::optional<unsigned> link_credits::pulse() {
    const auto count = static_cast<unsigned>(vcs_.size());
    for (unsigned step = 0, next = pulse_vc_; step < count; ++step, ++next) {
        const unsigned vc = next < count ? next : next - count;
        if (!payable(vcs_[vc])) continue;
        --vcs_[vc].owed;
        --vcs_[vc].used;
        pulse_vc_ = vc + 1;
        return vc;
    }
    return std::nullopt;
}

bool link_credits::idle() const {
    return std::none_of(vcs_.begin(), vcs_.end(), [&](const vc_state& vc) {
        return payable(vc) || vc.cut_due || vc.unsent_flits != 0 || revives(vc);
    });
}

cycle link_credits::wake(cycle now, bool active, bool sends) const {
    cycle next = engine::never;
    for (unsigned index = 0; index < vcs_.size(); ++index) {
        const vc_state& vc = vcs_[index];
        if (payable(vc) || (active && revives(vc)) || (sends && vc.cut_due)) return now + 1;
        if (sends && vc.s_cc != vc.s_cf) next = std::min(next, vc.differs + config_.credit_timer);
        if (active && config_.lifetime != 0 && !vc.expired && exhausted(index))
            next = std::min(next, vc.exhausted + config_.lifetime);
    }
    return std::max(next, now + 1);
}

}  // namespace polycast::hw::chips
