// SPDX-License-Identifier: Apache-2.0
// The bench must see what only routers have: numbers of virtual channels on the pins, state by virtual channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/input_error.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/router_watch.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::router_params;
using hw::chips::router_tables;
using hw::engine::chip_probe;
using hw::engine::cycle;
using hw::engine::pins;
using testing::HasSubstr;

/// A core that lies once, after some cycle, as soon as there is something to lie about.
class liar final : public hw::engine::chip {
public:
    liar(std::unique_ptr<chip> honest, std::function<bool(pins&)> pin_lie, std::function<void(chip_probe&)> state_lie,
         cycle* lied)
        : honest_(std::move(honest)), pin_lie_(std::move(pin_lie)), state_lie_(std::move(state_lie)), lied_(lied) {}

    const hw::engine::pin_shape& shape() const override { return honest_->shape(); }
    void reset() override { honest_->reset(); }
    cycle step(cycle now, const pins& in, pins& out) override {
        const cycle wake = honest_->step(now, in, out);
        now_ = now;
        if (now >= 200 && *lied_ == 0 && (state_lie_ || pin_lie_(out))) *lied_ = now + 1;
        return wake;
    }
    bool idle() const override { return honest_->idle(); }
    void probe(chip_probe& probe) const override {
        honest_->probe(probe);
        if (state_lie_ && *lied_ == now_ + 1) state_lie_(probe);
    }

private:
    std::unique_ptr<chip> honest_;
    std::function<bool(pins&)> pin_lie_;
    std::function<void(chip_probe&)> state_lie_;
    cycle* lied_;
    cycle now_ = 0;
};

/// A node in the middle of a mesh, all well.
router_run lively() {
    router_params params;
    router_run run = draw_router_run(params, 1, 3000);
    run.tables = {};
    run.tables.node = 9;
    run.tables.packet_limit = 5;
    run.tables.credits.assign(params.ports, 8);
    for (auto& sides : run.tables.vc_sets) sides = {0xf, 0xf};
    run.traffic = {};
    run.traffic.longest = 5;
    run.traffic.broadcasts = 50;
    return run;
}

void expect_found(const std::string& words, const std::function<bool(pins&)>& pin_lie,
                  const std::function<void(chip_probe&)>& state_lie = {}) {
    cycle lied = 0;
    const router_contender lying{"liar", [&](const router_params& params, const router_tables& tables) {
                                     return std::make_unique<liar>(router_golden_contender().make(params, tables),
                                                                   pin_lie, state_lie, &lied);
                                 }};
    lockstep bench(compare(lively(), router_golden_contender(), lying));
    const std::optional<difference> found = bench.run();
    ASSERT_TRUE(found.has_value()) << words;
    EXPECT_THAT(found->what, HasSubstr(words));
    EXPECT_EQ(found->cycle, lied) << words;
}

TEST(router_lockstep, honest_routers_are_the_same) {
    lockstep bench(compare(lively(), router_core_contender(), router_golden_contender()));
    const std::optional<difference> found = bench.run();
    EXPECT_FALSE(found.has_value()) << found->what;
    EXPECT_EQ(bench.seen().cycles, 3000u);
    EXPECT_GT(bench.seen().flits, 3000u);
    EXPECT_GT(bench.seen().packets, 1000u);
}

TEST(router_lockstep, numbers_of_virtual_channels_are_compared) {
    expect_found("flit_vc", [](pins& out) {
        for (std::uint8_t& vc : out.vc) vc ^= 1;
        return out.valid != 0;
    });
    expect_found("credit_vc", [](pins& out) {
        for (std::uint8_t& vc : out.credit_vc) vc ^= 2;
        return out.credit != 0;
    });
}

TEST(router_lockstep, state_of_every_virtual_channel_is_compared) {
    expect_found("state of input 4 vc 3", {}, [](chip_probe& probe) { ++probe.inputs[19].occupied; });
    expect_found("state of output 0 vc 1", {}, [](chip_probe& probe) { ++probe.outputs[1].credits; });
    expect_found("state of output 4 vc 3", {}, [](chip_probe& probe) { ++probe.outputs[19].holder; });
    expect_found("different numbers of entries", {}, [](chip_probe& probe) { probe.inputs.pop_back(); });
}

