// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_network.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"
#include "hw/topology/nearest_name.h"

namespace polycast::tlm::network {

std::uint32_t host_number(const hw::system::system_plan& plan, const std::string& name) {
    if (const auto found = plan.network.find_host(name)) return *found;
    std::vector<std::string> names;
    for (const hw::topology::host_node& node : plan.network.hosts) names.push_back(node.name);
    const std::string near = hw::topology::propose_name(name, names);
    throw hw::input_error("there is no host '" + name + "' in the network",
                          near.empty() ? "hosts are " + names.front() + " to " + names.back() : near);
}

namespace {

sc_chip_network_params places_of(const hw::system::system_plan& plan, const sc_network_params& params,
                                 const std::set<std::uint32_t>& unfinished) {
    sc_chip_network_params made = chips_of(plan, params.switches, params.checkers);
    made.period = params.period;
    // Own hosts begin things whenever they like.
    if (!params.own.names.empty()) made.open = [&unfinished] { return !unfinished.empty(); };
    return made;
}

}  // namespace

sc_network::sc_network(const sc_core::sc_module_name& name, const hw::system::system_plan& plan,
                       const sc_network_params& params, const hw::system::chip_factory& chips,
                       const hw::system::host_factory& hosts, const hw::traffic::goal& goal)
    : sc_module(name), sc_chip_network(places_of(plan, params, unfinished_)), plan_(plan), goal_(goal) {
    for (const std::string& own : params.own.names) unfinished_.insert(host_number(plan, own));
    const auto processors = [&plan, make = params.own.processors](
                                const hw::ni::ni_params& interface, hw::ni::processor_bus& bus,
                                hw::ni::observer* watcher) { return make(plan, interface, bus, watcher); };
    const auto make_own = [&](std::uint32_t host) {
        if (!unfinished_.contains(host)) return false;
        const modules::module_params module{params.period, plan.host_chip(host)};
        // SystemC's names must not contain everything that a user's may.
        own_[host] = std::make_unique<modules::ni_module>(("host" + std::to_string(host)).c_str(),
                                                          hw::system::params_of(plan, host).interface, processors,
                                                          params.own.watcher, module, state());
        add(*own_[host], plan.network.hosts[host].name);
        return true;
    };
    hw::system::build(*this, plan, chips, hosts, make_own);
    elaborate();
}

sc_network::~sc_network() = default;

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
    if (unfinished_.empty()) look_again();
}

void sc_network::configure_run(const hw::system::run_limits& limits, std::function<bool(cycle)> stop,
                               std::function<void()> finished) {
    const auto look = [this, limits, stop = std::move(stop)](bool over) {
        outcome_ = hw::system::judge(plan_, *this, goal_, limits, {over, open()}, stop);
        return outcome_.has_value();
    };
    begin_slices(limits.slices(), look, std::move(finished));
}

}  // namespace polycast::tlm::network
