// SPDX-License-Identifier: Apache-2.0
// The library of collectives on modelled hosts: every algorithm gives every rank the right bytes, and sends as many
// messages as its closed form says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/collectives/library.h"
#include "testbench/unit/hw/workloads/program/program_bench.h"

namespace polycast::hw::programs {
namespace {

using testing::IsEmpty;

class collectives_on_hosts : public testing::TestWithParam<const collectives::algorithm*> {};

TEST_P(collectives_on_hosts, give_what_they_are_to_give) {
    const collectives::algorithm& by = *GetParam();
    unsigned turn = 0;
    for (const std::uint32_t ranks : {2u, 3u, 4u, 7u, 8u, 12u}) {
        if (by.power_of_two && !std::has_single_bit(ranks)) continue;
        for (const bool in_place : {false, true}) {
            collective made;
            made.kind = by.of;
            made.ranks = ranks;
            made.root = ranks / 2;
            made.in_place = in_place;
            made.combined.type = element_types[turn++ % std::size(element_types)].value;
            made.elements = 3 * ranks + 1;
            made.pieces = 3;
            if (by.of == collective_kind::barrier) {
                made.combined.type = element_type::u8;
                made.elements = 1;
            }
            SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::string(name_in(element_types, made.combined.type)) +
                         (in_place ? ", in place" : ""));
            if (!why_not(by, made).empty()) continue;
            // Some messages ask, some do not.
            const ran got = run_on(one_switch(std::max(ranks, 2u)), make_program(by, made), {.eager = 24});
            EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::complete) << got.outcome.diagnosis;
            EXPECT_THAT(got.faults, IsEmpty());
            EXPECT_THAT(got.failures, IsEmpty());
            EXPECT_EQ(got.counts.wrong_results, 0u);
            EXPECT_EQ(got.counts.delivered, got.counts.expected);
            EXPECT_EQ(got.counts.expected, by.count(made).deliveries(ranks));
            EXPECT_EQ(got.counts.bytes, by.count(made).delivered_bytes(ranks));
        }
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
