// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/library.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "hw/collectives/definition.h"
#include "hw/programs/check.h"
#include "hw/programs/inputs.h"
#include "hw/programs/interpreter.h"
#include "hw/programs/loggops.h"
#include "hw/programs/summary.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::collectives {
namespace {

using polycast::testbench::unit::refusal;
using programs::combination;
using programs::element_type;
using programs::program;
using programs::reduction;
using testing::HasSubstr;

std::string name_of(const algorithm& by, const collective& of) {
    return std::string(name_in(programs::collective_kinds, by.of)) + " by " + std::string(by.name) + ", " +
           std::to_string(of.ranks) + " ranks, root " + std::to_string(of.root) + ", " + std::to_string(of.elements) +
           " " + std::string(name_in(programs::element_types, of.combined.type)) + (of.in_place ? ", in place" : "");
}

/// Of the interpreter. Who gives something still has it, unless it is in place.
definition_result interpreted(const collective& of, const program& made, programs::interpretation* buffers = nullptr) {
    programs::interpretation found;
    const definition_result result = interpret_and_compare(made, 11, &found);
    for (std::uint32_t rank = 0; rank < of.ranks; ++rank) {
        programs::buffer_bytes before(made.buffers(rank)[0]);
        programs::fill_buffer(made, of.combined.type, 11, rank, 0, before);
        EXPECT_EQ(found.buffers[rank][0], before) << "rank " << rank;
    }
    if (buffers != nullptr) *buffers = std::move(found);
    return result;
}

/// Every algorithm on so many ranks.
template <typename function>
void for_each_algorithm(collective of, const function& act) {
    for (const algorithm* const by : algorithms()) {
        of.kind = by->of;
        if (why_not(*by, of).empty()) act(*by, of);
    }
}

TEST(collective_library, counts_are_those_of_the_table) {
    for (std::uint32_t ranks = 2; ranks <= 128; ++ranks)
        for_each_algorithm({.ranks = ranks, .root = ranks / 3, .elements = 3 * ranks, .pieces = 5},
                           [](const algorithm& by, const collective& of) {
                               const programs::summary found = programs::summarise(make_program(by, of));
                               const collective_counts wanted = by.count(of);
                               EXPECT_EQ(found.longest_chain, wanted.chain) << name_of(by, of);
                               EXPECT_EQ(found.by_kind[0], wanted.deliveries(of.ranks)) << name_of(by, of);
                               EXPECT_EQ(found.multicasts, wanted.multicasts) << name_of(by, of);
                               EXPECT_EQ(found.bytes, wanted.bytes + wanted.multicast_bytes) << name_of(by, of);
                           });
}

TEST(collective_library, closed_forms_on_twelve_ranks) {
    // P = 20, q = 4, p = 8, r = 4; blocks of 4 bytes.
    const collective twelve{.ranks = 12, .elements = 12, .pieces = 6};
    const auto counts = [&](collective_kind kind, std::string_view name) {
        collective of = twelve;
        of.kind = kind;
        return find_algorithm(kind, name)->count(of);
    };
    using kind = collective_kind;
    EXPECT_EQ(counts(kind::broadcast, "chain"), (collective_counts{16, 66, 11 * 48}));
    EXPECT_EQ(counts(kind::broadcast, "scatter_allgather"), (collective_counts{15, 11 + 132, 20 * 4 + 11 * 48}));
    EXPECT_EQ(counts(kind::allreduce, "doubling"), (collective_counts{5, 32, 32 * 48}));
    EXPECT_EQ(counts(kind::allreduce, "halving_doubling"), (collective_counts{8, 56, (14 + 8) * 48}));
    EXPECT_EQ(counts(kind::all_to_all, "bruck"), (collective_counts{4, 48, 20 * 48}));
    EXPECT_EQ(counts(kind::gather, "binomial"), (collective_counts{3, 11, 20 * 4}));
    EXPECT_EQ(counts(kind::barrier, "tree"), (collective_counts{7, 22, 22}));
}

TEST(collective_library, results_are_those_of_the_definition) {
    for (std::uint32_t ranks = 1; ranks <= 32; ranks = ranks == 17 ? 32 : ranks + 1)
        for (const bool in_place : {false, true})
            for (const auto& type : programs::element_types) {
                // Uneven blocks; with few elements some are empty.
                const std::uint64_t elements = type.value == element_type::i64 ? ranks / 2 + 1 : 2 * ranks + ranks / 3;
                const combination with{type.value, ranks % 3 == 1 ? reduction::minimum : reduction::sum};
                for_each_algorithm({.ranks = ranks,
                                    .root = ranks / 2,
                                    .elements = elements,
                                    .combined = with,
                                    .pieces = 3,
                                    .in_place = in_place},
                                   [](const algorithm& by, const collective& of) {
                                       const program made = make_program(by, of);
                                       const definition_result found = interpreted(of, made);
                                       EXPECT_TRUE(found.good())
                                           << name_of(by, of) << ": " << found.wrong << " of " << found.elements << ", "
                                           << wrong_text(of, *found.first);
                                       const programs::check_result checked = programs::check(made);
                                       EXPECT_TRUE(checked.good()) << name_of(by, of) << ": " << checked.problems[0];
                                   });
            }
}

TEST(collective_library, all_ranks_of_an_allreduce_have_the_same_bits) {
    for (const std::uint32_t ranks : {2u, 5u, 8u, 12u, 13u})
        for (const element_type type : {element_type::f32, element_type::bf16})
            for_each_algorithm({.ranks = ranks, .elements = 40, .combined = {type, reduction::sum}},
                               [](const algorithm& by, const collective& of) {
                                   if (by.of != collective_kind::allreduce) return;
                                   programs::interpretation found;
                                   interpreted(of, make_program(by, of), &found);
                                   for (std::uint32_t rank = 1; rank < of.ranks; ++rank)
                                       EXPECT_EQ(found.buffers[rank][1], found.buffers[0][1])
                                           << name_of(by, of) << rank;
                               });
}

/// An allreduce of x_r = 1 / (1 + r), rounded to the type. \returns bits of the elements at rank 0
std::vector<std::uint64_t> harmonic(const char* algorithm, std::uint32_t ranks, element_type type) {
    const collective of{.ranks = ranks, .elements = ranks, .combined = {type, reduction::sum}};
    programs::interpreter_options options;
    options.fill = [&](std::uint32_t rank, std::uint32_t buffer, std::span<std::byte> bytes) {
        if (buffer != 0) return;
        const float value = 1.f / static_cast<float>(1 + rank);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, 4);
        if (type == element_type::bf16) bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        for (std::size_t at = 0; at < bytes.size(); at += of.element_bytes())
            std::memcpy(bytes.data() + at, &bits, of.element_bytes());
    };
    const auto found =
        programs::interpret(make_program(*find_algorithm(collective_kind::allreduce, algorithm), of), options);
    std::vector<std::uint64_t> made;
    for (std::uint32_t i = 0; i < ranks; ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, found.buffers[0][1].data() + i * of.element_bytes(), of.element_bytes());
        made.push_back(bits);
    }
    return made;
}

