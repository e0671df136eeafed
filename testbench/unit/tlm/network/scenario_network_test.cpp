// SPDX-License-Identifier: Apache-2.0
// Networks of scenarios with hosts of one's own: what is refused, and what to do. That they run: examples/own_host.cpp.
#include "tlm/network/scenario_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hw/input_error.h"

namespace polycast::tlm::network {
namespace {

std::string refusal_of(const scenario_choice& choice) {
    try {
        const scenario_network net(choice);
    } catch (const hw::input_error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(scenario_network, what_cannot_be_is_refused) {
    const std::string file = POLYCAST_EXAMPLES "/own_host.yaml";
    EXPECT_THAT(refusal_of({.file = file, .own = {"hots0"}}), testing::HasSubstr("did you mean 'host0'?"));
    EXPECT_THAT(refusal_of({.file = file, .own = {"host0"}, .workload = "new"}),
                testing::AllOf(testing::HasSubstr("there is no workload 'new'"), testing::HasSubstr("'news'")));
    EXPECT_THAT(refusal_of({.file = file, .own = {"host0"}, .network = 3}), testing::HasSubstr("networks are 0..0"));
    EXPECT_THAT(refusal_of({.file = file, .own = {"host0"}, .overrides = {"workload.news.scheme=ni"}}),
                testing::AllOf(testing::HasSubstr("own hosts do not know of it"), testing::HasSubstr("take 'tree'")));
    const std::string program = "workload=[{name: app, kind: collective, algorithm: ring, ranks: 2}]";
    EXPECT_THAT(refusal_of({.file = file, .own = {"host0"}, .overrides = {program}}),
                testing::HasSubstr("own hosts take no part in workloads of this kind"));
    EXPECT_THAT(refusal_of({.file = file, .own = {"host0"}, .overrides = {"workload.news.scheem=ni"}}),
                testing::HasSubstr("scheme"));
}

}  // namespace
}  // namespace polycast::tlm::network
