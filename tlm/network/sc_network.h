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
#include "hw/engine/network.h"
#include "hw/system/plan.h"
#include "hw/system/switch_network.h"
#include "tlm/modules/ni_module.h"
#include "tlm/modules/run_state.h"
#include "tlm/network/sc_chips.h"
#include "tlm/protocol/cycle_grid.h"

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

/// Runs a plan with the same results as hw::system::switch_network, bit by bit, wherever the switches live. Chips are
/// numbered as there: switch or router i is chip i, then come the hosts, then coding units.
class sc_network final : public sc_core::sc_module {
public:
    using cycle = hw::engine::cycle;

    SC_HAS_PROCESS(sc_network);

    /// `switches` makes the chip for every switch or router, core or Verilated RTL, `hosts` that for every host,
    /// `units` that for every coding unit. `plan` and `goal` must outlive the network. \throws input_error on a bad
    /// period or number of placements, for coding units that could wait for ever, for own hosts that the plan does not
    /// have, and as the factories do.
    sc_network(const sc_core::sc_module_name& name, const hw::system::system_plan& plan,
               const sc_network_params& params, const hw::system::switch_factory& switches,
               const hw::system::host_factory& hosts, const hw::traffic::goal& goal,
               const hw::system::unit_factory& units = hw::system::make_unit_core);
    ~sc_network() override;

    /// Before the simulation starts. `observer` must outlive the run.
    void observe(hw::engine::observer* observer) { state_.observe(observer); }

    /// Before the simulation starts: limits and stop request of the run, as in switch_network::run(), and who is told
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
    /// \throws whatever ended the run as a failure.
    void rethrow_failure() const { state_.rethrow_failure(); }

    /// First cycle that has not been simulated.
    cycle now() const;
    const hw::system::system_plan& plan() const { return plan_; }
    const hw::engine::chip& chip(hw::engine::chip_id id) const { return chips_.at(id); }
    hw::engine::chip_id switch_chip(std::uint32_t index) const { return index; }
    hw::engine::chip_id host_chip(std::uint32_t host) const { return plan_.host_chip(host); }

    /// Of the link into a port, occupancy counted up to now().
    hw::engine::link_statistics statistics(hw::engine::port_id port) const { return chips_.statistics(port, now()); }
    std::vector<hw::engine::error_event> errors() const { return state_.errors(); }
    std::uint64_t error_count() const { return state_.error_count(); }
    std::vector<hw::engine::event_record> events() const { return state_.events(); }
    std::uint64_t event_count() const { return state_.event_count(); }
    cycle last_flit() const { return state_.last_flit(); }
    std::uint64_t chip_steps() const { return state_.chip_steps(); }
    std::uint64_t flit_hops() const { return state_.flit_hops(); }

private:
    void add_chips(const hw::system::switch_factory& switches, const hw::system::host_factory& hosts,
                   const hw::system::unit_factory& units);
    void add_own(std::uint32_t host);
    std::uint32_t own_number(const std::string& name) const;
    void connect_chips();
    void supervise();

    const hw::system::system_plan& plan_;
    sc_network_params params_;
    protocol::cycle_grid grid_;
    const hw::traffic::goal& goal_;
    hw::system::run_limits limits_;
    std::function<bool(cycle)> stop_;
    std::function<void()> finished_;

    modules::run_state state_;
    sc_chips chips_;
    std::map<std::uint32_t, std::unique_ptr<modules::ni_module>> own_;  ///< by host
    std::set<std::uint32_t> unfinished_;                                ///< own hosts

    sc_core::sc_event look_;
    sc_core::sc_event own_finished_;
    cycle slice_end_ = 0;
    std::optional<hw::system::run_outcome> outcome_;
    cycle end_ = 0;
};

}  // namespace polycast::tlm::network
