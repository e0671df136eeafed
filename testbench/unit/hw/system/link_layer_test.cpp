// SPDX-License-Identifier: Apache-2.0
// Networks whose cables have a link layer: the same deliveries, later by what the page of the link end says; and a
// network that waits for a link is not stuck.
#include "hw/system/link_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/link/cable.h"
#include "hw/input_error.h"
#include "hw/system/mesh_plan.h"
#include "testbench/unit/hw/system/scheme_run.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::system {
namespace {

using testing::HasSubstr;

std::shared_ptr<const link_layers> layers_of(chips::link_layer layer) {
    chips::link_config registers;
    registers.layer = layer;
    return std::make_shared<const link_layers>(link_layers{registers, {}});
}

std::shared_ptr<const link_layers> layers_of(const chips::link_config& registers) {
    return std::make_shared<const link_layers>(link_layers{registers, {}});
}

/// A chain of `count` 4-port switches with one host at each end.
topology::graph chain(unsigned count) {
    topology::graph graph;
    for (unsigned index = 0; index < count; ++index) graph.add_switch("switch" + std::to_string(index), 4);
    for (unsigned index = 0; index + 1 < count; ++index) graph.connect(index, 1, index + 1, 0);
    graph.attach_host("first", 0, 2);
    graph.attach_host("last", count - 1, 3);
    return graph;
}

/// With credits that leave the last unit free.
system_plan layered(const topology::graph& graph, system_params params, std::shared_ptr<const link_layers> layer) {
    params.link_layer = std::move(layer);
    system_plan plan = make_plan(graph, params);
    reserve_places(plan);
    return plan;
}

traffic::workload_params unicast_of(std::uint32_t bytes) {
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.source = 0;
    work.bytes = bytes;
    return work;
}

TEST(link_layer, every_cable_adds_a_frame_its_trailer_and_two_cycles) {
    system_params params;
    params.header_free = true;
    for (const unsigned delay : {1u, 7u}) {
        params.link_delay = delay;
        for (unsigned switches = 1; switches <= 4; ++switches) {
            const topology::graph graph = chain(switches);
            const scheme_result bare = run_scheme(graph, params, unicast_of(100), {});
            ASSERT_EQ(bare.problem(), "");
            for (const chips::link_layer layer : {chips::link_layer::check, chips::link_layer::retry}) {
                const scheme_result got = run_scheme(layered(graph, params, layers_of(layer)), unicast_of(100), {});
                ASSERT_EQ(got.problem(), "");
                // One frame of 100 flits, T = 8 flits of trailer: hw/chips/link/link.md.
                EXPECT_EQ(got.latency(), bare.latency() + (switches + 1) * (100 + 8 + 2)) << switches << ' ' << delay;
            }
        }
    }
}

TEST(link_layer, plans_number_cables_behind_chips_and_keep_a_unit_free) {
    const topology::graph graph = chain(3);
    const system_plan bare = make_plan(graph, {});
    const system_plan plan = layered(graph, {}, layers_of(chips::link_layer::retry));
    ASSERT_EQ(plan.layered.size(), plan.cables.size());
    EXPECT_EQ(bare.chip_count(), bare.chips.size());
    EXPECT_EQ(plan.chip_count(), plan.chips.size() + 4);
    const auto first = static_cast<engine::chip_id>(plan.chips.size());
    EXPECT_TRUE(plan.is_cable(first));
    EXPECT_FALSE(plan.is_cable(first - 1));
    EXPECT_FALSE(plan.is_host(first));
    EXPECT_FALSE(plan.forwards(first));
    EXPECT_EQ(plan.name_of(first), "switch0:1");
    EXPECT_EQ(plan.port_text({first, 1}), "switch0:1 end 1");
    for (const planned_cable& cable : plan.cables) {
        EXPECT_EQ(plan.credits(cable.a).front() + 1, bare.credits(cable.a).front());
        EXPECT_EQ(plan.credits(cable.b).front() + 1, bare.credits(cable.b).front());
        const chips::link_config config = config_of(plan, cable);
        EXPECT_EQ(config.far.credits[0], plan.credits(cable.a).front());
        EXPECT_EQ(config.own.unit_flits, 8u);
    }
    system_params narrow;
    narrow.buffer_flits = narrow.chunk_flits = 640;
    EXPECT_THAT(testbench::unit::refusal([&] { layered(graph, narrow, layers_of(chips::link_layer::retry)); }),
                HasSubstr("one unit of every buffer"));
}

TEST(link_layer, some_cables_have_it_and_others_not) {
    const topology::graph graph = chain(2);
    system_params params;
    params.header_free = true;
    const scheme_result bare = run_scheme(graph, params, unicast_of(100), {});
    chips::link_config registers;
    const auto one = std::make_shared<const link_layers>(link_layers{{}, {{"switch0:1", registers}}});
    const auto two = std::make_shared<const link_layers>(link_layers{registers, {{"switch0:1", std::nullopt}}});
    EXPECT_EQ(run_scheme(layered(graph, params, one), unicast_of(100), {}).latency(), bare.latency() + 110);
    EXPECT_EQ(run_scheme(layered(graph, params, two), unicast_of(100), {}).latency(), bare.latency() + 220);
}

TEST(link_layer, meshes_deliver_the_same_and_count_it) {
    fabric::fabric_params mesh;
    mesh.router.radix = 4;
    mesh.router.vc_flits = 17;
    mesh.tables.packet_limit = mesh.tables.reserve = 16;
    mesh.tables.vc_sets = fabric::dateline_sets(mesh.router.vcs, 0);
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.pattern.name = "uniform";
    work.bytes = 1000;
    work.gap = 2000;
    work.end = 30000;
    const scheme_result bare = run_scheme(make_plan(mesh, system_params{}), work, {});
    ASSERT_EQ(bare.problem(), "");
    for (const chips::link_layer layer : {chips::link_layer::check, chips::link_layer::retry}) {
        system_params params;
        params.link_layer = layers_of(layer);
        system_plan plan = make_plan(mesh, params);
        reserve_places(plan);
        run_details details;
        std::uint64_t flits = 0, frames = 0, acknowledged = 0;
        details.inspect = [&](const system_network& network) {
            for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
                const chips::cable_report report = report_of(network.network(), id);
                for (const chips::cable_report::end& end : report.ends) {
                    EXPECT_EQ(end.tx, chips::link_tx_state::advance);
                    EXPECT_EQ(end.rx, chips::link_rx_state::send_acks);
                    EXPECT_EQ(end.counts.llr_rx_bad + end.counts.frames_resent + end.counts.credit_error, 0u);
                    frames += end.counts.llr_rx_ok;
                    acknowledged += end.counts.llr_rx_ack_ctl_os + end.counts.cbfc_num_cf_update_messages_rx;
                    std::uint64_t cycles = 0;
                    for (const std::uint64_t each : end.counts.tx_cycles) cycles += each;
                    EXPECT_EQ(cycles, network.network().now());
                }
                for (const unsigned port : {0u, 1u}) flits += network.network().statistics({id, port}).flits;
            }
        };
        const scheme_result got = run_scheme(plan, work, {}, details);
        EXPECT_EQ(got.problem(), "");
        EXPECT_EQ(got.counts.delivered, bare.counts.delivered);
        EXPECT_GE(frames * 8, flits);
        EXPECT_GT(acknowledged, 0u);
    }
}

