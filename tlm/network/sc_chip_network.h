// SPDX-License-Identifier: Apache-2.0
/// \file Any network of chips in SystemC, behind the interface of the engine's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/modules/run_state.h"
#include "tlm/network/sc_chips.h"
#include "tlm/protocol/cycle_grid.h"

namespace polycast::tlm::network {

struct sc_chip_network_params {
    /// Where a chip lives; empty: all in the engine.
    std::function<placement(hw::engine::chip_id)> where = {};
    /// [virtual channel] that the sender at a port has. With it every TLM link has checkers, and a violation ends the
    /// run as a failure; empty: none.
    std::function<std::vector<unsigned>(hw::engine::port_id)> credits = {};
    sc_core::sc_time period{1, sc_core::SC_NS};  ///< of the clock of all chips
};

/// Steps chips in the cycles in which hw::engine::network does, so whoever takes a chip_network gets the same results.
/// SystemC elaborates once: one such network in the life of a process can be run, once. Call run() from sc_main, or
/// below.
class sc_chip_network final : public hw::engine::chip_network, private hw::engine::observer {
public:
    using cycle = hw::engine::cycle;

    /// \throws input_error on a bad period
    explicit sc_chip_network(sc_chip_network_params params);
    ~sc_chip_network() override;

    hw::engine::chip_id add(std::unique_ptr<hw::engine::chip> chip, std::string name) override;
    void connect(hw::engine::port_id a, hw::engine::port_id b, const hw::engine::link_params& params) override;
    /// \throws what ended the run as a failure, and input_error as connect() of the engine's network does
    bool run(cycle end, const std::function<bool()>& stop) override;
    cycle now() const override { return std::max(state_.now(), end_); }
    const hw::engine::chip& at(hw::engine::chip_id id) const override { return chips_.at(id); }
    const std::string& name(hw::engine::chip_id id) const override { return chips_.name(id); }
    std::size_t size() const override { return chips_.size(); }
    hw::engine::port_id peer(hw::engine::port_id port) const override { return chips_.peer(port); }
    hw::engine::link_statistics statistics(hw::engine::port_id port) const override {
        return chips_.statistics(port, now());
    }
    std::uint64_t error_count() const override { return state_.error_count(); }
    cycle last_flit() const override { return state_.last_flit(); }
    std::uint64_t chip_steps() const override { return state_.chip_steps(); }
    std::uint64_t flit_hops() const override { return state_.flit_hops(); }
    void observe(hw::engine::observer* who) override { observer_ = who; }

private:
    class metronome;

    void stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;
    void look();
    void finish(bool early);

    sc_chip_network_params params_;
    protocol::cycle_grid grid_;
    modules::run_state state_;
    sc_chips chips_;
    std::unique_ptr<metronome> metronome_;
    hw::engine::observer* observer_ = nullptr;
    cycle seen_ = hw::engine::never;  ///< cycle of the last step
    cycle limit_ = 0;
    cycle end_ = 0;  ///< now() of a run that has reached its limit
    const std::function<bool()>* stop_ = nullptr;
    bool early_ = false;
};

}  // namespace polycast::tlm::network
