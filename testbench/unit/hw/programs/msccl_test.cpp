// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/msccl.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "hw/collectives/definition.h"
#include "hw/programs/check.h"
#include "hw/programs/interpreter.h"
#include "hw/programs/loggops.h"
#include "hw/programs/places.h"
#include "hw/programs/summary.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::HasSubstr;
using testing::StartsWith;

/// Elements of the outputs that are not what the collective says.
std::uint64_t wrong_elements(const program& of) {
    return collectives::interpret_and_compare(of, 3).wrong;
}

std::uint64_t kinds(const summary& of, operation_kind kind) {
    return of.by_kind[static_cast<std::size_t>(kind)];
}

/// A good algorithm on two gpus, with one place changed.
std::string changed(const std::string& text, const std::string& by) {
    std::string all = bytes_of(sample_path("msccl/allreduce_2.xml"));
    const std::size_t at = all.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return all.replace(at, text.size(), by);
}

std::string refused(const std::string& text, const read_options& options = {}) {
    return refusal([&] { read_program_bytes("x.xml", text, options); });
}

std::string refused_change(const std::string& text, const std::string& by) {
    return refused(changed(text, by));
}

TEST(msccl, steps_become_operations) {
    const program made = sample("msccl/allreduce_2.xml");
    ASSERT_EQ(made.ranks(), 2u);
    ASSERT_EQ(made.of_rank(0).size(), 5u);  // s, r and +, s, r
    EXPECT_EQ(made.at({0, 0}).kind, operation_kind::send);
    EXPECT_EQ(made.places({0, 0}).source.offset, 4u);
    EXPECT_EQ(made.at({0, 1}).kind, operation_kind::receive);
    EXPECT_EQ(made.at({0, 2}).kind, operation_kind::reduce);
    EXPECT_EQ(made.at({0, 2}).tag, (combination{element_type::f32, reduction::sum}.tag()));
    EXPECT_EQ(made.places({0, 2}).source, made.places({0, 1}).destination);
    EXPECT_EQ(made.describe({0, 1}), "rank 0 line 6 'tb 0 step 1: recv 4b from 1'");
    EXPECT_EQ(made.computes()->kind, collective_kind::allreduce);
    EXPECT_EQ(made.computes()->elements, 2u);
    const summary found = summarise(made);
    EXPECT_EQ(kinds(found, operation_kind::send), 4u);
    EXPECT_EQ(found.longest_chain, 2u);
    EXPECT_TRUE(check(made).good());
    EXPECT_EQ(wrong_elements(made), 0u);
    EXPECT_FALSE(run_loggops(made, {}).stuck);
}

TEST(msccl, sizes_types_and_slices) {
    const std::string text = bytes_of(sample_path("msccl/allreduce_2.xml"));
    const auto read = [&](const read_options& options) { return read_program_bytes("x.xml", text, options); };
    for (const std::uint64_t slice : {0u, 4u, 100u, 400u, 1000u}) {
        const program made = read({.size = 800, .type = element_type::i32, .how = reduction::maximum, .slice = slice});
        EXPECT_EQ(made.computes()->elements, 200u);
        EXPECT_TRUE(check(made).good()) << slice;
        EXPECT_EQ(wrong_elements(made), 0u) << slice;
        EXPECT_EQ(made.of_rank(0).size(), 5 * (slice == 0 ? 1 : (399 / slice + 1))) << slice;
    }
    EXPECT_THAT(refused(text, {.size = 804}),
                "x.xml:2:2: a size of 804 bytes does not make 2 chunks of whole elements of f32; a multiple of 8");
    EXPECT_THAT(refused(text, {.how = reduction::exclusive_or}), "xor is for whole numbers, not for f32");
    EXPECT_THAT(refused(text, {.size = 800, .slice = 6}), "a slice of 6 bytes is not whole elements of f32");
    const std::string limited = changed("minBytes=\"0\" maxBytes=\"0\"", "minBytes=\"100\" maxBytes=\"199\"");
    EXPECT_THAT(refused(limited, {.size = 200}),
                StartsWith("x.xml:2:2: a size of 200 bytes; the algorithm is for 100 to 199; `ignore_range`"));
    EXPECT_THAT(refused(limited, {.size = 96}), HasSubstr("for 100 to 199"));
    EXPECT_EQ(refused(limited, {.size = 200, .ignore_range = true}), "accepted");
    EXPECT_EQ(read_program_bytes("x.xml", limited, {}).computes()->bytes(), 104u);
}

