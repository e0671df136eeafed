// SPDX-License-Identifier: Apache-2.0
/// \file What a link end sends: frames, their replays, and whose turn it is on the wire.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "hw/chips/link/link_credits.h"
#include "hw/chips/link/link_receiver.h"

namespace polycast::hw::chips {

class link_transmitter {
public:
    link_transmitter(const link_config& config, link_counters& counters)
        : config_(config), counters_(counters), ring_(config.ring_flits()), credits_(config, counters) {}

    /// The symbol of cycle `now`; sets that are due come from the receiver. `low`: cycles for which `signal` has been
    /// low.
    void choose(engine::cycle now, engine::cycle low, link_receiver& receiver, link_symbol& out);
    /// A flit on the chip-side pins. \returns format::chip_error bits
    unsigned take(const link_symbol& flit);
    /// init_echo, ack, nack, cf_update.
    void receive(engine::cycle now, const ordered_set& set);
    std::optional<unsigned> pulse() { return credits_.pulse(); }
    /// FLUSH lasts one cycle, or until the register is written.
    void finish(engine::cycle now);
    void reinit(engine::cycle now);

    bool idle() const;
    /// A flit of the chip is not sent, or not acknowledged.
    bool holds_flits() const {
        return !ring_.empty() || item_.kind == item_kind::data || item_.kind == item_kind::copy;
    }
    /// It is not up, or waits for the answer to a frame with data or to several cc_updates.
    bool recovers() const;
    engine::cycle wake(engine::cycle now, const std::optional<engine::cycle>& low_since) const;

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
    void upset_ring(std::uint64_t index, unsigned bit) { ring_.upset(config_, index, bit); }

private:
    struct frame {
        std::uint32_t sequence;
        unsigned flits;
        std::uint64_t end;  ///< place in the ring behind its flits
        std::optional<link_message> message;
        engine::cycle sent;  ///< first
    };
    enum class item_kind : std::uint8_t { none, set, data, copy, message };
    /// What is being sent.
    struct item {
        item_kind kind = item_kind::none;
        bool closing = false;     ///< `word` is a trailer
        unsigned done = 0;        ///< flits, or symbols of `word`
        unsigned flits = 0;       ///< of a copy or message
        std::uint64_t word = 0;   ///< of a set or trailer
        std::uint64_t place = 0;  ///< of its next flit in the ring
        std::uint64_t id = 0;     ///< of a copy: frames that were acknowledged or outstanding before it
        std::uint32_t sequence = 0;
        std::optional<link_message> message;
    };

    bool active() const { return state_ == link_tx_state::advance || state_ == link_tx_state::replay; }
    bool discards() const;
    bool window_open() const;
    void enter(link_tx_state state, engine::cycle from);
    void flush(engine::cycle now, flush_cause cause);
    void between(engine::cycle now, engine::cycle low);
    void begin(engine::cycle now, link_receiver& receiver);
    void begin_frame(item_kind kind);
    void put(engine::cycle now, link_symbol& out);
    void put_flit(engine::cycle now, link_symbol& out);
    void put_part(unsigned symbols, link_symbol& out);
    void close(engine::cycle now);
    std::uint64_t seal() const;
    bool acknowledge(engine::cycle now, std::uint32_t number);

    const link_config& config_;
    link_counters& counters_;
    link_ring ring_;
    link_credits credits_;

    link_tx_state state_ = link_tx_state::init;
    engine::cycle since_ = 0;
    bool first_init_ = true;
    engine::cycle init_due_ = 0;
    std::uint32_t number_ = 0;     ///< of the next new frame
    std::deque<frame> frames_;     ///< outstanding
    std::uint64_t first_id_ = 0;   ///< of frames_
    std::uint64_t replay_id_ = 0;  ///< to be resent next
    std::uint64_t bytes_ = 0;      ///< outstanding
    bool nacked_ = false;
    bool fresh_ = false;    ///< no symbol of the replay was chosen
    unsigned replays_ = 0;  ///< without progress
    engine::cycle timer_ = engine::never;
    bool message_last_ = false;  ///< the new frame before was a message
    item item_;
    frame_check covered_;  ///< of the frame being sent
    flush_cause cause_ = flush_cause::none;
};

}  // namespace polycast::hw::chips
