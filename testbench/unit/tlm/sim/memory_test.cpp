// SPDX-License-Identifier: Apache-2.0
// How many runs fit into the memory of the machine; test_memory.py compares the estimate with what runs take.
#include <gtest/gtest.h>

#include <cstdlib>

#include "testbench/unit/refusal.h"
#include "tlm/sim/memory.h"

namespace polycast::tlm::sim {
namespace {

constexpr const char* scenario_text =
    "name: small\n"
    "network: {topology: {kind: irregular, switches: 4, hosts: 8}}\n"
    "workload: [{name: some, kind: unicast, rate: 0.1}]\n";

TEST(memory, each_rank_of_a_machine_takes_that_of_a_run) {
    scenario::loaded scenario = scenario::load_text(scenario_text, "small.yaml");
    memory_estimate each;
    each.parts.push_back({"switches", memory_left() / 5 * 2});
    EXPECT_EQ(runs_at_once(scenario, each, 2), 2u);
    scenario.ranks = 6;
    ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    EXPECT_EQ(runs_at_once(scenario, each, 1), 1u);
    ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "3", 1);
    const std::string refused = testbench::unit::refusal([&] { runs_at_once(scenario, each, 1); });
    EXPECT_NE(refused.find("each of 3 ranks of this machine needs about "), std::string::npos) << refused;
    ::unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
}

}  // namespace
}  // namespace polycast::tlm::sim
