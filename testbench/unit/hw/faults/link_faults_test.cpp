// SPDX-License-Identifier: Apache-2.0
// Each fault of wires on the reference links: what it does, and that retry cures it.
#include "hw/faults/link_faults.h"

#include "hw/input_error.h"
#include "testbench/unit/hw/chips/link/cable_bench.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::faults;
using hw::chips::set_type;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr cycle long_up = 10000;

class wire_fault : public testing::TestWithParam<char> {
protected:
    /// 40 frames and their credits with `events`: all flits once, in order, unchanged, and every credit.
    void cured(std::vector<fault_event> events, std::vector<random_flip_rule> rates = {}) {
        bench = std::make_unique<cable_bench>(config);
        bench->frees = true;
        bench->fail({.seed = 5, .rates = std::move(rates), .events = std::move(events)});
        const unsigned flits = 40 * F;
        bench->send(long_up, flits);
        bench->run(long_up + 80 * P + 14 * R + 3 * config.credit_timer);
        ASSERT_EQ(bench->seen[1].size(), flits);
        for (unsigned flit = 0; flit < flits; ++flit) {
            const std::uint64_t mask = config.flit_bytes == 1 ? 0xff : ~std::uint64_t{0};
            ASSERT_EQ(bench->seen[1][flit].tag, (flit + 1) & mask);
            ASSERT_EQ(bench->seen[1][flit].head, flit == 0);
            ASSERT_EQ(bench->seen[1][flit].tail, flit + 1 == flits);
        }
        EXPECT_EQ(bench->credits[0].size(), flits);
        EXPECT_THAT(bench->errors[0], IsEmpty());
        EXPECT_THAT(bench->errors[1], IsEmpty());
        EXPECT_EQ(bench->cable.end(0).probe().outstanding, 0u);
        EXPECT_EQ(bench->counters(0).tx_cycles[4], 0u);  // no FLUSH
    }
    link_counters tx() const { return bench->counters(0); }
    link_counters rx() const { return bench->counters(1); }

    link_config config = checked(reference(GetParam()));
    unsigned F = static_cast<unsigned>(config.frame);
    cycle P = config.frame_symbols();
    cycle R = config.replay_timer;
    /// The third frame's first symbol on the far pins.
    cycle third = long_up + 1 + 2 * P + config.delay + 1;
    std::unique_ptr<cable_bench> bench;
};
INSTANTIATE_TEST_SUITE_P(all, wire_fault, testing::Values('X', 'Y', 'Z'),
                         [](const auto& link) { return std::string(1, link.param); });

TEST_P(wire_fault, flip) {
    cured({{.what = fault_kind::flip, .at = third, .wires = {5, 7}}});
    EXPECT_EQ(rx().llr_rx_bad, 1u);
    EXPECT_THAT(bench->injected, ElementsAre(fault_record{third, 0, fault_kind::flip, fault_effect::flipped, 5},
                                             fault_record{third, 0, fault_kind::flip, fault_effect::flipped, 7}));
}

TEST_P(wire_fault, lose) {
    cured({{.what = fault_kind::lose, .at = third}, {.what = fault_kind::lose, .at = 9000}});
    EXPECT_GE(rx().llr_rx_bad + rx().llr_rx_missing_seq, 1u);
    EXPECT_EQ(tx().llr_rx_nack_ctl_os, 1u);
    EXPECT_THAT(bench->injected, ElementsAre(fault_record{9000, 0, fault_kind::lose, fault_effect::nothing, 0},
                                             fault_record{third, 0, fault_kind::lose, fault_effect::lost, 3}));
}

TEST_P(wire_fault, lose_credit) {
    cured({{.what = fault_kind::lose_credit, .from_end = 1, .at = long_up}});
    ASSERT_EQ(bench->injected.size(), 1u);
    EXPECT_EQ(bench->injected[0].effect, fault_effect::lost);
    EXPECT_EQ(rx().cbfc_num_cf_update_messages_tx, tx().cbfc_num_cf_update_messages_rx + 1);
}

TEST_P(wire_fault, double_credit) {
    cured({{.what = fault_kind::double_credit, .from_end = 1, .at = long_up}});
    ASSERT_EQ(bench->injected.size(), 1u);
    EXPECT_EQ(bench->injected[0].effect, fault_effect::doubled);
    EXPECT_EQ(rx().cbfc_num_cf_update_messages_tx + 1, tx().cbfc_num_cf_update_messages_rx);
}