TEST(msccl, bad_files) {
    EXPECT_THAT(refusal([] { sample("bad/circular.xml"); }),
                HasSubstr(":5:8: gpu 0 has steps that wait for each other: step 0 of thread block 0, which waits for "
                          "step 0 of thread block 1"));
    const program raced = sample("bad/race.xml");
    EXPECT_EQ(find_races(raced, pair_messages(raced)).size(), 4u);
    EXPECT_EQ(check(raced).problems_found, 4u);
    EXPECT_THAT(check(raced).problems[0], StartsWith("race: rank 0 line 5 'tb 0 step 0: send 4b to 1' and rank 0 line "
                                                     "9 'tb 1 step 0: reduce 4b' touch bytes 0 to 4 of buffer 1"));
    const program wrong = sample("bad/no_reduction.xml");
    EXPECT_TRUE(check(wrong).good());
    EXPECT_EQ(wrong_elements(wrong), 4u);
}

TEST(msccl, every_step_kind_and_copy_does_what_it_says) {
    // Gpu 0 copies a chunk, gives chunk 1 to gpu 1, which adds and gives it to gpu 2, which adds, keeps it and gives it
    // on.
    const program made = read_program_bytes("x.xml", R"(<?xml version="1.0"?>
<algo name="x" proto="LL" nchannels="2" nchunksperloop="4" ngpus="3" coll="custom" redop="max">
  <gpu id="2" i_chunks="2" o_chunks="2" s_chunks="1">
    <tb id="0" send="0" recv="1" chan="1">
      <step s="0" type="rrcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="0" i_chunks="2" o_chunks="4" s_chunks="1">
    <copy i_off="0" o_off="3"/>
    <tb id="0" send="1" recv="-1" chan="1">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="-1" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="2" chan="1">
      <step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="-1" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="cpy" srcbuf="s" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="3" type="re" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="2" recv="0" chan="1">
      <step s="0" type="rrs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="-1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)",
                                            {.type = element_type::u8, .how = reduction::sum});
    EXPECT_FALSE(made.computes());
    EXPECT_TRUE(check(made).good());
    interpreter_options options;
    options.fill = [](std::uint32_t rank, std::uint32_t buffer, std::span<std::byte> bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(buffer == 0 ? 10 * (rank + 1) + i : 0);
    };
    const interpretation found = interpret(made, options);
    const auto byte = [&](std::uint32_t rank, std::uint32_t buffer, std::size_t at) {
        return std::to_integer<int>(found.buffers[rank][buffer][at]);
    };
    EXPECT_EQ(byte(2, 1, 1), 11 + 20 + 30);
    EXPECT_EQ(byte(0, 2, 0), 61);
    EXPECT_EQ(byte(0, 1, 0), 61 + 10);
    EXPECT_EQ(byte(0, 1, 3), 10);
    EXPECT_EQ(summarise(made).longest_chain, 3u);
}

/// Two gpus of one thread block each, which sends to and receives from the other. \param steps "s i1 . 1": kind,
/// source, destination, count
std::string two_gpus(const std::string& head, const std::string& chunks_0, const std::vector<std::string>& steps_0,
                     const std::string& chunks_1, const std::vector<std::string>& steps_1) {
    std::string text = "<algo name=\"x\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"2\" " + head + ">";
    for (const int gpu : {0, 1}) {
        const std::string own = std::to_string(gpu), other = std::to_string(1 - gpu);
        text += "<gpu id=\"" + own + "\" " + (gpu == 0 ? chunks_0 : chunks_1) + " s_chunks=\"0\">";
        text += "<tb id=\"0\" send=\"" + other + "\" recv=\"" + other + "\" chan=\"0\">";
        int number = 0;
        for (const std::string& one : gpu == 0 ? steps_0 : steps_1) {
            std::istringstream words(one);
            std::string kind, source, destination, count;
            words >> kind >> source >> destination >> count;
            const auto place = [](const std::string& which, const std::string& of) {
                const bool none = of == ".";
                return " " + which + "buf=\"" + (none ? "i" : of.substr(0, 1)) + "\" " + which + "off=\"" +
                       (none ? "-1" : of.substr(1)) + "\"";
            };
            text += "<step s=\"" + std::to_string(number++) + "\" type=\"" + kind + "\"" + place("src", source) +
                    place("dst", destination) + " cnt=\"" + count + "\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>";
        }
        text += "</tb></gpu>";
    }
    return text + "</algo>";
}

