// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/goal_binary.h"

#include <gmock/gmock.h>

#include <cstring>

#include "hw/input_error.h"
#include "hw/programs/goal_binary_layout.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Two ranks: the first has a calc (0) and a send (1) that waits for it, the second a receive.
std::string small_file() {
    return written(goal("num_ranks 2\nrank 0 {\na: calc 5\ns: send 8b to 1 tag 3\ns requires a\n}\nrank 1 {\nrecv 8b "
                        "from 0 tag 3\n}\n"),
                   program_format::goal_binary);
}

// Where things of small_file() are.
constexpr std::size_t table = 14, rank0 = table + 2 * 16, roots0 = rank0 + 8, records0 = roots0 + 4;
constexpr std::size_t appendix0 = records0 + 2 * 39, rank1 = appendix0 + 4, records1 = rank1 + 12;

template <typename number>
std::string changed(std::string bytes, std::size_t at, number value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
}

std::string refused(const std::string& bytes) {
    return refusal([&] { read_program_bytes("x.bin", bytes, {}, program_format::goal_binary); });
}

TEST(goal_binary, samples_equal_their_texts_byte_for_byte) {
    for (const std::string name : {"goal/allreduce_ring_8", "goal/random_2"}) {
        const program text = sample(name + ".goal");
        EXPECT_EQ(sample(name + ".bin"), text);
        EXPECT_TRUE(written(text, program_format::goal_binary) == bytes_of(sample_path(name + ".bin"))) << name;
    }
}

TEST(goal_binary, wildcards_cpus_and_rows_in_any_order_survive) {
    const program made = goal(
        "num_ranks 2\nrank 0 {\na: recv 1b from -1 tag -1 cpu 2\nb: recv 2b from 1 tag -1\nc: recv 0b from -1\n"
        "c requires a\nb irequires a\nb requires a\n}\nrank 1 {\nsend 1b to 0 nic 4\n}\n",
        {nic_meaning::hosts});
    const std::string bytes = written(made, program_format::goal_binary);
    EXPECT_EQ(read_program_bytes("x", bytes, {nic_meaning::hosts}), made);
    EXPECT_THAT(refused(bytes), StartsWith("x.bin: messages take several NICs"));
}

TEST(goal_binary, heads_are_verified) {
    const std::string good = small_file();
    ASSERT_EQ(refused(good), "accepted");
    EXPECT_THAT(refused(changed<std::uint64_t>(good, 0, 2342)),
                StartsWith("x.bin: spoilt by a run of LogGOPSim with --save-mem"));
    EXPECT_THAT(refusal([&] { read_program_bytes("x", changed<std::uint64_t>(good, 0, 2342)); }),
                HasSubstr("--save-mem"));
    EXPECT_THAT(refused(changed<std::uint64_t>(good, 0, 4224)), StartsWith("x.bin: this is no binary GOAL"));
    EXPECT_THAT(refused(good.substr(0, 10)), StartsWith("x.bin: is cut short: it has 10 bytes"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, 8, 0)), StartsWith("x.bin: byte 8: 0 ranks"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, 8, 0xffffffff)), StartsWith("x.bin: byte 8: 4294967295 ranks"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, 8, 60000)),
                HasSubstr("the table of 60000 ranks ends at byte 960014"));
}

TEST(goal_binary, parts_of_ranks_are_verified) {
    const std::string good = small_file();
    EXPECT_THAT(refused(changed<std::uint64_t>(good, table, 3)),
                StartsWith("x.bin: rank 0 (byte 14): its part of the file, 3 to "));
    EXPECT_THAT(refused(changed<std::uint64_t>(good, table + 24, ~std::uint64_t{0})), HasSubstr("is it cut short?"));
    EXPECT_THAT(refused(good.substr(0, good.size() - 1)),
                HasSubstr("rank 1 (byte 30): its part ends at byte 191, the file at byte 190"));
    EXPECT_THAT(refused(good + "x"), HasSubstr("the 1 bytes from byte 191 on belong to no rank"));
    EXPECT_THAT(refused(changed<std::uint64_t>(good, table + 8, appendix0 - 8 + 2)),
                HasSubstr("rank 0 (byte 46): 2 operations of 39 bytes"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, rank0, 0xffffffff)),
                HasSubstr("4294967295 operations of 39 bytes"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, rank0 + 4, 3)), HasSubstr("3 roots of 2 operations"));
    // Both ranks in the same bytes.
    std::string twice = changed<std::uint64_t>(good, table + 16, rank0 - 8);
    twice = changed<std::uint64_t>(twice, table + 24, rank1 - 8);
    EXPECT_THAT(refused(twice), HasSubstr("overlaps another rank's"));
}

