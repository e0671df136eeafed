// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_transmitter.h"

#include <algorithm>

namespace polycast::hw::chips {

using engine::cycle;

namespace {

constexpr cycle init_spacing = 64;

}  // namespace

bool link_transmitter::discards() const {
    return !active() && (first_init_ ? config_.init_action : config_.flush_action) == link_action::discard;
}

bool link_transmitter::window_open() const {
    return !config_.retries() ||
           (frames_.size() < config_.window && bytes_ + config_.frame * config_.flit_bytes <= config_.window_bytes);
}

void link_transmitter::enter(link_tx_state state, cycle from) {
    counters_.tx_cycles[static_cast<unsigned>(state_)] += from - since_;
    since_ = from;
    state_ = state;
}

void link_transmitter::flush(cycle now, flush_cause cause) {
    enter(link_tx_state::flush, now);
    cause_ = cause;
    first_init_ = false;
    counters_.llr_tx_discard += ring_.flush();
    frames_.clear();
    first_id_ = replay_id_ = 0;
    bytes_ = 0;
    nacked_ = false;
    replays_ = 0;
    timer_ = engine::never;
    number_ = (number_ + 1) & config_.sequence_mask();
    credits_.flush(config_.flush_action == link_action::discard);
}

/// Changes of state that wait for the end of the item under way.
void link_transmitter::between(cycle now, cycle low) {
    if (state_ == link_tx_state::init) {
        const bool late = config_.signal_timeout != 0 && now >= config_.signal_timeout;
        if (first_init_ && late && config_.flush_action == link_action::discard) flush(now, flush_cause::start);
        return;
    }
    if (!active()) return;
    if (config_.signal_timeout != 0 && low > config_.signal_timeout) return flush(now, flush_cause::signal);
    if (config_.age_timeout != 0 && !frames_.empty() && now - frames_.front().sent > config_.age_timeout)
        return flush(now, flush_cause::age);
    if (credits_.lost()) return flush(now, flush_cause::counter);
    const bool late = now >= timer_;
    const bool starts = !frames_.empty() && (nacked_ || late);
    nacked_ = false;
    if (starts) {
        if (replays_ == config_.replay_count) return flush(now, flush_cause::replay_limit);
        ++replays_;
        if (late) ++counters_.timeouts;
        timer_ = engine::never;  // until the first symbol
        replay_id_ = first_id_;
        fresh_ = true;
        enter(link_tx_state::replay, now);
    }
    if (state_ == link_tx_state::replay && replay_id_ == first_id_ + frames_.size()) {
        enter(link_tx_state::advance, now);
        ++counters_.llr_tx_replay;
    }
}

void link_transmitter::begin_frame(link_item::what kind) {
    busy_ = true;
    chosen_ = 0;
    word_from_ = engine::never;
    item_.kind = kind;
    item_.flits = 0;
    item_.sequence = number_;
    item_.place = ring_.next();
    item_.message.reset();
    item_.spoilt = false;
}

void link_transmitter::begin(cycle now, link_receiver& receiver) {
    std::optional<ordered_set> set;
    if (state_ == link_tx_state::init && now >= init_due_) {
        set = ordered_set{set_type::init, 0, number_, 0};
        init_due_ = now + init_spacing;
        ++counters_.llr_tx_init_ctl_os;
    } else if (receiver.owes_set(now)) {
        set = receiver.next_set(now);
    }
    if (set) {
        busy_ = true;
        word_from_ = now;
        item_.kind = link_item::what::set;
        item_.set = *set;
        item_.message.reset();
        return;
    }
    if (state_ == link_tx_state::replay) {
        const frame& next = frames_[replay_id_ - first_id_];
        begin_frame(link_item::what::copy);
        item_.flits = next.flits;
        item_.sequence = next.sequence;
        item_.id = replay_id_;
        item_.message = next.message;
        item_.place = next.end - (next.message ? 0 : next.flits);
        if (fresh_) timer_ = now + config_.replay_timer;
        fresh_ = false;
        return;
    }
    if (state_ != link_tx_state::advance || !window_open()) return;
    // In turns with data: with a small window, those of many VCs could leave no room for it.
    const auto message = message_last_ && !ring_.all_sent() ? std::nullopt : credits_.message(now);
    if (message) {
        if (credits_.unanswered(*message)) return flush(now, flush_cause::unanswered);
        begin_frame(link_item::what::message);
        item_.flits = config_.message_flits();
        item_.message = message;
        credits_.sent(now, *message);
        message_last_ = true;
    } else if (!ring_.all_sent()) {
        begin_frame(link_item::what::data);
        message_last_ = false;
    }
}

link_choice link_transmitter::put_flit(cycle now) {
    const link_choice choice{symbol_kind::flit, config_.beside, chosen_++};
    if (!item_.message) {
        const format::reading found = ring_.read(item_.place + choice.index);
        item_.spoilt = item_.spoilt || found == format::reading::failed;
        found_.add(found);
    }
    if (item_.kind == link_item::what::data) {
        credits_.first_sent(now, ring_.send());
        item_.flits = chosen_;
        if (!config_.retries()) ring_.free_to(ring_.next());
    }
    if (config_.beside) close(now);
    return choice;
}

link_choice link_transmitter::put(cycle now) {
    if (word_from_ == engine::never) {
        const bool more =
            item_.kind == link_item::what::data ? chosen_ < config_.frame && !ring_.all_sent() : chosen_ < item_.flits;
        if (more) return put_flit(now);
        word_from_ = now;
    }
    const bool set = item_.kind == link_item::what::set;
    const auto index = static_cast<unsigned>(now - word_from_);
    const bool last = index + 1 == word_symbols();
    if (last && set) busy_ = false;
    if (last && !set) close(now);
    return {set ? symbol_kind::set : symbol_kind::check, last, index};
}

/// The last symbol of a frame is chosen.
void link_transmitter::close(cycle now) {
    busy_ = false;
    if (item_.kind == link_item::what::copy) {
        ++counters_.frames_resent;
        replay_id_ = std::max(item_.id + 1, first_id_);
        return;
    }
    number_ = (number_ + 1) & config_.sequence_mask();
    ++counters_.llr_tx_ok;
    if (!config_.retries()) return;
    if (frames_.empty()) timer_ = now + config_.replay_timer;
    const std::uint64_t end = item_.place + (item_.message ? 0 : item_.flits);
    if (frames_.full()) frames_.set_capacity(2 * frames_.capacity());
    frames_.push_back({item_.sequence, item_.flits, end, item_.message, now});
    bytes_ += std::uint64_t{item_.flits} * config_.flit_bytes;
    counters_.outstanding_max = std::max<std::uint64_t>(counters_.outstanding_max, frames_.size());
}

link_choice link_transmitter::choose(cycle now, cycle low, link_receiver& receiver) {
    credits_.expire(now, active());
    if (!busy_) {
        between(now, low);
        begin(now, receiver);
    }
    return busy_ ? put(now) : link_choice{};
}

unsigned link_transmitter::take(const engine::flit& flit) {
    const unsigned errors = credits_.take(flit, {discards(), active() || discards()}, ring_);
    counters_.ring_max = std::max(counters_.ring_max, ring_.flits());
    return errors;
}

/// Frames up to `number` were received. \returns false for a number that cannot be
bool link_transmitter::acknowledge(cycle now, std::uint32_t number) {
    const std::uint32_t first = frames_.empty() ? number_ : frames_.front().sequence;
    const std::uint32_t freed = (number + 1 - first) & config_.sequence_mask();
    if (number > config_.sequence_mask() || freed > frames_.size()) {
        ++counters_.llr_rx_ack_nack_seq_error;
        return false;
    }
    if (freed == 0) return true;
    for (std::uint32_t count = 0; count < freed; ++count) {
        bytes_ -= std::uint64_t{frames_.front().flits} * config_.flit_bytes;
        ring_.free_to(frames_.front().end);
        frames_.pop_front();
    }
    first_id_ += freed;
    replay_id_ = std::max(replay_id_, first_id_);
    replays_ = 0;
    timer_ = frames_.empty() ? engine::never : now + config_.replay_timer;
    return true;
}

void link_transmitter::receive(cycle now, const ordered_set& set) {
    if (set.type == set_type::init_echo) {
        ++counters_.llr_rx_init_echo_ctl_os;
        if (state_ != link_tx_state::init || set.number != number_) return;
        enter(link_tx_state::advance, now + 1);
        first_init_ = false;
        credits_.echo();
        return;
    }
    if (!active()) return;
    const bool credit = set.type == set_type::cf_update;
    if (!credit && !config_.retries()) return;
    const bool nack = set.type == set_type::nack;
    ++(credit ? counters_.cbfc_num_cf_update_messages_rx
       : nack ? counters_.llr_rx_nack_ctl_os
              : counters_.llr_rx_ack_ctl_os);
    if (config_.retries() && !acknowledge(now, credit ? set.ack : set.number)) return;
    if (nack) nacked_ = !frames_.empty();
    if (credit) credits_.cf_update(now, set.vc, set.number);
}

void link_transmitter::reinit(cycle now) {
    if (state_ != link_tx_state::flush) return;
    enter(link_tx_state::init, now);
    init_due_ = now;
}

bool link_transmitter::recovers() const {
    return state_ != link_tx_state::advance || credits_.ignored() || ring_.outstanding();
}

bool link_transmitter::idle() const {
    return ring_.empty() && frames_.empty() && !busy_ && credits_.idle() && !nacked_ &&
           state_ == link_tx_state::advance;
}

cycle link_transmitter::choice_wake(cycle now, const std::optional<cycle>& low_since) const {
    const bool sends = state_ == link_tx_state::advance && window_open();
    cycle next = credits_.wake(now, active(), sends);
    if (busy_) {
        const bool whole = medium_ == link_medium::items && word_from_ != engine::never;
        return std::min(next, whole ? word_from_ + word_symbols() - 1 : now + 1);
    }
    if (state_ == link_tx_state::replay || nacked_ || (sends && !ring_.all_sent())) return now + 1;
    if (credits_.lost() && active()) return now + 1;
    if (state_ == link_tx_state::init) {
        next = std::min(next, init_due_);
        if (first_init_ && config_.signal_timeout != 0 && config_.flush_action == link_action::discard)
            next = std::min(next, config_.signal_timeout);
    }
    if (active()) {
        next = std::min(next, timer_);
        if (config_.age_timeout != 0 && !frames_.empty())
            next = std::min(next, frames_.front().sent + config_.age_timeout + 1);
        if (config_.signal_timeout != 0 && low_since) next = std::min(next, *low_since + config_.signal_timeout + 1);
    }
    return std::max(next, now + 1);
}

}  // namespace polycast::hw::chips
