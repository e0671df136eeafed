// SPDX-License-Identifier: Apache-2.0
// Packets that carry jobs: the hardware keeps data packets of other jobs away (testbench/unit/hw/ni/jobs_test.cpp), and
// firmware the control packets, which may say anything but what job they are of. Every test ends with the same packet
// of the right job, which has its effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/rails_bench.h"
#include "testbench/firmware/reliable_bench.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::uint32_t red = 0x1234, blue = 0xfedc0000;
constexpr std::uint32_t acknowledgement = 16, abort_word = 35;

/// Processes 0 and 2 are red's, 1 is blue's.
model_params with_jobs(std::uint32_t host = 0) {
    return {.host = host, .processes = 3, .jobs = {red, blue, red}};
}

packet of(std::uint32_t job, packet what) {
    what.job = job;
    return what;
}

struct bench : reliable_bench {
    explicit bench(std::uint32_t host = 0) : reliable_bench(with_jobs(host)) {}

    /// It is dropped, which is counted for the process that it would act for; nobody hears anything of it.
    void ignores(const packet& what, std::uint32_t process) {
        const std::uint32_t before = ni.jobs_refused[process];
        arrive(what);
        EXPECT_EQ(ni.jobs_refused[process], before + 1);
        EXPECT_THAT(sent(), IsEmpty());
        for (const std::uint32_t one : {0u, 1u, 2u}) EXPECT_THAT(ni.completions[one], IsEmpty()) << one;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> outcomes(std::uint32_t process = 0) {
        auto made = outcome(ni, process);
        ni.completions[process].clear();
        return made;
    }
};

// ---- what firmware sends

TEST(firmware_jobs, own_control_packets_name_the_process_whose_job_they_are_to_have) {
    bench f;
    f.give(receive(1000, 33), 1);
    packet part = of(blue, part_of(f.ni.params, 0, 100, 0));
    part.op = reliable_op;
    part.process = 1;
    f.arrive(part);
    f.arrive(of(blue, control_from(1, probe_word | begun(1), 1, flow_of_process(1), 0, 0)));
    packet said = f.only();
    EXPECT_EQ(said.group, receipt_word);
    EXPECT_EQ(said.job, blue);
    part.message = 1;
    f.arrive(part);  // no buffer
    said = f.only();
    EXPECT_EQ(said.group, declined_word);
    EXPECT_EQ(said.job, blue);
    f.told(1);
    f.give(reliable(send(5, {.length = 10})), 1);
    f.sent();
    f.pass(f.ni.params.reliable_timeout);
    said = f.only();
    EXPECT_EQ(said.group & 0xff, probe_word);
    EXPECT_EQ(said.job, blue);
    f.give(reserve(6, 0, {.length = 10}), 1);
    said = f.only();
    EXPECT_EQ(said.group, request);
    EXPECT_EQ(said.job, blue);
}

TEST(firmware_jobs, without_them_packets_are_as_they_were) {
    reliable_bench f({.processes = 3});
    f.give(reliable(send(5, {.length = 10})), 1);
    f.sent();
    f.pass(f.ni.params.reliable_timeout);
    EXPECT_EQ(f.only().source_process, 0u);
}

/// Answers are made in the slot of what they answer.
TEST(firmware_jobs, answers_have_the_job_of_the_question) {
    bench f;
    f.arrive(of(blue, said(7, request, 0, 1)));
    EXPECT_EQ(f.only().job, blue);
    packet asks = of(red, part_of(f.ni.params, 1, 10, 0));
    asks.op = 0x10;
    asks.source_process = 1;
    f.arrive(asks);  // no buffer
    const packet answer = f.only();
    EXPECT_EQ(answer.group, acknowledgement);
    EXPECT_EQ(answer.job, red);
}

// ---- what it is told

TEST(firmware_jobs, an_acknowledgement_of_another_job_moves_no_window) {
    bench f;
    words command = send(2, {.length = 128});
    command[NI_COMMAND_OPERATION] |= NI_SEND_WINDOW << 16;
    command.resize(NI_COMMAND_LONG_WORDS);
    command[NI_COMMAND_WINDOW] = 64;
    f.give(command);
    packet answer = f.only();
    std::swap(answer.source, answer.destination);
    answer.op = control_op;
    answer.group = acknowledgement;
    answer.payload.resize(1);
    f.ignores(of(blue, answer), 0);
    f.arrive(of(red, answer));
    EXPECT_THAT(f.offsets(), IsEmpty());
    EXPECT_THAT(f.outcomes(), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK)));
}

