// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/interpreter.h"

#include <gmock/gmock.h>

#include "hw/programs/check.h"
#include "hw/programs/places.h"
#include "hw/programs/program_builder.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr combination bytes_added{element_type::u8, reduction::sum};

/// A program of one buffer of 8 bytes a rank, made operation by operation.
class small {
public:
    explicit small(std::uint32_t ranks) : made_(ranks) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) made_.add_buffer(rank, 8);
    }
    std::uint32_t send(std::uint32_t rank, std::uint16_t to, std::uint64_t from, std::uint64_t length) {
        return add(rank, operation_kind::send, to, length, from, 0);
    }
    std::uint32_t receive(std::uint32_t rank, std::uint16_t from, std::uint64_t to, std::uint64_t length) {
        return add(rank, operation_kind::receive, from, length, 0, to);
    }
    std::uint32_t copy(std::uint32_t rank, std::uint64_t from, std::uint64_t to, std::uint64_t length) {
        return add(rank, operation_kind::copy, 0, length, from, to);
    }
    std::uint32_t reduce(std::uint32_t rank, std::uint64_t from, std::uint64_t to, std::uint64_t length,
                         combination with = bytes_added) {
        return add(rank, operation_kind::reduce, 0, length, from, to, with.tag());
    }
    void after(std::uint32_t rank, std::uint32_t waiting, std::uint32_t on) { made_.require(rank, waiting, on); }
    void after_start(std::uint32_t rank, std::uint32_t waiting, std::uint32_t on) { made_.irequire(rank, waiting, on); }
    program finish() { return made_.finish(); }

private:
    std::uint32_t add(std::uint32_t rank, operation_kind kind, std::uint16_t peer, std::uint64_t length,
                      std::uint64_t from, std::uint64_t to, std::uint32_t tag = 0) {
        operation added;
        added.kind = kind;
        added.peer = peer;
        added.length = length;
        added.tag = tag;
        const std::uint32_t index = made_.add(rank, added);
        operand_places at;
        at.source.offset = from & 0xff;
        at.destination.offset = to & 0xff;
        made_.put(rank, at);
        return index;
    }

    program_builder made_;
};

/// Byte i of rank r is 10 r + i.
void fill(std::uint32_t rank, std::uint32_t, std::span<std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(10 * rank + i);
}

std::vector<int> final_bytes(const program& of, std::uint32_t rank) {
    const interpretation found = interpret(of, {.fill = fill});
    std::vector<int> made;
    for (const std::byte one : found.buffers[rank][0]) made.push_back(std::to_integer<int>(one));
    return made;
}

