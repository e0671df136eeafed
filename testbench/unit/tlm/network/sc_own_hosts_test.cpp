// SPDX-License-Identifier: Apache-2.0
// Hosts of one's own in a network of polycast's: the same cycles as a host of polycast's in that place, how runs end,
// and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/host/endpoint.h"
#include "hw/input_error.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/system/native.h"
#include "testbench/unit/tlm/in_child.h"
#include "testbench/unit/tlm/modules/own_host_rig.h"
#include "tlm/network/own_scoreboard.h"
#include "tlm/network/sc_session.h"

namespace polycast::tlm::network {
namespace {

using hw::system::run_outcome;
using testbench::access_style;
using testbench::memory_style;
using testbench::unit::in_child;

const sc_core::sc_time own_period(5, sc_core::SC_NS);
constexpr std::uint32_t own_page = NI_HOST_PROCESS_BASE, own_grant = NI_HOST_GRANT_BASE;
constexpr hw::engine::cycle sent_in = 1000;

hw::system::system_plan own_plan() {
    hw::topology::irregular_params shape;
    shape.switches = 4;
    shape.ports = 6;
    shape.hosts = 8;
    hw::system::system_params params;
    params.host.send_overhead = 0;
    // As quick as can be, so that a doorbell is on the link before anybody thinks.
    params.firmware_times = hw::system::paper_costs(1, 1);
    params.host.interface.bus_cycles_per_byte = 0;
    return hw::system::make_plan(hw::topology::make_irregular(shape), params);
}

std::vector<std::uint8_t> own_bytes() {
    std::vector<std::uint8_t> bytes(300);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(5 * i + 9);
    return bytes;
}

/// What host 5 got, and when; host 0, where it is polycast's, sends it.
struct letter_box {
    std::optional<hw::host::message> got;