TEST_P(wire_fault, frame) {
    for (const frame_loss loss : {frame_loss::bad, frame_loss::vanish}) {
        for (const unsigned times : {1u, 2u}) {
            cured({{.what = fault_kind::frame, .number = 7, .loss = loss, .times = times}});
            ASSERT_EQ(bench->injected.size(), times);
            const bool vanish = loss == frame_loss::vanish;
            EXPECT_EQ(bench->injected[0].effect, vanish ? fault_effect::lost : fault_effect::bad);
            for (const fault_record& each : bench->injected) EXPECT_EQ(each.detail, 7u);
            // The second is the replay's first: only beside is its number known before it is over.
            EXPECT_EQ(rx().llr_rx_bad, !vanish ? times : config.beside ? 0 : times - 1);
            EXPECT_EQ(tx().timeouts, times - 1);
        }
    }
}

TEST_P(wire_fault, set) {
    cured({{.what = fault_kind::set, .from_end = 1, .type = set_type::init_echo, .times = 3}});
    EXPECT_EQ(bench->injected.size(), 3u);
    EXPECT_EQ(tx().llr_rx_init_echo_ctl_os + 3, rx().llr_tx_init_echo_ctl_os);
    cured({{.what = fault_kind::set, .from_end = 1, .type = set_type::ack, .times = all_sets}});
    EXPECT_EQ(tx().llr_rx_ack_ctl_os, 0u);
    EXPECT_EQ(bench->injected.size(), rx().llr_tx_ack_ctl_os);
    EXPECT_GT(bench->injected.size(), 0u);
}

TEST_P(wire_fault, dead) {
    const cycle until = third + R / 2;
    cured({{.what = fault_kind::dead, .at = third, .until = until, .retrain = 20}});
    const auto record = [](cycle when, unsigned end, fault_effect effect) {
        return fault_record{when, end, fault_kind::dead, effect, 0};
    };
    EXPECT_THAT(bench->injected, testing::UnorderedElementsAre(record(third, 0, fault_effect::began),
                                                               record(third, 1, fault_effect::began),
                                                               record(until + 20, 0, fault_effect::ended),
                                                               record(until + 20, 1, fault_effect::ended)));
    for (const auto& seen : bench->seen[1]) EXPECT_TRUE(seen.when <= third + F || seen.when > until + 20);
    cured({{.what = fault_kind::dead, .from_end = 1, .at = third, .until = until, .one_way = true}});
    EXPECT_THAT(bench->injected,
                ElementsAre(record(third, 1, fault_effect::began), record(until, 1, fault_effect::ended)));
}

TEST_P(wire_fault, stuck) {
    const unsigned wires = symbol_wires(config);
    for (unsigned wire = 0; wire < wires; wire += wires / 16) {
        for (const bool value : {false, true}) {
            const cycle until = third + R / 2;
            cured({{.what = fault_kind::stuck, .at = third, .until = until, .wires = {wire}, .value = value}});
            EXPECT_THAT(bench->injected,
                        ElementsAre(fault_record{third, 0, fault_kind::stuck, fault_effect::began, wire},
                                    fault_record{until, 0, fault_kind::stuck, fault_effect::ended, wire}));
        }
    }
}

TEST_P(wire_fault, random_flips) {
    const double rate = GetParam() == 'Y' ? 2e-5 : 1e-4;
    for (const unsigned burst : {1u, 32u}) {
        const random_flip_rule rule{.rate = rate, .burst = burst, .from = long_up, .to = long_up + 30 * P};
        cured({}, {rule, {.from_end = 1, .rate = rate, .burst = burst, .from = long_up, .to = long_up + 30 * P}});
        EXPECT_GT(bench->injected.size(), 0u);
        const std::vector<fault_record> before = bench->injected;
        for (const fault_record& each : before) EXPECT_LE(each.when, long_up + 30 * P + 8);
        // The same whatever the traffic.
        bench = std::make_unique<cable_bench>(config);
        bench->fail({.seed = 5, .rates = {rule}, .events = {}});
        bench->run(long_up + 50 * P);
        std::vector<fault_record> there;
        for (const fault_record& each : before)
            if (each.from_end == 0) there.push_back(each);
        EXPECT_EQ(bench->injected, there);
    }
}