TEST(router_replay, a_line_gives_the_same_run) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const router_run run = draw_router_run(draw_router_params(seed, 32), seed, 100);
        const router_run again = router_run_from_line(to_line(run));
        EXPECT_EQ(again.params, run.params);
        EXPECT_EQ(to_line(again), to_line(run));
        EXPECT_EQ(again.tables.credits, run.tables.credits);
        EXPECT_EQ(again.tables.vc_sets, run.tables.vc_sets);
    }
    const std::string line = to_line(lively());
    EXPECT_THROW(router_run_from_line("router ports=4"), hw::input_error);
    EXPECT_THROW(router_run_from_line(line.substr(7)), hw::input_error);
    EXPECT_THROW(router_run_from_line(line + " more=1"), hw::input_error);
    std::string too_many = line;
    EXPECT_THROW(router_run_from_line(too_many.replace(line.find("vcs=4"), 5, "vcs=17")), hw::input_error);
}

TEST(router_draw, parameters_keep_to_the_page) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const router_params params = draw_router_params(seed, 32);
        const router_run run = draw_router_run(params, seed, 1);
        EXPECT_LE(params.ports * params.vcs, 64u);
        EXPECT_LE(params.nodes(), 1u << 24);
        EXPECT_TRUE(!params.copies || params.ports <= 16);
        EXPECT_TRUE(params.header_free || params.vc_flits * params.flit_bytes >= 13);
        EXPECT_TRUE(run.tables.table ? params.max_nodes > 0 : params.ports > params.first_host_port());
        EXPECT_LT(run.tables.node, params.nodes());
        for (const std::uint32_t mask : run.tables.route) EXPECT_EQ(std::uint64_t{mask} >> params.ports, 0u);
        for (const auto& sides : run.tables.vc_sets) EXPECT_EQ((sides[0] | sides[1]) >> params.vcs, 0);
    }
}

/// What is counted when a packet of one flit comes in by a port.
std::uint64_t met(const std::string& what, unsigned port, std::uint32_t destination, bool broadcast) {
    router_params params;
    router_tables tables = lively().tables;
    params.radix = 4;  // node 9 is (1, 2)
    tables.wrap = 3;
    const std::unique_ptr<hw::engine::chip> router = router_golden_contender().make(params, tables);
    router_watch watch(params, tables);
    pins in(params.pin_shape());
    pins out(params.pin_shape());
    chip_probe before;
    chip_probe after;
    router->probe(after);
    for (cycle now = 0; now < 10; ++now) {
        in.clear();
        out.clear();
        if (now == 0) {
            in.valid = in.head = in.tail = std::uint64_t{1} << port;
            std::uint8_t* header = &in.data[std::size_t{port} * params.flit_bytes];
            hw::format::common_header common;
            common.kind = broadcast ? hw::format::packet_kind::broadcast : hw::format::packet_kind::unicast;
            common.source = broadcast ? destination : 0;
            hw::format::write_common(common, header);
            if (!broadcast) hw::format::write_field<hw::format::destination_field>(header, destination);
        }
        router->step(now, in, out);
        before = after;
        router->probe(after);
        watch.see(in, out, before, after);
    }
    return watch.counted().at(what);
}

TEST(router_watch, counts_what_it_says) {
    for (const auto& [what, count] : std::map<std::string, std::uint64_t>{{"unicast up", 1},
                                                                          {"unicast forwarded", 1},
                                                                          {"unicast within a ring", 1},
                                                                          {"unicast down", 0},
                                                                          {"unicast across the end of a ring", 0},
                                                                          {"routed at the front", 1},
                                                                          {"routed behind another", 0}})
        EXPECT_EQ(met(what, 4, 10, false), count) << what;
    EXPECT_EQ(met("unicast down", 4, 8, false), 1u);
    EXPECT_EQ(met("unicast half a ring, odd", 4, 11, false), 1u);
    EXPECT_EQ(met("unicast across the end of a ring", 4, 11, false), 1u);  // (3, 2), down over the end
    EXPECT_EQ(met("unicast to host", 0, 9, false), 1u);
    EXPECT_EQ(met("unicast back to its port", 4, 9, false), 1u);
    EXPECT_EQ(met("unicast without host port", 0, 16, false), 1u);
    EXPECT_EQ(met("broadcast at its source", 4, 9, true), 1u);
    EXPECT_EQ(met("broadcast copied", 4, 9, true), 1u);
    EXPECT_EQ(met("broadcast on its way up", 1, 8, true), 1u);
    EXPECT_EQ(met("broadcast on its way down", 2, 13, true), 1u);
    EXPECT_EQ(met("broadcast ends here", 2, 13, true), 1u);
    EXPECT_EQ(met("broadcast of another node from a host", 4, 8, true), 1u);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
