// SPDX-License-Identifier: Apache-2.0
/// \file Processors of interfaces that stand still because of a fault, for packet logs.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/trace/packet_log.h"

namespace polycast::tlm::trace {

/// A processor of a host's interfaces stands still.
struct logged_hang {
    std::uint32_t host = 0;                 ///< number of the chip
    hw::engine::cycle first = 0, last = 0;  ///< cycles

    bool operator==(const logged_hang&) const = default;
};

/// Takes what hang_log finds, in the order in which hangs end.
class hang_store {
public:
    virtual ~hang_store() = default;
    virtual void add(const logged_hang& hang) = 0;
};

/// Watches the state of hosts, which is the same in every fidelity. What ends in one cycle comes by host, in whatever
/// order they were stepped.
class hang_log final : public hw::engine::observer {
public:
    /// \param hosts chips that can hang \param window takes hangs that have cycles in it. `store` must outlive it.
    hang_log(const std::vector<hw::engine::chip_id>& hosts, const log_window& window, hang_store& store);

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

    /// Ends what goes on; `end` is the first cycle that did not happen.
    void finish(hw::engine::cycle end);

private:
    struct watched_host {
        bool hangs = false;
        logged_hang now;  ///< if it hangs
    };
    void ends(watched_host& host, hw::engine::cycle last);
    void tell();

    log_window window_;
    hang_store& store_;
    std::vector<watched_host> hosts_;
    std::vector<logged_hang> ended_;  ///< in the cycle being watched
    hw::engine::cycle now_ = hw::engine::never;
    hw::engine::chip_probe probe_;
};

}  // namespace polycast::tlm::trace
