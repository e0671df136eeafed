// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/sc_network.h"

#include <gtest/gtest.h>

#include "hw/topology/irregular.h"
#include "hw/topology/topology_file.h"
#include "testbench/unit/tlm/network/compare.h"

namespace polycast::tlm::network {
namespace {

using hw::collectives::scheme;
using hw::collectives::scheme_of;
using hw::traffic::workload_params;

workload_params single(std::uint64_t seed) {
    workload_params work;
    work.seed = seed;
    return work;
}

workload_params load(std::uint64_t seed) {
    workload_params work;
    work.degree = 5;
    work.gap = 2500;
    work.end = 10000;
    work.seed = seed;
    return work;
}

/// Light overheads, so that the network is what limits.
hw::system::system_params busy(unsigned flit_bytes, unsigned link_delay, bool header_free) {
    hw::system::system_params params;
    params.flit_bytes = flit_bytes;
    params.buffer_flits = 320;
    params.link_delay = link_delay;
    params.header_free = header_free;
    params.host.send_overhead = params.host.receive_overhead = 20;
    params.firmware_times = hw::system::paper_costs(20, 20);
    return params;
}

// SystemC elaborates once in a process: all networks of this file run together.
TEST(sc_network, gives_the_results_of_the_bare_engine_bit_by_bit_wherever_the_switches_live) {
    sc_session session;
    std::vector<std::unique_ptr<compared_run>> runs;
    bool checkers = false;  // every form with and without
    const auto add = [&](const std::string& name, const hw::topology::graph& graph,
                         const hw::system::system_params& params, workload_params work,
                         scheme how = scheme_of("tree")) {
        hw::system::multicast_choice choice;
        choice.scheme.how = how;
        work.hosts = static_cast<std::uint32_t>(graph.hosts.size());
        const hw::system::system_plan plan = hw::system::make_plan(graph, params);
        const std::size_t switches = graph.switches.size();
        runs.push_back(
            std::make_unique<compared_run>(session, name + " engine", plan, work, sc_network_params{}, 1, choice));
        runs.push_back(std::make_unique<compared_run>(
            session, name + " modules", plan, work,
            sc_network_params{all_modules(switches), {1, sc_core::SC_NS}, checkers}, 1, choice));
        runs.push_back(std::make_unique<compared_run>(
            session, name + " mixed", plan, work,
            sc_network_params{every_third(switches), {5, sc_core::SC_NS}, !checkers}, 1, choice));
        checkers = !checkers;
    };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        hw::topology::irregular_params shape;
        shape.seed = seed;
        const hw::topology::graph graph = hw::topology::make_irregular(shape);
        const std::string name = "topology " + std::to_string(seed);
        add(name + " tree", graph, {}, single(seed));
        add(name + " unicasts", graph, {}, single(seed), scheme_of("unicasts"));
        add(name + " path", graph, {}, single(seed), scheme_of("path"));
        add(name + " SSR", graph, {}, single(seed), scheme_of("ssr"));
        const auto variant = static_cast<unsigned>(seed);
        add(name + " interfaces", graph, {}, single(seed), scheme_of("ni"));
        add(name + " hybrid", graph, {}, single(seed), scheme_of("hybrid"));
        add(name + " load", graph, busy(1 + variant % 4, 1 + variant % 3, variant % 2 != 0), load(seed));
    }
    const hw::topology::graph printout =
        hw::topology::read_topology(std::string(POLYCAST_DATA_DIR) + "/irregular32.ibnetdiscover");
    add("ibnetdiscover tree", printout, {}, single(1));
    add("ibnetdiscover load", printout, busy(4, 2, false), load(1));

    const std::vector<hw::system::run_outcome> outcomes = session.run({});
    ASSERT_EQ(outcomes.size(), runs.size());
    std::uint64_t delivered = 0;
    for (const auto& run : runs) {
        EXPECT_EQ(outcomes[run->index()].ended, hw::system::run_outcome::kind::complete);
        EXPECT_TRUE(run->board().counts().exactly_once());
        delivered += run->compare(outcomes[run->index()], {});
    }
    EXPECT_GT(delivered, 15000u);
}

}  // namespace
}  // namespace polycast::tlm::network
