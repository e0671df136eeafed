// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/mesh.h"

#include <gtest/gtest.h>

#include "hw/input_error.h"

namespace polycast::hw::topology {
namespace {

TEST(mesh, neighbours_are_as_routers_count_them) {
    const graph network = make_mesh({4, 2, false});
    EXPECT_EQ(network.switches.size(), 16u);
    EXPECT_EQ(network.hosts.size(), 16u);
    EXPECT_EQ(network.links().size(), 24u);
    EXPECT_EQ(find_problem(network), std::nullopt);
    using kind = port_end::leads_to;
    const auto& ports = network.switches[5].ports;
    EXPECT_EQ(ports[0], (port_end{kind::chip, 6, 1}));
    EXPECT_EQ(ports[1], (port_end{kind::chip, 4, 0}));
    EXPECT_EQ(ports[2], (port_end{kind::chip, 9, 3}));
    EXPECT_EQ(ports[3], (port_end{kind::chip, 1, 2}));
    EXPECT_EQ(ports[4], (port_end{kind::host, 5, 0}));
    EXPECT_EQ(network.switches[3].ports[0].kind, kind::nowhere);
    EXPECT_EQ(network.switches[5].name, "router5");
    EXPECT_EQ(network.hosts[5].name, "host5");
}

TEST(mesh, a_torus_goes_round) {
    const graph network = make_mesh({3, 3, true, 2});
    EXPECT_EQ(network.links().size(), 81u);
    EXPECT_EQ(network.hosts.size(), 54u);
    EXPECT_EQ(network.switches[2].ports[0], (port_end{port_end::leads_to::chip, 0, 1}));
    EXPECT_EQ(network.switches[0].ports[7], (port_end{port_end::leads_to::host, 27, 0}));
    EXPECT_EQ(mesh_name({3, 3, true}), "torus-3x3x3");
    EXPECT_EQ(make_mesh({2, 1, true}).links().size(), 2u) << "both ends are cabled twice";
}

TEST(mesh, what_is_too_large_is_refused) {
    EXPECT_EQ(make_mesh({256, 2}).hosts.size(), 65536u);
    EXPECT_THROW(make_mesh({257, 2}), input_error);
    EXPECT_THROW(make_mesh({1024, 4}), input_error);
    EXPECT_EQ(make_mesh({129, 2}, max_ideal_hosts).hosts.size(), 16641u);
    EXPECT_THROW(make_mesh({1025, 2}, max_ideal_hosts), input_error);
}

}  // namespace
}  // namespace polycast::hw::topology
