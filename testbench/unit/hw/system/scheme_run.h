// SPDX-License-Identifier: Apache-2.0
/// \file A multicast scheme run on a network of cores with native firmware.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::system {

struct scheme_result {
    run_outcome outcome;
    traffic::delivery_counts counts;
    std::vector<traffic::transfer_record> transfers;
    std::vector<std::string> faults;    ///< scoreboard
    std::vector<std::string> failures;  ///< hosts
    std::uint64_t errors = 0;           ///< of switches
    interface_totals totals;
    std::vector<ni::ni_statistics> interfaces;  ///< [host]
    bool idle = true;                           ///< all hosts, at the end

    /// Latency of the first transfer.
    engine::cycle latency() const { return transfers.empty() ? 0 : transfers.front().latency(); }

    /// What is not as it should be; empty where all came exactly once.
    std::string problem() const {
        if (outcome.ended != run_outcome::kind::complete) return "did not complete: " + outcome.diagnosis;
        if (!faults.empty()) return faults.front();
        if (!failures.empty()) return failures.front();
        if (errors != 0) return std::to_string(errors) + " errors of switches";
        if (!counts.exactly_once()) return "not everything was delivered exactly once";
        if (!idle) return "a host is not idle at the end";
        return {};
    }
};

/// The choice for a scheme, everything else by default.
inline multicast_choice by(collectives::scheme how) {
    multicast_choice choice;
    choice.scheme.how = how;
    return choice;
}

/// What a run may have of its own.
struct run_details {
    bool count_duplicates = false;
    chip_factory chips = make_core;
    traffic::planner planner = {};                            ///< instead of the choice's
    std::function<void(const system_network&)> inspect = {};  ///< called after the run
};

/// Hosts, payload and forwarding of `work` come from the network and the choice.
inline scheme_result run_scheme(system_plan plan, traffic::workload_params work, const multicast_choice& choice,
                                const run_details& details = {}) {
    fit(plan, work);
    work.hosts = static_cast<std::uint32_t>(plan.network.hosts.size());
    work.payload_bytes = plan.host.interface.payload_bytes;
    traffic::planner planner = details.planner;
    if (work.kind == traffic::workload_kind::multicast) {
        work.how = forwarding_of(choice);
        if (!planner) planner = make_planner(plan, choice, work.bytes);
    }
    traffic::workload workload(work, std::move(planner));
    traffic::network_facts facts = facts_of(plan);
    facts.count_duplicates = details.count_duplicates;
    traffic::scoreboard board(work.seed, {}, work.payload_bytes, std::move(facts));
    system_network network(plan, details.chips, workload_hosts(native(), workload, board, work.seed), board);
    scheme_result got;
    got.outcome = network.run({});
    got.counts = board.counts();
    got.transfers = board.transfers();
    got.faults = board.faults();
    got.failures = network.failures();
    got.errors = network.network().error_count();
    got.totals = network.totals();
    for (std::uint32_t host = 0; host < work.hosts; ++host) {
        got.interfaces.push_back(network.host(host).interface().statistics());
        got.idle = got.idle && network.host(host).idle();
    }
    if (details.inspect) details.inspect(network);
    return got;
}

inline scheme_result run_scheme(const topology::graph& graph, const system_params& params,
                                const traffic::workload_params& work, const multicast_choice& choice,
                                const run_details& details = {}) {
    return run_scheme(make_plan(graph, params), work, choice, details);
}

}  // namespace polycast::hw::system
