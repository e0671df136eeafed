// SPDX-License-Identifier: Apache-2.0
// Rows of the public test plan of link ends that take a network: cables with and without a link layer side by side, ten
// streams over one cable, and worms whose cable dies while they are copied.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>

#include "hw/system/link_layer.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/system/scheme_run.h"

namespace polycast::hw::system {
namespace {

using chips::link_layer;
using engine::cycle;
using testing::IsEmpty;

chips::link_config registers(link_layer layer) {
    chips::link_config all;
    all.layer = layer;
    return all;
}

/// With which a link end gives up after some thousand cycles.
chips::link_config quick(link_layer layer) {
    chips::link_config all = registers(layer);
    all.frame = 16;  // so that packets are in several
    all.ack_spacing = 64;
    all.replay_count = 2;
    return all;
}

system_plan layered(const topology::graph& graph, link_layers layers) {
    system_params params;
    params.link_layer = std::make_shared<const link_layers>(std::move(layers));
    system_plan plan = make_plan(graph, params);
    reserve_places(plan);
    return plan;
}

/// Two switches with `hosts` hosts each, and a cable between them at their last ports, "switch0:N".
topology::graph two_switches(unsigned first, unsigned second) {
    topology::graph graph;
    graph.add_switch("switch0", first + 1);
    graph.add_switch("switch1", second + 1);
    graph.connect(0, first, 1, second);
    for (unsigned host = 0; host < first; ++host) graph.attach_host("host" + std::to_string(host), 0, host);
    for (unsigned host = 0; host < second; ++host) graph.attach_host("host" + std::to_string(first + host), 1, host);
    return graph;
}

/// Messages by a list, each of `bytes`.
class listed_messages final : public traffic::message_source {
public:
    void add(std::uint32_t source, cycle created, std::vector<std::uint32_t> destinations, std::uint32_t bytes) {
        traffic::message made;
        made.created = created;
        made.transfer = next_transfer_++;
        made.kind = destinations.size() == 1 ? traffic::message_kind::unicast : traffic::message_kind::worm;
        made.destinations = std::move(destinations);
        made.bytes = bytes;
        of_[source].push_back(std::move(made));
    }
    std::optional<traffic::message> next(std::uint32_t host) override {
        auto& left = of_[host];
        if (left.empty()) return std::nullopt;
        traffic::message first = std::move(left.front());
        left.pop_front();
        return first;
    }

private:
    std::map<std::uint32_t, std::deque<traffic::message>> of_;
    std::uint64_t next_transfer_ = 0;
};

/// Runs to a cycle, whatever was delivered.
class no_goal final : public traffic::goal {
public:
    bool complete() const override { return false; }
    cycle delivered_until() const override { return 0; }
    std::string oldest_missing() const override { return {}; }
};

/// What a run came to, with all that a switch still holds in words.
struct rest {
    traffic::delivery_counts counts;
    std::vector<std::string> faults;
    std::vector<traffic::transfer_record> unfinished;
    std::vector<std::string> held;
    std::uint64_t dropped = 0;  ///< by hosts, which said so
    std::uint64_t errors = 0;   ///< pins of switches
    chips::cable_report ends;   ///< of all cables
};

rest run_to(system_plan plan, listed_messages messages, std::uint32_t bytes, cycle end) {
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.bytes = bytes;
    work.hosts = static_cast<std::uint32_t>(plan.network.hosts.size());
    fit(plan, work);
    traffic::scoreboard board(1, {}, plan.host.interface.payload_bytes, facts_of(plan));
    const no_goal goal;
    system_network network(plan, make_core, workload_hosts(native(), messages, board, 1), goal);
    run_limits limits;
    limits.cycles = end;
    limits.patience = end;
    network.run(limits);

    rest got{board.counts(),
             board.faults(),
             board.unfinished(),
             {},
             network.totals().dropped,
             std::as_const(network).network().error_count(),
             {}};
    for (engine::chip_id id = 0; id < plan.chips.size(); ++id) {
        if (!std::as_const(network).network().idle(id)) got.held.push_back(plan.name_of(id) + " is not idle");
        if (plan.is_host(id)) continue;
        engine::chip_probe probe;
        network.network().probe(id, probe);
        for (unsigned port = 0; port < plan.ports(id); ++port) {
            const std::string text = plan.port_text({id, port});
            if (probe.inputs[port].occupied != 0) got.held.push_back("input " + text);
            if (probe.outputs[port].held) got.held.push_back("output " + text);
            if (probe.outputs[port].credits != plan.credits({id, port}).front())
                got.held.push_back("credits of " + text + ": " + std::to_string(probe.outputs[port].credits));
        }
    }
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        got.ends += report_of(network.network(), id);
    return got;
}

std::uint64_t poisoned(const chips::cable_report& report) {
    return report.ends[0].counts.llr_rx_poisoned + report.ends[1].counts.llr_rx_poisoned;
}

TEST(link_mixed, cables_with_and_without_deliver_as_without_faults) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        topology::irregular_params shape;
        shape.seed = seed;
        const topology::graph graph = topology::make_irregular(shape);
        const system_plan bare = make_plan(graph, {});
        // Every third cable has none, checks, and repeats what its wires spoil.
        link_layers layers;
        for (std::size_t index = 0; index < bare.cables.size(); ++index) {
            const std::string first = bare.port_text(bare.cables[index].a);
            if (index % 3 == 0) continue;
            layers.own[first] = registers(index % 3 == 1 ? link_layer::check : link_layer::retry);
            if (index % 3 == 1) continue;
            for (const std::string& from : {first, bare.port_text(bare.cables[index].b)})
                layers.faults.rates.push_back({from, {.rate = 3e-5}});
        }
        layers.faults.seed = seed;
        const system_plan plan = layered(graph, layers);
        EXPECT_EQ(plan.layered.size(), bare.cables.size() - (bare.cables.size() + 2) / 3);
        for (const char* scheme : {"tree", "ssr", "path", "unicasts", "ni"}) {
            traffic::workload_params work;
            work.seed = seed;
            work.messages = 6;
            work.degree = 12;
            work.bytes = 500;
            std::uint64_t bad = 0;
            run_details details;
            details.inspect = [&](const system_network& network) {
                for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
                    for (const auto& end : report_of(network.network(), id).ends) bad += end.counts.llr_rx_bad;
            };
            const multicast_choice choice = by(collectives::scheme_of(scheme));
            const scheme_result got = run_scheme(plan, work, choice, details);
            EXPECT_EQ(got.problem(), "") << scheme << ' ' << seed;
            EXPECT_EQ(got.counts.messages.delivered, run_scheme(bare, work, choice).counts.messages.delivered);
            EXPECT_GT(bad, 0u);
        }
    }
}

