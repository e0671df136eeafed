// SPDX-License-Identifier: Apache-2.0
/// \file What a link end makes of the symbols that arrive: frames in order, acknowledgements, credits, cuts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/link/link_counters.h"
#include "hw/chips/link/link_frame.h"

namespace polycast::hw::chips {

class link_receiver {
public:
    link_receiver(const link_config& config, link_counters& counters)
        : config_(config), counters_(counters), vcs_(config.vcs) {}

    /// A symbol on the pins. \returns a set that is for the transmitter
    std::optional<ordered_set> receive(engine::cycle now, const link_symbol& symbol);
    /// A credit pulse on the chip-side pins. \returns format::chip_error bits
    unsigned take_credit(unsigned vc);
    /// `signal` has been low for the timeout.
    void lose_signal(engine::cycle now);
    /// Ends the step. \returns true if `out` is a flit for the chip-side pins
    bool finish(engine::cycle now, link_symbol& out);

    /// Chosen between frames in cycle `now`: an init_echo, nack, ack or cf_update that is due. It is sent by that.
    std::optional<ordered_set> next_set(engine::cycle now);

    bool idle() const;
    bool holds_flits() const { return !flits_.empty() || !leaving_.empty() || poison_ != 0; }
    engine::cycle wake(engine::cycle now) const;

    link_rx_state state() const { return state_; }
    engine::cycle since() const { return since_; }
    std::uint32_t expected() const { return expected_; }
    std::uint32_t received_units(unsigned vc) const { return vcs_[vc].r_cc; }
    std::uint32_t freed_units(unsigned vc) const { return vcs_[vc].r_cf; }
    /// A bit of R_CC, or of R_CF (`freed`), flips.
    void upset(unsigned vc, bool freed, unsigned bit) { (freed ? vcs_[vc].r_cf : vcs_[vc].r_cc) ^= 1u << bit; }

private:
    struct vc_state {
        bool open = false;    ///< a packet
        unsigned filled = 0;  ///< flits of its unit
        bool own = false;     ///< a poison tail has taken the reserved place
        bool cut_waits = false;
        bool forced = false;     ///< a cf_update is due, changed or not
        std::uint32_t held = 0;  ///< by the chip: R_CC - R_CF, beside them so that no flip there stops the handshake
        std::uint32_t r_cc = 0;
        std::uint32_t r_cf = 0;
        std::uint32_t told = 0;  ///< R_CF as sent last
    };

    /// A flit or message of an accepted frame. They act one a cycle, in order, so that a cc_update counts the units
    /// before it.
    struct accepted {
        frame_type type = frame_type::data;
        bool cuts = false;  ///< all open packets, before it acts
        std::uint32_t number = 0;
        link_symbol flit;  ///< of a message the VC
    };

    void enter(link_rx_state state, engine::cycle from);
    std::uint32_t last() const { return (expected_ - 1) & config_.sequence_mask(); }
    void break_frame(engine::cycle now);
    void break_set();
    void judge(engine::cycle now, std::uint64_t word);
    bool good(const link_trailer& trailer, std::uint64_t word) const;
    void bad(engine::cycle now);
    void good_frame(engine::cycle now, const link_trailer& trailer);
    void accept(const link_trailer& trailer);
    void accept(accepted&& what);
    bool leave(engine::cycle now, link_symbol& out);
    bool drops(const link_symbol& flit) const;
    void count(const link_symbol& flit);
    void cc_update(engine::cycle now, unsigned vc, std::uint32_t number);
    void answer_init(engine::cycle now);
    std::optional<ordered_set> judge_set(std::uint64_t word);
    void cut(unsigned vc);
    void poison(link_symbol& out);
    std::optional<unsigned> update_vc(engine::cycle now) const;

    const link_config& config_;
    link_counters& counters_;
    std::vector<vc_state> vcs_;

    link_rx_state state_ = link_rx_state::off;
    engine::cycle since_ = 0;
    std::uint32_t expected_ = 0;
    std::uint32_t last_good_ = 0;        ///< number of the good frame before
    std::optional<std::uint32_t> init_;  ///< to be answered
    std::optional<std::uint32_t> echo_;  ///< to be sent
    bool ack_due_ = false;
    engine::cycle ack_from_ = 0;  ///< the first cycle in which the spacing allows one
    engine::cycle update_from_ = 0;
    unsigned update_vc_ = 0;  ///< first to be looked at

    std::vector<link_symbol> flits_;  ///< of the frame that arrives
    bool too_long_ = false;
    unsigned symbols_ = 0;            ///< of its trailer
    unsigned set_symbols_ = 0;        ///< of the set that arrives
    std::uint64_t word_ = 0;          ///< of either
    symbol_queue<accepted> leaving_;  ///< for the chip
    bool cut_behind_ = false;         ///< all open packets are cut behind `leaving_`
    std::uint32_t poison_ = 0;        ///< VCs whose poison tails are due
};

}  // namespace polycast::hw::chips
