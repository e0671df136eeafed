// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/plain_cable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "hw/chips/port_set.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::faults {
namespace {

using engine::cycle;
using engine::pins;
using testing::ElementsAre;
using testing::HasSubstr;

/// Joined without delay: what a chip's output register holds in a cycle is on the cable's pins in it, and what the
/// cable's holds is on the other chip's pins.
class plain_bench {
public:
    explicit plain_bench(const plain_params& params, fault_plan plan = {})
        : params_(params), cable_(params, std::move(plan), 0) {}

    /// A flit of two flits' packet is in the register of the chip at `port` in cycle `when`.
    void send(cycle when, std::uint8_t data, bool head, bool tail, unsigned port = 0) {
        flits_[{when, port}] = {data, head, tail};
    }
    void credit(cycle when, unsigned vc, unsigned port = 1) { credits_[{when, port}] = vc; }

    /// Steps the cable only when it asks for it, or something arrives.
    void run(cycle until) {
        for (; now_ < until; ++now_) {
            pins in(cable_.shape()), out(cable_.shape());
            for (unsigned port = 0; port < 2; ++port) drive(port, in);
            if (in.quiet() && now_ < wake_) continue;
            wake_ = cable_.step(now_, in, out);
            for (unsigned port = 0; port < 2; ++port) see(port, out);
        }
    }

    /// On the pins of the chip at a port: cycle, data, head, tail, virtual channel.
    std::vector<std::tuple<cycle, unsigned, bool, bool, unsigned>> seen[2];
    std::vector<std::pair<cycle, unsigned>> freed[2];
    chips::cable_damage damage() const { return chips::cable_report::of(cable_.report()).damage; }
    const plain_cable& cable() const { return cable_; }

private:
    struct flit {
        std::uint8_t data;
        bool head, tail;
    };

    void drive(unsigned port, pins& in) {
        if (const auto sent = flits_.find({now_, port}); sent != flits_.end()) {
            in.valid |= chips::bit(port);
            if (sent->second.head) in.head |= chips::bit(port);
            if (sent->second.tail) in.tail |= chips::bit(port);
            in.data[port * params_.flit_bytes] = sent->second.data;
            in.vc[port] = 1;
        }
        if (const auto given = credits_.find({now_, port}); given != credits_.end()) {
            in.credit |= chips::bit(port);
            in.credit_vc[port] = static_cast<std::uint8_t>(given->second);
        }
    }
    void see(unsigned port, const pins& out) {
        const std::uint64_t mask = chips::bit(port);
        if ((out.valid & mask) != 0)
            seen[port].emplace_back(now_ + 1, out.data[port * params_.flit_bytes], (out.head & mask) != 0,
                                    (out.tail & mask) != 0, out.vc[port]);
        if ((out.credit & mask) != 0) freed[port].emplace_back(now_ + 1, out.credit_vc[port]);
    }