/// A cable that is stepped only when it asks for it sees the same.
TEST_P(wire_fault, time_jumps) {
    // Two wires of the kind that are stuck make flits out of nothing.
    const fault_plan plan{
        .seed = 3,
        .rates = {{.rate = 1e-5, .burst = 3}, {.from_end = 1, .rate = 2e-5}},
        .events = {
            {.what = fault_kind::lose, .at = 20000},
            {.what = fault_kind::double_credit, .at = 0},
            {.what = fault_kind::flip, .at = 20100, .wires = {0}},
            {.what = fault_kind::stuck, .at = 20200, .until = 20300, .wires = {2}, .value = true},
            {.what = fault_kind::dead, .at = 20400, .until = 20500, .retrain = 9},
            {.what = fault_kind::stuck, .at = 21000, .until = 21100, .wires = {kind_wire(config)}, .value = true},
            {.what = fault_kind::stuck, .at = 21000, .until = 21100, .wires = {kind_wire(config) + 1}, .value = true}}};
    std::vector<fault_record> records[2];
    link_counters counters[2][2];
    cycle steps = 0;
    for (const bool jumps : {false, true}) {
        cable_core cable(config);
        cable_faults faults(cable.config(), plan, 7, [&](const fault_record& each) { records[jumps].push_back(each); });
        faults.attach(cable);
        hw::engine::pins in(cable.shape());
        hw::engine::pins out(cable.shape());
        cycle wake = 0;
        steps = 0;
        for (cycle now = 0; now < 100000; ++now) {
            const bool sends = now % 9000 == 5000;
            if (jumps && !sends && now < wake) continue;
            in.clear();
            out.clear();
            if (sends) in.valid = in.head = in.tail = 1;
            wake = cable.step(now, in, out);
            ++steps;
        }
        for (unsigned end = 0; end < 2; ++end) counters[jumps][end] = cable.end(end).counters(100000);
    }
    EXPECT_EQ(records[1], records[0]);
    EXPECT_GT(records[0].size(), 100u);
    EXPECT_TRUE(counters[1][0] == counters[0][0]);
    EXPECT_TRUE(counters[1][1] == counters[0][1]);
    EXPECT_LT(steps, 20000u);
}

TEST(link_faults, another_cable_has_other_faults) {
    const link_config config = checked(reference('X'));
    std::vector<std::vector<fault_record>> all;
    for (const std::uint64_t cable : {0u, 1u}) {
        for (const unsigned end : {0u, 1u}) {
            const fault_plan plan{
                .seed = 1, .rates = {{.from_end = 0, .rate = 1e-3}, {.from_end = 1, .rate = 1e-3}}, .events = {}};
            std::vector<fault_record> seen;
            hw::faults::link_faults faults(config, plan, end, cable, [&](fault_record each) {
                each.from_end = 0;
                seen.push_back(each);
            });
            link_symbol symbol;
            bool signal = true;
            for (cycle now = faults.next(0); now < 1000; now = faults.next(now)) faults.apply(now, symbol, signal);
            EXPECT_GT(seen.size(), 50u);
            for (const auto& other : all) EXPECT_NE(seen, other);
            all.push_back(seen);
        }
    }
}

TEST(link_faults, refused) {
    const auto refuses = [](const fault_plan& plan, const std::string& message) {
        try {
            hw::faults::link_faults(checked(reference('X')), plan, 0, 0, {});
            ADD_FAILURE() << message;
        } catch (const hw::input_error& error) {
            EXPECT_STREQ(error.what(), message.c_str());
        }
    };
    const auto rate = [&](random_flip_rule rule, const std::string& message) {
        refuses({.seed = 0, .rates = {rule}, .events = {}}, message);
    };
    const auto event = [&](const fault_event& what, const std::string& message) {
        refuses({.seed = 0, .rates = {}, .events = {what}}, message);
    };
    rate({.rate = 0.2}, "the rate of faults is 0.200000; use 0 to 0.1");
    rate({.rate = -1}, "the rate of faults is -1.000000; use 0 to 0.1");
    rate({.rate = 0.1, .burst = 0}, "a burst of no bit; use 1 or more");
    rate({.rate = 0.1, .from = 5, .to = 5}, "faults end before they begin; let `to` be behind `from`");
    event({.wires = {137}}, "there is no wire 137; a direction of this cable has wires 0 to 136");
    event({.wires = {}}, "flip without its wire; name one");
    event({.what = fault_kind::stuck, .wires = {1, 2}}, "stuck without its wire; name one");
    event({.what = fault_kind::dead, .at = 8, .until = 8},
          "the fault ends before it begins; let `until` be behind `at`");
    event({.what = fault_kind::set, .times = 0}, "a fault of no frame or set; use 1 or more");
    event({.what = fault_kind::frame, .number = 1u << 20}, "there is no frame 1048576; use 0 to 1048575");
}

}  // namespace
}  // namespace polycast::testbench::unit
