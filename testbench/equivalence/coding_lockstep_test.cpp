// SPDX-License-Identifier: Apache-2.0
// The bench must see what only coding units have: event pins. Its runs can be replayed, and its watch counts right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/format/check_word.h"
#include "hw/input_error.h"
#include "testbench/equivalence/coding_watch.h"
#include "testbench/equivalence/contenders.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::coding_mode;
using hw::chips::coding_params;
using hw::chips::coding_registers;
using hw::engine::cycle;
using hw::engine::pins;
using testing::HasSubstr;

/// Contexts whose operands come whole, or not.
coding_run lively(unsigned lost) {
    coding_params params;
    params.header_free = true;
    coding_run run = draw_coding_run(params, 1, 5000);
    run.registers.credits = 8;
    run.registers.reserve = 1;
    run.registers.packet_limit = 8;
    run.registers.patience = lost != 0 ? 100 : 0;
    run.registers.vc_sets.fill(0xf);
    run.traffic = {};
    run.traffic.start = 1000;
    run.traffic.longest = 8;
    run.traffic.open = 2;
    run.traffic.rest = 300;
    run.traffic.lost = lost;
    return run;
}

TEST(coding_lockstep, honest_units_are_the_same) {
    lockstep bench(compare(lively(50), coding_core_contender(), coding_golden_contender()));
    const std::optional<difference> found = bench.run();
    EXPECT_FALSE(found.has_value()) << found->what;
    EXPECT_GT(bench.seen().packets, 100u);
    EXPECT_EQ(bench.seen().forwarding, 0u);
}

/// As large as units can be: these runs fill the store, and come to the upper contexts and indices.
TEST(coding_lockstep, the_largest_units_are_the_same) {
    coding_params params;
    params.flit_bytes = 64;
    params.header_free = true;
    params.contexts = 1024;
    params.slots = params.indices = params.destinations = 4096;
    params.slot_flits = 2;
    coverage seen;
    for (const std::uint64_t seed : {4, 6, 34}) {
        const coding_run run = draw_coding_run(params, seed, 15000);
        lockstep bench(compare(run, coding_core_contender(), coding_golden_contender()));
        const std::optional<difference> found = bench.run();
        EXPECT_FALSE(found.has_value()) << to_line(run) << ": " << found->what;
        seen.add(bench.seen());
    }
    for (const char* what : {"store full", "context in the upper half", "index in the upper half", "encoded",
                             "decoded upwards", "decoded downwards", "missing in encoding", "missing chain operand"})
        EXPECT_GE(seen.decisions.at(what), 10u) << what;
}

/// A unit that changes its events once.
class liar final : public hw::engine::chip {
public:
    liar(std::unique_ptr<chip> honest, std::function<void(std::vector<hw::engine::chip_event>&)> lie, cycle* lied)
        : honest_(std::move(honest)), lie_(std::move(lie)), lied_(lied) {}

    const hw::engine::pin_shape& shape() const override { return honest_->shape(); }
    void reset() override { honest_->reset(); }
    cycle step(cycle now, const pins& in, pins& out) override {
        const cycle wake = honest_->step(now, in, out);
        if (out.events.empty() || *lied_ != 0) return wake;
        lie_(out.events);
        *lied_ = now + 1;
        return wake;
    }
    bool idle() const override { return honest_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { honest_->probe(probe); }

private:
    std::unique_ptr<chip> honest_;
    std::function<void(std::vector<hw::engine::chip_event>&)> lie_;
    cycle* lied_;
};

TEST(coding_lockstep, events_are_compared) {
    const auto expect_found = [](const std::function<void(std::vector<hw::engine::chip_event>&)>& lie) {
        cycle lied = 0;
        const coding_contender lying{"liar", [&](const coding_params& params, const coding_registers& registers) {
                                         return std::make_unique<liar>(
                                             coding_golden_contender().make(params, registers), lie, &lied);
                                     }};
        lockstep bench(compare(lively(50), coding_golden_contender(), lying));
        const std::optional<difference> found = bench.run();
        ASSERT_TRUE(found.has_value());
        EXPECT_THAT(found->what, HasSubstr("events: golden [pin "));
        EXPECT_EQ(found->cycle, lied);
    };
    expect_found([](auto& events) { events.clear(); });
    expect_found([](auto& events) { events.push_back({}); });
    expect_found([](auto& events) { ++events[0].pin; });
    expect_found([](auto& events) { ++events[0].code; });
    expect_found([](auto& events) { ++events[0].context; });
    expect_found([](auto& events) { ++events[0].index; });
    expect_found([](auto& events) { ++events[0].source; });
}

TEST(coding_replay, a_line_gives_the_same_run) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const coding_run run = draw_coding_run(draw_coding_params(seed, true), seed, 100);
        const coding_run again = coding_run_from_line(to_line(run));
        EXPECT_EQ(again.params, run.params);
        EXPECT_EQ(to_line(again), to_line(run));
        EXPECT_EQ(again.registers.destinations, run.registers.destinations);
        EXPECT_EQ(again.registers.vc_sets, run.registers.vc_sets);
        EXPECT_EQ(again.registers.patience, run.registers.patience);
    }
    const std::string line = to_line(lively(0));
    EXPECT_THROW(coding_run_from_line("coding vcs=4"), hw::input_error);
    EXPECT_THROW(coding_run_from_line(line.substr(7)), hw::input_error);
    EXPECT_THROW(coding_run_from_line(line + " more=1"), hw::input_error);
    std::string too_many = line;
    EXPECT_THROW(coding_run_from_line(too_many.replace(line.find("vcs=4"), 5, "vcs=17")), hw::input_error);
}

