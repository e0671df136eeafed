// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_session.h"

#include <cctype>
#include <stdexcept>
#include <string_view>
#include <systemc>

#include "hw/input_error.h"

namespace polycast::tlm::network {

namespace {

/// Where a socket of an own host is not bound, SystemC says which.
void start() {
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report& report) {
        if (std::string_view(report.get_msg_type()) != "complete binding failed") throw;
        throw hw::input_error(std::string(report.get_msg_type()) + ": " + report.get_msg(),
                              "bind the sockets 'registers' and 'memory' of every own host");
    }
}

}  // namespace

std::size_t sc_session::add(const std::string& name, const hw::system::system_plan& plan,
                            const sc_network_params& params, const hw::system::chip_factory& chips,
                            const hw::system::host_factory& hosts, const hw::traffic::goal& goal) {
    std::string legal = "network" + std::to_string(networks_.size()) + "_";
    for (const char letter : name) {
        legal += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    }
    networks_.push_back(std::make_unique<sc_network>(legal.c_str(), plan, params, chips, hosts, goal));
    return networks_.size() - 1;
}

std::vector<hw::system::run_outcome> sc_session::run(const hw::system::run_limits& limits,
                                                     const std::function<bool(std::size_t, hw::engine::cycle)>& stop) {
    std::size_t running = networks_.size();
    for (std::size_t index = 0; index < networks_.size(); ++index) {
        std::function<bool(hw::engine::cycle)> stop_this;
        if (stop) stop_this = [&stop, index](hw::engine::cycle now) { return stop(index, now); };
        networks_[index]->configure_run(limits, std::move(stop_this), [&running] {
            if (--running == 0) sc_core::sc_pause();
        });
    }
    if (running != 0) start();
    std::vector<hw::system::run_outcome> outcomes;
    for (const std::unique_ptr<sc_network>& network : networks_) {
        network->rethrow_failure();
    }
    for (const std::unique_ptr<sc_network>& network : networks_) {
        if (!network->outcome()) throw std::logic_error(std::string(network->sc_module::name()) + " came to no end");
        outcomes.push_back(*network->outcome());
    }
    return outcomes;
}

}  // namespace polycast::tlm::network
