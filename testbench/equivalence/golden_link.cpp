// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_link.h"

#include <algorithm>

#include "hw/format/packet_format.h"
#include "testbench/equivalence/golden_link_words.h"

namespace polycast::testbench::equivalence {

using hw::chips::flush_cause;
using hw::chips::link_action;
using hw::chips::link_config;
using hw::chips::link_end_in;
using hw::chips::link_end_out;
using hw::chips::link_layer;
using hw::chips::symbol_kind;
using hw::format::chip_error;

namespace {

void tick(std::uint64_t& wait) {
    if (wait != 0) --wait;
}

}  // namespace

golden_link_end::golden_link_end(const link_config& config)
    : c_(config),
      trailer_symbols_(config.beside ? 0 : (7 + config.flit_bytes) / config.flit_bytes),
      set_symbols_(config.beside ? 1 : (7 + config.flit_bytes) / config.flit_bytes),
      message_flits_((3 + config.flit_bytes) / config.flit_bytes),
      sources_(config.vcs),
      sinks_(config.vcs) {}

unsigned golden_link_end::waiting_flits(unsigned vc) const {
    return static_cast<unsigned>(
        std::count_if(waiting_.begin(), waiting_.end(), [&](const waiting& w) { return w.flit.vc == vc; }));
}

unsigned golden_link_end::waiting_units(unsigned vc) const {
    return static_cast<unsigned>(
        std::count_if(waiting_.begin(), waiting_.end(), [&](const waiting& w) { return w.flit.vc == vc && w.unit; }));
}

bool golden_link_end::discarding() const {
    if (sending()) return false;
    return (was_up_ ? c_.flush_action : c_.init_action) == link_action::discard;
}

std::uint64_t golden_link_end::seal(const frame& what) const {
    boost::crc_basic<32> crc(0x1edc6f41, 0xffffffff, 0xffffffff, true, true);
    for (const symbol& flit : what.flits) {
        for (unsigned byte = 0; byte < c_.flit_bytes; ++byte) crc.process_byte(flit.data[byte]);
        crc.process_byte(static_cast<unsigned char>((flit.head ? 1 : 0) + (flit.tail ? 2 : 0) + 4 * flit.vc));
        for (unsigned byte = 0; flit.head && byte < c_.header_bytes; ++byte)
            crc.process_byte(byte < flit.header.size() ? flit.header[byte] : std::uint8_t{0});
    }
    const std::uint64_t low = what.sequence + ((what.flits.size() - 1) << 20) + (std::uint64_t{what.type} << 28);
    for (unsigned byte = 0; byte < 4; ++byte) crc.process_byte(static_cast<unsigned char>(field(low, 8 * byte, 8)));
    return low + (std::uint64_t{crc.checksum()} << 32);
}

void golden_link_end::watch_use() {
    std::uint64_t used = 0;
    for (unsigned vc = 0; vc < c_.vcs; ++vc) used += away(vc);
    counts_.cbfc_sender_credits_used = used;
    counts_.cbfc_sender_credits_watermark = std::max(counts_.cbfc_sender_credits_watermark, used);
}

link_end_out golden_link_end::step(const link_end_in& in) {
    link_end_out out;
    // Time.
    tick(init_wait_);
    tick(ack_wait_);
    tick(update_wait_);
    if (timer_ && *timer_ != 0) --*timer_;
    for (frame& f : outstanding_) ++f.age;
    for (unsigned vc = 0; vc < c_.vcs; ++vc) {
        source& s = sources_[vc];
        ++s.quiet;
        s.full = away(vc) == c_.far.credits[vc] ? s.full + 1 : 0;
    }
    ++counts_.rx_cycles[static_cast<unsigned>(rx_)];
    out.symbol = choose();
    ++counts_.tx_cycles[static_cast<unsigned>(tx_)];
    ++age_;

    if (in.valid) out.errors |= from_chip(in.flit);
    if (in.credit) out.errors |= credit_from_chip(in.credit_vc);
    low_ = in.signal ? 0 : low_ + 1;
    receive(in.signal ? in.symbol : symbol{});
    if (low_ == c_.signal_timeout && low_ != 0) {
        cut_all();
        rx_ = rx::off;
    }
    if (tx_ == tx::flush && c_.reinit) reinit();
    if (init_) {
        rx_ = rx::off;
        echo_.reset();
        cut_all();
    }
    if (const auto flit = leave()) {
        out.valid = true;
        out.flit = *flit;
    }
    if (init_) answer_init();
    if (const auto vc = pulse()) {
        out.credit = true;
        out.credit_vc = static_cast<std::uint8_t>(*vc);
    }
    return out;
}

void golden_link_end::reinit() {
    if (tx_ != tx::flush) return;
    tx_ = tx::init;
    init_wait_ = 0;
}

golden_link_end::symbol golden_link_end::choose() {
    for (unsigned vc = 0; vc < c_.vcs && c_.lifetime != 0 && sending(); ++vc) {
        source& s = sources_[vc];
        if (s.expired && s.begun == s.freed && !s.cut && s.packet == "none") s.expired = false;
        if (s.expired || away(vc) != c_.far.credits[vc] || s.full < c_.lifetime) continue;
        s.expired = true;
        s.debt = s.in_use;
        if (s.packet == "kept") {
            s.packet = "dropped";
            s.cut = true;
        }
    }
    if (sending_.empty() && !open_) {
        boundary();
        if (!choose_set()) choose_frame();
    }
    if (open_) {
        if (current_.flits.size() < c_.frame && !waiting_.empty()) {
            const waiting next = waiting_.front();
            waiting_.pop_front();
            source& s = sources_[next.flit.vc];
            if (next.unit) {
                if (s.begun == s.freed) s.quiet = 0;
                s.begun = (s.begun + 1) & 0xfffff;
                watch_use();
            }
            current_.flits.push_back(next.flit);
            symbol out = next.flit;
            if (c_.beside) {
                out.beside = seal(current_);
                last_symbol();
            }
            return out;
        }
        open_ = false;
        for (const symbol& part : spread(seal(current_), c_, symbol_kind::check)) sending_.push_back(part);
    }
    if (sending_.empty()) return {};
    const symbol out = sending_.front();
    sending_.pop_front();
    if (sending_.empty() && framing_) last_symbol();
    return out;
}

/// A frame's last symbol is chosen.
void golden_link_end::last_symbol() {
    open_ = framing_ = false;
    if (copying_) {
        copying_ = false;
        ++counts_.frames_resent;
        if (!copied_was_freed_) ++resend_;
        return;
    }
    next_ = modulo(next_ + 1);
    ++counts_.llr_tx_ok;
    if (c_.layer != link_layer::retry) return;
    if (outstanding_.empty()) timer_ = c_.replay_timer;
    outstanding_.push_back(current_);
    current_.flits.clear();
    counts_.outstanding_max = std::max<std::uint64_t>(counts_.outstanding_max, outstanding_.size());
}

void golden_link_end::flush(flush_cause why) {
    tx_ = tx::flush;
    why_ = why;
    was_up_ = true;
    for (const waiting& w : waiting_) counts_.llr_tx_discard += w.packet ? 1 : 0;
    waiting_.clear();
    outstanding_.clear();
    resend_ = 0;
    nack_ = false;
    replays_ = 0;
    timer_.reset();
    next_ = modulo(next_ + 1);
    for (source& s : sources_) {
        if (s.packet == "kept") s.packet = "dropped";
        s.cut = s.expired = false;
        if (c_.flush_action == link_action::discard) s.debt = s.in_use;
    }
}

void golden_link_end::boundary() {
    if (tx_ == tx::init && !was_up_ && c_.signal_timeout != 0 && age_ >= c_.signal_timeout &&
        c_.flush_action == link_action::discard)
        return flush(flush_cause::start);
    if (!sending()) return;
    if (c_.signal_timeout != 0 && low_ > c_.signal_timeout) return flush(flush_cause::signal);
    if (c_.age_timeout != 0 && !outstanding_.empty() && outstanding_.front().age > c_.age_timeout)
        return flush(flush_cause::age);
    const bool expired = timer_ && *timer_ == 0;
    if (!outstanding_.empty() && (nack_ || expired)) {
        if (replays_ == c_.replay_count) return flush(flush_cause::replay_limit);
        ++replays_;
        if (expired) ++counts_.timeouts;
        timer_.reset();
        replay_begun_ = false;
        resend_ = 0;
        tx_ = tx::replay;
    }
    nack_ = false;
    if (tx_ == tx::replay && resend_ == outstanding_.size()) {
        tx_ = tx::advance;
        ++counts_.llr_tx_replay;
    }
}

bool golden_link_end::choose_set() {
    std::uint64_t word = 0;
    const unsigned last = modulo(expected_ - 1);
    if (tx_ == tx::init && init_wait_ == 0) {
        word = set_word(1, 0, next_, 0);
        init_wait_ = 64;
        ++counts_.llr_tx_init_ctl_os;
    } else if (echo_) {
        word = set_word(2, 0, *echo_, 0);
        echo_.reset();
        ++counts_.llr_tx_init_echo_ctl_os;
    } else if (rx_ == rx::off) {
        return false;
    } else if (rx_ == rx::send_nack) {
        rx_ = rx::nack_sent;
        word = set_word(4, 0, last, 0);
        ack_wait_ = c_.ack_spacing;
        ++counts_.llr_tx_nack_ctl_os;
    } else if (rx_ == rx::send_acks && ack_ && ack_wait_ == 0) {
        word = set_word(3, 0, last, 0);
        ack_ = false;
        ack_wait_ = c_.ack_spacing;
        ++counts_.llr_tx_ack_ctl_os;
    } else {
        std::optional<unsigned> which;
        for (const bool answers : {true, false}) {
            for (unsigned turn = 0; turn < c_.vcs && !which; ++turn) {
                const unsigned vc = (update_next_ + turn) % c_.vcs;
                const sink& s = sinks_[vc];
                if (answers ? s.answer : (s.freed != s.said && update_wait_ == 0)) which = vc;
            }
        }
        if (!which) return false;
        sink& s = sinks_[*which];
        word = set_word(5, *which, s.freed, last);
        s.said = s.freed;
        s.answer = false;
        update_next_ = *which + 1;
        update_wait_ = c_.credit_spacing;
        ack_ = false;
        ++counts_.cbfc_num_cf_update_messages_tx;
    }
    framing_ = false;
    if (c_.beside) {
        sending_.emplace_back().kind = symbol_kind::set;
        sending_.back().beside = word;
    } else {
        for (const symbol& part : spread(word, c_, symbol_kind::set)) sending_.push_back(part);
    }
    return true;
}

void golden_link_end::start_frame(const frame& what, bool copy) {
    current_ = what;
    framing_ = true;
    copying_ = copy;
    copied_was_freed_ = false;
    for (const symbol& flit : what.flits) sending_.push_back(flit);
    if (c_.beside) {
        sending_.back().beside = seal(what);
    } else {
        for (const symbol& part : spread(seal(what), c_, symbol_kind::check)) sending_.push_back(part);
    }
}

void golden_link_end::choose_frame() {
    if (tx_ == tx::replay) {
        if (!replay_begun_) timer_ = c_.replay_timer;
        replay_begun_ = true;
        return start_frame(outstanding_[resend_], true);
    }
    if (tx_ != tx::advance) return;
    if (c_.layer == link_layer::retry) {
        std::uint64_t bytes = c_.frame * c_.flit_bytes;
        for (const frame& f : outstanding_) bytes += f.flits.size() * c_.flit_bytes;
        if (outstanding_.size() >= c_.window || bytes > c_.window_bytes) return;
    }
    const bool data_turn = messaged_ && !waiting_.empty();
    for (unsigned vc = 0; vc < c_.vcs && !data_turn; ++vc) {
        source& s = sources_[vc];
        const bool cuts = s.cut && waiting_flits(vc) == 0;
        const bool asks = s.begun != s.freed && s.quiet >= c_.credit_timer;
        if (!cuts && !asks) continue;
        frame message;
        message.sequence = next_;
        message.type = cuts ? 2 : 1;
        if (cuts) {
            s.cut = false;
        } else {
            if (s.asked == c_.replay_count) return flush(flush_cause::unanswered);
            s.quiet = 0;
            ++s.asked;
            ++counts_.cbfc_num_cc_update_messages_tx;
        }
        const std::uint64_t word = vc + (cuts ? 0 : 16 * std::uint64_t{s.begun});
        for (unsigned byte = 0; byte < 4; ++byte) {
            if (byte % c_.flit_bytes == 0) message.flits.emplace_back().kind = symbol_kind::flit;
            message.flits.back().data[byte % c_.flit_bytes] = static_cast<std::uint8_t>(field(word, 8 * byte, 8));
        }
        messaged_ = true;
        return start_frame(message, false);
    }
    if (waiting_.empty()) return;
    messaged_ = false;
    current_ = {};
    current_.sequence = next_;
    open_ = true;
    copying_ = false;
    framing_ = true;
}

unsigned golden_link_end::from_chip(const symbol& flit) {
    if (flit.vc >= c_.vcs) return static_cast<unsigned>(chip_error::bad_vc);
    source& s = sources_[flit.vc];
    const bool first = s.packet == "none";
    if (first && !flit.head) return static_cast<unsigned>(chip_error::missing_head);
    bool overflow = false;
    if (first) {
        s.packet = discarding() || s.expired || s.cut ? "dropped" : "kept";
        s.flits = 0;
        if (discarding()) ++counts_.llr_tx_discard;
        overflow = s.cut && !s.expired;
    }
    const bool unit = first || s.flits == c_.far.unit_flits;
    if (unit) {
        s.flits = 0;
        s.illegal = s.in_use == c_.far.credits[flit.vc];
        if (!s.illegal) ++s.in_use;
    }
    ++s.flits;
    std::uint64_t held = waiting_.size();
    std::uint64_t room = 0;
    for (unsigned vc = 0; vc < c_.vcs; ++vc)
        room += std::uint64_t{c_.far.unit_flits} * (c_.far.credits[vc] + (c_.layer == link_layer::check ? 1u : 0u));
    if (c_.layer == link_layer::retry) {
        for (const frame& f : outstanding_) held += f.type == 0 ? f.flits.size() : 0;
        if (framing_ && !copying_ && current_.type == 0) held += current_.flits.size();
    }
    const bool breaks = (unit && s.illegal) || (s.packet == "kept" && held == room);
    if (breaks) {
        overflow = true;
        if (s.packet == "kept" && !first) s.cut = true;
        s.packet = "dropped";
    }
    if (s.packet == "kept") {
        waiting_.push_back({flit, unit, first});
        counts_.ring_max = std::max(counts_.ring_max, held + 1);
    } else if (unit && !s.illegal) {
        if (s.expired) ++counts_.lifetime_discard;
        if (sending() || discarding()) ++s.debt;
    }
    if (flit.tail) s.packet = "none";
    return overflow ? static_cast<unsigned>(chip_error::overflow) : 0;
}

unsigned golden_link_end::credit_from_chip(unsigned vc) {
    if (vc >= c_.vcs) return static_cast<unsigned>(chip_error::bad_vc);
    sink& s = sinks_[vc];
    if (s.own) {
        s.own = false;
        if (s.late_cut) {
            s.late_cut = false;
            s.own = s.tail_due = true;
        }
    } else if (s.freed == s.begun) {
        return static_cast<unsigned>(chip_error::credit_overflow);
    } else {
        s.freed = (s.freed + 1) & 0xfffff;
    }
    return 0;
}

std::optional<unsigned> golden_link_end::pulse() {
    for (unsigned turn = 0; turn < c_.vcs; ++turn) {
        const unsigned vc = (pulse_after_ + turn) % c_.vcs;
        source& s = sources_[vc];
        const bool filling = s.packet != "none" && !s.illegal && s.flits < c_.far.unit_flits;
        if (s.debt == 0 || s.in_use == (filling ? 1 : 0)) continue;
        --s.debt;
        --s.in_use;
        pulse_after_ = vc + 1;
        return vc;
    }
    return std::nullopt;
}

}  // namespace polycast::testbench::equivalence
