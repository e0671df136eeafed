// SPDX-License-Identifier: Apache-2.0
// Collectives on a fabric: every node gets every byte, with the packets, hops and XORs that the plan has.
#include "hw/fabric/allgather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "hw/fabric/allgather_check.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "testbench/unit/refusal.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::fabric;
using namespace hw::collectives;
using hw::input_error;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

allgather_options square(std::uint32_t radix, std::uint32_t group, unsigned flits = 1) {
    allgather_options options;
    options.plan.radix = radix;
    options.plan.group = group;
    options.flits = flits;
    options.seed = radix * 1000 + group * 10 + flits;
    return options;
}

std::string text_of(const allgather_options& options) {
    return "k " + std::to_string(options.plan.radix) + ", n " + std::to_string(options.plan.dimensions) + ", torus " +
           std::to_string(options.plan.torus) + ", group " + std::to_string(options.plan.group) + ", base " +
           std::to_string(static_cast<int>(options.plan.base)) + ", placement " +
           std::to_string(static_cast<int>(options.plan.placement)) + ", method " +
           std::to_string(static_cast<int>(options.plan.method)) + ", sources " + std::to_string(options.plan.sources) +
           ", levels " + std::to_string(options.plan.inner_groups.size() + 1) + ", pace " +
           std::to_string(static_cast<int>(options.pace)) + ", flits " + std::to_string(options.flits) + ", coder " +
           std::to_string(static_cast<int>(options.coder));
}

/// Runs it, and compares everything that the plan says beforehand.
allgather_result run_well(allgather_options options) {
    SCOPED_TRACE(text_of(options));
    options.fabric = allgather_fabric(options);
    const allgather_result result = run_allgather(options);
    EXPECT_THAT(result.problems, IsEmpty());
    EXPECT_EQ(result.missing, 0u);
    if (options.method == allgather_method::replication) return result;
    const network_coding plan(options.plan);
    coding_count all;
    hw::engine::cycle cycles = 0;
    EXPECT_EQ(result.steps.size(), plan.steps().size());
    for (const allgather_step& step : result.steps) {
        const coding_count count = plan.count(step.step);
        EXPECT_EQ(step.packets, count.unicasts) << step.step.letter;
        EXPECT_EQ(step.hops, count.hops) << step.step.letter;
        all += count;
        cycles += step.cycles;
    }
    EXPECT_EQ(result.flit_hops, all.hops * options.flits);  // as the routers count them
    if (options.pace == allgather_pace::steps) {
        EXPECT_EQ(result.cycles, cycles);
    }
    // Every node learns every datum of other groups but one by an XOR, and every chain packet is made once.
    const bool coded = options.plan.method == coding_method::coded;
    std::uint64_t made = 0;
    for (const coding_step& step : plan.steps()) {
        if (step.letter != 'D' || step.rounds == 0 || !coded) continue;
        for (const auto& sources : plan.levels()[step.level].sources)
            if (sources.size() > 1) made += sources.size() - 1;
    }
    if (options.plan.method != coding_method::every_node) {
        EXPECT_EQ(std::accumulate(result.xors.begin(), result.xors.end(), std::uint64_t{0}), made);
    }
    return result;
}

TEST(fabric_allgather, every_method_delivers_every_byte) {
    for (const coding_method method :
         {coding_method::coded, coding_method::every_node, coding_method::combining, coding_method::uncoded}) {
        for (const coding_base base : {coding_base::all_at_once, coding_base::tree}) {
            for (const bool torus : {false, true}) {
                for (const allgather_pace pace : {allgather_pace::steps, allgather_pace::free_running}) {
                    for (const std::uint32_t group : {1u, 2u, 8u, 32u}) {
                        allgather_options options = square(8, group, group == 8 ? 3 : 1);
                        options.plan.method = method;
                        options.plan.base = base;
                        options.plan.torus = torus;
                        options.pace = pace;
                        options.plan.placement = group == 2 ? node_placement::centre : node_placement::inner;
                        run_well(options);
                    }
                }
            }
        }
    }
}

TEST(fabric_allgather, the_base_alone_and_many_to_all_and_recursion) {
    for (const allgather_pace pace : {allgather_pace::steps, allgather_pace::free_running}) {
        allgather_options options = square(8, 64);
        options.pace = pace;
        run_well(options);
        options.plan.base = coding_base::all_at_once;
        run_well(options);
        options = square(8, 16, 2);
        options.pace = pace;
        for (const std::uint64_t sources : {1, 3, 5, 40}) {
            options.plan.sources = sources;
            run_well(options);
        }
        options.plan.sources = 0;
        options.plan.inner_groups = {8, 2};
        for (const coding_method method : {coding_method::coded, coding_method::combining, coding_method::uncoded}) {
            options.plan.method = method;
            run_well(options);
        }
        options = square(6, 9, 16);
        options.pace = pace;
        options.plan.base = coding_base::all_at_once;
        run_well(options);
        options = square(4, 8);
        options.pace = pace;
        options.plan.dimensions = 3;
        options.plan.torus = true;
        run_well(options);
    }
}

