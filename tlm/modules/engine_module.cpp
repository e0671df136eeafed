// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/engine_module.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/input_error.h"

namespace polycast::tlm::modules {

namespace {

constexpr hw::engine::cycle longest_step = 4096;  // cycles; keeps SystemC responsive
// Where others are outside: what is sent ahead of time is stored by its receiver.
constexpr hw::engine::cycle longest_lead = 64;

hw::engine::pin_shape shape_outside(const hw::engine::network& network, const engine_module_params& params) {
    hw::engine::pin_shape shape;
    bool sides = false;
    for (const hw::engine::port_id& port : params.ports) {
        if (port.chip >= network.size()) {
            throw hw::input_error("link: there is no chip " + std::to_string(port.chip) + " in the engine");
        }
        const hw::engine::pin_shape& chip = network.at(port.chip).shape();
        if (shape.ports != 0 && (shape.flit_bytes != chip.flit_bytes || shape.header_bytes != chip.header_bytes)) {
            throw hw::input_error("link: flits of " + network.name(port.chip) +
                                  " have another size than its neighbours'");
        }
        if (shape.ports != 0 && shape.vcs != chip.vcs) {
            throw hw::input_error("link: " + network.name(port.chip) +
                                  " has another number of virtual channels than its neighbours");
        }
        shape.ports = static_cast<unsigned>(params.ports.size());
        shape.flit_bytes = chip.flit_bytes;
        shape.header_bytes = chip.header_bytes;
        shape.vcs = chip.vcs;
        if ((chip.side_ports >> port.port & 1) == 0) continue;
        if (sides && shape.side_vc != chip.side_vc) {
            throw hw::input_error("link: " + network.name(port.chip) +
                                  " has another virtual channel beside side wires than its neighbours");
        }
        sides = true;
        shape.side_vc = chip.side_vc;
    }
    return shape;
}

/// A module may have more ports than a chip.
std::vector<bool> sides_outside(const hw::engine::network& network, const engine_module_params& params) {
    std::vector<bool> sides;
    for (const hw::engine::port_id& port : params.ports)
        sides.push_back(port.chip < network.size() && (network.at(port.chip).shape().side_ports >> port.port & 1) != 0);
    return sides;
}

}  // namespace

/// Forwards what leaves the engine through one port.
class engine_module::exit final : public hw::engine::outside {
public:
    exit(engine_module& module, unsigned port) : module_(module), port_(port) {}

    void flit_sent(cycle when, const hw::engine::flit& flit) override {
        module_.sent_outside(when);
        module_.send_flit(port_, when, flit);
    }
    void credit_sent(cycle when, std::uint8_t vc) override {
        module_.sent_outside(when);
        module_.send_credit(port_, when, vc);
    }
    void side_sent(cycle when, const hw::engine::side_state& state) override {
        module_.sent_outside(when);
        module_.send_side(port_, when, state);
    }

private:
    engine_module& module_;
    unsigned port_;
};

/// Passes to an observer the numbers that chips have outside the engine.
class engine_module::numbering final : public hw::engine::observer {
public:
    numbering(const engine_module& module, hw::engine::observer& next) : module_(module), observer_(next) {}

    void stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override {
        observer_.stepped(module_.params_.numbers[id], now, in, out, chip);
    }

private:
    const engine_module& module_;
    hw::engine::observer& observer_;
};

engine_module::engine_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::network> network,
                             engine_module_params params, run_state& state)
    : link_node(name, shape_outside(*network, params), params.period, state, sides_outside(*network, params)),
      network_(std::move(network)),
      params_(std::move(params)),
      ring_(std::bit_ceil(std::size_t{params_.longest_delay} + 2)),
      flits_in_(params_.ports.size() * ring_, hw::engine::never),
      credits_in_(flits_in_),
      sides_in_(flits_in_) {
    for (hw::engine::chip_id id = 0; params_.numbers.size() < network_->size(); ++id) params_.numbers.push_back(id);
    for (unsigned port = 0; port < params_.ports.size(); ++port) {
        exits_.push_back(std::make_unique<exit>(*this, port));
        network_->connect(params_.ports[port], *exits_.back(), params_.longest_delay + 1);
    }
}

engine_module::~engine_module() = default;

