// SPDX-License-Identifier: Apache-2.0
/// \file What tests of a process share: who is told, and two hosts on fake interfaces.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "hw/host/process.h"
#include "testbench/unit/hw/host/fake_ni.h"

namespace polycast::hw::host {

/// Notes every call.
class process_recorder : public process_client {
public:
    explicit process_recorder(process& own) : own_(own) {}
    void sent(cycle when, std::uint64_t context, ni_status status) override {
        sends.push_back({when, context, status});
    }
    void received(cycle when, const delivery& message) override {
        std::vector<std::uint8_t> scratch;
        const auto bytes = own_.bytes(message, scratch);
        messages.push_back({when, message, {bytes.begin(), bytes.end()}});
        if (!keep) own_.release(message);
    }
    void refused(cycle when, std::uint64_t context, bool kept) override { refusals.push_back({when, context, kept}); }
    void landed(cycle when, std::uint64_t context, ni_status status) override {
        landings.push_back({when, context, status});
    }
    void group_set(cycle when, std::uint64_t context, ni_status status) override {
        groups.push_back({when, context, status});
    }
    void statistics(cycle, std::span<const std::uint32_t> words) override {
        answers.emplace_back(words.begin(), words.end());
    }
    void failed(cycle, const ni_report& report) override { reports.push_back(report); }

    struct answer {
        cycle when;
        std::uint64_t context;
        ni_status status;
    };
    struct arrival {
        cycle when;
        delivery what;
        std::vector<std::uint8_t> bytes;
    };
    struct refusal {
        cycle when;
        std::uint64_t context;
        bool kept;
    };
    std::vector<answer> sends;
    std::vector<refusal> refusals;
    std::vector<answer> landings;
    std::vector<answer> groups;
    std::vector<arrival> messages;
    std::vector<std::vector<std::uint32_t>> answers;
    std::vector<ni_report> reports;
    bool keep = false;

private:
    process& own_;
};

inline std::vector<std::uint8_t> process_bytes(std::size_t count, std::uint8_t first = 1) {
    std::vector<std::uint8_t> result(count);
    std::iota(result.begin(), result.end(), first);
    return result;
}

inline process_params small_process() {
    process_params params;
    params.message_bytes = 3000;
    params.receive_buffers = 4;
    params.queue_entries = 4;
    params.send_overhead = 100;
    params.receive_overhead = 70;
    return params;
}

inline send_order unicast_to(std::uint32_t to, std::uint32_t number = 0) {
    send_order order;
    order.to = to;
    order.number = number;
    return order;
}

/// Two hosts with a recorder each, started.
struct pair_of_hosts {
    explicit pair_of_hosts(const process_params& params = small_process()) : network(2, params) {
        for (auto& host : network.hosts) {
            clients.push_back(std::make_unique<process_recorder>(*host->processes[0]));
            host->processes[0]->start(*clients.back());
        }
        network.time.run(0);
    }
    process& at(std::uint32_t host) { return *network.hosts[host]->processes[0]; }
    fake_ni& interface(std::uint32_t host) { return network.hosts[host]->interface; }

    fake_network network;
    std::vector<std::unique_ptr<process_recorder>> clients;
};

}  // namespace polycast::hw::host
