// SPDX-License-Identifier: Apache-2.0
/// \file The credits of a link end's sender: units that its chip has in use, and units beyond the wire.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/link/link_config.h"
#include "hw/chips/link/link_counters.h"
#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_ring.h"
#include "hw/chips/link/link_upset.h"

namespace polycast::hw::chips {

/// A unit is in use from the chip's flit that begins it to the credit pulse. Unless a VC is expired, and in ADVANCE and
/// REPLAY, units in use = pulses owed + units unsent in the ring + S_CC - S_CF.
class link_credits {
public:
    /// How flits of the chip are taken, by the state of the transmitter.
    struct intake {
        bool discards = false;  ///< what begins now
        bool refunds = true;    ///< units of what is dropped, at once
    };

    link_credits(const link_config& config, link_counters& counters)
        : config_(config), counters_(counters), vcs_(config.vcs) {}

    /// A flit on the chip-side pins. \returns format::chip_error bits
    unsigned take(const engine::flit& flit, intake how, link_ring& ring);

    void first_sent(engine::cycle now, const link_ring::mark& flit);
    /// `active`: ADVANCE or REPLAY. Ends and begins of expired VCs.
    void expire(engine::cycle now, bool active);
    void cf_update(engine::cycle now, unsigned vc, std::uint32_t number);

    /// The message frame to send now, of the first VC that has one.
    std::optional<link_message> message(engine::cycle now) const {
        if (cuts_ == 0 && now < message_from_) return std::nullopt;
        return due_message(now);
    }
    /// A VC has sent more than one cc_update without an answer.
    bool ignored() const {
        return std::any_of(vcs_.begin(), vcs_.end(), [](const vc_state& vc) { return vc.unanswered > 1; });
    }
    /// Its VC has sent N without an answer.
    bool unanswered(const link_message& message) const;
    void sent(engine::cycle now, const link_message& message);

    void flush(bool discard);
    void echo();

    /// The VC of the credit pulse on the chip-side pins in the next cycle.
    std::optional<unsigned> pulse();
    /// The chip gets pulses, perhaps not before flits that it still sends.
    bool owes() const { return owing_ != 0; }
    /// It gets one now.
    bool pays() const {
        for (std::uint32_t left = owing_; left != 0; left &= left - 1)
            if (payable(vcs_[static_cast<unsigned>(std::countr_zero(left))])) return true;
        return false;
    }

    bool idle() const;
    /// In which it must be stepped next. `sends`: a message frame could be sent now.
    /// But for pulses.
    engine::cycle wake(engine::cycle now, bool active, bool sends) const {
        if (sends && cuts_ != 0) return now + 1;
        const engine::cycle next = sends ? message_from_ : engine::never;
        if (active && config_.lifetime != 0) return std::max(std::min(next, expiry(now)), now + 1);
        return std::max(next, now + 1);
    }

    std::uint32_t sent_units(unsigned vc) const { return vcs_[vc].s_cc; }
    std::uint32_t freed_units(unsigned vc) const { return vcs_[vc].s_cf; }
    /// At the end of cycle `now` a bit of S_CC, or of S_CF (`freed`), flips. Without a code its timers begin anew.
    /// \returns what the next cycle finds
    format::reading upset(engine::cycle now, unsigned vc, bool freed, unsigned bit);
    /// Some S_CC or S_CF is 0 until the echo, because its code could not correct it.
    bool lost() const { return lost_; }

private:
    struct vc_state {
        // Towards the chip.
        bool in_packet = false;
        bool dropping = false;   ///< the rest of the packet
        bool counted = false;    ///< the unit that comes is in use
        unsigned filled = 0;     ///< flits of it
        std::uint32_t used = 0;  ///< units in use
        std::uint32_t owed = 0;  ///< pulses, of them
        // Towards the wire.
        std::uint32_t unsent_flits = 0;
        std::uint32_t unsent_units = 0;
        bool cut_due = false;
        bool expired = false;
        std::uint32_t s_cc = 0;
        std::uint32_t s_cf = 0;
        bool s_cc_lost = false;  ///< it is 0 until the echo
        bool s_cf_lost = false;
        unsigned unanswered = 0;      ///< cc_updates
        engine::cycle differs = 0;    ///< since when S_CC != S_CF, or the last cc_update or answer
        engine::cycle exhausted = 0;  ///< since when all credits are sent

        std::uint32_t beyond() const { return (s_cc - s_cf) & credit_mask; }
    };

    bool filling(const vc_state& vc) const { return vc.in_packet && vc.counted && vc.filled < config_.far.unit_flits; }
    bool payable(const vc_state& vc) const { return vc.owed != 0 && vc.used > (filling(vc) ? 1u : 0u); }
    bool revives(const vc_state& vc) const { return vc.expired && vc.s_cc == vc.s_cf && !vc.cut_due && !vc.in_packet; }
    bool exhausted(unsigned vc) const { return vcs_[vc].beyond() == config_.far.credits[vc]; }
    void owe(unsigned vc, std::uint32_t units) {
        vcs_[vc].owed = units;
        set_bit(owing_, vc, units != 0);
    }
    void cut(unsigned vc, bool due) {
        vcs_[vc].cut_due = due;
        set_bit(cuts_, vc, due);
    }
    static void set_bit(std::uint32_t& set, unsigned vc, bool value) {
        set = (set & ~(1u << vc)) | std::uint32_t{value} << vc;
    }
    std::optional<link_message> due_message(engine::cycle now) const;
    engine::cycle expiry(engine::cycle now) const;
    void count_use() { counters_.cbfc_sender_credits_used = beyond_; }

    const link_config& config_;
    link_counters& counters_;
    std::vector<vc_state> vcs_;
    unsigned pulse_vc_ = 0;     ///< first to be looked at
    std::uint32_t owing_ = 0;   ///< VCs that owe pulses
    std::uint32_t cuts_ = 0;    ///< VCs whose cut is due
    std::uint64_t beyond_ = 0;  ///< units beyond the wire, of all VCs
    bool lost_ = false;         ///< a counter
    /// No cc_update is due before. It may be too early, as when a cf_update came in between.
    mutable engine::cycle message_from_ = engine::never;
};

}  // namespace polycast::hw::chips