void engine_module::start_of_simulation() {
    if (state_.observer() != nullptr) {
        numbering_ = std::make_unique<numbering>(*this, *state_.observer());
        network_->observe(numbering_.get());
    }
    wake_at(network_->next_activity());
}

/// A link delay of d: what another module sends in its cycle w arrives in w + 1 + d at the earliest.
engine_module::cycle engine_module::window_end(cycle now) const {
    const cycle horizon = std::min(state_.horizon(), now + longest_step);
    if (params_.ports.empty()) return horizon;
    if (state_.observer() != nullptr) return now + 1;  // one cycle after the other for all chips
    const cycle others = params_.only_members_outside ? state_.earliest_of_others(member()) : now;
    return std::min(horizon, std::min(others, now + longest_lead) + params_.shortest_delay + 1);
}

/// The receiver gets it in when + d and may answer in the same cycle.
void engine_module::sent_outside(cycle when) {
    const cycle answer = when + 2 * cycle{params_.shortest_delay} + 1;
    if (answer >= bound_) return;
    bound_ = answer;
    bound_moved_ = true;
}

void engine_module::step(cycle now) {
    bound_ = window_end(now);
    if (params_.ports.empty()) {
        network_->run(bound_);
    } else {
        do {
            bound_moved_ = false;
            network_->run(bound_, [this] { return bound_moved_; });
        } while (bound_moved_);
    }
    report(now);
    wake_at(network_->next_activity());
}

void engine_module::report(cycle now) {
    if (network_->chip_steps() != steps_reported_) {
        const cycle last = network_->next_activity() == hw::engine::never ? network_->now() - 1 : now;
        state_.stepped_ahead(network_->chip_steps() - steps_reported_, last);
        steps_reported_ = network_->chip_steps();
    }
    if (network_->flit_hops() != hops_reported_) {
        state_.flits_sent(network_->flit_hops() - hops_reported_, network_->last_flit());
        hops_reported_ = network_->flit_hops();
    }
    report_errors();
    report_events();
}

void engine_module::report_errors() {
    if (network_->error_count() == errors_reported_) return;
    const std::vector<hw::engine::error_event>& errors = network_->errors();
    for (std::uint64_t index = errors_reported_; index < errors.size(); ++index) {
        hw::engine::error_event event = errors[index];
        event.where.chip = params_.numbers[event.where.chip];
        state_.error(event);
    }
    state_.more_errors(network_->error_count() - std::max<std::uint64_t>(errors_reported_, errors.size()));
    errors_reported_ = network_->error_count();
}

void engine_module::report_events() {
    if (network_->event_count() == events_reported_) return;
    const std::vector<hw::engine::event_record>& events = network_->events();
    for (std::uint64_t index = events_reported_; index < events.size(); ++index) {
        hw::engine::event_record record = events[index];
        record.chip = params_.numbers[record.chip];
        state_.event(record);
    }
    state_.more_events(network_->event_count() - std::max<std::uint64_t>(events_reported_, events.size()));
    events_reported_ = network_->event_count();
}

/// Something arrives in cycle `when`: everything before the present cycle has been simulated.
void engine_module::announce(cycle when) {
    network_->skip_to(std::max<cycle>(grid().cycle_at(sc_core::sc_time_stamp()), 1) - 1);
    wake_at(when);
}

/// The network does not check, and would merge two arrivals.
bool engine_module::twice(std::vector<cycle>& arrivals, unsigned port, cycle when) {
    return std::exchange(arrivals[port * ring_ + (when & (ring_ - 1))], when) == when;
}

void engine_module::flit_arrived(unsigned port, cycle when, const hw::engine::flit& flit) {
    if (twice(flits_in_, port, when)) throw two_flits(port, when);
    announce(when);
    network_->inject_flit(params_.ports[port], when, flit);
}

void engine_module::credit_arrived(unsigned port, cycle when, std::uint8_t vc) {
    if (twice(credits_in_, port, when)) throw two_credits(port, when);
    announce(when);
    network_->inject_credit(params_.ports[port], when, vc);
}

void engine_module::side_arrived(unsigned port, cycle when, const hw::engine::side_state& side) {
    if (twice(sides_in_, port, when)) throw two_sides(port, when);
    announce(when);
    network_->inject_side(params_.ports[port], when, side);
}

}  // namespace polycast::tlm::modules