packet abort_of(std::uint32_t message, std::uint32_t group = no_group) {
    packet made;
    made.op = control_op;
    made.group = abort_word;
    made.message = message;
    made.offset = 64;
    made.total = 200;
    made.tag = group;
    made.hops = group == no_group ? 0 : 3;
    made.payload = {0};
    return made;
}

TEST(firmware_jobs, nobody_aborts_messages_of_another_job) {
    bench f;
    f.give(receive(1000, 33));
    f.arrive(of(red, part_of(f.ni.params, 1, 200, 0)));
    f.ignores(of(blue, abort_of(1)), 0);
    f.arrive(of(red, abort_of(1)));
    EXPECT_THAT(f.outcomes(), ElementsAre(error(NI_STATUS_INCOMPLETE)));
}

TEST(firmware_jobs, nor_those_of_its_groups_which_forward_nothing_of_it) {
    bench f;
    f.give(set_group(1, 4, NI_GROUP_DELIVER, {5, 6}));
    f.give(receive(1000, 33));
    f.told();
    packet part = of(red, part_of(f.ni.params, 1, 200, 0));
    part.group = 4;
    part.hops = 3;
    f.arrive(part);
    for (const packet& copy : f.sent()) EXPECT_EQ(copy.job, red);
    f.ignores(of(blue, abort_of(1, 4)), 0);
    f.arrive(of(red, abort_of(1, 4)));
    EXPECT_EQ(f.sent().size(), 2u);
    EXPECT_THAT(f.outcomes(), ElementsAre(error(NI_STATUS_INCOMPLETE)));
}

TEST(firmware_jobs, receipts_and_declines_of_another_job_end_no_message) {
    bench f;
    for (const std::uint32_t number : {0u, 1u}) {
        f.give(reliable(send(5, {.length = 10})));
        f.sent();
        f.ignores(
            of(blue, receipt_from(5, 0, flow_of_process(0), {{.member = 5, .message = number, .missing = all_there}})),
            0);
        f.ignores(of(blue, control_from(5, declined_word, 0, flow_of_process(0), number, NI_STATUS_NO_BUFFER)), 0);
        if (number == 0) {
            f.arrive(
                of(red, receipt_from(5, 0, flow_of_process(0), {{.member = 5, .message = 0, .missing = all_there}})));
            EXPECT_EQ(f.last().kind, static_cast<std::uint32_t>(NI_COMPLETION_SENT));
        } else {
            f.arrive(of(red, control_from(5, declined_word, 0, flow_of_process(0), 1, NI_STATUS_NO_BUFFER)));
            EXPECT_EQ(f.last().status, static_cast<std::uint32_t>(NI_STATUS_DECLINED));
        }
    }
}

TEST(firmware_jobs, questions_of_another_job_are_not_answered_and_begin_no_flow) {
    bench f;
    const packet question = control_from(1, probe_word | begun(1), 1, flow_of_process(2), 0, 0);
    f.ignores(of(blue, question), 2);
    const packet forget = control_from(1, probe_word | forget_flag, 1, flow_of_process(2), 0, 1);
    f.ignores(of(blue, forget), 2);
    f.arrive(of(red, question));
    EXPECT_EQ(f.only().group, receipt_word);
}

/// The member of a group is the process with the number of the source's.
TEST(firmware_jobs, receipts_for_a_group_of_another_job_do_not_go_up_its_tree) {
    bench f;
    words command = set_group(1, 4, deliver_to(1) | NI_GROUP_RECEIPTS, {5});
    command[NI_COMMAND_MESSAGE] = 8;  // above it in the tree
    command[NI_COMMAND_TAG] = 1;
    command.push_back(5);
    f.give(command, 1);
    ASSERT_EQ(f.last(1).status, 0u);
    f.give(receive(1000, 33), 1);
    packet part = of(blue, part_of(f.ni.params, 0, 10, 0));
    part.op = reliable_op;
    part.group = 4;
    part.source_process = 1;
    f.arrive(part);
    EXPECT_THAT(f.outcomes(1), ElementsAre(received));
    const packet all = receipt_from(5, 1 | 1u << 24, 4, {{.member = 5, .message = 0, .missing = all_there}});
    f.ignores(of(red, all), 1);
    f.arrive(of(blue, all));
    const packet up = f.only();
    EXPECT_EQ(up.destination, 8u);
    EXPECT_EQ(up.job, blue);
}

// ---- rails

