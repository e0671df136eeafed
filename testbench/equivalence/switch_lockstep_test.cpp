// SPDX-License-Identifier: Apache-2.0
// The bench must see every pin: a switch that lies about one of them is found in the cycle in which it does.
#include "testbench/equivalence/lockstep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hw/input_error.h"
#include "testbench/equivalence/contenders.h"
#include "tlm/verilated/rtl_switch.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::engine::cycle;
using hw::engine::pins;
using testing::HasSubstr;

/// Passes everything through to a good switch, but lies after some cycle as soon as there is something to lie about.
class liar final : public hw::engine::chip {
public:
    /// Changes pins; true when it did.
    using lie = std::function<bool(pins&)>;

    liar(std::unique_ptr<hw::engine::chip> honest, lie pin_lie, std::function<void(hw::engine::chip_probe&)> state_lie,
         bool idle_lie, cycle* lied)
        : honest_(std::move(honest)),
          lie_(std::move(pin_lie)),
          state_lie_(std::move(state_lie)),
          idle_lie_(idle_lie),
          lied_(lied) {}

    const hw::engine::pin_shape& shape() const override { return honest_->shape(); }
    void reset() override { honest_->reset(); }
    cycle step(cycle now, const pins& in, pins& out) override {
        const cycle wake = honest_->step(now, in, out);
        now_ = now;
        if (now < from || *lied_ != 0) return wake;
        if (lie_ && lie_(out)) *lied_ = now + 1;
        if (state_lie_ || idle_lie_) *lied_ = now + 1;
        return wake;
    }
    bool idle() const override { return honest_->idle() != (idle_lie_ && *lied_ == now_ + 1); }
    void probe(hw::engine::chip_probe& probe) const override {
        honest_->probe(probe);
        if (state_lie_ && *lied_ == now_ + 1) state_lie_(probe);
    }

    static constexpr cycle from = 200;

private:
    std::unique_ptr<hw::engine::chip> honest_;
    lie lie_;
    std::function<void(hw::engine::chip_probe&)> state_lie_;
    bool idle_lie_;
    cycle* lied_;
    cycle now_ = 0;
};

switch_run lively(bool header_free) {
    switch_params params;
    params.ports = 4;
    params.read_ports = 4;
    params.chunks = 10;
    params.max_hosts = 8;
    params.header_free = header_free;
    switch_run run = draw_switch_run(params, 1, 3000);
    run.traffic = {};
    run.traffic.longest = run.tables.packet_limit = 40;
    run.tables.tree_header_flits = header_free ? 1 : 11;
    run.tables.buffer_chunks.assign(4, 10);
    run.tables.credits.assign(4, 4);
    return run;
}

/// Compares the golden model with itself, one of the two lying.
void expect_found(const std::string& words, const liar::lie& lie,
                  const std::function<void(hw::engine::chip_probe&)>& state_lie = {}, bool idle_lie = false) {
    cycle lied = 0;
    const contender lying{"liar", [&](const switch_params& params, const switch_tables& tables) {
                              return std::make_unique<liar>(golden_contender().make(params, tables), lie, state_lie,
                                                            idle_lie, &lied);
                          }};
    lockstep bench(compare(lively(true), golden_contender(), lying));
    const std::optional<difference> found = bench.run();
    ASSERT_TRUE(found.has_value()) << words;
    EXPECT_THAT(found->what, HasSubstr(words));
    EXPECT_EQ(found->cycle, lied) << words;
    EXPECT_GE(lied, liar::from);
}

TEST(switch_lockstep, honest_switches_are_the_same) {
    for (const bool header_free : {false, true}) {
        lockstep bench(compare(lively(header_free), core_contender(), golden_contender()));
        const std::optional<difference> found = bench.run();
        EXPECT_FALSE(found.has_value()) << found->what;
        EXPECT_EQ(bench.seen().cycles, 3000u);
        EXPECT_GT(bench.seen().flits, 500u);
    }
}

