// SPDX-License-Identifier: Apache-2.0
/// \file What builds the network of a run, whatever its chips are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/system/system_network.h"
#include "tlm/ranks/relayed_ranks.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/activity.h"
#include "tlm/workloads/instrumentation.h"

namespace polycast::tlm::sim {

/// What the hosts of a network do, and who watches them. All of it outlives the network.
struct endpoints {
    const hw::traffic::goal& goal;
    /// Hosts whose interfaces have these processors; `watcher` may be null.
    std::function<hw::system::host_factory(hw::system::processor_factory processors, hw::ni::observer* watcher)> hosts;
    activity_recorder* activity = nullptr;                      ///< null: nobody wants a chart
    std::function<bool(const std::string& host)> in_step = {};  ///< its processor is recorded: nothing ahead of time
    std::vector<tool_request> tools = {};                       ///< for firmware
    // What chips ask objects for counts in them, and ranks have one each: chip_network::count_beside().
    std::function<std::string()> give_counts = {};
    std::function<void(const std::string&)> take_counts = {};
};

/// What stands for the chips of a run's network, at the fidelities that the scenario asks for.
struct network_factory {
    hw::system::chip_factory chips = hw::system::make_core;
    hw::system::stepper_factory stepper = hw::system::make_engine;
    /// The whole network; `plan` and `ends` outlive it.
    std::function<std::unique_ptr<hw::system::system_network>(const hw::system::system_plan& plan,
                                                              const endpoints& ends)>
        make;
    /// The same with cores on one thread of this process.
    std::function<std::unique_ptr<hw::system::system_network>(const hw::system::system_plan& plan,
                                                              const endpoints& ends)>
        make_cores;
    /// Name of the function of firmware at a program counter; empty for a host whose interface has no such counter.
    std::function<std::function<std::string_view(std::uint32_t pc)>(const std::string& host)> functions_of;
    /// There can be one such network in the life of a process, as SystemC elaborates once.
    bool one_per_process = false;
    /// Processes that make the run together; null: this one alone.
    std::shared_ptr<hw::engine::rank_group> ranks{};
    /// The same if there can be one network in the life of a process: a child of each makes it.
    std::shared_ptr<ranks::relayed_ranks> relayed{};
};

/// Makes the networks of a scenario in the fidelities that it asks for, for one process or for one of several.
using factory_maker =
    std::function<network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances,
                                  std::shared_ptr<hw::engine::rank_group> ranks)>;

}  // namespace polycast::tlm::sim
