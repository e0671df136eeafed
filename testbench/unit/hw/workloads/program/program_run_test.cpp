// SPDX-License-Identifier: Apache-2.0
// Programs on modelled hosts: times by the closed forms of program.md, matching, credits, queues.
#include "hw/workloads/program/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/programs/check.h"
#include "hw/programs/loggops.h"
#include "testbench/unit/hw/workloads/program/program_bench.h"

namespace polycast::hw::programs {
namespace {

using system::run_outcome;
using testing::HasSubstr;
using testing::IsEmpty;

/// From a send call to the end of t_hr, on one switch with free headers: overheads of both ends, an interface's time
/// for each packet, the first packet's two transfers over the host bus (0.75 cycles a byte), three cycles of a switch,
/// and the wires.
constexpr cycle time_of_message(cycle bytes) {
    constexpr cycle payload = 128;
    const cycle packets = (bytes + payload - 1) / payload, first = std::min(bytes, payload);
    return 3000 + 1000 * packets + 2 * ((3 * first + 3) / 4) + 3 + first;
}
static_assert(time_of_message(1) == 4006 && time_of_message(128) == 4323 && time_of_message(256) == 5323 &&
              time_of_message(4096) == 35323);

/// Cycles of the critical path that go to one thing.
cycle on_path(const ran& got, path_step what) {
    cycle sum = 0;
    for (const path_segment& each : got.path)
        if (each.what == what) sum += each.to - each.from;
    return sum;
}

/// Rounds of a rank: those of a round begin when its round before has ended.
class rounds {
public:
    explicit rounds(unsigned ranks) : texts_(ranks), last_(ranks), number_(ranks) {}

    void message(unsigned round, unsigned from, unsigned to, unsigned bytes) {
        const std::string of = std::to_string(bytes) + "b ", tag = " tag " + std::to_string(round);
        add(from, "send " + of + "to " + std::to_string(to) + tag);
        add(to, "recv " + of + "from " + std::to_string(from) + tag);
    }
    void end_of_round() {
        for (auto& [now, before] : last_) before = std::exchange(now, {});
    }
    program made() const {
        std::string text = "num_ranks " + std::to_string(texts_.size()) + "\n";
        for (unsigned rank = 0; rank < texts_.size(); ++rank)
            text += "rank " + std::to_string(rank) + " {\n" + texts_[rank] + "}\n";
        return goal(text);
    }

private:
    void add(unsigned rank, const std::string& what) {
        const std::string label = "l" + std::to_string(number_[rank]++);
        texts_[rank] += label + ": " + what + "\n";
        for (const std::string& each : last_[rank].second) texts_[rank] += label + " requires " + each + "\n";
        last_[rank].first.push_back(label);
    }

