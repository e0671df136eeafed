// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/chakra.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <tuple>

#include "hw/collectives/algorithm_table.h"
#include "hw/input_error.h"
#include "hw/programs/check.h"
#include "hw/programs/goal_form.h"
#include "hw/programs/loggops.h"
#include "hw/programs/summary.h"
#include "testbench/unit/hw/programs/chakra_writer.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using namespace chakra_writer;
using polycast::testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

read_options on_ranks(std::uint32_t ranks) {
    read_options made;
    made.chakra.ranks = ranks;
    return made;
}

program read(const std::string& bytes, const read_options& options = on_ranks(1)) {
    return read_program_bytes("x.et", bytes, options, program_format::chakra);
}

std::string why(const std::string& bytes, const read_options& options = on_ranks(1)) {
    return refusal([&] { read(bytes, options); });
}

program expanded(const program& of, std::string_view algorithms = "") {
    const collectives::algorithm_table table = collectives::algorithms_in(algorithms, "test");
    return collectives::expand_collectives(
               of, [&](const collective& one, auto) -> const auto& { return table.choose(one.kind); })
        .made;
}

std::vector<std::uint32_t> waiting(const program& of, operation_id id) {
    std::vector<std::uint32_t> found;
    for (const dependent& one : of.dependents(id)) found.push_back(one.index());
    return found;
}

TEST(chakra, nodes_become_operations_in_the_order_of_their_ids) {
    read_options options = on_ranks(2);
    options.chakra.memory = 2'000'000'000;
    const program made = read(trace({node(9, "load", mem_load, {4}, whole("tensor_size", 4001)),
                                     node(4, "compute", comp, {}, micros(3) + on_cpu(true)), node(5, "none", invalid),
                                     node(6, "words", metadata), node(7, "gpu", comp, {4}, micros(2)),
                                     node(8, "launch", coll, {4}, micros(1) + on_cpu(true))}),
                              options);
    ASSERT_EQ(made.ranks(), 2u);
    for (const std::uint32_t rank : {0u, 1u}) {
        const auto own = made.of_rank(rank);
        ASSERT_EQ(own.size(), 6u);
        EXPECT_EQ(own[0].kind, operation_kind::calc);
        EXPECT_EQ(own[0].length, 3000u);
        EXPECT_EQ(own[0].cpu, 0);
        EXPECT_EQ(own[1].kind, operation_kind::none);
        EXPECT_EQ(own[2].kind, operation_kind::none);
        EXPECT_EQ(own[3].length, 2000u);
        EXPECT_EQ(own[3].cpu, 1);
        EXPECT_EQ(own[4].kind, operation_kind::calc) << "the launch of a collective";
        EXPECT_EQ(own[4].length, 1000u);
        EXPECT_EQ(own[5].length, 2001u) << "4001 bytes at 2 bytes a nanosecond, rounded up";
        EXPECT_THAT(waiting(made, {rank, 0}), ElementsAre(3, 4, 5));
    }
    EXPECT_EQ(made.describe({1, 3}), "rank 1 operation 3 'node 7 'gpu': calc 2000'");
}

TEST(chakra, numbers_are_of_any_type) {
    using chakra_writer::attribute;
    const std::string little("\x00\x01\x00\x00\x00\x00\x00\x00", 8);
    const std::string sizes[] = {number(7, 256),
                                 number(9, 256),
                                 number(11, 256),
                                 number(13, 256),
                                 number(15, 512),
                                 number(17, 512),
                                 varint(19 << 3 | 5) + little.substr(0, 4),
                                 varint(21 << 3 | 1) + little,
                                 varint(23 << 3 | 5) + little.substr(0, 4),
                                 varint(25 << 3 | 1) + little};
    for (const std::string& size : sizes) {
        const std::string one = trace({node(0, "a", send, {}, whole("comm_dst", 1) + attribute("comm_size", size))});
        const std::string other =
            trace({node(0, "b", recv, {}, whole("comm_src", 0) + whole("comm_size", 256) + whole("comm_tag", 0))});
        const program_bytes files[] = {{"a", one}, {"b", other}};
        const program made = read_program_files(files);
        EXPECT_EQ(made.of_rank(0)[0].length, 256u);
        EXPECT_THAT(check(made).problems, IsEmpty());
    }
}

