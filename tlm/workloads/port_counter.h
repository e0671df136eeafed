// SPDX-License-Identifier: Apache-2.0
/// \file Counts what passes the ports of a network of VL switches, on pins outside the chips.
#pragma once

#include <vector>

#include "hw/engine/network.h"
#include "hw/system/lane_headers.h"
#include "hw/system/plan.h"
#include "tlm/workloads/port_counters.h"

namespace polycast::tlm::sim {

/// Is to be shown all steps. A packet counts with its tail, so that both ends of a cable agree once it is through.
class port_counter final : public hw::engine::observer {
public:
    explicit port_counter(const hw::system::system_plan& plan);

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

    /// By chip and port. `end` is the first cycle that did not happen.
    std::vector<port_counters> finish(hw::engine::cycle end);

private:
    struct counted_chip {
        std::vector<port_counters> ports;
        hw::system::lane_headers sent, received;
        bool waits = false;           ///< it has pins xmit_wait
        std::uint64_t waiting = 0;    ///< those pins
        hw::engine::cycle since = 0;  ///< for which they are not counted yet
    };

    static void count_waits(counted_chip& chip, hw::engine::cycle until);

    unsigned vcs_;
    std::vector<counted_chip> chips_;
};

}  // namespace polycast::tlm::sim
