// SPDX-License-Identifier: Apache-2.0
/// \file Compares a network of router modules with the same routers on the bare engine and with a fabric.
#pragma once

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "testbench/unit/tlm/modules/sc_routers.h"

namespace polycast::tlm::modules {

inline auto numbers(const hw::engine::link_statistics& of) {
    return std::tuple(of.flits, of.packets, of.occupied, of.occupied_max, of.occupied_cycles, of.since, of.offset);
}

/// Everything that a run tells is as on the bare engine with cores, and as on a fabric. `cores`: the network has cores
/// only; other models may be stepped in more cycles.
inline void expect_same(const sc_routers& network, const std::vector<send_order>& orders, bool cores = true) {
    SCOPED_TRACE(network.name());
    EXPECT_NO_THROW(network.state.rethrow_failure());
    EXPECT_EQ(network.faults(), 0u);
    const bool watched = network.state.observer() != nullptr;
    testbench::unit::arrival_map wanted;
    pin_log pins;
    hw::engine::network bare;
    testbench::unit::build_chips(bare, network.params(), orders, wanted);
    if (watched) bare.observe(&pins);
    bare.run(hw::engine::never);
    EXPECT_EQ(wanted.size(), orders.size());
    EXPECT_EQ(network.arrivals, wanted);
    EXPECT_EQ(pins.steps.empty(), !watched);
    EXPECT_TRUE(network.log.steps == pins.steps) << "pins differ";
    EXPECT_EQ(network.state.flit_hops(), bare.flit_hops());
    if (cores) {
        EXPECT_EQ(network.state.chip_steps(), bare.chip_steps());
    }
    EXPECT_EQ(network.state.last_flit(), bare.last_flit());
    EXPECT_EQ(network.state.error_count(), 0u);
    for (const sc_routers::outer_link& link : network.links()) {
        EXPECT_EQ(numbers(link.module->statistics(0, bare.now())), numbers(bare.statistics(link.wire.a)));
        EXPECT_EQ(numbers(link.module->statistics(1, bare.now())), numbers(bare.statistics(link.wire.b)));
    }
    for (const auto& violation : network.violations()) ADD_FAILURE() << violation.message;
    EXPECT_TRUE(network.at_rest());

    hw::fabric::router_fabric fabric(network.params());
    hw::fabric::terminals ends(fabric, 0, hw::engine::never);
    testbench::unit::listed_traffic traffic(fabric, ends, orders);
    fabric.run(hw::engine::never, traffic);
    EXPECT_EQ(traffic.arrivals, wanted);
}

}  // namespace polycast::tlm::modules