TEST(link_streams, ten_over_one_cable_stay_whole_and_in_order) {
    const topology::graph graph = two_switches(10, 10);
    for (const double rate : {0., 1e-5, 5e-5}) {
        link_layers layers;
        layers.all = registers(link_layer::retry);
        if (rate != 0) layers.faults.rates.push_back({named_faults::all_links, {.rate = rate}});
        listed_messages messages;
        for (std::uint32_t host = 0; host < 10; ++host)
            for (unsigned number = 0; number < 20; ++number) messages.add(host, 1000 + host, {10 + host}, 500);
        const rest got = run_to(layered(graph, layers), messages, 500, 1'500'000);
        EXPECT_THAT(got.faults, IsEmpty());
        EXPECT_THAT(got.held, IsEmpty());
        EXPECT_TRUE(got.counts.exactly_once()) << got.unfinished.size() << " messages are missing";
        EXPECT_EQ(got.counts.messages.delivered, 200u);
        EXPECT_EQ(got.counts.misordered, 0u);
        EXPECT_EQ(rate != 0, got.ends.ends[0].counts.frames_resent + got.ends.ends[1].counts.frames_resent != 0);
    }
}

/// Host 0 sends a worm to `copies` hosts behind the other switch, and the cable at `dies` is dead from the middle of it
/// on: the one before the switch that copies, or behind it. Then a second worm, when the cable is back.
/// \returns packets that were cut
std::uint64_t worms_over_a_dead_cable(unsigned copies, const std::string& dies, link_layer layer, cycle begin,
                                      cycle length, unsigned direction) {
    SCOPED_TRACE(std::to_string(copies) + " copies, " + dies + " dead from " + std::to_string(begin) + " for " +
                 std::to_string(length) + ", direction " + std::to_string(direction) +
                 (layer == link_layer::retry ? ", retry" : ", check"));
    const topology::graph graph = two_switches(1, 7);
    link_layers layers;
    layers.all = quick(layer);
    const bool ever = length == engine::never;
    const system_plan names = make_plan(graph, {});
    const auto cable =
        std::ranges::find_if(names.cables, [&](const auto& each) { return names.port_text(each.a) == dies; });
    layers.faults.events.push_back({direction == 1 ? names.port_text(cable->b) : dies,
                                    {.what = faults::fault_kind::dead,
                                     .at = begin,
                                     .until = ever ? engine::never : begin + length,
                                     .retrain = 5,
                                     .one_way = direction != 2}});
    const std::uint32_t bytes = 1000;
    std::vector<std::uint32_t> destinations;
    for (std::uint32_t host = 1; host <= copies; ++host) destinations.push_back(host);
    // Both ends have started anew by then, and what was lost is known.
    const cycle anew = 150'000;
    const cycle again = begin + (ever ? 0 : length) + anew;
    listed_messages messages;
    messages.add(0, 1000, destinations, bytes);
    messages.add(0, again, destinations, bytes);
    const rest got = run_to(layered(graph, layers), messages, bytes, again + anew);
    EXPECT_THAT(got.held, IsEmpty());
    // Whatever a host's program gets is whole, once; what it does not get is known to be missing.
    const traffic::copy_counts& got_whole = got.counts.messages;
    const std::uint64_t all = 2 * std::uint64_t{copies};
    EXPECT_EQ(got_whole.delivered + got_whole.missing, all);
    EXPECT_EQ(got_whole.corrupted + got_whole.duplicated + got_whole.misdelivered, 0u);
    // A packet that comes cut is reported: by the hosts, or by a switch if not even its header is whole.
    EXPECT_GE(got.dropped, got.counts.corrupted);
    EXPECT_TRUE(poisoned(got.ends) == 0 || got.dropped + got.errors != 0);
    // A copy is lost where its cable was dead; the others are not.
    const bool trunk = dies == "switch0:1";
    const std::uint64_t behind = trunk ? copies : 1;
    EXPECT_GE(got_whole.delivered, all - (ever ? 2 : 1) * behind);
    if (layer == link_layer::retry && length <= 100) {
        EXPECT_EQ(got_whole.delivered, all);
    }
    return poisoned(got.ends);
}

