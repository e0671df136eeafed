// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_chip_network.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "hw/input_error.h"

namespace polycast::tlm::network {

/// Looks at the run at the end of every slice, before anything of the next cycle happens, and when the network is
/// quiet.
class sc_chip_network::metronome final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(metronome);

    metronome(const sc_core::sc_module_name& name, sc_chip_network& network) : sc_module(name), network_(network) {
        SC_METHOD(look);
        sensitive << beat_ << again_ << network.state_.became_quiet();
    }

    void beat_at(const sc_core::sc_time& when) { beat_.notify(when - sc_core::sc_time_stamp()); }
    void look_again() { again_.notify(sc_core::SC_ZERO_TIME); }

private:
    void look() { network_.look_at_slice(); }

    sc_chip_network& network_;
    sc_core::sc_event beat_{"beat"};
    sc_core::sc_event again_{"again"};
};

sc_chip_network_params chips_of(const hw::system::system_plan& plan, std::vector<placement> switches, bool checkers) {
    if (!switches.empty() && switches.size() != plan.switch_count() && switches.size() != plan.chip_count())
        throw hw::input_error("places for " + std::to_string(switches.size()) +
                              (plan.has_routers() ? " routers" : " switches") + " in a network of " +
                              std::to_string(plan.switch_count()));
    sc_chip_network_params params;
    if (!switches.empty())
        params.where = [switches = std::move(switches), homes = plan.neighbourhoods()](hw::engine::chip_id id) {
            return switches[id < homes.size() ? homes[id] : id];
        };
    if (checkers) {
        // A cable sends as the chip behind it does.
        params.credits = [&plan](hw::engine::port_id from) {
            if (!plan.is_cable(from.chip)) return plan.credits(from);
            const hw::system::planned_cable& cable = plan.cable_at(from.chip);
            std::vector<unsigned> credits = plan.credits(from.port == 0 ? cable.b : cable.a);
            for (unsigned& each : credits) ++each;  // the place of a poison tail
            return credits;
        };
    }
    return params;
}

sc_chip_network::sc_chip_network(sc_chip_network_params params)
    : params_(std::move(params)),
      grid_(params_.period),
      state_("state"),
      chips_(params_.period, static_cast<bool>(params_.credits), state_, static_cast<bool>(params_.open),
             params_.threads) {}

sc_chip_network::~sc_chip_network() = default;

hw::engine::chip_id sc_chip_network::add(std::unique_ptr<hw::engine::chip> chip, std::string name) {
    const auto id = static_cast<hw::engine::chip_id>(chips_.size());
    const placement where = params_.where ? params_.where(id) : placement::engine;
    return chips_.add(std::move(chip), name, "chip" + std::to_string(id), where);
}

void sc_chip_network::connect(hw::engine::port_id a, hw::engine::port_id b, const hw::engine::link_params& params) {
    const auto credits = [this](hw::engine::port_id at) {
        return params_.credits ? params_.credits(at) : std::vector<unsigned>{};
    };
    chips_.connect(a, b, params, credits(a), credits(b));
}

void sc_chip_network::elaborate() {
    if (metronome_) throw std::logic_error("a network in SystemC runs once");
    metronome_ = std::make_unique<metronome>("metronome", *this);
    chips_.build();
}

void sc_chip_network::look_again() {
    metronome_->look_again();
}

sc_chip_network::cycle sc_chip_network::now() const {
    return looking_ ? end_ : std::max(state_.now(), grid_.cycle_at(sc_core::sc_time_stamp()));
}

void sc_chip_network::begin_slices(const hw::engine::slices& how, std::function<bool(bool over)> look,
                                   std::function<void()> finished) {
    slices_ = how;
    look_ = std::move(look);
    finished_ = std::move(finished);
}

void sc_chip_network::run_slices(const hw::engine::slices& how, const std::function<bool(bool over)>& look) {
    elaborate();
    begin_slices(how, look, [] { sc_core::sc_pause(); });
    sc_core::sc_start();
    state_.rethrow_failure();
}

/// What hw::engine::network::run_slices() does between two slices.
void sc_chip_network::look_at_slice() {
    if (state_.over()) return;
    try {
        const bool slice_over = sc_core::sc_time_stamp() == grid_.start_of(slice_end_);
        const bool started = slice_end_ != 0 || slices_.end == 0;
        // With nothing left in all SystemC nobody outside can begin anything.
        open_ = params_.open && params_.open() && !(slice_over && !sc_core::sc_pending_activity());
        const bool over = state_.quiet() && !open_;
        if (started && !slice_over && !over) return;
        if (started) {
            end_ = over ? state_.now() : slice_end_;
            looking_ = true;
            if (look_(over)) {
                state_.end();
                if (finished_) finished_();
                return;
            }
            looking_ = false;
        }
        slice_end_ = slices_.end_of(slice_end_);
        state_.set_horizon(slice_end_);
        metronome_->beat_at(grid_.start_of(slice_end_));
    } catch (...) {
        state_.fail(std::current_exception());
    }
}

}  // namespace polycast::tlm::network
