// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_network.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"
#include "tlm/modules/host_module.h"
#include "tlm/modules/switch_module.h"

namespace polycast::tlm::network {

namespace {

/// SystemC's names must not contain everything that a user's may, so modules are numbered.
std::string numbered(const char* what, std::size_t number) {
    return what + std::to_string(number);
}

}  // namespace

sc_network::sc_network(const sc_core::sc_module_name& name, const hw::system::system_plan& plan,
                       const sc_network_params& params, const hw::system::switch_factory& switches,
                       const hw::system::host_factory& hosts, const hw::traffic::goal& goal,
                       const hw::system::unit_factory& units)
    : sc_module(name), plan_(plan), params_(params), grid_(params.period), goal_(goal), state_("state"), look_("look") {
    if (params_.switches.empty()) params_.switches.assign(plan.chips(), placement::engine);
    if (params_.switches.size() != plan.chips()) {
        throw hw::input_error("places for " + std::to_string(params_.switches.size()) +
                              (plan.has_routers() ? " routers" : " switches") + " in a network of " +
                              std::to_string(plan.chips()));
    }
    for (const hw::chips::coding_registers& unit : plan.units) hw::chips::check_progress(plan.coding, unit);
    place_chips(switches, hosts, units);
    const std::vector<cable> all = cables();
    for (const cable& wire : all) {
        if (in_engine(wire.a.chip) && in_engine(wire.b.chip)) {
            island_->connect({places_[wire.a.chip].in_engine, wire.a.port},
                             {places_[wire.b.chip].in_engine, wire.b.port}, plan.link());
        } else if (in_engine(wire.a.chip) || in_engine(wire.b.chip)) {
            exits_.push_back(in_engine(wire.a.chip) ? wire.a : wire.b);
        }
    }
    if (island_->size() != 0) {
        modules::engine_module_params engine;
        engine.period = params_.period;
        engine.shortest_delay = engine.longest_delay = plan.params.link_delay;
        engine.only_members_outside = true;
        engine.numbers.resize(island_->size());
        for (hw::engine::chip_id id = 0; id < places_.size(); ++id) {
            if (in_engine(id)) engine.numbers[places_[id].in_engine] = id;
        }
        for (const hw::engine::port_id& port : exits_)
            engine.ports.push_back({places_[port.chip].in_engine, port.port});
        engine_ = std::make_unique<modules::engine_module>("engine", std::move(island_), std::move(engine), state_);
    }
    for (std::size_t index = 0; index < all.size(); ++index) {
        if (!in_engine(all[index].a.chip) || !in_engine(all[index].b.chip)) join(all[index], index);
    }
    SC_METHOD(supervise);
    sensitive << look_ << state_.became_quiet();
}

sc_network::~sc_network() = default;

void sc_network::place_chips(const hw::system::switch_factory& switches, const hw::system::host_factory& hosts,
                             const hw::system::unit_factory& units) {
    island_ = std::make_unique<hw::engine::network>();
    const auto put = [&](bool engine, std::unique_ptr<hw::engine::chip> chip, const std::string& name,
                         const std::string& module_name) {
        place& at = places_.emplace_back();
        at.links.resize(chip->shape().ports);
        at.sides.resize(chip->shape().ports);
        if (engine) {
            at.in_engine = island_->add(std::move(chip), name);
            return;
        }
        const modules::module_params module{params_.period, static_cast<hw::engine::chip_id>(places_.size() - 1)};
        chips_.push_back(std::make_unique<modules::chip_module>(module_name.c_str(), std::move(chip), module, state_));
        at.module = chips_.back().get();
    };
    for (std::uint32_t index = 0; index < plan_.chips(); ++index) {
        put(params_.switches[index] == placement::engine, switches(plan_, index), plan_.network.switches[index].name,
            numbered(plan_.has_routers() ? "router" : "switch", index));
    }
    for (std::uint32_t host = 0; host < plan_.network.hosts.size(); ++host) {
        const hw::topology::host_node& node = plan_.network.hosts[host];
        put(params_.switches[node.chip] == placement::engine, hosts(plan_, host), node.name, numbered("host", host));
    }
    for (std::uint32_t index = 0; index < plan_.units.size(); ++index) {
        const std::string name = plan_.unit_name(index);
        put(params_.switches[plan_.unit_port(index).chip] == placement::engine, units(plan_, index), name, name);
    }
}

std::vector<sc_network::cable> sc_network::cables() const {
    std::vector<cable> all;
    for (const hw::topology::link& link : plan_.network.links()) {
        all.push_back({{link.a.chip, link.a.port},
                       {link.b.chip, link.b.port},
                       plan_.credits(link.a.chip, link.a.port),
                       plan_.credits(link.b.chip, link.b.port)});
    }
    for (std::uint32_t host = 0; host < plan_.network.hosts.size(); ++host) {
        const hw::topology::host_node& node = plan_.network.hosts[host];
        all.push_back({{node.chip, node.port},
                       {host_chip(host), 0},
                       plan_.credits(node.chip, node.port),
                       plan_.host.interface.credits});
    }
    for (std::uint32_t index = 0; index < plan_.units.size(); ++index) {
        const hw::engine::port_id port = plan_.unit_port(index);
        all.push_back(
            {port, {plan_.unit_chip(index), 0}, plan_.credits(port.chip, port.port), plan_.units[index].credits});
    }
    return all;
}

modules::link_node& sc_network::node_of(hw::engine::port_id port, unsigned& node_port) {
    node_port = port.port;
    if (!in_engine(port.chip)) return *places_[port.chip].module;
    node_port = static_cast<unsigned>(std::ranges::find(exits_, port) - exits_.begin());
    return *engine_;
}

void sc_network::join(const cable& wire, std::size_t index) {
    modules::link_module& link = *links_.emplace_back(
        std::make_unique<modules::link_module>(numbered("link", index).c_str(), plan_.link(), params_.period, state_));
    join_direction(wire.a, link, 0, wire.a_credits, index);
    join_direction(wire.b, link, 1, wire.b_credits, index);
}

/// Joins one end of a link, where a sender has `credits`.
void sc_network::join_direction(hw::engine::port_id from, modules::link_module& link, unsigned side, unsigned credits,
                                std::size_t index) {
    places_[from.chip].links[from.port] = &link;
    places_[from.chip].sides[from.port] = side;
    unsigned port = 0;
    modules::link_node& node = node_of(from, port);
    link.out[side].bind(node.in[port]);
    if (!params_.checkers) {
        node.out[port].bind(link.in[side]);
        return;
    }
    const hw::engine::pin_shape& shape = node.shape();
    const protocol::link_shape checked{params_.period,           shape.flit_bytes, shape.header_bytes,
                                       plan_.params.chunk_flits, credits,          shape.vcs};
    protocol::link_checker& checker = *checkers_.emplace_back(std::make_unique<protocol::link_checker>(
        numbered("checker", 2 * index + side).c_str(), checked,
        [this](const protocol::link_violation& violation) { state_.fail(violation.message); }));
    node.out[port].bind(checker.in);
    checker.out.bind(link.in[side]);
}

void sc_network::configure_run(const hw::system::run_limits& limits, std::function<bool(cycle)> stop,
                               std::function<void()> finished) {
    limits_ = limits;
    stop_ = std::move(stop);
    finished_ = std::move(finished);
}

sc_network::cycle sc_network::now() const {
    if (outcome_) return end_;
    return std::max(state_.now(), grid_.cycle_at(sc_core::sc_time_stamp()));
}

const hw::engine::chip& sc_network::chip(hw::engine::chip_id id) const {
    return in_engine(id) ? engine_->network().at(places_[id].in_engine) : places_[id].module->chip();
}

hw::engine::link_statistics sc_network::statistics(hw::engine::port_id port) const {
    const place& at = places_[port.chip];
    if (const modules::link_module* link = at.links[port.port]) return link->statistics(at.sides[port.port], now());
    if (!in_engine(port.chip)) return {0, 0, 0, 0, 0, now(), 0};
    hw::engine::link_statistics statistics = engine_->network().statistics({at.in_engine, port.port});
    statistics.occupy(std::max(now(), statistics.since), 0);
    return statistics;
}

/// Looks at the run at the end of every slice, before anything of the next cycle happens, and when the network is
/// quiet.
void sc_network::supervise() {
    if (outcome_ || state_.failed()) return;
    try {
        const bool slice_over = sc_core::sc_time_stamp() == grid_.start_of(slice_end_);
        const bool started = slice_end_ != 0 || limits_.cycles == 0;
        if (started && !slice_over && !state_.quiet()) return;
        if (started) {
            hw::system::run_view view;
            view.over = state_.quiet();
            view.now = view.over ? state_.now() : slice_end_;
            view.last_flit = state_.last_flit();
            view.chip = [this](hw::engine::chip_id id) -> const hw::engine::chip& { return chip(id); };
            end_ = view.now;
            outcome_ = hw::system::judge(plan_, goal_, limits_, view, stop_);
            if (outcome_) {
                state_.end();
                if (finished_) finished_();
                return;
            }
        }
        slice_end_ = std::min(limits_.cycles, slice_end_ + hw::system::slice);
        state_.set_horizon(slice_end_);
        look_.notify(grid_.start_of(slice_end_) - sc_core::sc_time_stamp());
    } catch (const std::exception& error) {
        state_.fail(std::string(name()) + ": " + error.what());
    }
}

}  // namespace polycast::tlm::network