TEST(collective_library, known_bits_show_the_order_of_additions) {
    const struct {
        element_type type;
        std::uint32_t ranks;
        std::uint64_t ring_0, ring_3, doubling;
    } known[] = {{element_type::f32, 8, 0x402df160, 0x402df15f, 0x402df160},
                 {element_type::f32, 12, 0x40469b01, 0x40469b01, 0x40469b02},
                 {element_type::bf16, 8, 0x402f, 0x402d, 0x402e},
                 {element_type::bf16, 12, 0x4047, 0x4047, 0x4047}};
    for (const auto& one : known) {
        const std::vector<std::uint64_t> ring = harmonic("ring", one.ranks, one.type);
        EXPECT_EQ(ring[0], one.ring_0);
        EXPECT_EQ(ring[3], one.ring_3);
        EXPECT_EQ(harmonic("doubling", one.ranks, one.type)[3], one.doubling);
        EXPECT_EQ(harmonic("reduce_broadcast", one.ranks, one.type)[3], one.doubling);
    }
}

/// Finish times of the samples of testbench/data/programs/goal, which are the same collectives without buffers.
TEST(collective_library, runs_on_the_reference_machine_like_schedules_written_by_hand) {
    const struct {
        collective_kind kind;
        const char* algorithm;
        std::uint32_t ranks;
        std::uint64_t elements, latest, sum, latest_b, sum_b;
    } known[] = {{collective_kind::broadcast, "binomial", 12, 4096, 115780, 1118800, 49220, 524788},
                 {collective_kind::allreduce, "ring", 8, 1 << 20, 11086964, 88695712, 9175166, 73401328},
                 {collective_kind::allreduce, "doubling", 12, 2048, 98192, 1060048, 45124, 508644},
                 {collective_kind::allgather, "bruck", 12, 12 * 1024, 89560, 1074720, 56356, 676272},
                 {collective_kind::all_to_all, "pairwise", 8, 8 * 512, 59962, 479696, 17983, 143864},
                 {collective_kind::all_to_all, "bruck", 8, 8 * 512, 53346, 426768, 30747, 245976},
                 {collective_kind::barrier, "dissemination", 13, 1, 22000, 286000, 100, 1300}};
    for (const auto& one : known) {
        collective of{.kind = one.kind, .ranks = one.ranks, .elements = one.elements};
        of.combined.type = element_type::u8;
        const program made = make_program(*find_algorithm(one.kind, one.algorithm), of);
        const programs::loggops_result a = run_loggops(made, {2500, 1500, 1500, 1000, 6, 0, 65535});
        const programs::loggops_result b = run_loggops(made, {11, 7, 7, 5, 3, 2, 10});
        EXPECT_EQ(a.latest(), one.latest) << one.algorithm;
        EXPECT_EQ(a.sum(), one.sum) << one.algorithm;
        EXPECT_EQ(b.latest(), one.latest_b) << one.algorithm;
        EXPECT_EQ(b.sum(), one.sum_b) << one.algorithm;
    }
}

