// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_receiver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "hw/chips/port_set.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

using engine::cycle;

void link_receiver::enter(link_rx_state state, cycle from) {
    counters_.rx_cycles[static_cast<unsigned>(state_)] += from - since_;
    since_ = from;
    state_ = state;
}

void link_receiver::bad_frame(cycle now, std::optional<std::uint32_t> sequence) {
    ++counters_.llr_rx_bad;
    if (state_ == link_rx_state::off) return;
    if (sequence == expected_) ++counters_.llr_rx_expected_seq_bad;
    if (!config_.retries()) {
        cut_behind_ = true;
    } else if (state_ == link_rx_state::send_acks) {
        enter(link_rx_state::send_nack, now + 1);
    }
}

bool link_receiver::good_frame(cycle now, std::uint32_t sequence) {
    if (state_ == link_rx_state::off) return false;
    ++counters_.llr_rx_ok;
    const std::uint32_t half = (config_.sequence_mask() >> 1) + 1;
    const std::uint32_t ahead = (sequence - expected_) & config_.sequence_mask();
    const std::uint32_t behind_last = (last_good_ - sequence) & config_.sequence_mask();
    if ((state_ == link_rx_state::nack_sent && ahead == 0) || behind_last < half) ++counters_.llr_rx_replay;
    last_good_ = sequence;
    if (ahead == 0) {
        ++counters_.llr_rx_expected_seq_good;
    } else {
        ++(ahead < half ? counters_.llr_rx_missing_seq : counters_.llr_rx_duplicate_seq);
    }
    if (!config_.retries()) {
        if (ahead != 0) cut_behind_ = true;
        return accept_frame(sequence);
    }
    if (ahead == 0) {
        if (state_ != link_rx_state::send_acks) enter(link_rx_state::send_acks, now + 1);
        ack_due_ = true;
        return accept_frame(sequence);
    }
    if (ahead < half) {
        if (state_ == link_rx_state::send_acks) enter(link_rx_state::send_nack, now + 1);
        return false;
    }
    if (state_ == link_rx_state::send_nack) return false;
    if (state_ == link_rx_state::nack_sent) enter(link_rx_state::send_acks, now + 1);
    ack_due_ = true;
    return false;
}

bool link_receiver::accept_frame(std::uint32_t sequence) {
    expected_ = (sequence + 1) & config_.sequence_mask();
    return true;
}

void link_receiver::accept(const engine::flit& flit) {
    leaving_.push({frame_type::data, cut_behind_, flit.head, flit.tail, flit.vc, 0}, &flit);
    cut_behind_ = false;
}

void link_receiver::accept(const link_message& message) {
    leaving_.push({message.type, cut_behind_, false, false, static_cast<std::uint8_t>(message.vc), message.number},
                  nullptr);
    cut_behind_ = false;
}

/// The rest of a packet that was cut, or a packet that begins while the cut of the one before waits.
bool link_receiver::drops(const accepted& flit) const {
    const vc_state& vc = vcs_[flit.vc];
    return !vc.open && (vc.cut_waits || !flit.head);
}

void link_receiver::count(const accepted& flit) {
    vc_state& vc = vcs_[flit.vc];
    if (!vc.open || vc.filled == config_.own.unit_flits) {
        if (!vc.r_cc_lost) vc.r_cc = (vc.r_cc + 1) & credit_mask;
        ++vc.held;
        vc.filled = 0;
    }
    ++vc.filled;
    vc.open = !flit.tail;
}

/// The oldest of `leaving_` acts; poison tails that are due go before its flit.
std::optional<engine::flit> link_receiver::leave(cycle now) {
    bool& cuts = leaving_.empty() ? cut_behind_ : leaving_.front().cuts;
    if (cuts) {
        for (unsigned vc = 0; vc < vcs_.size(); ++vc) cut(vc);
    }
    cuts = false;
    if (!leaving_.empty()) {
        const accepted& front = leaving_.front();
        const bool leaves = front.type == frame_type::data && !drops(front);
        if (leaves && poison_ == 0) {
            count(front);
            const engine::flit flit = leaving_.front_flit();
            leaving_.pop();
            return flit;
        }
        if (front.type == frame_type::cut) cut(front.vc);
        if (front.type == frame_type::cc_update) cc_update(now, front.vc, front.number);
        if (!leaves) leaving_.pop();
    }
    if (poison_ == 0) return std::nullopt;
    return poison();
}

void link_receiver::cc_update(cycle now, unsigned number_of_vc, std::uint32_t number) {
    ++counters_.cbfc_num_cc_update_messages_rx;
    vc_state& vc = vcs_[number_of_vc];
    const std::uint32_t leak = (number - vc.r_cc) & credit_mask;
    if (vc.lost() || leak > (config_.retries() ? 0 : config_.own.credits[number_of_vc])) {
        ++counters_.credit_error;
        enter(link_rx_state::off, now + 1);
        return;
    }
    vc.r_cf = (vc.r_cf + leak) & credit_mask;
    vc.r_cc = number;
    counters_.credits_repaired += leak;
    see_change(number_of_vc);
    forced_ |= 1u << number_of_vc;
}

std::optional<ordered_set> link_receiver::hear(const ordered_set& set) {
    if (set.type != set_type::init) return set;
    ++counters_.llr_rx_init_ctl_os;
    init_ = set.number & config_.sequence_mask();
    return std::nullopt;
}

