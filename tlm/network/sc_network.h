// SPDX-License-Identifier: Apache-2.0
/// \file A whole network of switches, or of routers, and hosts in SystemC, composed from a plan.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/system/plan.h"
#include "hw/system/system_network.h"
#include "tlm/modules/ni_module.h"
#include "tlm/network/sc_chip_network.h"

namespace polycast::tlm::network {

/// \throws input_error, with a proposal, where the plan has no host of this name.
std::uint32_t host_number(const hw::system::system_plan& plan, const std::string& name);

/// Hosts of the user's own: in their places are network interfaces, whose sockets the user binds.
struct own_hosts {
    std::vector<std::string> names = {};            ///< as the plan has them
    hw::system::processor_factory processors = {};  ///< of their interfaces
    hw::ni::observer* watcher = nullptr;            ///< of the interfaces; may be null
};

struct sc_network_params {
    /// [switch or router]; empty: all in the engine. Hosts and coding units live with theirs.
    std::vector<placement> switches;
    sc_core::sc_time period{1, sc_core::SC_NS};  ///< of the clock of all chips
    bool checkers = false;  ///< a link_checker at every sender of a TLM link; a violation ends the run as a failure
    own_hosts own = {};     ///< instead of those that `hosts` would make
};

/// Runs a plan with the same results as hw::system::system_network, bit by bit, wherever the switches live, beside
/// other networks and modules. Chips are numbered as in the plan.
class sc_network final : public sc_core::sc_module, public sc_chip_network {
public:
    using cycle = hw::engine::cycle;
    using sc_chip_network::name;
    using sc_core::sc_module::name;

    /// `plan` and `goal` must outlive the network. \throws input_error on a bad period or number of placements, for own
    /// hosts that the plan does not have, and as hw::system::build().
    sc_network(const sc_core::sc_module_name& name, const hw::system::system_plan& plan,
               const sc_network_params& params, const hw::system::chip_factory& chips,
               const hw::system::host_factory& hosts, const hw::traffic::goal& goal);
    ~sc_network() override;

    /// Before the simulation starts: limits and stop request of the run, as in system_network::run(), and who is told
    /// when the network has finished. Both functions may be empty.
    void configure_run(const hw::system::run_limits& limits, std::function<bool(cycle)> stop,
                       std::function<void()> finished);

    /// The interface of an own host, to be bound before the simulation starts. \throws input_error where `name` is none
    modules::ni_module& own_host(const std::string& name);
    /// An own host has nothing more to begin. With own hosts the run ends when all have said so and all is delivered,
    /// or when SystemC has nothing left to do.
    void finish(const std::string& name);

    /// How the run ended; nothing before it has.
    const std::optional<hw::system::run_outcome>& outcome() const { return outcome_; }
    const hw::system::system_plan& plan() const { return plan_; }

private:
    std::uint32_t own_number(const std::string& name) const;

    const hw::system::system_plan& plan_;
    const hw::traffic::goal& goal_;
    std::map<std::uint32_t, std::unique_ptr<modules::ni_module>> own_;  ///< by host
    std::set<std::uint32_t> unfinished_;                                ///< own hosts
    std::optional<hw::system::run_outcome> outcome_;
};

}  // namespace polycast::tlm::network