TEST(collective_library, all_of_it_ends_on_the_reference_machine) {
    for (const std::uint32_t ranks : {1u, 2u, 7u, 16u})
        for (const std::uint64_t eager : {0u, 65535u})
            for_each_algorithm({.ranks = ranks, .elements = 100}, [&](const algorithm& by, const collective& of) {
                if (by.scheme.empty() || of.ranks == 1)
                    EXPECT_FALSE(run_loggops(make_program(by, of), {.S = eager}).stuck) << name_of(by, of);
                else
                    EXPECT_THAT(refusal([&] { run_loggops(make_program(by, of), {.S = eager}); }),
                                HasSubstr("the LogGOPS model has no multicasts"));
            });
}

TEST(collective_library, repetitions_come_one_after_the_other_with_the_same_inputs) {
    for (const bool in_place : {false, true})
        for (const std::uint32_t ranks : {1u, 4u, 7u})
            for_each_algorithm(
                {.ranks = ranks, .root = ranks / 2, .elements = 30, .in_place = in_place},
                [](const algorithm& by, const collective& of) {
                    const repeated_program three = make_repeated(by, of, 3);
                    const program once = make_program(by, of);
                    EXPECT_TRUE(interpreted(of, three.made).good()) << name_of(by, of);
                    const programs::check_result checked = programs::check(three.made);
                    EXPECT_TRUE(checked.good()) << name_of(by, of) << ": " << checked.problems[0];
                    const programs::summary found = programs::summarise(three.made);
                    const std::uint64_t news = 2 * std::uint64_t{of.ranks} * std::bit_width(of.ranks - 1);
                    EXPECT_EQ(found.by_kind[0], 3 * programs::summarise(once).by_kind[0] + news);
                    ASSERT_EQ(three.operations.size(), 3u);
                    for (const std::vector<operation_range>& ranges : three.operations)
                        for (std::uint32_t rank = 0; rank < of.ranks; ++rank) {
                            const auto sends = [&](const program& in, std::uint32_t begin, std::uint32_t end) {
                                return std::ranges::count(in.of_rank(rank).subspan(begin, end - begin),
                                                          programs::operation_kind::send, &programs::operation::kind);
                            };
                            EXPECT_EQ(sends(three.made, ranges[rank].begin, ranges[rank].end),
                                      sends(once, 0, static_cast<std::uint32_t>(once.of_rank(rank).size())));
                        }
                });
}

