// SPDX-License-Identifier: Apache-2.0
/// \file One direction of the wire between two link ends where frames and sets move as a whole.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <utility>

#include "hw/chips/link/flit_store.h"
#include "hw/chips/link/link_transmitter.h"

namespace polycast::hw::chips {

/// Where nothing spoils it an item arrives in the cycle of its last symbol; else each of its symbols in its own.
class frame_wire {
public:
    struct arrival {
        engine::cycle when = 0;
        bool symbol = false;  ///< front_symbol(), in place of `item`
        bool flit = false;    ///< it was sent as one
        bool bad = false;     ///< a frame that no receiver takes: it is spoilt, or see send_flit()
        link_item item;
    };

    explicit frame_wire(const link_config& config) : vcs_(config.vcs), flits_(config) {}

    /// Of the item that is being sent. Upsets of a ring can make its virtual channel one that does not exist.
    void send_flit(const engine::flit& flit) {
        bad_ = bad_ || flit.vc >= vcs_;
        flits_.push({flit.head, flit.tail, flit.vc}, &flit);
    }
    void begin_message() { ++messages_; }
    /// Arrives in cycle `when`.
    void send(engine::cycle when, const link_item& item) {
        push({when, false, false, std::exchange(bad_, false) || item.spoilt, item});
    }
    /// \param flit it was one before it was spoilt
    void send(engine::cycle when, link_symbol&& symbol, bool flit) {
        symbols_.push_back(std::move(symbol));
        if (flit) ++spoilt_flits_;
        push({when, true, flit, false, {}});
    }

    /// The cycle in which front() is on the pins; never: nothing is on the wire.
    engine::cycle arrives() const { return arrives_; }
    const arrival& front() const { return arrivals_.front(); }
    link_symbol& front_symbol() { return symbols_.front(); }
    /// Of the frame that arrives, if it carries flits: the first. Its bytes stay until something is sent.
    engine::flit front_flit() const { return flits_.front_flit(); }
    void pop_flit() { flits_.pop(); }
    void end_message() { --messages_; }
    void pop() {
        if (front().symbol) symbols_.pop_front();
        if (front().flit) --spoilt_flits_;
        arrivals_.pop_front();
        arrives_ = arrivals_.empty() ? engine::never : arrivals_.front().when;
    }

    bool holds_flits() const { return !flits_.empty() || messages_ != 0 || spoilt_flits_ != 0; }

private:
    struct flit_mark {
        bool head = false;
        bool tail = false;
        std::uint8_t vc = 0;
    };

    void push(const arrival& what) {
        if (arrivals_.full()) arrivals_.set_capacity(2 * arrivals_.capacity());
        arrivals_.push_back(what);
        if (arrivals_.size() == 1) arrives_ = what.when;
    }

    engine::cycle arrives_ = engine::never;
    unsigned vcs_;
    boost::circular_buffer<arrival> arrivals_{8};
    flit_queue<flit_mark> flits_;        ///< of items, and of the one that is being sent
    bool bad_ = false;                   ///< of the one that is being sent
    unsigned messages_ = 0;              ///< message frames, likewise
    symbol_queue<link_symbol> symbols_;  ///< of the arrivals that are symbols
    unsigned spoilt_flits_ = 0;          ///< among them
};

}  // namespace polycast::hw::chips