TEST(msccl, buffers_of_every_collective) {
    const std::string in_place = "inplace=\"1\" coll=", apart = "inplace=\"0\" coll=";
    const auto chunks = [](int input, int output) {
        return "i_chunks=\"" + std::to_string(input) + "\" o_chunks=\"" + std::to_string(output) + "\"";
    };
    const std::string algorithms[] = {
        two_gpus(in_place + "\"reduce_scatter\"", chunks(2, 0), {"s i1 . 1", "rrc i0 o0 1"}, chunks(2, 0),
                 {"s i0 . 1", "rrc i1 i1 1"}),
        two_gpus(apart + "\"reducescatter\"", chunks(2, 1), {"s i1 . 1", "rrc i0 o0 1"}, chunks(2, 1),
                 {"s i0 . 1", "rrc i1 o0 1"}),
        two_gpus(in_place + "\"allgather\"", chunks(0, 2), {"s i0 . 1", "r . o1 1"}, chunks(1, 2),
                 {"s i0 . 1", "r . o0 1"}),
        two_gpus(apart + "\"allgather\"", chunks(1, 2), {"cpy i0 o0 1", "s i0 . 1", "r . o1 1"}, chunks(1, 2),
                 {"cpy i0 o1 1", "s i0 . 1", "r . o0 1"}),
        two_gpus(in_place + "\"broadcast\"", chunks(2, 0), {"s i0 . 2"}, chunks(2, 0), {"r . o0 2"}),
        two_gpus(apart + "\"broadcast\"", chunks(2, 2), {"cpy i0 o0 2", "s i0 . 2"}, chunks(0, 2), {"r . o0 2"}),
        two_gpus(in_place + "\"reduce\"", chunks(2, 0), {"rrc i0 i0 2"}, chunks(2, 0), {"s i0 . 2"}),
        two_gpus(apart + "\"reduce\"", chunks(2, 2), {"rrc i0 o0 2"}, chunks(2, 0), {"s i0 . 2"}),
        two_gpus(in_place + "\"gather\"", chunks(0, 2), {"r . o1 1"}, chunks(1, 0), {"s i0 . 1"}),
        two_gpus(apart + "\"gather\"", chunks(1, 2), {"cpy i0 o0 1", "r . o1 1"}, chunks(1, 0), {"s i0 . 1"}),
        two_gpus(in_place + "\"scatter\"", chunks(2, 0), {"s i1 . 1"}, chunks(0, 1), {"r . o0 1"}),
        two_gpus(apart + "\"scatter\"", chunks(2, 1), {"cpy i0 o0 1", "s i1 . 1"}, chunks(0, 1), {"r . o0 1"}),
        two_gpus(apart + "\"alltoall\"", chunks(2, 2), {"cpy i0 o0 1", "s i1 . 1", "r . o1 1"}, chunks(2, 2),
                 {"cpy i1 o1 1", "s i0 . 1", "r . o0 1"}),
        two_gpus(apart + "\"allreduce\"", chunks(2, 2), {"s i0 . 2", "rrc i0 o0 2"}, chunks(2, 2),
                 {"s i0 . 2", "rrc i0 o0 2"}),
    };
    for (const std::string& text : algorithms) {
        for (const std::uint64_t size : {8u, 64u}) {
            const program made = read_program_bytes("x.xml", text, {.size = size, .slice = size == 64 ? 12u : 0u});
            EXPECT_TRUE(check(made).good()) << text << check(made).problems[0];
            EXPECT_EQ(wrong_elements(made), 0u) << text;
        }
    }
}

