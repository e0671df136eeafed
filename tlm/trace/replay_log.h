// SPDX-License-Identifier: Apache-2.0
/// \file Replays of link ends, for packet logs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/trace/packet_log.h"

namespace polycast::tlm::trace {

/// The end of a cable sends all outstanding frames again.
struct link_replay {
    std::uint32_t cable = 0;  ///< number of the chip
    unsigned end = 0;
    hw::engine::cycle first = 0, last = 0;  ///< cycles of the state `replay`
    bool by_timer = false;                  ///< the timer ran out; else a nack came

    bool operator==(const link_replay&) const = default;
};

/// Takes what replay_log finds, in the order in which replays end.
class replay_store {
public:
    virtual ~replay_store() = default;
    virtual void add(const link_replay& replay) = 0;
};

/// Watches the state of all cables, which is the same in every fidelity. A replay that is started again is another one.
/// What ends in one cycle comes by cable and end, in whatever order the cables were stepped.
class replay_log final : public hw::engine::observer {
public:
    /// \param cables chips that are cables \param window takes replays that end in it. `store` must outlive it.
    replay_log(const std::vector<hw::engine::chip_id>& cables, const log_window& window, replay_store& store);

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

    /// Ends what goes on; `end` is the first cycle that did not happen.
    void finish(hw::engine::cycle end);

private:
    struct link_end {
        bool replays = false;
        unsigned count = 0;                           ///< starts without progress
        hw::engine::cycle timer = hw::engine::never;  ///< in which it runs out
        link_replay now;                              ///< if it replays
    };
    void ends(link_end& end, hw::engine::cycle last);
    void tell();

    log_window window_;
    replay_store& store_;
    std::vector<std::uint32_t> places_;  ///< [chip] in cables_ + 1; 0: it is none
    std::vector<std::array<link_end, 2>> cables_;
    std::vector<link_replay> ended_;  ///< in the cycle being watched
    hw::engine::cycle now_ = hw::engine::never;
    hw::engine::chip_probe probe_;
};

}  // namespace polycast::tlm::trace