TEST(fabric_allgather, replication_delivers_every_byte) {
    for (const bool torus : {false, true}) {
        for (const unsigned flits : {1u, 5u}) {
            for (const unsigned gap : {0u, 8u * flits}) {
                allgather_options options = square(8, 1, flits);
                options.method = allgather_method::replication;
                options.plan.torus = torus;
                options.replication_gap = gap;
                const allgather_result result = run_well(options);
                EXPECT_EQ(result.packets, 64u * 63);
                EXPECT_EQ(result.flit_hops, 64u * 63 * flits);
                EXPECT_GT(result.cycles, 63u * flits);
                EXPECT_LT(result.cycles, 63u * flits * 2);
            }
        }
    }
}

TEST(fabric_allgather, units_code_what_hosts_would) {
    allgather_options options = square(16, 32);
    const allgather_result unit = run_well(options);
    EXPECT_EQ(*std::ranges::max_element(unit.xors), 31u);
    EXPECT_EQ(unit.decode_xors, 256u * 7 * 31);
    options.coder = allgather_coder::host;
    const allgather_result host = run_well(options);
    EXPECT_EQ(host.xors, unit.xors);
    EXPECT_GT(host.cycles, unit.cycles);
    options.coder = allgather_coder::unit;
    options.plan.method = coding_method::every_node;
    EXPECT_THAT(run_well(options).xors, Each(31u));
}

TEST(fabric_allgather, latency_of_the_coding_hardly_matters) {
    allgather_options options = square(8, 16);
    const auto cycles = [&](unsigned latency) {
        options.xor_latency = latency;
        return run_well(options).cycles;
    };
    const auto least = cycles(0);
    EXPECT_EQ(cycles(1), cycles(1));
    EXPECT_GE(cycles(35), least);
    EXPECT_LE(cycles(64), least + 100);
}

/// Runs something that goes wrong.
allgather_result run_badly(allgather_options options) {
    SCOPED_TRACE(text_of(options));
    options.fabric = allgather_fabric(options);
    allgather_result result = run_allgather(options);
    EXPECT_GT(result.missing, 0u);
    EXPECT_EQ(run_allgather(options).problems, result.problems);
    return result;
}

TEST(fabric_allgather, a_lost_operand_is_named) {
    for (const allgather_pace pace : {allgather_pace::steps, allgather_pace::free_running}) {
        allgather_options options = square(8, 16);
        options.pace = pace;
        const std::uint32_t coder = network_coding(options.plan).intermediate_node(0, 0);
        options.drop = {{'C', coder, coder, {parcel::sort::datum, 9, 0}}};
        const allgather_result result = run_badly(options);
        const std::string unit = "coding unit of node " + std::to_string(coder);
        EXPECT_THAT(result.problems, Contains(HasSubstr("lost on its way: datum 9 from node " + std::to_string(coder) +
                                                        " to the " + unit)));
        EXPECT_THAT(result.problems, Contains(HasSubstr(unit + ", context 0: operand 5 (datum of node 9) never came")));
        EXPECT_THAT(result.problems, Contains(HasSubstr(" has no datum of node ")));
        if (pace == allgather_pace::steps) {
            EXPECT_THAT(result.problems, Contains(HasSubstr("has to send chain packet 8^9, and has not got it")));
        }
    }
}

TEST(fabric_allgather, any_lost_packet_is_named) {
    allgather_options options = square(8, 16);
    const network_coding plan(options.plan);
    for (const coding_step& step : plan.steps()) {
        const transfer lost = plan.transfers(step).back();
        options.drop = {{step.letter, lost.from, lost.to, lost.what}};
        const allgather_result result = run_badly(options);
        EXPECT_THAT(result.problems,
                    Contains(AllOf(HasSubstr("lost on its way"), HasSubstr("from node " + std::to_string(lost.from) +
                                                                           " to node " + std::to_string(lost.to)))))
            << step.letter;
        EXPECT_THAT(result.problems, Contains(HasSubstr("has no datum of node")));
    }
}

TEST(fabric_allgather, unequal_operands_are_named) {
    allgather_options options = square(8, 16, 2);
    const std::uint32_t coder = network_coding(options.plan).intermediate_node(0, 0);
    options.shorten = {{'C', coder, coder, {parcel::sort::datum, 9, 0}}};
    EXPECT_THAT(run_badly(options).problems, AllOf(Contains(HasSubstr("operands 4 and 5 (data of nodes 8 and 9)")),
                                                   Contains(HasSubstr("operands 5 and 6 (data of nodes 9 and 10)")),
                                                   Contains(HasSubstr("have unequal lengths"))));
}