TEST(interpreter, bytes_move_and_are_added) {
    small made(2);
    made.send(0, 1, 2, 3);
    const std::uint32_t received = made.receive(1, 0, 4, 3);
    const std::uint32_t added = made.reduce(1, 4, 0, 3);
    made.after(1, added, received);
    const std::uint32_t copied = made.copy(1, 0, 5, 2);
    made.after(1, copied, added);
    const program done = made.finish();
    EXPECT_TRUE(check(done).good());
    EXPECT_THAT(final_bytes(done, 0), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(final_bytes(done, 1), ElementsAre(12, 14, 16, 13, 2, 12, 14, 17));
}

TEST(interpreter, each_message_is_told_as_it_was_sent) {
    small made(2);
    const std::uint32_t first = made.send(0, 1, 0, 2);
    const std::uint32_t changed = made.copy(0, 4, 0, 2);
    made.after(0, changed, first);
    const std::uint32_t second = made.send(0, 1, 0, 2);
    made.after(0, second, changed);
    const std::uint32_t received = made.receive(1, 0, 0, 2);
    made.after(1, made.receive(1, 0, 2, 2), received);
    std::vector<std::pair<std::uint32_t, int>> told;
    interpreter_options options;
    options.fill = fill;
    options.on_message = [&](operation_id send, std::span<const std::byte> bytes) {
        told.push_back({send.index, std::to_integer<int>(bytes[0])});
    };
    interpret(made.finish(), options);
    EXPECT_THAT(told, ElementsAre(std::pair(0u, 0), std::pair(2u, 4)));
}

TEST(interpreter, depth_of_sums_is_that_of_the_longest_chain) {
    small made(1);
    const std::uint32_t first = made.reduce(0, 0, 4, 4, {element_type::i32, reduction::sum});
    const std::uint32_t second = made.reduce(0, 4, 0, 4, {element_type::i32, reduction::sum});
    made.after(0, second, first);
    EXPECT_EQ(depth_of_sums(made.finish(), element_type::i32), 2u);
}

TEST(interpreter, what_cannot_be_known_is_refused) {
    program_builder none(1);
    EXPECT_THAT(refusal([&] { interpret(none.finish(), {}); }), HasSubstr("the program has no buffers"));
    small beyond(1);
    beyond.copy(0, 0, 5, 4);
    EXPECT_THAT(refusal([&] { interpret(beyond.finish(), {}); }),
                "rank 0 operation 0 'copy 4b': bytes 5 to 9 of buffer 0, which has 8");
    small stuck(2);
    const std::uint32_t received = stuck.receive(0, 1, 0, 1);
    stuck.after(0, stuck.send(0, 1, 0, 1), received);
    const std::uint32_t other = stuck.receive(1, 0, 0, 1);
    stuck.after(1, stuck.send(1, 0, 0, 1), other);
    EXPECT_THAT(refusal([&] { interpret(stuck.finish(), {}); }), HasSubstr("wait for each other in a circle"));
    small alone(2);
    alone.send(0, 1, 0, 1);
    EXPECT_THAT(refusal([&] { interpret(alone.finish(), {}); }), HasSubstr("is never received"));
}

TEST(program_places, what_is_wrong_with_them_is_told) {
    small made(1);
    made.copy(0, 0, 2, 4);
    made.reduce(0, 0, 4, 3, {element_type::f32, reduction::sum});
    made.reduce(0, 0, 4, 4, {element_type::f32, reduction::exclusive_or});
    made.copy(0, 0, 4, 4);
    made.reduce(0, 0, 0, 4);
    EXPECT_THAT(problems_of_places(made.finish()),
                ElementsAre("rank 0 operation 0 'copy 4b': its source and its destination overlap",
                            "rank 0 operation 1 'reduce 3b': 3 bytes are not whole elements of f32",
                            "rank 0 operation 2 'reduce 4b': xor of f32"));
}

std::size_t races(const program& of) {
    return find_races(of, pair_messages(of)).size();
}

TEST(program_races, two_that_touch_the_same_bytes_need_a_path) {
    small made(1);
    made.copy(0, 0, 4, 2);
    made.copy(0, 2, 5, 2);
    const program found = made.finish();
    const check_result problems = check(found);
    ASSERT_EQ(problems.problems.size(), 1u);
    EXPECT_EQ(problems.problems[0],
              "race: rank 0 operation 0 'copy 2b' and rank 0 operation 1 'copy 2b' touch bytes 5 to 6 of buffer 0, and "
              "nothing keeps them apart");
    EXPECT_TRUE(check(found, {.races = false}).good());
    small apart(1);
    const std::uint32_t first = apart.copy(0, 0, 4, 2);
    apart.after(0, apart.copy(0, 2, 5, 2), first);
    EXPECT_EQ(races(apart.finish()), 0u);
    small readers(1);
    readers.copy(0, 0, 4, 2);
    readers.copy(0, 0, 6, 2);
    EXPECT_EQ(races(readers.finish()), 0u);
    small started(1);  // what waits for the start runs beside it
    const std::uint32_t long_one = started.copy(0, 0, 4, 2);
    started.after_start(0, started.copy(0, 2, 4, 2), long_one);
    EXPECT_EQ(races(started.finish()), 1u);
}

TEST(program_races, a_message_keeps_apart_what_is_before_it_and_behind_it) {
    // Rank 0 reads its bytes, tells rank 1, and rank 1 answers into them.
    small made(2);
    const std::uint32_t read = made.copy(0, 0, 4, 2);
    const std::uint32_t told = made.send(0, 1, 7, 1);
    made.after(0, told, read);
    made.receive(0, 1, 0, 2);
    const std::uint32_t heard = made.receive(1, 0, 7, 1);
    made.after(1, made.send(1, 0, 0, 2), heard);
    EXPECT_EQ(races(made.finish()), 0u);
    // The same without the news.
    small without(2);
    without.copy(0, 0, 4, 2);
    without.receive(0, 1, 0, 2);
    without.send(1, 0, 0, 2);
    EXPECT_EQ(races(without.finish()), 1u);
}

TEST(program_races, all_readers_since_the_last_write_are_known) {
    small made(1);
    const std::uint32_t written = made.copy(0, 0, 4, 1);
    for (const std::uint64_t to : {5, 6, 7}) made.after(0, made.copy(0, 4, to, 1), written);
    made.after(0, made.copy(0, 0, 4, 1), 1);  // waits for one of the three readers
    EXPECT_EQ(races(made.finish()), 2u);
}

}  // namespace
}  // namespace polycast::hw::programs
