// SPDX-License-Identifier: Apache-2.0
/// \file Any network of chips in SystemC, behind the interface of the engine's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "hw/engine/network.h"
#include "hw/system/system_network.h"
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
    hw::engine::threading threads{};             ///< of the engine
    /// Modules that are told what to do from outside may still begin something; empty: there are none.
    std::function<bool()> open = {};
};

/// For the chips of a plan, which must outlive the network: each that forwards is where `switches` says by its number
/// (empty: all in the engine), hosts and coding units are with theirs. \throws input_error on a bad number of them
sc_chip_network_params chips_of(const hw::system::system_plan& plan, std::vector<placement> switches, bool checkers);

/// Steps chips in the cycles in which hw::engine::network does, so whoever takes a chip_network gets the same results.
/// SystemC elaborates once: one simulation in the life of a process can be run, once. Call run_slices() from sc_main,
/// or below.
class sc_chip_network : public hw::engine::chip_network {
public:
    using cycle = hw::engine::cycle;

    /// \throws input_error on a bad period
    explicit sc_chip_network(sc_chip_network_params params);
    ~sc_chip_network() override;

    hw::engine::chip_id add(std::unique_ptr<hw::engine::chip> chip, std::string name) override;
    /// A module that is made already, with the next number; it must outlive the network.
    hw::engine::chip_id add(modules::chip_module& module, const std::string& name) { return chips_.add(module, name); }
    void connect(hw::engine::port_id a, hw::engine::port_id b, const hw::engine::link_params& params) override;
    /// \throws what ended the run as a failure, and input_error as connect() of the engine's network does
    void run_slices(const hw::engine::slices& how, const std::function<bool(bool over)>& look) override;
    /// Makes the links and gets ready for slices, where somebody else starts SystemC.
    void elaborate();
    /// Then, before the start: as run_slices(); `finished` is told when the run has ended.
    void begin_slices(const hw::engine::slices& how, std::function<bool(bool over)> look,
                      std::function<void()> finished);
    /// In `look`: somebody outside may still begin something.
    bool open() const { return open_; }
    /// What `open` of the parameters says has changed.
    void look_again();
    /// \throws whatever ended the run as a failure.
    void rethrow_failure() const { state_.rethrow_failure(); }

    cycle now() const override;
    const hw::engine::chip& at(hw::engine::chip_id id) const override { return chips_.at(id); }
    const std::string& name(hw::engine::chip_id id) const override { return chips_.name(id); }
    std::size_t size() const override { return chips_.size(); }
    hw::engine::port_id peer(hw::engine::port_id port) const override { return chips_.peer(port); }
    hw::engine::link_statistics statistics(hw::engine::port_id port) const override {
        return chips_.statistics(port, now());
    }
    std::vector<hw::engine::error_event> errors() const override { return state_.errors(); }
    std::uint64_t error_count() const override { return state_.error_count(); }
    std::vector<hw::engine::event_record> events() const override { return state_.events(); }
    std::uint64_t event_count() const override { return state_.event_count(); }
    cycle last_flit() const override { return state_.last_flit(); }
    std::uint64_t chip_steps() const override { return state_.chip_steps(); }
    std::uint64_t flit_hops() const override { return state_.flit_hops(); }
    /// Before the simulation starts.
    void observe(hw::engine::observer* who) override { state_.observe(who); }

protected:
    modules::run_state& state() { return state_; }

private:
    class metronome;

    void look_at_slice();

    sc_chip_network_params params_;
    protocol::cycle_grid grid_;
    modules::run_state state_;
    sc_chips chips_;
    std::unique_ptr<metronome> metronome_;
    bool looking_ = false;  ///< in `look`, or behind the end
    cycle end_ = 0;         ///< now() then
    std::function<bool(bool over)> look_;
    std::function<void()> finished_;
    hw::engine::slices slices_{};
    cycle slice_end_ = 0;
    bool open_ = false;
};

}  // namespace polycast::tlm::network
