// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_chips.h"

#include <algorithm>
#include <utility>

#include "hw/input_error.h"

namespace polycast::tlm::network {

using hw::engine::chip_id;
using hw::engine::port_id;

std::unique_ptr<protocol::link_checker> make_checker(const std::string& name, const sc_core::sc_time& period,
                                                     const hw::engine::pin_shape& shape, unsigned port,
                                                     std::vector<unsigned> credits, unsigned chunk_flits,
                                                     modules::run_state& state) {
    protocol::link_shape checked{period, shape.flit_bytes, shape.header_bytes, chunk_flits};
    checked.vcs = shape.vcs;
    checked.vc_credits = std::move(credits);
    if ((shape.side_ports >> port & 1) != 0) checked.side_vc = shape.side_vc;
    return std::make_unique<protocol::link_checker>(
        name.c_str(), checked, [&state](const protocol::link_violation& violation) { state.fail(violation.message); });
}

sc_chips::sc_chips(const sc_core::sc_time& period, bool checkers, modules::run_state& state, bool strangers,
                   hw::engine::threading threads)
    : period_(period),
      checked_(checkers),
      strangers_(strangers),
      state_(state),
      island_(std::make_unique<hw::engine::network>(std::move(threads))) {}

sc_chips::~sc_chips() = default;

sc_chips::place& sc_chips::new_place(const hw::engine::chip& chip, const std::string& name) {
    const unsigned ports = chip.shape().ports;
    place& at = places_.emplace_back();
    at.chip = &chip;
    at.name = name;
    at.peers.assign(ports, {hw::engine::network::no_chip, 0});
    at.links.resize(ports);
    at.sides.resize(ports);
    return at;
}

chip_id sc_chips::add(std::unique_ptr<hw::engine::chip> chip, const std::string& name, const std::string& module_name,
                      placement where) {
    const auto id = static_cast<chip_id>(places_.size());
    place& at = new_place(*chip, name);
    if (where == placement::engine) {
        at.in_engine = island_->add(std::move(chip), name);
        return id;
    }
    const modules::module_params module{period_, id};
    chips_.push_back(std::make_unique<modules::chip_module>(module_name.c_str(), std::move(chip), module, state_));
    at.module = chips_.back().get();
    return id;
}

chip_id sc_chips::add(modules::chip_module& module, const std::string& name) {
    const auto id = static_cast<chip_id>(places_.size());
    new_place(module.chip(), name).module = &module;
    return id;
}

void sc_chips::check_port(port_id port) const {
    if (port.chip >= places_.size() || port.port >= at(port.chip).shape().ports) {
        throw hw::input_error("link: there is no port " + std::to_string(port.port) + " on chip " +
                              std::to_string(port.chip));
    }
    if (peer(port).chip != hw::engine::network::no_chip)
        throw hw::input_error("link: port " + std::to_string(port.port) + " of " + name(port.chip) + " is taken");
}

void sc_chips::connect(port_id a, port_id b, const hw::engine::link_params& params, std::vector<unsigned> a_credits,
                       std::vector<unsigned> b_credits) {
    check_port(a);
    check_port(b);
    places_[a.chip].peers[a.port] = b;
    places_[b.chip].peers[b.port] = a;
    cables_.push_back({a, b, params, std::move(a_credits), std::move(b_credits)});
}

void sc_chips::build() {
    if (island_->size() != 0) make_engine();
    for (std::size_t index = 0; index < cables_.size(); ++index) {
        const cable& wire = cables_[index];
        if (!in_engine(wire.a.chip) || !in_engine(wire.b.chip)) join(wire, index);
    }
}

void sc_chips::make_engine() {
    modules::engine_module_params engine;
    engine.period = period_;
    engine.shortest_delay = ~0u;
    engine.only_members_outside = !strangers_;
    engine.numbers.resize(island_->size());
    for (chip_id id = 0; id < places_.size(); ++id) {
        if (in_engine(id)) engine.numbers[places_[id].in_engine] = id;
    }
    for (const cable& wire : cables_) {
        const port_id a{places_[wire.a.chip].in_engine, wire.a.port};
        const port_id b{places_[wire.b.chip].in_engine, wire.b.port};
        if (in_engine(wire.a.chip) && in_engine(wire.b.chip)) {
            island_->connect(a, b, wire.params);
        } else if (in_engine(wire.a.chip) || in_engine(wire.b.chip)) {
            exits_.push_back(in_engine(wire.a.chip) ? wire.a : wire.b);
            engine.ports.push_back(in_engine(wire.a.chip) ? a : b);
            engine.shortest_delay = std::min(engine.shortest_delay, wire.params.delay);
            engine.longest_delay = std::max(engine.longest_delay, wire.params.delay);
        }
    }
    engine_ = std::make_unique<modules::engine_module>("engine", std::move(island_), std::move(engine), state_);
}

modules::link_node& sc_chips::node_of(port_id port, unsigned& node_port) {
    node_port = port.port;
    if (!in_engine(port.chip)) return *places_[port.chip].module;
    node_port = static_cast<unsigned>(std::ranges::find(exits_, port) - exits_.begin());
    return *engine_;
}

void sc_chips::join(const cable& wire, std::size_t index) {
    modules::link_module& link = *links_.emplace_back(
        std::make_unique<modules::link_module>(("link" + std::to_string(index)).c_str(), wire.params, period_, state_));
    unsigned side = 0;
    for (const port_id end : {wire.a, wire.b}) {
        places_[end.chip].links[end.port] = &link;
        places_[end.chip].sides[end.port] = side++;
    }
    unsigned a = 0, b = 0;
    modules::link_node& node_a = node_of(wire.a, a);
    modules::link_node& node_b = node_of(wire.b, b);
    link.join(node_a, a, node_b, b, checker_at(wire.a, wire.a_credits, wire.params.chunk_flits, 2 * index),
              checker_at(wire.b, wire.b_credits, wire.params.chunk_flits, 2 * index + 1));
}

/// For what is sent at a port; null where nobody checks.
protocol::link_checker* sc_chips::checker_at(port_id from, const std::vector<unsigned>& credits, unsigned chunk_flits,
                                             std::size_t number) {
    if (!checked_) return nullptr;
    checkers_.push_back(make_checker("checker" + std::to_string(number), period_, at(from.chip).shape(), from.port,
                                     credits, chunk_flits, state_));
    return checkers_.back().get();
}

hw::engine::link_statistics sc_chips::statistics(port_id port, cycle now) const {
    const place& at = places_[port.chip];
    if (const modules::link_module* link = at.links[port.port]) return link->statistics(at.sides[port.port], now);
    if (!in_engine(port.chip)) return {0, 0, 0, 0, 0, now, 0};
    hw::engine::link_statistics statistics = engine_->network().statistics({at.in_engine, port.port});
    statistics.occupy(std::max(now, statistics.since), 0);
    return statistics;
}

}  // namespace polycast::tlm::network