TEST(fabric_allgather, a_cut_datum_is_found_by_its_bytes) {
    allgather_options options = square(8, 16, 2);
    options.shorten = {{'F', 0, 4, {parcel::sort::datum, 0, 0}}};
    EXPECT_THAT(run_badly(options).problems, AllOf(Contains(HasSubstr("one flit short: datum 0 from node 0 to node 4")),
                                                   Contains(HasSubstr("wrong datum of node 0, from byte 16 on")),
                                                   Contains(HasSubstr("node 4 has a wrong datum of node 1"))));
}

TEST(fabric_allgather, faults_that_hit_nothing_and_runs_that_are_given_up_are_named) {
    allgather_options options = square(4, 4);
    options.fabric = allgather_fabric(options);
    options.drop = {{'F', 0, 1, {parcel::sort::datum, 0, 0}}};
    EXPECT_THAT(run_allgather(options).problems, ElementsAre(HasSubstr("step F, node 0 to node 1")));
    options.drop.clear();
    options.limit = 20;
    const allgather_result result = run_allgather(options);
    EXPECT_GT(result.missing, 0u);
    EXPECT_THAT(result.problems, Contains(HasSubstr("given up in cycle 20")));
}

TEST(fabric_allgather, what_the_paper_leaves_out_is_known_beforehand) {
    for (const allgather_pace pace : {allgather_pace::steps, allgather_pace::free_running}) {
        allgather_options options = square(8, 16);
        options.pace = pace;
        options.accounting = accounting::as_published;
        options.fabric = allgather_fabric(options);
        const allgather_result whole = run_allgather(options);
        EXPECT_THAT(whole.problems, IsEmpty());
        EXPECT_EQ(whole.missing, 0u);
        // Of two other groups members that are not intermediate nodes get the one datum of step F.
        EXPECT_EQ(whole.left_out, 4u * 15 * 2 * 15);
        const network_coding plan(options.plan);
        for (const coding_step& step : plan.steps())
            if (step.letter == 'E')
                for (const transfer& one : plan.transfers(step, options.accounting))
                    options.drop.push_back({'E', one.from, one.to, one.what});
        const allgather_result without = run_allgather(options);
        EXPECT_EQ(without.left_out, whole.left_out);
        EXPECT_EQ(without.missing, 4u * 15 * 15) << "chains of one group";
        EXPECT_THAT(without.problems, Contains(HasSubstr("lost on its way")));
    }
}

TEST(fabric_allgather, messages_are_cut_as_they_travel) {
    allgather_options options = square(4, 4, 2);
    options.plan.method = coding_method::combining;
    const network_coding plan(options.plan);
    for (const coding_step& step : plan.steps()) {
        if (step.letter != 'D') continue;
        const transfer hit = plan.transfers(step).front();
        options.shorten = {{'D', hit.from, hit.to, hit.what}};
        const std::uint32_t last = plan.contents(hit.what).back();
        const std::string name = "node " + std::to_string(hit.to);
        EXPECT_THAT(run_badly(options).problems,
                    AllOf(Contains(HasSubstr("one flit short: ")),
                          Contains(HasSubstr(name + " has a wrong datum of node " + std::to_string(last) +
                                             ", from byte 16 on"))));
    }
    options.shorten.clear();
    run_well(options);
}

TEST(fabric_allgather, packets_of_units_are_not_cut_and_that_is_said) {
    allgather_options options = square(4, 4, 2);
    options.fabric = allgather_fabric(options);
    options.pace = allgather_pace::steps;
    const network_coding plan(options.plan);
    for (const coding_step& step : plan.steps()) {
        if (step.letter != 'D') continue;
        const transfer hit = plan.transfers(step).front();
        options.shorten = {{'D', hit.from, hit.to, hit.what}};
    }
    EXPECT_THAT(run_allgather(options).problems, ElementsAre(HasSubstr("no packet was there to inject a fault")));
}

TEST(fabric_allgather, a_limit_ends_all_rounds_and_so_does_a_stop) {
    allgather_options options = square(8, 16);
    options.pace = allgather_pace::steps;
    options.fabric = allgather_fabric(options);
    const allgather_result whole = run_allgather(options);
    EXPECT_FALSE(whole.gave_up || whole.stopped);
    options.limit = 20;
    const allgather_result cut = run_allgather(options);
    EXPECT_TRUE(cut.gave_up);
    EXPECT_EQ(cut.steps.back().packets, 0u);
    EXPECT_THAT(cut.problems, Not(Contains(HasSubstr("and has not got it"))));
    options.limit = hw::engine::never;
    options.stop = [] { return true; };
    for (const allgather_pace pace : {allgather_pace::steps, allgather_pace::free_running}) {
        options.pace = pace;
        const allgather_result stopped = run_allgather(options);
        EXPECT_TRUE(stopped.stopped);
        EXPECT_GT(stopped.missing, 0u);
        EXPECT_EQ(stopped.packets, 0u);
    }
}