constexpr cycle in_the_middle = 5270;  ///< of a packet, before and behind the switch that copies it
constexpr std::array<cycle, 4> lengths = {60, 3000, 60'000, engine::never};

TEST(link_worms_short, end_whole_or_missing) {
    for (const unsigned copies : {1u, 7u})
        for (const char* dies : {"switch0:1", "switch1:0"})
            for (const link_layer layer : {link_layer::check, link_layer::retry}) {
                EXPECT_EQ(worms_over_a_dead_cable(copies, dies, layer, in_the_middle, 60, 2),
                          layer == link_layer::check ? 1u : 0u);
                EXPECT_EQ(worms_over_a_dead_cable(copies, dies, layer, in_the_middle, engine::never, 2), 1u);
            }
}

class link_worms : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(copies, link_worms, testing::Range(1u, 8u));

TEST_P(link_worms, end_whole_or_missing) {
    std::uint64_t cut = 0;
    for (const char* dies : {"switch0:1", "switch1:0"})
        for (const link_layer layer : {link_layer::check, link_layer::retry})
            for (const cycle length : lengths)
                for (const unsigned direction : {0u, 1u, 2u})
                    for (const cycle begin : {cycle{0}, cycle{5150}, in_the_middle, cycle{6270}, cycle{7350}})
                        cut += worms_over_a_dead_cable(GetParam(), dies, layer, begin, length, direction);
    EXPECT_GT(cut, 50u);
}

}  // namespace
}  // namespace polycast::hw::system
