// SPDX-License-Identifier: Apache-2.0
/// \file Runs a program on one switch or another network of cores, with the host build of the firmware.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "hw/system/hosts.h"
#include "hw/system/program_multicasts.h"
#include "hw/system/system_network.h"
#include "hw/workloads/program/program_run.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::programs {

struct ran {
    system::run_outcome outcome;
    cycle finish = 0;        ///< of the latest rank
    std::uint32_t last = 0;  ///< the lowest rank that ends then
    message_counts counts;
    std::vector<rank_report> ranks;
    std::vector<std::string> faults, failures, stuck;
    std::uint64_t errors = 0;
    std::vector<path_segment> path;  ///< of a run that is complete
};

struct program_setting {
    std::uint64_t eager = 16384;
    std::uint32_t queues = 1;
    unsigned processors = 1;
    credit_rule credits = credit_rule::automatic;
    std::uint32_t window = 0;
    boost::rational<std::int64_t> unit{1, 5};  ///< a nanosecond in cycles of 5 ns
    std::optional<boost::rational<std::int64_t>> copy{}, reduce{};
    cycle receive_overhead = 1000;
    wire_format wire = wire_format::plain;
};

/// One switch with as many hosts.
inline topology::graph one_switch(unsigned hosts) {
    topology::graph graph;
    graph.add_switch("switch0", hosts);
    for (unsigned host = 0; host < hosts; ++host) graph.attach_host("host" + std::to_string(host), 0, host);
    return graph;
}

inline ran run_on(system::system_plan plan, program of, const program_setting& how = {}) {
    rank_rules rules;
    rules.of = std::make_shared<const program>(std::move(of));
    const std::uint32_t ranks = rules.of->ranks();
    rules.host_of.resize(ranks);
    std::iota(rules.host_of.begin(), rules.host_of.end(), 0);
    rules.rank_of = rules.host_of;
    rules.rank_of.resize(plan.network.hosts.size(), rank_rules::no_rank);
    rules.eager = how.eager;
    rules.queues = how.queues;
    rules.times = true;
    rules.receive_overhead = how.receive_overhead;
    rules.unit = how.unit;
    rules.copy = how.copy;
    rules.wire = how.wire;
    rules.reduce = how.reduce;
    rules.credits = plan_credits(*rules.of, {how.credits, how.window, how.eager, how.queues});
    if (!rules.of->multicasts().empty())
        rules.multicasts =
            std::make_shared<multicast_routes>(*rules.of, rules.host_of, rules.queues, system::plan_multicasts(plan));
    program_run run(checked(std::move(rules)));
    fit(plan.host, run.rules());
    plan.host.processors = how.processors;
    system::system_network network(
        plan, system::make_core,
        system::program_hosts(system::native(), [&run](std::uint32_t host) { return run.programs(host); }), run);
    ran got;
    got.outcome = network.run({});
    if (got.outcome.ended == system::run_outcome::kind::complete) run.check().judge();
    got.counts = run.check().counts();
    got.faults = run.check().faults();
    got.failures = network.failures();
    got.errors = network.network().error_count();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const auto said = host::host_report::of(network.network().report(plan.host_chip(rank)));
        got.ranks.push_back(rank_report::of(said->applications, run.rules().of->of_rank(rank)));
        if (got.ranks.back().finish > got.finish) {
            got.finish = got.ranks.back().finish;
            got.last = rank;
        }
    }
    if (got.outcome.ended != system::run_outcome::kind::complete) {
        got.stuck = run.stuck(got.ranks);
    } else {
        got.path = run.path(got.ranks);
    }
    return got;
}

inline ran run_on(const topology::graph& graph, program of, const program_setting& how = {}) {
    system::system_params params;
    params.header_free = true;
    return run_on(make_plan(graph, params), std::move(of), how);
}

inline void expect_right(const ran& got) {
    EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::complete) << got.outcome.diagnosis;
    EXPECT_THAT(got.faults, testing::IsEmpty());
    EXPECT_THAT(got.failures, testing::IsEmpty());
    EXPECT_EQ(got.errors, 0u);
    EXPECT_EQ(got.counts.delivered, got.counts.expected);
    for (const rank_report& each : got.ranks)
        EXPECT_EQ(std::accumulate(each.cycles.begin(), each.cycles.end(), cycle{0}), each.finish);
    // The critical path has no gap from the start to the end.
    cycle at = 1;
    for (const path_segment& each : got.path) {
        EXPECT_EQ(each.from, at);
        EXPECT_LT(each.from, each.to);
        at = each.to;
    }
    EXPECT_EQ(at, got.finish + 1);
}

/// Settings for a random program.
inline program_setting random_setting(std::mt19937_64& draw) {
    program_setting how;
    how.eager = draw() % 3 == 0 ? 0 : draw() % 3000;
    how.queues = static_cast<std::uint32_t>(1 + draw() % 4);
    how.processors = static_cast<unsigned>(1 + draw() % 3);
    if (draw() % 2 == 0) {
        how.credits = credit_rule::fixed;
        how.window = static_cast<std::uint32_t>(1 + draw() % 4);
    } else if (draw() % 3 == 0) {
        how.queues = 64;  // with few buffers for each
    }
    return how;
}

}  // namespace polycast::hw::programs
