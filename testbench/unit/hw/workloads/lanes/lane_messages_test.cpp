// SPDX-License-Identifier: Apache-2.0
// Messages of plans: every node gets every byte once, and nobody sends what he cannot have.
#include "hw/workloads/lanes/lane_messages.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "testbench/unit/hw/workloads/lanes/lanes_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::lanes {
namespace {

using collectives::byte_range;
using collectives::lane_algorithm;
using collectives::lane_choice;
using collectives::lane_plan;
using collectives::make_lane_plan;
using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

bool within(const byte_range& inner, const byte_range& outer) {
    return inner.first >= outer.first && inner.first + inner.bytes <= outer.first + outer.bytes;
}

std::uint64_t common(const byte_range& a, const byte_range& b) {
    const std::uint64_t first = std::max(a.first, b.first);
    const std::uint64_t end = std::min(a.first + a.bytes, b.first + b.bytes);
    return end > first ? end - first : 0;
}

/// What is wrong with them; empty: nothing.
std::string fault_of(const lane_plan& plan, std::uint64_t bytes, const std::vector<lane_message>& messages) {
    std::vector<std::vector<bool>> there(plan.nodes(), std::vector<bool>(bytes, false));
    there[0].assign(bytes, true);
    std::vector<bool> followed(messages.size(), false);
    std::map<std::pair<std::uint32_t, unsigned>, std::set<std::uint32_t>> waited;  // by node and lane
    for (std::size_t number = 0; number < messages.size(); ++number) {
        const lane_message& message = messages[number];
        const std::string who = "message " + std::to_string(number);
        if (message.range.bytes == 0 || !within(message.range, {0, bytes})) return who + " is no range";
        if (message.step == 0 || message.step > message.range.bytes) return who + " has no step";
        if (!message.pipelined && message.step != message.range.bytes) return who + " counts too early";
        if ((message.supplier == lane_message::none) != (message.parent == 0)) return who + " follows wrongly";
        if (message.parent != 0) {
            std::set<std::uint32_t>& before = waited[{message.parent, message.lane}];
            before.insert(message.supplier);
            std::uint64_t bytes_of_sources = 0;
            for (const std::uint32_t source : message.sources) {
                if (source >= number) return who + " follows a later one";
                const lane_message& brought = messages[source];
                if (brought.child != message.parent) return who + " follows another node's";
                if (!before.contains(source)) return who + " does not wait for all that it needs";
                bytes_of_sources += common(message.range, brought.range);
                followed[source] = true;
            }
            if (bytes_of_sources != message.range.bytes) return who + " is not what it follows";
            // Counts begin with the supplier's first byte.
            const lane_message& last = messages[message.supplier];
            if (last.pipelined && message.range != last.range) return who + " is not in step";
        }
        for (std::uint64_t byte = message.range.first; byte < message.range.first + message.range.bytes; ++byte) {
            if (!there[message.parent][byte]) return who + " is not there yet";
            if (there[message.child][byte]) return who + " comes twice";
            there[message.child][byte] = true;
        }
    }
    for (std::size_t number = 0; number < messages.size(); ++number)
        if (messages[number].followed != followed[number]) return "message " + std::to_string(number) + ": followed";
    for (const std::vector<bool>& node : there)
        if (std::ranges::find(node, false) != node.end()) return "a byte is missing";
    return {};
}

TEST(lane_messages, bring_every_byte_once_from_somebody_who_has_it) {
    const std::vector<std::vector<std::uint32_t>> places{{2},    {3},      {4},       {5},       {8},          {13},
                                                         {31},   {32},     {40},      {1, 1},    {2, 1},       {1, 5},
                                                         {7, 9}, {16, 16}, {3, 1, 4}, {5, 6, 7}, {11, 2, 1, 6}};
    for (const lane_algorithm how : collectives::lane_algorithms)
        for (const std::vector<std::uint32_t>& sites : places)
            for (const std::uint64_t bytes : {1u, 2u, 3u, 37u, 1000u, 4097u})
                for (const std::uint64_t piece : {1u, 7u, 512u, 100'000u})
                    for (const std::uint32_t segments : {1u, 5u, 16u}) {
                        const lane_plan plan = make_lane_plan(how, sites);
                        EXPECT_EQ(fault_of(plan, bytes, lane_messages(plan, bytes, piece, segments)), "")
                            << name_of(how) << " " << lane_text(sites) << ", " << bytes << " bytes, pieces of " << piece
                            << ", " << segments << " segments";
                    }
}

TEST(lane_messages, edges_of_one_lane_are_one_message_of_a_part) {
    const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, {7});
    const std::vector<lane_message> messages = lane_messages(plan, 1001, 100);
    ASSERT_EQ(messages.size(), plan.edges.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_EQ(messages[i].range, collectives::part_of(1001, 2, plan.edges[i].first_part));
        EXPECT_EQ(messages[i].lane, plan.edges[i].lanes == lane_choice::first ? 0u : 1u);
        EXPECT_EQ(messages[i].step, 100u);
    }
}

TEST(lane_messages, edges_of_both_lanes_are_two_halves_with_half_the_piece) {
    const lane_plan plan = make_lane_plan(lane_algorithm::pipelined_chain, {3});
    const std::vector<lane_message> messages = lane_messages(plan, 1001, 101);
    ASSERT_EQ(messages.size(), 4u);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_EQ(messages[i].lane, i % 2);
        EXPECT_EQ(messages[i].range, (i % 2 == 0 ? byte_range{0, 501} : byte_range{501, 500}));
        EXPECT_EQ(messages[i].step, 51u);
    }
    EXPECT_EQ(messages[3].supplier, 1u);
}

TEST(lane_messages, segments_are_whole_pieces_one_after_the_other) {
    const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, {3});
    const std::vector<lane_message> messages = lane_messages(plan, 2000, 30, 4);
    ASSERT_EQ(messages.size(), 4 * plan.edges.size());
    // 1000 bytes in segments of nine pieces.
    for (std::uint64_t segment = 0; segment < 4; ++segment)
        EXPECT_EQ(messages[segment].range, (byte_range{270 * segment, segment == 3 ? 190u : 270u}));
    EXPECT_EQ(lane_messages(plan, 2000, 400, 4).size(), 3 * plan.edges.size());
    // What is sent as a whole is one message.
    const lane_plan whole = make_lane_plan(lane_algorithm::chain, {3});
    EXPECT_EQ(lane_messages(whole, 2000, 30, 4), lane_messages(whole, 2000, 30));
}

