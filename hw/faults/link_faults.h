// SPDX-License-Identifier: Apache-2.0
/// \file The faults of a cable, on its two wires.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/chips/link/cable.h"
#include "hw/faults/fault_plan.h"
#include "hw/faults/random_flips.h"
#include "hw/faults/wire_follower.h"

namespace polycast::hw::faults {

/// One direction. In one cycle: what concerns frames and sets as they were sent, then lost symbols, flips, wires that
/// are stuck, and last a dead wire.
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
    struct spell {  ///< dead, or a wire that is stuck
        fault_event event;
        bool active = false;
    };

    void follow(engine::cycle now, chips::link_symbol& symbol);
    void follow_frame(engine::cycle now, chips::link_symbol& symbol);
    void follow_set(engine::cycle now, chips::link_symbol& symbol);
    void act(engine::cycle now, chips::link_symbol& symbol, bool& signal);
    void flip(engine::cycle now, chips::link_symbol& symbol);
    bool begins_or_ends(engine::cycle now, spell& what);
    void plan_ahead(engine::cycle now);
    void tell(engine::cycle now, fault_kind what, fault_effect effect, std::uint64_t detail);
    static engine::cycle end_of(const fault_event& event);

    chips::link_config config_;
    unsigned from_end_;
    fault_report report_;
    std::vector<random_flips> random_;
    std::vector<fault_event> moments_;  ///< flip and lose, sorted by cycle
    std::size_t moment_ = 0;            ///< the next of them
    std::vector<spell> spells_;
    std::vector<watched> watched_;
    engine::cycle due_ = 0;   ///< of act(), on whatever is on the wire
    engine::cycle wake_ = 0;  ///< of act(), on an idle wire
    wire_follower follower_;
    engine::cycle followed_ = engine::never;  ///< last cycle of a symbol
    bool loses_ = false;                      ///< the frame or set that is on the wire
    std::vector<chips::link_symbol> copy_;    ///< of the last cf_update
    std::size_t copied_ = 0;                  ///< symbols of it that came twice
    bool copies_ = false;
    std::vector<unsigned> wires_;  ///< that flip in a cycle
};

/// Both directions.
class cable_faults {
public:
    /// As link_faults.
    cable_faults(const chips::link_config& config, const fault_plan& plan, std::uint64_t cable,
                 const fault_report& report);

    /// \param cable has to end first, or be attached anew
    void attach(chips::wired_cable& cable);

private:
    std::array<std::unique_ptr<link_faults>, 2> directions_;  ///< [end that it leaves]
};

}  // namespace polycast::hw::faults
