// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_chip_network.h"

#include <exception>
#include <stdexcept>
#include <utility>

namespace polycast::tlm::network {

/// Looks at the run behind every cycle in which a chip was stepped: at the beginning of the next one.
class sc_chip_network::metronome final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(metronome);

    metronome(const sc_core::sc_module_name& name, sc_chip_network& network) : sc_module(name), network_(network) {
        SC_METHOD(look);
        sensitive << beat_;
        dont_initialize();
    }

    void beat_at(const sc_core::sc_time& when) { beat_.notify(when - sc_core::sc_time_stamp()); }

private:
    void look() { network_.look(); }

    sc_chip_network& network_;
    sc_core::sc_event beat_{"beat"};
};

sc_chip_network::sc_chip_network(sc_chip_network_params params)
    : params_(std::move(params)),
      grid_(params_.period),
      state_("state"),
      chips_(params_.period, static_cast<bool>(params_.credits), state_) {
    state_.observe(this);
    state_.keep_in_step();  // somebody may want to stop between two cycles
}

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

bool sc_chip_network::run(cycle end, const std::function<bool()>& stop) {
    if (metronome_) throw std::logic_error("a network in SystemC runs once");
    metronome_ = std::make_unique<metronome>("metronome", *this);
    chips_.build();
    if (end == 0 || chips_.size() == 0) return end != 0;
    limit_ = end;
    stop_ = &stop;
    sc_core::sc_start();
    state_.rethrow_failure();
    return early_;
}

void sc_chip_network::stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& in,
                              const hw::engine::pins& out, const hw::engine::chip& chip) {
    if (now != seen_) {
        seen_ = now;
        metronome_->beat_at(grid_.start_of(now + 1));
    }
    if (observer_ != nullptr) observer_->stepped(id, now, in, out, chip);
}

/// What hw::engine::network::run() does between two cycles.
void sc_chip_network::look() {
    if (state_.over()) return;
    try {
        if (*stop_ && (*stop_)()) return finish(true);
        const cycle next = state_.earliest();
        if (next == hw::engine::never) return finish(true);
        if (next < limit_) return;
        end_ = limit_;
        finish(false);
    } catch (...) {
        state_.fail(std::current_exception());
    }
}

void sc_chip_network::finish(bool early) {
    early_ = early;
    state_.end();
    sc_core::sc_pause();
}

}  // namespace polycast::tlm::network
