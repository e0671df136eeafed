// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_receiver.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

using engine::cycle;

void link_receiver::enter(link_rx_state state, cycle from) {
    counters_.rx_cycles[static_cast<unsigned>(state_)] += from - since_;
    since_ = from;
    state_ = state;
}

void link_receiver::break_frame(cycle now) {
    if (flits_.empty() && symbols_ == 0) return;
    flits_.clear();
    symbols_ = 0;
    bad(now);
}

void link_receiver::break_set() {
    if (set_symbols_ != 0) ++counters_.rx_bad_ctl_os;
    set_symbols_ = 0;
}

std::optional<ordered_set> link_receiver::receive(cycle now, const link_symbol& symbol) {
    const bool set = symbol.kind == symbol_kind::set;
    const bool check = symbol.kind == symbol_kind::check && !config_.beside;
    const bool flit = symbol.kind == symbol_kind::flit;
    if (!set) break_set();
    if ((!flit && !check) || (flit && symbols_ != 0)) break_frame(now);
    if (flit) {
        too_long_ = flits_.size() == std::max<std::uint64_t>(config_.frame, config_.message_flits()) ||
                    (!flits_.empty() && too_long_);
        if (!too_long_) flits_.push_back(symbol);
        if (config_.beside) judge(now, symbol.beside);
    }
    if (check) {
        word_ = take_word(config_, symbols_ == 0 ? 0 : word_, symbols_, symbol);
        if (++symbols_ == config_.trailer_symbols()) judge(now, word_);
    }
    if (!set) return std::nullopt;
    if (config_.beside) return judge_set(symbol.beside);
    word_ = take_word(config_, set_symbols_ == 0 ? 0 : word_, set_symbols_, symbol);
    if (++set_symbols_ < config_.set_symbols()) return std::nullopt;
    set_symbols_ = 0;
    return judge_set(word_);
}

bool link_receiver::good(const link_trailer& trailer, std::uint64_t word) const {
    if (flits_.empty() || too_long_ || trailer.flits != flits_.size()) return false;
    frame_check covered;
    for (const link_symbol& flit : flits_) {
        if (flit.vc >= vcs_.size()) return false;
        covered.add(config_, flit);
    }
    if (covered.seal(trailer) != word || trailer.sequence > config_.sequence_mask()) return false;
    if (trailer.type == static_cast<unsigned>(frame_type::data)) return true;
    return trailer.type <= static_cast<unsigned>(frame_type::cut) && flits_.size() == config_.message_flits() &&
           read_message(config_, static_cast<frame_type>(trailer.type), flits_).vc < vcs_.size();
}

/// The last symbol of a frame is on the pins.
void link_receiver::judge(cycle now, std::uint64_t word) {
    const link_trailer trailer = read_trailer(word);
    symbols_ = 0;
    if (good(trailer, word)) {
        good_frame(now, trailer);
    } else {
        if (state_ != link_rx_state::off && trailer.sequence == expected_) ++counters_.llr_rx_expected_seq_bad;
        bad(now);
    }
    flits_.clear();
}

void link_receiver::bad(cycle now) {
    ++counters_.llr_rx_bad;
    if (state_ == link_rx_state::off) return;
    if (!config_.retries()) {
        cut_behind_ = true;
    } else if (state_ == link_rx_state::send_acks) {
        enter(link_rx_state::send_nack, now + 1);
    }
}