    hw::system::host_factory hosts(own_scoreboard* board) {
        return hw::system::program_hosts(hw::system::native(), [this, board](std::uint32_t host) {
            return std::vector{hw::host::run_program([this, board, host](hw::host::endpoint& self) {
                if (host == 2) return chatter(self);
                return host == 0 ? send(self) : host == 5 ? receive(self, board) : idle(self);
            })};
        });
    }
    hw::host::program send(hw::host::endpoint& self) {
        co_await self.sleep_until(sent_in);
        const std::vector<std::uint8_t> bytes = own_bytes();
        co_await self.send(5, bytes, {.process = 0, .tag = 3});
    }
    hw::host::program receive(hw::host::endpoint& self, own_scoreboard* board) {
        got = co_await self.receive({});
        if (board != nullptr) board->delivered(got->arrived, self.host(), got->source, got->number, got->bytes);
    }
    /// Keeps the network busy while host 0 sends.
    static hw::host::program chatter(hw::host::endpoint& self) {
        co_await self.sleep_until(sent_in - 300);
        const std::vector<std::uint8_t> bytes(2000, 77);
        co_await self.send(6, bytes, {.process = 0, .tag = 1});
    }
    static hw::host::program idle(hw::host::endpoint&) { co_return; }
};

/// A goal that is never reached, or always.
struct fixed_goal final : hw::traffic::goal {
    explicit fixed_goal(bool reached) : reached_(reached) {}
    bool complete() const override { return reached_; }
    hw::engine::cycle delivered_until() const override { return 0; }
    std::string oldest_missing() const override { return reached_ ? "" : "what nobody sends"; }
    bool reached_;
};

/// Host 0 by TLM-2.0: in one's own place.
struct own_sender {
    own_sender(sc_network& net, own_scoreboard* board, access_style style, memory_style memory_kind)
        : memory("memory", {.style = memory_kind}), processor("processor", style, sc_core::sc_time(2, sc_core::SC_US)) {
        modules::ni_module& ni = net.own_host(net.plan().network.hosts[0].name);
        processor.socket.bind(ni.registers);
        ni.memory.bind(memory.socket);
        ni.interrupt[0].bind(line);
        processor.interrupt.bind(line);
        processor.program = [this, &net, board](testbench::own_processor& cpu) {
            cpu.write(own_grant + NI_HOST_GRANT_QUEUE_LOW, 0x1000);
            cpu.write(own_grant + NI_HOST_GRANT_QUEUE_ENTRIES, 4);
            cpu.write(own_grant + NI_HOST_GRANT_WINDOW_BASE, std::vector<std::uint32_t>{0, 0, 0x10000, 3});
            cpu.write(own_grant + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
            cpu.write(own_page + NI_HOST_PROCESS_QUEUE_INTERRUPT, 1);
            const std::vector<std::uint8_t> bytes = own_bytes();
            std::ranges::copy(bytes, memory.bytes.begin() + 0x4000);
            std::vector<std::uint32_t> words{NI_COMMAND_SEND, 7, 0x4000, 300, 5, 0, 0, 3};
            cpu.write(own_page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, words);
            if (board != nullptr) board->sending(0, 0, {5}, bytes);
            cpu.pass(own_period * static_cast<double>(sent_in) - cpu.local());
            cpu.write(own_page + NI_HOST_PROCESS_DOORBELL, 32);
            cpu.wait_for_interrupt();
            net.finish(net.plan().network.hosts[0].name);
        };
    }

    testbench::own_memory memory;
    testbench::own_processor processor;
    sc_core::sc_signal<bool> line;
};

sc_network_params own_params(const hw::system::system_plan& plan, placement where) {
    sc_network_params params;
    params.switches.assign(plan.switch_count(), placement::engine);
    params.switches[plan.network.hosts[0].chip] = where;
    params.period = own_period;
    params.checkers = true;
    params.own = {{plan.network.hosts[0].name}, hw::system::native()};
    return params;
}

TEST(sc_own_hosts, a_host_by_tlm_does_in_its_cycles_what_one_of_polycasts_does) {
    const hw::system::system_plan plan = own_plan();
    letter_box wanted;
    const fixed_goal nothing(true);
    hw::system::system_network bare(plan, hw::system::make_core, wanted.hosts(nullptr), nothing);
    bare.run({.cycles = 100000});
    ASSERT_TRUE(wanted.got);
    ASSERT_EQ(wanted.got->bytes, own_bytes());
    for (const placement where : {placement::engine, placement::module}) {
        for (const access_style style : {access_style::blocking, access_style::decoupled, access_style::four_phases}) {
            for (const memory_style kind : {memory_style::direct, memory_style::phases}) {
                in_child([&] {
                    letter_box box;
                    own_scoreboard board({0}, nullptr);
                    sc_session session;
                    session.add("own", plan, own_params(plan, where), hw::system::make_core, box.hosts(&board), board);
                    own_sender sender(session.at(0), &board, style, kind);
                    const run_outcome outcome = session.run({}).front();
                    EXPECT_EQ(outcome.ended, run_outcome::kind::complete) << outcome.diagnosis;
                    ASSERT_TRUE(box.got);
                    EXPECT_EQ(box.got->arrived, wanted.got->arrived);
                    EXPECT_EQ(box.got->bytes, wanted.got->bytes);
                    EXPECT_EQ(outcome.cycles, wanted.got->arrived + 1);
                    EXPECT_TRUE(board.passed());
                    for (const hw::topology::link& link : plan.network.links())
                        EXPECT_EQ(session.at(0).statistics({link.a.chip, link.a.port}).flits,
                                  bare.network().statistics({link.a.chip, link.a.port}).flits);
                });
            }
        }
    }
}

TEST(sc_own_hosts, without_anything_left_to_do_a_run_ends_unfinished) {
    const hw::system::system_plan plan = own_plan();
    for (const bool reached : {true, false}) {
        in_child([&] {
            letter_box box;
            const fixed_goal goal(reached);
            sc_session session;
            session.add("own", plan, own_params(plan, placement::engine), hw::system::make_core, box.hosts(nullptr),
                        goal);
            own_sender sender(session.at(0), nullptr, access_style::blocking, memory_style::direct);
            sender.processor.program = nullptr;
            const run_outcome outcome = session.run({}).front();
            EXPECT_EQ(outcome.ended, reached ? run_outcome::kind::complete : run_outcome::kind::stuck);
            EXPECT_EQ(outcome.diagnosis.find("what nobody sends") == std::string::npos, reached);
        });
    }
}

TEST(sc_own_hosts, a_host_that_thinks_for_long_is_waited_for) {
    const hw::system::system_plan plan = own_plan();
    in_child([&] {
        letter_box box;
        own_scoreboard board({0}, nullptr);
        sc_session session;
        session.add("own", plan, own_params(plan, placement::engine), hw::system::make_core, box.hosts(&board), board);
        own_sender sender(session.at(0), &board, access_style::blocking, memory_style::direct);
        sender.processor.program = [&](testbench::own_processor& cpu) {
            cpu.pass(own_period * 300000.0);  // three times the patience of the watchdog
            session.at(0).finish("host0");
        };
        EXPECT_EQ(session.run({}).front().ended, run_outcome::kind::complete);
        EXPECT_GE(sc_core::sc_time_stamp(), own_period * 300000.0);
    });
}

TEST(sc_own_hosts, what_cannot_be_is_refused) {
    const hw::system::system_plan plan = own_plan();
    const auto refusal = [&](const std::function<void(sc_session&, letter_box&, const fixed_goal&)>& body) {
        std::string said;
        letter_box box;
        const fixed_goal goal(true);
        sc_session session;
        try {
            body(session, box, goal);
        } catch (const hw::input_error& error) {
            said = error.what();
        }
        return said;
    };
    in_child([&] {
        EXPECT_THAT(refusal([&](sc_session& session, letter_box& box, const fixed_goal& goal) {
                        sc_network_params params = own_params(plan, placement::engine);
                        params.own.names = {"hots3"};
                        session.add("own", plan, params, hw::system::make_core, box.hosts(nullptr), goal);
                    }),
                    testing::AllOf(testing::HasSubstr("no host 'hots3'"), testing::HasSubstr("did you mean 'host3'?")));
        EXPECT_THAT(refusal([&](sc_session& session, letter_box& box, const fixed_goal& goal) {
                        session.add("own", plan, own_params(plan, placement::engine), hw::system::make_core,
                                    box.hosts(nullptr), goal);
                        session.at(0).own_host("host3");
                    }),
                    testing::HasSubstr("host 'host3' is one of polycast's"));
    });
    in_child([&] {
        EXPECT_THAT(refusal([&](sc_session& session, letter_box& box, const fixed_goal& goal) {
                        session.add("own", plan, own_params(plan, placement::engine), hw::system::make_core,
                                    box.hosts(nullptr), goal);
                        testbench::own_memory memory("memory", {});
                        session.at(0).own_host("host0").memory.bind(memory.socket);
                        session.run({});
                    }),
                    testing::AllOf(testing::HasSubstr("host0.registers"), testing::HasSubstr("bind the sockets")));
    });
}

TEST(own_scoreboard, sees_what_is_wrong) {
    own_scoreboard board({0, 2}, nullptr);
    const std::vector<std::uint8_t> bytes{1, 2, 3, 4};
    board.sending(0, 0, {1, 3}, bytes);
    EXPECT_THROW(board.sending(0, 0, {1}, bytes), hw::input_error);
    EXPECT_THROW(board.sending(1, 0, {0}, bytes), hw::input_error);
    EXPECT_FALSE(board.complete());
    EXPECT_THAT(board.oldest_missing(), testing::HasSubstr("message 0 of own host 0 to host 1"));
    board.delivered(10, 1, 0, 0, bytes);
    board.delivered(11, 1, 0, 0, bytes);
    board.delivered(12, 2, 0, 0, bytes);
    const std::vector<std::uint8_t> wrong{1, 2, 9, 4};
    board.delivered(13, 3, 0, 0, wrong);
    board.delivered(14, 1, 2, 8, bytes);
    const hw::traffic::copy_counts counts = board.counts();
    EXPECT_EQ(counts.expected, 2u);
    EXPECT_EQ(counts.delivered, 1u);
    EXPECT_EQ(counts.duplicated, 1u);
    EXPECT_EQ(counts.misdelivered, 2u);
    EXPECT_EQ(counts.corrupted, 1u);
    EXPECT_EQ(counts.missing, 0u);
    EXPECT_TRUE(board.complete());
    EXPECT_FALSE(board.passed());
    EXPECT_EQ(board.delivered_until(), 14u);
    EXPECT_THAT(board.faults(), testing::Contains(testing::HasSubstr("the first that differs is byte 2")));
}

}  // namespace
}  // namespace polycast::tlm::network
