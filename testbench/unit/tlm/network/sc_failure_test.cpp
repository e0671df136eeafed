// SPDX-License-Identifier: Apache-2.0
// A switch that breaks the link protocol in the middle of a network is found by the checkers, and ends the session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/switch/switch_core.h"
#include "hw/input_error.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/tlm/network/compare.h"

namespace polycast::tlm::network {
namespace {

TEST(sc_session, a_switch_that_believes_in_credits_it_does_not_have_is_caught) {
    hw::topology::irregular_params shape;
    shape.seed = 2;
    hw::system::system_params params;
    params.buffer_flits = 240;
    params.host.send_overhead = params.host.receive_overhead = 10;
    params.firmware_times = hw::system::paper_costs(10, 10);
    params.host.interface.bus_cycles_per_byte = 0;
    const hw::system::system_plan plan = hw::system::make_plan(hw::topology::make_irregular(shape), params);
    hw::traffic::workload_params work;
    work.gap = 500;
    work.degree = 10;
    hw::traffic::workload workload(work);
    hw::traffic::scoreboard board(1, {}, work.payload_bytes);
    const hw::system::host_factory hosts = hw::system::workload_hosts(hw::system::native(), workload, board, 1);
    const auto spendthrift = [](const hw::system::system_plan& of, std::uint32_t index) {
        hw::chips::switch_tables tables = of.switch_at(index).tables;
        if (index == 3) {
            for (unsigned& credits : tables.credits) credits *= 2;
        }
        return std::make_unique<hw::chips::switch_core>(of.switch_at(index).params, std::move(tables));
    };
    sc_session session;
    EXPECT_THROW(
        session.add("too few", plan, {{placement::module}, {1, sc_core::SC_NS}, true}, spendthrift, hosts, board),
        hw::input_error);
    const sc_network_params places{all_modules(plan.switch_count()), {1, sc_core::SC_NS}, true};
    session.add("any name: 1/2 \"x\"", plan, places, spendthrift, hosts, board);
    hw::system::run_limits limits;
    limits.cycles = 1000000;
    try {
        session.run(limits);
        FAIL() << "not caught";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("begins a chunk without a credit"));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("checker"));
    }
}

}  // namespace
}  // namespace polycast::tlm::network
