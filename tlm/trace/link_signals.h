// SPDX-License-Identifier: Apache-2.0
/// \file The signals of a cable's end in a wave file, and their values in each cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "hw/engine/chip.h"
#include "tlm/trace/link_tracker.h"

namespace polycast::tlm::trace {

/// A signal that is not in the file.
inline constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

/// Values of `fault`: 0 for none, 1 + the kind of the fault, and this one for several kinds at once.
inline constexpr unsigned several_faults = 15;

/// One direction of the wire: `<network>.<cable>.end<N>.in` or `.out`.
struct wire_signals {
    std::size_t kind = absent;                    ///< of the symbol
    std::size_t type = absent, number = absent;   ///< of what ended last, a link_item
    std::size_t label = absent;                   ///< text: both
    std::size_t signal = absent;                  ///< level; `in` only, like the faults
    std::size_t faults = absent, fault = absent;  ///< bit k: of kind k; the name of the kind
};

/// One end of a cable with a link layer: `<network>.<cable>.end<N>`.
struct link_end_signals {
    wire_signals in, out;
    std::size_t tx = absent, rx = absent, cause = absent;
    std::size_t next = absent, expected = absent, outstanding = absent, ring = absent;
    std::size_t timer = absent, replays = absent, bad = absent;
    struct units {
        std::size_t s_cc = absent, s_cf = absent, r_cc = absent, r_cf = absent;
    };
    std::vector<units> channels;  ///< [virtual channel], in scope `vc<N>` where there are several
};

/// Takes the values of signals in the cycle being recorded.
class signal_values {
public:
    virtual ~signal_values() = default;
    virtual void set(std::size_t signal, std::uint64_t value) = 0;
    virtual void set_text(std::size_t signal, std::string_view text) = 0;
};

/// What an end of a cable shows.
class link_end_view {
public:
    /// `signals` must outlive it.
    link_end_view(const link_end_signals& signals, unsigned flit_bytes, bool beside);

    using link_end = hw::engine::chip_probe::link_end;
    /// In the cycle of a step: its input pins.
    void arrived(const link_end& state, hw::engine::cycle now, signal_values& to);
    /// In a cycle without a step.
    void nothing_arrived(signal_values& to);
    /// In the cycle behind a step: its output pins, and the state.
    void stepped(const link_end& state, hw::engine::cycle now, signal_values& to);
    /// In a cycle behind one without a step.
    void nothing_sent(hw::engine::cycle now, signal_values& to);
    /// The state alone, where a recording begins.
    void show(const link_end& state, hw::engine::cycle now, signal_values& to);

    /// Something changes in the next cycle, with a step or without.
    bool lit() const { return in_.kind() != 0 || out_.kind() != 0 || struck_ || timer_ != hw::engine::never; }
    /// A fault began on the wire towards it in cycle `from` or later.
    bool spoilt_since(hw::engine::cycle from) const { return spoilt_ != hw::engine::never && spoilt_ >= from; }

private:
    static void show_wire(const wire_signals& signals, const link_tracker& wire, signal_values& to);
    void show_faults(std::uint16_t faults, signal_values& to) const;
    void count(hw::engine::cycle now, signal_values& to) const;

    const link_end_signals* signals_;
    link_tracker in_, out_;
    hw::engine::cycle timer_ = hw::engine::never;
    std::uint16_t lasting_ = 0;
    bool struck_ = false;
    hw::engine::cycle spoilt_ = hw::engine::never;  ///< the last time
};

}  // namespace polycast::tlm::trace
