// SPDX-License-Identifier: Apache-2.0
// The bench must see what only VL switches have: pins that show waits. Its runs can be replayed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/engine/waiting_ports.h"
#include "hw/input_error.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/vl_switch_watch.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::engine::cycle;
using hw::engine::pins;
using testing::HasSubstr;

vl_switch_run lively() {
    vl_switch_params params;
    params.ports = params.read_ports = 4;
    params.chunks = 12;
    vl_switch_run run = draw_vl_switch_run(params, 4, 3000);
    run.traffic = {};
    run.traffic.start = 1000;
    run.traffic.longest = run.tables.packet_limit;
    run.traffic.credit_delay = 20;
    return run;
}

/// A switch that changes its waits once.
class liar final : public hw::engine::chip, public hw::engine::waiting_ports {
public:
    liar(const vl_switch_params& params, const vl_switch_tables& tables, cycle* lied)
        : honest_(vl_switch_core_contender().make(params, tables)), lied_(lied) {}

    const hw::engine::pin_shape& shape() const override { return honest_->shape(); }
    void reset() override { honest_->reset(); }
    cycle step(cycle now, const pins& in, pins& out) override {
        if (*lied_ == 0 && now == 500) *lied_ = now + 1;
        now_ = now;
        return honest_->step(now, in, out);
    }
    bool idle() const override { return honest_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { honest_->probe(probe); }
    std::uint64_t xmit_wait() const override {
        const std::uint64_t waits = hw::engine::xmit_wait_of(*honest_);
        return *lied_ == now_ + 1 ? waits ^ 2 : waits;
    }

private:
    std::unique_ptr<chip> honest_;
    cycle* lied_;
    cycle now_ = 0;
};

TEST(vl_switch_lockstep, waits_are_compared) {
    cycle lied = 0;
    const vl_switch_contender lying{"liar", [&](const vl_switch_params& params, const vl_switch_tables& tables) {
                                        return std::make_unique<liar>(params, tables, &lied);
                                    }};
    lockstep bench(compare(lively(), vl_switch_core_contender(), lying));
    const std::optional<difference> found = bench.run();
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->what, HasSubstr("xmit_wait of port 1: core "));
    EXPECT_EQ(found->cycle, lied);
    EXPECT_GT(bench.seen().packets, 50u);
    EXPECT_EQ(bench.seen().forwarding, 0u);
}

TEST(vl_switch_replay, a_line_gives_the_same_run) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const vl_switch_run run = draw_vl_switch_run(draw_vl_switch_params(seed, 64), seed, 100);
        const vl_switch_run again = vl_switch_run_from_line(to_line(run));
        EXPECT_EQ(again.params, run.params);
        EXPECT_EQ(to_line(again), to_line(run));
        EXPECT_EQ(again.tables.lft, run.tables.lft);
        EXPECT_EQ(again.tables.credits, run.tables.credits);
        EXPECT_EQ(*again.tables.sl2vl, *run.tables.sl2vl);
    }
    const std::string line = to_line(lively());
    EXPECT_THROW(vl_switch_run_from_line("vl_switch ports=4"), hw::input_error);
    EXPECT_THROW(vl_switch_run_from_line(line.substr(10)), hw::input_error);
    EXPECT_THROW(vl_switch_run_from_line(line + " more=1"), hw::input_error);
    std::string too_many = line;
    EXPECT_THROW(vl_switch_run_from_line(too_many.replace(line.find("vls=2"), 5, "vls=16")), hw::input_error);
}

TEST(vl_switch_draw, parameters_and_registers_keep_to_the_page) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const vl_switch_params params = draw_vl_switch_params(seed, 64);
        EXPECT_NO_THROW(hw::chips::checked(params));
        EXPECT_NO_THROW(hw::chips::checked(params, draw_vl_switch_run(params, seed, 1).tables)) << seed;
    }
}

}  // namespace
}  // namespace polycast::testbench::equivalence