unsigned link_receiver::take_credit(unsigned number) {
    if (number >= vcs_.size()) return static_cast<unsigned>(format::chip_error::bad_vc);
    vc_state& vc = vcs_[number];
    if (vc.own) {
        vc.own = vc.cut_waits;
        if (vc.cut_waits) poison_ |= 1u << number;
        vc.cut_waits = false;
        return 0;
    }
    if (vc.held == 0) return static_cast<unsigned>(format::chip_error::credit_overflow);
    --vc.held;
    if (!vc.r_cf_lost) vc.r_cf = (vc.r_cf + 1) & credit_mask;
    see_change(number);
    return 0;
}

/// The tail of the lowest VC that is due.
engine::flit link_receiver::poison() {
    static constexpr auto ones = [] {
        std::array<std::uint8_t, 64> bytes{};
        bytes.fill(0xff);
        return bytes;
    }();
    const auto vc = static_cast<std::uint8_t>(std::countr_zero(poison_));
    poison_ &= poison_ - 1;
    ++counters_.llr_rx_poisoned;
    return {false, true, vc, ones.data(), nullptr};
}

void link_receiver::cut(unsigned number) {
    vc_state& vc = vcs_[number];
    if (!vc.open) return;
    vc.open = false;
    const bool begins = vc.filled == config_.own.unit_flits;
    if (begins && vc.own) {
        vc.cut_waits = true;
        return;
    }
    vc.own = vc.own || begins;
    poison_ |= 1u << number;
}

void link_receiver::lose_signal(cycle now) {
    cut_behind_ = true;
    if (state_ != link_rx_state::off) enter(link_rx_state::off, now + 1);
}

/// With a code the counter is read and written anew in every cycle: a flip that is corrected is seen by nobody.
format::reading link_receiver::upset(unsigned number, bool freed, unsigned bit) {
    vc_state& vc = vcs_[number];
    bool& lost = freed ? vc.r_cf_lost : vc.r_cc_lost;
    const format::reading found = lost ? format::reading::good : read_flipped(config_, bit);
    if (config_.protect_counters != format::protection::none && found != format::reading::failed) return found;
    std::uint32_t& counter = freed ? vc.r_cf : vc.r_cc;
    counter = found == format::reading::failed ? 0 : counter ^ 1u << bit;
    if (found == format::reading::failed) {
        lost = counter_lost_ = true;
        forced_ &= ~(1u << number);
    }
    see_change(number);
    return found;
}

std::optional<engine::flit> link_receiver::finish(cycle now) {
    if (std::exchange(counter_lost_, false) && state_ != link_rx_state::off) enter(link_rx_state::off, now + 1);
    if (init_) {
        if (state_ != link_rx_state::off) enter(link_rx_state::off, now + 1);
        echo_.reset();
        cut_behind_ = true;
    }
    const std::optional<engine::flit> flit = leave(now);
    if (init_) answer_init(now);
    return flit;
}

/// If the chip has given back everything.
void link_receiver::answer_init(cycle now) {
    const bool all_back =
        leaving_.empty() && !cut_behind_ && poison_ == 0 &&
        std::all_of(vcs_.begin(), vcs_.end(), [](const vc_state& vc) { return vc.held == 0 && !vc.own; });
    if (!all_back) return;
    for (vc_state& vc : vcs_) {
        vc.r_cc = vc.r_cf = vc.told = 0;
        vc.r_cc_lost = vc.r_cf_lost = false;
    }
    changed_ = forced_ = 0;
    ack_due_ = false;
    expected_ = *init_;
    last_good_ = last();
    enter(link_rx_state::send_acks, now + 1);
    echo_ = init_;
    init_.reset();
}

/// The VC of the cf_update that is due; one that answers a cc_update before others.
std::optional<unsigned> link_receiver::update_vc(cycle now) const {
    if (forced_ != 0) return first_from(forced_, update_vc_);
    if (now < update_from_ || changed_ == 0) return std::nullopt;
    return first_from(changed_, update_vc_);
}

std::optional<ordered_set> link_receiver::next_set(cycle now) {
    if (echo_) {
        ++counters_.llr_tx_init_echo_ctl_os;
        const ordered_set set{set_type::init_echo, 0, *echo_, 0};
        echo_.reset();
        return set;
    }
    if (state_ == link_rx_state::off) return std::nullopt;
    if (state_ == link_rx_state::send_nack) {
        enter(link_rx_state::nack_sent, now + 1);
        ack_from_ = now + config_.ack_spacing;
        ++counters_.llr_tx_nack_ctl_os;
        return ordered_set{set_type::nack, 0, last(), 0};
    }
    if (state_ == link_rx_state::send_acks && ack_due_ && now >= ack_from_) {
        ack_due_ = false;
        ack_from_ = now + config_.ack_spacing;
        ++counters_.llr_tx_ack_ctl_os;
        return ordered_set{set_type::ack, 0, last(), 0};
    }
    const std::optional<unsigned> vc = update_vc(now);
    if (!vc) return std::nullopt;
    vc_state& state = vcs_[*vc];
    state.told = state.r_cf;
    changed_ &= ~(1u << *vc);
    forced_ &= ~(1u << *vc);
    update_vc_ = *vc + 1;
    update_from_ = now + config_.credit_spacing;
    ack_due_ = false;
    ++counters_.cbfc_num_cf_update_messages_tx;
    return ordered_set{set_type::cf_update, *vc, state.r_cf, last()};
}

bool link_receiver::idle() const {
    return leaving_.empty() && !cut_behind_ && poison_ == 0 && !ack_due_ && !echo_ && !init_ &&
           (forced_ | changed_) == 0 &&
           std::none_of(vcs_.begin(), vcs_.end(), [](const vc_state& vc) { return vc.cut_waits; });
}

}  // namespace polycast::hw::chips
