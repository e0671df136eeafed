// SPDX-License-Identifier: Apache-2.0
/// \file Networks with ideal hosts chip by chip.
#pragma once

#include <functional>
#include <vector>

#include "hw/fabric/allgather_nodes.h"
#include "hw/system/ideal_network.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// What the hosts of a network of chips do.
struct ideal_job {
    hw::fabric::fabric_params mesh;
    std::vector<hw::fabric::unit_setup> units = {};
    hw::host::ideal_work& work;
    const hw::traffic::goal& goal;
    hw::engine::observer* watch_units = nullptr;
    hw::engine::cycle end = hw::engine::never;  ///< as a fabric that is run up to this cycle
    /// As a fabric that is given up before this cycle if it says so.
    hw::engine::cycle review = hw::engine::never;
    std::function<bool()> give_up = {};
    hw::engine::cycle patience = 100000;  ///< cycles in which nothing moves and packets are missing
    bool links = false;
};

/// What is seen on the pins.
struct ideal_outcome {
    run_result result;                ///< ended, broken, diagnosis, suspect, faults and errors of chips, traces
    bool at_end = false;              ///< the end came first
    hw::engine::cycle last_move = 0;  ///< in which a flit or credit was on input pins last
    hw::system::ideal_watch::tally counted;
};

/// Runs one network to its end. `stop` is called from time to time. \throws hw::input_error if a wave file cannot be
/// written
ideal_outcome run_ideal_chips(const instance& on, const ideal_job& job, const network_factory& factory,
                              const std::function<bool()>& stop, const instrumentation& instruments);

}  // namespace polycast::tlm::sim
