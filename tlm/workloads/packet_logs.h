// SPDX-License-Identifier: Apache-2.0
/// \file The packet log of a network under simulation.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hw/system/plan.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/trace/hang_log.h"
#include "tlm/trace/observers.h"
#include "tlm/trace/packet_database.h"
#include "tlm/trace/packet_log.h"
#include "tlm/trace/replay_log.h"
#include "tlm/workloads/instrumentation.h"

namespace polycast::tlm::sim {

/// Chips, cables and what a head takes through each of them, by their numbers in the plan.
trace::logged_network described(const hw::system::system_plan& plan, const std::string& network,
                                const std::string& workload);

/// Pins of all chips, by their numbers.
std::vector<hw::engine::pin_shape> shapes_of(const hw::engine::chip_network& chips);

/// Log and file of one network.
struct logged_packets {
    /// `plan` and `chips` outlive it. \throws hw::input_error if the file cannot be created
    logged_packets(const packet_log_request& wish, const std::string& network, const hw::system::system_plan& plan,
                   const hw::engine::chip_network& chips);

    /// Completes the log. `end` is the first cycle that did not happen. \throws hw::input_error when it cannot be
    /// written
    void finish(hw::engine::cycle end);

    std::filesystem::path file;
    trace::log_window window;
    trace::packet_database database;
    trace::packet_log log;
    trace::observers all;  ///< is to be shown all steps

private:
    void add_faults();

    const hw::system::system_plan& plan_;
    const hw::engine::chip_network& chips_;
    std::optional<trace::replay_log> replays_;  ///< of networks with cables
    std::optional<trace::hang_log> hangs_;      ///< where processors are to stand still
};

}  // namespace polycast::tlm::sim
