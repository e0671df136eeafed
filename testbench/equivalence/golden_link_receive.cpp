// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "testbench/equivalence/golden_link.h"
#include "testbench/equivalence/golden_link_words.h"

namespace polycast::testbench::equivalence {

using hw::chips::link_layer;
using hw::chips::symbol_kind;

void golden_link_end::receive(const symbol& what) {
    const auto kind_of = [&](std::size_t index) { return arriving_[index].kind; };
    const bool in_set = !arriving_.empty() && kind_of(0) == symbol_kind::set;
    const bool in_frame = !arriving_.empty() && !in_set;
    const bool in_trailer = in_frame && arriving_.back().kind == symbol_kind::check;
    const bool check = what.kind == symbol_kind::check && !c_.beside;
    const bool flit = what.kind == symbol_kind::flit;
    const bool set = what.kind == symbol_kind::set;
    if (in_set && !set) {
        ++counts_.rx_bad_ctl_os;
        arriving_.clear();
    }
    if (in_frame && !(check || (flit && !in_trailer))) {
        arriving_.clear();
        frame_is_bad();
    }
    if (!flit && !check && !set) return;
    arriving_.push_back(what);
    if (set && arriving_.size() == set_symbols_) {
        const std::uint64_t word = c_.beside ? what.beside : gather(arriving_, 0, c_);
        arriving_.clear();
        set_ends(word);
    } else if (flit && c_.beside) {
        frame_ends(what.beside);
    } else if (check) {
        const auto checks = static_cast<unsigned>(std::count_if(
            arriving_.begin(), arriving_.end(), [](const symbol& s) { return s.kind == symbol_kind::check; }));
        if (checks == trailer_symbols_) frame_ends(gather(arriving_, arriving_.size() - checks, c_));
    }
}

void golden_link_end::frame_ends(std::uint64_t trailer) {
    frame what;
    what.sequence = static_cast<unsigned>(field(trailer, 0, 20));
    what.type = static_cast<unsigned>(field(trailer, 28, 4));
    for (const symbol& s : arriving_)
        if (s.kind == symbol_kind::flit) what.flits.push_back(s);
    arriving_.clear();
    bool good = !what.flits.empty() && field(trailer, 20, 8) + 1 == what.flits.size() && what.type <= 2 &&
                what.flits.size() <= std::max<std::uint64_t>(c_.frame, message_flits_) && seal(what) == trailer &&
                what.sequence < 1u << c_.sequence_bits;
    for (const symbol& s : what.flits) good = good && s.vc < c_.vcs;
    if (what.type != 0)
        good = good && what.flits.size() == message_flits_ && (gather(what.flits, 0, c_) & 0xf) < c_.vcs;
    if (good) {
        arriving_ = what.flits;
        frame_is_good(what.sequence, what.type);
        arriving_.clear();
        return;
    }
    if (rx_ != rx::off && what.sequence == expected_) ++counts_.llr_rx_expected_seq_bad;
    frame_is_bad();
}

void golden_link_end::frame_is_bad() {
    ++counts_.llr_rx_bad;
    if (rx_ == rx::off) return;
    if (c_.layer == link_layer::retry) {
        if (rx_ == rx::send_acks) rx_ = rx::send_nack;
        return;
    }
    cut_all();
}

void golden_link_end::frame_is_good(unsigned sequence, unsigned type) {
    if (rx_ == rx::off) return;
    ++counts_.llr_rx_ok;
    const unsigned half = 1u << (c_.sequence_bits - 1);
    const unsigned diff = modulo(sequence - expected_);
    if (modulo(before_ - sequence) < half || (diff == 0 && rx_ == rx::nack_sent)) ++counts_.llr_rx_replay;
    before_ = sequence;
    const bool expected = diff == 0;
    const bool missing = !expected && diff < half;
    if (expected) ++counts_.llr_rx_expected_seq_good;
    if (missing) ++counts_.llr_rx_missing_seq;
    if (!expected && !missing) ++counts_.llr_rx_duplicate_seq;
    if (c_.layer == link_layer::retry && !expected) {
        if (missing && rx_ == rx::send_acks) rx_ = rx::send_nack;
        if (missing || rx_ == rx::send_nack) return;
        rx_ = rx::send_acks;
        ack_ = true;
        return;
    }
    if (c_.layer == link_layer::retry) {
        rx_ = rx::send_acks;
        ack_ = true;
    } else if (!expected) {
        cut_all();
    }
    expected_ = modulo(sequence + 1);
    if (type != 0) {
        const std::uint64_t word = gather(arriving_, 0, c_);
        const auto vc = static_cast<unsigned>(word & 0xf);
        leaving_.push_back(
            {type == 2 ? due::act::cut : due::act::cc_update, {}, vc, static_cast<unsigned>(field(word, 4, 20))});
        return;
    }
    for (const symbol& flit : arriving_) leaving_.push_back({due::act::flit, flit, flit.vc, 0});
}

std::optional<golden_link_end::symbol> golden_link_end::leave() {
    std::optional<symbol> leaves;
    while (!leaving_.empty() && leaving_.front().what == due::act::cut_all) {
        leaving_.pop_front();
        for (unsigned vc = 0; vc < c_.vcs; ++vc) cut(vc);
    }
    const auto tail = [&] {
        return std::find_if(sinks_.begin(), sinks_.end(), [](const sink& s) { return s.tail_due; });
    };
    if (!leaving_.empty()) {
        due& first = leaving_.front();
        sink& s = sinks_[first.vc];
        if (first.what == due::act::cut) cut(first.vc);
        if (first.what == due::act::cc_update) told(first.vc, first.number);
        const bool dropped = !s.open && (!first.flit.head || s.late_cut);
        if (first.what == due::act::flit && !dropped) {
            if (tail() == sinks_.end()) {
                if (!s.open) s.flits = 0;
                if (s.flits % c_.own.unit_flits == 0) s.begun = (s.begun + 1) & 0xfffff;
                ++s.flits;
                s.open = !first.flit.tail;
                leaves = first.flit;
                leaves->beside = 0;
                if (!leaves->head) leaves->header.clear();
                leaving_.pop_front();
                return leaves;
            }
        } else {
            leaving_.pop_front();
        }
    }
    const auto due_tail = tail();
    if (due_tail == sinks_.end()) return leaves;
    due_tail->tail_due = false;
    leaves.emplace();
    leaves->kind = symbol_kind::flit;
    leaves->tail = true;
    leaves->vc = static_cast<std::uint8_t>(due_tail - sinks_.begin());
    for (unsigned byte = 0; byte < c_.flit_bytes; ++byte) leaves->data[byte] = 255;
    ++counts_.llr_rx_poisoned;
    return leaves;
}

void golden_link_end::told(unsigned vc, unsigned number) {
    ++counts_.cbfc_num_cc_update_messages_rx;
    sink& s = sinks_[vc];
    const unsigned leak = (number - s.begun) & 0xfffff;
    if (leak > c_.own.credits[vc] || (leak != 0 && c_.layer == link_layer::retry)) {
        ++counts_.credit_error;
        rx_ = rx::off;
        return;
    }
    s.begun = number;
    s.freed = (s.freed + leak) & 0xfffff;
    counts_.credits_repaired += leak;
    s.answer = true;
}

void golden_link_end::cut(unsigned vc) {
    sink& s = sinks_[vc];
    if (!s.open) return;
    s.open = false;
    const bool place = s.flits % c_.own.unit_flits == 0;
    s.late_cut = place && s.own;
    s.tail_due = !s.late_cut;
    s.own = s.own || place;
}

void golden_link_end::answer_init() {
    if (!leaving_.empty()) return;
    for (const sink& s : sinks_)
        if (s.begun != s.freed || s.own || s.tail_due) return;
    for (sink& s : sinks_) {
        s.begun = s.freed = s.said = 0;
        s.answer = false;
    }
    ack_ = false;
    expected_ = *init_;
    before_ = modulo(expected_ - 1);
    echo_ = init_;
    init_.reset();
    rx_ = rx::send_acks;
}

void golden_link_end::set_ends(std::uint64_t word) {
    const auto type = static_cast<unsigned>(field(word, 0, 4));
    const auto vc = static_cast<unsigned>(field(word, 4, 4));
    const auto number = static_cast<unsigned>(field(word, 8, 20));
    const auto ack = static_cast<unsigned>(field(word, 28, 20));
    if (type < 1 || type > 5 || set_word(type, vc, number, ack) != word) {
        ++counts_.rx_bad_ctl_os;
        return;
    }
    if (type == 1) {
        ++counts_.llr_rx_init_ctl_os;
        init_ = modulo(number);
        return;
    }
    if (type == 2) {
        ++counts_.llr_rx_init_echo_ctl_os;
        if (tx_ != tx::init || number != next_) return;
        tx_ = tx::advance;
        was_up_ = true;
        for (unsigned index = 0; index < c_.vcs; ++index) {
            source& s = sources_[index];
            s.begun = s.freed = s.asked = 0;
            s.debt = s.in_use - waiting_units(index);
        }
        watch_use();
        return;
    }
    const bool retry = c_.layer == link_layer::retry;
    if (!sending() || (type != 5 && !retry)) return;
    if (type == 3) ++counts_.llr_rx_ack_ctl_os;
    if (type == 4) ++counts_.llr_rx_nack_ctl_os;
    if (type == 5) ++counts_.cbfc_num_cf_update_messages_rx;
    if (retry && !acknowledged(type == 5 ? ack : number)) return;
    if (type == 4) nack_ = !outstanding_.empty();
    if (type == 5) freed(vc, number);
}

bool golden_link_end::acknowledged(unsigned number) {
    std::size_t frames = 0;
    const unsigned before = modulo((outstanding_.empty() ? next_ : outstanding_.front().sequence) - 1);
    if (number != before) {
        while (frames < outstanding_.size() && outstanding_[frames].sequence != number) ++frames;
        if (frames == outstanding_.size()) {
            ++counts_.llr_rx_ack_nack_seq_error;
            return false;
        }
        ++frames;
    }
    if (frames == 0) return true;
    outstanding_.erase(outstanding_.begin(), outstanding_.begin() + static_cast<std::ptrdiff_t>(frames));
    if (frames > resend_) copied_was_freed_ = true;
    resend_ -= std::min(frames, resend_);
    replays_ = 0;
    timer_.reset();
    if (!outstanding_.empty()) timer_ = c_.replay_timer;
    return true;
}

void golden_link_end::freed(unsigned vc, unsigned number) {
    if (vc >= c_.vcs) {
        ++counts_.credit_error;
        return;
    }
    source& s = sources_[vc];
    const unsigned units = (number - s.freed) & 0xfffff;
    const bool balanced = s.expired || s.in_use == s.debt + waiting_units(vc) + away(vc);
    if (units > away(vc) || units > c_.far.credits[vc] || !balanced) {
        ++counts_.credit_error;
        return;
    }
    s.freed = number;
    s.asked = 0;
    if (c_.layer == link_layer::retry) s.quiet = 0;
    if (!s.expired) s.debt += units;
    watch_use();
}

hw::chips::link_end_probe golden_link_end::probe() const {
    std::uint64_t ring = waiting_.size();
    if (c_.layer == link_layer::retry) {
        for (const frame& f : outstanding_) ring += f.type == 0 ? f.flits.size() : 0;
        if (framing_ && !copying_ && current_.type == 0) ring += current_.flits.size();
    }
    hw::chips::link_end_probe probe{.tx = static_cast<hw::chips::link_tx_state>(tx_),
                                    .rx = static_cast<hw::chips::link_rx_state>(rx_),
                                    .cause = why_,
                                    .next = next_,
                                    .expected = expected_,
                                    .outstanding = outstanding_.size(),
                                    .ring = ring,
                                    .replays = replays_,
                                    .bad = counts_.llr_rx_bad};
    if (timer_) probe.timer = age_ + *timer_ - 1;
    for (unsigned vc = 0; vc < c_.vcs; ++vc)
        probe.units[vc] = {sources_[vc].begun, sources_[vc].freed, sinks_[vc].begun, sinks_[vc].freed};
    return probe;
}

}  // namespace polycast::testbench::equivalence
