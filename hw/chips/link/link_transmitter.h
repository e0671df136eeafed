// SPDX-License-Identifier: Apache-2.0
/// \file What a link end sends: frames, their replays, and whose turn it is on the wire.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <optional>

#include "hw/chips/link/link_credits.h"
#include "hw/chips/link/link_receiver.h"

namespace polycast::hw::chips {

/// What is sent as a whole: a frame or an ordered set.
struct link_item {
    enum class what : std::uint8_t { set, data, copy, message };
    what kind = what::set;
    unsigned flits = 0;       ///< that were chosen, of data; else of the frame
    std::uint64_t place = 0;  ///< of its first flit in the ring
    std::uint64_t id = 0;     ///< of a copy: frames that were acknowledged or outstanding before it
    std::uint32_t sequence = 0;
    std::optional<link_message> message;
    bool spoilt = false;  ///< a flit of it cannot be trusted: its check word is wrong
    ordered_set set;

    bool carries_flits() const { return kind != what::set && !message; }
};

/// The symbol of a cycle, as a part of the item under way.
struct link_choice {
    symbol_kind kind = symbol_kind::idle;
    bool last = false;   ///< of the item
    unsigned index = 0;  ///< of the flit in its frame, of the symbol in its trailer or set
};

/// Where the symbols of an item go.
enum class link_medium : std::uint8_t {
    symbols,  ///< one after the other on a wire: each is asked for
    items,    ///< the item moves as a whole: of a trailer or set only the last symbol is asked for
};

class link_transmitter {
public:
    link_transmitter(const link_config& config, link_counters& counters, link_findings& found, link_medium medium)
        : config_(config),
          counters_(counters),
          found_(found),
          medium_(medium),
          ring_(config),
          credits_(config, counters) {}

    /// The symbol of cycle `now`; sets that are due come from the receiver. `low`: cycles for which `signal` has been
    /// low.
    link_choice choose(engine::cycle now, engine::cycle low, link_receiver& receiver);
    /// The item of the last choice that was not idle.
    const link_item& item() const { return item_; }
    /// The flit that was chosen, of a frame of flits.
    engine::flit flit(const link_choice& choice) const { return ring_.at(item_.place + choice.index); }
    /// A flit on the chip-side pins. \returns format::chip_error bits
    unsigned take(const engine::flit& flit);
    /// init_echo, ack, nack, cf_update.
    void receive(engine::cycle now, const ordered_set& set);
    bool owes() const { return credits_.owes(); }
    bool pays() const { return credits_.pays(); }
    std::optional<unsigned> pulse() { return credits_.pulse(); }
    /// FLUSH lasts one cycle, or until the register is written.
    void finish(engine::cycle now) {
        if (state_ == link_tx_state::flush && config_.reinit) reinit(now + 1);
    }
    void reinit(engine::cycle now);

    bool idle() const;
    /// A flit of the chip is not sent, or not acknowledged.
    bool holds_flits() const { return !ring_.empty() || (busy_ && item_.carries_flits()); }
    /// It is not up, or waits for the answer to a frame with data or to several cc_updates.
    bool recovers() const;
    /// When choose() or pulse() must be called next, if nothing happens until then and sets are not due before.
    engine::cycle wake(engine::cycle now, const std::optional<engine::cycle>& low_since) const {
        return pays() ? now + 1 : choice_wake(now, low_since);
    }
    engine::cycle choice_wake(engine::cycle now, const std::optional<engine::cycle>& low_since) const;

    link_tx_state state() const { return state_; }
    engine::cycle since() const { return since_; }
    std::uint32_t number() const { return number_; }
    std::size_t outstanding() const { return frames_.size(); }
    std::uint64_t ring_flits() const { return ring_.flits(); }
    unsigned replays() const { return replays_; }
    /// The cycle in which the replay timer expires; never while it does not count.
    engine::cycle timer() const { return timer_; }
    flush_cause cause() const { return cause_; }
    const link_credits& credits() const { return credits_; }
    link_credits& credits() { return credits_; }
    /// A stored bit of a flit flips, as link_ring::upset() says.
    void upset_ring(std::uint64_t index, unsigned bit) { ring_.upset(index, bit); }

private:
    struct frame {
        std::uint32_t sequence;
        unsigned flits;
        std::uint64_t end;  ///< place in the ring behind its flits
        std::optional<link_message> message;
        engine::cycle sent;  ///< first
    };
    bool active() const { return state_ == link_tx_state::advance || state_ == link_tx_state::replay; }
    bool discards() const;
    bool window_open() const;
    void enter(link_tx_state state, engine::cycle from);
    void flush(engine::cycle now, flush_cause cause);
    void between(engine::cycle now, engine::cycle low);
    void begin(engine::cycle now, link_receiver& receiver);
    void begin_frame(link_item::what kind);
    link_choice put(engine::cycle now);
    link_choice put_flit(engine::cycle now);
    void close(engine::cycle now);
    unsigned word_symbols() const {
        return item_.kind == link_item::what::set ? config_.set_symbols() : config_.trailer_symbols();
    }
    bool acknowledge(engine::cycle now, std::uint32_t number);

    const link_config& config_;
    link_counters& counters_;
    link_findings& found_;
    link_medium medium_;
    link_ring ring_;
    link_credits credits_;

    link_tx_state state_ = link_tx_state::init;
    engine::cycle since_ = 0;
    bool first_init_ = true;
    engine::cycle init_due_ = 0;
    std::uint32_t number_ = 0;                  ///< of the next new frame
    boost::circular_buffer<frame> frames_{16};  ///< outstanding
    std::uint64_t first_id_ = 0;                ///< of frames_
    std::uint64_t replay_id_ = 0;               ///< to be resent next
    std::uint64_t bytes_ = 0;                   ///< outstanding
    bool nacked_ = false;
    bool fresh_ = false;    ///< no symbol of the replay was chosen
    unsigned replays_ = 0;  ///< without progress
    engine::cycle timer_ = engine::never;
    bool message_last_ = false;  ///< the new frame before was a message
    link_item item_;
    bool busy_ = false;                        ///< with it
    unsigned chosen_ = 0;                      ///< flits of it
    engine::cycle word_from_ = engine::never;  ///< in which its trailer or set began
    flush_cause cause_ = flush_cause::none;
};

}  // namespace polycast::hw::chips