TEST(firmware_jobs, nobody_ends_a_promise_to_another_job) {
    bench f;
    f.ni.time = now;
    f.arrive(of(red, said(7, request, 1, 1, 100)));
    EXPECT_EQ(f.only().group, grant);
    f.arrive(of(blue, said(7, cancel, 1, 1)));
    f.arrive(of(blue, said(7, request, 1, 2)));
    EXPECT_EQ(f.only().group, refuse) << "it is not the one to whom it is promised, whatever it says";
    f.arrive(of(blue, said(8, request, 1, 1)));
    EXPECT_EQ(f.only().group, refuse);
    f.arrive(of(red, said(7, cancel, 1, 1)));
    f.arrive(of(blue, said(8, request, 1, 1)));
    EXPECT_EQ(f.only().group, grant);
}

/// A packet for blue's process 1 counts nothing off what is promised to red, though it says that it is of that message.
TEST(firmware_jobs, packets_of_another_job_use_no_promise_up) {
    bench f;
    f.ni.time = now;
    f.arrive(of(red, said(7, request, 1, 1, 64)));
    EXPECT_EQ(f.only().group, grant);
    packet forged = of(blue, data(f.ni, 7, 1, 0, 64));
    forged.process = 1;
    f.arrive(forged);
    f.told(1);
    f.arrive(of(red, said(8, request, 1, 1)));
    EXPECT_EQ(f.only().group, refuse);
    f.arrive(of(red, data(f.ni, 7, 1, 0, 64)));
    f.arrive(of(red, said(8, request, 1, 1)));
    EXPECT_EQ(f.only().group, grant);
}

TEST(firmware_jobs, only_an_answer_of_its_job_ends_a_request) {
    bench f;
    f.ni.time = now;
    f.give(reserve(5, 1, {.length = 64}));
    const packet asked = f.only();
    f.arrive(of(blue, answer(asked, refuse)));
    EXPECT_THAT(f.sent(), IsEmpty());
    f.arrive(of(blue, answer(asked, grant)));
    const packet back = f.only();
    EXPECT_EQ(back.group, cancel);
    EXPECT_EQ(back.job, blue) << "so it ends no promise of red";
    EXPECT_THAT(f.told(), IsEmpty());
    f.arrive(of(red, answer(asked, grant)));
    EXPECT_EQ(f.only().op, 0u);
    EXPECT_EQ(f.last().kind, static_cast<std::uint32_t>(NI_COMPLETION_SENT));
}

TEST(firmware_jobs, what_is_kept_for_one_job_another_neither_gets_nor_withdraws) {
    bench f;
    f.ni.time = now;
    f.arrive(of(red, said(7, request, 1, 1, 100)));
    f.arrive(of(red, said(8, request | urgent, 2, 1)));
    EXPECT_THAT(f.sent().back().group, refuse | kept);
    f.arrive(of(red, said(7, cancel, 1, 1)));
    f.arrive(of(blue, said(8, withdraw, 2, 1)));
    f.arrive(of(blue, said(8, request, 3, 1)));
    EXPECT_EQ(f.only().group, refuse) << "it is somebody else, and younger";
    f.arrive(of(red, said(8, request, 2, 2)));
    EXPECT_EQ(f.only().group, grant);
}

// ---- errors

TEST(firmware_jobs, no_process_is_told_of_packets_of_another_job) {
    bench f;
    packet wrong = part_of(f.ni.params, 1, 200, 1);
    wrong.payload.pop_back();
    packet unknown = part_of(f.ni.params, 1, 10, 0);
    unknown.group = 4;
    unknown.source_process = 1;
    packet reliable_one = unknown;
    reliable_one.op = reliable_op;
    packet senseless = abort_of(1);
    senseless.group = 99;
    for (const packet& one : {wrong, unknown, reliable_one, senseless}) {
        const std::uint32_t before = f.ni.statistic(NI_STATISTIC_DROPPED);
        f.arrive(of(blue, one));
        EXPECT_THAT(f.outcomes(0), IsEmpty());
        EXPECT_EQ(f.ni.statistic(NI_STATISTIC_DROPPED), before + 1);
        f.arrive(of(red, one));
        EXPECT_EQ(f.outcomes(0).size(), 1u);
    }
    EXPECT_EQ(f.ni.count_of(NI_STATUS_MALFORMED), 4u) << "counted is each";
    f.ni.expect_idle();
}

TEST(firmware_jobs, a_process_hears_of_its_own_group_without_hops) {
    bench f;
    f.give(set_group(1, 4, deliver_to(1), {5}), 1);
    f.give(receive(1000, 33), 1);
    f.told(1);
    packet last = of(blue, part_of(f.ni.params, 1, 10, 0));
    last.group = 4;
    last.source_process = 1;
    f.arrive(last);
    EXPECT_THAT(f.outcomes(1), ElementsAre(received, error(NI_STATUS_LOOP)));
}

}  // namespace
}  // namespace polycast::testbench::firmware
