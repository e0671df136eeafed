// SPDX-License-Identifier: Apache-2.0
/// \file Hosts on links whose packets are events, with one interface or more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/chips/event/event_switch.h"
#include "hw/engine/network.h"
#include "hw/host/endpoint.h"
#include "hw/host/host_chip.h"
#include "hw/ni/native_firmware.h"
#include "hw/ni/native_processor.h"

namespace polycast::hw::host {

/// Hosts on rails of event switches: rail r joins interface r of all hosts by one switch, or by a chain of them with
/// half of the hosts at each end.
class event_bench {
public:
    struct options {
        host_params host;
        unsigned switches = 1;     ///< of each rail, 1, or a chain
        bool header_free = false;  ///< needs `host.interface.header_bytes`
        unsigned link_delay = 1;
        cycle ni_send = 1000, ni_receive = 1000;
    };

    event_bench(std::uint32_t hosts, const options& chosen) : options_(chosen), applications_(hosts) {
        firmware_ = ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
    }
    void run(std::uint32_t host, application_factory what) { applications_[host] = {std::move(what)}; }
    /// One for each process.
    void run(std::uint32_t host, std::vector<application_factory> what) { applications_[host] = std::move(what); }
    void run(std::uint32_t host, program_function what) { run(host, run_program(std::move(what))); }

    void build() {
        const auto hosts = static_cast<std::uint32_t>(applications_.size());
        host_params params = options_.host;
        params.interface.hosts = hosts;
        params.interface.whole_packets = true;
        for (std::uint32_t number = 0; number < hosts; ++number) {
            params.interface.host = number;
            ni::native_params costs;
            costs.cycles[NI_OPERATION_SEND] = options_.ni_send;
            costs.cycles[NI_OPERATION_RECEIVE] = options_.ni_receive;
            auto chip = std::make_unique<host_chip>(
                params, applications_[number],
                [costs, this](const ni::ni_params& own, ni::processor_bus& bus, ni::observer*) {
                    return std::make_unique<ni::native_processor>(firmware_, costs, own, bus, nullptr);
                },
                nullptr);
            hosts_.push_back(chip.get());
            network_.add(std::move(chip), "h" + std::to_string(number));
        }
        for (unsigned rail = 0; rail < params.interfaces; ++rail) add_rail(rail, params.interface);
    }
    void simulate(cycle end = engine::never) { network_.run(end); }

    host_chip& host(std::uint32_t number) { return *hosts_[number]; }
    engine::network& network() { return network_; }
    std::vector<std::string> failures() const {
        std::vector<std::string> all;
        for (const host_chip* each : hosts_) {
            for (std::string& text : each->failures()) all.push_back(std::move(text));
            if (!each->finished()) all.push_back("host " + std::to_string(each->number()) + " has not finished");
            if (!each->idle()) all.push_back("host " + std::to_string(each->number()) + " is not idle");
        }
        return all;
    }

private:
    /// Ports 0 and 1 lead along the chain, the others to hosts.
    void add_rail(unsigned rail, const ni::ni_params& interface) {
        const auto hosts = static_cast<unsigned>(hosts_.size());
        const unsigned at_first = options_.switches == 1 ? hosts : hosts / 2;
        const auto first_switch = static_cast<engine::chip_id>(network_.size());
        for (unsigned number = 0; number < options_.switches; ++number) {
            chips::event_switch_params params;
            params.ports = 2 + hosts;
            params.flit_bytes = interface.flit_bytes;
            params.header_bytes = interface.header_bytes;
            params.delay = 2 + (interface.header_bytes != 0
                                    ? 0
                                    : format::header_flits(format::unicast_header_bytes, interface.flit_bytes) - 1);
            for (unsigned host = 0; host < hosts; ++host) {
                const unsigned home = host < at_first ? 0 : options_.switches - 1;
                params.routes.push_back(std::uint64_t{1} << (home < number ? 0 : home > number ? 1 : 2 + host));
            }
            network_.add(std::make_unique<chips::event_switch>(params), "s" + std::to_string(number));
            if (number != 0)
                network_.connect({first_switch + number - 1, 1}, {first_switch + number, 0},
                                 {.delay = options_.link_delay});
        }
        for (unsigned host = 0; host < hosts; ++host)
            network_.connect({first_switch + (host < at_first ? 0 : options_.switches - 1), 2 + host}, {host, rail},
                             {.delay = options_.link_delay});
    }

    options options_;
    std::shared_ptr<const ni::native_firmware> firmware_;
    std::vector<std::vector<application_factory>> applications_;  ///< [host][process]
    engine::network network_;
    std::vector<host_chip*> hosts_;
};

}  // namespace polycast::hw::host
