// SPDX-License-Identifier: Apache-2.0
/// \file Nodes on several rails: as many networks alike, each with an interface of every node at its leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/engine/network.h"
#include "hw/system/hosts.h"
#include "hw/system/plan.h"
#include "hw/workloads/rails/rail_driver.h"
#include "hw/workloads/rails/rail_scoreboard.h"

namespace polycast::hw::rails {

/// How packets move on the rails.
enum class rail_fidelity : std::uint8_t {
    flits,   ///< flit by flit through router cores, as the plan says
    events,  ///< as events through event switches (hw/chips/event/event_switch.md), an approximation
};

struct rail_network_params {
    unsigned rails = 7;  ///< 1..64
    rail_fidelity fidelity = rail_fidelity::flits;
    driver_params drivers;
};

struct rail_run_limits {
    engine::cycle cycles = engine::never;  ///< the run ends before this cycle
    engine::cycle patience = 1'000'000;  ///< cycles without a packet moving or a message delivered while one is missing
};

enum class rail_outcome : std::uint8_t {
    complete,  ///< all that was created was delivered
    limit,     ///< the cycle limit was reached
    stuck,     ///< nothing moves, or can ever happen, and messages are missing
};

/// Router i of rail r is chip r x routers + i; hosts come behind all of them.
class rail_network {
public:
    /// `plan`: of one rail, of routers. Rails differ in the random numbers of their routers only. `source` and `scores`
    /// must outlive the network. \throws input_error as chips do, for a plan of switches, for events where a route
    /// needs virtual channels of its own (rings)
    rail_network(const system::system_plan& plan, const rail_network_params& params,
                 const system::processor_factory& processors, rail_source& source, rail_scoreboard& scores);

    /// `stop`, if given, is asked now and then with the present cycle, and ends the run as the limit does.
    rail_outcome run(const rail_run_limits& limits, const std::function<bool(engine::cycle)>& stop = {});

    engine::network& network() { return network_; }
    const host::host_chip& host(std::uint32_t number) const { return *hosts_[number]; }
    std::uint32_t nodes() const { return static_cast<std::uint32_t>(hosts_.size()); }
    /// Of all processes.
    driver_statistics drivers() const;
    /// Of all hosts and interfaces.
    system::interface_totals totals() const;
    /// What went wrong in hosts, interfaces and switches, in words.
    std::vector<std::string> failures() const;

private:
    std::unique_ptr<engine::chip> make_switch(const system::system_plan& plan, unsigned rail,
                                              std::uint32_t index) const;

    rail_network_params params_;
    rail_scoreboard& scores_;
    engine::network network_;
    std::vector<const host::host_chip*> hosts_;  ///< in network_
};

}  // namespace polycast::hw::rails