/// No signal in a stretch of time.
class dead_wire final : public chips::wire_faults {
public:
    dead_wire(engine::cycle from, engine::cycle until) : from_(from), until_(until) {}
    void apply(engine::cycle now, chips::link_symbol& symbol, bool& signal) override {
        if (now < from_ || now >= until_) {
            signal = true;
            return;
        }
        signal = false;
        symbol = {};
    }
    engine::cycle next(engine::cycle now) const override {
        return now < from_ ? from_ : now < until_ ? until_ : engine::never;
    }

private:
    engine::cycle from_, until_;
};

/// One message over two switches, the wire between them dead in a stretch of time, both ways.
run_outcome over_a_dead_wire(const chips::link_config& registers, engine::cycle from, engine::cycle until,
                             const run_limits& limits) {
    system_params params;
    params.header_free = true;
    const system_plan plan = layered(chain(2), params, layers_of(registers));
    traffic::workload_params work = unicast_of(100);
    work.hosts = 2;
    traffic::workload workload(work);
    traffic::scoreboard board(1, {}, params.host.interface.payload_bytes);
    // Cables with wires at which faults can be attached.
    const chip_factory chips = [](const system_plan& of, engine::chip_id id) {
        if (!of.is_cable(id)) return make_core(of, id);
        return make_cable(of, id,
                          [](const chips::link_config& config) { return std::make_unique<chips::cable_core>(config); });
    };
    system_network network(plan, chips, workload_hosts(native(), workload, board, 1), board);
    dead_wire there(from, until), back(from, until);
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        if (plan.name_of(id) != "switch0:1") continue;
        auto& cable =
            dynamic_cast<chips::cable_core&>(const_cast<engine::chip&>(std::as_const(network).network().at(id)));
        cable.wire(0).attach(&back);
        cable.wire(1).attach(&there);
    }
    return network.run(limits);
}