    std::vector<std::string> texts_;
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> last_;  ///< this round, the one before
    std::vector<unsigned> number_;
};

program ping_pong(const std::string& size, const std::string& before = "") {
    return goal("num_ranks 2\nrank 0 {\n" + before + "a: send " + size + " to 1 tag 0\nb: recv " + size +
                " from 1 tag 1\nb requires a\n" + (before.empty() ? "" : "a requires c\n") + "}\nrank 1 {\na: recv " +
                size + " from 0 tag 0\nb: send " + size + " to 0 tag 1\nb requires a\n}\n");
}

TEST(program_run, a_ping_pong_takes_two_messages) {
    for (const unsigned bytes : {1u, 128u, 256u, 4096u}) {
        const ran got = run_on(one_switch(8), ping_pong(std::to_string(bytes) + "b"));
        expect_right(got);
        EXPECT_EQ(got.finish, 2 * time_of_message(bytes)) << bytes;
        EXPECT_EQ(got.last, 0u);
    }
}

TEST(program_run, the_critical_path_of_a_ping_pong_goes_there_and_back) {
    const ran got = run_on(one_switch(8), ping_pong("128b", "c: calc 1000\n"));
    expect_right(got);
    std::vector<std::pair<path_step, operation_id>> steps;
    for (const path_segment& each : got.path) steps.emplace_back(each.what, each.of);
    using s = path_step;
    EXPECT_THAT(steps, testing::ElementsAre(
                           std::pair(s::compute, operation_id{0, 0}), std::pair(s::send, operation_id{0, 1}),
                           std::pair(s::network, operation_id{0, 1}), std::pair(s::receive, operation_id{1, 0}),
                           std::pair(s::send, operation_id{1, 1}), std::pair(s::network, operation_id{1, 1}),
                           std::pair(s::receive, operation_id{0, 2})));
    EXPECT_EQ(on_path(got, s::network), 2 * (time_of_message(128) - 2000));
}

TEST(program_run, the_critical_path_of_a_late_receive_goes_by_what_made_it_late) {
    const std::string rest = "r: recv 4096b from 0\nr requires c\n}\n";
    const std::string before = "num_ranks 2\nrank 0 {\ns: send 4096b to 1\n}\nrank 1 {\nc: calc 400000\n";
    const ran eager = run_on(one_switch(2), goal(before + rest));
    expect_right(eager);
    // The message is there, and its overhead waits for the processor, which computes.
    EXPECT_GT(on_path(eager, path_step::busy), 0u);
    const ran asks = run_on(one_switch(2), goal(before + rest), {.eager = 128});
    expect_right(asks);
    EXPECT_EQ(on_path(asks, path_step::compute), 80000u);
    EXPECT_GT(on_path(asks, path_step::grant), 0u);
}

TEST(program_run, a_calculation_delays_what_waits_for_it) {
    const ran got = run_on(one_switch(8), ping_pong("128b", "c: calc 1000\n"));
    expect_right(got);
    EXPECT_EQ(got.finish, 200 + 2 * time_of_message(128));
    EXPECT_EQ(got.ranks[0].cycles[static_cast<std::size_t>(rank_state::compute)], 200u);
}

// Request and grant are messages of 32 bytes, and the grant's times are paid at the sender as well.
TEST(program_run, a_long_message_asks_before) {
    const ran got = run_on(one_switch(8),
                           goal("num_ranks 2\nrank 0 {\ns: send 4096b to 1\n}\nrank 1 {\nr: recv 4096b "
                                "from 0\n}\n"),
                           {.eager = 4095});
    expect_right(got);
    EXPECT_EQ(got.finish, 2 * time_of_message(32) + time_of_message(4096));
    EXPECT_EQ(got.ranks[0].rendezvous, 1u);
}

TEST(program_run, collectives_of_eight_ranks_take_as_long_as_their_chains) {
    rounds barrier(8), broadcast(8), doubling(8), ring(8);
    for (unsigned round = 0, step = 1; step < 8; ++round, step *= 2) {
        for (unsigned rank = 0; rank < 8; ++rank) {
            barrier.message(round, rank, (rank + step) % 8, 1);
            doubling.message(round, rank, rank ^ step, 128);
            if (rank < step) broadcast.message(round, rank, rank + step, 128);
        }
        for (rounds* each : {&barrier, &doubling, &broadcast}) each->end_of_round();
    }
    for (unsigned round = 0; round < 7; ++round) {
        for (unsigned rank = 0; rank < 8; ++rank) ring.message(round, rank, (rank + 1) % 8, 128);
        ring.end_of_round();
    }
    const auto finish = [](const rounds& of) {
        const ran got = run_on(one_switch(8), of.made());
        expect_right(got);
        return std::pair(got.finish, got.last);
    };
    EXPECT_EQ(finish(barrier), std::pair(3 * time_of_message(1), 0u));
    EXPECT_EQ(finish(doubling), std::pair(3 * time_of_message(128), 0u));
    EXPECT_EQ(finish(ring), std::pair(7 * time_of_message(128), 0u));
    EXPECT_EQ(finish(broadcast), std::pair(3 * time_of_message(128), 7u));
}

TEST(program_run, ranks_of_a_program_may_be_fewer_than_hosts) {
    const ran got = run_on(one_switch(3), ping_pong("8b"));
    expect_right(got);
}

TEST(program_run, messages_with_flags_take_as_long_as_their_bytes) {
    const auto one = [](std::uint32_t bytes) {
        const std::string length = std::to_string(bytes) + "b";
        return goal("num_ranks 2\nrank 0 {\ns: send " + length + " to 1\n}\nrank 1 {\nr: recv " + length +
                    " from 0\n}\n");
    };
    for (const std::uint64_t eager : {std::uint64_t{16384}, std::uint64_t{64}})
        for (const auto& [wire, bytes] : {std::pair(wire_format::ll, 960u), std::pair(wire_format::ll128, 512u)}) {
            const ran got = run_on(one_switch(2), one(480), {.eager = eager, .wire = wire});
            expect_right(got);
            EXPECT_EQ(got.finish, run_on(one_switch(2), one(bytes), {.eager = eager}).finish);
        }
}

// t_hs at the sender, t_hr from the next cycle.
TEST(program_run, a_message_to_the_own_rank_stays_there) {
    const ran got = run_on(one_switch(2), goal("num_ranks 2\nrank 0 {\nr: recv 100000b from 0\ns: send 100000b to "
                                               "0\n}\nrank 1 {\n}\n"));
    expect_right(got);
    EXPECT_EQ(got.finish, 2001u);
    EXPECT_EQ(got.ranks[1].finish, 0u);
}

TEST(program_run, a_message_of_no_bytes_travels_as_one) {
    const ran got = run_on(one_switch(2), ping_pong("0b"));
    expect_right(got);
    EXPECT_EQ(got.finish, 2 * time_of_message(1));
    EXPECT_EQ(got.counts.bytes, 0u);
}

TEST(program_run, an_unexpected_message_is_there_when_its_receive_comes) {
    const ran got =
        run_on(one_switch(2), goal("num_ranks 2\nrank 0 {\ns: send 300b to 1\n}\nrank 1 {\nc: calc 100000\nr: "
                                   "recv 300b from 0\nr requires c\n}\n"));
    expect_right(got);
    // Its overhead waits for the processor, which computes; nobody waits any more then.
    EXPECT_EQ(got.ranks[1].finish, 20000u + 1000);
    EXPECT_EQ(got.ranks[1].unexpected_messages, 1u);
}

TEST(program_run, computation_beside_the_host_delays_no_message) {
    const std::string text =
        "num_ranks 2\nrank 0 {\ns: send 300b to 1\n}\nrank 1 {\nc: calc 100000 cpu 1\nr: recv 300b "
        "from 0\n}\n";
    const ran got = run_on(one_switch(2), goal(text), {.processors = 2});
    expect_right(got);
    EXPECT_EQ(got.ranks[1].finish, 20000u);
    EXPECT_EQ(got.ranks[1].cycles[static_cast<std::size_t>(rank_state::compute)], 20000u);
    const ran alone = run_on(one_switch(2), goal(text), {.processors = 1});
    EXPECT_EQ(alone.ranks[1].finish, 21000u);
}

TEST(program_run, a_receive_pays_at_its_own_processor) {
    const ran got = run_on(one_switch(2),
                           goal("num_ranks 2\nrank 0 {\ns: send 100b to 1\n}\nrank 1 {\nc: calc 100000\n"
                                "r: recv 100b from 0 cpu 1\nd: calc 0 cpu 1\nd requires r\n}\n"),
                           {.processors = 2});
    expect_right(got);
    EXPECT_EQ(got.ranks[1].finish, 20000u) << "t_hr does not follow the calculation";
    EXPECT_EQ(got.ranks[1].cycles[static_cast<std::size_t>(rank_state::compute)], 20000u);
}

/// In one cycle first t_hr of messages, then operations.
TEST(program_run, a_message_comes_before_what_is_ready_in_its_cycle) {
    // The beginning of t_hr in cycles of 5 ns, and another processor that ends then.
    const cycle comes = time_of_message(1) - 1000;
    const auto text = [](cycle length) {
        return "num_ranks 2\nrank 0 {\ns: send 1b to 1\n}\nrank 1 {\nr: recv 1b from 0\na: calc " +
               std::to_string(5 * length) + " cpu 1\nb: calc 500\nb requires a\n}\n";
    };
    const auto computes_last = [&](cycle length) {
        const ran got = run_on(one_switch(2), goal(text(length)), {.processors = 2});
        expect_right(got);
        return got.ranks[1].finish;
    };
    EXPECT_EQ(computes_last(comes - 1), comes - 1 + 100 + 1000);
    EXPECT_EQ(computes_last(comes), comes + 1000 + 100) << "b waits until t_hr is paid";
}

/// What a message frees at once, as its t_hr is 0, comes in its turn among what is ready then.
TEST(program_run, what_is_ready_in_one_cycle_goes_by_number) {
    const cycle comes = time_of_message(1) - 1000;
    const ran got = run_on(one_switch(2),
                           goal("num_ranks 2\nrank 0 {\ns: send 1b to 1\nt: recv 1b from 1 tag 9\n}\nrank 1 {\n"
                                "r: recv 1b from 0\ny: send 1b to 0 tag 9\ny requires r\na: calc " +
                                std::to_string(5 * comes) + " cpu 1\nx: calc 500\nx requires a\n}\n"),
                           {.processors = 2, .receive_overhead = 0});
    expect_right(got);
    EXPECT_EQ(got.ranks[0].finish, 2 * comes);
}

/// The second queue's message of one packet overtakes the first queue's, and waits for it.
TEST(program_run, messages_of_a_pair_match_in_order_though_queues_overtake) {
    const std::string text =
        "num_ranks 2\nrank 0 {\nsend 4096b to 1 tag 5 nic 0\nsend 1b to 1 tag 5 nic 1\n}\n"
        "rank 1 {\nrecv 4096b from 0 tag 5 nic 0\nrecv 1b from 0 tag 5 nic 1\n}\n";
    for (const std::uint32_t queues : {1u, 2u}) {
        const ran got = run_on(one_switch(2), goal(text, {.nics = nic_meaning::one}), {.queues = queues});
        expect_right(got);
        EXPECT_EQ(got.ranks[1].reordered, queues - 1) << queues;
    }
}

TEST(program_run, a_start_frees_before_an_end) {
    // The send starts at once; what waits for its start is computed on another processor meanwhile.
    const ran got = run_on(one_switch(2),
                           goal("num_ranks 2\nrank 0 {\ns: send 8b to 1\nc: calc 2500 cpu 1\nc irequires "
                                "s\n}\nrank 1 {\nr: recv 8b from 0\n}\n"),
                           {.processors = 2});
    expect_right(got);
    EXPECT_EQ(got.ranks[0].finish, 1000u);
    EXPECT_EQ(got.ranks[0].cycles[static_cast<std::size_t>(rank_state::compute)], 500u);
}

TEST(program_run, a_start_and_its_end_are_one_dependency) {
    const ran got = run_on(one_switch(2),
                           goal("num_ranks 2\nrank 0 {\ns: send 8b to 1\nx: calc 100000 cpu 1\nc: calc 500 cpu 2\n"
                                "c irequires s\nc requires x\n}\nrank 1 {\nr: recv 8b from 0\n}\n"),
                           {.processors = 3});
    expect_right(got);
    EXPECT_EQ(got.ranks[0].finish, 20000u + 100) << "what waits for a start and another end waits for both";
}

TEST(program_run, a_credit_of_one_lets_one_message_go) {
    std::string sends, receives;
    for (unsigned i = 0; i < 20; ++i) {
        sends += "s" + std::to_string(i) + ": send 64b to 1 tag " + std::to_string(i) + "\n";
        receives += "r" + std::to_string(i) + ": recv 64b from 0 tag " + std::to_string(19 - i) + "\n";
    }
    const std::string text = "num_ranks 2\nrank 0 {\n" + sends + "}\nrank 1 {\n" + receives + "}\n";
    const ran free = run_on(one_switch(2), goal(text));
    const ran tied = run_on(one_switch(2), goal(text), {.credits = credit_rule::fixed, .window = 1});
    expect_right(free);
    expect_right(tied);
    EXPECT_EQ(free.ranks[0].credit_waits, 0u);
    EXPECT_EQ(tied.ranks[0].credit_waits, 19u);
    // Each but the last waits for a message there and a credit back.
    EXPECT_EQ(tied.finish, 19 * (time_of_message(64) + time_of_message(32)) + time_of_message(64));
    EXPECT_GT(on_path(tied, path_step::credit), 0u);
}

TEST(program_run, credits_come_where_buffers_are_few) {
    // 40 messages each from three ranks to one: 120 do not fit the 64 buffers.
    std::string text = "num_ranks 4\n";
    std::string receives;
    for (unsigned rank = 1; rank < 4; ++rank) {
        text += "rank " + std::to_string(rank) + " {\n";
        for (unsigned i = 0; i < 40; ++i) {
            text += "send 64b to 0 tag " + std::to_string(i) + "\n";
            receives += "recv 64b from " + std::to_string(rank) + " tag " + std::to_string(i) + "\n";
        }
        text += "}\n";
    }
    const ran got = run_on(one_switch(4), goal(text + "rank 0 {\n" + receives + "}\n"));
    expect_right(got);
    EXPECT_GT(got.ranks[1].credit_waits, 0u);
}

/// More messages than their places in the order of the pair have numbers, each with a tag of its own; they are received
/// in the reverse order, a part of them unexpected.
TEST(program_tags, may_be_as_many_as_there_are_places_in_the_order_of_a_pair) {
    constexpr unsigned tags = 65'536, late = 600;
    std::string sends, receives = "c: calc 2000000\n";
    for (unsigned i = 0; i < tags + late; ++i) {
        const std::string sent = std::to_string(i), received = std::to_string(tags + late - 1 - i);
        sends += "s" + sent + ": send 1b to 1 tag " + sent + "\n";
        // One after the other, so that messages come in the order of their tags.
        if (i > 0) sends += "s" + sent + " requires s" + std::to_string(i - 1) + "\n";
        receives += "r" + received + ": recv 1b from 0 tag " + received + "\n";
        if (i < late) receives += "r" + received + " requires c\n";
    }
    const program of = goal("num_ranks 2\nrank 0 {\n" + sends + "}\nrank 1 {\n" + receives + "}\n");
    ASSERT_TRUE(check(of).good());
    const ran got = run_on(one_switch(2), of);
    expect_right(got);
    EXPECT_EQ(got.counts.expected, tags + late);
    EXPECT_FALSE(run_loggops(of, {}).stuck);
}

TEST(program_run, long_messages_both_ways_at_once_and_by_all_queues) {
    std::string text = "num_ranks 4\n";
    for (unsigned rank = 0; rank < 4; ++rank) {
        text += "rank " + std::to_string(rank) + " {\n";
        for (unsigned other = 0; other < 4; ++other)
            for (unsigned i = 0; i < 6; ++i) {
                const std::string nic = " nic " + std::to_string(i % 3);
                text += "recv 700b from " + std::to_string(other) + " tag " + std::to_string(i) + nic + "\n";
                text += "send 700b to " + std::to_string(other) + " tag " + std::to_string(i) + nic + "\n";
            }
        text += "}\n";
    }
    for (const std::uint32_t queues : {1u, 2u, 3u, 16u}) {
        const ran got = run_on(one_switch(4), goal(text, {.nics = nic_meaning::one}),
                               {.eager = 128, .queues = queues, .credits = credit_rule::fixed, .window = 2});
        expect_right(got);
        EXPECT_EQ(got.ranks[0].rendezvous, 18u) << queues;
    }
}

TEST(program_run, a_wildcard_that_takes_the_wrong_message_is_named) {
    const ran got =
        run_on(one_switch(3), goal("num_ranks 3\nrank 0 {\na: recv 8b from -1 tag 7\nb: recv 8b from 1 tag "
                                   "7\nb requires a\n}\nrank 1 {\nc: calc 0\ns: send 8b to 0 tag 7\n}\nrank 2 "
                                   "{\nd: calc 1\ns: send 8b to 0 tag 7\n}\n"));
    // Both are sent in the first cycles; the one that comes first depends on arbitration.
    if (got.outcome.ended == run_outcome::kind::complete) return expect_right(got);
    EXPECT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.stuck.front(), HasSubstr("rank 0 line 4 'b: recv 8b from 1' waits for a message from rank 1"));
    EXPECT_EQ(got.ranks[0].open, 1u);
}

/// All samples, on one switch, with messages of all kinds.
TEST(program_run, samples_run_with_every_byte_right) {
    for (const char* name :
         {"allgather_bruck_12", "allreduce_doubling_12", "alltoall_bruck_8", "alltoall_pairwise_8", "barrier_13",
          "bcast_binomial_12", "gather_any_9", "late_receiver", "pingpong", "random_1", "random_2", "stencil_4x4"}) {
        for (const std::uint64_t eager : {std::uint64_t{0}, std::uint64_t{256}, std::uint64_t{16384}}) {
            SCOPED_TRACE(std::string(name) + ", eager " + std::to_string(eager));
            const program of = sample(std::string("goal/") + name + ".goal");
            expect_right(run_on(one_switch(16), of, {.eager = eager}));
        }
    }
}

/// Sends the rank at host 0 a grant for an operation that it does not have.
class forger final : public host::application {
public:
    explicit forger(host::process& own) : own_(own) {}
    void start() override {
        host::send_order order;
        order.number = first_control_number;
        order.tag = control_tag;
        own_.send(order, control{.kind = control_kind::grant, .operation = 1'000'000}.packed());
    }
    bool finished() const override { return true; }
    void sent(cycle, std::uint64_t, ni_status) override {}
    void received(cycle, const host::delivery& message) override { own_.release(message); }

private:
    host::process& own_;
};

TEST(program_run, a_grant_for_no_send_is_refused) {
    system::system_plan plan = make_plan(one_switch(2), system::system_params{});
    rank_rules rules;
    rules.of = std::make_shared<const program>(ping_pong("8b"));
    rules.host_of = rules.rank_of = {0, 1};
    rules.credits = plan_credits(*rules.of, {});
    program_run run(checked(rules));
    fit(plan.host, run.rules());
    const auto programs = [&run](std::uint32_t host) {
        if (host == 0) return run.programs(host);
        return std::vector<host::application_factory>{
            [](const host::host_context& context) { return std::make_unique<forger>(context.own); }};
    };
    system::system_network network(plan, system::make_core, system::program_hosts(system::native(), programs), run);
    EXPECT_EQ(network.run({}).ended, run_outcome::kind::stuck);
    EXPECT_THAT(network.failures(),
                testing::ElementsAre(HasSubstr("a message of host 1 is no request, grant or credits")));
}

}  // namespace
}  // namespace polycast::hw::programs