TEST(collective_library, what_cannot_be_done_is_refused) {
    const algorithm& doubling = *find_algorithm(collective_kind::allgather, "doubling");
    EXPECT_EQ(find_algorithm(collective_kind::allgather, "tree"), nullptr);
    collective of{.kind = collective_kind::allgather, .ranks = 12};
    EXPECT_THAT(refusal([&] { make_program(doubling, of); }), HasSubstr("takes a power of two of ranks, not 12"));
    of.kind = collective_kind::reduce;
    EXPECT_THAT(why_not(doubling, of), "allgather by doubling is no reduce");
    const algorithm& linear = *find_algorithm(collective_kind::reduce, "linear");
    of.root = 12;
    EXPECT_THAT(why_not(linear, of), "the root is rank 12 of 12");
    of.root = 0;
    of.combined.how = reduction::exclusive_or;
    EXPECT_THAT(why_not(linear, of), "xor is for whole numbers, not for f32");
    of.combined.how = reduction::sum;
    of.elements = std::uint64_t{1} << 30;
    EXPECT_THAT(why_not(linear, of), HasSubstr("less than 4 GiB"));
    of.elements = 0;
    EXPECT_THAT(why_not(linear, of), HasSubstr("1 byte or more"));
    of.elements = 1;
    of.pieces = 0;
    EXPECT_THAT(why_not(*find_algorithm(collective_kind::reduce, "chain"), of), HasSubstr("1 to 65536 pieces"));
    EXPECT_EQ(why_not(linear, of), "");
}

TEST(collective_definition, a_wrong_element_is_named) {
    const collective of{.ranks = 3, .elements = 4, .combined = {element_type::i32, reduction::sum}};
    std::vector<std::uint32_t> input{1, 2, 3, 0xffffffff}, right{3, 6, 9, 0xfffffffd}, wrong{3, 6, 8, 0xfffffffd};
    const auto bytes = [](const std::vector<std::uint32_t>& of_vector) { return std::as_bytes(std::span(of_vector)); };
    const auto compared = [&](std::uint32_t at) {
        return compare_with_definition(
            of, [&](std::uint32_t) { return bytes(input); },
            [&](std::uint32_t rank) { return bytes(rank == at ? wrong : right); }, 2);
    };
    EXPECT_TRUE(compared(3).good());
    const definition_result found = compared(1);
    EXPECT_EQ(found.wrong, 1u);
    EXPECT_EQ(found.elements, 12u);
    EXPECT_EQ(wrong_text(of, *found.first), "rank 1 element 2: got 00000008, wanted 00000009 (i32)");
}

/// Of several the first is that of the lowest rank, and what one rank has right another may have wrong.
TEST(collective_definition, the_first_wrong_element_is_of_the_lowest_rank) {
    const collective of{.ranks = 3, .elements = 3, .combined = {element_type::i32, reduction::sum}};
    const std::vector<std::uint32_t> input{1, 2, 3};
    const std::vector<std::uint32_t> got[] = {{3, 6, 8}, {3, 6, 9}, {2, 6, 8}};
    const auto bytes = [](const std::vector<std::uint32_t>& of_vector) { return std::as_bytes(std::span(of_vector)); };
    const definition_result found = compare_with_definition(
        of, [&](std::uint32_t) { return bytes(input); }, [&](std::uint32_t rank) { return bytes(got[rank]); }, 2);
    EXPECT_EQ(found.wrong, 3u);
    EXPECT_EQ(found.elements, 9u);
    EXPECT_EQ(wrong_text(of, *found.first), "rank 0 element 2: got 00000008, wanted 00000009 (i32)");
}

TEST(collective_definition, the_bound_of_floats_is_met_to_the_last_bit) {
    // 1 + 1: the exact sum is 2, one addition may be off by u / (1 - u) * 2, which is 2^-23 and a little.
    const std::uint64_t ones[] = {0x3f800000, 0x3f800000};
    EXPECT_TRUE(within_bound(element_type::f32, ones, 0x40000000, 1));
    EXPECT_TRUE(within_bound(element_type::f32, ones, 0x3fffffff, 1));   // 2 - 2^-23
    EXPECT_FALSE(within_bound(element_type::f32, ones, 0x3ffffffe, 1));  // 2 - 2^-22
    EXPECT_FALSE(within_bound(element_type::f32, ones, 0x40000001, 1));  // 2 + 2^-22
    EXPECT_TRUE(within_bound(element_type::f32, ones, 0x40000001, 2));
    EXPECT_FALSE(within_bound(element_type::f32, ones, 0x7f800000, 2));
    // Of 1 - 1 the magnitudes count.
    const std::uint64_t cancelled[] = {0x3f80, 0xbf80};
    EXPECT_TRUE(within_bound(element_type::bf16, cancelled, 0x3c00, 1));  // 2^-7
    EXPECT_FALSE(within_bound(element_type::bf16, cancelled, 0x3c01, 1));
}

}  // namespace
}  // namespace polycast::hw::collectives
