// SPDX-License-Identifier: Apache-2.0
// Runs on rails: what results hold, that they repeat, what is refused once the network is known.
#include "tlm/workloads/rails/rails_run.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"
#include "tlm/sim/results/results.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// Eight hosts with two processes on three rails.
std::string rails_text(const std::string& workloads, const std::string& measurement = "window: 60000, drain_limit: 0",
                       const std::string& rails = "count: 5") {
    return "network: {topology: {kind: fat_tree, nodes: 8}, fidelity: event}\nrails: {" + rails +
           "}\n"
           "router: {flit: 2 B, vcs: 2, buffer: 128 flit, switching: wormhole, route_delay: 6, select: least_loaded}\n"
           "packet: {payload: 320 B, header: free}\n"
           "host: {bus: 2 B/cycle, processes: 2, send_overhead: 0, receive_overhead: 0, ni_send: 100, ni_receive: "
           "100}\n"
           "ni: {arbitration: round_robin, receive_memory: 32, send_memory: 32}\n"
           "measurement: {" +
           measurement + "}\nworkload:\n" + workloads;
}

std::string workload_text(const std::string& keys) {
    return "  - {name: r, kind: rails, " + keys + "}\n";
}

network_factory native_factory() {
    network_factory factory;
    factory.make = [](const hw::system::system_plan& plan, const endpoints& ends) {
        const auto processors = hw::system::native_processors(hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY));
        return std::make_unique<hw::system::system_network>(plan, hw::system::make_core,
                                                            ends.hosts(processors, ends.activity), ends.goal);
    };
    return factory;
}

struct rails_run {
    explicit rails_run(const std::string& text, const std::vector<std::string>& overrides = {}, bool backwards = false)
        : scenario(scenario::load_text(text, "a.yaml", {}, overrides)), instances(make_instances(scenario)) {
        const network_factory factory = native_factory();
        points.resize(scenario.values.workloads.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            const std::size_t w = backwards ? points.size() - 1 - i : i;
            points[w] = {&instances[0], w,
                         workload_kind_of(scenario, w).run(scenario, instances[0], w, factory, [] { return false; })};
        }
    }
    const run_result& point(std::size_t w = 0) const { return points[w].result; }
    const rails_part& rails(std::size_t w = 0) const { return std::get<rails_part>(points[w].result.own); }

    scenario::loaded scenario;
    std::vector<instance> instances;
    std::vector<finished_run> points;
};

