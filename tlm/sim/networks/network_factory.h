// SPDX-License-Identifier: Apache-2.0
/// \file A network under simulation, whatever its chips are, and what builds it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/engine/network.h"
#include "hw/system/switch_network.h"
#include "hw/workloads/broadcast/broadcast_plan.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/activity.h"
#include "tlm/workloads/instrumentation.h"

namespace polycast::tlm::sim {

/// A network that can be run once, in whatever fidelity. Chips are numbered as in hw::system::switch_network.
class runnable {
public:
    virtual ~runnable() = default;
    virtual const hw::engine::chip& chip(hw::engine::chip_id id) const = 0;
    /// Before run(); `observer` outlives it.
    virtual void observe(hw::engine::observer* observer) = 0;
    virtual hw::system::run_outcome run(const hw::system::run_limits& limits,
                                        const std::function<bool(hw::engine::cycle)>& stop) = 0;
    /// First cycle that has not been simulated.
    virtual hw::engine::cycle now() const = 0;
    /// Of the link into a port.
    virtual hw::engine::link_statistics statistics(hw::engine::port_id port) const = 0;
    /// The first errors, and how many there were.
    virtual std::vector<hw::engine::error_event> errors() const = 0;
    virtual std::uint64_t error_count() const = 0;
    /// The first events of coding units, and how many there were.
    virtual std::vector<hw::engine::event_record> events() const = 0;
    virtual std::uint64_t event_count() const = 0;
};

/// What the hosts of a network do, and who watches them. All of it outlives the network.
struct endpoints {
    const hw::traffic::goal& goal;
    /// Hosts whose interfaces have these processors; `watcher` may be null.
    std::function<hw::system::host_factory(hw::system::processor_factory processors, hw::ni::observer* watcher)> hosts;
    activity_recorder* activity = nullptr;                      ///< null: nobody wants a chart
    std::function<bool(const std::string& host)> in_step = {};  ///< its processor is recorded: nothing ahead of time
    std::vector<tool_request> tools = {};                       ///< for firmware
};

/// Builds the network of a point; `plan` and `ends` outlive it.
struct network_factory {
    std::function<std::unique_ptr<runnable>(const hw::system::system_plan& plan, const endpoints& ends)> make;
    /// Name of the function of firmware at a program counter; empty for a host whose interface has no such counter.
    std::function<std::function<std::string_view(std::uint32_t pc)>(const std::string& host)> functions_of;
    /// Of interfaces on rails and lanes.
    hw::system::processor_factory processors = {};
    /// Broadcast routers of networks that broadcasts run on.
    hw::broadcast::broadcast_router_factory broadcast_routers = {};
    /// What steps their chips; empty: the engine.
    std::function<std::unique_ptr<hw::engine::chip_network>(const hw::broadcast::router_network_params&)>
        broadcast_chips = {};
    /// Routers and coding units of networks with ideal hosts.
    hw::system::switch_factory routers = hw::system::make_core;
    hw::system::unit_factory units = hw::system::make_unit_core;
    /// What steps their chips; empty: the engine.
    std::function<std::unique_ptr<hw::engine::chip_network>(const hw::system::system_plan&)> ideal_network = {};
    /// There can be one such network in the life of a process, as SystemC elaborates once.
    bool one_per_process = false;
};

/// Makes the networks of a scenario in the fidelities that it asks for.
using factory_maker =
    std::function<network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances)>;

}  // namespace polycast::tlm::sim