TEST(chakra, sizes_of_collectives_are_those_of_the_larger_buffer) {
    const auto length = [](std::int64_t type, std::int64_t size) {
        const program made =
            read(trace({node(0, "c", coll, {}, whole("comm_type", type) + whole("comm_size", size))}), on_ranks(4));
        EXPECT_EQ(made.of_rank(3)[0].kind, operation_kind::collective);
        return std::pair(static_cast<collective_kind>(made.of_rank(3)[0].tag), made.of_rank(3)[0].length);
    };
    EXPECT_EQ(length(0, 100), std::pair(collective_kind::allreduce, 100ul));
    EXPECT_EQ(length(1, 100), std::pair(collective_kind::reduce, 100ul));
    EXPECT_EQ(length(2, 100), std::pair(collective_kind::allgather, 400ul));
    EXPECT_EQ(length(3, 100), std::pair(collective_kind::gather, 400ul));
    EXPECT_EQ(length(4, 100), std::pair(collective_kind::scatter, 400ul));
    EXPECT_EQ(length(5, 100), std::pair(collective_kind::broadcast, 100ul));
    EXPECT_EQ(length(6, 100), std::pair(collective_kind::all_to_all, 100ul));
    EXPECT_EQ(length(7, 100), std::pair(collective_kind::reduce_scatter, 100ul));
    EXPECT_EQ(length(8, 100), std::pair(collective_kind::reduce_scatter, 100ul));
    EXPECT_EQ(length(9, 100), std::pair(collective_kind::barrier, 0ul));
}