TEST(fabric_allgather, hops_are_those_that_routers_count) {
    allgather_options options = square(4, 4, 2);
    allgather_result result = run_well(options);
    EXPECT_EQ(hop_difference(options, result), std::nullopt);
    ++result.flit_hops;
    EXPECT_NE(hop_difference(options, result), std::nullopt);
}

std::string refusal(const allgather_options& options) {
    return testbench::unit::refusal([&] { check(options); });
}

TEST(fabric_allgather, refuses_what_cannot_run) {
    const auto with = [](auto change, auto change_fabric) {
        allgather_options options = square(8, 16);
        options.fabric = allgather_fabric(options);
        change(options);
        change_fabric(options.fabric);
        return refusal(options);
    };
    const auto as_is = [](auto&) {};
    EXPECT_EQ(with(as_is, as_is), "accepted");
    EXPECT_THAT(with([](auto& options) { options.plan.radix = 12; }, as_is), HasSubstr("a k that is a power of two"));
    EXPECT_THAT(with([](auto& options) { options.plan.group = 24; }, as_is), HasSubstr("groups of 24 nodes"));
    EXPECT_THAT(with([](auto& options) { options.flits = 65; }, as_is), HasSubstr("packets of 65 flits"));
    EXPECT_THAT(with([](auto& options) { options.flits = 2; }, as_is), HasSubstr("raise packet_limit"));
    EXPECT_THAT(with([](auto& options) { options.xor_latency = 65; }, as_is), HasSubstr("0 to 64 cycles"));
    EXPECT_THAT(with([](auto& options) { options.unit_flits = 15; }, as_is), HasSubstr("a group's data take 16"));
    EXPECT_THAT(with([](auto& options) { options.unit_flits = 4097; }, as_is), HasSubstr("4096 slots at most"));
    EXPECT_THAT(with([](auto& options) { options.shorten.resize(1); }, as_is), HasSubstr("cannot be shortened"));
    EXPECT_THAT(with([](auto& options) { options.plan.torus = true; }, as_is), HasSubstr("not the one of the plan"));
    EXPECT_THAT(with(as_is, [](auto& fabric) { fabric.router.ports = 5; }), HasSubstr("second host port"));
    EXPECT_THAT(with(as_is, [](auto& fabric) { fabric.tables.reserve = 9; }), HasSubstr("longer buffers"));
    EXPECT_THAT(with(as_is, [](auto& fabric) { fabric.router.header_free = false; }), HasSubstr("no room for a datum"));
    const auto replicate = [](auto& options) { options.method = allgather_method::replication; };
    EXPECT_THAT(with(replicate, as_is), HasSubstr("a network with broadcasts"));
    EXPECT_THAT(with(
                    [](auto& options) {
                        options.method = allgather_method::replication;
                        options.flits = 4;
                        options.fabric = allgather_fabric(options);
                    },
                    [](auto& fabric) { fabric.tables.reserve = 1; }),
                HasSubstr("take a packet whole"));
}

TEST(fabric_allgather, headers_take_their_part_of_the_flits) {
    allgather_options options = square(4, 4, 4);
    options.fabric = allgather_fabric(options);
    EXPECT_EQ(datum_bytes(options), 64u);
    options.fabric.router.header_free = false;
    const unsigned bytes = datum_bytes(options);
    EXPECT_EQ(bytes, 3 * 16 - hw::format::transport_bytes - hw::format::check_bytes);
    const allgather_result result = run_allgather(options);
    EXPECT_THAT(result.problems, IsEmpty());
    EXPECT_EQ(result.missing, 0u);
}

TEST(allgather_check, believes_nothing_but_bytes) {
    allgather_check check(3, 12, 7, {0, 2});
    EXPECT_EQ(check.missing(), 6u);
    std::vector<std::uint8_t> bytes(12);
    hw::traffic::fill_payload(7, 2, bytes);
    check.compare(1, 2, bytes);
    check.compare(1, 2, bytes);
    EXPECT_EQ(check.missing(), 5u);
    EXPECT_THAT(check.faults(), IsEmpty());
    bytes[9] ^= 1;
    check.compare(0, 2, bytes);
    check.compare(2, 0, bytes);
    EXPECT_EQ(check.missing(), 5u);
    EXPECT_THAT(check.faults(), ElementsAre("node 0 has a wrong datum of node 2, from byte 9 on",
                                            "node 2 has a wrong datum of node 0, from byte 0 on"));
    EXPECT_THAT(check.missing_data(2), ElementsAre("node 0 has no datum of node 0", "node 0 has no datum of node 2"));
}

}  // namespace
}  // namespace polycast::testbench::unit