TEST(msccl, programs_of_another_protocol_are_others) {
    std::string text = bytes_of(sample_path("msccl/allreduce_2.xml"));
    const program simple = read_program_bytes("x.xml", text, {});
    EXPECT_EQ(read_program_bytes("x.xml", text, {}), simple);
    text.replace(text.find("\"Simple\""), 8, "\"LL\"");
    EXPECT_NE(read_program_bytes("x.xml", text, {}), simple);
}

TEST(msccl, every_element_attribute_and_number_is_verified) {
    EXPECT_THAT(refused("<algo"), HasSubstr("not well-formed XML"));
    EXPECT_THAT(refused("<!DOCTYPE algo [<!ENTITY a \"b\">]><algo/>"),
                "x.xml:1:1: a document type; algorithms have none");
    EXPECT_THAT(refused_change("name=\"allreduce_2\"", "name=\"&a;\""),
                StartsWith("x.xml:2:13: unknown entity '&a'; known: &lt;"));
    EXPECT_EQ(refused_change("name=\"allreduce_2\"", "name=\"a &amp; b\""), "accepted");
    EXPECT_EQ(refused_change("<algo", "<?by me & you?><!-- R&D & so > on -->\n<algo"), "accepted");
    EXPECT_THAT(refused_change("name=\"allreduce_2\"", "name=\"<!-- > &a; -->\""), HasSubstr("unknown entity '&a'"));
    EXPECT_THAT(refused_change("</algo>", "<!-- & --> &a;</algo>"), HasSubstr("unknown entity '&a'"));
    EXPECT_THAT(refused_change("nchannels=\"1\"", "nchanels=\"1\""),
                StartsWith("x.xml:2:41: unknown attribute 'nchanels' of <algo>; did you mean 'nchannels'?"));
    EXPECT_THAT(refused_change(" nchannels=\"1\"", ""), "x.xml:2:2: <algo> without 'nchannels'");
    EXPECT_THAT(refused_change("proto=\"Simple\"", "proto=\"Simpel\""),
                "x.xml:2:26: unknown proto 'Simpel'; did you mean 'Simple'?");
    EXPECT_THAT(refused_change("coll=\"allreduce\"", "coll=\"all\""), HasSubstr("unknown coll 'all'"));
    EXPECT_THAT(refused_change("ngpus=\"2\"", "ngpus=\"3\""), "x.xml:2:74: ngpus is 3, and the file has 2 <gpu>");
    EXPECT_THAT(refused_change("<gpu id=\"1\"", "<gpu id=\"0\""), "x.xml:11:4: the gpu 0 a second time");
    EXPECT_THAT(refused_change("<tb id=\"0\"", "<tb id=\"1\""), "x.xml:4:9: thread block 1 where 0 comes next");
    EXPECT_THAT(refused_change("<step s=\"1\"", "<step s=\"2\""), "x.xml:6:13: step 2 where 1 comes next");
    EXPECT_THAT(refused_change("type=\"rrc\"", "type=\"rcr\""), StartsWith("x.xml:6:19: unknown type 'rcr'"));
    EXPECT_THAT(refused_change("srcbuf=\"i\"", "srcbuf=\"x\""), StartsWith("x.xml:5:28: unknown srcbuf 'x'"));
    EXPECT_THAT(refused_change("srcoff=\"1\"", "srcoff=\"-1\""), "x.xml:5:39: srcoff is 0 to 1048576, found '-1'");
    EXPECT_THAT(refused_change("cnt=\"1\"", "cnt=\"0\""), HasSubstr("cnt is 1 to 1048576, found '0'"));
    EXPECT_THAT(refused_change("cnt=\"1\"", "cnt=\"1x\""), HasSubstr("found '1x'"));
    EXPECT_THAT(refused_change("cnt=\"1\"", "cnt=\"2\""), "x.xml:5:8: chunks 1 to 2 of buffer i, of which gpu 0 has 2");
    EXPECT_THAT(refused_change("send=\"1\" recv=\"1\"", "send=\"-1\" recv=\"1\""),
                HasSubstr("a step that sends, and its thread block has send=\"-1\""));
    EXPECT_THAT(refused_change("send=\"1\" recv=\"1\"", "send=\"1\" recv=\"-1\""),
                HasSubstr("a step that receives, and its thread block has recv=\"-1\""));
    EXPECT_THAT(refused_change("depid=\"-1\"", "depid=\"0\""), HasSubstr("both -1, or both name something"));
    EXPECT_THAT(refused_change("depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\""),
                "x.xml:5:8: waits for thread block 1; the gpu has 1");
    EXPECT_THAT(refused_change("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"4\""),
                "x.xml:5:8: waits for step 4 of thread block 0, which has 4");
    EXPECT_THAT(refused_change("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"3\""),
                "x.xml:5:8: waits for step 3 of thread block 0, whose hasdep is 0");
    EXPECT_THAT(refused_change("<tb id", "<tb idd=\"0\" id"), HasSubstr("unknown attribute 'idd' of <tb>"));
    EXPECT_THAT(refused_change("<tb id", "<tbs/><tb id"), HasSubstr("unknown element 'tbs' in <gpu>; did you mean"));
    EXPECT_THAT(refused_change("<tb id", "words<tb id"), HasSubstr("text in <gpu>"));
    EXPECT_THAT(refused_change("</algo>", "</algo><algo/>"), HasSubstr("there is one <algo>"));
    EXPECT_THAT(refused_change("chan=\"0\"", "chan=\"1\""),
                "x.xml:14:8: gpu 0 to gpu 1, channel 0: what is received here is never sent");
    EXPECT_THAT(refused_change("type=\"r\"", "type=\"nop\""), HasSubstr("cnt is 0 to 0, found '1'"));
    EXPECT_THAT(
        refused_change("    </tb>",
                       "    </tb>\n    <tb id=\"1\" send=\"1\" recv=\"-1\" chan=\"0\"><step s=\"0\" "
                       "type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" "
                       "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/></tb>"),
        StartsWith("x.xml:10:6: a second thread block that sends to gpu 1 on channel 0; the first is in line 4"));
}