TEST(link_layer, a_network_that_waits_for_a_link_is_not_stuck) {
    chips::link_config patient;
    patient.signal_timeout = 0;
    patient.replay_count = 255;
    run_limits limits;
    limits.patience = 2000;
    limits.slice = 512;
    const run_outcome got = over_a_dead_wire(patient, 1100, 400'000, limits);
    EXPECT_EQ(got.ended, run_outcome::kind::complete) << got.diagnosis;
    EXPECT_GT(got.cycles, 400'000u);
}

TEST(link_layer, what_a_dead_link_dropped_is_missing_and_the_run_ends) {
    chips::link_config registers;
    registers.replay_count = 1;
    run_limits limits;
    limits.patience = 2000;
    limits.slice = 512;
    const run_outcome got = over_a_dead_wire(registers, 1100, 400'000, limits);
    EXPECT_EQ(got.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.diagnosis, HasSubstr("packet 0 of message 0 of host 0"));
    EXPECT_THAT(got.diagnosis,
                HasSubstr("; the link from switch0:1 is down (signal); the link from switch1:0 is down"));
}

TEST(link_layer, a_link_that_waits_for_its_register_is_stuck_and_named) {
    chips::link_config registers;
    registers.replay_count = 1;
    registers.reinit = false;
    registers.flush_action = chips::link_action::block;
    run_limits limits;
    limits.patience = 2000;
    limits.slice = 512;
    const run_outcome got = over_a_dead_wire(registers, 1100, 400'000, limits);
    EXPECT_EQ(got.ended, run_outcome::kind::stuck);
    EXPECT_LT(got.cycles, 100'000u) << "nobody waits for the wire";
    EXPECT_THAT(got.diagnosis, HasSubstr("the link from switch0:1 is down (signal) until its register "
                                         "'leave_flush' is written"));
}

std::shared_ptr<const link_layers> faults_of(const std::string& link, double rate) {
    faults::random_flip_rule rule;
    rule.rate = rate;
    return std::make_shared<const link_layers>(link_layers{{}, {}, {1, {{link, rule}}, {}}});
}

TEST(link_layer, plain_cables_with_faults_are_chips_and_take_no_cycle) {
    for (const unsigned delay : {1u, 2u, 7u}) {
        system_params params;
        params.header_free = true;
        params.link_delay = delay;
        const scheme_result bare = run_scheme(chain(3), params, unicast_of(300), {});
        ASSERT_EQ(bare.problem(), "");
        for (const char* link : {named_faults::all_links, "switch0:1", "last"}) {
            params.link_layer = faults_of(link, 0);
            const system_plan plan = make_plan(chain(3), params);
            EXPECT_EQ(plan.layered.size(), link == std::string(named_faults::all_links) ? 4u : 1u);
            EXPECT_EQ(plan.credits(plan.cables.front().a), make_plan(chain(3), {}).credits(plan.cables.front().a));
            const scheme_result got = run_scheme(plan, unicast_of(300), {});
            EXPECT_EQ(got.problem(), "");
            EXPECT_EQ(got.latency(), bare.latency()) << delay << ' ' << link;
        }
    }
}

TEST(link_layer, a_mesh_of_plain_cables_does_the_same_until_they_are_hit) {
    fabric::fabric_params mesh;
    mesh.router.radix = 4;
    mesh.router.vc_flits = 17;
    mesh.tables.packet_limit = mesh.tables.reserve = 16;
    mesh.tables.vc_sets = fabric::dateline_sets(mesh.router.vcs, 0);
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.pattern.name = "uniform";
    work.bytes = 1000;
    work.gap = 2000;
    work.end = 30000;
    const scheme_result bare = run_scheme(make_plan(mesh, system_params{}), work, {});
    system_params params;
    params.link_layer = faults_of(named_faults::all_links, 0);
    const scheme_result same = run_scheme(make_plan(mesh, params), work, {});
    EXPECT_EQ(same.problem(), "");
    EXPECT_EQ(same.counts, bare.counts);
    EXPECT_EQ(same.outcome.cycles, bare.outcome.cycles);
    faults::fault_event lost;
    lost.what = faults::fault_kind::lose;
    named_faults losses;
    for (lost.at = 4000; lost.at < 4100; ++lost.at) losses.events.emplace_back(named_faults::all_links, lost);
    params.link_layer = std::make_shared<const link_layers>(link_layers{{}, {}, losses});
    const scheme_result hit = run_scheme(make_plan(mesh, params), work, {});
    EXPECT_NE(hit.problem(), "");
}

TEST(link_layer, a_deadlock_is_found_behind_link_ends_as_well) {
    fabric::fabric_params mesh;
    mesh.router.radix = 5;
    mesh.router.vcs = 1;
    mesh.router.vc_flits = 17;
    mesh.tables.packet_limit = mesh.tables.reserve = 16;
    mesh.tables.wrap = 3;
    mesh.tables.vc_sets.fill({1, 1});
    system_params params;
    params.link_layer = layers_of(chips::link_layer::retry);
    params.host.send_overhead = params.host.receive_overhead = 1;
    params.host.interface.bus_cycles_per_byte = {1, 100};
    params.firmware_times = paper_costs(1, 1);
    system_plan plan = make_plan(mesh, params);
    reserve_places(plan);
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.pattern.name = "uniform";
    work.bytes = 1024;
    work.gap = 60;
    work.end = 20000;
    const scheme_result got = run_scheme(plan, work, {});
    ASSERT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.outcome.diagnosis, HasSubstr("wait cycle: input router"));
}

}  // namespace
}  // namespace polycast::hw::system