TEST(switch_lockstep, every_pin_is_compared) {
    expect_found("flit_valid", [](pins& out) { return out.valid ^= 1, true; });
    expect_found("flit_valid", [](pins& out) { return out.valid ^= 8, true; });
    expect_found("flit_head", [](pins& out) {
        const bool any = out.head != 0;
        out.head &= out.head - 1;
        return any;
    });
    expect_found("flit_tail", [](pins& out) { return out.tail ^= out.valid, out.valid != 0; });
    expect_found("credit of port 2", [](pins& out) { return out.credit ^= 4, true; });
    expect_found("error of port 1", [](pins& out) { return out.error ^= 2, true; });
    expect_found("flit_data", [](pins& out) {
        for (std::uint8_t& byte : out.data) byte ^= 0x80;
        return out.valid != 0;
    });
    const hw::chips::switch_params params = lively(true).params;
    const std::size_t header_bytes = params.pin_shape().header_bytes;
    // First byte and last of the common header, of the field, of the transport header, of the check word.
    for (const std::size_t byte :
         {std::size_t{0}, std::size_t{hw::format::common_header_bytes} - 1, std::size_t{params.header_bytes()} - 1,
          std::size_t{params.header_bytes()}, header_bytes - hw::format::check_bytes - 1, header_bytes - 1}) {
        expect_found("flit_header", [byte, header_bytes](pins& out) {
            for (std::size_t port = 0; port < 4; ++port) out.header[port * header_bytes + byte] ^= 1;
            return out.head != 0;
        });
    }
}

TEST(switch_lockstep, data_of_silent_ports_does_not_count) {
    cycle lied = 0;
    const contender noisy{"noisy", [&](const switch_params& params, const switch_tables& tables) {
                              return std::make_unique<liar>(
                                  golden_contender().make(params, tables),
                                  [](pins& out) {
                                      for (unsigned port = 0; port < 4; ++port) {
                                          if ((out.valid >> port & 1) == 0) out.data[port] ^= 0xff;
                                      }
                                      return false;
                                  },
                                  nullptr, false, &lied);
                          }};
    lockstep bench(compare(lively(true), golden_contender(), noisy));
    EXPECT_FALSE(bench.run().has_value());
}

TEST(switch_lockstep, state_is_compared) {
    expect_found("state of input", nullptr, [](hw::engine::chip_probe& probe) { ++probe.inputs[3].occupied; });
    expect_found("state of input", nullptr, [](hw::engine::chip_probe& probe) { probe.inputs[0].state ^= 1; });
    expect_found("state of input", nullptr, [](hw::engine::chip_probe& probe) { probe.inputs[1].waiting ^= 4; });
    expect_found("state of input", nullptr, [](hw::engine::chip_probe& probe) { probe.inputs[2].reading ^= 1; });
    expect_found("state of output", nullptr,
                 [](hw::engine::chip_probe& probe) { probe.outputs[0].held = !probe.outputs[0].held; });
    expect_found("state of output", nullptr, [](hw::engine::chip_probe& probe) { ++probe.outputs[3].credits; });
    expect_found("idle", nullptr, nullptr, true);
}

TEST(switch_lockstep, exceptions_are_differences) {
    const contender broken{"broken", [](const switch_params& params, const switch_tables& tables) {
                               static cycle lied = 0;
                               return std::make_unique<liar>(
                                   golden_contender().make(params, tables),
                                   [](pins&) -> bool { throw std::logic_error("assertion"); }, nullptr, false, &lied);
                           }};
    lockstep bench(compare(lively(true), golden_contender(), broken));
    const std::optional<difference> found = bench.run();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->what, "assertion");
    EXPECT_EQ(found->cycle, liar::from + 1);
}

TEST(switch_replay, a_line_gives_the_same_run) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const switch_run run = draw_switch_run(draw_switch_params(seed, 64), seed, 100);
        const switch_run again = switch_run_from_line(to_line(run));
        EXPECT_EQ(again.params, run.params);
        EXPECT_EQ(to_line(again), to_line(run));
        EXPECT_EQ(again.tables.unicast_up, run.tables.unicast_up);
        EXPECT_EQ(again.tables.credits, run.tables.credits);
    }
    EXPECT_THROW(switch_run_from_line("ports=4"), hw::input_error);
    EXPECT_THROW(switch_run_from_line("ports=4 nonsense"), hw::input_error);
    EXPECT_THROW(switch_run_from_line(to_line(lively(true)) + " more=1"), hw::input_error);
}

// No model, no switch: nothing stands in for it.
TEST(rtl_contender, never_falls_back) {
    tlm::model_options options = tlm::model_options::defaults();
    options.cache_dir = std::filesystem::path(testing::TempDir()) / "polycast_no_switch";
    options.verilator_root = "/nonexistent";
    std::filesystem::remove_all(options.cache_dir);
    tlm::model_library library(options);
    const switch_run run = lively(true);
    EXPECT_THROW(tlm::rtl_switch(run.params, run.tables, library), hw::input_error);
    std::filesystem::remove_all(options.cache_dir);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
