// SPDX-License-Identifier: Apache-2.0
/// \file A network of replicating switches with programs on its hosts: the real interface, firmware compiled for the
/// machine that simulates.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hw/engine/network.h"
#include "hw/host/endpoint.h"
#include "hw/host/host_chip.h"
#include "hw/ni/native_firmware.h"
#include "hw/ni/native_processor.h"
#include "hw/system/plan.h"
#include "hw/system/system_network.h"

namespace polycast::hw::host {

/// A chain of `count` 4-port switches with one host at each end.
inline topology::graph chain(unsigned count) {
    topology::graph graph;
    for (unsigned index = 0; index < count; ++index) graph.add_switch("switch" + std::to_string(index), 4);
    for (unsigned index = 0; index + 1 < count; ++index) graph.connect(index, 1, index + 1, 0);
    graph.attach_host("first", 0, 2);
    graph.attach_host("last", count - 1, 3);
    return graph;
}

/// One switch with `count` hosts.
inline topology::graph star(unsigned count) {
    topology::graph graph;
    graph.add_switch("switch", count);
    for (unsigned host = 0; host < count; ++host) graph.attach_host("host" + std::to_string(host), 0, host);
    return graph;
}

class host_bench {
public:
    struct options {
        host_params host;         ///< numbers and sizes of the interface are filled in
        cycle ni_send = 1000;     ///< t_ns
        cycle ni_receive = 1000;  ///< t_nr
        bool overlapped = false;
        bool header_free = false;
        ni::observer* watcher = nullptr;
    };

    host_bench(const topology::graph& graph, const options& chosen) : options_(chosen) {
        system::system_params params;
        params.header_free = chosen.header_free;
        plan_ = system::make_plan(graph, params);
        firmware_ = ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
        applications_.resize(plan_.network.hosts.size());
    }

    /// What process `process` of `host` runs, before build().
    void run(std::uint32_t host, application_factory what, unsigned process = 0) {
        if (applications_[host].size() <= process) applications_[host].resize(process + 1);
        applications_[host][process] = std::move(what);
    }
    void run(std::uint32_t host, program_function what, unsigned process = 0) {
        run(host, run_program(std::move(what)), process);
    }

    void build() {
        for (std::uint32_t index = 0; index < plan_.switch_count(); ++index)
            network_.add(system::make_core(plan_, index), "s" + std::to_string(index));
        for (std::uint32_t number = 0; number < applications_.size(); ++number) {
            host_params params = options_.host;
            params.interface.host = number;
            params.interface.hosts = static_cast<std::uint32_t>(applications_.size());
            params.interface.header_bytes = plan_.host.interface.header_bytes;
            params.interface.header_ports = plan_.host.interface.header_ports;
            params.interface.header_stops = plan_.host.interface.header_stops;
            ni::native_params costs;
            costs.cycles[NI_OPERATION_SEND] = options_.ni_send;
            costs.cycles[NI_OPERATION_RECEIVE] = options_.ni_receive;
            costs.overlapped = options_.overlapped;
            auto chip = std::make_unique<host_chip>(
                params, applications_[number],
                [costs, this](const ni::ni_params& own, ni::processor_bus& bus, ni::observer* watcher) {
                    return std::make_unique<ni::native_processor>(firmware_, costs, own, bus, watcher);
                },
                options_.watcher);
            hosts_.push_back(chip.get());
            network_.add(std::move(chip), "h" + std::to_string(number));
        }
        for (std::uint32_t index = 0; index < plan_.network.switches.size(); ++index) {
            const topology::switch_node& node = plan_.network.switches[index];
            for (unsigned port = 0; port < node.ports.size(); ++port) {
                const topology::port_end& end = node.ports[port];
                if (end.kind == topology::port_end::leads_to::host)
                    network_.connect({index, port}, {host_chip_id(end.index), 0}, plan_.link());
                else if (end.kind == topology::port_end::leads_to::chip &&
                         std::pair(index, port) < std::pair(end.index, unsigned{end.port}))
                    network_.connect({index, port}, {end.index, end.port}, plan_.link());
            }
        }
    }

    /// Until nothing happens any more, or cycle `end`.
    void simulate(cycle end = engine::never) { network_.run(end); }

    host_chip& host(std::uint32_t number) { return *hosts_[number]; }
    engine::network& network() { return network_; }
    /// Flits of a unicast packet of `bytes` bytes.
    unsigned flits(unsigned bytes) const {
        return system::packet_flits(format::packet_kind::unicast, bytes, plan_.header_shape(), 1, options_.header_free);
    }
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
    engine::chip_id host_chip_id(std::uint32_t host) const {
        return static_cast<engine::chip_id>(plan_.switch_count() + host);
    }

    options options_;
    system::system_plan plan_;
    std::shared_ptr<const ni::native_firmware> firmware_;
    std::vector<std::vector<application_factory>> applications_;
    engine::network network_;
    std::vector<host_chip*> hosts_;
};

}  // namespace polycast::hw::host
