// SPDX-License-Identifier: Apache-2.0
// The library of collectives on modelled hosts: every algorithm gives every rank the right bytes, and sends as many
// messages as its closed form says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/collectives/library.h"
#include "testbench/unit/hw/workloads/program/program_networks.h"

namespace polycast::hw::programs {
namespace {

using testing::IsEmpty;

class collectives_on_hosts : public testing::TestWithParam<const collectives::algorithm*> {};

/// Not always whole blocks, and roots that are not rank 0.
collective some(const collectives::algorithm& by, std::uint32_t ranks, element_type type, bool in_place) {
    collective made;
    made.kind = by.of;
    made.ranks = ranks;
    made.root = ranks / 2;
    made.in_place = in_place;
    made.combined.type = type;
    made.elements = 3 * ranks + 1;
    made.pieces = 3;
    if (by.of == collective_kind::barrier) {
        made.combined.type = element_type::u8;
        made.elements = 1;
    }
    return made;
}

/// Some messages ask, some do not. \returns whether it can be done
bool expect_given(const collectives::algorithm& by, const collective& made, const system::system_plan& on) {
    SCOPED_TRACE(std::to_string(made.ranks) + " ranks, " + std::string(name_in(element_types, made.combined.type)) +
                 (made.in_place ? ", in place" : ""));
    if (!why_not(by, made).empty()) return false;
    const ran got = run_on(on, make_program(by, made), {.eager = 24});
    EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::complete) << got.outcome.diagnosis;
    EXPECT_THAT(got.faults, IsEmpty());
    EXPECT_THAT(got.failures, IsEmpty());
    EXPECT_EQ(got.counts.wrong_results, 0u);
    EXPECT_EQ(got.counts.delivered, got.counts.expected);
    EXPECT_EQ(got.counts.expected, by.count(made).deliveries(made.ranks));
    EXPECT_EQ(got.counts.bytes, by.count(made).delivered_bytes(made.ranks));
    return true;
}

system::system_plan switch_for(std::uint32_t ranks) {
    system::system_params params;
    params.header_free = true;
    return make_plan(one_switch(std::max(ranks, 2u)), params);
}

TEST_P(collectives_on_hosts, give_what_they_are_to_give) {
    unsigned turn = 0;
    for (const std::uint32_t ranks : {2u, 3u, 4u, 7u, 8u, 12u}) {
        if (GetParam()->power_of_two && !std::has_single_bit(ranks)) continue;
        for (const bool in_place : {false, true})
            expect_given(*GetParam(),
                         some(*GetParam(), ranks, element_types[turn++ % std::size(element_types)].value, in_place),
                         switch_for(ranks));
    }
}

/// Whatever they move or add.
TEST_P(collectives_on_hosts, have_elements_of_all_types) {
    const std::uint32_t ranks = GetParam()->power_of_two ? 4 : 5;
    unsigned done = 0;
    for (const auto& type : element_types)
        for (const bool in_place : {false, true})
            done +=
                expect_given(*GetParam(), some(*GetParam(), ranks, type.value, in_place), switch_for(ranks)) ? 1 : 0;
    EXPECT_GE(done, std::size(element_types));
}

/// Half a minute in all, so in the extended tier.
TEST_P(collectives_on_hosts, of_all_sizes_give_what_they_are_to_give) {
    for (const std::uint32_t ranks : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u, 32u}) {
        if (GetParam()->power_of_two && !std::has_single_bit(ranks)) continue;
        for (const auto& type : element_types)
            for (const bool in_place : {false, true})
                expect_given(*GetParam(), some(*GetParam(), ranks, type.value, in_place), switch_for(ranks));
    }
}

TEST_P(collectives_on_hosts, run_on_every_kind_of_network) {
    const collectives::algorithm& by = *GetParam();
    unsigned turn = 0;
    for (const std::string_view network : program_networks) {
        SCOPED_TRACE(network);
        system::system_plan plan = plan_of_network(network);
        if (!by.scheme.empty()) {
            take_worms(plan, by.scheme);
            if (!why_no_multicasts(plan, by.scheme).empty()) {
                // Routers carry no worms: interfaces or hosts copy there, by unicasts.
                EXPECT_NE(network, "switch");
                EXPECT_NE(by.scheme, "ni");
                continue;
            }
        }
        for (const bool in_place : {false, true})
            expect_given(
                by,
                some(by, by.power_of_two ? 8 : 12, element_types[turn++ % std::size(element_types)].value, in_place),
                plan);
    }
}

std::string name_of(const testing::TestParamInfo<const collectives::algorithm*>& of) {
    return std::string(name_in(collective_kinds, of.param->of)) + "_" + std::string(of.param->name);
}

INSTANTIATE_TEST_SUITE_P(library, collectives_on_hosts, testing::ValuesIn(collectives::algorithms()), name_of);

// The closed form of a chain of messages: one after the other, as reductions take no time.
TEST(collectives_on_a_switch, take_as_long_as_their_chain) {
    collective made;
    made.ranks = 8;
    made.elements = 8 * 32;  // blocks of 128 bytes
    const auto finish = [&](collective_kind kind, const char* name) {
        made.kind = kind;
        return run_on(one_switch(8), make_program(*collectives::find_algorithm(kind, name), made)).finish;
    };
    constexpr cycle one = 4323;  // a message of 128 bytes
    EXPECT_EQ(finish(collective_kind::allreduce, "ring"), 14 * one);
    EXPECT_EQ(finish(collective_kind::allgather, "ring"), 7 * one);
    made.elements = 32;
    EXPECT_EQ(finish(collective_kind::allreduce, "doubling"), 3 * one);
    EXPECT_EQ(finish(collective_kind::broadcast, "binomial"), 3 * one);
}

}  // namespace
}  // namespace polycast::hw::programs
