// SPDX-License-Identifier: Apache-2.0
// Meshes and tori of routers with hosts and interfaces, composed from a plan: results of the bare engine, wherever the
// routers live.
#include <gtest/gtest.h>

#include "hw/system/mesh_plan.h"
#include "testbench/unit/tlm/network/compare.h"
#include "tlm/network/sc_network.h"

namespace polycast::tlm::network {
namespace {

using hw::fabric::fabric_params;
using hw::traffic::workload_params;

fabric_params mesh_of(unsigned radix, bool torus, unsigned vcs, bool cut_through) {
    fabric_params mesh;
    mesh.router.radix = radix;
    mesh.router.vcs = vcs;
    mesh.router.vc_flits = cut_through ? 16 : 4;
    mesh.tables.packet_limit = 16;
    mesh.tables.reserve = cut_through ? 16 : 1;
    mesh.tables.wrap = torus ? 3 : 0;
    mesh.tables.vc_sets = hw::fabric::dateline_sets(vcs, mesh.tables.wrap);
    return mesh;
}

workload_params unicasts(std::uint32_t hosts) {
    workload_params work;
    work.kind = hw::traffic::workload_kind::unicast;
    work.bytes = 128;
    work.hosts = hosts;
    work.gap = 800;
    work.end = 10000;
    return work;
}

workload_params multicasts(std::uint32_t hosts) {
    workload_params work;
    work.degree = hosts / 2;
    work.bytes = 200;
    work.hosts = hosts;
    return work;
}

TEST(sc_router_network, gives_the_results_of_the_bare_engine_bit_by_bit_wherever_the_routers_live) {
    sc_session session;
    std::vector<std::unique_ptr<compared_run>> runs;
    bool checkers = false;  // every form with and without
    const auto add = [&](const std::string& name, const fabric_params& mesh, const workload_params& work) {
        hw::system::system_params params;
        params.host.send_overhead = params.host.receive_overhead = 20;
        params.firmware_times = hw::system::paper_costs(20, 20);
        const hw::system::system_plan plan = hw::system::make_plan(mesh, params);
        hw::system::multicast_choice choice;
        choice.scheme.how = hw::collectives::scheme_of("unicasts");
        const std::vector<std::pair<std::string, sc_network_params>> forms{
            {"engine", {}},
            {"modules", {all_modules(plan.switch_count()), {1, sc_core::SC_NS}, checkers}},
            {"mixed", {every_third(plan.switch_count()), {5, sc_core::SC_NS}, !checkers}},
        };
        for (const auto& [form, places] : forms)
            runs.push_back(std::make_unique<compared_run>(session, name + " " + form, plan, work, places, 1, choice));
        checkers = !checkers;
    };
    for (const bool cut_through : {false, true}) {
        const std::string how = cut_through ? ", cut-through" : ", wormhole";
        add("mesh" + how, mesh_of(3, false, 4, cut_through), unicasts(9));
        add("torus" + how, mesh_of(4, true, 4, cut_through), unicasts(16));
        add("mesh, multicasts" + how, mesh_of(3, false, 2, cut_through), multicasts(9));
        add("mesh, one VC" + how, mesh_of(3, false, 1, cut_through), unicasts(9));
    }
    fabric_params slow = mesh_of(3, false, 4, true);
    slow.router.header_free = true;
    slow.router.xbar_stages = 1;
    slow.tables.route_delay = 3;
    slow.link_delay = 4;
    add("mesh, slow, free headers", slow, unicasts(9));

    const std::vector<hw::system::run_outcome> outcomes = session.run({});
    ASSERT_EQ(outcomes.size(), runs.size());
    std::uint64_t delivered = 0;
    for (const auto& run : runs) {
        EXPECT_EQ(outcomes[run->index()].ended, hw::system::run_outcome::kind::complete);
        EXPECT_TRUE(run->board().counts().exactly_once());
        delivered += run->compare(outcomes[run->index()], {});
    }
    EXPECT_GT(delivered, 2000u);
}

}  // namespace
}  // namespace polycast::tlm::network
