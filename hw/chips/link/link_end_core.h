// SPDX-License-Identifier: Apache-2.0
/// \file One end of a cable as a cycle-exact C++ model. hw/chips/link/link.md is its contract.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/chips/link/cable_report.h"
#include "hw/chips/link/link_config.h"
#include "hw/chips/link/link_counters.h"
#include "hw/chips/link/link_parser.h"
#include "hw/chips/link/link_receiver.h"
#include "hw/chips/link/link_symbol.h"
#include "hw/chips/link/link_transmitter.h"
#include "hw/chips/link/link_upset.h"
#include "hw/chips/link/link_writer.h"

namespace polycast::hw::chips {

/// Input pins of a link end in one cycle. Of `flit` only marks, VC, data and header count.
struct link_end_in {
    bool valid = false;   ///< a flit from the chip
    bool credit = false;  ///< a unit of the chip's input buffer has become free
    std::uint8_t credit_vc = 0;
    bool signal = true;  ///< low: nothing is received
    link_symbol flit;
    link_symbol symbol;  ///< from the wire
};

struct link_end_out {
    bool valid = false;
    bool credit = false;
    std::uint8_t credit_vc = 0;
    unsigned errors = 0;  ///< format::chip_error bits
    link_symbol flit;     ///< if `valid`
    link_symbol symbol;   ///< towards the wire

    bool operator==(const link_end_out&) const = default;
};

/// What waves show.
struct link_end_probe {
    link_tx_state tx = link_tx_state::init;
    link_rx_state rx = link_rx_state::off;
    flush_cause cause = flush_cause::none;  ///< of the last FLUSH
    std::uint32_t next = 0;                 ///< sequence number
    std::uint32_t expected = 0;
    std::uint64_t outstanding = 0;
    std::uint64_t ring = 0;
    unsigned replays = 0;
    std::uint64_t bad = 0;                ///< frames that arrived bad
    engine::cycle timer = engine::never;  ///< in which the replay timer runs out; never: it does not count
    std::array<engine::chip_probe::link_units, engine::max_vcs> units = {};

    bool operator==(const link_end_probe&) const = default;
};

class link_end_core {
public:
    static constexpr unsigned step_cost = 10;  ///< as that of engine::chip

    /// \param medium items: transmitter() and receiver() are driven in place of step() (hw/chips/link/frame_side.h)
    /// \throws input_error as checked() does
    explicit link_end_core(const link_config& config, link_medium medium = link_medium::symbols);
    link_end_core(const link_end_core&) = delete;
    link_end_core& operator=(const link_end_core&) = delete;

    /// One clock edge at the end of cycle `now`, with the contract of engine::chip::step(). It has to be stepped, too,
    /// in a cycle in which `signal` changes. `out` comes in empty.
    engine::cycle step(engine::cycle now, const link_end_in& in, link_end_out& out);
    /// Register write: leaves FLUSH from cycle `now` on, before its step.
    void reinit(engine::cycle now) { transmitter_.reinit(now); }

    /// The next step flips a stored bit, at its end.
    void upset(const link_upset& what) { upset_ = what; }

    bool idle() const { return transmitter_.idle() && receiver_.idle() && parser_.idle() && !low_since_; }
    /// Flits that came from the chip, or for it.
    bool holds_flits() const { return transmitter_.holds_flits() || receiver_.holds_flits() || parser_.holds_flits(); }
    /// It is not up, or waits for a timer that brings it further.
    bool recovers() const {
        return low_since_ || transmitter_.recovers() || receiver_.state() != link_rx_state::send_acks;
    }
    link_end_probe probe() const;
    /// Counters without the cycles of the present states.
    cable_report::end report() const;
    /// Counted in the cycles before `now`.
    link_counters counters(engine::cycle now) const;

    const link_config& config() const { return config_; }
    const link_transmitter& transmitter() const { return transmitter_; }
    const link_receiver& receiver() const { return receiver_; }
    link_transmitter& transmitter() { return transmitter_; }
    link_receiver& receiver() { return receiver_; }
    link_writer& writer() { return writer_; }
    link_parser& parser() { return parser_; }
    /// Counts what codes found in this cycle. \returns format::chip_error bits
    unsigned report_found();
    /// What an upset does at the end of step `now`.
    void flip(engine::cycle now, const link_upset& what);

private:
    link_config config_;
    link_counters counters_;
    link_findings found_;  ///< not reported
    link_transmitter transmitter_;
    link_receiver receiver_;
    link_writer writer_;
    link_parser parser_;
    const link_symbol silence_;               ///< what is received while `signal` is low
    std::optional<engine::cycle> low_since_;  ///< `signal`
    std::optional<link_upset> upset_;
};

}  // namespace polycast::hw::chips
