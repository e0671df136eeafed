// SPDX-License-Identifier: Apache-2.0
// The bench must see what only broadcast routers have: side wires. Its runs can be replayed, and its watch counts
// right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/equivalence/broadcast_watch.h"
#include "testbench/equivalence/contenders.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::broadcast_params;
using hw::chips::broadcast_registers;
using hw::engine::cycle;
using hw::engine::pins;
using testing::HasSubstr;

/// Broadcasts of few packets, one after the other.
broadcast_run lively() {
    broadcast_params params;
    params.router.ports = 7;
    params.slot_flits = 2;
    broadcast_run run = draw_broadcast_run(params, 2, 5000);
    run.traffic = {};
    run.traffic.start = 600;
    run.traffic.learn = 300;
    run.traffic.router.start = 50;
    run.registers.host_credits = 30;
    return run;
}

TEST(broadcast_lockstep, honest_routers_are_the_same) {
    lockstep bench(compare(lively(), broadcast_core_contender(), broadcast_golden_contender()));
    const std::optional<difference> found = bench.run();
    EXPECT_FALSE(found.has_value()) << found->what;
    EXPECT_GT(bench.seen().decisions.at("round ends"), 50u);
    EXPECT_EQ(bench.seen().forwarding, 1u);
}

/// A router that lies once about its side wires.
class liar final : public hw::engine::chip {
public:
    using lie = std::function<void(pins&)>;

    liar(std::unique_ptr<chip> honest, lie what, cycle* lied)
        : honest_(std::move(honest)), lie_(std::move(what)), lied_(lied) {}

    const hw::engine::pin_shape& shape() const override { return honest_->shape(); }
    void reset() override { honest_->reset(); }
    cycle step(cycle now, const pins& in, pins& out) override {
        const cycle wake = honest_->step(now, in, out);
        if (out.side == 0 || *lied_ != 0) return wake;
        lie_(out);
        *lied_ = now + 1;
        return wake;
    }
    bool idle() const override { return honest_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { honest_->probe(probe); }

private:
    std::unique_ptr<chip> honest_;
    lie lie_;
    cycle* lied_;
};

TEST(broadcast_lockstep, side_wires_are_compared) {
    const auto expect_found = [](const liar::lie& lie, const char* what) {
        cycle lied = 0;
        const broadcast_contender lying{
            "liar", [&](const broadcast_params& params, const broadcast_registers& registers) {
                return std::make_unique<liar>(broadcast_golden_contender().make(params, registers), lie, &lied);
            }};
        lockstep bench(compare(lively(), broadcast_golden_contender(), lying));
        const std::optional<difference> found = bench.run();
        ASSERT_TRUE(found.has_value());
        EXPECT_THAT(found->what, HasSubstr(what));
        EXPECT_EQ(found->cycle, lied);
    };
    expect_found([](pins& out) { out.side = 0; }, "change of side wires of port 0: golden 1, liar 0");
    expect_found([](pins& out) { out.side &= out.side - 1; }, "change of side wires of port 0");
    expect_found([](pins& out) { ++out.sides[1].round; }, "side wires of port 1: golden have ");
    expect_found([](pins& out) { out.sides[3].have ^= 1u << 31; }, "side wires of port 3: golden have ");
}

TEST(broadcast_replay, a_line_gives_the_same_run) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const broadcast_run run = draw_broadcast_run(draw_broadcast_params(seed, 16), seed, 100);
        const broadcast_run again = broadcast_run_from_line(to_line(run));
        EXPECT_EQ(again.params, run.params);
        EXPECT_EQ(to_line(again), to_line(run));
        EXPECT_EQ(again.registers.there, run.registers.there);
        EXPECT_EQ(again.registers.open, run.registers.open);
        EXPECT_EQ(again.registers.router.node, run.registers.router.node);
        EXPECT_EQ(again.traffic.learn, run.traffic.learn);
    }
    const std::string line = to_line(lively());
    EXPECT_THROW(broadcast_run_from_line("broadcast ports=4"), hw::input_error);
    EXPECT_THROW(broadcast_run_from_line(line.substr(10)), hw::input_error);
    EXPECT_THROW(broadcast_run_from_line(line + " more=1"), hw::input_error);
    std::string too_many = line;
    EXPECT_THROW(broadcast_run_from_line(too_many.replace(line.find("slots=32"), 8, "slots=65")), hw::input_error);
}

TEST(broadcast_draw, parameters_and_registers_keep_to_the_page) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const broadcast_params params = draw_broadcast_params(seed, 16);
        EXPECT_NO_THROW(hw::chips::checked(params));
        EXPECT_NO_THROW(hw::chips::checked(params, draw_broadcast_run(params, seed, 1).registers));
    }
}

/// A node of a ring of 8 gets packets 0 to 2 of a message of three from node 0, one of them twice, and its neighbour at
/// port 0 has packet 1.
TEST(broadcast_watch, counts_what_it_says) {
    broadcast_params params;
    params.router.ports = 4;
    params.router.dimensions = 1;
    broadcast_registers registers;
    registers.router.node = 2;
    registers.router.wrap = 1;
    registers.router.credits = {8, 8, 8, 8};
    registers.open = 3;
    registers.dimension.assign(4, 0);
    registers.there = {3, 1, 0, 0};
    const std::unique_ptr<hw::engine::chip> chip = broadcast_golden_contender().make(params, registers);
    broadcast_watch watch(params, registers);
    pins in(chip->shape());
    pins out(chip->shape());
    hw::engine::chip_probe before;
    hw::engine::chip_probe after;
    chip->probe(after);
    constexpr std::array<std::uint8_t, 4> indices{0, 1, 0, 2};
    for (cycle now = 0; now < 40; ++now) {
        in.clear();
        out.clear();
        if (now == 0) {
            in.side = 1;
            in.sides[0] = {2, 0};
        }
        if (now < 12 && now % 3 == 0) {
            in.valid = in.head = in.tail = 2;
            in.vc[1] = 2;
            hw::format::write_common({.kind = hw::format::packet_kind::pipelined}, &in.data[16]);
            hw::format::write_pipelined({indices[now / 3], 2, 0, 0}, &in.data[16]);
        }
        chip->step(now, in, out);
        before = after;
        chip->probe(after);
        watch.see(in, out, before, after);
    }
    const auto counts = watch.counted();
    const auto expect = [&](const char* what, std::uint64_t count) { EXPECT_EQ(counts.at(what), count) << what; };
    expect("duplicate from the network", 1);
    expect("duplicate from the host", 0);
    expect("duplicate of the same cycle", 0);
    expect("packet to a neighbour, colours", 2);
    expect("packet to the host", 3);
    expect("packet of one flit", 5);
    expect("packet of several flits", 0);
    expect("not sent: the neighbour has it", 1);
    expect("not sent: the neighbour is in the next round", 0);
    expect("round ends", 1);
    expect("round ends behind a neighbour's", 0);
    expect("sixteenth round ends", 0);
    expect("packet sent on in reverse", 0);
    expect("message of one packet", 0);
    EXPECT_EQ(counts.size(), 42u);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
