// SPDX-License-Identifier: Apache-2.0
/// \file The faults of a cable, on its two wires.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/chips/link/cable.h"
#include "hw/faults/fault_plan.h"
#include "hw/faults/wire_events.h"
#include "hw/faults/wire_follower.h"

namespace polycast::hw::faults {

/// Wires between link ends (chips::symbol_wires()).
class wires_of_symbols {
public:
    using symbol = chips::link_symbol;

    explicit wires_of_symbols(const chips::link_config& config) : config_(config) {}
    unsigned count() const { return symbol_wires(config_); }
    void flip(unsigned wire, symbol& what) const { flip_wire(config_, wire, what); }
    bool read(unsigned wire, const symbol& what) const { return read_wire(config_, wire, what); }
    std::uint64_t kind(const symbol& what) const { return static_cast<std::uint64_t>(what.kind); }
    void drop(symbol& what) const { what = {}; }
    /// Data wires of an idle symbol are not read.
    bool shows(unsigned wire) const { return wire >= kind_wire(config_) && wire < kind_wire(config_) + 3; }

private:
    chips::link_config config_;
};

/// One direction. In one cycle: what concerns frames and sets as they were sent, then wire_events.
class link_faults final : public chips::wire_faults {
public:
    /// Of `plan` what leaves end `from_end`. \param config checked \param cable its number: a seed of its own
    /// \throws input_error for a rate, a burst, wires or times that cannot be
    link_faults(const chips::link_config& config, const fault_plan& plan, unsigned from_end, std::uint64_t cable,
                fault_report report);

    void apply(engine::cycle now, chips::link_symbol& symbol, bool& signal) override;
    engine::cycle next(engine::cycle now) const override;

private:
    struct watched {  ///< an event that waits for a frame or a set
        fault_event event;
        unsigned left;
    };

    void follow(engine::cycle now, chips::link_symbol& symbol);
    void follow_frame(engine::cycle now, chips::link_symbol& symbol);
    void follow_set(engine::cycle now, chips::link_symbol& symbol);

    chips::link_config config_;
    wire_events<wires_of_symbols> events_;
    std::vector<watched> watched_;
    wire_follower follower_;
    engine::cycle followed_ = engine::never;  ///< last cycle of a symbol
    bool loses_ = false;                      ///< the frame or set that is on the wire
    std::vector<chips::link_symbol> copy_;    ///< of the last cf_update
    std::size_t copied_ = 0;                  ///< symbols of it that came twice
    bool copies_ = false;
};

/// Both directions.
class cable_faults {
public:
    /// As link_faults.
    cable_faults(const chips::link_config& config, const fault_plan& plan, std::uint64_t cable,
                 const fault_report& report);

    /// \param cable has to end first, or be attached anew
    void attach(chips::link_cable& cable);

private:
    std::array<std::unique_ptr<link_faults>, 2> directions_;  ///< [end that it leaves]
};

}  // namespace polycast::hw::faults