TEST(coding_draw, parameters_and_registers_keep_to_the_page) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const coding_params params = draw_coding_params(seed, true);
        EXPECT_NO_THROW(hw::chips::checked(params));
        EXPECT_NO_THROW(hw::chips::checked(params, draw_coding_run(params, seed, 1).registers));
    }
}

/// What a watch counts when these operands come in, one a cycle.
std::map<std::string, std::uint64_t> counted(coding_mode mode, const std::vector<std::uint32_t>& tags) {
    coding_params params;
    params.header_free = true;
    coding_registers registers = lively(0).registers;
    registers.latency = 0;
    registers.patience = 40;
    registers.credits = 100;
    registers.contexts = {{.mode = mode, .count = 4, .destination_count = 2, .group = 0}};
    const std::unique_ptr<hw::engine::chip> unit = coding_golden_contender().make(params, registers);
    coding_watch watch(params, registers);
    pins in(params.pin_shape());
    pins out(params.pin_shape());
    hw::engine::chip_probe before;
    hw::engine::chip_probe after;
    unit->probe(after);
    for (cycle now = 0; now < 150; ++now) {
        in.clear();
        out.clear();
        if (now < tags.size()) {
            in.valid = in.head = in.tail = 1;
            std::uint8_t* header = in.header.data();
            const auto size = static_cast<unsigned>(in.header.size());
            std::uint8_t* transport = header + hw::format::free_transport_offset(size);
            hw::format::write_common({.length = 16}, header);
            hw::format::write_transport({.op = hw::format::transport_op::operand, .group = 0, .tag = tags[now]},
                                        transport);
            hw::format::write_check(header + hw::format::free_check_offset(size),
                                    hw::format::check_word(header, transport, {in.data.data(), 16}));
        }
        unit->step(now, in, out);
        before = after;
        unit->probe(after);
        watch.see(in, out, before, after);
    }
    return watch.counted();
}

TEST(coding_watch, counts_what_it_says) {
    constexpr std::uint32_t chain = hw::chips::chain_bit;
    const auto encoding = counted(coding_mode::encode, {0, 1, 1, 2, 5, chain});
    EXPECT_EQ(encoding.at("encoded"), 2u);
    EXPECT_EQ(encoding.at("index in the upper half"), 0u);
    EXPECT_EQ(encoding.at("context in the upper half"), 0u);
    EXPECT_EQ(encoding.at("second destination"), 2u);
    EXPECT_EQ(encoding.at("duplicate"), 1u);
    EXPECT_EQ(encoding.at("bad_index"), 2u);
    EXPECT_EQ(encoding.at("missing in encoding"), 1u);
    EXPECT_EQ(encoding.at("free header"), 4u);
    EXPECT_EQ(encoding.at("result of one flit"), 4u);
    EXPECT_EQ(encoding.at("no latency"), 4u);
    EXPECT_EQ(encoding.at("round again"), 0u);
    const auto up = counted(coding_mode::decode, {chain, chain | 1, chain | 2, 0});
    EXPECT_EQ(up.at("decoded upwards"), 2u);
    EXPECT_EQ(up.at("decoded downwards"), 0u);
    const auto down = counted(coding_mode::decode, {chain, chain | 1, chain | 2, 3});
    EXPECT_EQ(down.at("decoded upwards"), 0u);
    EXPECT_EQ(down.at("decoded downwards"), 2u);
    const auto without = counted(coding_mode::decode, {chain, chain | 2});
    EXPECT_EQ(without.at("missing plain operand"), 1u);
    EXPECT_EQ(without.at("missing chain operand"), 1u);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