TEST(msccl, known_values_of_production_algorithms) {
    if (shared_programs().empty()) GTEST_SKIP() << "shared/data is not there: set POLYCAST_SHARED_DATA";
    const struct {
        const char* file;
        std::uint64_t messages, chunks, additions, chain;
    } known[] = {
        {"msccl/allreduce_2", 4, 4, 2, 2},        {"chakra/ring_allreduce_8/custom_allreduce", 112, 112, 56, 14},
        {"msccl/ar_tree_12_LL", 144, 144, 72, 6}, {"msccl/ar_hier_12_Simple", 144, 144, 96, 3},
        {"msccl/ag_hier_4_LL", 48, 48, 0, 2},     {"msccl/ag_hier_4_Simple", 48, 48, 0, 2},
        {"msccl/r48ll", 896, 896, 448, 14},       {"msccl/ap2ll", 224, 1792, 896, 2},
        {"msccl/ag-1k-512k", 112, 112, 0, 1},     {"msccl/a2a2ll", 112, 112, 0, 1},
        {"msccl/alltoall-8n-0-9kb", 56, 56, 0, 1}};
    for (const auto& one : known) {
        const std::string path = shared_programs() + one.file + ".xml", text = programs::bytes_of(path);
        const program made = read_program(path);
        const std::uint64_t chunks = std::stoull(text.substr(text.find("nchunksperloop=\"") + 16));
        const std::uint64_t chunk = made.computes()->bytes() / chunks;
        const summary found = summarise(made);
        std::uint64_t added = 0;
        for (std::uint32_t rank = 0; rank < made.ranks(); ++rank)
            for (const operation& each : made.of_rank(rank))
                if (each.kind == operation_kind::reduce) added += each.length;
        EXPECT_EQ(kinds(found, operation_kind::send), one.messages) << one.file;
        EXPECT_EQ(found.bytes, one.chunks * chunk) << one.file;
        EXPECT_EQ(added, one.additions * chunk) << one.file;
        EXPECT_EQ(found.longest_chain, one.chain) << one.file;
        // Connections of NCCL hold more than a chunk: sends never wait.
        const check_result checked = check(made, {.eager = made.computes()->bytes()});
        EXPECT_TRUE(checked.good()) << one.file << ": " << checked.problems[0];
        EXPECT_EQ(wrong_elements(made), 0u) << one.file;
        EXPECT_FALSE(run_loggops(made, {}).stuck) << one.file;
    }
}

}  // namespace
}  // namespace polycast::hw::programs