TEST(goal_binary, records_are_verified) {
    const std::string good = small_file();
    const std::size_t send = records0 + 39;
    const auto says = [](const std::string& what) { return HasSubstr(what); };
    EXPECT_THAT(refused(changed<std::uint8_t>(good, send + 4, 4)),
                StartsWith("x.bin: rank 0, operation 1 (byte 101): kind 4; known: 1 send, 2 recv, 3 calc"));
    EXPECT_THAT(refused(changed<std::uint8_t>(good, send + 4, 0)), says("kind 0"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, send + 5, 2)), says("operation 1 (byte 102): rank 2 as its peer"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, send + 5, 0xffffffff)), says("rank 4294967295 as its peer"));
    EXPECT_THAT(refused(changed<std::uint64_t>(good, send + 9, std::uint64_t{1} << 32)),
                says("size 4294967296; it is 0 to 4294967295"));
    EXPECT_THAT(refused(changed<std::uint64_t>(good, records0 + 9, std::uint64_t{1} << 53)),
                says("size 9007199254740992"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, send + 17, 0xffffffff)), says("any tag, which only receives"));
    EXPECT_EQ(refused(changed<std::uint32_t>(good, records1 + 17, 0xffffffff)), "accepted");
    EXPECT_EQ(refused(changed<std::uint32_t>(good, records1 + 5, 0xffffffff)), "accepted");
    EXPECT_THAT(refused(changed<std::uint8_t>(good, send + 21, 1)), says("cpu 1, nic 0; the largest of the file"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, records0, 1)),
                says("operation 0 (byte 58): 1 dependencies, and the appendix has 0"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, records0 + 23, 2)),
                says("its 2 dependents from 0 on: the appendix has 1"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, records0 + 27, 0xffffffff)), says("from 4294967295 on"));
    EXPECT_THAT(refused(changed<std::uint64_t>(good, records0 + 31, 1)), says("has another owner, too"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, records0 + 23, 0)), says("1 belong to no operation"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, appendix0, 2)), says("operation 2 waits for it; there are 2"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, roots0, 1)),
                says("rank 0 (byte 54): operation 1 among the roots"));
    EXPECT_THAT(refused(changed<std::uint32_t>(good, roots0, 9)), says("operation 9 among the roots"));
    // The calc waits for itself: a cycle.
    std::string cycle = changed<std::uint32_t>(good, appendix0, 0);
    cycle = changed<std::uint32_t>(cycle, records0, 1);
    cycle = changed<std::uint32_t>(cycle, send, 0);
    cycle = changed<std::uint32_t>(cycle, roots0, 1);
    EXPECT_THAT(refused(cycle), says("a cycle of dependencies: operation 0 waits for 0"));
}

TEST(goal_binary, a_root_that_is_not_listed_is_found) {
    std::string bytes = small_file();
    // The receive of rank 1 is no root any more: one number less.
    bytes.erase(rank1 + 8, 4);
    bytes = changed<std::uint32_t>(bytes, rank1 + 4, 0);
    bytes = changed<std::uint64_t>(bytes, table + 24, bytes.size() - 8);
    EXPECT_THAT(refused(bytes), HasSubstr("operation 0 waits for nothing and is not among the roots"));
}

TEST(goal_binary, files_of_loggopsim2_and_cut_ones_are_known) {
    std::string other;
    goal_binary::append(other, goal_binary::magic);
    goal_binary::append(other, std::uint32_t{1});
    other += std::string(2, '\0');
    goal_binary::append(other, std::uint64_t{22});
    goal_binary::append(other, std::uint64_t{22 + 8 + 4 + 3 * 104});
    goal_binary::append(other, std::uint32_t{3});
    goal_binary::append(other, std::uint32_t{1});
    goal_binary::append(other, std::uint32_t{0});
    other += std::string(std::size_t{3} * 104, '\1');
    EXPECT_THAT(refused(other), StartsWith("x.bin: its records have 104 bytes: this is a schedule of LogGOPSim2"));
    EXPECT_THAT(refusal([] { sample("bad/cut.bin"); }),
                HasSubstr("cut.bin: rank 0 (byte 14): its part ends at byte 802, the file at byte 700"));
}

TEST(goal_binary, damaged_files_are_read_or_refused) {
    const std::string good = bytes_of(sample_path("goal/random_2.bin"));
    std::mt19937_64 draw(11);
    unsigned accepted = 0;
    for (unsigned run = 0; run < 3000; ++run) {
        std::string bytes = good;
        for (unsigned changes = static_cast<unsigned>(1 + draw() % 3); changes > 0; --changes)
            bytes[draw() % bytes.size()] = static_cast<char>(draw() % 5 == 0 ? draw() : draw() % 4);
        if (draw() % 10 == 0) bytes.resize(draw() % bytes.size());
        const std::string said = refused(bytes);
        EXPECT_THAT(said, AnyOf("accepted", StartsWith("x.bin: ")));
        accepted += said == "accepted";
    }
    EXPECT_GT(accepted, 100u);
}

}  // namespace
}  // namespace polycast::hw::programs