void link_receiver::good_frame(cycle now, const link_trailer& trailer) {
    if (state_ == link_rx_state::off) return;
    ++counters_.llr_rx_ok;
    const std::uint32_t half = (config_.sequence_mask() >> 1) + 1;
    const std::uint32_t ahead = (trailer.sequence - expected_) & config_.sequence_mask();
    const std::uint32_t behind_last = (last_good_ - trailer.sequence) & config_.sequence_mask();
    if ((state_ == link_rx_state::nack_sent && ahead == 0) || behind_last < half) ++counters_.llr_rx_replay;
    last_good_ = trailer.sequence;
    if (ahead == 0) {
        ++counters_.llr_rx_expected_seq_good;
    } else {
        ++(ahead < half ? counters_.llr_rx_missing_seq : counters_.llr_rx_duplicate_seq);
    }
    if (!config_.retries()) {
        if (ahead != 0) cut_behind_ = true;
        return accept(trailer);
    }
    if (ahead == 0) {
        if (state_ != link_rx_state::send_acks) enter(link_rx_state::send_acks, now + 1);
        ack_due_ = true;
        return accept(trailer);
    }
    if (ahead < half) {
        if (state_ == link_rx_state::send_acks) enter(link_rx_state::send_nack, now + 1);
        return;
    }
    if (state_ == link_rx_state::send_nack) return;
    if (state_ == link_rx_state::nack_sent) enter(link_rx_state::send_acks, now + 1);
    ack_due_ = true;
}

void link_receiver::accept(const link_trailer& trailer) {
    expected_ = (trailer.sequence + 1) & config_.sequence_mask();
    if (trailer.type == static_cast<unsigned>(frame_type::data)) {
        for (const link_symbol& flit : flits_) {
            accepted what{.flit = flit};
            // Wires that say nothing of this flit are not covered: they may have flipped.
            what.flit.beside = 0;
            if (!flit.head) what.flit.header.clear();
            accept(std::move(what));
        }
        return;
    }
    const link_message message = read_message(config_, static_cast<frame_type>(trailer.type), flits_);
    accepted what{.type = message.type, .number = message.number, .flit = {}};
    what.flit.vc = static_cast<std::uint8_t>(message.vc);
    accept(std::move(what));
}

void link_receiver::accept(accepted&& what) {
    what.cuts = cut_behind_;
    cut_behind_ = false;
    leaving_.push_back(std::move(what));
}

/// The rest of a packet that was cut, or a packet that begins while the cut of the one before waits.
bool link_receiver::drops(const link_symbol& flit) const {
    const vc_state& vc = vcs_[flit.vc];
    return !vc.open && (vc.cut_waits || !flit.head);
}

void link_receiver::count(const link_symbol& flit) {
    vc_state& vc = vcs_[flit.vc];
    if (!vc.open || vc.filled == config_.own.unit_flits) {
        vc.r_cc = (vc.r_cc + 1) & credit_mask;
        ++vc.held;
        vc.filled = 0;
    }
    ++vc.filled;
    vc.open = !flit.tail;
}

/// The oldest of `leaving_` acts; poison tails that are due go before its flit. \returns true if `out` is a flit
bool link_receiver::leave(cycle now, link_symbol& out) {
    bool& cuts = leaving_.empty() ? cut_behind_ : leaving_.front().cuts;
    if (cuts) {
        for (unsigned vc = 0; vc < vcs_.size(); ++vc) cut(vc);
    }
    cuts = false;
    if (!leaving_.empty()) {
        accepted& front = leaving_.front();
        const bool leaves = front.type == frame_type::data && !drops(front.flit);
        if (leaves && poison_ == 0) {
            count(front.flit);
            out = std::move(front.flit);
            leaving_.pop_front();
            return true;
        }
        if (front.type == frame_type::cut) cut(front.flit.vc);
        if (front.type == frame_type::cc_update) cc_update(now, front.flit.vc, front.number);
        if (!leaves) leaving_.pop_front();
    }
    if (poison_ == 0) return false;
    poison(out);
    return true;
}

void link_receiver::cc_update(cycle now, unsigned number_of_vc, std::uint32_t number) {
    ++counters_.cbfc_num_cc_update_messages_rx;
    vc_state& vc = vcs_[number_of_vc];
    const std::uint32_t leak = (number - vc.r_cc) & credit_mask;
    if (leak > (config_.retries() ? 0 : config_.own.credits[number_of_vc])) {
        ++counters_.credit_error;
        enter(link_rx_state::off, now + 1);
        return;
    }
    vc.r_cf = (vc.r_cf + leak) & credit_mask;
    vc.r_cc = number;
    counters_.credits_repaired += leak;
    vc.forced = true;
}

