// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_network.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"
#include "hw/topology/nearest_name.h"

namespace polycast::tlm::network {

namespace {

/// SystemC's names must not contain everything that a user's may, so modules are numbered.
std::string numbered(const char* what, std::size_t number) {
    return what + std::to_string(number);
}

}  // namespace

std::uint32_t host_number(const hw::system::system_plan& plan, const std::string& name) {
    if (const auto found = plan.network.find_host(name)) return *found;
    std::vector<std::string> names;
    for (const hw::topology::host_node& node : plan.network.hosts) names.push_back(node.name);
    const std::string near = hw::topology::propose_name(name, names);
    throw hw::input_error("there is no host '" + name + "' in the network",
                          near.empty() ? "hosts are " + names.front() + " to " + names.back() : near);
}

sc_network::sc_network(const sc_core::sc_module_name& name, const hw::system::system_plan& plan,
                       const sc_network_params& params, const hw::system::switch_factory& switches,
                       const hw::system::host_factory& hosts, const hw::traffic::goal& goal,
                       const hw::system::unit_factory& units)
    : sc_module(name),
      plan_(plan),
      params_(params),
      grid_(params.period),
      goal_(goal),
      state_("state"),
      chips_(params.period, params.checkers, state_, !params.own.names.empty()),
      look_("look"),
      own_finished_("own_finished") {
    if (params_.switches.empty()) params_.switches.assign(plan.chips(), placement::engine);
    if (params_.switches.size() != plan.chips()) {
        throw hw::input_error("places for " + std::to_string(params_.switches.size()) +
                              (plan.has_routers() ? " routers" : " switches") + " in a network of " +
                              std::to_string(plan.chips()));
    }
    for (const hw::chips::coding_registers& unit : plan.units) hw::chips::check_progress(plan.coding, unit);
    for (const std::string& own : params_.own.names) unfinished_.insert(host_number(plan, own));
    add_chips(switches, hosts, units);
    connect_chips();
    chips_.build();
    SC_METHOD(supervise);
    sensitive << look_ << own_finished_ << state_.became_quiet();
}

sc_network::~sc_network() = default;

void sc_network::add_chips(const hw::system::switch_factory& switches, const hw::system::host_factory& hosts,
                           const hw::system::unit_factory& units) {
    for (std::uint32_t index = 0; index < plan_.chips(); ++index) {
        chips_.add(switches(plan_, index), plan_.network.switches[index].name,
                   numbered(plan_.has_routers() ? "router" : "switch", index), params_.switches[index]);
    }
    for (std::uint32_t host = 0; host < plan_.network.hosts.size(); ++host) {
        const hw::topology::host_node& node = plan_.network.hosts[host];
        if (unfinished_.contains(host)) {
            add_own(host);
        } else {
            chips_.add(hosts(plan_, host), node.name, numbered("host", host), params_.switches[node.chip]);
        }
    }
    for (std::uint32_t index = 0; index < plan_.units.size(); ++index) {
        const std::string name = plan_.unit_name(index);
        chips_.add(units(plan_, index), name, name, params_.switches[plan_.unit_port(index).chip]);
    }
}

void sc_network::add_own(std::uint32_t host) {
    const auto processors = [this](const hw::ni::ni_params& params, hw::ni::processor_bus& bus) {
        return params_.own.processors(plan_, params, bus, params_.own.watcher);
    };
    const modules::module_params module{params_.period, plan_.host_chip(host)};
    std::unique_ptr<modules::ni_module>& made = own_[host];
    made = std::make_unique<modules::ni_module>(numbered("host", host).c_str(),
                                                hw::system::params_of(plan_, host).interface, processors,
                                                params_.own.watcher, module, state_);
    chips_.add(*made, plan_.network.hosts[host].name);
}

std::uint32_t sc_network::own_number(const std::string& name) const {
    const std::uint32_t host = host_number(plan_, name);
    if (own_.contains(host)) return host;
    throw hw::input_error("host '" + name + "' is one of polycast's, none of your own",
                          "name it among sc_network_params::own");
}

modules::ni_module& sc_network::own_host(const std::string& name) {
    return *own_.at(own_number(name));
}

void sc_network::finish(const std::string& name) {
    unfinished_.erase(own_number(name));
    if (unfinished_.empty()) own_finished_.notify(sc_core::SC_ZERO_TIME);
}

void sc_network::connect_chips() {
    const auto connect = [this](hw::engine::port_id a, hw::engine::port_id b, unsigned b_credits) {
        chips_.connect(a, b, plan_.link(),
                       std::vector<unsigned>(chip(a.chip).shape().vcs, plan_.credits(a.chip, a.port)),
                       std::vector<unsigned>(chip(b.chip).shape().vcs, b_credits));
    };
    for (const hw::topology::link& link : plan_.network.links())
        connect({link.a.chip, link.a.port}, {link.b.chip, link.b.port}, plan_.credits(link.b.chip, link.b.port));
    for (std::uint32_t host = 0; host < plan_.network.hosts.size(); ++host) {
        const hw::topology::host_node& node = plan_.network.hosts[host];
        connect({node.chip, node.port}, {host_chip(host), 0}, plan_.host.interface.credits);
    }
    for (std::uint32_t index = 0; index < plan_.units.size(); ++index)
        connect(plan_.unit_port(index), {plan_.unit_chip(index), 0}, plan_.units[index].credits);
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

/// Looks at the run at the end of every slice, before anything of the next cycle happens, and when the network is
/// quiet.
void sc_network::supervise() {
    if (outcome_ || state_.failed()) return;
    try {
        const bool slice_over = sc_core::sc_time_stamp() == grid_.start_of(slice_end_);
        const bool started = slice_end_ != 0 || limits_.cycles == 0;
        // Own hosts begin things whenever they like; with nothing left in all SystemC they cannot.
        const bool open = !unfinished_.empty() && !(slice_over && !sc_core::sc_pending_activity());
        const bool over = state_.quiet() && !open;
        if (started && !slice_over && !over) return;
        if (started) {
            hw::system::run_view view;
            view.over = over;
            view.open = open;
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
