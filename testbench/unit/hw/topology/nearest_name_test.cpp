// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace polycast::hw::topology {
namespace {

TEST(nearest_name, finds_misspellings) {
    const std::vector<std::string> known{"connectivity", "switches", "ports", "hosts", "seed"};
    EXPECT_EQ(nearest_name("conectivty", known), "connectivity");
    EXPECT_EQ(nearest_name("Ports", known), "ports");
    EXPECT_EQ(nearest_name("sede", known), "seed");
    EXPECT_EQ(nearest_name("host", known), "hosts");
    EXPECT_EQ(nearest_name("bandwidth", known), "");
    EXPECT_EQ(nearest_name("x", known), "");
    EXPECT_EQ(nearest_name("", known), "");
    EXPECT_EQ(propose_name("sede", known), "did you mean 'seed'?");
    EXPECT_EQ(propose_name("bandwidth", known), "");
}

TEST(nearest_name, takes_the_nearest_and_of_equals_the_first) {
    const std::vector<std::string> known{"host10", "host1", "host2"};
    EXPECT_EQ(nearest_name("host11", known), "host10");
    EXPECT_EQ(nearest_name("HOST1", known), "host1");
    EXPECT_EQ(nearest_name("hosst2", known), "host2");
}

TEST(nearest_name, does_not_work_on_huge_names) {
    const std::vector<std::string> known{std::string(100000, 'a'), "short"};
    EXPECT_EQ(nearest_name(std::string(100001, 'a'), known), "");
}

}  // namespace
}  // namespace polycast::hw::topology