std::optional<ordered_set> link_receiver::judge_set(std::uint64_t word) {
    const std::optional<ordered_set> set = read_set(word);
    if (!set) {
        ++counters_.rx_bad_ctl_os;
        return std::nullopt;
    }
    if (set->type != set_type::init) return set;
    ++counters_.llr_rx_init_ctl_os;
    init_ = set->number & config_.sequence_mask();
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
    vc.r_cf = (vc.r_cf + 1) & credit_mask;
    return 0;
}

/// The tail of the lowest VC that is due.
void link_receiver::poison(link_symbol& out) {
    out = {};
    out.kind = symbol_kind::flit;
    out.tail = true;
    out.vc = static_cast<std::uint8_t>(std::countr_zero(poison_));
    std::fill_n(out.data.begin(), config_.flit_bytes, std::uint8_t{0xff});
    poison_ &= poison_ - 1;
    ++counters_.llr_rx_poisoned;
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

bool link_receiver::finish(cycle now, link_symbol& out) {
    if (init_) {
        if (state_ != link_rx_state::off) enter(link_rx_state::off, now + 1);
        echo_.reset();
        cut_behind_ = true;
    }
    const bool leaves = leave(now, out);
    if (init_) answer_init(now);
    return leaves;
}

/// If the chip has given back everything.
void link_receiver::answer_init(cycle now) {
    const bool all_back =
        leaving_.empty() && !cut_behind_ && poison_ == 0 &&
        std::all_of(vcs_.begin(), vcs_.end(), [](const vc_state& vc) { return vc.held == 0 && !vc.own; });
    if (!all_back) return;
    for (vc_state& vc : vcs_) {
        vc.r_cc = vc.r_cf = vc.told = 0;
        vc.forced = false;
    }
    ack_due_ = false;
    expected_ = *init_;
    last_good_ = last();
    enter(link_rx_state::send_acks, now + 1);
    echo_ = init_;
    init_.reset();
}

/// The VC of the cf_update that is due; one that answers a cc_update before others.
std::optional<unsigned> link_receiver::update_vc(cycle now) const {
    const auto find = [&](auto&& due) -> std::optional<unsigned> {
        for (unsigned step = 0; step < vcs_.size(); ++step) {
            const unsigned vc = (update_vc_ + step) % static_cast<unsigned>(vcs_.size());
            if (due(vcs_[vc])) return vc;
        }
        return std::nullopt;
    };
    if (const auto forced = find([](const vc_state& vc) { return vc.forced; })) return forced;
    if (now < update_from_) return std::nullopt;
    return find([](const vc_state& vc) { return vc.r_cf != vc.told; });
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
    state.forced = false;
    update_vc_ = *vc + 1;
    update_from_ = now + config_.credit_spacing;
    ack_due_ = false;
    ++counters_.cbfc_num_cf_update_messages_tx;
    return ordered_set{set_type::cf_update, *vc, state.r_cf, last()};
}

bool link_receiver::idle() const {
    return leaving_.empty() && !cut_behind_ && poison_ == 0 && flits_.empty() && symbols_ == 0 && set_symbols_ == 0 &&
           !ack_due_ && !echo_ && !init_ && std::none_of(vcs_.begin(), vcs_.end(), [](const vc_state& vc) {
               return vc.cut_waits || vc.forced || vc.r_cf != vc.told;
           });
}

cycle link_receiver::wake(cycle now) const {
    const bool leaves = !leaving_.empty() || cut_behind_ || poison_ != 0;
    if (leaves || !flits_.empty() || symbols_ != 0 || set_symbols_ != 0 || echo_) return now + 1;
    if (state_ == link_rx_state::off) return engine::never;
    if (state_ == link_rx_state::send_nack) return now + 1;
    cycle next = engine::never;
    if (ack_due_ && state_ == link_rx_state::send_acks) next = ack_from_;
    for (const vc_state& vc : vcs_) {
        if (vc.forced) return now + 1;
        if (vc.r_cf != vc.told) next = std::min(next, update_from_);
    }
    return std::max(next, now + 1);
}

}  // namespace polycast::hw::chips
