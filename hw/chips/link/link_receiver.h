// SPDX-License-Identifier: Apache-2.0
/// \file What a link end makes of the frames and sets that arrive: flits in order, acknowledgements, credits, cuts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/link/flit_store.h"
#include "hw/chips/link/link_counters.h"
#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_upset.h"

namespace polycast::hw::chips {

class link_receiver {
public:
    link_receiver(const link_config& config, link_counters& counters)
        : config_(config), counters_(counters), vcs_(config.vcs), leaving_(config) {}

    /// A good frame is over. \returns true if it is accepted: what is in it follows by accept()
    bool good_frame(engine::cycle now, std::uint32_t sequence);
    void accept(const engine::flit& flit);
    void accept(const link_message& message);
    /// A frame is over that is none. \param sequence what its trailer says, if it came so far
    void bad_frame(engine::cycle now, std::optional<std::uint32_t> sequence = {});
    /// A good set. \returns it if it is for the transmitter
    std::optional<ordered_set> hear(const ordered_set& set);
    void bad_set() { ++counters_.rx_bad_ctl_os; }
    /// A credit pulse on the chip-side pins. \returns format::chip_error bits
    unsigned take_credit(unsigned vc);
    /// `signal` has been low for the timeout.
    void lose_signal(engine::cycle now);
    /// There is something for the chip, or to be cut.
    bool leaves() const { return !leaving_.empty() || cut_behind_ || poison_ != 0; }
    /// finish() would do something.
    bool acts() const { return leaves() || init_ || counter_lost_; }
    /// Ends the step. \returns the flit for the chip-side pins, if any. Its bytes stay until the next step.
    std::optional<engine::flit> finish(engine::cycle now);

    /// An init_echo, nack, ack or cf_update could be chosen in cycle `now`.
    bool owes_set(engine::cycle now) const { return now >= set_wake(now - 1); }
    /// Chosen between frames in cycle `now`: such a set that is due. It is sent by that.
    std::optional<ordered_set> next_set(engine::cycle now);

    bool idle() const;
    bool holds_flits() const { return !leaving_.empty() || poison_ != 0; }
    engine::cycle wake(engine::cycle now) const { return leaves() ? now + 1 : set_wake(now); }
    /// The first cycle behind `now` in which a set is due, if nothing happens until then.
    engine::cycle set_wake(engine::cycle now) const {
        if (echo_) return now + 1;
        if (state_ == link_rx_state::off) return engine::never;
        if (state_ == link_rx_state::send_nack || forced_ != 0) return now + 1;
        engine::cycle next = engine::never;
        if (ack_due_ && state_ == link_rx_state::send_acks) next = ack_from_;
        if (changed_ != 0) next = std::min(next, update_from_);
        return std::max(next, now + 1);
    }

    link_rx_state state() const { return state_; }
    engine::cycle since() const { return since_; }
    std::uint32_t expected() const { return expected_; }
    std::uint32_t received_units(unsigned vc) const { return vcs_[vc].r_cc; }
    std::uint32_t freed_units(unsigned vc) const { return vcs_[vc].r_cf; }
    /// A bit of R_CC, or of R_CF (`freed`), flips. \returns what the next cycle finds
    format::reading upset(unsigned vc, bool freed, unsigned bit);

private:
    struct vc_state {
        bool open = false;    ///< a packet
        unsigned filled = 0;  ///< flits of its unit
        bool own = false;     ///< a poison tail has taken the reserved place
        bool cut_waits = false;
        std::uint32_t held = 0;  ///< by the chip: R_CC - R_CF, beside them so that no flip there stops the handshake
        std::uint32_t r_cc = 0;
        std::uint32_t r_cf = 0;
        bool r_cc_lost = false;  ///< it is 0 until an init is answered, because its code could not correct it
        bool r_cf_lost = false;
        std::uint32_t told = 0;  ///< R_CF as sent last

        bool lost() const { return r_cc_lost || r_cf_lost; }
    };

    /// A flit or message of an accepted frame. They act one a cycle, in order, so that a cc_update counts the units
    /// before it.
    struct accepted {
        frame_type type = frame_type::data;
        bool cuts = false;  ///< all open packets, before it acts
        bool head = false;
        bool tail = false;
        std::uint8_t vc = 0;
        std::uint32_t number = 0;  ///< of a message
    };

    void enter(link_rx_state state, engine::cycle from);
    std::uint32_t last() const { return (expected_ - 1) & config_.sequence_mask(); }
    bool accept_frame(std::uint32_t sequence);
    std::optional<engine::flit> leave(engine::cycle now);
    bool drops(const accepted& flit) const;
    void count(const accepted& flit);
    void cc_update(engine::cycle now, unsigned vc, std::uint32_t number);
    void answer_init(engine::cycle now);
    void cut(unsigned vc);
    engine::flit poison();
    void see_change(unsigned vc) {
        const bool changed = vcs_[vc].r_cf != vcs_[vc].told && !vcs_[vc].lost();
        changed_ = (changed_ & ~(1u << vc)) | std::uint32_t{changed} << vc;
    }
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

    std::uint32_t changed_ = 0;  ///< VCs with an R_CF that was not told
    std::uint32_t forced_ = 0;   ///< VCs that owe a cf_update, changed or not
    bool counter_lost_ = false;  ///< in the cycle before

    flit_queue<accepted> leaving_;  ///< for the chip
    bool cut_behind_ = false;       ///< all open packets are cut behind `leaving_`
    std::uint32_t poison_ = 0;      ///< VCs whose poison tails are due
};

}  // namespace polycast::hw::chips
