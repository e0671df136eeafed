// SPDX-License-Identifier: Apache-2.0
// Networks with ideal hosts give the same results, to the last byte, whether all routers are stepped as one or chip by
// chip: random scenarios of unicasts, and all algorithms of allgathers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tlm/sim/results/results.h"
#include "tlm/workloads/ideal_run.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {
namespace {

/// Results of all workloads, as they are written.
std::string written(const std::string& text, ideal_engine engine) {
    const scenario::loaded fabric = scenario::load_text(text, "a.yaml");
    // Chips of an empty factory are cores on the engine, whatever the scenario asks for.
    const scenario::loaded chips = scenario::load_text(text, "a.yaml", {}, {"network.fidelity=tlm"});
    const std::vector<instance> instances = make_instances(fabric);
    std::vector<finished_run> runs;
    for (std::size_t w = 0; w < fabric.values.workloads.size(); ++w) {
        const scenario::loaded& run = engine == ideal_engine::fabric ? fabric : chips;
        runs.push_back(
            {&instances[0], w, workload_kind_of(run, w).run(run, instances[0], w, {}, [] { return false; })});
        EXPECT_EQ(runs.back().result.engine, engine);
    }
    std::string all = results_json(fabric, runs).dump(1) + points_csv(fabric, runs);
    links_csv(fabric, runs, [&all](std::string_view rows) { all += rows; });
    return all;
}

void expect_equal(const std::string& text) {
    SCOPED_TRACE(text);
    EXPECT_EQ(written(text, ideal_engine::fabric), written(text, ideal_engine::chips));
}

class draws {
public:
    explicit draws(unsigned seed) : random_(seed) {}
    unsigned from_to(unsigned least, unsigned most) {
        return least + static_cast<unsigned>(random_()) % (most - least + 1);
    }
    std::string one_of(const std::vector<std::string>& words) {
        return words[from_to(0, static_cast<unsigned>(words.size()) - 1)];
    }

private:
    std::mt19937 random_;
};

std::string network(draws& drawn) {
    return "network: {topology: {kind: " + drawn.one_of({"mesh", "torus"}) +
           ", radix: " + std::to_string(drawn.from_to(2, 6)) + ", dimensions: " + std::to_string(drawn.from_to(1, 2)) +
           "}, link: {delay: " + std::to_string(drawn.from_to(1, 3)) + "}}\nhost: {model: ideal}\n";
}

std::string router(draws& drawn, const std::string& more) {
    return "router: {route_delay: " + std::to_string(drawn.from_to(1, 3)) +
           ", crossbar_delay: " + std::to_string(drawn.from_to(1, 3)) +
           ", vc_policy: " + drawn.one_of({"any", "keep"}) + ", allocator: " + drawn.one_of({"separable", "islip"}) +
           ", iterations: " + std::to_string(drawn.from_to(1, 2)) + more + "}\n";
}

TEST(ideal_engines, unicasts_of_random_scenarios_are_alike) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        draws drawn(seed);
        std::string text = "seed: " + std::to_string(seed) + "\n" + network(drawn);
        const bool wormhole = drawn.from_to(0, 2) == 0;
        text += router(drawn, wormhole ? ", switching: wormhole, buffer: " + std::to_string(drawn.from_to(2, 6)) : "");
        const unsigned least = drawn.from_to(1, 3);
        const std::string flits = "flits: " + std::to_string(least) + "," +
                                  (drawn.from_to(0, 1) == 0 ? "" : " most_flits: " + std::to_string(least + 4) + ",");
        text += "workload:\n";
        for (const char* pattern : {"uniform", "transpose", "bit_complement", "tornado", "hotspot"}) {
            const std::string hot =
                pattern == std::string("hotspot") ? ", hotspot: {hosts: [0, 1], fraction: 30 %}" : "";
            const std::string rate = drawn.from_to(0, 2) == 0 ? "messages: " + std::to_string(drawn.from_to(1, 9))
                                                              : "rate: 0." + std::to_string(drawn.from_to(1, 90));
            text += "  - {name: " + std::string(pattern) + ", kind: unicast, pattern: " + pattern + hot + ", " + flits +
                    " " + rate + "}\n";
        }
        text += "  - {name: each, kind: unicast, pattern: each_to_each, flits: " + std::to_string(least) + "}\n";
        // Short drains: some loads are given up while packets are in the network.
        text += "measurement: {warmup: " + std::to_string(drawn.from_to(0, 300)) +
                ", window: " + std::to_string(drawn.from_to(200, 600)) +
                ", drain_limit: " + std::to_string(drawn.from_to(1, 300)) + ", batches: 4}\n";
        expect_equal(text);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(ideal_engines, allgathers_of_random_scenarios_are_alike) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        draws drawn(seed);
        const std::string radix = drawn.one_of({"4", "4", "8"});
        std::string text = "seed: " + std::to_string(seed) +
                           "\nnetwork: {topology: {kind: " + drawn.one_of({"mesh", "torus"}) + ", radix: " + radix +
                           "}, link: {delay: " + std::to_string(drawn.from_to(1, 2)) + "}}\nhost: {model: ideal}\n" +
                           router(drawn, "") + "workload:\n";
        const std::string flits = ", flits: " + std::to_string(drawn.from_to(1, 4));
        for (const char* algorithm :
             {"all_at_once", "tree", "coded", "every_node", "combining", "uncoded", "replication"}) {
            const std::string name = algorithm;
            std::string keys;
            if (name != "all_at_once" && name != "replication") keys = ", mode: " + drawn.one_of({"steps", "free"});
            if (name == "coded" || name == "every_node")
                keys += drawn.one_of({", coding: host, coding_overhead: 20 cycle", ", xor_latency: 3 cycle", ""}) +
                        drawn.one_of({"", ", accounting: as_published"});
            if (name == "coded" && drawn.from_to(0, 1) == 0) keys += ", base: all_at_once";
            text += "  - {name: " + name + ", kind: allgather, algorithm: " + name + flits + keys + "}\n";
        }
        // Some are given up.
        if (drawn.from_to(0, 3) == 0)
            text += "measurement: {drain_limit: " + std::to_string(drawn.from_to(20, 400)) + "}\n";
        expect_equal(text);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace polycast::tlm::sim