std::string rails_point_refusal(const std::string& text) {
    return testbench::unit::refusal([&] { make_instances(scenario::load_text(text, "a.yaml")); });
}

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(rails_point, a_light_load_is_all_accepted) {
    const rails_run one(
        rails_text(workload_text("policy: basic, message: 2 KiB, rate: 0.1"), "warmup: 20000, window: 100000"));
    const run_result& r = one.point();
    EXPECT_TRUE(r.passed()) << r.diagnosis;
    EXPECT_GT(r.counts.expected, 100u);
    EXPECT_EQ(r.counts.delivered, r.counts.expected);
    const rails_part& rails = one.rails();
    EXPECT_EQ(rails.open, 0u);
    EXPECT_EQ(rails.created, r.counts.expected);
    EXPECT_NEAR(rails.offered.mean, 0.1, 0.02);
    EXPECT_NEAR(rails.accepted.mean, rails.offered.mean, 0.005);
    EXPECT_TRUE(rails.accepted.ci95.has_value());
    EXPECT_FALSE(rails.saturated());
    EXPECT_GT(rails.latency.mean, 1024 + 100) << "2 KiB over a bus of 2 B per cycle, twice";
    EXPECT_LT(rails.latency.count, rails.delivered) << "the warm-up does not count";
    EXPECT_EQ(rails.load->warmup, 20000u);
    EXPECT_EQ(rails.drivers.messages, rails.created);
    EXPECT_GE(r.cycles, 120'001u);
    EXPECT_THAT(rails.series.accepted, SizeIs(500));
    EXPECT_EQ(rails.series.interval, 240u);
    EXPECT_EQ(sum(rails.series.offered), rails.delivered_bytes);
}

TEST(rails_point, half_a_bus_is_the_most_that_it_accepts) {
    const rails_run one(rails_text(workload_text("policy: basic, message: 4 KiB, rate: 0.9"),
                                   "warmup: detect, window: 100000, drain_limit: 0"));
    EXPECT_TRUE(one.point().passed()) << one.point().diagnosis;
    const rails_part& rails = one.rails();
    EXPECT_TRUE(rails.saturated());
    EXPECT_GT(rails.open, 0u);
    EXPECT_EQ(rails.open, rails.created - rails.delivered);
    EXPECT_EQ(one.point().counts.missing, 0u);
    EXPECT_EQ(one.point().counts.expected, rails.delivered);
    EXPECT_LT(rails.accepted.mean, 0.5);
    EXPECT_GT(rails.accepted.mean, 0.2);
    ASSERT_TRUE(rails.load->warmup_detected.has_value());
    EXPECT_EQ(rails.load->warmup, *rails.load->warmup_detected);
    EXPECT_LE(rails.load->warmup, 50'000u);
}

TEST(rails_point, says_that_a_run_is_too_short_for_its_warm_up) {
    // Messages longer than the run: nothing is steady.
    const rails_run one(rails_text(workload_text("policy: basic, message: 256 KiB, lengths: fixed, rate: 0.9"),
                                   "warmup: detect, window: 300000, drain_limit: 0"));
    const rails_part& rails = one.rails();
    ASSERT_FALSE(rails.load->warmup_detected.has_value());
    EXPECT_EQ(rails.load->warmup, 150'000u);
    EXPECT_THAT(rails.load->warnings, testing::Contains(HasSubstr("the run is too short to tell, and half of it")));
    ordered_json j;
    workload_kind_of(one.scenario, 0).add(j, one.scenario, one.points[0]);
    EXPECT_EQ(j["rails"]["warmup"], (ordered_json{{"cut", 150'000}, {"detected", true}, {"steady", false}}));
}

TEST(rails_point, every_policy_delivers_everything_at_once) {
    for (const std::string policy : {"static", "basic", "local_dynamic", "dynamic"})
        for (const std::string striping : {"false", "true"}) {
            SCOPED_TRACE(policy + striping);
            const rails_run one(rails_text(
                workload_text("pattern: each_to_each, message: 3 KiB, policy: " + policy + ", striping: " + striping)));
            EXPECT_TRUE(one.point().passed()) << one.point().diagnosis;
            EXPECT_EQ(one.point().counts.expected, 8u * 2 * 14);
            EXPECT_FALSE(one.rails().load.has_value());
            EXPECT_GT(one.rails().accepted.mean, 0.1);
            const std::uint64_t stripes = one.rails().drivers.stripes;
            EXPECT_EQ(striping == "true", stripes > 8u * 2 * 14) << stripes;
        }
}

TEST(rails_point, everybody_to_one) {
    const rails_run one(
        rails_text(workload_text("pattern: hotspot, hotspot: {hosts: [host3], fraction: 1}, policy: "
                                 "dynamic, message: 2 KiB, messages: 5")));
    EXPECT_TRUE(one.point().passed()) << one.point().diagnosis;
    EXPECT_EQ(one.rails().created, 80u);
    EXPECT_GT(one.rails().drivers.refused, 0u);
}

TEST(rails_point, flit_by_flit_with_the_same_keys) {
    const std::string text =
        rails_text(workload_text("policy: basic, message: 2 KiB, rate: 0.1"), "warmup: 10000, window: 40000");
    const rails_run events(text);
    const rails_run flits(text, {"network.fidelity=core"});
    EXPECT_TRUE(flits.point().passed()) << flits.point().diagnosis;
    EXPECT_EQ(events.rails().created, flits.rails().created);
    EXPECT_NEAR(events.rails().latency.mean / flits.rails().latency.mean, 1, 0.1);
    ordered_json j;
    workload_kind_of(flits.scenario, 0).add(j, flits.scenario, flits.points[0]);
    EXPECT_EQ(j["fidelity"], "core");
    workload_kind_of(events.scenario, 0).add(j, events.scenario, events.points[0]);
    EXPECT_EQ(j["fidelity"], "event");
}

TEST(rails_point, results_are_the_same_again_and_in_any_order) {
    const std::string text =
        rails_text(workload_text("policy: dynamic, message: 2 KiB, rate: [0.1, 0.6]") +
                   "  - {name: s, kind: rails, policy: static, striping: true, rate: [0.3, 0.2]}\n");
    const rails_run one(text);
    const rails_run other(text, {}, true);
    EXPECT_EQ(results_json(one.scenario, one.points).dump(), results_json(other.scenario, other.points).dump());
    const rails_run seeded(text, {"seed=2"});
    EXPECT_NE(results_json(one.scenario, one.points)["points"][0]["rails"].dump(),
              results_json(seeded.scenario, seeded.points)["points"][0]["rails"].dump());
}

TEST(rails_point, curves_and_tables) {
    const rails_run one(rails_text(workload_text("policy: basic, message: 2 KiB, rate: [0.8, 0.1]") +
                                   "  - {name: s, kind: rails, policy: static, rate: 0.1}\n"));
    const ordered_json results = results_json(one.scenario, one.points);
    ASSERT_THAT(results["curves"], SizeIs(1));
    const ordered_json& curve = results["curves"][0];
    EXPECT_EQ(curve["name"], "r");
    EXPECT_EQ(curve["policy"], "basic");
    EXPECT_EQ(curve["points"][0]["rate"], 0.1);
    EXPECT_EQ(curve["saturation"]["steady"], 0.1);
    EXPECT_EQ(curve["saturation"]["beyond"], 0.8);
    EXPECT_EQ(curve["saturation"]["accepted"], one.rails(0).accepted.mean);
    const ordered_json& point = results["points"][0];
    EXPECT_EQ(point["workload"]["policy"], "basic");
    EXPECT_EQ(point["throughput"]["unit"], "flit/host/cycle/rail");
    EXPECT_LE(point["interfaces"]["bus_utilisation"], 1);
    EXPECT_GT(point["interfaces"]["bus_utilisation"], 0.4);
    EXPECT_EQ(point["load"]["kept_up"], false);
    EXPECT_EQ(point["rails"]["messages"]["open"], one.rails(0).open);
    const workload_kind& kind = workload_kind_of(one.scenario, 0);
    const std::string csv = kind.files(one.scenario, one.points)[0].text;
    EXPECT_THAT(csv, StartsWith("point,policy,striping,rails,"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
    EXPECT_GT(kind.cost(one.points[2])["cpu_seconds_per_gigabyte"], 0);
    EXPECT_EQ(kind.files(one.scenario, {})[0].text, "");
}

TEST(rails_point, a_run_that_does_not_drain_in_time_fails) {
    const rails_run one(
        rails_text(workload_text("message: 2 KiB, rate: 0.9"), "window: 60000, drain_limit: 10, saturated: drain"));
    EXPECT_FALSE(one.point().passed());
    EXPECT_EQ(one.point().ended, hw::system::run_outcome::kind::limit);
    EXPECT_THAT(one.point().diagnosis, StartsWith("waiting for message"));
    EXPECT_EQ(one.point().counts.missing, one.rails().open);
}

TEST(rails_point, matrices_that_do_not_fit_say_what_would) {
    const auto with = [](const std::string& rails, const std::string& policy = "static") {
        return rails_point_refusal(rails_text(workload_text("policy: " + policy), "window: 1000", rails));
    };
    EXPECT_EQ(with("count: 5"), "accepted");
    EXPECT_EQ(with("count: 4"),
              "a.yaml:2:16: 8 hosts need 5 rails with algorithm 2, and 'rails.count' is 4; take 5, or "
              "another policy than 'static'");
    EXPECT_EQ(with("count: 4", "basic"), "accepted");
    EXPECT_EQ(with("count: 6, matrix: 1"), "accepted");
    EXPECT_THAT(with("count: 7, matrix: 1"),
                HasSubstr("8 hosts need exactly 6 rails with algorithm 1, and 'rails.count' is 7"));
    EXPECT_THAT(with("matrix: /nowhere/m.txt"), HasSubstr("/nowhere/m.txt"));
}

TEST(rails_point, a_matrix_of_a_file) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "polycast_rails_point_matrix.txt";
    const auto with = [&](const std::string& text, const std::string& count, const std::string& policy = "static") {
        std::ofstream(file) << text;
        return rails_point_refusal(rails_text(workload_text("policy: " + policy), "window: 1000",
                                              "count: " + count + ", matrix: " + file.string()));
    };
    const std::string good = "10101010\n11001100\n11110000\n01010101\n00110011\n00001111\n";
    EXPECT_EQ(with(good, "6"), "accepted");
    EXPECT_THAT(with(good, "7"), StartsWith("a.yaml:2:27: the matrix of " + file.string() +
                                            " has 6 rails and 8 nodes, and there are 7 rails and 8 hosts; take "
                                            "'rails.count: 6'"));
    EXPECT_THAT(with("10101010\n11001100\n11110000\n01010101\n00110011\n00001110\n", "6"),
                HasSubstr("no rail takes messages from node 7 to node 3"));
    // Whoever gives a matrix wants it right.
    EXPECT_THAT(with("1010\n", "1", "basic"), HasSubstr("4 nodes, and there are 1 rails and 8 hosts"));
    EXPECT_THAT(with("10102010\n", "1"), StartsWith(file.string() + ":1:5: "));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace polycast::tlm::sim
