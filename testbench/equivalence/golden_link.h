// SPDX-License-Identifier: Apache-2.0
/// \file hw/chips/link/link.md written down as plainly as possible: a witness beside the core that shares no code with
/// it but the check words. Frames are lists of flits, timers are counted, every cycle is stepped.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "hw/chips/link/link_end_core.h"

namespace polycast::testbench::equivalence {

class golden_link_end {
public:
    /// \param config with nothing automatic
    explicit golden_link_end(const hw::chips::link_config& config);

    hw::chips::link_end_out step(const hw::chips::link_end_in& in);
    void reinit();
    const hw::chips::link_counters& counters() const { return counts_; }
    hw::chips::link_end_probe probe() const;

private:
    using symbol = hw::chips::link_symbol;
    enum class tx { off, init, advance, replay, flush };
    enum class rx { off, send_acks, send_nack, nack_sent };

    /// A flit of the chip that was not sent, or a whole frame.
    struct waiting {
        symbol flit;
        bool unit = false;
        bool packet = false;
    };
    struct frame {
        unsigned sequence = 0;
        unsigned type = 0;
        std::vector<symbol> flits;
        std::uint64_t age = 0;
    };
    /// Of accepted frames.
    struct due {
        enum class act { flit, cc_update, cut, cut_all } what = act::flit;
        symbol flit;
        unsigned vc = 0;
        unsigned number = 0;
    };
    /// One VC, as a sender.
    struct source {
        std::string packet = "none";  ///< of the chip: none, kept, dropped
        unsigned flits = 0;           ///< of its unit
        bool illegal = false;         ///< the unit was never a credit of the chip
        unsigned in_use = 0;
        unsigned debt = 0;  ///< pulses
        bool cut = false;
        bool expired = false;
        unsigned begun = 0;       ///< S_CC
        unsigned freed = 0;       ///< S_CF
        std::uint64_t quiet = 0;  ///< cycles, for cc_update
        unsigned asked = 0;       ///< cc_updates without an answer
        std::uint64_t full = 0;   ///< cycles without a credit
    };
    /// One VC, as a receiver.
    struct sink {
        bool open = false;
        unsigned flits = 0;
        bool own = false;
        bool late_cut = false;
        bool tail_due = false;  ///< a poison tail
        bool answer = false;
        unsigned begun = 0;  ///< R_CC
        unsigned freed = 0;  ///< R_CF
        unsigned said = 0;
    };

    symbol choose();
    void boundary();
    bool choose_set();
    void choose_frame();
    void start_frame(const frame& what, bool copy);
    void last_symbol();
    void flush(hw::chips::flush_cause why);
    unsigned from_chip(const symbol& flit);
    unsigned credit_from_chip(unsigned vc);
    void receive(const symbol& what);
    void frame_ends(std::uint64_t trailer);
    void frame_is_bad();
    void frame_is_good(unsigned sequence, unsigned type);
    void set_ends(std::uint64_t word);
    bool acknowledged(unsigned number);
    void freed(unsigned vc, unsigned number);
    void told(unsigned vc, unsigned number);
    void cut(unsigned vc);
    void cut_all() { leaving_.push_back({due::act::cut_all, {}, 0, 0}); }
    std::optional<symbol> leave();
    void answer_init();
    std::optional<unsigned> pulse();

    unsigned away(unsigned vc) const { return (sources_[vc].begun - sources_[vc].freed) & 0xfffff; }
    unsigned waiting_units(unsigned vc) const;
    unsigned waiting_flits(unsigned vc) const;
    bool sending() const { return tx_ == tx::advance || tx_ == tx::replay; }
    bool discarding() const;
    unsigned modulo(unsigned number) const { return number % (1u << c_.sequence_bits); }
    std::uint64_t seal(const frame& what) const;
    void watch_use();

    hw::chips::link_config c_;
    hw::chips::link_counters counts_;
    unsigned trailer_symbols_;
    unsigned set_symbols_;
    unsigned message_flits_;

    // Sender.
    tx tx_ = tx::init;
    bool was_up_ = false;  ///< or in FLUSH
    hw::chips::flush_cause why_ = hw::chips::flush_cause::none;
    std::uint64_t age_ = 0;  ///< cycles since reset
    std::uint64_t init_wait_ = 0;
    unsigned next_ = 0;
    std::deque<waiting> waiting_;
    std::deque<frame> outstanding_;
    std::size_t resend_ = 0;  ///< index in outstanding_
    bool messaged_ = false;   ///< the new frame before was a message
    bool nack_ = false;
    bool replay_begun_ = true;
    unsigned replays_ = 0;
    std::optional<std::uint64_t> timer_;  ///< cycles to go
    std::deque<symbol> sending_;          ///< of the item, to be sent; of an open frame nothing
    bool open_ = false;                   ///< a frame takes flits as they come
    bool copying_ = false;                ///< the item is a copy
    bool framing_ = false;                ///< the item is a frame
    bool copied_was_freed_ = false;
    frame current_;
    std::vector<source> sources_;
    unsigned pulse_after_ = 0;

    // Receiver.
    rx rx_ = rx::off;
    unsigned expected_ = 0;
    unsigned before_ = 0;  ///< number of the good frame before
    std::optional<unsigned> init_;
    std::optional<unsigned> echo_;
    bool ack_ = false;
    std::uint64_t ack_wait_ = 0;
    std::uint64_t update_wait_ = 0;
    unsigned update_next_ = 0;
    std::vector<sink> sinks_;
    std::vector<symbol> arriving_;  ///< all symbols of a frame, or of a set
    std::deque<due> leaving_;
    std::uint64_t low_ = 0;  ///< cycles of low signal
};

}  // namespace polycast::testbench::equivalence
