// SPDX-License-Identifier: Apache-2.0
/// \file Many chips in one process: an engine network as a SystemC module.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/modules/link_node.h"

namespace polycast::tlm::modules {

/// How an engine_module is joined to the outside.
struct engine_module_params {
    sc_core::sc_time period{1, sc_core::SC_NS};  ///< of the clock; an even number of SystemC's time resolution
    std::vector<hw::engine::chip_id>
        numbers;  ///< of the chips, for errors, events and observers; empty: as in the engine
    std::vector<hw::engine::port_id> ports;  ///< port i of the module is this port of a chip in the engine
    unsigned shortest_delay = 1;             ///< of the links at `ports`
    unsigned longest_delay = 1;
    bool only_members_outside = false;  ///< all modules bound to `ports` are members of the same run_state
};

/// Steps a whole network of chips in one process that sleeps while the network is empty. Once awake it simulates many
/// cycles at a time, as far as nothing from outside can reach them any more: arrivals are announced a link delay ahead.
/// What it sends carries its time, so the outside sees no difference.
class engine_module final : public link_node {
public:
    /// `network` is complete and has not been run. `state` must outlive the module. \throws input_error for a port that
    /// does not exist or is taken, and for ports with different sizes of flits, numbers of virtual channels or that
    /// of the side wires.
    engine_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::network> network,
                  engine_module_params params, run_state& state);
    ~engine_module() override;

    const hw::engine::network& network() const { return *network_; }

protected:
    void step(cycle now) override;
    void flit_arrived(unsigned port, cycle when, const hw::engine::flit& flit) override;
    void credit_arrived(unsigned port, cycle when, std::uint8_t vc) override;
    void side_arrived(unsigned port, cycle when, const hw::engine::side_state& side) override;
    void start_of_simulation() override;

private:
    class exit;
    class numbering;

    cycle window_end(cycle now) const;
    void sent_outside(cycle when);
    void announce(cycle when);
    bool twice(std::vector<cycle>& arrivals, unsigned port, cycle when);
    void report(cycle now);
    void report_errors();
    void report_events();

    std::unique_ptr<hw::engine::network> network_;
    engine_module_params params_;
    std::vector<std::unique_ptr<exit>> exits_;  ///< [port]
    std::unique_ptr<numbering> numbering_;
    std::size_t ring_;               ///< cycles that an arrival may be announced ahead, at least; a power of two
    std::vector<cycle> flits_in_;    ///< [port][cycle modulo ring_] of the last arrival
    std::vector<cycle> credits_in_;  ///< likewise
    std::vector<cycle> sides_in_;
    cycle bound_ = 0;  ///< first cycle that must not be simulated in this step
    bool bound_moved_ = false;
    std::uint64_t steps_reported_ = 0;
    std::uint64_t hops_reported_ = 0;
    std::uint64_t errors_reported_ = 0;
    std::uint64_t events_reported_ = 0;
};

}  // namespace polycast::tlm::modules