TEST(lane_messages, a_head_of_a_site_sends_on_what_came_over_two_lanes) {
    // 0 feeds 2 over both lanes, and each head its own site.
    const lane_plan plan = make_lane_plan(lane_algorithm::binary, {2, 2});
    const std::vector<lane_message> messages = lane_messages(plan, 100, 10);
    std::vector<std::uint32_t> suppliers;
    std::vector<unsigned> lanes;
    for (const lane_message& message : messages)
        if (message.parent == 2) {
            suppliers.push_back(message.supplier);
            lanes.push_back(message.lane);
            EXPECT_EQ(message.child, 3u);
        }
    EXPECT_THAT(suppliers, ElementsAre(0, 1));
    EXPECT_THAT(lanes, ElementsAre(0, 0));
    EXPECT_TRUE(messages[0].wide);
    EXPECT_FALSE(messages[2].wide);
}

TEST(lane_messages, what_came_in_several_messages_goes_on_in_one) {
    for (const std::uint32_t nodes : {8u, 31u, 32u, 300u}) {
        const lane_plan plan = make_lane_plan(lane_algorithm::van_de_geijn, {nodes});
        const std::vector<lane_message> messages = lane_messages(plan, 1'000'000, 100);
        std::vector<std::size_t> sends(nodes);
        std::size_t most_sources = 0;
        for (const lane_message& message : messages) {
            if (message.lane == 0) ++sends[message.parent];
            most_sources = std::max(most_sources, message.sources.size());
        }
        // What came in all rounds goes on in one message, or two where it begins again at the first block.
        const std::size_t rounds = std::bit_width(nodes - 1);
        EXPECT_GE(most_sources, rounds - 1);
        EXPECT_LE(*std::ranges::max_element(sends), 4 * rounds);
    }
}

TEST(lane_messages, refuse_what_no_region_holds) {
    const lane_plan plan = make_lane_plan(lane_algorithm::chain, {2});
    EXPECT_THAT(refusal([&] { lane_messages(plan, 0, 1); }), HasSubstr("no bytes"));
    EXPECT_THAT(refusal([&] { lane_messages(plan, most_bytes + 1, 1); }), HasSubstr("region"));
    EXPECT_THAT(refusal([&] { lane_messages(plan, 1, 0); }), HasSubstr("pieces of no bytes"));
    EXPECT_THAT(refusal([&] { lane_messages(plan, 1, 1, 0); }), HasSubstr("no segment"));
    EXPECT_EQ(lane_messages(plan, most_bytes, 1 << 20).size(), 2u);
}

}  // namespace
}  // namespace polycast::hw::lanes
