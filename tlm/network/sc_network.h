// SPDX-License-Identifier: Apache-2.0
/// \file A whole network of switches, or of routers, and hosts in SystemC, composed from a plan.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "hw/engine/network.h"
#include "hw/system/plan.h"
#include "hw/system/switch_network.h"
#include "hw/traffic/goal.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/engine_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/run_state.h"
#include "tlm/protocol/link_checker.h"

namespace polycast::tlm::network {

/// Where a switch or router lives. Its hosts and its coding unit live with it.
enum class placement : std::uint8_t {
    engine,  ///< with others in the one process of an engine_module
    module,  ///< in a SystemC module of its own
};

struct sc_network_params {
    std::vector<placement> switches;             ///< [switch or router]; empty: all in the engine
    sc_core::sc_time period{1, sc_core::SC_NS};  ///< of the clock of all chips
    bool checkers = false;  ///< a link_checker at every sender of a TLM link; a violation ends the run as a failure
};

/// Runs a plan with the same results as hw::system::switch_network, bit by bit, wherever the switches live. Chips are
/// numbered as there: switch or router i is chip i, then come the hosts, then coding units. Links between two chips in
/// the engine are the engine's; all others are link_modules.
class sc_network final : public sc_core::sc_module {
public:
    using cycle = hw::engine::cycle;

    SC_HAS_PROCESS(sc_network);

    /// `switches` makes the chip for every switch or router, core or Verilated RTL, `hosts` that for every host,
    /// `units` that for every coding unit. `plan` and `goal` must outlive the network. \throws input_error on a bad
    /// period or number of placements, for coding units that could wait for ever, and as the factories do.
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

    /// How the run ended; nothing before it has.
    const std::optional<hw::system::run_outcome>& outcome() const { return outcome_; }
    /// \throws whatever ended the run as a failure.
    void rethrow_failure() const { state_.rethrow_failure(); }

    /// First cycle that has not been simulated.
    cycle now() const;
    const hw::system::system_plan& plan() const { return plan_; }
    const hw::engine::chip& chip(hw::engine::chip_id id) const;
    hw::engine::chip_id switch_chip(std::uint32_t index) const { return index; }
    hw::engine::chip_id host_chip(std::uint32_t host) const { return plan_.host_chip(host); }

    /// Of the link into a port, occupancy counted up to now().
    hw::engine::link_statistics statistics(hw::engine::port_id port) const;
    std::vector<hw::engine::error_event> errors() const { return state_.errors(); }
    std::uint64_t error_count() const { return state_.error_count(); }
    std::vector<hw::engine::event_record> events() const { return state_.events(); }
    std::uint64_t event_count() const { return state_.event_count(); }
    cycle last_flit() const { return state_.last_flit(); }
    std::uint64_t chip_steps() const { return state_.chip_steps(); }
    std::uint64_t flit_hops() const { return state_.flit_hops(); }

private:
    /// A chip and where it is.
    struct place {
        modules::chip_module* module = nullptr;    ///< null: in the engine
        hw::engine::chip_id in_engine = 0;         ///< number there
        std::vector<modules::link_module*> links;  ///< [port]; null: the engine's, or open
        std::vector<unsigned> sides;               ///< [port] of its link
    };
    struct cable {
        hw::engine::port_id a, b;
        unsigned a_credits, b_credits;  ///< that the sender at this end has, for every virtual channel
    };

    std::vector<cable> cables() const;
    void place_chips(const hw::system::switch_factory& switches, const hw::system::host_factory& hosts,
                     const hw::system::unit_factory& units);
    void join(const cable& wire, std::size_t index);
    void join_direction(hw::engine::port_id from, modules::link_module& link, unsigned side, unsigned credits,
                        std::size_t index);
    bool in_engine(hw::engine::chip_id id) const { return places_[id].module == nullptr; }
    modules::link_node& node_of(hw::engine::port_id port, unsigned& node_port);
    void supervise();

    const hw::system::system_plan& plan_;
    sc_network_params params_;
    protocol::cycle_grid grid_;
    const hw::traffic::goal& goal_;
    hw::system::run_limits limits_;
    std::function<bool(cycle)> stop_;
    std::function<void()> finished_;

    modules::run_state state_;
    std::vector<place> places_;  ///< [chip]
    std::vector<std::unique_ptr<modules::chip_module>> chips_;
    std::unique_ptr<hw::engine::network> island_;  ///< until engine_ has it
    std::vector<hw::engine::port_id> exits_;       ///< ports of the network that lead out of the engine
    std::unique_ptr<modules::engine_module> engine_;
    std::vector<std::unique_ptr<modules::link_module>> links_;
    std::vector<std::unique_ptr<protocol::link_checker>> checkers_;

    sc_core::sc_event look_;
    cycle slice_end_ = 0;
    std::optional<hw::system::run_outcome> outcome_;
    cycle end_ = 0;
};

}  // namespace polycast::tlm::network