    plain_params params_;
    plain_cable cable_;
    std::map<std::pair<cycle, unsigned>, flit> flits_;
    std::map<std::pair<cycle, unsigned>, unsigned> credits_;
    cycle now_ = 0;
    cycle wake_ = 0;
};

constexpr plain_params two_bytes{.flit_bytes = 2, .header_bytes = 0, .vcs = 3, .delay = 1};
constexpr unsigned head_wire = 16, valid_wire = 22, credit_wire = 23;

fault_event event(fault_kind what, cycle at) {
    fault_event made;
    made.what = what;
    made.at = at;
    return made;
}

TEST(plain_cable, takes_as_long_as_a_link) {
    for (const unsigned delay : {1u, 2u, 7u}) {
        plain_params params = two_bytes;
        params.delay = delay;
        plain_bench bench(params);
        bench.send(5, 17, true, false);
        bench.send(6, 18, false, true);
        bench.send(6, 19, true, true, 1);
        bench.credit(6, 2);
        bench.run(5 + delay);
        EXPECT_EQ(bench.cable().idle(), delay == 1);
        bench.run(40);
        // A link: in the register in t, on the pins in t + delay.
        EXPECT_THAT(bench.seen[1],
                    ElementsAre(std::tuple(5 + delay, 17, true, false, 1), std::tuple(6 + delay, 18, false, true, 1)));
        EXPECT_THAT(bench.seen[0], ElementsAre(std::tuple(6 + delay, 19, true, true, 1)));
        EXPECT_THAT(bench.freed[0], ElementsAre(std::pair(6 + delay, 2)));
        EXPECT_TRUE(bench.cable().idle());
    }
}

TEST(plain_cable, single_faults_hit_what_is_on_the_pins) {
    fault_plan plan;
    plan.events = {event(fault_kind::flip, 8), event(fault_kind::lose, 9), event(fault_kind::flip, 12),
                   event(fault_kind::flip, 20)};
    plan.events[0].wires = {0, head_wire};
    plan.events[2].wires = {valid_wire, credit_wire};
    plan.events[3].wires = {valid_wire + 6 - 1};  // of a credit's channel, while there is none
    plain_bench bench(two_bytes, plan);
    bench.send(7, 16, true, false);
    bench.send(8, 18, false, true);
    bench.run(40);
    EXPECT_THAT(bench.seen[1], ElementsAre(std::tuple(8, 17, false, false, 1), std::tuple(12, 0, false, false, 0)));
    EXPECT_THAT(bench.freed[1], ElementsAre(std::pair(12, 0)));
    EXPECT_EQ(bench.damage().count[static_cast<std::size_t>(fault_kind::flip)], 5u);
    EXPECT_EQ(bench.damage().count[static_cast<std::size_t>(fault_kind::lose)], 1u);
}

TEST(plain_cable, credits_are_lost_and_come_twice) {
    fault_plan plan;
    plan.events = {event(fault_kind::lose_credit, 10), event(fault_kind::double_credit, 20)};
    for (fault_event& each : plan.events) each.from_end = 1;
    plain_bench bench(two_bytes, plan);
    for (const unsigned when : {8u, 9u, 10u, 21u, 22u, 23u}) bench.credit(when, when % 3);
    bench.run(40);
    // The copy of cycle 22 waits for a cycle without another credit.
    EXPECT_THAT(bench.freed[0], ElementsAre(std::pair(9, 2), std::pair(11, 1), std::pair(22, 0), std::pair(23, 1),
                                            std::pair(24, 2), std::pair(25, 0)));
    EXPECT_EQ(bench.damage().first.size(), 2u);
}

TEST(plain_cable, dead_both_ways_and_stuck) {
    fault_plan plan;
    plan.events = {event(fault_kind::dead, 10), event(fault_kind::stuck, 30)};
    plan.events[0].until = 20;
    plan.events[1].until = 33;
    plan.events[1].wires = {valid_wire};
    plan.events[1].value = true;
    plain_bench bench(two_bytes, plan);
    for (const cycle when : {8, 9, 18, 19}) {
        bench.send(when, 1, true, true);
        bench.send(when, 2, true, true, 1);
        bench.credit(when, 0);
    }
    bench.run(60);
    EXPECT_THAT(bench.seen[0], ElementsAre(std::tuple(9, 2, true, true, 1), std::tuple(20, 2, true, true, 1)));
    EXPECT_THAT(bench.freed[0], ElementsAre(std::pair(9, 0), std::pair(20, 0)));
    EXPECT_THAT(bench.seen[1], ElementsAre(std::tuple(9, 1, true, true, 1), std::tuple(20, 1, true, true, 1),
                                           std::tuple(30, 0, false, false, 0), std::tuple(31, 0, false, false, 0),
                                           std::tuple(32, 0, false, false, 0)));
}

TEST(plain_cable, a_header_flips_beside_its_head) {
    plain_params params = two_bytes;
    params.header_bytes = 3;
    const plain_wires wires(params.flit_bytes, params.header_bytes);
    EXPECT_EQ(wires.count(), 16u + 6 + 6 + 24);
    plain_symbol symbol;
    for (unsigned wire = 0; wire < wires.count(); ++wire) {
        EXPECT_FALSE(wires.read(wire, symbol)) << wire;
        wires.flip(wire, symbol);
        EXPECT_TRUE(wires.read(wire, symbol)) << wire;
    }
    EXPECT_THAT(symbol.flit.header, ElementsAre(255, 255, 255));
    for (unsigned wire = 0; wire < wires.count(); ++wire) wires.flip(wire, symbol);
    EXPECT_TRUE(symbol.idle());
}

TEST(plain_cable, random_flips_do_not_depend_on_when_it_is_stepped) {
    fault_plan plan;
    plan.seed = 3;
    plan.rates = {{.from_end = 0, .rate = 0.002}, {.from_end = 1, .rate = 0.001, .burst = 5}};
    plain_bench busy(two_bytes, plan), still(two_bytes, plan);
    for (cycle when = 1; when < 3000; ++when) busy.send(when, static_cast<std::uint8_t>(when), true, true);
    busy.run(3000);
    still.run(3000);
    EXPECT_GT(still.damage().first.size(), 100u);
    EXPECT_EQ(busy.damage(), still.damage());
}

TEST(plain_cable, what_it_does_not_have_is_refused) {
    const auto refused = [](fault_event what) {
        fault_plan plan;
        plan.events = {std::move(what)};
        return testbench::unit::refusal([&] { plain_cable cable(two_bytes, plan, 0); });
    };
    EXPECT_THAT(refused(event(fault_kind::frame, 0)), HasSubstr("no frames"));
    EXPECT_THAT(refused(event(fault_kind::set, 0)), HasSubstr("no frames"));
    EXPECT_THAT(refused(event(fault_kind::upset, 0)), HasSubstr("no memory"));
    fault_event flip = event(fault_kind::flip, 0);
    flip.wires = {28};
    EXPECT_THAT(refused(flip), HasSubstr("wires 0 to 27"));
}

}  // namespace
}  // namespace polycast::hw::faults
