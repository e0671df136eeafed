// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/fabric_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hw/collectives/network_coding.h"
#include "hw/fabric/open_loop.h"
#include "hw/fabric/router_fabric.h"
#include "hw/fabric/terminals.h"
#include "testbench/unit/refusal.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/sim/results/results.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/messages/fabric_watch.h"
#include "tlm/workloads/messages/ideal_unicasts_run.h"

namespace polycast::tlm::sim {
namespace {

using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string top = "network: {topology: {kind: mesh, radix: 4}}\nhost: {model: ideal}\n";
const std::string rings = "network: {topology: {kind: torus, radix: 8}}\nhost: {model: ideal}\n";

struct run {
    explicit run(const std::string& text)
        : scenario(scenario::load_text(text, "a.yaml")), instances(make_instances(scenario)) {
        for (std::size_t w = 0; w < scenario.values.workloads.size(); ++w)
            points.push_back({&instances[0], w,
                              workload_kind_of(scenario, w).run(scenario, instances[0], w, {}, [] { return false; })});
    }
    const run_result& point(std::size_t w = 0) const { return points[w].result; }

    scenario::loaded scenario;
    std::vector<instance> instances;
    std::vector<finished_run> points;
};

/// On a k-ary n-mesh the mean distance of different nodes is n (k^2 - 1) / 3k times N / (N - 1).
TEST(fabric_point, packets_alone_take_as_long_as_the_formula_says) {
    const run one(top + "workload: [{name: u, kind: unicast, rate: 0.02}]\nmeasurement: {warmup: 0, window: 1000}\n");
    EXPECT_EQ(one.instances[0].name, "mesh-4x4");
    EXPECT_TRUE(one.point().passed()) << one.point().diagnosis;
    const zero_load_result& zero = one.point().fabric->zero_load.value();
    EXPECT_EQ(zero.packets, 240u);
    EXPECT_EQ(zero.different, 0u);
    EXPECT_TRUE(zero.exact);
    EXPECT_DOUBLE_EQ(zero.measured, 5 + 3 * (2 * 15.0 / 12 * 16 / 15));
    EXPECT_DOUBLE_EQ(zero.measured, zero.formula);
}

/// More hosts than interfaces may have; their check of the routes looks at lines of the grid.
TEST(fabric_point, grids_of_ideal_hosts_may_be_large) {
    const run one(
        "network: {topology: {kind: torus, radix: 160}}\nhost: {model: ideal}\n"
        "workload: [{name: u, kind: unicast, rate: 0.001}]\nmeasurement: {warmup: 0, window: 100, saturated: drain}\n");
    EXPECT_EQ(one.instances[0].size().hosts, 25600u);
    EXPECT_EQ(one.instances[0].size().links, 51200u);
    EXPECT_TRUE(one.point().passed()) << one.point().diagnosis;
    EXPECT_EQ(one.point().fabric->zero_load->packets, 4096u);
    EXPECT_EQ(one.point().fabric->zero_load->different, 0u);
    std::uint64_t flits = 0;
    for (const link_load& link : one.point().links) flits += link.flits;
    EXPECT_EQ(flits, one.point().fabric->flit_hops + 2 * one.point().counts.delivered);
    EXPECT_EQ(one.instances[0].plan.port_text(one.point().links.front().from), "router0:0");
    EXPECT_EQ(one.instances[0].plan.port_text(one.point().links.back().to), "host25599");
}

TEST(fabric_point, births_are_counted_in_the_stretch_they_belong_to) {
    stretches found(7, 1007, 30);
    std::vector<std::uint64_t> counts(30), sums(30);
    hw::traffic::random_stream random(1, 1);
    for (unsigned turn = 0; turn < 20000; ++turn) {
        const cycle birth = random() % 1020;
        found.add(birth, turn);
        if (birth < 7 || birth >= 1007) continue;
        ++counts[(birth - 7) * 30 / 1000];
        sums[(birth - 7) * 30 / 1000] += turn;
    }
    for (std::size_t place = 0; place < 30; ++place) {
        EXPECT_EQ(found.count(place), counts[place]);
        EXPECT_EQ(found.mean(place), static_cast<double>(sums[place]) / static_cast<double>(counts[place]));
    }
}

TEST(fabric_point, the_formula_holds_for_all_delays_and_lengths) {
    const run one(
        "network: {topology: {kind: torus, radix: 5}, link: {delay: 3}}\nhost: {model: ideal}\n"
        "router: {route_delay: 2, crossbar_delay: 4, vc_policy: keep, allocator: islip, iterations: 2}\n"
        "workload: [{name: u, kind: unicast, flits: 3, most_flits: 20, pattern: tornado}, {name: v, kind: unicast}]\n");
    for (const finished_run& point : one.points) {
        EXPECT_TRUE(point.result.passed()) << point.result.diagnosis;
        EXPECT_EQ(point.result.fabric->zero_load->different, 0u);
        EXPECT_GT(point.result.fabric->zero_load->packets, 0u);
    }
    EXPECT_EQ(lone_latency(fabric_params_of(one.scenario, needs_of(one.scenario, 0)), 2, 7), 1u + 3 + 3 * 9 + 6);
}

TEST(fabric_point, equals_the_fabric_itself) {
    const run one(top +
                  "seed: 9\nworkload: [{name: u, kind: unicast, pattern: hotspot, hotspot: {hosts: [5, host6]}, rate: "
                  "0.2, flits: 1, most_flits: 4}]\nmeasurement: {warmup: 100, window: 2000}\n");
    namespace fabric = hw::fabric;
    const fabric::fabric_params params = fabric_params_of(one.scenario, needs_of(one.scenario, 0));
    EXPECT_EQ(params.tables.reserve, 4u);
    fabric::router_fabric network(params);
    fabric::terminals ends(network, 100, 2100);
    fabric::open_loop_params load;
    load.load = 0.2;
    load.flits_max = 4;
    load.seed = hw::traffic::random_stream(9, 0)();
    load.until = 2100;
    fabric::open_loop traffic(ends, 16, fabric::pattern_on(params.router, {"hotspot", {5, 6}, {{"fraction", 0.2}}}),
                              load);
    network.run(hw::engine::never, traffic);
    const fabric_result& found = *one.point().fabric;
    EXPECT_EQ(found.latency.count, ends.statistics().latency.count());
    EXPECT_EQ(found.latency.mean, ends.statistics().latency.mean());
    EXPECT_EQ(found.latency.p99, ends.statistics().latency.percentile(99));
    EXPECT_EQ(found.flit_hops, network.flit_hops());
    EXPECT_EQ(found.generated, static_cast<double>(ends.statistics().born) / 32000);
    EXPECT_EQ(found.accepted, static_cast<double>(ends.statistics().accepted) / 32000);
    EXPECT_EQ(one.point().counts.delivered, ends.statistics().packets);
    std::uint64_t finished = 0;
    for (const load_batch& batch : found.load->batches) finished += batch.finished;
    EXPECT_EQ(finished, found.latency.count);
}

TEST(fabric_point, curves_say_where_they_saturate) {
    const run one(top +
                  "workload:\n  - {name: t, kind: unicast, pattern: transpose, rate: [0.8, 0.05, 0.1]}\n"
                  "  - {name: u, kind: unicast, rate: 0.1}\nmeasurement: {warmup: 500, window: 3000}\n");
    const nlohmann::ordered_json curves = results_json(one.scenario, one.points)["curves"];
    ASSERT_EQ(curves.size(), 1u) << "one rate is no curve";
    EXPECT_EQ(curves[0]["name"], "t");
    EXPECT_EQ(curves[0]["points"][0]["rate"], 0.05);
    EXPECT_EQ(curves[0]["saturation"]["steady"], 0.1);
    EXPECT_EQ(curves[0]["saturation"]["beyond"], 0.8);
    EXPECT_FALSE(one.point(0).fabric->load->kept_up);
    EXPECT_TRUE(one.point(0).passed()) << "what was born is delivered in the end";
    EXPECT_TRUE(one.point(1).fabric->load->kept_up);
    EXPECT_TRUE(one.point(1).fabric->latency.ci95.has_value());
}

TEST(fabric_point, a_drain_that_takes_too_long_is_a_failure) {
    const run one(top +
                  "workload: [{name: t, kind: unicast, pattern: transpose, rate: 1}]\nmeasurement: {warmup: 0, window: "
                  "3000, drain_limit: 10, saturated: drain}\n");
    EXPECT_FALSE(one.point().passed());
    EXPECT_GT(one.point().counts.missing, 0u);
    EXPECT_THAT(one.point().diagnosis, HasSubstr("not all was delivered within the drain limit of 10 cycles"));
    const load_results& load = one.point().fabric->load.value();
    EXPECT_GT(load.created, one.point().fabric->latency.count) << "those that did not arrive count, too";
}

TEST(fabric_point, everybody_to_everybody) {
    const run one(
        top + "workload: [{name: a, kind: unicast, pattern: each_to_each}, {name: m, kind: unicast, messages: 7}]\n");
    EXPECT_TRUE(one.point(0).passed());
    EXPECT_EQ(one.point(0).counts.delivered, 240u);
    EXPECT_EQ(one.point(1).counts.delivered, 16u * 7);
    EXPECT_FALSE(one.point(0).fabric->load.has_value());
}

/// From host 0, in a corner, to host 15: along the first dimension, then the second.
TEST(fabric_point, links_have_the_flits_that_went_over_them) {
    const std::string hot =
        "workload: [{name: h, kind: unicast, pattern: hotspot, messages: 2, flits: 3, hotspot: "
        "{hosts: [15], fraction: 1}}]\n";
    const run one(top + hot);
    const std::vector<link_load>& links = one.point().links;
    ASSERT_EQ(links.size(), 2u * 24 + 2 * 16);
    const auto into = [&](hw::engine::chip_id chip, unsigned port) {
        return std::ranges::find(links, hw::engine::port_id{chip, port}, &link_load::to);
    };
    EXPECT_EQ(into(16 + 15, 0)->flits, 15u * 2 * 3) << "all of them arrive there";
    EXPECT_EQ(into(16 + 15, 0)->packets, 15u * 2);
    EXPECT_EQ(into(0, 4)->flits, 2u * 3) << "what host 0 sends";
    EXPECT_EQ(into(1, 1)->flits, 2u * 3) << "goes on";
    EXPECT_EQ(into(15, 3)->flits, 12u * 2 * 3) << "three rows come through one column";
    EXPECT_EQ(into(15, 1)->flits, 3u * 2 * 3);
    EXPECT_EQ(into(4, 3)->flits, 0u) << "the second dimension comes last";
    const run uncounted(top + hot + "measurement: {links: false}\n");
    EXPECT_TRUE(uncounted.point().links.empty());
}

TEST(fabric_point, allgathers_send_what_their_plan_says) {
    const run one(top +
                  "workload:\n"
                  "  - {name: c, kind: allgather, algorithm: coded, group: 4}\n"
                  "  - {name: a, kind: allgather, algorithm: all_at_once}\n"
                  "  - {name: r, kind: allgather, algorithm: replication, flits: 2}\n"
                  "  - {name: f, kind: allgather, algorithm: uncoded, mode: free, sources: 5}\n");
    std::uint64_t hops = 0;
    ASSERT_TRUE(std::holds_alternative<allgather_part>(one.point(0).own));
    for (const allgather_part::step& step : std::get<allgather_part>(one.point(0).own).steps) hops += step.hops;
    hw::collectives::coding_options plan;
    plan.radix = 4;
    plan.group = 4;
    EXPECT_EQ(hops, hw::collectives::network_coding(plan).total().hops);
    EXPECT_GT(std::get<allgather_part>(one.point(0).own).xors, 0u);
    EXPECT_EQ(one.point(1).fabric->flit_hops, 640u) << "4-ary all-at-once";
    EXPECT_EQ(one.point(2).fabric->flit_hops, 2u * 16 * 15) << "every datum over one link to each node";
    for (std::size_t w = 0; w < 4; ++w) {
        EXPECT_TRUE(one.point(w).passed()) << w << ": " << one.point(w).diagnosis;
        EXPECT_EQ(one.point(w).counts.delivered, (w == 3 ? 5u : 16u) * 15);
    }
}

TEST(fabric_point, latencies_of_an_allgather_are_those_of_its_packets) {
    const run one(top + "workload: [{name: a, kind: allgather, algorithm: all_at_once}]\n");
    const summary& latency = one.point().fabric->latency;
    EXPECT_EQ(latency.count, 16u * 15);
    EXPECT_EQ(latency.min, 5u + 3) << "to a neighbour";
    EXPECT_EQ(latency.max, one.point().cycles) << "all are ready in cycle 0";
    EXPECT_LT(latency.min, latency.p50);
    EXPECT_LT(latency.p50, latency.p90);
    EXPECT_LE(latency.p90, latency.p99);
    EXPECT_LE(latency.p99, latency.max);
}

TEST(fabric_point, an_allgather_ends_at_the_limit_and_when_it_is_told_to) {
    const std::string text = top + "workload: [{name: c, kind: allgather, group: 4, mode: free}]\n";
    const run cut(text + "measurement: {drain_limit: 20}\n");
    EXPECT_EQ(cut.point().ended, hw::system::run_outcome::kind::limit);
    EXPECT_FALSE(cut.point().passed());
    EXPECT_GT(cut.point().counts.missing, 0u);
    const run whole(text);
    EXPECT_TRUE(whole.point().passed());
    const run_result stopped =
        workload_kind_of(whole.scenario, 0).run(whole.scenario, whole.instances[0], 0, {}, [] { return true; });
    EXPECT_TRUE(stopped.stopped());
}

TEST(fabric_point, hosts_compute_xors_where_they_are_told_to) {
    const std::string coded = top + "workload: [{name: c, kind: allgather, group: 4, coding: ";
    const run by_unit(coded + "unit}]\n");
    const run by_host(coded + "host}]\n");
    EXPECT_TRUE(by_host.point().passed());
    EXPECT_EQ(std::get<allgather_part>(by_unit.point().own).xors, std::get<allgather_part>(by_host.point().own).xors);
    EXPECT_LT(by_unit.point().cycles, by_host.point().cycles);
}

class router_refusals : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(router_refusals, name_the_place_and_a_way_out) {
    const auto& [text, message] = GetParam();
    EXPECT_EQ(refusal([&text] { make_instances(scenario::load_text(text, "a.yaml")); }), message);
}

const std::string unicast = "workload: [{name: u, kind: unicast}]\n";
const std::string gather = "workload: [{name: a, kind: allgather, ";

INSTANTIATE_TEST_SUITE_P(
    golden, router_refusals,
    testing::Values(
        std::tuple(rings + unicast + "router: {vcs: 1}\n",
                   "a.yaml:4:15: 1 class of packets on a torus need 2 virtual channels, not 1; take 2 or more"),
        std::tuple(rings + gather + "group: 4}]\nrouter: {vcs: 7}\n",
                   "a.yaml:4:15: 4 classes of packets on a torus need 8 virtual channels, not 7; take 8 or more"),
        std::tuple(rings + gather + "group: 4}]\nrouter: {vc_classes: 2}\n",
                   "a.yaml:4:22: packets have 4 classes, and 'router.vc_classes' is 2; take 4, or 'auto'"),
        std::tuple(top + unicast + "router: {vcs: 13}\n",
                   "a.yaml:4:15: routers of 5 ports with 13 virtual channels each have more than 64; take at most 12"),
        std::tuple(top + "workload: [{name: u, kind: unicast, flits: 9}]\nrouter: {buffer: 8}\n",
                   "a.yaml:4:18: 'router.buffer' of 8 flits does not take a packet of up to 9 flits, and with "
                   "'switching: cut_through' packets wait for room for all of it; take 9 flits, or 'switching: "
                   "wormhole'"),
        std::tuple(top + "workload: [{name: u, kind: unicast, flits: 9}]\nrouter: {packet_limit: 8}\n",
                   "a.yaml:4:24: 'router.packet_limit' of 8 flits is less than the longest packet, which has 9 flits; "
                   "take 9, or 'auto'"),
        std::tuple(top + "workload: [{name: u, kind: unicast, flits: 5000}]\n",
                   "a.yaml:3:44: packets of 5000 flits ask for buffers of as many flits, and routers have at most "
                   "4096; take shorter packets"),
        std::tuple(top + gather + "algorithm: replication, flits: 2}]\nrouter: {switching: wormhole}\n",
                   "a.yaml:4:21: copies of a packet of 2 flits can wait for each other with 'switching: wormhole'; "
                   "take 'switching: cut_through', or packets of one flit"),
        std::tuple("network: {topology: {kind: mesh}, link: {delay: 65}}\nhost: {model: ideal}\n" + unicast,
                   "a.yaml:1:49: with ideal hosts links take at most 64 cycles, not 65"),
        std::tuple("network: {topology: {kind: mesh, radix: 1024, dimensions: 4}}\nhost: {model: ideal}\n" + unicast,
                   "a.yaml:1:21: a network of 1024 routers along each of 4 dimensions has more than 1048576 hosts; "
                   "lower the radix"),
        std::tuple(top + "workload: [{name: u, kind: unicast, pattern: hotspot, hotspot: {hosts: [16]}}]\n",
                   "a.yaml:3:73: host 16 does not exist; hosts are 0..15"),
        std::tuple("network: {topology: {kind: mesh, radix: 4}, threads: 17}\nhost: {model: ideal}\n" + unicast,
                   "a.yaml:1:54: 'network.threads' of 17 is more than the network has routers; take at most 16"),
        std::tuple(top + gather + "group: 4, operands: 5000}]\n",
                   "a.yaml:3:59: allgather: operand stores of 5000 packets, and coding units have 4096 slots at most; "
                   "smaller groups, or stores of up to 4096 flits"),
        std::tuple(top + gather + "group: 4, operands: 3}]\n",
                   "a.yaml:3:59: allgather: operand stores of 3 flits, and a group's data take 4; longer stores or "
                   "smaller groups: operands whose partners have no room wait for ever"),
        std::tuple(top + gather + "sources: 17}]\n",
                   "a.yaml:3:48: 17 nodes with data are more than the 16 of the network; take 'all'")));

/// What the check of routes finds is said whole, with the circle.
TEST(router_refusal, names_the_circle) {
    EXPECT_THAT(
        refusal([] { make_instances(scenario::load_text(rings + unicast + "router: {dateline: false}\n", "a.yaml")); }),
        AllOf(HasSubstr("a.yaml:4:20: packets can wait for each other in a circle: router0:0 VC 0 "
                        "-> router1:0 VC 0 -> "),
              HasSubstr("; take 'dateline: true'")));
}

/// What allgathers refuse is said at their workload.
TEST(router_refusal, of_groups_that_do_not_divide_and_of_radices_without_trees) {
    const auto said = [](const std::string& text) {
        return refusal([&text] { make_instances(scenario::load_text(text, "a.yaml")); });
    };
    EXPECT_THAT(said(top + gather + "group: 6}]\n"), testing::StartsWith("a.yaml:3:12: "));
    EXPECT_THAT(
        said("network: {topology: {kind: mesh, radix: 6}}\nhost: {model: ideal}\n" + gather + "algorithm: tree}]\n"),
        testing::StartsWith("a.yaml:3:12: "));
    EXPECT_EQ(said("network: {topology: {kind: mesh, radix: 6}}\nhost: {model: ideal}\n" + gather +
                   "algorithm: all_at_once}]\n"),
              "accepted");
}

}  // namespace
}  // namespace polycast::tlm::sim
