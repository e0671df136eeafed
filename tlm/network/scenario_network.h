// SPDX-License-Identifier: Apache-2.0
/// \file The network of a scenario in an sc_main of the user's own, with hosts of the user's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/system/system_network.h"
#include "tlm/modules/ni_module.h"
#include "tlm/network/own_scoreboard.h"
#include "tlm/network/sc_network.h"

namespace polycast::tlm::network {

struct scenario_choice {
    std::string file;                         ///< of the scenario
    std::vector<std::string> own = {};        ///< names of the hosts that are the user's
    std::vector<std::string> overrides = {};  ///< "key.path=value", as -s of polycast-sim
    std::string workload = {};                ///< its name; empty: the first
    std::uint64_t network = 0;                ///< which of the scenario's
};

/// Switches or routers at the fidelities that the scenario asks for, hosts with their interfaces and the workload, but
/// the user's hosts: these get what the workload sends them, and send what they like. Of single messages the first is
/// sent. Switches take any packet that their buffers hold, unless `switch.packet_limit` is given; routers no longer
/// ones than the workload's, unless `router.packet_limit` is.
///
///     scenario_network net({.file = "my.yaml", .own = {"host3"}});
///     my_cpu cpu("cpu");
///     cpu.bus.bind(net.own_host("host3").registers);
///     net.own_host("host3").memory.bind(my_ram.socket);
///     const auto outcome = net.run();  // until all is delivered, and finish("host3") was called
class scenario_network {
public:
    /// Verilated models that are missing are built now. \throws hw::input_error for what polycast-sim refuses, for a
    /// host that does not exist, for workloads without interfaces, and for those that need an own host's interface to
    /// forward
    explicit scenario_network(const scenario_choice& choice);
    ~scenario_network();

    /// The interface in the place of an own host. \throws hw::input_error where `host` is none
    modules::ni_module& own_host(const std::string& host) { return network().own_host(host); }
    /// An own host has nothing more to begin.
    void finish(const std::string& host) { network().finish(host); }
    /// Has to be told what own hosts send and get; checks that, and everything of the workload.
    own_scoreboard& board();
    /// What went wrong in chips, hosts and deliveries, in words; empty if all is well.
    std::vector<std::string> faults() const;
    /// Own hosts have numbers as all have.
    std::uint32_t number_of(const std::string& host) const;
    sc_network& network();
    sc_core::sc_time period() const;  ///< of the clock: `host.cycle`

    /// Simulates to the end of the run; once per process. \throws hw::input_error for sockets that are not bound, and
    /// whatever ends the run as a failure
    hw::system::run_outcome run(const std::function<bool(hw::engine::cycle)>& stop = {});

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace polycast::tlm::network