TEST(chakra, roofline_takes_the_longer_of_operations_and_bytes) {
    read_options options = on_ranks(1);
    options.chakra.compute = compute_time::roofline;
    const auto time = [&](std::int64_t operations, std::int64_t bytes) {
        const std::string more = micros(77) + whole("num_ops", operations) + whole("tensor_size", bytes);
        return read(trace({node(0, "c", comp, {}, more)}), options).of_rank(0)[0].length;
    };
    EXPECT_THAT(refusal([&] { time(1, 1); }), HasSubstr("'c' (record 1, byte 8): how many operations a second"));
    options.chakra.peak = 3'000'000'000;
    EXPECT_THAT(refusal([&] { time(1, 1); }), HasSubstr("how fast the memory is"));
    options.chakra.memory = 500'000'000;
    EXPECT_EQ(time(3001, 10), 1001u);
    EXPECT_EQ(time(3001, 1000), 2000u);
    EXPECT_EQ(read(trace({node(0, "c", comp, {}, micros(77))}), options).of_rank(0)[0].length, 77'000u);
    options.chakra.compute = compute_time::trace;
    EXPECT_EQ(time(3001, 1000), 77'000u);
}

TEST(chakra, groups_come_from_the_trace_or_a_file) {
    const program made = read_program(sample_path("chakra/step"));
    ASSERT_EQ(made.ranks(), 4u);
    const operation& own = made.of_rank(3)[3];
    EXPECT_EQ(made.group_name(own.communicator), "2");
    EXPECT_THAT(made.groups()[own.communicator - 1u], ElementsAre(2, 3));
    EXPECT_THAT(made.groups()[made.of_rank(0)[7].communicator - 1u], ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(made.of_rank(0)[8].communicator, 0);
    read_options options;
    options.chakra.groups = {"groups.json", R"({"0": [], "1": [1, 0], "2": [2, 3]})"};
    EXPECT_EQ(read_program(sample_path("chakra/step"), options), made);
    const auto refused = [&](const char* text) {
        options.chakra.groups = {"groups.json", text};
        return refusal([&] { read_program(sample_path("chakra/step"), options); });
    };
    EXPECT_THAT(refused(R"({"0": [], "1": [0, 2], "2": [1, 3]})"),
                HasSubstr("rank 1 executes it, and is no member of group '1'"));
    EXPECT_THAT(refused(R"({"0": []})"), HasSubstr("there is no group '1'"));
    EXPECT_THAT(refused("{\"0\": [],\n \"1\": [4]}"), HasSubstr("rank 4; the trace has ranks 0 to 3"));
    EXPECT_THAT(refused("{\"0\": [1, 1]}"), HasSubstr("rank 1 is twice in group '0'"));
    EXPECT_THAT(refused("{\"0\": [],\n\"1\": }"), StartsWith("groups.json:2:6: syntax error"));
    EXPECT_THAT(refused("[1]"), HasSubstr("a list where an object of groups is wanted"));
    EXPECT_THAT(refused(R"({"0": [], "0": []})"), HasSubstr("group '0' is there twice"));
}

TEST(chakra, a_list_of_groups_is_python_s_or_json) {
    const auto members = [](const std::string& inputs) {
        const std::string groups = node(0, "init", metadata, {}, text(8, text(1, inputs)));
        const std::string use = whole("comm_type", 0) + whole("comm_size", 8) + attribute("pg_name", text(29, "7"));
        const program made = read(trace({groups, node(1, "c", coll, {}, use)}), on_ranks(2));
        return made.groups()[0];
    };
    EXPECT_THAT(members(R"(['[{"pg_name": "7", "ranks": [0, 1], "more": {"a": [[1], "x", null]}}]'])"),
                ElementsAre(0, 1));
    EXPECT_THAT(members(R"(["[{\"pg_name\": \"7\", \"ranks\": []}]"])"), ElementsAre(0, 1));
    EXPECT_THAT(members(R"([{"pg_name": 7, "ranks": [1, 0]}])"), ElementsAre(0, 1));
    EXPECT_THAT(refusal([&] { members(R"([{"pg_name": "7"}])"); }), HasSubstr("group '7' without ranks"));
    EXPECT_THAT(refusal([&] { members(R"([{"ranks": [], "x": "pg_name"}])"); }), HasSubstr("a group without pg_name"));
    EXPECT_THAT(refusal([&] { members("pg_name"); }), HasSubstr("hold no list of groups"));
}

TEST(chakra, streams_keep_order_beside_dependencies) {
    const auto collective = [](std::uint64_t id, std::int64_t tid) {
        return node(id, "c", coll, {}, whole("comm_type", 9) + whole("tid", tid));
    };
    const std::string bytes =
        trace({collective(0, 1), collective(1, 2), collective(2, 1), node(3, "compute", comp, {}, whole("tid", 2)),
               node(4, "launch", comp, {}, on_cpu(true) + whole("tid", 2))});
    read_options options = on_ranks(2);
    const auto edges = [&](stream_order order) {
        options.chakra.streams = order;
        const program made = read(bytes, options);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
        for (std::uint32_t i = 0; i < 5; ++i)
            for (const std::uint32_t one : waiting(made, {1, i})) found.emplace_back(i, one);
        return found;
    };
    using pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    EXPECT_EQ(edges(stream_order::dependencies), pairs{});
    EXPECT_EQ(edges(stream_order::serial), (pairs{{0, 1}, {1, 2}}));
    EXPECT_EQ(edges(stream_order::tid), (pairs{{0, 2}, {1, 3}}));
    const std::string against =
        trace({node(0, "c", coll, {1}, whole("comm_type", 9)), node(1, "d", coll, {}, whole("comm_type", 9))});
    EXPECT_THAT(why(against), HasSubstr("dependencies and the order of `streams` make a cycle: node"));
}

TEST(chakra, what_is_not_clean_is_refused_with_counts_or_repaired) {
    const std::string bytes = bytes_of(sample_path("bad/unclean.et"));
    EXPECT_EQ(why(bytes, on_ranks(2)),
              "x.et: the trace is not clean: of 5 nodes (4 COMP, 1 COMM_COLL) 1 dependencies are on absent nodes, 1 "
              "nodes depend on themselves, 3 nodes are in or behind cycles; the shortest cycle: node 3 'on itself' "
              "waits for itself; `repair: drop` leaves out dependencies on absent nodes, on the node itself and on "
              "higher ids");
    read_options options = on_ranks(2);
    options.chakra.repair = trace_repair::drop;
    std::string warned;
    options.warn = [&](const std::string& text) { warned = text; };
    const program made = read(bytes, options);
    EXPECT_EQ(made.repaired(), (repair_counts{1, 1, 1}));
    EXPECT_THAT(warned, HasSubstr("3 dependencies are left out: 1 on absent nodes, 1 of nodes on themselves, 1 on"));
    EXPECT_THAT(waiting(made, {0, 0}), ElementsAre(1, 2));
    EXPECT_THAT(waiting(made, {0, 2}), ElementsAre(3));
    EXPECT_FALSE(run_loggops(expanded(made), {}).stuck);
    // Of two nodes; and an order against ids, which is no fault.
    EXPECT_THAT(why(trace({node(1, "a", comp, {2}), node(2, "b", comp, {1})})),
                HasSubstr("2 nodes are in or behind cycles; the shortest cycle: node 1 'a' waits for node 2 'b', which "
                          "waits for node 1 'a'"));
    EXPECT_THAT(waiting(read(trace({node(1, "a", comp, {2}), node(2, "b", comp)})), {0, 1}), ElementsAre(0));
}

TEST(chakra, files_of_a_prefix_are_ranks) {
    EXPECT_THAT(program_files(sample_path("chakra/step")).size(), 4u);
    EXPECT_THAT(program_files(sample_path("chakra/all_gather.et")), ElementsAre(sample_path("chakra/all_gather.et")));
    EXPECT_EQ(detect_program_format(bytes_of(sample_path("chakra/step.0.et"))), program_format::chakra);
    EXPECT_EQ(detect_program_format(trace({})), program_format::chakra);
    EXPECT_EQ(detect_program_format("\x05hello"), std::nullopt);
    const std::string folder = testing::TempDir() + "chakra_gap/";
    std::filesystem::create_directories(folder);
    for (const char* name : {"p.0.et", "p.2.et", "p.x.et", "p.02.et"}) std::ofstream(folder + name) << trace({});
    EXPECT_EQ(
        refusal([&] { program_files(folder + "p"); }),
        folder + "p.1.et: is not there, but " + folder + "p.2.et is; a trace has a file for each rank, from 0 on");
    std::filesystem::remove_all(folder);
    read_options options = on_ranks(3);
    EXPECT_THAT(refusal([&] { read_program(sample_path("chakra/step"), options); }),
                HasSubstr("`ranks` is 3, and the trace has 4 files"));
    EXPECT_THAT(why(trace({}), {}), HasSubstr("does not say how many ranks execute it"));
    EXPECT_THAT(why(trace({node(0, "s", send, {}, whole("comm_dst", 0) + whole("comm_size", 1))})),
                HasSubstr("node 0 's' (record 1, byte 8): a send or receive in a trace that all ranks execute"));
}

TEST(chakra, bad_records_and_nodes) {
    const std::string good = trace({node(0, "a", comp, {}, micros(1))});
    EXPECT_EQ(why(""), "x.et: the file is empty; a trace begins with its metadata");
    EXPECT_EQ(why(good.substr(0, good.size() - 1)),
              "x.et: record 1 (byte 8): 9 bytes, and the file ends at byte 17: is it cut short?");
    EXPECT_EQ(why(good + "\xff"), "x.et: record 2 (byte 18): its length is no number: is the file cut short?");
    EXPECT_EQ(why(good + varint(most_bytes)),
              "x.et: record 2 (byte 18): 4294967295 bytes; a record has at most 67108864");
    EXPECT_THAT(why(good + std::string("\x02\x07\x00", 3)), HasSubstr("is damaged"));
    EXPECT_EQ(why(trace({node(0, "a", comp), node(1, "b", comp), node(0, "c", comp)})),
              "x.et: record 3 (byte 24): node 0 is there twice: record 1 has this id, too");
    EXPECT_THAT(why(trace({node(0, "a", 8)})), HasSubstr("type 8; known: 0 INVALID to 7 COMM_COLL"));
    const auto coll_with = [](const std::string& more) {
        return why(trace({node(0, "c", coll, {}, more)}), on_ranks(4));
    };
    EXPECT_THAT(coll_with(whole("com_size", 1)), HasSubstr("unknown attribute 'com_size'; did you mean 'comm_size'?"));
    EXPECT_THAT(coll_with(whole("comm_type", 0) + whole("comm_type", 0)),
                HasSubstr("attribute 'comm_type' is there twice"));
    EXPECT_THAT(coll_with(attribute("comm_type", text(29, "ring"))),
                HasSubstr("attribute 'comm_type' is no whole number"));
    EXPECT_THAT(coll_with(attribute("is_cpu_op", number(9, 1))), HasSubstr("attribute 'is_cpu_op' is no truth value"));
    EXPECT_THAT(coll_with(""), HasSubstr("it has no 'comm_type'"));
    EXPECT_THAT(coll_with(whole("comm_type", 10)), HasSubstr("'comm_type' is 10; known: 0 ALL_REDUCE to 9 BARRIER"));
    EXPECT_THAT(coll_with(whole("comm_type", 0)), HasSubstr("it has no 'comm_size'"));
    EXPECT_THAT(coll_with(whole("comm_type", 2) + whole("comm_size", 1 << 30)), HasSubstr("this is one of 4 blocks"));
    EXPECT_THAT(coll_with(whole("comm_type", 5) + whole("comm_size", 1) + whole("comm_src", 4)),
                HasSubstr("its root, is 4; ranks are 0 to 3"));
    EXPECT_THAT(coll_with(whole("comm_type", 0) + whole("comm_size", 1) + attribute("pg_name", text(29, "x"))),
                HasSubstr("there is no group 'x'; the trace has no METADATA node that lists groups"));
    const auto send_with = [](const std::string& more) { return why(trace({node(0, "s", send, {}, more)})); };
    EXPECT_THAT(send_with(whole("comm_size", 1)), HasSubstr("it has no 'comm_dst'"));
    EXPECT_THAT(send_with(whole("comm_size", 1) + whole("comm_dst", -1)),
                HasSubstr("'comm_dst' is -1; ranks are 0 to 0"));
    EXPECT_THAT(send_with(whole("comm_size", -1) + whole("comm_dst", 0)), HasSubstr("'comm_size' is -1"));
    EXPECT_THAT(send_with(whole("comm_size", 1) + whole("comm_dst", 0) + whole("comm_tag", -1)),
                HasSubstr("'comm_tag' is -1"));
    EXPECT_THAT(why(trace({node(0, "l", mem_load)})), HasSubstr("it has no 'tensor_size'"));
    EXPECT_THAT(why(trace({node(0, "c", comp, {}, micros(~std::uint64_t{0}))})), HasSubstr("the longest calculation"));
    std::string many;
    for (int i = 0; i <= 65'536; ++i) many += text(10, "");
    EXPECT_THAT(why(trace({node(0, "c", comp, {}, many)})), HasSubstr("65537 attributes; at most 65536"));
}

TEST(chakra, the_kth_collective_of_a_group_is_one) {
    const auto file = [](std::int64_t size) {
        return trace({node(0, "first", coll, {}, whole("comm_type", 0) + whole("comm_size", size))});
    };
    const std::string one = file(8), other = file(16), none = trace({});
    const program_bytes differ[] = {{"a", one}, {"b", other}}, fewer[] = {{"a", one}, {"b", none}};
    EXPECT_EQ(refusal([&] { expanded(read_program_files(differ)); }),
              "rank 0 operation 0 'node 0 'first': collective 8b': is not the same collective as rank 1 operation 0 "
              "'node 0 'first': collective 16b'");
    EXPECT_THAT(refusal([&] { expanded(read_program_files(fewer)); }),
                HasSubstr("rank 1 has only 0 collectives of group 0"));
}

TEST(chakra, a_step_of_training_runs_with_any_algorithm) {
    const program made = read_program(sample_path("chakra/step"));
    for (const char* algorithms : {"", "default=ring", "allreduce=doubling,barrier=tree", "reduce_scatter=halving"}) {
        const program messages = expanded(made, algorithms);
        EXPECT_THAT(check(messages).problems, IsEmpty());
        const loggops_result result = run_loggops(messages, {});
        EXPECT_FALSE(result.stuck);
        EXPECT_GT(result.latest(), 8000u) << "5 + 3 us of compute";
    }
    EXPECT_THAT(refusal([&] { expanded(made, "allreduce=halving"); }),
                HasSubstr("'allreduce' has no algorithm 'halving'"));
    EXPECT_THAT(refusal([&] { expanded(made, "allreduc=ring"); }), HasSubstr("expected COLLECTIVE=ALGORITHM"));
    EXPECT_THAT(refusal([&] { expanded(made, "default=none"); }), HasSubstr("no collective has an algorithm 'none'"));
}

TEST(chakra, as_goal_it_has_the_same_messages) {
    const program made = expanded(read_program(sample_path("chakra/step"))), goal = goal_form(made);
    EXPECT_TRUE(goal.groups().empty());
    EXPECT_EQ(goal.dependencies(), made.dependencies());
    EXPECT_EQ(summarise(goal).bytes, summarise(made).bytes);
    EXPECT_EQ(summarise(goal).longest_chain, summarise(made).longest_chain);
    EXPECT_THAT(check(goal).problems, IsEmpty());
    EXPECT_EQ(read_program_bytes("again", written(goal, program_format::goal_binary)), goal);
    // A send of the step, and the first of each of two collectives, had tag 0 or 7 in three communicators.
    std::set<std::uint32_t> tags;
    for (const operation& one : goal.of_rank(0))
        if (one.kind == operation_kind::send) tags.insert(one.tag);
    EXPECT_EQ(tags.size(), 4u);
}

TEST(chakra, known_values_of_others_traces) {
    const std::string shared = shared_programs();
    if (shared.empty()) GTEST_SKIP() << "the samples of others are not here";
    const program trace = read_program(shared + "chakra/ring_allreduce_8/custom_allreduce");
    read_options options;
    options.size = 1 << 20;
    const program xml = read_program(shared + "chakra/ring_allreduce_8/custom_allreduce.xml", options);
    using pair = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
    const auto messages = [](const program& of) {
        std::map<pair, int> found;
        for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
            for (const operation& one : of.of_rank(rank))
                if (one.kind == operation_kind::send) ++found[{rank, one.peer, one.length}];
        return found;
    };
    EXPECT_EQ(messages(trace), messages(xml));
    EXPECT_EQ(summarise(trace).longest_chain, 14u);
    const std::pair<const char*, std::uint64_t> known[] = {
        {"all_gather", 8u << 20}, {"all_reduce", 1u << 20}, {"all_to_all", 1u << 20}, {"reduce_scatter", 1u << 20}};
    for (const auto& [name, bytes] : known) {
        const program one = read_program(shared + "chakra/one_collective_8/" + name);
        ASSERT_EQ(one.operations(), 8u);
        EXPECT_EQ(one.at({7, 0}).length, bytes) << name;
        EXPECT_FALSE(run_loggops(expanded(one), {.S = 1 << 21}).stuck) << name;
    }
}

}  // namespace
}  // namespace polycast::hw::programs
